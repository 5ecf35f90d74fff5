import { expect, expectTypeOf, it } from 'vitest';
import { type ListParameters, listQuery } from '../../client/query.ts';
import type { ListParameterName } from '../../src/records/list.ts';

it('the typed client takes every parameter of lists', () => {
  // `_` is for callers behind a cache; the client's requests are not cached.
  expectTypeOf<Exclude<ListParameterName, keyof ListParameters | '_'>>().toEqualTypeOf<never>();
  const query = listQuery({ sort: ['-id'], q: 'a b', page: 2, per_page: 5, after: '', total: 'none' });
  expect(query).toBe('?sort=-id&q=a+b&page=2&per_page=5&after=&total=none');
});
