import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { thingFields, thingSource } from '../../../tests/support/things.ts';
import { sourceView } from '../view.ts';
import { decodeCursor, encodeCursor, isSeekable, maxCursorLength, parsePlace, parseSort } from './sort.ts';

const view = sourceView(thingSource, thingFields);
const sortOf = (text: string) => parseSort(view, text);
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('cursors', () => {
  it('cursors carry the values of the order and come back as columns take them', () => {
    const sort = sortOf('-at,price,flag,title');
    const cursor = encodeCursor(sort, ['2024-01-01T00:00:00.000Z', '12.50', true, null, 7]);
    expect(decodeCursor(cursor, sort)).toEqual({
      values: ['2024-01-01T00:00:00.000Z', 1250, true, null, 7],
    });
  });

  it('cursors are made for orders in which every place is short', () => {
    for (const text of ['id', 'title', '-at,price,flag,title', 'title,uid,state'])
      expect(isSeekable(sortOf(text))).toBe(true);
    for (const text of ['body', 'title,-body']) expect(isSeekable(sortOf(text))).toBe(false);
  });

  it('cursors are refused to be made where escapes make them too long', () => {
    expect(() => encodeCursor(sortOf('title'), ['\u0001'.repeat(2000), 7])).toThrow(
      expect.objectContaining({ problem: 'invalid_parameter', params: { name: 'sort' } }),
    );
  });

  it('cursors have 11,500 characters at most, made or read', () => {
    const sort = sortOf('title');
    const place = (length: number) => ['a'.repeat(length), 7];
    const longest = Array.from({ length: 40 }, (_, more) => 8_590 + more).filter((length) => {
      try {
        return encodeCursor(sort, place(length)).length <= maxCursorLength;
      } catch {
        return false;
      }
    });
    expect(encodeCursor(sort, place(longest.at(-1) ?? 0))).toHaveLength(maxCursorLength);
    const padded = (bytes: number) => Buffer.from('["title,id","a",1]'.padEnd(bytes)).toString('base64url');
    expect(padded(8_625)).toHaveLength(maxCursorLength);
    expect(decodeCursor(padded(8_625), sort)).toEqual({ values: ['a', 1] });
    expect(decodeCursor(padded(8_626), sort)).toBeUndefined();
  });

  it('cursors have one spelling: bits that a decoder drops are not to differ', () => {
    const sort = sortOf('title');
    const cursor = encodeCursor(sort, ['ab', 1]);
    expect(cursor.length % 4).not.toBe(0);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const twin = cursor.slice(0, -1) + alphabet[alphabet.indexOf(cursor.slice(-1)) + 1];
    expect(Buffer.from(twin, 'base64url')).toEqual(Buffer.from(cursor, 'base64url'));
    expect(decodeCursor(twin, sort)).toBeUndefined();
  });

  it('cursors that lead back do so in their own order only', () => {
    const [title, n] = [sortOf('title'), sortOf('n')];
    expect(decodeCursor(encodeCursor(title, ['a', 1], 'before'), title)).toEqual({
      values: ['a', 1],
      before: true,
    });
    expect(decodeCursor(encodeCursor(title, [], 'before'), title)).toEqual({ values: [], before: true });
    for (const values of [[], [1, 1]])
      expect(decodeCursor(encodeCursor(title, values, 'before'), n)).toBeUndefined();
  });

  it('cursors come from places that the database returned, one a line', () => {
    expect(parsePlace('["a",1]\n["b",2]')).toEqual(['b', 2]);
    expect(parsePlace('["a",1]\n["b",2]', 'first')).toEqual(['a', 1]);
    expect(parsePlace('[1]')).toEqual([1]);
    expect(() => parsePlace('{}')).toThrow('the database returned sort values that are not an array');
  });

  it.each([
    ['another order', encoded(['-title,id', 'a', 1])],
    ['another direction of the key', encoded(['title,-id', 'a', 1])],
    ['no array', encoded({ 0: 'title,id' })],
    ['a value too many', encoded(['title,id', 'a', 1, 2])],
    ['no values', encoded(['title,id'])],
    ['a null key', encoded(['title,id', 'a', null])],
    ['the key alone', encoded(['title,id', 7])],
    ['a key of another type', encoded(['title,id', 'a', 'one'])],
    ['a key beyond 2^53', encoded(['title,id', 'a', 2 ** 60])],
    ['an object', encoded(['title,id', {}, 1])],
    ['an array', encoded(['title,id', ['a'], 1])],
    ['NUL', encoded(['title,id', '\0', 1])],
    ['a lone surrogate', Buffer.from('["title,id","\\ud800",1]').toString('base64url')],
    ['invalid UTF-8', Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]).toString('base64url')],
    ['padding', `${encoded(['title,id', 'a', 1])}=`],
    ['standard base64', '+/+/'],
    ['depth', Buffer.from('['.repeat(1500)).toString('base64url')],
    ['length', encoded(['title,id', 'a'.repeat(maxCursorLength), 1])],
    ['nothing', ''],
  ])('cursors are refused with %s', (_, cursor) => {
    expect(decodeCursor(cursor, sortOf('title'))).toBeUndefined();
  });

  it('cursors are refused with null for a column that has none', () => {
    expect(decodeCursor(encoded(['at,id', null, 1]), sortOf('at'))).toBeUndefined();
  });

  it('cursors are refused when a character is cut off or changed, or mean the same', () => {
    const sort = sortOf('title');
    const cursor = encodeCursor(sort, ['hello', 12]);
    for (let length = 0; length < cursor.length; length += 1)
      expect(decodeCursor(cursor.slice(0, length), sort)).toBeUndefined();
    fc.assert(
      fc.property(fc.nat(cursor.length - 1), fc.constantFrom(...'AZaz09-_'), (at, character) => {
        const changed = cursor.slice(0, at) + character + cursor.slice(at + 1);
        const decoded = decodeCursor(changed, sort);
        if (decoded !== undefined && changed !== cursor) expect(decoded.values).not.toEqual(['hello', 12]);
      }),
    );
  });
});
