import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { describe, expect, it } from 'vitest';

/** The module as a browser would load it: in one minified file. */
const bundle = async (file: string): Promise<string> => {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      target: 'es2022',
      lib: { entry: fileURLToPath(new URL(`../../client/${file}`, import.meta.url)), formats: ['es'] },
      rolldownOptions: { output: { minify: true } },
    },
  });
  const [output] = Array.isArray(result) ? result : [result];
  if (output === undefined || !('output' in output)) throw new Error('no bundle');
  const [chunk, ...more] = output.output;
  expect(more).toEqual([]);
  return chunk.code;
};

describe('the bundle', () => {
  it('the bundle of the client is below 6 KB, gzipped', async () => {
    const code = await bundle('index.ts');
    const size = gzipSync(code, { level: 9 }).length;
    process.stdout.write(`gatewright/client: ${code.length} bytes minified, ${size} gzipped\n`);
    expect(size).toBeLessThan(6_000);
    expect(size).toBeGreaterThan(1_000);
  });

  it('needs nothing that browsers and other runtimes do not have', async () => {
    for (const file of ['index.ts', 'sign.ts']) {
      const code = await bundle(file);
      // Bundlers replace it; elsewhere it stands in a `try`.
      expect(code.replaceAll('process.env.NODE_ENV', '')).not.toMatch(
        /(?<!\/)\bimport\b(?!:)|\brequire\b|node:|\bprocess\b|\bBuffer\b/,
      );
      // No global is used until something is called, except the globals of the language itself.
      const script = code.replace(/export\s*\{[^}]*\};?\s*$/, '');
      expect(() => runInNewContext(script, { WeakMap, TextEncoder, Error, Object })).not.toThrow();
    }
  });
});
