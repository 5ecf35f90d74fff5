import { describe, expect, it } from 'vitest';
import { hasFiniteNumbers, toJson } from './json.ts';

describe('hasFiniteNumbers', () => {
  it.each(['1e400', '-1e400', '[[1e400]]', '{"a":{"b":[0,-1E+999]}}'])(
    'hasFiniteNumbers is false for %s',
    (text) => {
      expect(hasFiniteNumbers(JSON.parse(text))).toBe(false);
    },
  );

  it.each(['1.7976931348623157e308', '9007199254740993', '"1e400"', '{"1e400":[null,true,{}]}'])(
    'hasFiniteNumbers is true for %s',
    (text) => {
      expect(hasFiniteNumbers(JSON.parse(text))).toBe(true);
    },
  );
});

describe('toJson', () => {
  it('makes what a body would bring, and no null of a number', () => {
    const at = new Date(0);
    expect(toJson({ a: 1, at, none: undefined })).toEqual({ a: 1, at: '1970-01-01T00:00:00.000Z' });
    for (const number of [Number.NaN, Infinity, -Infinity])
      expect(() => toJson({ a: [number] })).toThrow(TypeError);
  });
});
