import { DatabaseSync } from 'node:sqlite';
import { type Kysely, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { dialectOf } from './dialects.ts';
import { serviceNames } from './service-names.ts';
import { bind } from './sqlite/connection.ts';
import {
  sql as fragment,
  identifier,
  join,
  literal,
  own,
  param,
  prepare,
  statement,
  tableName,
  toQuery,
  where,
} from './statement.ts';

interface Tables {
  users: { id: number; name: string; email: string | null; disabled: boolean };
}

it.each([
  ['sqlite', undefined, 'select "users"."id" from "users", users, "notes" where "notes"."id" = "t"."id"'],
  [
    'sqlite',
    'app_',
    'select "app_users"."id" from "app_users", "app_users", "notes" where "notes"."id" = "t"."id"',
  ],
  [
    'postgres',
    'api.',
    'select "api"."users"."id" from "api"."users", "api"."users", "notes" where "notes"."id" = "t"."id"',
  ],
] as const)('writes the stored names of the tables of the service (%s, %s)', (dialect, prefix, text) => {
  const words = dialectOf(dialect, serviceNames(prefix));
  const made = statement(
    words,
    () =>
      fragment`select ${identifier('users', 'id')} from ${tableName('users')}, ${own('users')}, ${tableName('notes')} where ${tableName('notes', 'id')} = ${identifier('t', 'id')}`,
  );
  expect(made.sql).toBe(text);
});

describe('prepare', () => {
  it.each([
    ['sqlite', 'select "id" from "users" where "name" = +?1 and "disabled" = +?2 and "id" > +?3'],
    ['postgres', 'select "id" from "users" where "name" = $1 and "disabled" = $2 and "id" > $3'],
  ] as const)('puts arguments beside constants, in the order of the text (%s)', (dialect, text) => {
    const db = dialectOf(dialect).builder as Kysely<Tables>;
    const prepared = prepare<{ after: number; name: string }>((param) =>
      db
        .selectFrom('users')
        .select('id')
        .where('name', '=', param('name'))
        .where('disabled', '=', false)
        .where('id', '>', param('after')),
    );
    expect(prepared({ after: 7, name: 'x' })).toEqual({ sql: text, parameters: ['x', false, 7] });
  });

  it('takes placeholders in inserted values, in raw SQL, and twice', () => {
    const db = dialectOf('postgres').builder as Kysely<Tables>;
    const prepared = prepare<{ id: number; name: string; email: string | null }>((param) =>
      db
        .insertInto('users')
        .values({
          id: param('id'),
          name: sql<string>`lower(${param('name')})`,
          email: param('email'),
          disabled: false,
        })
        .returning(sql<string>`${param('name')}`.as('given')),
    );
    expect(prepared({ id: 1, name: 'A', email: null }).parameters).toEqual([1, 'A', null, false]);
  });

  it('a prepared statement is built with its first values, and never again', () => {
    let built = 0;
    const compiler = dialectOf('sqlite');
    const statements = [
      prepare<{ id: number }>((param) => {
        built += 1;
        return (compiler.builder as Kysely<Tables>).selectFrom('users').where('id', '=', param('id'));
      }),
      statement<{ id: number }>(compiler, (param) => {
        built += 1;
        return fragment`select ${param('id')}`;
      }),
    ];
    expect(built).toBe(0);
    for (const made of statements) expect(made({ id: 1 }).parameters).toEqual([1]);
    for (const made of statements) expect(made({ id: 2 }).parameters).toEqual([2]);
    expect(built).toBe(2);
  });

  it('prepare never shares the parameters of two calls', () => {
    const db = dialectOf('sqlite').builder as Kysely<Tables>;
    const byId = prepare<{ id: number }>((param) =>
      db.selectFrom('users').selectAll().where('id', '=', param('id')),
    );
    const first = byId({ id: 1 });
    byId({ id: 2 });
    expect(first.parameters).toEqual([1]);
  });

  it('refuses a missing argument instead of binding null', () => {
    const db = dialectOf('sqlite').builder as Kysely<Tables>;
    const byId = prepare<{ id: number }>((param) =>
      db.selectFrom('users').selectAll().where('id', '=', param('id')),
    );
    const nothing: unknown = {};
    expect(() => byId(nothing as { id: number })).toThrow(/lacks the argument id/);
  });
});

describe('toQuery', () => {
  it('refuses a value that no column takes', () => {
    const db = dialectOf('sqlite').builder as Kysely<{ notes: { at: Date } }>;
    expect(() => toQuery(db.selectFrom('notes').selectAll().where('at', '=', new Date(0)))).toThrow(
      TypeError,
    );
  });
});

describe.each(['sqlite', 'postgres'] as const)('statement (%s)', (dialect) => {
  const words = dialectOf(dialect);
  const place = (number: number): string => `${dialect === 'sqlite' ? '+?' : '$'}${number}`;

  it('binds an argument once, however often it stands, and each value of a list by its place', () => {
    const found = statement<{ ids: readonly number[]; owner: number }>(words, (value) => {
      const mine = fragment`${identifier('t', 'owner')} = ${value('owner')}`;
      const ids = join([value('ids', 1), value('ids', 0)]);
      return fragment`select 1 from t${where([mine, fragment`id in (${ids})`, mine])} limit ${literal(2)}`;
    });
    expect(found({ ids: [7, 8], owner: 3 })).toEqual({
      sql: `select 1 from t where "t"."owner" = ${place(1)} and id in (${place(2)}, ${place(3)}) and "t"."owner" = ${place(1)} limit 2`,
      parameters: [3, 8, 7],
    });
    expect(() => found({ ids: [7], owner: 3 })).toThrow(/lacks the argument ids/);
  });

  it('takes names and constants with quotes for what they are', () => {
    const found = statement(words, () => fragment`select ${literal("it's")} as ${identifier('a"b')}`);
    expect(found({})).toEqual({ sql: `select 'it''s' as "a""b"`, parameters: [] });
  });

  it('takes an argument that a fragment brought along', () => {
    const now = param('now');
    const found = statement<{ now: string }>(words, () => fragment`select ${now}, ${now}`);
    expect(found({ now: 'x' })).toEqual({ sql: `select ${place(1)}, ${place(1)}`, parameters: ['x'] });
  });

  it('holds nothing but fragments', () => {
    // @ts-expect-error a value is no fragment: it would stay in the statement for the next caller
    const found = statement(words, () => fragment`select ${7}`);
    expect(found({}).parameters).toEqual([7]);
  });
});

describe('a statement of SQLite', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('create table t (id integer primary key, name text, n integer)');
  let compiled = 0;
  // SQLite asks the authorizer while it compiles a statement, and never while it only runs one.
  database.setAuthorizer(() => {
    compiled += 1;
    return 0;
  });
  const words = dialectOf('sqlite');

  it.each([
    [
      'a sorted part',
      fragment`select max(id) from (select id from t where name = ${param('text')} order by id)`,
    ],
    ['a limit', fragment`select id from t order by id limit ${words.rows(param('many'))}`],
    ['a pattern', fragment`select id from t where name like ${param('text')}`],
    [
      'a comparison with null',
      fragment`select max(id) from (select id from t where n is ${param('many')} order by id)`,
    ],
  ])('a statement of SQLite is compiled once for any number of runs: %s', (_name, text) => {
    const { sql: line, parameters } = statement<{ text: string; many: number }>(
      words,
      () => text,
    )({
      text: 'a%',
      many: 3,
    });
    const prepared = database.prepare(line);
    compiled = 0;
    for (let run = 0; run < 3; run += 1) prepared.all(...bind(parameters));
    expect(compiled).toBe(0);
  });
});
