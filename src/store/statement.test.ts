import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { compilerFor, prepare, toQuery } from './statement.ts';

interface Tables {
  users: { id: number; name: string; email: string | null; disabled: boolean };
}

describe('prepare', () => {
  it.each([
    ['sqlite', 'select "id" from "users" where "name" = ? and "disabled" = ? and "id" > ?'],
    ['postgres', 'select "id" from "users" where "name" = $1 and "disabled" = $2 and "id" > $3'],
  ] as const)('puts arguments beside constants, in the order of the text (%s)', (dialect, text) => {
    const db = compilerFor<Tables>(dialect);
    const statement = prepare<{ after: number; name: string }>((param) =>
      db
        .selectFrom('users')
        .select('id')
        .where('name', '=', param('name'))
        .where('disabled', '=', false)
        .where('id', '>', param('after')),
    );
    expect(statement({ after: 7, name: 'x' })).toEqual({ sql: text, parameters: ['x', false, 7] });
  });

  it('takes placeholders in inserted values, in raw SQL, and twice', () => {
    const db = compilerFor<Tables>('postgres');
    const statement = prepare<{ id: number; name: string; email: string | null }>((param) =>
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
    expect(statement({ id: 1, name: 'A', email: null }).parameters).toEqual([1, 'A', null, false, 'A']);
  });

  it('never shares the parameters of two calls', () => {
    const db = compilerFor<Tables>('sqlite');
    const byId = prepare<{ id: number }>((param) =>
      db.selectFrom('users').selectAll().where('id', '=', param('id')),
    );
    const first = byId({ id: 1 });
    byId({ id: 2 });
    expect(first.parameters).toEqual([1]);
  });

  it('refuses a missing argument instead of binding null', () => {
    const db = compilerFor<Tables>('sqlite');
    const byId = prepare<{ id: number }>((param) =>
      db.selectFrom('users').selectAll().where('id', '=', param('id')),
    );
    const nothing: unknown = {};
    expect(() => byId(nothing as { id: number })).toThrow(/lacks an argument/);
  });
});

describe('toQuery', () => {
  it('refuses a value that no column takes', () => {
    const db = compilerFor<{ notes: { at: Date } }>('sqlite');
    expect(() => toQuery(db.selectFrom('notes').selectAll().where('at', '=', new Date(0)))).toThrow(
      TypeError,
    );
  });
});
