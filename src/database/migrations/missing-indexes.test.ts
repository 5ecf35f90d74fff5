import { describe, expect, it } from 'vitest';
import { field } from '../../fields/define.ts';
import { defineResource } from '../../model/define-resource.ts';
import type { Aspect, Difference } from './differences.ts';
import { missingIndexes } from './missing-indexes.ts';

const { fields } = defineResource('Book', {
  fields: {
    isbn: field.string({ unique: true }),
    pages: field.integer({ index: true }),
    author: field.reference('User'),
    title: field.string(),
  },
});

const changed = (name: string, ...aspects: Aspect[]): Difference => {
  const found = fields.get(name);
  if (found === undefined) throw new Error(`no field ${name}`);
  return { kind: 'changed_column', table: 'books', field: found, from: undefined, aspects };
};

describe('missing indexes', () => {
  it.each<[string, Difference, readonly (readonly [string, boolean])[]]>([
    ['a unique field', changed('isbn', 'unique'), [['isbn', true]]],
    ['an indexed field', changed('pages', 'required', 'index'), [['pages', false]]],
    ['a reference', changed('author_id', 'index'), [['author_id', false]]],
    ['an index too many', changed('title', 'index'), []],
    ['a unique index too many', changed('pages', 'unique'), []],
    ['another type', changed('isbn', 'type'), []],
    ['a set', { kind: 'missing_unique', table: 'books', columns: ['isbn'] }, [['isbn', true]]],
    [
      'no index of several',
      { kind: 'missing_index', table: 'books', columns: ['pages'] },
      [['pages', false]],
    ],
    ['an index that goes', { kind: 'surplus_index', table: 'books', columns: ['pages'] }, []],
  ])('finds a missing index for %s', (_, difference, expected) => {
    expect(missingIndexes([difference])).toEqual(
      expected.map(([column, unique]) => ({ table: 'books', columns: [column], unique })),
    );
  });

  it('missing indexes are also those of a column that is missing itself', () => {
    const missing = [...fields.values()]
      .filter(({ serverSet }) => !serverSet)
      .map((each): Difference => ({ kind: 'missing_column', table: 'books', field: each }));
    expect(missingIndexes(missing).map(({ columns, unique }) => [...columns, unique])).toEqual([
      ['isbn', true],
      ['pages', false],
      ['author_id', false],
    ]);
  });
});
