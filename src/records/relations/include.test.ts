import { expect, it } from 'vitest';
import { thingSource } from '../../../tests/support/things.ts';
import type { Source } from '../../database/source.ts';
import { decide } from '../../policy/decide.ts';
import { testUser } from '../../policy/test-user.ts';
import { parseIncluded } from './include.ts';
import type { Readership } from './related.ts';

const query = 'include=friends';

/** A source whose rows lead to others of their own kind. */
const makeSource = (): Source => {
  const target = () => source;
  const source: Source = {
    ...thingSource,
    relations: new Map([
      ['friends', { name: 'friends', many: true, model: 'Thing', target, from: 'id', to: 'n' }],
      ['parent', { name: 'parent', many: false, model: 'Thing', target, from: 'n', to: 'id' }],
    ]),
  };
  return source;
};

const [ids, titles, both] = [['id'], ['title'], ['id', 'title']].map((names) => Object.freeze(names)) as [
  readonly string[],
  readonly string[],
  readonly string[],
];

/** The readership of a user: all rows, or the rows whose `own` column holds the user's id. */
const reads = (user: number, readable: readonly string[], own?: string, listed = readable): Readership => {
  const rule = { kind: 'user', readable, ...(own === undefined ? {} : { own }) } as const;
  const decision = decide(rule, { ...testUser([]), id: user });
  if (!decision.allowed) throw decision.problem;
  return { grant: decision.grant, listed };
};

const [source, stranger] = [makeSource(), makeSource()];
const ask = (readership: Readership | undefined, readable = both, from = source) =>
  parseIncluded(from, { readable, mask: undefined }, query, () => readership);

it('finds what a query string led to again, with the values of the present caller', () => {
  const found = ask(reads(1, both, 'user_id'));
  const again = ask(reads(2, both, 'user_id'));
  expect(again.included).toBe(found.included);
  expect([found.values, again.values, again.key]).toEqual([[1], [2], found.key]);
});

it.each([
  ['other fields', () => ask(reads(1, titles, 'user_id', both))],
  ['other fields where none are named', () => ask(reads(1, both, 'user_id', ids))],
  ['rows by another rule', () => ask(reads(1, both, 'n'))],
  ['every row', () => ask(reads(1, both))],
  ['a record of other fields', () => ask(reads(1, both, 'user_id'), ids)],
  ['another source', () => ask(reads(1, both, 'user_id'), both, stranger)],
])('leads elsewhere for a caller who reads %s', (_, other) => {
  const first = ask(reads(1, both, 'user_id'));
  const found = other();
  expect(found.included).not.toBe(first.included);
  // The one before does not stand in for it afterwards either.
  expect(ask(reads(1, both, 'user_id'))).toEqual(first);
  expect(other()).toEqual(found);
});

it('remembers nothing that is unreadable, and no names that may change', () => {
  const first = ask(reads(1, both, 'user_id'));
  expect(() => ask(undefined)).toThrow('forbidden');
  const none: Readership = { grant: { ...reads(1, both).grant, rows: 'none' } as never, listed: both };
  expect(ask(none).included[0]?.step.reach.terms).toBe('none');
  expect(ask(none).included[0]?.step.reach.terms).toBe('none');
  expect(ask(reads(1, both, 'user_id'))).toEqual(first);
  const changing = ['id', 'title'];
  const before = ask(reads(1, changing));
  changing.pop();
  expect(before.included[0]?.fields).toEqual(['id', 'title']);
  expect(ask(reads(1, changing)).included[0]?.fields).toEqual(['id']);
  const answered = ['id', 'n'];
  const parent = () =>
    parseIncluded(source, { readable: answered, mask: undefined }, 'include=parent', () => reads(1, ids));
  expect(parent().included).toHaveLength(1);
  answered.pop();
  expect(parent).toThrow('unusable_field');
});
