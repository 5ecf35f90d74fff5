import { describe, expect, it } from 'vitest';
import { measuresOf } from './aggregates.ts';
import { field } from './define.ts';
import { type FieldDefinition, fieldFlaw } from './field.ts';
import { signedKey } from './keys/signed.ts';
import { newUuid, uuidKey } from './keys/uuid.ts';
import { keyOfColumns, recordKeys } from './keys.ts';

describe('keys', () => {
  it('an integer is a positive whole number that doubles hold', () => {
    const { parse, of } = recordKeys.integer;
    expect(['1', '17', '9007199254740991'].map((text) => parse(text))).toEqual([1, 17, 9007199254740991]);
    for (const text of ['', '0', '-1', '01', '1.0', '1e3', ' 1', '9007199254740992', 'x'])
      expect([text, parse(text)]).toEqual([text, undefined]);
    expect([1, 0, -1, 1.5, '1', null, undefined].map((value) => of(value))).toEqual([
      1,
      ...Array.from({ length: 6 }, () => undefined),
    ]);
  });

  it('a UUID is taken in either case, and nothing else is', () => {
    const { parse, of, compare } = recordKeys.uuid;
    const id = '01980000-abcd-7000-8000-0000000000ff';
    expect([parse(id), parse(id.toUpperCase()), of(id.toUpperCase())]).toEqual([id, id, id]);
    for (const text of ['', '1', id.slice(1), `${id}0`, id.replaceAll('-', ''), `{${id}}`, `urn:uuid:${id}`])
      expect([text, parse(text)]).toEqual([text, undefined]);
    expect([1, null, undefined, {}].map((value) => of(value))).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
    const [low, high] = ['01980000-0000-7000-8000-000000000000', '01980000-0000-7000-8000-00000000000a'];
    expect([high, low].sort(compare)).toEqual([low, high]);
    expect(compare(low, low)).toBe(0);
    expect([measuresOf(recordKeys.uuid.field.type), uuidKey.field.type.operators]).toEqual([
      [],
      expect.arrayContaining(['gt', 'lte', 'in']),
    ]);
  });

  it('several columns make one text, each value percent-encoded, in one spelling', () => {
    const keyOf = (fields: Readonly<Record<string, FieldDefinition>>) =>
      keyOfColumns(Object.entries(fields).map(([name, { type, options }]) => ({ name, type, options })));
    const { parse, of, stored, format, parts, schema } = keyOf({
      place: field.string({ required: true }),
      state: field.enum(['on, off', 'on']),
      at: field.time(),
      box: field.reference('Box', { key: 'bigint' }),
    });
    expect(parts.map(({ name }) => name)).toEqual(['place', 'state', 'at', 'box']);
    for (const place of ['', ' ', 'a,b', '%2C', 'Zürich', '東京 😀', "!~*'()", '\n'])
      for (const box of ['-9223372036854775808', '0', '9007199254740993']) {
        const id = [place, 'on, off', '09:30:00', box].map(encodeURIComponent).join(',');
        expect([parse(id), of(id), stored(id), format(id)]).toEqual([id, id, id, id]);
        expect(new RegExp(String(schema['pattern'])).test(id)).toBe(true);
      }
    const right = 'a,on,09%3A30%3A00,7';
    expect(parse(right)).toBe(right);
    for (const wrong of [
      ...['', 'a', 'a,on,09%3A30%3A00', 'a,on,09%3A30%3A00,', `${right},`, `${right},1`, ` ${right}`],
      ...[
        'a,off,09%3A30%3A00,7',
        'a,on,09:30:00,7',
        'a,on,09%3a30%3A00,7',
        'a,on,09%3A30,7',
        'a,on,25%3A00%3A00,7',
      ],
      ...['a,on,09%3A30%3A00,07', 'a,on,09%3A30%3A00,x', '%61,on,09%3A30%3A00,7', 'ü,on,09%3A30%3A00,7'],
      ...[
        '%,on,09%3A30%3A00,7',
        '%FF,on,09%3A30%3A00,7',
        '%00,on,09%3A30%3A00,7',
        '%ED%A0%80,on,09%3A30%3A00,7',
      ],
    ])
      expect([wrong, parse(wrong)]).toEqual([wrong, undefined]);
    expect([1, null, undefined, [right], {}].map((value) => of(value))).toEqual(
      Array.from({ length: 5 }, () => undefined),
    );
  });

  it('digits of 64 bits have one spelling, and are compared as numbers', () => {
    const { parse, of, compare } = recordKeys.bigint;
    const ids = ['-9223372036854775808', '-10', '-9', '0', '9', '10', '9007199254740992', '9007199254740993'];
    for (const id of [...ids, '9223372036854775807']) expect([parse(id), of(id)]).toEqual([id, id]);
    for (const text of ['', '-0', '+1', '01', '1.0', '1e3', ' 1', '1n', '0x1', '9223372036854775808'])
      expect([text, parse(text), of(text)]).toEqual([text, undefined, undefined]);
    expect([1, 0, null, undefined, {}].map((value) => of(value))).toEqual(
      Array.from({ length: 5 }, () => undefined),
    );
    expect(ids.toReversed().sort(compare)).toEqual(ids);
    expect(compare('7', '7')).toBe(0);
    expect(measuresOf(recordKeys.bigint.field.type)).toEqual([]);
  });

  it('a text is any that paths do not change and no endpoint has, in the order of its bytes', () => {
    const { parse, of, compare } = recordKeys.text;
    const ids = ['%', ',', '...', '/', 'A', 'a', 'a/b', 'e\u0301', '\u00e9', '\uffff', '\u{1f600}'];
    for (const id of [...ids, '\u{1f600}'.repeat(255)]) expect([parse(id), of(id)]).toEqual([id, id]);
    for (const text of ['', ' ', ' a', 'a ', '.', '..', 'batch', 'a\nb', '\u007f', '\ud800', 'a'.repeat(256)])
      expect([text, parse(text), of(text)]).toEqual([text, undefined, undefined]);
    expect(of(1)).toBeUndefined();
    expect(ids.toReversed().sort(compare)).toEqual(ids);
  });

  it('numbers of a table that has zero or negative ones have one spelling', () => {
    const { parse, of } = signedKey;
    expect(['-7', '0', '12', '-9007199254740991'].map((text) => parse(text))).toEqual([
      -7, 0, 12, -9007199254740991,
    ]);
    for (const text of ['', '-0', '01', '1.0', '-', '9007199254740992'])
      expect([text, parse(text)]).toEqual([text, undefined]);
    expect([-7, 0, -0, 1.5, '1', null].map((value) => of(value))).toEqual([
      -7,
      0,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('new UUIDs are of version 7, have their time, and never go back', () => {
    const at = Date.UTC(2040, 0, 1);
    const ids = Array.from({ length: 20_000 }, (_, index) => newUuid(at + Math.floor(index / 10_000)));
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
    expect(Number.parseInt((ids[0] ?? '').replaceAll('-', '').slice(0, 12), 16)).toBe(at);
    // A clock that went back, and one whose milliseconds have a fraction.
    expect(newUuid(at - 60_000) > (ids.at(-1) ?? '')).toBe(true);
    expect(newUuid(at + 60_000.7) > (ids.at(-1) ?? '')).toBe(true);
  });

  it('a reference has the column, the schema and the values of the key that it names', () => {
    const { type, options } = field.reference('Invoice', { key: 'uuid' });
    const id = '01980000-abcd-7000-8000-0000000000ff';
    expect(type.column).toBe('uuid');
    expect(type.input(options, 'en')).toEqual({ type: 'string', format: 'uuid' });
    expect([type.parse(id.toUpperCase(), options), type.parse('1', options)]).toEqual([id, undefined]);
    expect(type.encode(id.toUpperCase(), options)).toBe(id);
    expect(fieldFlaw(field.reference('User', { key: 'uuid' }))).toBe("the key of User is 'integer'");
    expect(fieldFlaw(field.reference('Invoice', { key: 'ulid' as 'uuid' }))).toContain('key');
    const ledger = field.reference('Ledger', { key: 'bigint' });
    expect([ledger.type.column, ledger.type.check?.('9223372036854775808', ledger.options)]).toEqual([
      'bigint',
      { rule: 'pattern' },
    ]);
  });
});
