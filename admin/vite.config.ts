/** The build of the administration pages: groups of scripts, replaced parts of libraries, and compression. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { licenceOf, packagesOf } from '../scripts/licences.js';
import { authMethods, verifiedAs } from '../src/auth/registry.ts';

// Also when a test runs the build: tests serve the shipped files.
process.env['NODE_ENV'] = 'production';

const outDir = fileURLToPath(new URL('../dist/admin/', import.meta.url));

/** Smaller files gain nothing from compression. */
const smallest = 512;

/** More memory does not always compress better: shorter blocks fit some files. */
const smallestGzip = (bytes: Buffer): Buffer =>
  [6, 7, 8]
    .map((memLevel) => gzipSync(bytes, { level: 9, memLevel }))
    .reduce((best, each) => (each.length < best.length ? each : best));

/** Compresses files at build time, so that no request has to: they are cached for a year. */
const precompress = (): Plugin => ({
  name: 'precompress',
  apply: 'build',
  // Not called by a build that writes nothing.
  writeBundle() {
    const assets = `${outDir}assets/`;
    for (const name of readdirSync(assets)) {
      if (!/\.(?:js|css|svg)$/.test(name)) continue;
      const bytes = readFileSync(assets + name);
      if (bytes.length < smallest) continue;
      writeFileSync(`${assets}${name}.gz`, smallestGzip(bytes));
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      };
      writeFileSync(`${assets}${name}.br`, brotliCompressSync(bytes, { params }));
    }
  },
});

const textOf = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** A style sheet without comments and indentation. */
const shortSheet = (path: string): string =>
  textOf(path)
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,]) ?/g, '$1');

/** A script without lines that are comments. */
const shortScript = (path: string): string => textOf(path).replaceAll(/^\s*\/\/.*\n/gm, '');

/** The link to the style sheet, which no paint of what stands before it waits for. */
const sheetLink = /<link rel="stylesheet"[^>]*>/;

/**
 * Puts into the page what its first paint needs, so that a slow line shows it with the first response: the look of the
 * frame, and the script that chooses it. The style sheet follows what is painted first, and the font is preloaded.
 */
const firstPaint = (): Plugin => {
  return {
    name: 'first-paint',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const [sheet] = sheetLink.exec(html) ?? [];
        if (sheet === undefined) throw new Error('the page has no style sheet');
        const font = Object.keys(bundle).find((name) => /\/inter-[^/]*\.woff2$/.test(name));
        if (font === undefined) throw new Error('the font of the pages is not among the files of the build');
        const preload = {
          rel: 'preload',
          as: 'font',
          type: 'font/woff2',
          href: `./${font}`,
          crossorigin: '',
        };
        const look = shortSheet('../docs-page/tokens.css') + shortSheet('src/first-look.css');
        // Every view begins with this document, so it is sent without the indentation of its source.
        const flat = (text: string): string => text.replaceAll(/\n\s*/g, '\n');
        const page = html.replace(sheet, '').replace('<noscript>', `${sheet}<noscript>`);
        return {
          html: flat(page).replaceAll('\n<', '<'),
          tags: [
            { tag: 'script', children: flat(shortScript('src/first-look.js')), injectTo: 'head' },
            { tag: 'style', attrs: { nonce: '__NONCE__' }, children: look, injectTo: 'head' },
            { tag: 'link', attrs: preload, injectTo: 'head' },
          ],
        };
      },
    },
  };
};

/** Unused modules of the libraries, with their replacements. */
const leftOut: readonly (readonly [RegExp, string])[] = [
  // Fields are outlined, and choices are menus.
  [
    /@mui[\\/]material[\\/](?:Input[\\/]Input|FilledInput[\\/]FilledInput)\.m?js$/,
    "export default () => { throw new Error('this part of the library is left out of the build'); };",
  ],
  // `parts/export.tsx` writes CSV, in pages of 1,000 records.
  [
    /jsonexport[\\/]dist[\\/]index\.js$/,
    "export default () => { throw new Error('lists are exported by parts/export.tsx'); };",
  ],
  // The theme draws no ripples.
  [/@mui[\\/]material[\\/]ButtonBase[\\/]TouchRipple\.mjs$/, 'export default () => null;'],
  // No wrapped component has static members to take over.
  [
    /hoist-non-react-statics[\\/]dist[\\/]hoist-non-react-statics\.cjs\.js$/,
    'export default (target) => target;',
  ],
  // ra-core compares JSON, which the library of requests does too.
  [
    /[\\/]lodash[\\/]isEqual\.js$/,
    `import { replaceEqualDeep } from '@tanstack/react-query';
     export default (one, other) => replaceEqualDeep(one, other) === one;`,
  ],
  // ra-core calls these four with plain lists and names; lodash's own bring along a hundred modules for anything else.
  [
    /[\\/]lodash[\\/]union\.js$/,
    'export default (...lists) => [...new Set(lists.flatMap((list) => list ?? []))];',
  ],
  [
    /[\\/]lodash[\\/]pick\.js$/,
    `export default (values, names) => Object.fromEntries(
       names.filter((name) => name in values).map((name) => [name, values[name]]),
     );`,
  ],
  [
    /[\\/]lodash[\\/]debounce\.js$/,
    `export default (run, ms) => {
       let timer;
       return (...values) => {
         clearTimeout(timer);
         timer = setTimeout(run, ms, ...values);
       };
     };`,
  ],
  [
    /[\\/]lodash[\\/]set\.js$/,
    "export default () => { throw new Error('filters are shown by parts/filter-bar.tsx'); };",
  ],
  // Addresses of lists have each parameter once, which the browser parses and writes itself.
  [
    /[\\/]query-string[\\/]index\.js$/,
    `export const parse = (text) => Object.fromEntries(new URLSearchParams(text));
     export const stringify = (values) => new URLSearchParams(
       Object.entries(values).filter(([, value]) => value !== undefined && value !== null),
     ).toString();`,
  ],
  // The service gives names in every language; none is derived from an English word.
  [
    /inflection[\\/]lib[\\/]inflection\.js$/,
    'const same = (text) => text; export { same as humanize, same as inflect, same as pluralize, same as singularize, same as transform, same as underscore };',
  ],
];

const leaveOut = (): Plugin => ({
  name: 'leave-out',
  enforce: 'pre',
  load: (id) => leftOut.find(([pattern]) => pattern.test(id))?.[1],
});

/** The licence of the fonts, which are among the files of the build. */
const fontLicence = new URL('../docs-page/OFL.txt', import.meta.url);

/** Writes the licences of all packages of which the scripts contain code, and that of the fonts. */
const licences = (): Plugin => ({
  name: 'licences',
  apply: 'build',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((file) =>
      file.type === 'chunk' ? Object.entries(file.modules) : [],
    );
    const contained = modules
      .filter(([id, { renderedLength }]) => renderedLength > 0 && !leftOut.some(([part]) => part.test(id)))
      .map(([id]) => id);
    const texts = [...packagesOf(contained).map(licenceOf), readFileSync(fontLicence, 'utf8')];
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY.txt', source: texts.join('\n\n') });
  },
});

/**
 * Lets the bundler drop the parts of react-router that these pages never use. The library does not mark the creation of
 * a component as free of side effects, so unused forms would stay. Its only build for bundlers has the warnings of
 * development switched on. Its links can load scripts in advance, but only in applications that the library itself builds.
 */
const unusedRouterParts = (): Plugin => ({
  name: 'unused-router-parts',
  transform: (code, id) =>
    /[\\/]react-router[\\/]dist[\\/]/.test(id)
      ? {
          code: code
            .replaceAll(/= (React\d*\.(?:forwardRef|createContext)\()/g, '= /* @__PURE__ */ $1')
            .replaceAll(/^\w+\.displayName = "\w+";$/gm, '')
            .replaceAll('ENABLE_DEV_WARNINGS = true', 'ENABLE_DEV_WARNINGS = false')
            .replaceAll('shouldPrefetch && !isAbsolute ?', 'false ?'),
          // Lines stay where they are.
          map: null,
        }
      : undefined,
});

/** Parts of the libraries that no first page needs; they load with the forms. */
const later =
  /[\\/]@mui[\\/]material[\\/](?:Autocomplete|useAutocomplete|Radio|RadioGroup|FormGroup|FormLabel|Tab|Tabs|TabScrollButton|Collapse|Popper|LinearProgress)[\\/]|@mui[\\/]material[\\/]internal[\\/]svg-icons[\\/]RadioButton|[\\/](?:uqr|@popperjs)[\\/]/;

/** The frame of every page, and lists, the most frequent pages. */
const ofApp =
  /[\\/](?:client|src[\\/]kernel)[\\/](?!messages)|[\\/]admin[\\/]src[\\/](?:[^\\/]+|layout[\\/](?!palette|key-help|found-records|preferences)[^\\/]+|(?:parts|live)[\\/][^\\/]+|records[\\/](?:record-list|columns|field-kinds|field-value|choice-chip|reference-value|record|use-metadata|own-list|own-show|with-metadata|lines)\.tsx?)$/;

/** Parts of the library that only fields need, in forms and the sign-in. */
const ofFields =
  /[\\/]@mui[\\/]material[\\/](?:TextField|Select|OutlinedInput|InputLabel|FormLabel|FormHelperText|FormControlLabel|InputAdornment|Switch|NativeSelect)[\\/]|[\\/]FormControl[\\/](?:FormControl|formControlClasses)\.m?js$/;

/** Parts of pages other than lists of records, shared by several groups of pages, so that no group loads another. */
const ofOthers =
  /[\\/]admin[\\/]src[\\/](?:parts[\\/](?:address|reveal-when-loaded|columns|copy-button|detail-dialog|facts|gate-trace|refusal|secret|section|shown-once|status|use-input|view-name)|records[\\/](?:own-list|own-show)|access[\\/](?:refusal|refusal-causes|explanation)|keys[\\/](?:api-key|scopes|limit-fields)|users[\\/]user|webhooks[\\/]webhook|jobs[\\/](?:job-actions|schedules)|start[\\/](?:matter|stats|stacked-bars|ceiling))\.tsx?$|[\\/]@mui[\\/]material[\\/]ToggleButton(?:Group)?[\\/]/;

/** Lists of the service's activity, without forms. */
const ofWatch =
  /[\\/]admin[\\/]src[\\/](?:jobs[\\/][^\\/]+|watch[\\/](?:audit|audit-detail|payments|routes|sessions|user-agent)|webhooks[\\/](?:webhooks|states))\.tsx?$/;

/** Forms, including the filters of lists. */
const ofForms =
  /[\\/]admin[\\/]src[\\/](?:parts[\\/](?:condition-form|table-keys|overlap|filter-menu|word-input|search-picker|own-pickers|view-options|form-bar|page-form|dialog-form|focus-errors)|records[\\/](?:bulk-form|record-picker|record-form|record-pages|field-input|form-layout|form-page|lines-input|lines-form|json-input|make-record|conflict|use-save|use-draft|groups|metadata|search-records))\.tsx?$/;

/** A group of own modules by folder: `records` is every file in that folder. */
const folders = (name: string, priority: number, ...names: readonly string[]) => ({
  name,
  priority,
  test: new RegExp(`[\\\\/]admin[\\\\/]src[\\\\/](?:${names.join('|')})[\\\\/]`),
});

/**
 * The scripts: few files, grouped by common use. On a slow connection a further request costs more than the bytes of an
 * unused page.
 */
const groups = [
  {
    name: 'vendor',
    priority: 9,
    test: (id: string) =>
      /node_modules|rolldown|vite[\\/]/.test(id) &&
      ![later, ofFields, ofOthers].some((each) => each.test(id)),
  },
  {
    name: 'app',
    priority: 8,
    test: (id: string) => !ofForms.test(id) && !ofOthers.test(id) && ofApp.test(id),
  },
  { name: 'fields', priority: 7, test: ofFields },
  { name: 'others', priority: 7, test: ofOthers },
  { name: 'watch', priority: 6, test: ofWatch },
  { name: 'forms', priority: 7, test: (id: string) => ofForms.test(id) || later.test(id) },
  {
    name: 'sign-in',
    priority: 4,
    test: /[\\/]admin[\\/]src[\\/](?:pages[\\/][^\\/]+|account[\\/]sign-in-dialog|factor[\\/](?:code-field|passkey))\.tsx?$/,
  },
  folders('records', 3, 'import', 'history', 'trash', 'deletion', 'records'),
  folders('access', 3, 'access'),
  folders('people', 3, 'users', 'keys', 'factor'),
  folders('work', 3, 'webhooks', 'jobs', 'watch'),
];

/** The methods of authentication by which requests are counted, with their names in the plot. */
const plottedMethods = authMethods
  .filter(({ name }) => verifiedAs(name) === name)
  .map(({ name, label, plotted = label }) => ({ name, label: plotted }));

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Relative: the service prepends its base path when it starts.
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
    // `'use client'` has no meaning on a page without a server side.
    rolldownOptions: {
      checks: { moduleLevelDirective: false },
      treeshake: { propertyReadSideEffects: false },
      output: { codeSplitting: { groups } },
    },
  },
  define: {
    'process.env.NODE_ENV': '"production"',
    __AUTH_METHODS__: JSON.stringify(plottedMethods),
  },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  logLevel: 'warn',
  plugins: [leaveOut(), unusedRouterParts(), firstPaint(), licences(), precompress()],
});
