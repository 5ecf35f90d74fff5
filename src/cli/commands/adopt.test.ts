import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Databases, describeDatabase, describeEachDatabase } from '../../../tests/support/databases.ts';
import { loadApplication } from '../../app/application.ts';
import { field } from '../../fields/define.ts';
import { many } from '../../model/relation.ts';
import { run } from '../test-io.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const home = process.cwd();

/** Why a table without any key has no model. */
const keyless = 'no column of it names a row: write a model with readOnly: true and key: [fields] that do';
let folder = '';

// Inside the repository, so that a model that is written by hand finds the package that it imports.
beforeEach(async () => {
  await mkdir(join(root, 'reports'), { recursive: true });
  folder = await mkdtemp(join(root, 'reports', 'adopted-'));
  process.chdir(folder);
});

afterEach(async () => {
  process.chdir(home);
  await rm(folder, { recursive: true, force: true });
});

const withClient = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** Runs statements as another program would. */
const execute = async (url: string, sql: string): Promise<void> => {
  if (!url.startsWith('sqlite:')) await withClient(url, (client) => client.query(sql));
  else {
    using database = new DatabaseSync(url.slice('sqlite:'.length));
    database.exec(sql);
  }
};

const fixture = (name: string): Promise<string> =>
  readFile(join(root, 'tests/fixtures/adopt', `${name}.sql`), 'utf8');

const load = async (url: string, name: string): Promise<void> => execute(url, await fixture(name));

interface ColumnJson {
  readonly column: string;
  readonly type: string;
  readonly field: string | null;
  readonly code: string | null;
  readonly remarks: readonly string[];
}

interface TableJson {
  readonly table: string;
  readonly model: string;
  readonly file: string;
  readonly state: string;
  readonly columns: readonly ColumnJson[];
  readonly remarks: readonly string[];
  readonly changes: readonly object[];
  readonly edits: readonly object[];
}

interface Report {
  readonly tables: readonly TableJson[];
  readonly left: readonly { readonly table: string; readonly reason: string }[];
  readonly lost: readonly object[];
  readonly written: readonly string[];
}

const adopt = (url: string, ...options: readonly string[]) => run(['adopt', '--url', url, ...options]);

const report = async (url: string, ...options: readonly string[]): Promise<Report> => {
  const { status, stdout, stderr } = await adopt(url, '--json', ...options);
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Report;
};

const find = ({ tables }: Report, model: string): TableJson => {
  const found = tables.find((table) => table.model === model);
  if (found === undefined) throw new Error(`no model ${model} among ${tables.map((each) => each.model)}`);
  return found;
};

/** The code of each field by its column; what has none says why. */
const codes = (table: TableJson): Readonly<Record<string, string>> =>
  Object.fromEntries(
    table.columns.map(({ column, field, code, remarks }) => [
      column,
      field === null ? `- ${remarks.join('; ')}` : code === null ? field : `${field}: ${code}`,
    ]),
  );

const read = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');

/** The definition in a generated file, as it is written. */
const definition = async (path: string): Promise<Readonly<Record<string, unknown>>> => {
  const body = (await read(path)).replace(/^import .*$/m, '').replace('export default', 'return');
  const evaluate = new Function('defineResource', 'field', 'many', body) as (
    defineResource: (name: string, definition: object) => object,
    ...helpers: readonly object[]
  ) => Readonly<Record<string, unknown>>;
  return evaluate((_name, given) => given, field, many);
};

/** The models of the folder, loaded and checked as a start does. */
const models = async () => (await loadApplication(folder)).models;

/** All files with their contents, and when they were written. */
const snapshot = async (): Promise<readonly (readonly [string, string, number])[]> => {
  const names = (await readdir(folder, { recursive: true })).sort();
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const about = await stat(path);
      return [name, about.isFile() ? await readFile(path, 'utf8') : '', about.mtimeMs] as const;
    }),
  );
};

const catalogues = [
  'class',
  'attribute',
  'attrdef',
  'constraint',
  'index',
  'type',
  'trigger',
  'proc',
  'policy',
];

/** All that a database has: on PostgreSQL with the transactions that wrote it, on SQLite the bytes of its file. */
const dump = async (url: string): Promise<string> => {
  if (url.startsWith('sqlite:'))
    return createHash('sha256')
      .update(await readFile(url.slice('sqlite:'.length)))
      .digest('hex');
  return withClient(url, async (client) => {
    const parts: unknown[] = [];
    for (const catalogue of catalogues)
      parts.push(
        (await client.query(`select xmin::text, count(*) from pg_${catalogue} group by 1 order by 1`)).rows,
      );
    const { rows } = await client.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    );
    for (const { name } of rows)
      parts.push((await client.query(`select xmin::text, t::text from ${name} t order by 2`)).rows);
    return JSON.stringify(parts);
  });
};

const onPostgres = (name: string, tests: (databases: Databases) => void): void => {
  if ((process.env['TEST_DATABASE'] ?? 'postgres') === 'postgres') describeDatabase('postgres', name, tests);
};

/** Shapes of both databases. */
const fixtures = {
  postgres: ['rails', 'django', 'prisma', 'directus', 'chinook', 'pagila', 'kinds'],
  sqlite: ['chinook.sqlite', 'django.sqlite'],
} as const;

describeEachDatabase('gatewright adopt', ({ create, dialect }) => {
  it.each(fixtures[dialect])(
    'every table and column of %s is mapped or named with its reason',
    async (name) => {
      const url = await create();
      await load(url, name);
      const { tables, left } = await report(url);
      for (const { columns } of tables)
        for (const column of columns)
          expect(column.field !== null || column.remarks.length > 0, column.column).toBe(true);
      for (const { reason } of left) expect(reason).not.toBe('');
      expect([...(await models()).keys()].sort()).toEqual(tables.map(({ model }) => model).sort());
      const listed = await names(url);
      const schema = dialect === 'postgres' ? 'public.' : '';
      expect([...tables, ...left].map(({ table }) => table).sort()).toEqual(
        listed.map((each) => schema + each).sort(),
      );
    },
  );

  const names = async (url: string): Promise<readonly string[]> => {
    if (dialect === 'sqlite') {
      using database = new DatabaseSync(url.slice('sqlite:'.length));
      const sql = `select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite%'`;
      return database
        .prepare(sql)
        .all()
        .map((row) => String(row['name']));
    }
    const { rows } = await withClient(url, (client) =>
      client.query<{ name: string }>(
        `select relname::text as name from pg_class
         where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')`,
      ),
    );
    return rows.map(({ name }) => name);
  };

  it.each(fixtures[dialect])(
    'the database of %s is the same afterwards, its schema and its rows',
    async (name) => {
      const url = await create();
      await load(url, name);
      const before = await dump(url);
      await report(url);
      await report(url, '--check');
      expect(await dump(url)).toBe(before);
    },
  );

  it.each(fixtures[dialect])('a second run over %s writes nothing, and --check passes', async (name) => {
    const url = await create();
    await load(url, name);
    const first = await report(url);
    expect(first.written.length).toBe(first.tables.length + 1);
    const files = await snapshot();
    const again = await adopt(url);
    expect([again.status, again.stderr]).toEqual([0, '']);
    expect(again.stdout).toMatch(/^Tables: \d+ as before(?:, \d+ left out)?\.\n$/);
    expect((await report(url, '--check')).written).toEqual([]);
    expect(await snapshot()).toEqual(files);
  });

  const shop = `create table customers (id integer primary key, name varchar(40) not null);
    create table orders (id integer primary key, customer_id integer not null references customers (id),
      total numeric(8, 2) not null, note varchar(200));`;

  it('a change of the database changes only the file of its table', async () => {
    const url = await create();
    await execute(url, shop);
    await report(url);
    const before = new Map((await snapshot()).map(([name, text]) => [name, text]));
    await execute(url, 'alter table orders add column state varchar(20)');
    const { status, stdout, stderr } = await adopt(url, '--check');
    expect([status, stderr]).toEqual([
      1,
      'gatewright: the database differs from the last run of gatewright adopt\n',
    ]);
    expect(stdout).toContain('+ column state: ');
    expect(new Map((await snapshot()).map(([name, text]) => [name, text]))).toEqual(before);
    const { written, tables } = await report(url);
    expect(written).toEqual(['resources/order.ts', 'resources/adopted.json']);
    expect(tables.map(({ model, state }) => [model, state])).toEqual([
      ['Customer', 'same'],
      ['Order', 'changed'],
    ]);
    expect(await read('resources/order.ts')).toContain('    state: field.string({ max: 20 }),\n');
    expect(await read('resources/customer.ts')).toBe(before.get('resources/customer.ts'));
    expect((await adopt(url, '--check')).status).toBe(0);
  });

  it('a file that a person edited stays, and the edits that it needs are named once', async () => {
    const url = await create();
    await execute(url, shop);
    await report(url);
    const edited = (await read('resources/order.ts')).replace('max: 200', "max: 200, label: 'Remark'");
    await writeFile(join(folder, 'resources/order.ts'), edited);
    expect((await adopt(url)).stdout).toBe('Tables: 2 as before.\n');
    await execute(url, 'alter table orders add column state varchar(20)');
    expect((await adopt(url, '--check')).status).toBe(1);
    const { status, stdout } = await adopt(url);
    expect(status).toBe(0);
    expect(stdout).toContain(
      'resources/order.ts was changed by hand: edit it yourself\n    + fields.state: field.string({ max: 20 })\n',
    );
    expect(await read('resources/order.ts')).toBe(edited);
    expect((await adopt(url)).stdout).toBe('Tables: 2 as before.\n');
    expect((await adopt(url, '--check')).status).toBe(0);
  });

  it('a file that only a formatter changed counts as untouched', async () => {
    const url = await create();
    await execute(url, shop);
    await report(url);
    const formatted = (await read('resources/order.ts'))
      .replaceAll("'", '"')
      .replaceAll('  ', '\t')
      .replace(/;\n$/, '\n');
    await writeFile(join(folder, 'resources/order.ts'), formatted);
    await execute(url, 'alter table orders add column state varchar(20)');
    expect((await report(url)).written).toEqual(['resources/order.ts', 'resources/adopted.json']);
  });

  it('a model that a person renamed in its file keeps this name in references of other files', async () => {
    const url = await create();
    await execute(url, shop);
    await report(url);
    const renamed = (await read('resources/customer.ts')).replace("'Customer'", "'Client'");
    await writeFile(join(folder, 'resources/customer.ts'), renamed);
    const { written } = await report(url);
    expect(written).toContain('resources/order.ts');
    expect(await read('resources/order.ts')).toContain("field.reference('Client', { required: true })");
    expect([...(await models()).keys()].sort()).toEqual(['Client', 'Order']);
    expect((await adopt(url, '--check')).status).toBe(0);
  });

  it('a deleted file stays away until its table is named', async () => {
    const url = await create();
    await execute(url, shop);
    await report(url);
    await rm(join(folder, 'resources/customer.ts'));
    expect((await report(url)).written).toEqual(['resources/order.ts', 'resources/adopted.json']);
    expect(await read('resources/order.ts')).toContain('customer_id: field.integer(');
    expect((await report(url, '--only', 'customers')).written).toContain('resources/customer.ts');
  });

  it('a table that is gone is named with its file until that is deleted', async () => {
    const url = await create();
    await execute(url, shop);
    await report(url);
    await execute(url, 'drop table orders');
    const { status, stdout } = await adopt(url, '--check');
    expect(status).toBe(1);
    expect(stdout).toContain(
      'orders: the table is gone; delete resources/order.ts, or the service does not start\n',
    );
    await adopt(url);
    expect((await adopt(url, '--check')).status).toBe(1);
    await rm(join(folder, 'resources/order.ts'));
    await adopt(url);
    expect((await adopt(url, '--check')).status).toBe(0);
    expect(await read('resources/adopted.json')).not.toContain('orders');
  });

  it('--only takes the tables that it names, and a later run without it the others', async () => {
    const url = await create();
    await execute(url, shop);
    const { tables } = await report(url, '--only', 'orders');
    expect(tables.map(({ model }) => model)).toEqual(['Order']);
    expect(tables[0]?.remarks.join()).toContain('the table has no model');
    expect((await readdir(join(folder, 'resources'))).sort()).toEqual(['adopted.json', 'order.ts']);
    expect((await report(url)).written.toSorted()).toEqual([
      'resources/adopted.json',
      'resources/customer.ts',
      'resources/order.ts',
    ]);
    expect(await read('resources/order.ts')).toContain("field.reference('Customer'");
  });

  it('--dry-run prints the files and writes none', async () => {
    const url = await create();
    await execute(url, shop);
    const { status, stdout } = await adopt(url, '--dry-run');
    expect(status).toBe(0);
    expect(stdout).toContain("// resources/order.ts\nimport { defineResource, field } from 'gatewright';");
    expect(stdout).not.toContain('wrote');
    expect(await readdir(folder)).toEqual([]);
  });

  it('a run that was interrupted after some files is completed by the next one', async () => {
    const url = await create();
    await execute(url, shop);
    await report(url);
    const files = await snapshot();
    await rm(join(folder, 'resources/adopted.json'));
    await rm(join(folder, 'resources/customer.ts'));
    const { written } = await report(url);
    expect(written).toEqual(['resources/customer.ts', 'resources/adopted.json']);
    expect((await snapshot()).map(([name, text]) => [name, text])).toEqual(
      files.map(([name, text]) => [name, text]),
    );
  });

  it('files and models of the application are never replaced', async () => {
    const url = await create();
    await execute(url, shop);
    await mkdir(join(folder, 'resources'));
    const own = `import { defineResource, field } from 'gatewright';\n\nexport default defineResource('Order', { fields: { title: field.string() } });\n`;
    await writeFile(join(folder, 'resources/own.ts'), own);
    const { tables } = await report(url, '--only', 'customers');
    expect(tables).toHaveLength(1);
    // The table `orders` is the one of the model Order.
    const refused = await adopt(url, '--only', 'orders');
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining(
        'orders cannot be adopted: it is the table of the model Order; nothing was written',
      ),
    ]);
    await rm(join(folder, 'resources/own.ts'));
    await writeFile(join(folder, 'resources/order.js'), own.replace("'Order'", "'Another'"));
    const files = await snapshot();
    const refuse = async (message: string) => {
      const { status, stderr } = await adopt(url, '--only', 'orders');
      expect([status > 0, stderr]).toEqual([true, expect.stringContaining(message)]);
      expect(stderr).toContain('nothing was written');
    };
    await refuse('resources/order.js exists already');
    expect(await snapshot()).toEqual(files);
    await rm(join(folder, 'resources/order.js'));
    await writeFile(join(folder, 'resources/order.ts'), own.replace("'Order'", "'Another'"));
    await refuse('resources/order.ts exists already');
    expect(await read('resources/order.ts')).toContain('Another');
  });

  it.each([
    [['--only', 'order'], 2, '--only order: '],
    [['--only', ','], 2, '--only names no table'],
    [['--schema', 'sales'], 2, 'there is no schema sales'],
    [['--nope'], 2, '--nope'],
    [['orders'], 2, "unexpected argument 'orders'"],
  ])('%j is refused in a sentence, and nothing is written', async (options, status, message) => {
    const url = await create();
    await execute(url, shop);
    const refused = await adopt(url, ...options);
    expect(refused.status).toBe(status);
    expect(refused.stderr).toContain(message);
    expect(refused.stderr.trim().split('\n')).toHaveLength(1);
    expect(await readdir(folder)).toEqual([]);
  });

  it('a damaged record of the last run is named, and nothing is written', async () => {
    const url = await create();
    await execute(url, shop);
    await mkdir(join(folder, 'resources'));
    const broken = ['{', '{"version":2,"tables":{}}', '{"version":1,"tables":{"orders":{"model":1}}}'];
    for (const text of broken) {
      await writeFile(join(folder, 'resources/adopted.json'), text);
      const { status, stderr } = await adopt(url);
      expect(status).toBe(1);
      expect(stderr).toMatch(/resources\/adopted\.json is (?:damaged|of version)/);
    }
    const outside = {
      model: 'X',
      singular: '../../x',
      plural: 'xs',
      digest: '',
      key: { columns: [] },
      database: {},
      code: {},
    };
    await writeFile(
      join(folder, 'resources/adopted.json'),
      JSON.stringify({ version: 1, tables: { orders: outside } }),
    );
    expect((await adopt(url)).stderr).toContain('is damaged (orders)');
    expect(await readdir(join(folder, 'resources'))).toEqual(['adopted.json']);
  });

  it('500 tables take less than 10 s', async () => {
    const url = await create();
    const key = dialect === 'postgres' ? 'serial primary key' : 'integer primary key';
    const tables = Array.from({ length: 500 }, (_, n) => {
      const columns = Array.from({ length: 12 }, (_each, at) => `column_${at} varchar(${at + 20}) not null`);
      const reference = n === 0 ? '' : `, item_${n - 1}_id integer references item_${n - 1} (id)`;
      return `create table item_${n} (id ${key}, ${columns.join(', ')}${reference}, unique (column_0, column_1));`;
    });
    await execute(url, tables.join('\n'));
    const started = performance.now();
    const { written } = await report(url);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(written).toHaveLength(501);
    const again = performance.now();
    expect((await adopt(url)).stdout).toBe('Tables: 500 as before.\n');
    expect(performance.now() - again).toBeLessThan(10_000);
  });
});

describe('a database that is not there', () => {
  it.each([
    ['sqlite:missing.db', 'missing.db could not be read: there is no such database'],
    ['sqlite::memory:', 'could not be read: there is no such database'],
    ['postgres://ann:very-secret@127.0.0.1:1/shop', '127.0.0.1:1/shop could not be read: '],
    ['mysql://ann:very-secret@localhost/shop', '--url: The database URL must be '],
  ])('%s is named without its password, and nothing is written', async (url, message) => {
    const { status, stdout, stderr } = await adopt(url);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('very-secret');
    expect(await readdir(folder)).toEqual([]);
  });

  it('a file that is no database is named', async () => {
    await writeFile(join(folder, 'text.db'), 'this is no database, but a text of some length'.repeat(100));
    const { status, stderr } = await adopt('sqlite:text.db');
    expect([status, stderr]).toEqual([2, expect.stringContaining('text.db could not be read: ')]);
  });
});

onPostgres('the tables of frameworks', ({ create }) => {
  it('Rails: time stamps, the count of locks, partial and expression indexes, a join table', async () => {
    const url = await create();
    await load(url, 'rails');
    const all = await report(url);
    expect(await definition('resources/post.ts')).toMatchObject({
      table: {
        name: 'posts',
        columns: { version: 'lock_version', created_at: 'created_at', updated_at: 'updated_at' },
        external: true,
      },
    });
    expect(codes(find(all, 'Post'))).toMatchObject({
      id: 'id',
      title: 'title: field.text({ required: true })',
      author_id: "author_id: field.reference('AppUser', { required: true })",
      reviewer_id: "reviewer_id: field.reference('AppUser')",
      settings: 'settings: field.json({ required: true, default: {} })',
      lock_version: 'version',
    });
    expect(find(all, 'Post').remarks).toEqual([
      'unique index_posts_on_lower_title: it has an expression; the database watches over it',
      'unique index_posts_on_title_live (title): it is for some rows only; the database watches over it',
    ]);
    expect(codes(find(all, 'AppUser'))).toMatchObject({
      email: "email: field.string({ unique: true, max: 640, default: '' })",
      encrypted_password: '- its name says that it holds a secret',
      reset_password_token: '- its name says that it holds a secret',
      current_sign_in_ip: '- no field holds a network address',
    });
    expect(await read('resources/app_user.ts')).not.toContain('readOnly');
    expect(await read('resources/app_user.ts')).toContain(`relations: {
    posts: many('Post', { by: 'author' }),
    reviewer_posts: many('Post', { by: 'reviewer' }),
  },`);
    expect(await definition('resources/categories_post.ts')).toMatchObject({
      key: ['category_id', 'post_id'],
      table: { name: 'categories_posts', external: true },
    });
    expect(find(all, 'CategoriesPost').remarks).toEqual([
      'it has no primary key: a unique set without nulls names its rows',
    ]);
    expect(all.left).toEqual([
      { table: 'public.ar_internal_metadata', reason: 'Rails keeps its migrations there' },
      { table: 'public.schema_migrations', reason: 'Rails keeps its migrations there' },
    ]);
  });

  it('Django: checks, unique sets, secrets, sessions, a key that is a reference', async () => {
    const url = await create();
    await load(url, 'django');
    const all = await report(url);
    expect(codes(find(all, 'LibraryBook'))).toMatchObject({
      pages: 'pages: field.integer({ required: true, min: 0, max: 2147483647 })',
      price: "price: field.decimal({ required: true, scale: 2, min: '-9999.99', max: '9999.99' })",
      uid: 'uid: field.uuid({ required: true, unique: true })',
      status: "status: field.enum(['draft', 'published'], { required: true })",
      length: '- no field holds a span of time',
    });
    expect(await definition('resources/library_book.ts')).toMatchObject({ unique: [['author_id', 'title']] });
    expect(find(all, 'AuthUser').remarks).toEqual([
      'read-only: a new row needs password, which was left out',
    ]);
    expect(await definition('resources/auth_user.ts')).toMatchObject({ table: { readOnly: true } });
    expect(find(all, 'LibraryAudiobook').remarks).toEqual([
      'read-only: the database gives no ids',
      'key book_ptr_id → LibraryBook: the id is no reference',
    ]);
    expect(all.left).toContainEqual({ table: 'public.django_session', reason: 'its key is a secret' });
  });

  it('Prisma: quoted names, texts as keys, enums, a decimal that is too wide, an implicit join table', async () => {
    const url = await create();
    await load(url, 'prisma');
    const all = await report(url);
    expect(await definition('resources/app_user.ts')).toMatchObject({
      key: 'text',
      table: { name: 'User', columns: { created_at: 'createdAt', updated_at: 'updatedAt' }, external: true },
    });
    expect(codes(find(all, 'Order'))).toEqual({
      id: 'id',
      status: "status: field.enum(['PENDING', 'PAID', 'CANCELLED'], { required: true, default: 'PENDING' })",
      customerId: "customer_id: field.reference('AppUser', { key: 'text', required: true })",
      total: 'total: field.number({ required: true })',
      notes: '- no field holds an array',
      createdAt: 'created_at',
    });
    expect(codes(find(all, 'OrderItem'))['unitPrice']).toBe('- it has 65 digits: a decimal has 15');
    expect(await definition('resources/order_item.ts')).toMatchObject({ table: { readOnly: true } });
    expect(await definition('resources/order_to_tag.ts')).toMatchObject({
      key: ['a_id', 'b_id'],
      table: { name: '_OrderToTag', columns: { a_id: 'A', b_id: 'B' }, external: true },
    });
    await execute(url, `alter type "OrderStatus" add value 'LOST'`);
    const { status, stdout } = await adopt(url, '--check');
    expect([status, stdout]).toEqual([
      1,
      expect.stringContaining(
        '~ choices status: PENDING | PAID | CANCELLED → PENDING | PAID | CANCELLED | LOST',
      ),
    ]);
  });

  it('Directus: UUIDs as keys and references, a tree, a time of day', async () => {
    const url = await create();
    await load(url, 'directus');
    const all = await report(url);
    expect(await definition('resources/article.ts')).toMatchObject({ key: 'uuid' });
    expect(codes(find(all, 'Article'))).toMatchObject({
      id: 'id',
      user_created: "user_created_id: field.reference('DirectusUser', { key: 'uuid' })",
      hidden: 'hidden: field.boolean({ default: false })',
      opens: 'opens: field.time({ fraction: 6 })',
    });
    expect(codes(find(all, 'DirectusFolder'))['parent']).toBe(
      "parent_id: field.reference('DirectusFolder', { key: 'uuid' })",
    );
    expect(codes(find(all, 'ArticlesTranslation'))['articles_id']).toBe(
      "articles_id: field.reference('Article', { key: 'uuid' })",
    );
  });

  it('Chinook: keys of other names, a key of two columns, numbers that the program gives', async () => {
    const url = await create();
    await load(url, 'chinook');
    const all = await report(url);
    expect(all.left).toEqual([]);
    const joined = await definition('resources/playlist_track.ts');
    expect(joined).toMatchObject({ key: ['playlist_id', 'track_id'], table: { external: true } });
    expect([joined['unique'], find(all, 'PlaylistTrack').remarks]).toEqual([undefined, []]);
    expect(await read('resources/playlist.ts')).toContain("playlist_tracks: many('PlaylistTrack')");
    expect(await definition('resources/track.ts')).toMatchObject({
      table: { name: 'track', columns: { id: 'track_id' }, external: true },
    });
    expect(find(all, 'Employee').remarks).toEqual(['read-only: the database gives no ids']);
    expect(codes(find(all, 'Employee'))['reports_to']).toBe("reports_to_id: field.reference('Employee')");
  });

  it('Pagila: domains, views, partitions, an array, two references to one table', async () => {
    const url = await create();
    await load(url, 'pagila');
    const all = await report(url);
    expect(codes(find(all, 'Film'))).toMatchObject({
      release_year: 'release_year: field.integer({ min: 1901, max: 2155 })',
      replacement_cost:
        "replacement_cost: field.decimal({ required: true, scale: 2, min: '0.00', max: '999.99', default: '4.99' })",
      rating: "rating: field.enum(['G', 'PG', 'PG-13', 'R', 'NC-17'], { default: 'G' })",
      last_update: 'last_update: field.datetime({ generated: true })',
      special_features: '- no field holds an array',
    });
    expect(find(all, 'Film').remarks).toContain('read-only: a new row needs fulltext, which was left out');
    expect(await read('resources/film.ts')).toContain('    // In days\n    rental_duration:');
    expect(await read('resources/language.ts')).toContain(`    films: many('Film', { by: 'language' }),
    original_language_films: many('Film', { by: 'original_language' }),`);
    expect(find(all, 'ActorInfo').remarks).toEqual([
      'read-only: it is a view',
      'its ids are those of actor_id: make sure that no two rows have the same',
    ]);
    expect(all.left).toEqual([
      {
        table: 'public.payment',
        reason:
          'its key is payment_date, payment_id, and of payment_date: it is of the type timestamp with time zone',
      },
      { table: 'public.payment_p2022_01', reason: 'it is a partition of payment' },
      { table: 'public.payment_p2022_02', reason: 'it is a partition of payment' },
      {
        table: 'public.rental_by_category',
        reason: keyless,
      },
    ]);
    expect(await definition('resources/film_actor.ts')).toMatchObject({ key: ['actor_id', 'film_id'] });
    expect(codes(find(all, 'FilmActor'))['actor_id']).toBe(
      "actor_id: field.reference('Actor', { required: true })",
    );
  });
});

onPostgres('every kind of column, key and right', ({ create }) => {
  it('each type has its field, or a reason', async () => {
    const url = await create();
    await load(url, 'kinds');
    const all = await report(url);
    expect(codes(find(all, 'Everything'))).toEqual({
      id: 'id',
      small: 'small: field.integer({ required: true, min: -32768, max: 32767 })',
      big: 'big: field.integer()',
      exact: "exact: field.decimal({ scale: 3, min: '-999999999.999', max: '999999999.999' })",
      endless: '- it has no precision: a decimal has a fixed number of digits',
      wide: '- it has 30 digits: a decimal has 15',
      rough: 'rough: field.number({ min: -3.4028235e+38, max: 3.4028235e+38 })',
      double: 'double: field.number()',
      flag: 'flag: field.boolean({ required: true, default: true })',
      day: 'day: field.date()',
      moment: 'moment: field.time({ fraction: 6 })',
      zoned_moment: '- no field holds a time of day with a zone',
      local: 'local: field.datetime()',
      instant: 'instant: field.datetime({ generated: true })',
      uid: 'uid: field.uuid({ generated: true })',
      code: "code: field.string({ max: 4, pattern: '(^|\\\\S)$' })",
      short: 'short: field.string({ required: true })',
      line: 'line: field.string({ unique: true, max: 80 })',
      limit: 'limit: field.text({ max: 2000 })',
      name: 'name: field.string({ required: true, unique: true, max: 640 })',
      body: `body: field.text({ default: "it's" })`,
      data: 'data: field.json()',
      settings: 'settings: field.json({ required: true, default: { a: [1, 2] } })',
      shade: "shade: field.enum(['deep red', 'sea, dark', 'plain'], { required: true, default: 'deep red' })",
      size: "size: field.enum(['S', 'M', 'X L'], { required: true })",
      amount: 'amount: field.integer({ required: true, min: 1, max: 99, default: 1 })',
      ratio: "ratio: field.decimal({ scale: 2, min: '0.01', max: '0.99' })",
      serial_no: 'serial_no: field.integer({ generated: true })',
      total: 'total: field.decimal({ scale: 3, generated: true })',
      bytes: '- no field holds bytes',
      tags: '- no field holds an array',
      span: '- no field holds a range',
      address: '- no field holds a network address',
      doc: '- no field holds XML',
      point: '- no field holds a geometric value',
      pause: '- no field holds a span of time',
      cost: '- the form of money depends on the server: numeric is exact',
    });
  });

  it('each kind of key has its option, or makes the model read-only', async () => {
    const url = await create();
    await load(url, 'kinds');
    const all = await report(url);
    const keys: Record<string, unknown> = {};
    for (const { model, file } of all.tables) {
      const { key, table } = await definition(file);
      const { readOnly, columns } = table as {
        readonly readOnly?: true;
        readonly columns?: { readonly id?: string };
      };
      keys[model] = [key, readOnly, columns?.id];
    }
    expect(keys).toMatchObject({
      Everything: [undefined, undefined, undefined],
      Big: ['bigint', true, undefined],
      Text: ['text', undefined, 'code'],
      UniqueOnly: ['text', undefined, 'code'],
      Defaulted: [undefined, undefined, undefined],
      ManyKey: [['shop', 'line'], undefined, undefined],
    });
    expect(find(all, 'LinesOfKey').remarks).toEqual([
      'key shop, line → public.many_keys(shop, line): references have one column',
    ]);
    expect(find(all, 'Card').remarks).toEqual([
      'key everything_name → public.everything(name): references lead to the id',
    ]);
    expect(codes(find(all, 'Defaulted'))).toMatchObject({
      everything_id: "everything_id: field.reference('Everything', { required: true, default: 1 })",
      other: "other_id: field.reference('Parent')",
    });
    expect(all.left).toEqual([
      { table: 'public.a"b', reason: 'its name has a quote' },
      { table: 'public.by_date', reason: 'its key day is of the type date' },
      { table: 'public.child', reason: keyless },
      {
        table: 'public.folded',
        reason: 'its key name takes capitals and small letters for the same, and an id is compared exactly',
      },
      { table: 'public.keyless', reason: keyless },
      { table: 'public.only_id', reason: 'no field has any of its columns' },
    ]);
  });

  it('names and comments of the database cannot become code', async () => {
    const url = await create();
    await load(url, 'kinds');
    const all = await report(url);
    const weird = all.tables.find(({ table }) => table === "public.Weird name's");
    expect(weird === undefined ? {} : codes(weird)).toEqual({
      'a "b"': '- its name has a quote',
      select: 'select: field.integer({ min: -2147483648, max: 2147483647 })',
      créé: 'cree: field.date()',
      日本: 'column: field.text()',
      rowid: '- SQLite has a column of its own by this name',
      'two  words': 'two_words: field.integer({ min: -2147483648, max: 2147483647 })',
      Select: '- select differs from it in capitals only',
      constructor: 'constructor_value: field.text()',
      id: 'id',
      version: 'version_value: field.text()',
      ['__proto__']: 'proto: field.text()',
    });
    const lines = (await read('resources/everything.ts')).split('\n');
    expect(lines).toContain('// Line one */ process.exit(1) //');
    expect(lines).toContain('    // before after');
    const evil = "x'\n`;process.exit(1)//\u2028process.exit(1)";
    await execute(
      url,
      `create table "${evil}" (id serial primary key, "y\n*/\u2028z" text default 'a''\n\`' || '', shade text default E'\\u2028\\\\''');
       comment on table "${evil}" is E'a\\r\\nb\\u2028process.exit(1)\\u001b[31m'`,
    );
    const shown = await adopt(url);
    expect([shown.status, shown.stderr]).toEqual([0, '']);
    expect(shown.stdout).toContain('process.exit(1)');
    expect(shown.stdout).not.toMatch(/[^\P{Cc}\n]/u);
    expect((await models()).size).toBeGreaterThan(10);
  });

  it('row security refuses a table whose rows the user cannot all see, by name', async () => {
    const url = await create();
    await load(url, 'kinds');
    const exempt = find(await report(url), 'Secured');
    expect(exempt.remarks).toEqual([
      'row security is on, and this database user is exempt from it: the rules of the model decide',
    ]);
    const reader = await asRole(url, 'grant select on all tables in schema public to ROLE');
    const refused = await adopt(reader, '--only', 'secured');
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain(
      'public.secured cannot be adopted: row security is on, so this database user sees fewer rows',
    );
    const { status, stdout } = await adopt(reader, '--check');
    expect(status).toBe(1);
    expect(stdout).toContain('public.secured: row security is on');
    expect(stdout).toContain('delete resources/secured.ts');
  });

  /** The URL of another user, whom the statement gives rights. */
  const asRole = async (url: string, grants: string): Promise<string> => {
    const role = `reader_${process.pid}_${Math.floor(performance.now() * 1_000)}`;
    await execute(url, `create role ${role} login password 'word'; ${grants.replaceAll('ROLE', role)}`);
    const as = new URL(url);
    as.username = role;
    as.password = 'word';
    return as.href;
  };

  it('rights of the user decide: no table, no column, or no writes', async () => {
    const url = await create();
    await execute(
      url,
      `create table shown (id serial primary key, name text, wage integer); create table hidden (id serial primary key, name text);
       create table written (id serial primary key, name text)`,
    );
    const reader = await asRole(
      url,
      'grant select (id, name) on shown to ROLE; grant select, insert, update on written to ROLE',
    );
    const all = await report(reader);
    expect(all.left).toEqual([{ table: 'public.hidden', reason: 'this database user may not read it' }]);
    expect(codes(find(all, 'Shown'))['wage']).toBe('- this database user may not read it');
    expect(find(all, 'Shown').remarks).toEqual(['read-only: this database user may not write it']);
    expect(find(all, 'Written').remarks).toEqual(['read-only: this database user may not delete']);
    const stranger = await asRole(url, 'revoke usage on schema public from public');
    const { status, stderr } = await adopt(stranger, '--schema', 'public');
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining('this database user may not use the schema public'),
    ]);
  });

  it('--schema reads another schema, whose models name it and lead to models of a former run', async () => {
    const url = await create();
    await execute(
      url,
      `create table customers (id uuid primary key, name text); create schema sales;
       create table sales.customers (id serial primary key, name text);
       create table sales.orders (id serial primary key, customer_id uuid not null references public.customers)`,
    );
    await report(url);
    const all = await report(url, '--schema', 'sales');
    expect(codes(find(all, 'Order'))['customer_id']).toBe(
      "customer_id: field.reference('Customer', { key: 'uuid', required: true })",
    );
    expect(await definition('resources/order.ts')).toMatchObject({
      table: { name: 'orders', schema: 'sales', external: true },
    });
    expect(find(all, 'SalesCustomer').file).toBe('resources/sales_customer.ts');
    expect((await report(url, '--check')).tables.map(({ model }) => model)).toEqual(['Customer']);
    // With another path, statements find neither the table nor its type; both are spelt as before.
    const elsewhere = new URL(url);
    elsewhere.searchParams.set('options', '-c search_path=sales');
    await execute(
      url,
      "create type mood as enum ('a'); alter table customers add column mood mood default 'a'",
    );
    await report(url);
    const { stdout, status } = await adopt(elsewhere.href, '--schema', 'public', '--check', '--json');
    expect(status).toBe(1);
    const [customer] = (JSON.parse(stdout) as Report).tables;
    expect([customer?.changes, customer?.edits]).toEqual([
      [],
      [
        {
          name: 'table',
          before: "{ name: 'customers', types: { mood: 'mood' }, external: true }",
          now: "{ name: 'customers', schema: 'public', types: { mood: 'public.mood' }, external: true }",
        },
      ],
    ]);
  });
});

describe.skipIf(process.env['TEST_DATABASE'] === 'postgres')('SQLite', () => {
  it('declared types, generated columns, counted keys, virtual tables and conditions', async () => {
    await execute(
      'sqlite:kinds.db',
      `create table Items (Id integer primary key, -- check (x in ('no'))
         name nvarchar(30) not null /* don't (check */ collate nocase, state text check (state in ('on hand', 'sold, gone')),
         stock integer unsigned, price numeric(8, 2) not null default 0 check (price >= 0), free decimal,
         active boolean not null default 1, added datetime not null default current_timestamp,
         twice integer generated always as (stock * 2) virtual, data json, id_text guid, picture blob, anything);
       create table codes (code text primary key, label text) without rowid;
       create table given (id int primary key, label text);
       create table pairs (item integer references items, code text references codes (code), primary key (item, code));
       create virtual table words using fts5(text);
       create view cheap as select * from Items where price < 5;
       create view broken as select * from gone;
       insert into Items (Id, name) values (-1, 'negative'), (0, 'zero');`,
    );
    const all = await report('sqlite:kinds.db');
    expect(codes(find(all, 'Item'))).toEqual({
      Id: 'id',
      name: 'name: field.string({ required: true, max: 30 })',
      state: "state: field.enum(['on hand', 'sold, gone'])",
      stock: 'stock: field.integer({ min: 0 })',
      price:
        "price: field.decimal({ required: true, scale: 2, min: '0.00', max: '999999.99', default: '0' })",
      free: '- it has no precision: a decimal has a fixed number of digits',
      active: 'active: field.boolean({ required: true, default: true })',
      added: 'added: field.datetime({ generated: true })',
      twice: 'twice: field.integer({ generated: true })',
      data: 'data: field.json()',
      id_text: '- it has no values, by which the form of its UUIDs would be known',
      picture: '- no field holds bytes, or values of any type',
      anything: '- no field holds bytes, or values of any type',
    });
    expect(await definition('resources/item.ts')).toMatchObject({
      table: { name: 'Items', columns: { id: 'Id' }, external: true },
    });
    expect(await definition('resources/code.ts')).toMatchObject({ key: 'text' });
    expect(find(all, 'Given').remarks).toEqual(['read-only: the database gives no ids']);
    expect(find(all, 'Cheap').remarks).toEqual([
      'read-only: it is a view',
      'its ids are those of Id: make sure that no two rows have the same',
    ]);
    const reasons = new Map(all.left.map(({ table, reason }) => [table, reason]));
    expect(reasons.get('words')).toBe('it is a virtual table, or a part of one');
    expect(reasons.get('words_data')).toBe('it is a virtual table, or a part of one');
    expect(await definition('resources/pair.ts')).toMatchObject({ key: ['item_id', 'code_id'] });
    expect(reasons.get('broken')).toBe('it has no columns that can be read');
  });

  it.each([
    [undefined, 'users', 'sessions'],
    ['api_', 'api_users', 'api_sessions'],
  ])(
    'the tables of a service with serviceTables %s are left out, and references lead to its users',
    async (prefix, users, sessions) => {
      if (prefix !== undefined) {
        const config = `import { defineConfig } from 'gatewright';\n\nexport default defineConfig({ serviceTables: '${prefix}' });\n`;
        await writeFile(join(folder, 'gatewright.config.ts'), config);
      }
      const migrated = await run(['migrate'], { env: { DATABASE_URL: 'sqlite:own.db', DATA_DIR: folder } });
      expect([migrated.status, migrated.stderr]).toEqual([0, '']);
      await execute(
        'sqlite:own.db',
        `create table notes (id integer primary key, author integer references ${users} (id));
       create table roles_of_theirs (id integer primary key, name text)`,
      );
      const all = await report('sqlite:own.db');
      expect(all.tables.map(({ model }) => model)).toEqual(['Note', 'RolesOfTheir']);
      expect(codes(find(all, 'Note'))['author']).toBe("author_id: field.reference('User')");
      expect(new Set(all.left.map(({ reason }) => reason))).toEqual(new Set(['it belongs to the service']));
      expect(all.left.map(({ table }) => table)).toEqual(expect.arrayContaining([users, sessions]));
    },
  );
});
