import { existsSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { postgresDialect } from '../database/postgres/dialect.ts';
import { renderedValue, type SourceColumn } from '../database/source.ts';
import { sqliteDialect } from '../database/sqlite/dialect.ts';
import { addFunctions } from '../database/sqlite/functions.ts';
import { sql, statement } from '../database/statement.ts';
import type { Json } from '../kernel/json.ts';
import { field } from './define.ts';
import type { ColumnValue, CommonOptions, FieldType } from './field.ts';
import { fieldKinds, fieldTypes } from './registry.ts';

const typeOf = (kind: keyof typeof fieldTypes): FieldType => fieldTypes[kind];

const vectors = new URL('../../../shared/vectors/naughty-strings.json', import.meta.url);
const naughty: string[] = existsSync(vectors)
  ? (JSON.parse(readFileSync(vectors, 'utf8')) as { strings: string[] }).strings
  : [];

/** Writes a value into a column of its type and reads the JSON that SQLite makes of it. */
const rendered = (type: FieldType, options: CommonOptions, value: Json): string => {
  const database = new DatabaseSync(':memory:');
  addFunctions(database);
  const column: ColumnValue = value === null ? null : type.encode(value, options);
  database.exec(`create table t ("c" ${sqliteDialect.columns[type.column].type})`);
  database.prepare('insert into t values (?)').run(typeof column === 'boolean' ? Number(column) : column);
  const source: SourceColumn = { name: 'c', type, options };
  const read = statement(sqliteDialect, () => {
    const value = renderedValue(source, sqliteDialect);
    return sql`select ${sqliteDialect.objectText([{ name: 'c', value }])} as json from t`;
  });
  const row = database.prepare(read({}).sql).get();
  database.close();
  return String(row?.['json']);
};

const valueIn = (kind: keyof typeof fieldTypes, value: Json, options: CommonOptions = {}): string =>
  rendered(typeOf(kind), options, value).slice('{"c":'.length, -1);

describe('registry', () => {
  it('knows every type by its own name', () => {
    for (const kind of fieldKinds) expect(typeOf(kind).kind).toBe(kind);
    expect(Object.keys(field)).toEqual([...fieldKinds, 'owner']);
  });

  it('gives every column of PostgreSQL texts the order of code points', () => {
    for (const kind of fieldKinds) {
      const { type } = postgresDialect.columns[typeOf(kind).column];
      if (type.startsWith('text')) expect(type).toBe('text collate "C"');
    }
  });
});

describe('rendering', () => {
  it.each(fieldKinds)('%s: null is null', (kind) => {
    expect(valueIn(kind, null)).toBe('null');
    expect(valueIn('decimal', null, { scale: 0 } as CommonOptions)).toBe('null');
  });

  it.each([
    ['boolean', true, 'true'],
    ['boolean', false, 'false'],
    ['integer', Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['integer', Number.MIN_SAFE_INTEGER, '-9007199254740991'],
    ['integer', -0, '0'],
    ['reference', 7, '7'],
    ['date', '0001-01-01', '"0001-01-01"'],
    ['datetime', '2024-02-29', '"2024-02-29T00:00:00.000Z"'],
    ['datetime', '2024-02-29T23:30:00,1239+05:30', '"2024-02-29T18:00:00.123Z"'],
    ['uuid', '0188A1B2-C3D4-7E5F-8A9B-0C1D2E3F4A5B', '"0188a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"'],
    ['decimal', '-0.05', '"-0.05"'],
    ['decimal', 0, '"0.00"'],
    ['decimal', '9999999999999.99', '"9999999999999.99"'],
    ['json', { b: 1, a: [true, null, 'x"y', 1.5] }, '{"b":1,"a":[true,null,"x\\"y",1.5]}'],
    ['json', 'text', '"text"'],
    ['json', false, 'false'],
  ] as const)('renders the %s %j', (kind, value, text) => {
    expect(valueIn(kind, value)).toBe(text);
  });

  it('decimals of every scale', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -(10 ** 15) + 1, max: 10 ** 15 - 1 }),
        fc.integer({ min: 0, max: 8 }),
        (scaled, scale) => {
          const digits = String(Math.abs(scaled)).padStart(scale + 1, '0');
          const at = digits.length - scale;
          const text = `${scaled < 0 ? '-' : ''}${digits.slice(0, at)}${scale === 0 ? '' : '.'}${digits.slice(at)}`;
          expect(valueIn('decimal', text, { scale } as CommonOptions)).toBe(JSON.stringify(text));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('numbers as JSON.stringify writes them', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(valueIn('number', value)).toBe(JSON.stringify(value));
      }),
      { numRuns: 200 },
    );
  });

  it('JSON values as JSON.stringify writes them', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const json = value as Json;
        if (json === null || typeOf('json').check?.(json, {}) !== undefined) return;
        expect(valueIn('json', json)).toBe(JSON.stringify(json));
      }),
      { numRuns: 200 },
    );
  });

  it.skipIf(naughty.length === 0)('naughty texts as JSON.stringify writes them', () => {
    for (const text of naughty) {
      if (typeOf('string').check?.(text, {}) !== undefined) continue;
      expect(valueIn('string', text)).toBe(JSON.stringify(text));
      expect(valueIn('json', [text])).toBe(JSON.stringify([text]));
    }
  });
});

const nested = (levels: number): Json => {
  let value: Json = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

describe('what a schema cannot say', () => {
  it('json: depth, numbers that JSON cannot write, texts that a database cannot keep', () => {
    const { json } = fieldTypes;
    expect(json.check(nested(100))).toBeUndefined();
    expect(valueIn('json', nested(100))).toBe(JSON.stringify(nested(100)));
    for (const value of [
      nested(101),
      nested(100_000),
      [Number.POSITIVE_INFINITY],
      { a: '\0' },
      { '\ud800': 1 },
      '\udc00',
    ]) {
      expect(json.check(value)).toEqual({ rule: 'json' });
      expect(() => json.encode(value)).toThrow(TypeError);
    }
  });

  it('json: keys that JavaScript lends a meaning are plain keys', () => {
    const value = JSON.parse('{"__proto__":{"a":1},"constructor":2,"toJSON":3}') as Json;
    expect(valueIn('json', value)).toBe('{"__proto__":{"a":1},"constructor":2,"toJSON":3}');
  });

  it.each(['string', 'text', 'email', 'url', 'enum'] as const)(
    '%s never encodes NUL or half a character',
    (kind) => {
      for (const text of ['a\0b', '\ud83d', '\ude00\ud83d', 5, null, {}])
        expect(() => typeOf(kind).encode(text, {})).toThrow(TypeError);
    },
  );

  it.each([
    ['integer', ['1', Number.NaN, Number.POSITIVE_INFINITY]],
    ['boolean', [0, 'true']],
    ['date', ['2023-02-29', '2024-1-1', '']],
    ['datetime', ['2024-01-01T24:00:00Z', '0000-01-01', 'now']],
    ['uuid', ['0188a1b2c3d47e5f8a9b0c1d2e3f4a5b', '{0188a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b}']],
  ] as const)('%s refuses to encode what was never checked', (kind, values) => {
    for (const value of values) expect(() => typeOf(kind).encode(value, {})).toThrow(TypeError);
  });
});

describe('formats', () => {
  it.each([
    ['email', 'a@b.de', true],
    ['email', 'first.last+tag@sub.example.co', true],
    ['email', '用户@例子.公司', true],
    ['email', 'a@b', false],
    ['email', 'a@b..de', false],
    ['email', '.a@b.de', false],
    ['email', 'a b@c.de', false],
    ['email', 'a@-b.de', false],
    ['email', 'a@b.de\n', false],
    ['email', '<script>@b.de', false],
    ['email', '@b.de', false],
    ['url', 'https://example.com/a?b=c#d', true],
    ['url', 'HTTP://EXAMPLE.com', true],
    ['url', 'https://例子.公司/路径', true],
    ['url', 'https://[::1]:8080/', true],
    ['url', 'javascript:alert(1)', false],
    ['url', 'http:example.com', false],
    ['url', 'https:\\\\evil.com', false],
    ['url', 'https://exa mple.com', false],
    ['url', 'https://a/\njavascript:x', false],
    ['url', 'https://', false],
    ['url', 'https://@evil', false],
    ['url', 'ftp://a.b', false],
    ['url', '//a.b', false],
    ['datetime', '2024-12-31T23:59:59.999999999-12:00', true],
    ['datetime', '2024-13-01', false],
  ] as const)('checks the format of the %s %j: %s', (kind, text, fits) => {
    expect(typeOf(kind).format?.test(text)).toBe(fits);
  });

  it('email and url stay linear on long texts', () => {
    const started = performance.now();
    for (const text of ['a.'.repeat(500_000), `a@${'a-'.repeat(500_000)}`, `https://${'a'.repeat(1e6)} `]) {
      expect(fieldTypes.email.format.test(text)).toBe(false);
      expect(fieldTypes.url.format.test(text)).toBe(false);
    }
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('filters', () => {
  it.each([
    ['integer', '-42', -42],
    ['integer', '-0', 0],
    ['integer', '9007199254740991', Number.MAX_SAFE_INTEGER],
    ['integer', '9007199254740992', undefined],
    ['integer', '1.0', undefined],
    ['integer', '1e3', undefined],
    ['integer', '', undefined],
    ['number', '1e3', 1000],
    ['number', '-0', 0],
    ['number', '1e999', undefined],
    ['number', 'NaN', undefined],
    ['number', '0x1', undefined],
    ['decimal', '12.5', 1250],
    ['decimal', '12.505', undefined],
    ['boolean', 'true', true],
    ['boolean', '1', undefined],
    ['date', '2024-02-30', undefined],
    ['datetime', '2024-01-01T00:00:00+01:00', '2023-12-31T23:00:00.000Z'],
    ['uuid', '0188A1B2-C3D4-7E5F-8A9B-0C1D2E3F4A5B', '0188a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b'],
    ['reference', '0', undefined],
    ['reference', '12', 12],
    ['string', 'a\0', undefined],
    ['string', '', ''],
    ['json', '{}', undefined],
  ] as const)('%s: %j is %j', (kind, text, value) => {
    expect(typeOf(kind).parse(text, {})).toBe(value);
  });

  it('an enum filter takes only its choices', () => {
    const { type, options } = field.enum(['draft', 'live']);
    expect(type.parse('live', options)).toBe('live');
    expect(type.parse('gone', options)).toBeUndefined();
  });

  it('a rendered datetime parses to itself', () => {
    const instants = fc.date({
      min: new Date('0001-01-01'),
      max: new Date('9999-12-31'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, (instant) => {
        const text = instant.toISOString();
        expect(typeOf('datetime').parse(text, {})).toBe(text);
      }),
    );
  });
});

describe('a text of a file without types', () => {
  const cells: [keyof typeof fieldTypes, string, Json][] = [
    ['integer', '-12', -12],
    ['integer', '1.5', '1.5'],
    ['number', '1e-7', 1e-7],
    ['number', '1e999', '1e999'],
    ['boolean', 'TRUE', true],
    ['boolean', '0', false],
    ['boolean', 'yes', 'yes'],
    ['decimal', '12.50', '12.50'],
    ['reference', '7', 7],
    ['json', '"1"', '1'],
    ['json', '{"a":[1]}', { a: [1] }],
    ['string', '', ''],
    ['text', '', ''],
  ];
  it.each(cells)('reads a field of %s from the text %s', (kind, text, value) => {
    expect(typeOf(kind).fromText(text)).toEqual(value);
  });

  it('an empty text of a file is not a value, unless the field takes an empty text', () => {
    const kept = fieldKinds.filter((kind) => typeOf(kind).fromText('') !== null);
    expect(kept).toEqual(['string', 'text']);
  });

  it('a text of a file that is not JSON is nothing that a field of JSON takes', () => {
    const type = typeOf('json');
    expect(type.check?.(type.fromText('{x'), {})).toEqual({ rule: 'json' });
  });
});
