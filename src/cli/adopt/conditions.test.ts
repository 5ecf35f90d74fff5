import { describe, expect, it } from 'vitest';
import { readCondition } from './conditions.ts';

const choices = (column: string, ...texts: readonly string[]) => [{ column, choices: texts }];

describe('conditions of tables', () => {
  it.each([
    [`((state)::text = ANY ((ARRAY['draft'::character varying, 'in stock'::character varying])::text[]))`],
    [`(state = ANY (ARRAY['draft'::text, 'in stock'::text]))`],
    [`state in ('draft', 'in stock')`],
    [`"state" IN ('draft','in stock')`],
    [`[state] IN ('draft','in stock')`],
    [`(((state) in (('draft'), 'in stock')))`],
    [
      `((state)::character varying(20) = ANY (ARRAY['draft'::character varying(20), 'in stock'::character varying(20)]))`,
    ],
  ])('a list of texts is found in %s', (sql) => {
    expect(readCondition(sql)).toEqual(choices('state', 'draft', 'in stock'));
  });

  it('texts keep quotes, commas, casts and signs that are part of them', () => {
    expect(readCondition(`x in ('it''s', 'a, b', 'c::text', 'd) and (', '')`)).toEqual(
      choices('x', "it's", 'a, b', 'c::text', 'd) and (', ''),
    );
  });

  it.each([
    ['(price >= (0)::numeric)', [{ column: 'price', bound: 'min', number: '0', open: false }]],
    ['((quantity > 0))', [{ column: 'quantity', bound: 'min', number: '0', open: true }]],
    ['degrees < -5.5', [{ column: 'degrees', bound: 'max', number: '-5.5', open: true }]],
    [
      '((value >= 1901) AND (value <= 2155))',
      [
        { column: 'value', bound: 'min', number: '1901', open: false },
        { column: 'value', bound: 'max', number: '2155', open: false },
      ],
    ],
    [
      'amount between 1 and 9 and amount < 8',
      [
        { column: 'amount', bound: 'min', number: '1', open: false },
        { column: 'amount', bound: 'max', number: '9', open: false },
        { column: 'amount', bound: 'max', number: '8', open: true },
      ],
    ],
    [
      "((ratio > (0)::numeric) AND (state = ANY (ARRAY['a'::text])))",
      [
        { column: 'ratio', bound: 'min', number: '0', open: true },
        { column: 'state', choices: ['a'] },
      ],
    ],
  ])('bounds of numbers are found in %s', (sql, expected) => {
    expect(readCondition(sql)).toEqual(expected);
  });

  it.each([
    [''],
    [`status in ('a') or status is null`],
    [`not status in ('a')`],
    ['status not in (1, 2)'],
    ['price > other'],
    ['price > 0 and price <> 5'],
    ['length(name) > 3'],
    ['(JSON_VALID("data") OR "data" IS NULL)'],
    [`name ~ '^a'`],
    [`x in ('a'`],
    [`x in ('a) and (y > 2`],
    ['x > 1; drop table x'],
    ['between 1 and 2'],
    ['('.repeat(5_000)],
    [`${'x > 1 and '.repeat(2_000)}x`],
  ])('nothing is said of a condition that says more, or anything else: %.40s', (sql) => {
    expect(readCondition(sql)).toBeUndefined();
  });
});
