import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import { run } from '../test-io.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const home = process.cwd();
let folder = '';

// Inside the repository, so that what is written there finds the package that it imports.
beforeEach(async () => {
  await mkdir(join(root, 'reports'), { recursive: true });
  folder = await mkdtemp(join(root, 'reports', 'undone-'));
  await mkdir(join(folder, 'migrations'));
  process.chdir(folder);
});

afterEach(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

describeEachDatabase('gatewright migrate --undo', (databases) => {
  const stage = async () => {
    const env = { DATABASE_URL: await databases.create(), DATA_DIR: folder };
    // A module that was loaded once stays as it was: a changed model gets a file of its own.
    let turn = 0;
    const model = async (...definitions: readonly string[]) => {
      await rm(join(folder, 'resources'), { recursive: true, force: true });
      await mkdir(join(folder, 'resources'));
      for (const definition of definitions) {
        turn += 1;
        const text = `import { defineResource, field } from 'gatewright';\nexport default defineResource(${definition});\n`;
        await writeFile(join(folder, `resources/model${turn}.ts`), text);
      }
    };
    const command = (...argv: string[]) => run(argv, { env });
    // The tables of the service.
    expect((await command('migrate')).status).toBe(0);
    const migration = async (name: string, ...options: string[]) => {
      expect(await command('generate', 'migration', name, ...options)).toMatchObject({
        status: 0,
        stderr: '',
      });
      expect(await command('migrate')).toMatchObject({ status: 0, stderr: '' });
    };
    const undo = () => command('migrate', '--undo');
    const check = async () => (await command('migrate', '--check')).status;
    const sql = async (text: string) => {
      const database = await databases.open(env.DATABASE_URL);
      try {
        return await database.write((transaction) => transaction.all({ sql: text, parameters: [] }));
      } finally {
        await database.close();
      }
    };
    return { env, model, command, migration, undo, check, sql };
  };

  const book = (fields: string, more = '') => `'Book', { fields: { ${fields} }${more} }`;
  const insert = `insert into books (title, created_at, updated_at) values ('one', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z')`;
  const refused = (name: string, reason: string) => ({
    status: 1,
    stdout: '',
    stderr: `gatewright: ${name} was not undone, and nothing was changed: ${reason}\n`,
  });

  it('reverts the migrations of the application one after the other, each as often as wanted', async () => {
    const { env, model, command, migration, undo, check } = await stage();
    await model(`'Author', { fields: { name: field.string() } }`);
    expect((await undo()).stdout).toBe('No migration of the application is applied.\n');
    await migration('authors');
    const first = 'title: field.string({ index: true }), pages: field.integer(), code: field.string()';
    await model(
      `'Author', { fields: { name: field.string() } }`,
      book(first, `, unique: [['title', 'code']]`),
    );
    await migration('books');
    const second = `title: field.string({ required: true, unique: true }), length: field.decimal({ scale: 2 }),
      code: field.string(), author: field.reference('Author', { onDelete: 'cascade' })`;
    await model(
      `'Author', { fields: { name: field.string() } }`,
      book(second, `, indexes: [['length', 'code']]`),
    );
    await migration('changed', '--rename', 'books.pages=length');
    expect(await check()).toBe(0);
    const undone = (name: string) => ({
      status: 0,
      stderr: '',
      stdout: `undone ${name}: its file stays, and gatewright migrate applies it again\n`,
    });
    for (let round = 0; round < 2; round += 1) {
      expect(await undo()).toEqual(undone('0003_changed'));
      expect((await command('migrate', '--check')).stderr).toContain('migrations are pending: 0003_changed');
      expect(await command('migrate')).toMatchObject({ status: 0, stdout: 'applied 0003_changed\n' });
    }
    expect(await undo()).toEqual(undone('0003_changed'));
    // The tables are as the second migration has made them: the models of then agree.
    await rm(join(folder, 'migrations/0003_changed.ts'));
    await model(
      `'Author', { fields: { name: field.string() } }`,
      book(first, `, unique: [['title', 'code']]`),
    );
    expect(await command('migrate', '--check')).toMatchObject({ status: 0, stderr: '' });
    expect(await undo()).toEqual(undone('0002_books'));
    expect(await undo()).toEqual(undone('0001_authors'));
    expect(JSON.parse((await command('migrate', '--undo', '--json')).stdout)).toEqual({ undone: null });
    expect(await command('migrate')).toMatchObject({ status: 0, stderr: '' });
    const production = { ...env, NODE_ENV: 'production', JWT_SECRET: 'x'.repeat(40) };
    expect(await run(['migrate', '--undo'], { env: production })).toMatchObject({
      status: 1,
      stderr: 'gatewright: --undo is for development: NODE_ENV is production\n',
    });
  });

  it('adds, changes and removes a full-text search of records that are there', async () => {
    const { model, migration, undo, check, sql } = await stage();
    const fields = 'title: field.string(), note: field.text()';
    const tables = {
      sqlite: 'select name from sqlite_master',
      postgres: 'select relname as name from pg_class',
    };
    const left = async () =>
      (await sql(tables[databases.dialect])).filter((row) => `${Object(row).name}`.includes('search_books'));
    await model(book(fields));
    await migration('books');
    await sql(insert);
    await model(book(fields, `, search: ['title']`));
    expect(await check()).toBe(1);
    await migration('searched');
    expect(await readFile(join(folder, 'migrations/0002_searched.ts'), 'utf8')).toContain(
      `search: { from: [], to: ['title'] }`,
    );
    expect(await check()).toBe(0);
    await model(book('heading: field.string(), note: field.text()', `, search: ['note', 'heading']`));
    await migration('wider', '--rename', 'books.title=heading');
    expect(await check()).toBe(0);
    expect(await undo()).toMatchObject({ status: 0 });
    await rm(join(folder, 'migrations/0003_wider.ts'));
    await model(book(fields, `, search: ['title']`));
    expect(await check()).toBe(0);
    expect(await undo()).toMatchObject({ status: 0 });
    expect(await left()).toEqual([]);
    await rm(join(folder, 'migrations/0002_searched.ts'));
    await model(book(fields));
    expect(await check()).toBe(0);
    await model(`'Film', { fields: { title: field.string() }, search: ['title'] }`, book(fields));
    await migration('films');
    expect(await check()).toBe(0);
    expect(await undo()).toMatchObject({ status: 0 });
  });

  it('refuses what would lose values, and reverts it when there are none', async () => {
    const { model, migration, undo, sql } = await stage();
    await model(book('title: field.string()'));
    await migration('books');
    await sql(insert);
    expect(await undo()).toEqual(refused('0001_books', 'books has records'));
    await model(book('title: field.string(), note: field.text(), pages: field.integer()'));
    await migration('notes');
    await sql(`update books set note = ''`);
    expect(await undo()).toEqual(refused('0002_notes', 'books.note has values'));
    await sql('update books set note = null');
    expect(await undo()).toMatchObject({ status: 0 });
    expect(await sql('select title from books')).toEqual([{ title: 'one' }]);
  });

  it('counts what the trash can restore', async () => {
    const { model, migration, undo, sql } = await stage();
    await model(book('title: field.string()', ', trash: true'));
    await migration('books');
    await model(book('title: field.string(), note: field.text()', ', trash: true'));
    await migration('notes');
    await sql(`insert into permission_entries (model, action) values ('Book', 'list')`);
    const trash = (record: string) =>
      sql(`insert into gatewright_trash (bundle, kind, model, record_id, version, record, actor_kind, deleted_at)
        values (1, 'first', 'Book', 1, 1, '${record}', 'user', '2026-01-01T00:00:00Z')`);
    await trash('{"title":"one","note":"kept"}');
    expect(await undo()).toEqual(refused('0002_notes', 'the trash has values of books.note'));
    await sql('delete from gatewright_trash');
    await trash('{"title":"one","note":null}');
    expect(await undo()).toMatchObject({ status: 0 });
    expect(await undo()).toEqual(refused('0001_books', 'the trash has records of books'));
  });

  it('refuses what it does not know the opposite of', async () => {
    const { model, migration, undo } = await stage();
    const title = 'title: field.string()';
    await model(book(`${title}, note: field.text()`), `'Pen', { fields: { ${title} } }`);
    await migration('both');
    await model(book(title), `'Pen', { fields: { ${title} } }`);
    await migration('dropped', '--allow-drop');
    expect(await undo()).toEqual(refused('0002_dropped', 'it drops books.note, whose values are gone'));
    await model(book(title));
    await migration('table', '--allow-drop');
    expect(await undo()).toEqual(refused('0003_table', 'it drops pens, whose records are gone'));
  });

  it('gatewright migrate --undo does not touch a migration with statements of its own, or without a file', async () => {
    const { model, command, undo } = await stage();
    await model();
    const file = join(folder, 'migrations/0001_own.ts');
    await writeFile(
      file,
      `export const up = (db) => db.schema.createTable('own').addColumn('a', 'text').execute();\n`,
    );
    expect(await command('migrate')).toMatchObject({ status: 0 });
    expect(await undo()).toEqual(refused('0001_own', 'it runs statements of its own'));
    await rm(file);
    expect(await undo()).toEqual(refused('0001_own', 'no file of the application is this migration'));
  });

  it('gives a renamed table its former name and model, once the model has them again', async () => {
    const { model, migration, undo, command, sql } = await stage();
    await model(book('title: field.string({ unique: true })'));
    await migration('books');
    await sql(insert);
    await sql(`insert into permission_entries (model, action) values ('Book', 'list')`);
    await model(`'Volume', { fields: { title: field.string({ unique: true }) } }`);
    await migration('renamed', '--rename', 'books=volumes');
    const no = 'no model has the table books that volumes was: give the model its former name first';
    expect(await undo()).toEqual(refused('0002_renamed', no));
    await model(book('title: field.string({ unique: true })'));
    expect(await undo()).toMatchObject({ status: 0 });
    expect(await sql('select model from permission_entries')).toEqual([{ model: 'Book' }]);
    expect(await sql('select title from books')).toEqual([{ title: 'one' }]);
    await rm(join(folder, 'migrations/0002_renamed.ts'));
    expect(await command('migrate', '--check')).toMatchObject({ status: 0, stderr: '' });
  });

  it('keeps values that no longer fit: it changes nothing then', async () => {
    const { model, migration, undo, sql } = await stage();
    await model(book('title: field.string(), pages: field.integer()'));
    await migration('books');
    await model(book('title: field.string(), pages: field.string()'));
    await migration('texts');
    await sql(insert);
    await sql(`update books set pages = 'many'`);
    const { status, stderr } = await undo();
    expect([status, stderr]).toEqual([1, expect.stringContaining('0002_texts was not undone')]);
    await sql(`update books set pages = '12'`);
    expect(await undo()).toMatchObject({ status: 0 });
    expect(await sql('select pages from books')).toEqual([{ pages: 12 }]);
  });
});
