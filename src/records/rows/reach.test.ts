import type { Kysely } from 'kysely';
import { describe, expect, it } from 'vitest';
import { dialectOf } from '../../database/dialects.ts';
import { identifier, param, sql } from '../../database/statement.ts';
import { reachConditions, reachOf } from './reach.ts';

describe('a reach', () => {
  const own = { column: 'user_id', value: 7 };
  const live = { column: 'state', value: 'live' };

  it('joins the rows of the grant and further conditions, in their order', () => {
    expect(reachOf({ rows: [own] }, [live])).toEqual({
      terms: ['user_id', 'state'],
      values: [7, 'live'],
      key: 'user_id\0state\0',
    });
    expect(reachOf({ rows: [own] }, [])).toMatchObject({ terms: ['user_id'], values: [7] });
    expect(reachOf({ rows: [] }, [live])).toMatchObject({ terms: ['state'], values: ['live'] });
    expect(reachOf({ rows: [] }, [])).toEqual({ terms: [], values: [], key: '' });
  });

  it('a reach is none where the grant has no rows, or a condition asks for null', () => {
    expect(reachOf({ rows: 'none' }, [])).toBeUndefined();
    expect(reachOf({ rows: 'none' }, [live])).toBeUndefined();
    expect(reachOf({ rows: [own, { column: 'state', value: null }] }, [])).toBeUndefined();
  });

  it('a reach is the same for every caller who sees everything', () => {
    expect(reachOf({ rows: [] })).toBe(reachOf({ rows: [] }, []));
    expect(reachOf({ rows: [own] })).toMatchObject({ terms: ['user_id'], values: [7] });
  });

  it('a reach is written as a comparison for each column, with its own value', () => {
    const dialect = dialectOf('sqlite');
    const conditions = reachConditions(
      ['user_id', 'state'],
      (column) => identifier('t', column),
      (index) => param(`row ${index}`),
      'find',
      dialect,
    );
    const builder = dialect.builder as Kysely<unknown>;
    const compiled = conditions.map((each) => sql`${each}`.compile(builder));
    expect(compiled.map((each) => each.sql)).toEqual(['"t"."user_id" = +?1', '"t"."state" = +?1']);
    expect(compiled.map((each) => each.parameters)).toMatchObject([[{ name: 'row 0' }], [{ name: 'row 1' }]]);
    expect(reachConditions([], identifier, (index) => param(`row ${index}`), 'find', dialect)).toEqual([]);
  });

  it('refuses a condition without a value: it would open every row', () => {
    const condition = { column: 'user_id', value: undefined as unknown as null };
    expect(() => reachOf({ rows: [condition] }, [])).toThrow('the row filter has no value for user_id');
  });
});
