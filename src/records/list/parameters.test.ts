import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { thingFields, thingSource } from '../../../tests/support/things.ts';
import { Problem } from '../../kernel/problem.ts';
import { sourceView } from '../view.ts';
import { parseListParameters } from './parameters.ts';
import { maxValueLength } from './query-string.ts';
import { sortSignature } from './sort.ts';

const view = sourceView(thingSource, thingFields);
const parse = (query: string) => parseListParameters(view, query, 1000);

const refusal = (query: string): string => {
  try {
    parse(query);
  } catch (error) {
    if (error instanceof Problem) return `${error.problem} ${String(error.params['name'])}`;
    throw error;
  }
  return 'taken';
};

describe('parseListParameters at its limits', () => {
  it('takes pages and sizes up to them', () => {
    expect(parse('page=999999999999&per_page=1000').paging).toEqual({
      kind: 'page',
      page: 999_999_999_999,
      perPage: 1000,
      numbered: true,
    });
    expect(refusal('page=1000000000000')).toBe('invalid_parameter page');
    expect(refusal('per_page=1001')).toBe('invalid_parameter per_page');
    expect(parse('per_page=12').paging).toMatchObject({ page: 1, perPage: 12, numbered: false });
  });

  it('begins a walk where `after` has no value, in links without that parameter', () => {
    const { paging, shared } = parse('after=&q=x&per_page=5&_=1');
    expect(paging).toEqual({ kind: 'after', values: [], perPage: 5 });
    expect(shared).toBe('q=x&');
  });

  it('searches what has as many characters as a value may have, folded, and nothing where it is empty', () => {
    expect(parse(`q=${'A'.repeat(maxValueLength)}`).search).toBe('a'.repeat(maxValueLength));
    expect(refusal(`q=${'A'.repeat(maxValueLength + 1)}`)).toBe('invalid_parameter q');
    expect([parse('q=').search, parse('').search]).toEqual([undefined, undefined]);
  });

  it('reads a query of 8,192 characters', () => {
    expect(parse(`_=${'x'.repeat(8190)}`).shared).toBe('');
    expect(refusal(`_=${'x'.repeat(8191)}`)).toBe('invalid_parameter ?');
  });

  it('repeats 100 characters of a name, and takes a name without a sign for one without a value', () => {
    expect(refusal(`${'y'.repeat(200)}=1`)).toBe(`invalid_parameter ${'y'.repeat(100)}`);
    expect(refusal(`fields=${'y'.repeat(200)}`)).toBe(`unusable_field ${'y'.repeat(100)}`);
    expect(parse('q').search).toBeUndefined();
    expect(refusal('pag')).toBe('invalid_parameter pag');
  });
});

describe('parseListParameters', () => {
  it.each([
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=01', 'page'],
    ['page=1.5', 'page'],
    ['page=1e3', 'page'],
    ['page=%2B1', 'page'],
    ['page=', 'page'],
    ['page', 'page'],
    ['page=1000000000001', 'page'],
    ['page=1&page=2', 'page'],
    ['page=1&p%61ge=1', 'page'],
    ['per_page=0', 'per_page'],
    ['per_page=1001', 'per_page'],
    ['per_page=NaN', 'per_page'],
    ['per_page=٣', '?'],
    ['per_page=%D9%A3', 'per_page'],
    ['after=&page=1', 'after'],
    ['after=x', 'after'],
    ['after=WyJpZCIsMV0&page=1', 'after'],
    ['sort=', 'sort'],
    ['sort=title,', 'sort'],
    ['sort=title,title', 'sort'],
    ['sort=title,-title', 'sort'],
    ['sort=title&sort=n', 'sort'],
    ['sort[]=title', 'sort[]'],
    ['sort[title]=asc', 'sort[title]'],
    ['fields=', 'fields'],
    ['fields=id,id', 'fields'],
    ['fields=id,', 'fields'],
    ['fields[]=id', 'fields[]'],
    ['filter=id', 'filter'],
    ['filter[]=1', 'filter[]'],
    ['filter[id', 'filter[id'],
    ['filter[id]]=1', 'filter[id]]'],
    ['filter[id]x=1', 'filter[id]x'],
    ['filter[id][]=1', 'filter[id][]'],
    ['filter[id][eq][eq]=1', 'filter[id][eq][eq]'],
    ['filter[id][foo]=1', 'filter[id][foo]'],
    ['filter[id][EQ]=1', 'filter[id][EQ]'],
    ['filter[id][constructor]=1', 'filter[id][constructor]'],
    ['filter[id][like]=1', 'filter[id][like]'],
    ['filter[id]=', 'filter[id]'],
    ['filter[id]=one', 'filter[id]'],
    ['filter[id]=1%20', 'filter[id]'],
    ['filter[id]=9007199254740993', 'filter[id]'],
    ['filter[id]=1&filter[id]=1', 'filter[id]'],
    ['filter[id]=1&filter[id][eq]=1', 'filter[id][eq]'],
    ['filter[id][in]=1,,2', 'filter[id][in]'],
    [`filter[n][in]=${'1,'.repeat(1000)}1`, 'filter[n][in]'],
    [`filter[title]=${'a'.repeat(1025)}`, 'filter[title]'],
    [`filter[title][like]=${'a'.repeat(1025)}`, 'filter[title][like]'],
    ['filter[title][null]=1', 'filter[title][null]'],
    ['filter[title][null]=', 'filter[title][null]'],
    ['filter[flag]=1', 'filter[flag]'],
    ['filter[state]=gone', 'filter[state]'],
    ['filter[day]=2024-02-30', 'filter[day]'],
    ['filter[at]=yesterday', 'filter[at]'],
    ['filter[price]=1.234', 'filter[price]'],
    ['filter[data]=1', 'filter[data]'],
    ['q=a&q=b', 'q'],
    [`q=${'a'.repeat(1025)}`, 'q'],
    ['title=a', 'title'],
    ['Filter[id]=1', 'Filter[id]'],
    ['_page=2', '_page'],
    ['limit=1', 'limit'],
    ['__proto__=1', '__proto__'],
    ['%', '%'],
    ['q=%', 'q'],
    ['q=%zz', 'q'],
    ['q=%ff', 'q'],
    ['q=%c0%80', 'q'],
    ['q=%ed%a0%80', 'q'],
    ['q=%00', 'q'],
    ['filter[title]=a%00b', 'filter[title]'],
    ['q=ü', '?'],
    ['q=a b', '?'],
    [`q=${'a'.repeat(9000)}`, '?'],
    ['=1', ''],
  ])('refuses %.60s, naming %s', (query, name) => {
    expect(refusal(query)).toBe(`invalid_parameter ${name}`);
  });

  it('refuses a 33rd filter and a ninth term of a sort', () => {
    const operators = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'null'];
    const filters = ['id', 'n', 'ratio', 'price', 'at'].flatMap((field) =>
      operators.map(
        (operator) =>
          `filter[${field}][${operator}]=${operator === 'null' ? 'true' : field === 'at' ? '2024-01-01' : 1}`,
      ),
    );
    expect(refusal(filters.slice(0, 32).join('&'))).toBe('taken');
    expect(refusal(filters.slice(0, 33).join('&'))).toBe('invalid_parameter filter[at][eq]');
    expect(refusal('sort=title,body,n,price,ratio,flag,day,at')).toBe('taken');
    expect(refusal('sort=title,body,n,price,ratio,flag,day,at,state')).toBe('invalid_parameter sort');
  });

  it.each([
    'filter[?]=1',
    'filter[?][foo]=1',
    'filter[?][like]=a',
    'sort=?',
    'sort=-?',
    'fields=?',
    'fields=id,?',
  ])('answers %s alike for hidden, missing and dangerous names', (query) => {
    for (const name of [
      'secret',
      'user_id',
      'nothing',
      '__proto__',
      'constructor',
      'id"',
      "id'--",
      't.id',
      'ID',
    ])
      expect(refusal(query.replace('?', encodeURIComponent(name)))).toBe(`unusable_field ${name}`);
  });

  it('refuses to sort by what has no order', () => {
    expect(refusal('sort=data')).toBe('unusable_field data');
  });

  it('shortens what it repeats of a name', () => {
    expect(refusal(`${'x'.repeat(500)}=1`)).toBe(`invalid_parameter ${'x'.repeat(100)}`);
    // The cut falls into the middle of a character.
    expect(refusal(`x${encodeURIComponent('😀'.repeat(60))}=1`).isWellFormed()).toBe(true);
  });

  it('parseListParameters reads paging', () => {
    expect(parse('').paging).toEqual({ kind: 'all' });
    expect(parse('page=3').paging).toEqual({ kind: 'page', page: 3, perPage: 20, numbered: true });
    expect(parse('per_page=7').paging).toEqual({ kind: 'page', page: 1, perPage: 7, numbered: false });
    expect(parse('after=WyJpZCIsMV0').paging).toEqual({ kind: 'after', perPage: 20, values: [1] });
    expect(parse('&&page=2&').paging).toMatchObject({ page: 2 });
    expect(parseListParameters(view, 'page=1', 5).paging).toMatchObject({ perPage: 5 });
  });

  it('breaks ties by the key, and drops what stands behind it', () => {
    expect(sortSignature(parse('').sort)).toBe('id');
    expect(sortSignature(parse('sort=-at,title').sort)).toBe('-at,title,id');
    expect(sortSignature(parse('sort=-id,title,n').sort)).toBe('-id');
  });

  it('answers fields in the order of the view', () => {
    expect(parse('fields=n,title,id').fields).toEqual(['id', 'title', 'n']);
  });

  it('ignores the cache buster `_` and an empty q, and keeps the rest for links', () => {
    expect(parse('_=123&q=&page=2&sort=n&per_page=5')).toMatchObject({
      search: undefined,
      shared: 'q=&sort=n&',
    });
  });

  it('reads values in percent or form encoding', () => {
    expect(parse('filter%5Btitle%5D=a+b%2Bc%20%F0%9F%98%80').filters[0]?.values).toEqual(['a b+c 😀']);
  });

  it('takes or refuses any query as a problem, and never anything else', () => {
    const word = fc.constantFrom(
      'page',
      'per_page',
      'after',
      'sort',
      'filter[id]',
      'filter[title][in]',
      'q',
      'fields',
      '&',
      '=',
      '%',
      '[',
      ']',
      ',',
      '-',
      '\\',
      '1',
      'a',
      'title',
      'secret',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string({ unit: 'binary' })), { maxLength: 12 }), (words) => {
        expect(refusal(words.join(''))).toMatch(/^(taken|invalid_parameter |unusable_field )/);
      }),
      { numRuns: 300 },
    );
  });
});
