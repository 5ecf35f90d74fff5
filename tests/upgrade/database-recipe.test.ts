import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../tour/service.ts';
import { RecipeCopy } from './recipe.ts';

/** The recipe for a third database: its name alone, and what the compiler then asks for. */

let copy: RecipeCopy;

beforeAll(async () => {
  copy = await RecipeCopy.make();
  await copy.apply([
    { file: 'src/database/name.ts', inserted: [{ before: "'sqlite' |", text: "'third' | " }] },
  ]);
}, 300_000);
afterAll(() => copy[Symbol.asyncDispose]());

it('the compiler asks for the dialect of a third database and for its name in the type of a scope', async () => {
  expect(await copy.refused('service')).toEqual([
    'src/database/dialects.ts',
    'src/resources/operations/scope.ts',
  ]);
}, 300_000);

it('the room of the database names the ports of a third one in their order', async () => {
  const readme = await readFile(join(root, 'src/database/README.md'), 'utf8');
  const [, paragraph = ''] = /(A third database implements[\s\S]*)/.exec(readme) ?? [];
  const files = [...paragraph.matchAll(/`(src\/[\w/-]+\.ts)`/g)].map(([, file]) => file);
  expect(files).toEqual([
    'src/database/dialect.ts',
    'src/database/target.ts',
    'src/database/database.ts',
    'src/database/dialects.ts',
    'src/database/targets.ts',
    'src/database/name.ts',
    'src/model/scope.ts',
  ]);
});
