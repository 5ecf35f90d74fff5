/**
 * Scores solutions of the tasks in this folder:
 *
 *     npm run evals                  # the reference solutions
 *     npm run evals -- FOLDER        # others: FOLDER/TASK has the files of a solution
 *     npm run evals -- FOLDER hook   # one task of them
 *
 * Prints a line for each claim about a solution. Exit status: 0 if all hold, 1 if one does not, 2 for wrong usage.
 */

import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Check } from './check.ts';
import { makeWorkplace } from './service.ts';

const here = fileURLToPath(new URL('.', import.meta.url));

const tasks = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(here, entry.name, 'task.md')))
  .map(({ name }) => name)
  .sort();

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Scores one solution. Returns whether every claim holds. */
const score = async (task: string, solution: string): Promise<boolean> => {
  print(`${task}`);
  if (!existsSync(solution)) {
    print(`  ✗ there is no ${solution}`);
    return false;
  }
  const { check } = (await import(pathToFileURL(join(here, task, 'check.ts')).href)) as {
    readonly check: Check;
  };
  const given = join(here, task, 'given');
  const place = await makeWorkplace();
  let failed = 0;
  try {
    if (existsSync(given)) await place.add(given);
    await check({
      place,
      add: () => place.add(solution),
      holds: async (claim, test) => {
        try {
          await test();
          print(`  ✓ ${claim}`);
        } catch (error) {
          failed += 1;
          print(`  ✗ ${claim}: ${messageOf(error).replaceAll(/\s*\n\s*/g, ' ')}`);
        }
      },
    });
  } catch (error) {
    failed += 1;
    print(`  ✗ ${messageOf(error)}`);
  } finally {
    await place.remove();
  }
  return failed === 0;
};

const [folder, ...chosen] = process.argv.slice(2);
const stranger = chosen.find((name) => !tasks.includes(name));
if (stranger !== undefined || (folder !== undefined && !existsSync(folder))) {
  process.stderr.write(
    stranger === undefined
      ? `there is no folder ${folder}\n`
      : `there is no task ${stranger}; the tasks are ${tasks.join(', ')}\n`,
  );
  process.exit(2);
}

const wanted = chosen.length === 0 ? tasks : chosen;
let solved = 0;
for (const task of wanted) {
  const solution = folder === undefined ? join(here, task, 'solution') : join(resolve(folder), task);
  if (await score(task, solution)) solved += 1;
}
print(`${solved} of ${wanted.length} tasks solved`);
process.exitCode = solved === wanted.length ? 0 : 1;
