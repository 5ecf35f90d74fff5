import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../../src/cli/test-io.ts';
import { createSmallDisk, hasSmallDisks } from '../support/small-disk.ts';

const emptyFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-misplaced-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const environment = (data: string, database: string): Readonly<Record<string, string>> => ({
  DATA_DIR: data,
  DATABASE_URL: `sqlite:${database}`,
  CREDENTIALS_FILE: join(data, 'credentials.age'),
  CREDENTIALS_KEY_FILE: join(data, 'credentials.key'),
});

/** A migrated database in a new folder. */
const migrated = async (): Promise<{
  folder: string;
  file: string;
  env: Readonly<Record<string, string>>;
}> => {
  const folder = emptyFolder();
  const file = join(folder, 'app.db');
  const env = environment(folder, file);
  expect(await run(['migrate'], { env })).toMatchObject({ status: 0 });
  return { folder, file, env };
};

describe('a directory in place of a file', () => {
  it('a directory in place of a file is named by every command', async () => {
    const { folder, env } = await migrated();
    const directory = join(folder, 'directory.csv');
    mkdirSync(directory);
    const copy = join(folder, 'copy.db');
    expect(await run(['backup', copy], { env })).toMatchObject({ status: 0 });
    copyFileSync(`${copy}.json`, `${directory}.json`);
    const cases: readonly (readonly [readonly string[], Readonly<Record<string, string>>])[] = [
      [['backup', directory, '--force'], env],
      [['restore', directory, '--verify'], env],
      [['import', directory], env],
      [['export', directory], env],
      [['sign', 'GET', 'http://127.0.0.1/', '--body-file', directory], env],
      [['app', 'list'], { ...env, CREDENTIALS_FILE: directory }],
      [['migrate'], { ...env, DATABASE_URL: `sqlite:${directory}` }],
      [['backup', join(folder, 'other.db')], { ...env, DATABASE_URL: `sqlite:${directory}` }],
    ];
    for (const [argv, settings] of cases) {
      const { status, stderr } = await run(argv, { env: settings });
      expect([argv, status, stderr]).toEqual([argv, 1, expect.stringContaining('directory.csv')]);
      expect([argv, stderr]).toEqual([argv, expect.stringMatching(/is a directory/)]);
      expect(stderr).not.toContain('EISDIR');
    }
  });
});

describe.skipIf(!hasSmallDisks)('a database on a read-only volume', () => {
  const onReadOnly = async (files: readonly string[]): Promise<string> => {
    const disk = await createSmallDisk(16);
    onTestFinished(() => disk.close());
    for (const file of files) copyFileSync(file, join(disk.path, file.slice(file.lastIndexOf('/') + 1)));
    execFileSync('mount', ['-o', 'remount,ro', disk.path]);
    return join(disk.path, 'app.db');
  };

  it('a database on a read-only volume can be copied', async () => {
    const { file } = await migrated();
    const database = await onReadOnly([file]);
    const data = emptyFolder();
    const copy = join(data, 'copy.db');
    const outcome = await run(['backup', copy], { env: environment(data, database) });
    expect(outcome).toMatchObject({ status: 0 });
    expect(outcome.stderr).toContain('its time could not be stored');
    expect(existsSync(copy)).toBe(true);
  });

  it('a database on a read-only volume cannot be copied with a log that has no index, and the message says why', async () => {
    const { file } = await migrated();
    const open = new DatabaseSync(file);
    open.exec('pragma journal_mode = wal');
    open.exec('create table extra (id integer) strict; insert into extra values (1)');
    const alone = await onReadOnly([file, `${file}-wal`]);
    const whole = await onReadOnly([file, `${file}-wal`, `${file}-shm`]);
    open.close();
    const data = emptyFolder();
    const refused = await run(['backup', join(data, 'one.db')], { env: environment(data, alone) });
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('its volume is read-only')]);
    expect(refused.stderr).not.toContain('is the disk full');
    const copy = join(data, 'two.db');
    expect(await run(['backup', copy], { env: environment(data, whole) })).toMatchObject({ status: 0 });
    const copied = new DatabaseSync(copy, { readOnly: true });
    expect(copied.prepare('select id from extra').all()).toEqual([{ id: 1 }]);
    copied.close();
  });
});
