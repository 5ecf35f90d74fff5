import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { authMethods, verifiedAs } from '../src/auth/registry.ts';

// Whatever runs the build, a test for example: what is served is what is shipped.
process.env['NODE_ENV'] = 'production';

const outDir = fileURLToPath(new URL('../dist/admin/', import.meta.url));

/** Files below this size gain nothing by being compressed. */
const smallest = 512;

/** Compresses once at build time what is served for a year: nothing is compressed for a request. */
const precompress = (): Plugin => ({
  name: 'precompress',
  apply: 'build',
  closeBundle() {
    const assets = `${outDir}assets/`;
    for (const name of readdirSync(assets)) {
      if (!/\.(?:js|css|svg)$/.test(name)) continue;
      const bytes = readFileSync(assets + name);
      if (bytes.length < smallest) continue;
      writeFileSync(`${assets}${name}.gz`, gzipSync(bytes, { level: 9 }));
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      };
      writeFileSync(`${assets}${name}.br`, brotliCompressSync(bytes, { params }));
    }
  },
});

/** A file of these that the page's head names before any script runs. */
const themeFile = fileURLToPath(new URL('src/first-theme.js', import.meta.url));

/** The theme is there before the first paint, and the font of the first text comes along with the scripts. */
const firstPaint = (): Plugin => {
  let themeAsset = '';
  return {
    name: 'first-paint',
    apply: 'build',
    buildStart() {
      const source = readFileSync(themeFile, 'utf8');
      themeAsset = this.emitFile({ type: 'asset', name: 'first-theme.js', source });
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const font = Object.keys(bundle).find((name) => /\/inter-[^/]*\.woff2$/.test(name));
        if (font === undefined) throw new Error('the font of the pages is not among the files of the build');
        const preload = {
          rel: 'preload',
          as: 'font',
          type: 'font/woff2',
          href: `./${font}`,
          crossorigin: '',
        };
        return [
          { tag: 'script', attrs: { src: `./${this.getFileName(themeAsset)}` }, injectTo: 'head-prepend' },
          { tag: 'link', attrs: preload, injectTo: 'head' },
        ];
      },
    },
  };
};

/**
 * The scripts, few and each with what is used at the same time: on a slow line every further request costs more than the
 * bytes of a page that is not looked at.
 */
const groups = [
  { name: 'vendor', test: /[\\/]node_modules[\\/]|vite|rolldown/, priority: 3 },
  { name: 'records', test: /[\\/]admin[\\/]src[\\/](?:import|history|trash|deletion)[\\/]/, priority: 2 },
];

/** The methods of authentication that requests are counted by, as the plot calls them. */
const plottedMethods = authMethods
  .filter(({ name }) => verifiedAs(name) === name)
  .map(({ name, label, plotted = label }) => ({ name, label: plotted }));

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Relative: the service puts its own base path before the names when it starts.
  base: './',
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
    // `'use client'` says nothing to a page that has no server side.
    rolldownOptions: { checks: { moduleLevelDirective: false }, output: { codeSplitting: { groups } } },
  },
  define: {
    'process.env.NODE_ENV': '"production"',
    __AUTH_METHODS__: JSON.stringify(plottedMethods),
  },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  logLevel: 'warn',
  plugins: [firstPaint(), precompress()],
});
