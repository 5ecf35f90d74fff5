import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { run } from '../test-io.ts';

let directory: string;
let env: Record<string, string>;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatewright-move-'));
  env = { DATA_DIR: directory, DATABASE_URL: `sqlite:${join(directory, 'old.db')}` };
});
afterEach(() => rm(directory, { recursive: true }));

const move = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
  run(['move', ...args], { env: { ...env, ...more } });

it('copies, says what to set, and refuses to go on with the old one until that is undone', async () => {
  const to = `sqlite:${join(directory, 'new.db')}`;
  expect(await move(['--to', to])).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('run `gatewright migrate` first'),
  });
  expect(await run(['migrate'], { env })).toMatchObject({ status: 0 });
  expect(await move([], { TO_DATABASE_URL: to })).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      /^Moved and compared: \d+ tables, \d+ rows, in .*\n.*\n.* as TO_DATABASE_URL is now\.\n$/,
    ),
  });
  expect(await run(['migrate'], { env })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('was moved to sqlite:'),
  });
  expect(await run(['user', 'create', '--help'], { env })).toMatchObject({ status: 0 });
  expect(await run(['migrate'], { env: { ...env, DATABASE_URL: to } })).toMatchObject({
    status: 0,
    stdout: 'The database is up to date.\n',
  });
  expect(await move(['--undo'])).toMatchObject({ status: 0 });
  expect(await move(['--undo'])).toMatchObject({ status: 1 });
  expect(await run(['migrate'], { env })).toMatchObject({ status: 0 });
  // The comparison behind a migration reads only, so its connection leaves an empty log.
  expect((await stat(join(directory, 'new.db-wal'))).size).toBe(0);
  const left = (await readdir(directory)).filter((name) => !/^new\.db-(?:wal|shm)$/.test(name)).sort();
  expect(left).toEqual(['databases.json', 'new.db', 'old.db']);
});

it('wants one destination, and tells no password', async () => {
  for (const args of [[], ['--to', 'mysql://x'], ['--undo', '--to', 'sqlite:x']])
    expect(await move(args)).toMatchObject({ status: 2 });
  await run(['migrate'], { env });
  const { status, stdout, stderr } = await move(['--to', 'postgres://me:walnut-4@127.0.0.1:1/there']);
  expect(status).toBe(1);
  expect(stdout + stderr).not.toContain('walnut');
  // Nothing was begun.
  expect(await run(['migrate'], { env })).toMatchObject({ status: 0 });
});
