import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import { readStored } from '../../database/migrations/stored.ts';
import { fieldKinds } from '../../fields/registry.ts';
import { run } from '../test-io.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const home = process.cwd();
let folder = '';

// Inside the repository, so that what is written there finds the package that it imports.
beforeEach(async () => {
  await mkdir(join(root, 'reports'), { recursive: true });
  folder = await mkdtemp(join(root, 'reports', 'generated-'));
  process.chdir(folder);
});

afterEach(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

const generate = (...fields: string[]) => run(['generate', 'resource', ...fields]);
const read = (path: string) => readFile(join(folder, path), 'utf8');
const files = async () =>
  (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts')).sort();

/** Every type and every kind of modifier, each at least once. */
const everything = [
  'title:string:required:min=2:max=80',
  'isbn:string:unique:pattern=^[0-9-]+$',
  'summary:text:default=None: yet',
  'pages:integer:required:min=1:index:default=1',
  'ratio:number:max=1.5',
  'price:decimal:scale=3:min=0:default=12.50',
  'live:boolean:default=false',
  'day:date',
  'at:datetime:index:default=2024-01-01T00:00:00Z',
  'status:enum=draft,live:required:default=draft',
  'data:json:default={"a":1}',
  'mail:email:unique',
  'site:url:default=https://example.org/x',
  'uid:uuid',
  'author:reference=User',
  'editor:reference=User:required:onDelete=cascade',
  'reader:reference=User:onDelete=null',
] as const;

describe('gatewright generate resource', () => {
  it('writes a resource as a person would, and its migration', async () => {
    const { status, stdout, stderr } = await generate(
      ...['Book', 'title:string:required', 'isbn:string:unique', 'pages:integer', 'status:enum=draft,live'],
      ...['author:reference=User', 'price:decimal:scale=2'],
    );
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('wrote resources/book.ts\nwrote migrations/0001_books.ts\n');
    expect(await read('resources/book.ts')).toBe(`import { defineResource, field } from 'gatewright';

export default defineResource('Book', {
  fields: {
    title: field.string({ required: true }),
    isbn: field.string({ unique: true }),
    pages: field.integer(),
    status: field.enum(['draft', 'live']),
    author: field.reference('User'),
    price: field.decimal({ scale: 2 }),
  },
});
`);
    expect(
      await read('migrations/0001_books.ts'),
    ).toBe(`import { createTable, field, type Migration } from 'gatewright';

export const up: Migration['up'] = async (db, dialect) => {
  await createTable(db, dialect, 'books', {
    fields: {
      title: field.string({ required: true }),
      isbn: field.string({ unique: true }),
      pages: field.integer(),
      status: field.enum(['draft', 'live']),
      author_id: field.reference('User'),
      price: field.decimal({ scale: 2 }),
    },
  });
};
`);
  });

  it('writes a model whose ids are UUIDs, and a reference to it', async () => {
    expect((await generate('Crate', 'label:string', '--key', 'uuid')).status).toBe(0);
    expect(await read('resources/crate.ts')).toContain(`defineResource('Crate', {\n  key: 'uuid',\n`);
    expect(await read('migrations/0001_crates.ts')).toContain(`'crates', {\n    key: 'uuid',\n`);
    const unnamed = await generate('Tag', 'crate:reference=Crate');
    expect([unnamed.status, unnamed.stderr]).toEqual([2, expect.stringContaining(`write key: 'uuid'`)]);
    expect((await generate('Tag', 'crate:reference=Crate:key=uuid')).status).toBe(0);
    expect(await read('resources/tag.ts')).toContain(`field.reference('Crate', { key: 'uuid' })`);
    const wrong = await generate('Other', 'a:string', '--key', 'serial');
    expect([wrong.status, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('write integer, uuid, bigint, text'),
    ]);
  });

  it('writes sets of fields that are unique', async () => {
    const { status, stderr } = await generate(
      ...['Line', 'code:string:unique=owner', 'author:reference=User', 'place:integer', 'user_id:integer'],
      ...['--unique', 'author,place', '--unique', 'author_id,code'],
    );
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining("Line.code: unique: 'owner' needs the field user_id: field.owner()"),
    ]);
    const one = await generate('Line', 'place:integer', '--unique', 'place');
    expect([one.status, one.stderr]).toEqual([
      2,
      expect.stringContaining('--unique place: write two fields or more'),
    ]);
    const made = await generate(
      ...['Line', 'code:string:unique=owner', 'author:reference=User', 'place:integer', '--production'],
      ...['--unique', 'author,place', '--unique', 'author_id,code'],
    );
    expect([made.status, made.stderr]).toEqual([0, '']);
    expect(await read('resources/line.ts')).toContain(`    code: field.string({ unique: 'owner' }),
    author: field.reference('User'),
    place: field.integer(),
    user_id: field.owner(),
  },
  unique: [['author_id', 'place'], ['author_id', 'code']],
`);
    expect(await read('migrations/0001_lines.ts')).toContain(`      code: field.string(),
      author_id: field.reference('User'),
      place: field.integer(),
      user_id: field.owner(),
    },
    unique: [['author_id', 'place'], ['author_id', 'code'], ['user_id', 'code']],
`);
  });

  it('knows every field type, and formats them all as the project is formatted', async () => {
    const named = new Set(everything.map((field) => /:([a-z]+)/.exec(field)?.[1]));
    const others = fieldKinds.filter((kind) => !named.has(kind)).map((kind) => `other_${kind}:${kind}`);
    const { status, stderr } = await generate('Sample', ...everything, ...others, '--production');
    expect([status, stderr]).toEqual([0, '']);
    for (const file of await files()) {
      const formatted = execFileSync(
        join(root, 'node_modules/.bin/biome'),
        ['format', `--stdin-file-path=${file}`],
        {
          cwd: root,
          input: await read(file),
          encoding: 'utf8',
        },
      );
      expect(await read(file)).toBe(formatted);
    }
    expect(await read('resources/sample.ts')).toContain('user_id: field.owner()');
    expect(await read('resources/sample.ts')).toContain(`pattern: '^[0-9-]+$'`);
  });

  it.each([
    [['Book'], 'Book: it has no fields'],
    [['book', 'a:string'], 'book: the name of a model is written like BlogPost, in ASCII'],
    [['Book', 'ctid:string'], 'Book.ctid: PostgreSQL has a column of its own by this name: choose another'],
    [['Book', 'rowid:integer'], 'Book.rowid: SQLite has a column of its own by this name: choose another'],
    [['PgLock', 'a:string'], /PgLock: the table "pg_locks" belongs to the service or to a database/],
    [['Book', 'a'], "'a': a field is written name:type, such as title:string:required"],
    [['Book', 'a:strng'], /a: no type 'strng': the nearest is "string"; there are string text /],
    [['Book', 'a:constructor'], /a: no type 'constructor'/],
    [
      ['Book', 'a:string:requird'],
      /a: string takes no 'requird': the nearest is "required"; it takes required unique index unique=owner default=… min=… /,
    ],
    [['Book', 'a:string:required=1'], 'a: required takes no value'],
    [['Book', 'a:string:min'], 'a: min needs a value: min=…'],
    [['Book', 'a:string:unique:unique'], 'a: unique stands there twice'],
    [['Book', 'a:boolean:scale=2'], /a: boolean takes no 'scale=2'/],
    [['Book', 'a:integer:min=x'], /a: min=x: min and max must be whole numbers/],
    [['Book', 'a:integer:default=1.5'], /a: default=1\.5: its default breaks the rule/],
    [['Book', 'a:enum'], 'a: enum needs its choices: a:enum=a,b'],
    [['Book', 'a:enum=x,x'], 'a: a choice is named twice'],
    [['Book', 'a:integer=3'], "a: integer takes no value, so no '=3'"],
    [['Book', 'a:reference=Missing'], 'Book.a_id: it refers to Missing, which is not a model'],
    [['Book', 'a:string', 'a:text'], 'a: two fields have this name'],
    [['Book', 'id:integer'], 'Book.id: the service sets this field itself'],
    [['Book', 'Title:string'], /Book\.Title: the name of a field must be lower case/],
    [['Book', 'a:json:index'], /Book\.a: an index takes at most/],
    [['User', 'a:string'], /User: the path "users" belongs to the service/],
    [['Migration', 'a:string'], /Migration: the table "migrations" belongs to the service/],
    [['News', 'a:string'], /News: cannot tell the plural of "news"/],
    [[], 'NAME is missing'],
  ])('refuses %j with one line and writes nothing', async (args, message) => {
    const { status, stdout, stderr } = await generate(...args);
    expect([status, stdout, stderr.split('\n').length]).toEqual([2, '', 2]);
    expect(stderr).toMatch(typeof message === 'string' ? `generate resource: ${message} (` : message);
    expect(await files()).toEqual([]);
  });

  it('gatewright generate resource overwrites nothing', async () => {
    await generate('Book', 'title:string');
    const before = await read('resources/book.ts');
    const again = await generate('Book', 'pages:integer');
    expect([again.status, again.stderr]).toEqual([2, expect.stringContaining('another model has this name')]);
    await writeFile(join(folder, 'resources/note.ts'), before.replace('Book', 'Other'));
    const other = await generate('Note', 'pages:integer');
    expect([other.status, other.stderr]).toEqual([
      2,
      expect.stringContaining('resources/note.ts exists already'),
    ]);
    expect(await files()).toEqual(['migrations/0001_books.ts', 'resources/book.ts', 'resources/note.ts']);
  });

  it('asks where a person sits at the terminal', async () => {
    const answers = 'Book\ntitle:strin\ntitle:string:required\ntitle:text\nnote:text\n\nn\n';
    const { status, stderr } = await run(['generate', 'resource'], { interactive: true, stdin: answers });
    expect([status, stderr]).toEqual([0, expect.stringContaining("title: no type 'strin'")]);
    expect(await read('resources/book.ts')).toContain(
      'title: field.string({ required: true }),\n    note: field.text(),',
    );
    const ended = await run(['generate', 'resource'], { interactive: true, stdin: 'Pen\n' });
    expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining('nothing was written')]);
  });
});

describeEachDatabase('gatewright generate migration', (databases) => {
  const model = (name: string, fields: string) =>
    `import { defineResource, field } from 'gatewright';\nexport default defineResource('${name}', { fields: { ${fields} } });\n`;

  const stage = async () => {
    const env = { DATABASE_URL: await databases.create(), DATA_DIR: folder };
    // A module that was loaded once stays as it was: a changed model gets a file of its own.
    let turn = 0;
    const models = async (...texts: string[]) => {
      await rm(join(folder, 'resources'), { recursive: true, force: true });
      await mkdir(join(folder, 'resources'));
      for (const text of texts) {
        turn += 1;
        await writeFile(join(folder, `resources/model${turn}.ts`), text);
      }
    };
    const command = (...argv: string[]) => run(argv, { env });
    const written = async (...argv: string[]) => {
      const { status, stdout, stderr } = await command('generate', 'migration', ...argv, '--json');
      expect([status, stderr]).toEqual([0, '']);
      const [path] = (JSON.parse(stdout) as { written: string[] }).written;
      if (path === undefined) return undefined;
      const migrated = await command('migrate');
      expect([migrated.status, migrated.stderr]).toEqual([0, '']);
      return (await read(path)).split('\n').slice(3, -2).join('\n');
    };
    return { models, command, written, database: () => databases.open(env.DATABASE_URL) };
  };

  it('writes the indexes that rules on rows need, into tables that are there and into new ones', async () => {
    const { models, written, command, database } = await stage();
    await command('migrate');
    const ruled = (name: string, fields: string, isolation: string) =>
      `import { anyOf, defineResource, equals, field, member, own, via } from 'gatewright';
export default defineResource('${name}', { fields: { ${fields} }, isolation: ${isolation} });\n`;
    const membership = model(
      'Membership',
      `team: field.integer(), role: field.string({ max: 9 }), user_id: field.owner()`,
    );
    const sheet = `title: field.string({ max: 9 }), team: field.integer(), visibility: field.enum(['team', 'public']), editor: field.reference('User')`;
    const rule = `anyOf(own('editor'), member('team', { of: 'Membership', where: { role: 'owner' } }), equals('visibility', 'public'))`;
    await models(membership, model('Sheet', sheet));
    expect(await written('tables')).not.toContain('indexes');
    expect((await command('audit', '--strict', '--allow', 'Membership', '--allow', 'Sheet')).status).toBe(0);

    await models(membership, ruled('Sheet', sheet, rule));
    const strict = ['audit', '--strict', '--allow', 'Membership', '--allow', 'Sheet'];
    const before = await command(...strict);
    expect([before.status, before.stderr]).toEqual([
      1,
      expect.stringContaining('no index: memberships (user_id, team), sheets (team), sheets (visibility); '),
    ]);
    expect(before.stdout).toMatch(
      /^MISSING INDEX\nmemberships \(user_id, team\)\nsheets \(team\)\nsheets \(visibility\)\n$/m,
    );
    expect((await command('audit')).status).toBe(0);
    expect(JSON.parse((await command('audit', '--json')).stdout).missing_indexes).toEqual([
      { table: 'memberships', columns: ['user_id', 'team'], unique: false },
      { table: 'sheets', columns: ['team'], unique: false },
      { table: 'sheets', columns: ['visibility'], unique: false },
    ]);
    // References have an index already.
    expect(await written('rule')).toBe(`  await alterTable(db, dialect, 'memberships', {
    addIndexes: [['user_id', 'team']],
  });
  await alterTable(db, dialect, 'sheets', {
    addIndexes: [['team'], ['visibility']],
  });`);
    expect(await written('nothing')).toBeUndefined();
    expect(await command(...strict)).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse((await command('audit', '--json')).stdout).missing_indexes).toEqual([]);
    const db = await database();
    const stored = await readStored((sql) => db.all({ sql, parameters: [] }), db.dialect);
    const indexes = (table: string) =>
      stored.tables
        .get(table)
        ?.indexes.map(({ columns }) => columns.join(' '))
        .sort();
    expect(indexes('memberships')).toEqual(['user_id id', 'user_id team']);
    expect(indexes('sheets')).toEqual(['editor_id id', 'team id', 'visibility id']);
    await db.close();

    // A column changes and its index stays; one of the rule and one of the field are the same.
    const changed = sheet.replace("'public']", "'public'], { required: true, default: 'team', index: true }");
    await models(membership, ruled('Sheet', changed.replace('max: 9', 'max: 8'), rule));
    expect(await written('required')).not.toMatch(/(?:add|drop)Indexes/);
    await models(membership, ruled('Sheet', changed.replace(', index: true', ''), rule));
    expect(await written('back')).toBeUndefined();

    const note = ruled(
      'Note',
      `sheet: field.reference('Sheet'), team: field.integer(), shown: field.boolean()`,
      `anyOf(via('sheet', ${rule}), equals('shown', true), member('team', { of: 'Membership' }))`,
    );
    await models(membership, ruled('Sheet', changed, rule), note);
    expect(await written('notes')).toBe(`  await createTable(db, dialect, 'notes', {
    fields: {
      sheet_id: field.reference('Sheet'),
      team: field.integer(),
      shown: field.boolean(),
    },
    indexes: [['shown'], ['team']],
  });`);
    expect(await written('nothing')).toBeUndefined();

    // The files go with the rule.
    await models(
      membership,
      model('Sheet', changed),
      model('Note', `sheet: field.reference('Sheet'), team: field.integer(), shown: field.boolean()`),
    );
    expect(await written('gone')).toContain(`dropIndexes: [['user_id', 'team']]`);
    expect(await written('nothing')).toBeUndefined();
  });

  it('writes tables in the order of their references, also in circles, and then has nothing to write', async () => {
    const { models, written, command } = await stage();
    const pending = await command('generate', 'migration', 'first');
    expect([pending.status, pending.stderr]).toEqual([
      1,
      expect.stringContaining('gatewright migrate comes first'),
    ]);
    await command('migrate');
    await models(
      model('Book', `author: field.reference('Author', { required: true })`),
      model('Author', `best: field.reference('Book'), rival: field.reference('Author')`),
    );
    expect(await written('first')).toBe(`  await createTable(db, dialect, 'books', {
    fields: {
      author_id: field.integer({ required: true }),
    },
  });
  await createTable(db, dialect, 'authors', {
    fields: {
      best_id: field.reference('Book'),
      rival_id: field.reference('Author'),
    },
  });
  await alterTable(db, dialect, 'books', {
    change: {
      author_id: {
        from: field.integer({ required: true }),
        to: field.reference('Author', { required: true }),
      },
    },
  });`);
    expect(await written('nothing')).toBeUndefined();
    await models();
    const undeclared = await command('generate', 'migration', 'gone');
    expect([undeclared.status, undeclared.stderr]).toEqual([
      1,
      expect.stringContaining('table authors, books are in no model: --allow-drop drops them'),
    ]);
    expect(await written('gone', '--allow-drop')).toContain(`dropTable(db, dialect, 'books')`);
  });

  it('writes an owner field that is unique, into a new table and into one that is there', async () => {
    const { models, written, command } = await stage();
    await models(`import { defineResource, field } from 'gatewright';
export default defineResource('Seat', { fields: { place: field.integer(), user_id: field.owner() } });`);
    await command('migrate');
    await written('first');
    await models(`import { defineResource, field } from 'gatewright';
export default defineResource('Seat', {
  fields: { place: field.integer(), user_id: field.owner({ unique: true }) }, unique: [['place']],
});`);
    expect(await written('one')).toContain('to: field.owner({ unique: true })');
    expect(await written('nothing')).toBeUndefined();
    expect(await command('migrate', '--check')).toMatchObject({ status: 0, stderr: '' });
  });

  it('fails `migrate`, `migrate --check` and `audit --strict` where models and database differ', async () => {
    const { models, command, written } = await stage();
    await models(model('Book', 'title: field.string()'));
    await generate('Other', 'title:string');
    const pending = await command('migrate', '--check');
    expect([pending.status, pending.stderr]).toEqual([1, expect.stringContaining('_others')]);
    // Nothing was made by looking.
    expect((await command('migrate', '--check', '--json')).stdout).toContain('0001_baseline');
    const differ = `gatewright: models and database differ (gatewright generate migration NAME writes what is missing): Book: the database has no table books\n`;
    expect(await command('migrate')).toMatchObject({ status: 1, stderr: differ });
    expect(await command('migrate', '--check')).toMatchObject({ status: 1, stdout: '', stderr: differ });
    const [json] = [await command('migrate', '--json')];
    expect(JSON.parse(json.stdout)).toEqual({
      applied: [],
      differences: ['Book: the database has no table books'],
    });
    const strict = await command('audit', '--strict', '--allow', 'Book', '--allow', 'Other');
    expect([strict.status, strict.stderr]).toEqual([
      1,
      'gatewright: models and database differ: Book: the database has no table books\n',
    ]);
    await written('books');
    expect(await command('migrate', '--check')).toMatchObject({
      status: 0,
      stdout: 'The database is up to date.\n',
    });
    expect((await command('audit', '--strict', '--allow', 'Book', '--allow', 'Other')).stderr).toBe('');
  });

  it('says with `migrate --check` which searches are not complete yet, which is no difference', async () => {
    const { models, command, written, database } = await stage();
    await models(model('Book', 'title: field.string()').replace(' } });', " }, search: ['title'] });"));
    await command('migrate');
    await written('books');
    const sql = `insert into gatewright_fills (table_name, below) values ('books', 5)`;
    await (await database()).execute({ sql, parameters: [] });
    expect(await command('migrate', '--check')).toMatchObject({
      status: 0,
      stdout: `The database is up to date.
Full-text searches still without some words: books. A start or gatewright migrate completes them.
`,
    });
    const { stdout } = await command('migrate', '--check', '--json');
    expect(JSON.parse(stdout)).toEqual({ pending: [], differences: [], incomplete_searches: ['books'] });
    await command('migrate');
    expect(await command('migrate', '--check')).toMatchObject({ stdout: 'The database is up to date.\n' });
  });

  it('takes a rename when it is declared, and never guesses', async () => {
    const { models, written, command, database } = await stage();
    await models(
      model('Book', 'pages: field.integer({ index: true }), code: field.string({ unique: true })'),
    );
    await command('migrate');
    await written('books');
    const opened = await database();
    const at = '2024-01-01T00:00:00.000Z';
    const insert = `insert into books (pages, code, created_at, updated_at) values (7, 'x', '${at}', '${at}')`;
    await opened.execute({ sql: insert, parameters: [] });
    await models(
      model(
        'Volume',
        'page_count: field.decimal({ index: true }), code: field.string({ required: true, unique: true })',
      ),
    );
    const before = await files();
    for (const [argv, text] of [
      [[], 'table books is in no model, and volumes new: declare --rename books=volumes, or --allow-drop'],
      [
        ['--rename', 'books=volumes'],
        'volumes: pages is in no model, and page_count new: declare --rename volumes.pages=page_count',
      ],
      [['--rename', 'books=shelves'], 'no model has the table shelves'],
      [['--rename', 'pens=volumes'], 'there is no table pens'],
    ] as const) {
      const { status, stderr } = await command('generate', 'migration', 'volumes', ...argv);
      expect([status, stderr]).toEqual([1, expect.stringContaining(text)]);
    }
    const wrong = await command('generate', 'migration', 'volumes', '--rename', 'books');
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('--rename books: write')]);
    expect(await files()).toEqual(before);
    expect(
      await written('volumes', '--rename', 'books=volumes', '--rename', 'volumes.pages=page_count'),
    ).toBe(`  await renameTable(db, dialect, 'books', 'volumes', { model: 'Volume' });
  await alterTable(db, dialect, 'volumes', {
    rename: { pages: 'page_count' },
    change: {
      page_count: { from: field.integer({ index: true }), to: field.decimal({ index: true }) },
      code: { from: field.string({ unique: true }), to: field.string({ required: true, unique: true }) },
    },
  });`);
    expect(await opened.all({ sql: 'select id, page_count, code from volumes', parameters: [] })).toEqual([
      { id: 1, page_count: 700, code: 'x' },
    ]);
    expect(await written('nothing')).toBeUndefined();
  });

  it('writes a rename of a column whose field stays, and of a field whose column stays none', async () => {
    const { models, written, command, database } = await stage();
    const mapped = (fields: string, columns: string) =>
      `import { defineResource, field } from 'gatewright';
export default defineResource('Book', { history: true, fields: { ${fields} },
  table: { name: 'T_BOOKS', columns: { ${columns} } } });\n`;
    const fields = 'pages: field.integer({ required: true }), author: field.reference("User")';
    await models(mapped(fields, `pages: 'page count', author: 'Author'`));
    await command('migrate');
    expect(await written('books')).toBe(`  await createTable(db, dialect, 'T_BOOKS', {
    model: 'Book',
    fields: {
      'page count': field.integer({ required: true }),
      Author: field.reference('User'),
    },
    fieldNames: { 'page count': 'pages', Author: 'author_id' },
  });`);
    const opened = await database();
    const run = (sql: string) => opened.execute({ sql, parameters: [] });
    const at = '2024-01-01T00:00:00.000Z';
    await run(`insert into "T_BOOKS" ("page count", created_at, updated_at) values (7, '${at}', '${at}')`);
    const kept = `insert into gatewright_history (model, record_id, version, action, at, actor_kind, after)
      values ('Book', 1, 1, 'create', '${at}', 'system', '{"id":1,"pages":7}')`;
    await run(kept);
    const values = () =>
      opened.all({ sql: 'select cast(after as text) as after from gatewright_history', parameters: [] });
    await models(mapped(fields, `pages: 'Pages', author: 'Author'`));
    expect(await written('books', '--rename', 'T_BOOKS.page count=Pages')).toBe(
      `  await alterTable(db, dialect, 'T_BOOKS', {
    rename: { 'page count': 'Pages' },
    fieldNames: { Pages: 'pages' },
  });`,
    );
    expect(JSON.stringify(await values())).toMatch(/pages\D+7/);
    await models(mapped(fields.replace('pages', 'leaves'), `leaves: 'Leaves', author: 'Author'`));
    await written('books', '--rename', 'T_BOOKS.Pages=Leaves');
    expect(JSON.stringify(await values())).toMatch(/leaves\D+7/);
    expect(await written('nothing')).toBeUndefined();
  });

  it('writes sets of fields that become unique, and those that no longer are', async () => {
    const { models, written, command } = await stage();
    const book = (slug: string, more = '') =>
      `import { defineResource, field } from 'gatewright';\nexport default defineResource('Book', { fields: { slug: ${slug}, place: field.integer(), user_id: field.owner() }${more} });\n`;
    await models(book('field.string()', `, unique: [['place', 'slug']]`));
    await command('migrate');
    expect(await written('books')).toBe(`  await createTable(db, dialect, 'books', {
    fields: {
      slug: field.string(),
      place: field.integer(),
      user_id: field.owner(),
    },
    unique: [['place', 'slug']],
  });`);
    await models(book(`field.string({ unique: 'owner' })`));
    expect(await written('owner')).toBe(`  await alterTable(db, dialect, 'books', {
    dropUnique: [['place', 'slug']],
    addUnique: [['user_id', 'slug']],
  });`);
    await models(book('field.string()'));
    expect(await written('none')).toBe(`  await alterTable(db, dialect, 'books', {
    dropUnique: [['user_id', 'slug']],
  });`);
    expect(await written('nothing')).toBeUndefined();
  });

  it('writes what becomes of a reference when that changes', async () => {
    const { models, written, command } = await stage();
    const author = model('Author', 'name: field.string()');
    const book = (options: string) => model('Book', `author: field.reference('Author'${options})`);
    await models(author, book(''));
    await command('migrate');
    await written('books');
    await models(author, book(`, { onDelete: 'cascade' }`));
    expect(await written('cascade')).toBe(`  await alterTable(db, dialect, 'books', {
    change: {
      author_id: { from: field.reference('Author'), to: field.reference('Author', { onDelete: 'cascade' }) },
    },
  });`);
    await models(author, book(`, { required: true, onDelete: 'cascade' }`));
    expect(await written('required')).toContain(`from: field.reference('Author', { onDelete: 'cascade' }),
        to: field.reference('Author', { required: true, onDelete: 'cascade' }),`);
    await models(author, book(', { required: true }'));
    expect(await written('restrict')).toContain(
      `from: field.reference('Author', { required: true, onDelete: 'cascade' }),
        to: field.reference('Author', { required: true }),`,
    );
    await models(author, book(`, { onDelete: 'restrict' }`));
    expect(await written('kept')).toContain(`to: field.reference('Author', { onDelete: 'restrict' }),`);
    expect(await written('nothing')).toBeUndefined();
  });

  it('writes same after the columns that it needs, refuses records that break it, and drops it', async () => {
    const { models, written, command, database } = await stage();
    const clinics = model('Clinic', 'name: field.string()');
    const clinic = `clinic: field.reference('Clinic', { required: true })`;
    await models(
      clinics,
      model('Visit', `doctor: field.reference('Doctor')`),
      model('Doctor', 'name: field.string()'),
    );
    await command('migrate');
    await written('first');
    const opened = await database();
    const rows = async (table: string, columns: string, values: string) => {
      const times = `'2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z'`;
      const sql = `insert into ${table} (${columns}, created_at, updated_at) values (${values}, ${times})`;
      await opened.execute({ sql, parameters: [] });
    };
    await rows('clinics', 'name', `'east'`);
    await rows('clinics', 'name', `'west'`);
    await rows('doctors', 'name', `'Anna'`);
    await rows('visits', 'doctor_id', '1');
    await models(
      clinics,
      model('Visit', `${clinic}, doctor: field.reference('Doctor', { same: 'clinic' })`),
      model('Doctor', `${clinic}, name: field.string()`),
    );
    const tenants = await written('tenants', '--fill', 'doctors.clinic_id=1', '--fill', 'visits.clinic_id=1');
    expect(tenants?.indexOf(`await alterTable(db, dialect, 'doctors'`)).toBeLessThan(
      tenants?.indexOf('same:') ?? 0,
    );
    expect(tenants).toContain(`  await alterTable(db, dialect, 'visits', {
    change: {
      doctor_id: { from: field.reference('Doctor'), to: field.reference('Doctor', { same: 'clinic' }) },
    },
  });`);
    expect(await written('nothing')).toBeUndefined();
    await rows('visits', 'clinic_id', '2');
    await expect(rows('visits', 'clinic_id, doctor_id', '2, 1')).rejects.toThrow();

    await models(
      clinics,
      model('Visit', `${clinic}, doctor: field.reference('Doctor', { same: 'clinic' })`),
      model('Doctor', `${clinic}, name: field.string(), first: field.reference('Visit')`),
    );
    await written('visit');
    for (const visit of [2, 2, 1]) await rows('doctors', 'clinic_id, first_id', `1, ${visit}`);
    await models(
      clinics,
      model('Visit', `${clinic}, doctor: field.reference('Doctor', { same: 'clinic' })`),
      model('Doctor', `${clinic}, name: field.string(), first: field.reference('Visit', { same: 'clinic' })`),
    );
    expect((await command('generate', 'migration', 'strict')).status).toBe(0);
    const refused = await command('migrate');
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining(
        'doctors.first_id: 2 records refer to visits of another clinic_id, which same forbids: correct this first (their ids are 2, 3)',
      ),
    ]);
    await opened.execute({ sql: 'update doctors set first_id = null where id in (2, 3)', parameters: [] });
    expect((await command('migrate')).status).toBe(0);
    expect(await written('nothing_more')).toBeUndefined();

    await models(
      clinics,
      model('Visit', `doctor: field.reference('Doctor')`),
      model('Doctor', `name: field.string(), first: field.reference('Visit')`),
    );
    await written('without', '--allow-drop');
    expect(await written('nothing_at_last')).toBeUndefined();
  });

  it('asks for a value where existing records would have none', async () => {
    const { models, written, command, database } = await stage();
    await models(model('Book', 'code: field.string()'));
    await command('migrate');
    await written('books');
    const opened = await database();
    const at = '2024-01-01T00:00:00.000Z';
    await opened.execute({
      sql: `insert into books (created_at, updated_at) values ('${at}', '${at}')`,
      parameters: [],
    });
    await models(
      model('Book', 'code: field.string({ required: true }), isbn: field.string({ required: true })'),
    );
    const { status, stderr } = await command('generate', 'migration', 'more');
    expect([status, stderr]).toEqual([1, expect.stringContaining('--fill books.isbn=VALUE')]);
    await written('more', '--fill', 'books.isbn=none', '--fill', 'books.code=7');
    expect(await opened.all({ sql: 'select code, isbn from books', parameters: [] })).toEqual([
      { code: '7', isbn: 'none' },
    ]);
    expect(await written('nothing')).toBeUndefined();
  });

  it('refuses a value that the model would refuse, before anything is written', async () => {
    const { models, written, command, database } = await stage();
    await models(model('Book', 'code: field.string(), kind: field.string()'));
    await command('migrate');
    await written('books');
    const opened = await database();
    const at = '2024-01-01T00:00:00.000Z';
    const insert = `insert into books (kind, created_at, updated_at) values ('taken', '${at}', '${at}')`;
    await opened.execute({ sql: insert, parameters: [] });
    const wanted = (fields: string) => models(model('Book', fields));
    const migrations = async () => (await files()).filter((name) => name.startsWith('migrations/'));
    const before = await migrations();
    const refused = async (fields: string, fill: string): Promise<string> => {
      await wanted(`code: field.string(), kind: field.string(), ${fields}`);
      const { status, stderr } = await command('generate', 'migration', 'more', '--fill', fill);
      expect([fill, status]).toEqual([fill, 1]);
      expect(await migrations()).toEqual(before);
      return stderr;
    };
    for (const [fields, fill, message] of [
      ['isbn: field.string({ required: true })', 'books.isbn= ', 'Isbn must not be blank'],
      ['isbn: field.string({ required: true, min: 4 })', 'books.isbn=abc', 'at least 4'],
      ['pages: field.integer({ required: true, min: 1 })', 'books.pages=0', 'Pages'],
      ['pages: field.integer({ required: true })', 'books.pages=many', 'Pages'],
      ['state: field.enum(["a", "b"], { required: true })', 'books.state=c', 'State'],
      ['mail: field.email({ required: true })', 'books.mail=missing', 'Mail'],
      ['user: field.reference("User", { required: true })', 'books.user_id=77', 'there is no User 77'],
    ] as const)
      expect(await refused(fields, fill)).toContain(message);
    await opened.execute({ sql: insert, parameters: [] });
    expect(await refused('isbn: field.string({ required: true, unique: true })', 'books.isbn=abc')).toContain(
      'several records would get it',
    );
    await wanted(
      'code: field.string(), kind: field.string(), isbn: field.string({ required: true, min: 4 })',
    );
    await written('more', '--fill', 'books.isbn=none');
    expect(await opened.all({ sql: 'select distinct isbn from books', parameters: [] })).toEqual([
      { isbn: 'none' },
    ]);
  });
});
