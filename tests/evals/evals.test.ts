import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { testsAll } from '../support/tiers.ts';
import { ensureBuilt, root } from '../tour/service.ts';

const evals = join(root, 'evals');

interface Scored {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

const score = (...args: string[]): Promise<Scored> =>
  new Promise((resolve) => {
    execFile(process.execPath, [join(evals, 'run.ts'), ...args], (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });

/** The reference solution of a task in a folder of its own, with one text of a file replaced. */
const wrong = async (task: string, file: string, from: string, to: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'gatewright-wrong-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(join(evals, task, 'solution'), join(folder, task), { recursive: true });
  const path = join(folder, task, file);
  const text = await readFile(path, 'utf8');
  expect(text).toContain(from);
  await writeFile(path, text.replace(from, to));
  return folder;
};

/** A task, a file of its solution, what is replaced in it and by what, and the reason that is printed. */
const wrongSolutions: readonly (readonly [string, string, string, string, RegExp])[] = [
  [
    'row-rules',
    'resources/task.ts',
    'isolation: true,',
    '',
    /✗ tasks of others are neither read nor written: /,
  ],
  [
    'public-catalogue',
    'resources/product.ts',
    "permissions: 'writes',",
    '',
    /✗ writes need a permission: the status is 201/,
  ],
  [
    'hook',
    'resources/invoice.ts',
    "if (before?.sent === true) addError('sent', 'A sent invoice does not change');",
    '',
    /✗ a sent invoice does not change.*the status is 200/,
  ],
  [
    'job',
    'jobs/welcome.ts',
    "await records('Letter')",
    "await records('Letter').create({ text: 'x' }); await records('Letter')",
    /✗ the job writes a letter, and the time: the letters is/,
  ],
  [
    'transfer',
    'endpoints/transfer.ts',
    'if (balance < amount) throw tooSmall();',
    '',
    /✗ a refused transfer changes nothing: the status is 422/,
  ],
  [
    'tenants',
    'resources/document.ts',
    ", where: { role: 'editor' }",
    '',
    /✗ editors create documents of their company, and of no other/,
  ],
  [
    'search',
    'resources/recipe.ts',
    "  search: ['title', 'steps'],\n",
    '',
    /✗ gatewright (?:migrate|start): |✗ words are found/,
  ],
  [
    'migration',
    'migrations/0002_names.ts',
    '= 0 then null else',
    '= 0 then name else',
    /✗ every record has its names: /,
  ],
  ['webhook', 'resources/parcel.ts', 'events: true,', '', /✗ a new parcel is sent to the webhook/],
  [
    'tests',
    'tests/notes.test.ts',
    'assert.equal(data.pinned, false);',
    '',
    /✗ the tests fail without the rule that pinned is for administrators/,
  ],
];

describe('the evaluations', () => {
  beforeAll(ensureBuilt);

  it('there are ten tasks, each with a solution and a check', async () => {
    const entries = await readdir(evals, { withFileTypes: true });
    const tasks = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(tasks).toHaveLength(10);
    for (const task of tasks)
      expect(await readdir(join(evals, task))).toEqual(
        expect.arrayContaining(['check.ts', 'solution', 'task.md']),
      );
  });

  it('every reference solution is scored as solved', async () => {
    const { status, stdout } = await score();
    expect(stdout.match(/^ {2}✗ .*$/gm) ?? []).toEqual([]);
    expect([status, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, '10 of 10 tasks solved']);
  }, 240_000);

  it.each(testsAll ? wrongSolutions : wrongSolutions.slice(0, 3))(
    'a wrong solution of %s is not solved, and the reason is printed',
    async (task, file, from, to, reason) => {
      const { status, stdout } = await score(await wrong(task, file, from, to), task);
      expect([status, stdout]).toEqual([1, expect.stringMatching(reason)]);
      expect(stdout).toContain('0 of 1 tasks solved');
    },
    120_000,
  );

  it('a solution that does not load is named with its mistake, one that is not there as missing', async () => {
    const folder = await wrong('hook', 'resources/invoice.ts', 'unique: true', 'uniqe: true');
    const { stdout } = await score(folder, 'hook');
    expect(stdout).toMatch(/✗ gatewright migrate: .*uniqe.*unique/);
    const missing = await score(folder, 'job');
    expect([missing.status, missing.stdout]).toEqual([1, expect.stringMatching(/✗ there is no .*job/)]);
  }, 60_000);

  it('wrong usage has the status 2', async () => {
    expect(await score('/there/is/none')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no folder'),
    });
    expect(await score(evals, 'hok')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('the tasks are hook, '),
    });
  });
});
