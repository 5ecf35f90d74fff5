import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { app as firstTexts } from '../../admin/src/texts/zh-CN/first.ts';
import { app as pageTexts } from '../../admin/src/texts/zh-CN/pages.ts';

const folder = fileURLToPath(new URL('../../admin/src/', import.meta.url));

/** The pattern finds `import x from`, `export … from` and `import(…)`; types are not loaded. */
const imported =
  /(?:^|\n)(?:import|export)\s+(?!type\s)(?:[^'";]*?from\s*)?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/g;

/** Loads pages, each with the page texts. */
const pagesFile = `${folder}app.tsx`;

/** The files that run without the page texts: the frame and lists of records load them, at once or later. */
const firstFiles = (): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  const visit = (file: string): void => {
    if (found.has(file) || !file.startsWith(folder) || file.includes('/texts/')) return;
    const code = readFileSync(file, 'utf8');
    found.set(file, code);
    for (const [, fixed, dynamic] of code.matchAll(imported)) {
      const path = fixed ?? (file === pagesFile ? undefined : dynamic);
      if (path !== undefined) visit(resolve(dirname(file), path));
    }
  };
  visit(`${folder}main.tsx`);
  // This page comes without the page texts, too.
  visit(`${folder}pages/sign-in.tsx`);
  return found;
};

const at = (texts: object, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (tree, name) => (typeof tree === 'object' && tree !== null ? Reflect.get(tree, name) : undefined),
    texts,
  );

/** Keys in a file, as far as they are written out: of `live.${kind}` it is `live`. */
const keysIn = (code: string): readonly (readonly string[])[] =>
  [...code.matchAll(/['`]([a-z]\w*(?:\.[a-zA-Z_]\w*)+)(?:['`]|\.?\$\{)|['`]([a-z]\w*)\.\$\{/gi)].map(
    ([, key, section]) => (key ?? section ?? '').split('.'),
  );

describe('the first texts of the administration pages', () => {
  const files = firstFiles();

  it('the first texts of the administration pages are found where they are used', () => {
    const used = [...files.values()].flatMap(keysIn).filter((key) => typeof at(firstTexts, key) === 'string');
    expect(files.size).toBeGreaterThan(80);
    expect(used.length).toBeGreaterThan(200);
  });

  it('the first texts are all that the frame, lists of records and the sign-in show', () => {
    const missing = [...files].flatMap(([file, code]) =>
      keysIn(code)
        .filter((key) => at(firstTexts, key) === undefined && at(pageTexts, key) !== undefined)
        .map((key) => `${relative(folder, file)}: ${key.join('.')}`),
    );
    expect(missing).toEqual([]);
  });
});
