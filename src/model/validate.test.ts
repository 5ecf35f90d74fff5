import { existsSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { field } from '../fields/define.ts';
import type { FieldType } from '../fields/field.ts';
import { fieldTypes } from '../fields/registry.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { catalogueOf } from '../kernel/messages/messages.ts';
import { defineResource } from './define-resource.ts';
import { inputSchema } from './schema.ts';
import { compileValidator } from './validate.ts';

const vectors = new URL('../../../shared/vectors/naughty-strings.json', import.meta.url);
const naughty: string[] = existsSync(vectors)
  ? (JSON.parse(readFileSync(vectors, 'utf8')) as { strings: string[] }).strings
  : [];

const sample = defineResource('Sample', {
  fields: {
    title: field.string({ required: true, min: 3, max: 5, label: { 'zh-CN': '标题', en: 'Title' } }),
    slug: field.string({ pattern: '^[a-z]+$', max: 8 }),
    body: field.text(),
    size: field.integer({ min: 1, max: 10 }),
    any_size: field.integer(),
    ratio: field.number({ min: 0, max: 1 }),
    price: field.decimal({ min: '0.00' }),
    live: field.boolean({ default: false }),
    day: field.date(),
    at: field.datetime(),
    state: field.enum(['draft', 'live'], { default: 'draft' }),
    extra: field.json(),
    mail: field.email(),
    site: field.url(),
    token: field.uuid(),
    author: field.reference('User'),
    count: field.integer({ required: true, default: 0 }),
  },
});

const all: ReadonlySet<string> = new Set(sample.fields.keys());
const validate = compileValidator(sample, catalogueOf('en'));
const rulesOf = (body: JsonObject, action: 'create' | 'update' = 'update') =>
  validate(body, action, all).errors.map(({ field: name, rule }) => `${name} ${rule}`);

describe('validation', () => {
  it.each<[string, Json, string[]]>([
    ['title', 'abc', []],
    ['title', '😀😀😀😀😀', []],
    ['title', '😀😀', ['min_length']],
    ['title', 'abcdef', ['max_length']],
    ['title', null, ['required']],
    ['title', '', ['required']],
    ['title', ' \t\n\u00a0\u2003\u3000\u0085\u200b\ufeff', ['required']],
    ['title', 5, ['type']],
    ['title', ['abc'], ['type']],
    ['title', 'a\0b', ['pattern']],
    ['title', 'ab\ud800', ['pattern']],
    ['slug', '', ['pattern']],
    ['slug', 'ABC', ['pattern']],
    ['slug', 'A'.repeat(9), ['max_length']],
    ['slug', null, []],
    ['body', '', []],
    ['body', 'x'.repeat(1_048_576), []],
    ['body', 'x'.repeat(1_048_577), ['max_length']],
    ['size', 0, ['minimum']],
    ['size', 11, ['maximum']],
    ['size', 1.5, ['type']],
    ['size', '5', ['type']],
    ['size', true, ['type']],
    ['any_size', Number.MAX_SAFE_INTEGER, []],
    ['any_size', 2 ** 53, ['integer_range']],
    ['any_size', -(2 ** 53), ['integer_range']],
    ['any_size', 1e300, ['integer_range']],
    ['any_size', Number.POSITIVE_INFINITY, ['type']],
    ['ratio', 0.5, []],
    ['ratio', -0.1, ['minimum']],
    ['ratio', Number.POSITIVE_INFINITY, ['type']],
    ['price', '12.50', []],
    ['price', 12.5, []],
    ['price', '12.505', ['decimal']],
    ['price', 0.1 + 0.2, ['decimal']],
    ['price', '-0.01', ['minimum']],
    ['price', true, ['type']],
    ['live', 'true', ['type']],
    ['live', 1, ['type']],
    ['live', null, []],
    ['day', '2024-02-29', []],
    ['day', '2023-02-29', ['date']],
    ['day', '', ['date']],
    ['at', '2024-02-29T12:00:00+02:00', []],
    ['at', '2024-02-30T12:00:00Z', ['datetime']],
    ['state', 'live', []],
    ['state', 'gone', ['enum']],
    ['state', 'toString', ['enum']],
    ['state', 7, ['type']],
    ['extra', { a: [1, { b: null }] }, []],
    ['extra', [Number.POSITIVE_INFINITY], ['json']],
    ['mail', 'a@b.de', []],
    ['mail', 'a@b', ['email']],
    ['site', 'javascript:alert(1)', ['url']],
    ['token', 'x', ['uuid']],
    ['author_id', 0, ['minimum']],
    ['author_id', '1', ['type']],
    ['author_id', 2 ** 60, ['integer_range']],
    ['count', null, ['required']],
    ['id', 5, []],
    ['created_at', 'x', []],
    ['nothing', {}, []],
  ])('validates %s = %j: %j', (name, value, rules) => {
    expect(rulesOf({ [name]: value })).toEqual(rules.map((rule) => `${name} ${rule}`));
  });

  it('tells everything at once, in the order of the fields', () => {
    const { errors, columns } = validate({ size: 0, slug: 'A', price: 'x', body: 'kept' }, 'create', all);
    expect(errors).toEqual([
      { field: 'title', rule: 'required', message: 'Title must not be blank' },
      { field: 'slug', rule: 'pattern', message: 'Slug has the wrong format' },
      { field: 'size', rule: 'minimum', message: 'Size must be at least 1' },
      { field: 'price', rule: 'number', message: 'Price must be a number' },
    ]);
    expect(columns).toEqual({ body: 'kept', live: false, state: 'draft', count: 0 });
  });

  it('speaks the language of the service, bounds and types in words', () => {
    const { errors } = compileValidator(sample, catalogueOf('zh-CN'))(
      { title: 1, size: 99, state: 'x' },
      'update',
      all,
    );
    expect(errors.map(({ message }) => message)).toEqual([
      '标题类型应为文本',
      'Size 不能大于 10',
      'State 必须是以下之一：draft, live',
    ]);
  });

  it('takes defaults on create only, and never for null', () => {
    expect(validate({ title: 'abc' }, 'create', all).values).toEqual({
      title: 'abc',
      live: false,
      state: 'draft',
      count: 0,
    });
    expect(validate({ title: 'abc', live: null }, 'create', all).columns['live']).toBeNull();
    expect(validate({}, 'update', all)).toEqual({ values: {}, columns: {}, errors: [] });
  });

  it('ignores what the caller may not write, but takes its default', () => {
    const { values, errors } = validate({ title: 'abc', state: 'live', id: 9 }, 'create', new Set(['title']));
    expect(errors).toEqual([]);
    expect(values).toEqual({ title: 'abc', live: false, state: 'draft', count: 0 });
  });

  it('reads only what a body itself has', () => {
    const body = JSON.parse('{"__proto__":{"title":"abc","live":true},"constructor":1}') as JsonObject;
    expect(validate(body, 'update', all).values).toEqual({});
    expect(validate(Object.create({ title: 'abc' }) as JsonObject, 'update', all).values).toEqual({});
  });

  it('encodes as the columns take it, and gives hooks the form that is returned', () => {
    const body = { price: 12.5, at: '2024-01-01', token: 'ABCDEF00-0000-4000-8000-000000000000', extra: [1] };
    const { values, columns } = validate(body, 'update', all);
    expect(values).toEqual({
      price: '12.50',
      at: '2024-01-01T00:00:00.000Z',
      token: 'abcdef00-0000-4000-8000-000000000000',
      extra: [1],
    });
    expect(columns).toEqual({
      price: 1250,
      at: '2024-01-01T00:00:00.000Z',
      token: 'abcdef00-0000-4000-8000-000000000000',
      extra: '[1]',
    });
  });

  it('runs a pattern on texts within the bound only', () => {
    const slow = defineResource('Slow', { fields: { code: field.string({ max: 10, pattern: 'a*a*b' }) } });
    const started = performance.now();
    const { errors } = compileValidator(slow, catalogueOf('en'))(
      // Ten characters are nothing; these would take its N^3 steps for days.
      { code: 'a'.repeat(100_000) },
      'update',
      new Set(['code']),
    );
    expect(errors.map(({ rule }) => rule)).toEqual(['max_length']);
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it.skipIf(naughty.length === 0)('naughty strings come through as they are, or with one reason', () => {
    const wide = defineResource('Wide', { fields: { text: field.text({ required: true }) } });
    const check = compileValidator(wide, catalogueOf('en'));
    let kept = 0;
    for (const text of naughty) {
      const { columns, errors } = check({ text }, 'create', new Set(['text']));
      expect(errors.length).toBe(columns['text'] === text ? 0 : 1);
      if (errors.length === 0) kept += 1;
      else expect(errors[0]?.rule).toBe(text.isWellFormed() && !text.includes('\0') ? 'required' : 'pattern');
    }
    expect(kept).toBeGreaterThan(480);
  });

  it('validation never throws and never encodes half, whatever JSON comes', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...all, 'x'), fc.jsonValue(), { noNullPrototype: true }),
        fc.constantFrom('create' as const, 'update' as const),
        (body, action) => {
          const { values, columns, errors } = validate(body as JsonObject, action, all);
          const wrong = new Set(errors.map(({ field: name }) => name));
          for (const name of Object.keys(values)) expect(Object.hasOwn(columns, name)).toBe(!wrong.has(name));
        },
      ),
    );
  });

  it('agrees with the schema that it publishes', () => {
    const ajv = new Ajv({ allowUnionTypes: true, validateSchema: true, strict: true });
    for (const { format } of Object.values<FieldType>(fieldTypes))
      if (format !== undefined) ajv.addFormat(format.name, (text: string) => format.test(text));
    const published = ajv.compile(inputSchema(sample, 'update', all, 'en'));
    const names = [...all].filter((name) => !['price', 'extra', 'title', 'body', 'slug'].includes(name));
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...names), fc.jsonValue(), { noNullPrototype: true }),
        (body) => {
          expect(validate(body as JsonObject, 'update', all).errors.length === 0).toBe(published(body));
        },
      ),
    );
  });
});
