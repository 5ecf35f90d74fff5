import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Check, same } from '../check.ts';

/** Each rule of the model, and the text that takes it away. */
const rules: readonly (readonly [rule: string, from: string, to: string])[] = [
  ['users see only their own notes', 'isolation: true,', ''],
  ['a title is required', 'field.string({ required: true })', 'field.string()'],
  ['pinned is for administrators', "restricted: ['pinned'],", ''],
  ['a note belongs to its creator', 'ownership: true,', ''],
];

export const check: Check = async ({ place, add, holds }) => {
  await add();
  const run = () => place.run(process.execPath, ['--test', 'tests/notes.test.ts']);
  const model = join(place.folder, 'resources/note.ts');
  const migration = join(place.folder, 'migrations/0001_notes.ts');
  const [whole, applied] = [await readFile(model, 'utf8'), await readFile(migration, 'utf8')];
  await holds('the tests pass with the model as it is', async () => {
    const { status, output } = await run();
    if (status !== 0) throw new Error(output.slice(0, 500));
    same(/\btests [1-9]/.test(output), true, 'whether there are tests');
  });
  for (const [rule, from, to] of rules)
    await holds(`the tests fail without the rule that ${rule}`, async () => {
      await writeFile(model, whole.replace(from, to));
      await writeFile(migration, applied.replace(from, to));
      same((await run()).status === 0, false, 'whether they pass');
    });
};
