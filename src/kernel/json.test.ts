import { describe, expect, it } from 'vitest';
import { JsonNumberError, parseJsonText, toJson } from './json.ts';

describe('parseJsonText', () => {
  it.each([
    ...['1e400', '-1e400', '1e0000000400', '1E+999', '1e-400', '-0.5e-9999', '1'.repeat(400)],
    ...[
      '9007199254740992',
      '-9007199254740992',
      '9007199254740993',
      '9007199254740993.0',
      '9007199254740991.5',
    ],
    `0.${'0'.repeat(400)}1`,
  ])('refuses %s, wherever it stands', (number) => {
    for (const text of [
      number,
      `[[${number}]]`,
      `{"a":{"b":[0,${number}]}}`,
      `{"text":"1e400","n": ${number} }`,
    ])
      expect(() => parseJsonText(text)).toThrow(JsonNumberError);
  });

  it.each([
    ...['9007199254740991', '-9007199254740991', '1.7976931348623157e308', '5e-324', '-1e+21'],
    ...['0', '-0', '0e999', '0.0e-999', '0.30000000000000004', '1234567890.1234567890123', '"1e400"'],
    ...['"9007199254740993"', '{"9007199254740993":1}', '["a1e400"]'],
  ])('takes %s as JSON.parse does', (text) => {
    expect(parseJsonText(text)).toEqual(JSON.parse(text));
  });

  it('refuses what is no JSON as JSON.parse does', () => {
    for (const text of ['', '1e', '01', '[1e400', '{"a":9007199254740993'])
      expect(() => parseJsonText(text)).toThrow(SyntaxError);
  });
});

describe('toJson', () => {
  it('makes what a body would bring, and no null of a number', () => {
    const at = new Date(0);
    expect(toJson({ a: 1, at, none: undefined })).toEqual({ a: 1, at: '1970-01-01T00:00:00.000Z' });
    for (const number of [Number.NaN, Infinity, -Infinity])
      expect(() => toJson({ a: [number] })).toThrow(TypeError);
  });
});
