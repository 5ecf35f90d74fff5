import { describe, expect, expectTypeOf, it } from 'vitest';
import { thingFields, thingSource } from '../../tests/support/things.ts';
import type { Complete, KeyParts } from './key-parts.ts';
import { type ListShape, parseListParameters, shapeKey, shapeOf } from './list/parameters.ts';
import { everyRow } from './rows/reach.ts';
import { sourceView } from './view.ts';

interface Example {
  readonly table: string;
  readonly limit?: number;
}

describe('parts of a key', () => {
  it('the compiler refuses parts that lack a member of the shape', () => {
    const whole = { table: 'books', limit: undefined } satisfies KeyParts<Example>;
    expect(whole.table).toBe('books');
    // @ts-expect-error an optional member needs a part as well
    const partial = { table: 'books' } satisfies KeyParts<Example>;
    expect(partial.table).toBe('books');
    // @ts-expect-error a part of no member is a mistake
    const further = { table: 'books', limit: 1, page: 1 } satisfies KeyParts<Example>;
    expect(further.page).toBe(1);
  });

  it('the compiler names the members that the key of a text lacks', () => {
    expectTypeOf<Complete<Example, 'table' | 'limit'>>().toEqualTypeOf<Example>();
    expectTypeOf<Complete<Example, 'table'>>().toEqualTypeOf<{ readonly lacking: 'limit' }>();
  });

  it('the shape of a list has another key for each member that differs', () => {
    const view = sourceView(thingSource, thingFields);
    const shape = (query: string): ListShape =>
      shapeOf(view, everyRow, parseListParameters(view, query, 1000));
    const first = shape('page=1&sort=id');
    const others: { readonly [Member in Exclude<keyof ListShape, 'included'>]: ListShape } = {
      source: { ...first, source: { ...first.source, mask: 'other' } },
      rows: { ...first, rows: { terms: ['user_id'], key: 'user_id' } },
      fields: shape('page=1&sort=id&fields=id'),
      sort: shape('page=1&sort=-id'),
      filters: shape('page=1&sort=id&filter[id]=1'),
      searched: shape('page=1&sort=id&q=a'),
      ranked: { ...first, ranked: true },
      paging: shape('sort=id&after='),
      total: shape('page=1&sort=id&total=none'),
    };
    const keys = [first, ...Object.values(others)].map(shapeKey);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
