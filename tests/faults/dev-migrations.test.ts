import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { inheritedEnvironment } from '../support/child.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder = '';
let child: ChildProcess | undefined;
let output = '';

// Inside the repository, so that what is written there finds the package that it imports.
beforeEach(async () => {
  await mkdir(join(root, 'reports'), { recursive: true });
  folder = await mkdtemp(join(root, 'reports', 'dev-'));
  await mkdir(join(folder, 'resources'));
  await mkdir(join(folder, 'migrations'));
  await model('title: field.string(), old: field.text()');
  await migration(
    '0001_books',
    `createTable(db, dialect, 'books', { fields: {
    title: field.string(), old: field.text() } })`,
  );
});
afterEach(async () => {
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }
  await rm(folder, { recursive: true, force: true });
});

const model = (fields: string): Promise<void> =>
  writeFile(
    join(folder, 'resources/book.ts'),
    `import { defineResource, field } from 'gatewright';\nexport default defineResource('Book', { fields: { ${fields} } });\n`,
  );
const migration = (name: string, call: string): Promise<void> =>
  writeFile(
    join(folder, `migrations/${name}.ts`),
    `import { alterTable, createTable, field } from 'gatewright';\n${pause}\nexport const up = async (db, dialect) => {\n  await ${call};\n};\n`,
  );

/** A step of a migration that says that it has begun, and waits for a file. */
const pause = `import { existsSync, writeFileSync } from 'node:fs';
const pause = async () => {
  writeFileSync('begun', '');
  while (!existsSync('migrated')) await new Promise((resolve) => setTimeout(resolve, 20));
};`;

const dev = (...args: string[]): ChildProcess => {
  output = '';
  child = spawn(process.execPath, [join(root, 'tests/faults/children/dev.ts'), ...args], {
    cwd: folder,
    env: { ...inheritedEnvironment(), PORT: '0', DATA_DIR: join(folder, 'data'), IN_DEV: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return child;
};
const gatewright = async (...args: string[]): Promise<string> => {
  const env = { ...inheritedEnvironment(), DATA_DIR: join(folder, 'data') };
  const program = join(root, 'bin/gatewright.js');
  return (await promisify(execFile)(process.execPath, [program, ...args], { cwd: folder, env })).stdout;
};
const said = (text: string) => expect.poll(() => output, { timeout: 30_000 }).toContain(text);

const columns = (): unknown[] => {
  const database = new DatabaseSync(join(folder, 'data/gatewright.db'), { readOnly: true });
  const rows = database.prepare(`select name from pragma_table_info('books')`).all();
  database.close();
  return rows.map(({ name }) => name);
};

const dropOld = async (): Promise<void> => {
  output = '';
  await model('title: field.string()');
  await migration('0002_drop', `alterTable(db, dialect, 'books', { drop: ['old'] })`);
  await said('Not applied yet');
};

it('a migration that comes while dev runs is shown, and applied when its file is saved again', async () => {
  dev();
  await said('Try  curl');
  expect(columns()).toContain('old');
  await dropOld();
  expect(output).toContain('-- 0002_drop');
  expect(output).toMatch(/drop column "old"|create table "books__new"|insert into/i);
  // Another file does not apply it.
  output = '';
  await writeFile(join(folder, 'resources/book.ts'), await readFile(join(folder, 'resources/book.ts')));
  await said('Not applied yet');
  expect(columns()).toContain('old');
  output = '';
  const now = new Date();
  await utimes(join(folder, 'migrations/0002_drop.ts'), now, now);
  await said('Restarted on');
  expect(columns()).not.toContain('old');
}, 120_000);

it('a migration is held as well when one of the service itself is pending', async () => {
  dev();
  await said('Try  curl');
  // The newest one: the state is as if another version of the package had been installed.
  const database = new DatabaseSync(join(folder, 'data/gatewright.db'));
  const added = [
    ...['events', 'event_inbox', 'history', 'trash', 'deliveries'].map(
      (name) => `gatewright_${name}.record_key`,
    ),
    'gatewright_trash.target_key',
    'users.owner_key',
  ];
  for (const [table, column] of added.map((name) => name.split('.')))
    database.exec(`alter table ${table} drop column ${column}`);
  database.exec(`delete from gatewright_migrations where name = '0083_record_keys'`);
  database.close();
  await dropOld();
  expect(output).toContain('-- 0083_record_keys');
  expect(output).toContain('-- 0002_drop');
  expect(columns()).toContain('old');
  output = '';
  const now = new Date();
  await utimes(join(folder, 'migrations/0002_drop.ts'), now, now);
  await said('Restarted on');
  expect(columns()).not.toContain('old');
}, 120_000);

it('Enter applies it where somebody types', async () => {
  const { stdin } = dev('interactive');
  await said('Try  curl');
  stdin?.write('\n');
  await dropOld();
  expect(columns()).toContain('old');
  stdin?.write('\n');
  await said('Restarted on');
  expect(columns()).not.toContain('old');
}, 120_000);

it('an edited migration is shown again, and applied as it was shown last', async () => {
  const { stdin } = dev('interactive');
  await said('Try  curl');
  await dropOld();
  output = '';
  await migration('0002_drop', `alterTable(db, dialect, 'books', { rename: { old: 'older' } })`);
  await said('Not applied yet');
  expect(output).toContain('"older"');
  expect(columns()).toContain('old');
  // A migration that does not run cannot be confirmed.
  output = '';
  await migration('0002_drop', `alterTable(db, dialect, 'books', {`);
  await said('0002_drop.ts:');
  stdin?.write('\n');
  output = '';
  await migration('0002_drop', `alterTable(db, dialect, 'books', { drop: ['old'] })`);
  await said('Not applied yet');
  expect(columns()).toContain('old');
  output = '';
  stdin?.write('\n');
  await said('Restarted on');
  expect(columns()).not.toContain('old');
}, 120_000);

it('goes on when another terminal has migrated', async () => {
  dev();
  await said('Try  curl');
  await dropOld();
  output = '';
  expect(await gatewright('migrate')).toContain('applied 0002_drop');
  await said('Restarted on');
  expect(columns()).not.toContain('old');
}, 120_000);

it('goes on when another terminal has migrated while its SQL was being found out', async () => {
  dev();
  await said('Try  curl');
  output = '';
  await model('title: field.string()');
  // In the process of dev alone, which says that it has begun and waits.
  await migration(
    '0002_drop',
    `(process.env.IN_DEV && pause());
  await alterTable(db, dialect, 'books', { drop: ['old'] })`,
  );
  await expect.poll(() => readdir(folder), { timeout: 30_000 }).toContain('begun');
  expect(await gatewright('migrate')).toContain('applied 0002_drop');
  await writeFile(join(folder, 'migrated'), '');
  await said('Not applied yet');
  await said('Restarted on');
  expect(columns()).not.toContain('old');
}, 120_000);

it('what waits when it starts is shown before it is applied', async () => {
  await gatewright('migrate');
  await model('title: field.string()');
  await migration('0002_drop', `alterTable(db, dialect, 'books', { drop: ['old'] })`);
  dev();
  await said('Try  curl');
  expect(output.indexOf('-- 0002_drop')).toBeGreaterThanOrEqual(0);
  expect(output.indexOf('-- 0002_drop')).toBeLessThan(output.indexOf('applied 0002_drop'));
  expect(columns()).not.toContain('old');
}, 120_000);

it('a signal in the middle of a restart ends it, with every run', async () => {
  await writeFile(
    join(folder, 'gatewright.config.ts'),
    `import { writeFileSync } from 'node:fs';
import { defineConfig } from 'gatewright';
export default defineConfig({
  onStop: async () => {
    writeFileSync('stopping', '');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  },
});\n`,
  );
  const running = dev();
  await said('Try  curl');
  await model('title: field.string()');
  await expect.poll(() => readdir(folder), { timeout: 30_000 }).toContain('stopping');
  running.kill('SIGTERM');
  await expect.poll(() => running.exitCode ?? running.signalCode, { timeout: 10_000 }).not.toBeNull();
}, 120_000);
