import { describe, expect, it } from 'vitest';
import { thingSource } from '../../tests/support/things.ts';
import { scopeOf, Views } from './scope.ts';

describe('views of a source', () => {
  it('does not take an array that was changed for what it was', () => {
    const views = new Views(thingSource);
    const names = ['id', 'title', 'secret'];
    expect(views.of(names).view.fields).toEqual(['id', 'title', 'secret']);
    names.pop();
    expect(views.of(names).view.fields).toEqual(['id', 'title']);
  });

  it('are one for the same names, frozen or not, and have a number each', () => {
    const views = new Views(thingSource);
    const frozen = Object.freeze(['id', 'title']);
    const all = [frozen, frozen, ['id', 'title'], ['id'], ['title', 'id']].map((names) => views.of(names));
    expect(all.map(({ id }) => id)).toEqual([0, 0, 0, 1, 2]);
    expect(all[1]).toBe(all[2]);
  });

  it('are refused of a source without its key, and of columns that it has not', () => {
    expect(() => new Views({ ...thingSource, key: 'nothing' })).toThrow('nothing');
    expect(() => new Views(thingSource).of(['id', 'nothing'])).toThrow('source things has no column nothing');
  });
});

describe('a scope', () => {
  const own = { column: 'user_id', value: 7 };
  const live = { column: 'state', value: 'live' };

  it('joins the rows of the grant and further conditions, in their order', () => {
    expect(scopeOf({ rows: [own] }, [live])).toEqual({
      columns: ['user_id', 'state'],
      values: [7, 'live'],
      key: 'user_id\0state\0',
    });
    expect(scopeOf({ rows: [own] }, [])).toMatchObject({ columns: ['user_id'], values: [7] });
    expect(scopeOf({ rows: [] }, [live])).toMatchObject({ columns: ['state'], values: ['live'] });
    expect(scopeOf({ rows: [] }, [])).toEqual({ columns: [], values: [], key: '' });
  });

  it('is none where the grant has no rows, or a condition asks for null', () => {
    expect(scopeOf({ rows: 'none' }, [])).toBeUndefined();
    expect(scopeOf({ rows: 'none' }, [live])).toBeUndefined();
    expect(scopeOf({ rows: [own, { column: 'state', value: null }] }, [])).toBeUndefined();
  });

  it('refuses a condition without a value: it would open every row', () => {
    const condition = { column: 'user_id', value: undefined as unknown as null };
    expect(() => scopeOf({ rows: [condition] }, [])).toThrow('the row filter has no value for user_id');
  });
});
