import { expect, it } from 'vitest';
import { textCode } from './scaffold/code.ts';
import { typeOf } from './schema-type.ts';

it.each([
  [{}, 'unknown'],
  [{ type: 'string', format: 'date' }, 'string'],
  [{ type: ['integer', 'number', 'null'] }, 'number | null'],
  [{ enum: ['a', 2, null, "it's"] }, `'a' | 2 | null | "it's"`],
  [{ const: { a: 1 } }, 'unknown'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
  [{ anyOf: [{ type: 'string' }, {}] }, 'unknown'],
  [{ type: 'array' }, 'Json[]'],
  [{ type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
  [{ type: 'array', prefixItems: [{ type: 'string' }] }, 'unknown'],
  [{ type: 'object' }, '{ readonly [key: string]: Json }'],
  [{ type: 'object', additionalProperties: { type: 'boolean' } }, '{ readonly [key: string]: boolean }'],
  [{ type: ['object', 'array', 'string'] }, 'Json'],
  [
    { properties: { a: { $ref: '#/a' }, 'b-c': true }, required: ['a'] },
    "{\n  a: unknown;\n  'b-c'?: unknown;\n}",
  ],
  [{ allOf: [{ type: 'string' }] }, 'unknown'],
  [{ type: 'strnig' }, 'unknown'],
] as const)('%j is %s', (schema, type) => {
  expect(typeOf(schema)).toBe(type);
});

it('a literal says the text, whatever is in it', () => {
  for (const text of ['', "it's", 'a"b', '\\', "\\'", 'a\nb\r\u2028', '`a`'])
    expect(new Function(`return ${textCode(text)}`)()).toBe(text);
});
