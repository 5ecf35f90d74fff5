import { describe, expect, it } from 'vitest';
import type { DescribedColumn, StoredType } from '../../database/described-tables.ts';
import { fieldFlaw } from '../../fields/field.ts';
import { statementText } from '../scaffold/code.ts';
import { fieldCode } from '../scaffold/field-code.ts';
import { codeDigest } from './adopted-file.ts';
import { type ColumnFacts, fieldOfColumn, referenceOfColumn } from './column-field.ts';

const holds = [
  'text',
  'integer',
  'bigint',
  'decimal',
  'number',
  'boolean',
  'timestamp',
  'date',
  'time',
  'uuid',
  'json',
] as const;

const column = (type: StoredType, given: Partial<DescribedColumn> = {}): DescribedColumn => ({
  name: 'value',
  declared: '',
  type,
  holds,
  notNull: false,
  provision: undefined,
  comment: undefined,
  readable: true,
  checks: [],
  ...given,
});

const plain: ColumnFacts = { conditions: [], indexed: false, unique: false };

const integer: StoredType = { kind: 'integer', min: undefined, max: undefined, wide: false };

const text = (max?: number): StoredType => ({ kind: 'text', max, padded: false, foldsCase: false });

const constant = (value: string) => ({ by: 'constant', text: value }) as const;

/** The code of the field, which a model must accept; or the reason why there is none. */
const codeOf = (given: DescribedColumn, facts: Partial<ColumnFacts> = {}): string => {
  const field = fieldOfColumn(given, { ...plain, ...facts });
  if ('because' in field) return field.because;
  const { generated: _, ...options } = field.definition.options as { readonly generated?: true };
  expect(fieldFlaw({ type: field.definition.type, options })).toBeUndefined();
  return statementText(fieldCode(field.definition), { after: '' });
};

describe('fields of columns', () => {
  it.each([
    [text(), {}, 'field.text()'],
    [text(500), {}, 'field.string({ max: 500 })'],
    [text(501), {}, 'field.text({ max: 501 })'],
    [text(2_000_000), {}, 'field.text()'],
    [text(), { indexed: true }, 'field.string({ max: 640 })'],
    [text(600), { unique: true, indexed: true }, 'field.string({ unique: true, max: 600 })'],
    [text(700), { unique: true, indexed: true }, 'field.string({ unique: true, max: 640 })'],
  ] as const)('a text is one line or several, and short in an index: %j %j', (type, facts, code) => {
    expect(codeOf(column(type), facts)).toBe(code);
  });

  it.each([
    [5, 2, "field.decimal({ scale: 2, min: '-999.99', max: '999.99' })"],
    [15, 2, 'field.decimal({ scale: 2 })'],
    [14, 0, "field.decimal({ scale: 0, min: '-99999999999999', max: '99999999999999' })"],
    [2, 4, 'field.decimal({ scale: 4 })'],
    [16, 2, 'it has 16 digits: a decimal has 15'],
    [12, 9, 'its scale is 9: that of a decimal is 0 to 8'],
    [5, -2, 'its scale is -2: that of a decimal is 0 to 8'],
    [undefined, undefined, 'it has no precision: a decimal has a fixed number of digits'],
  ])('numeric(%s, %s) is %s', (precision, scale, code) => {
    expect(codeOf(column({ kind: 'decimal', precision, scale }))).toBe(code);
  });

  it.each([
    [integer, '7', 'field.integer({ default: 7 })'],
    [integer, 'seven', 'field.integer()'],
    [integer, '', 'field.integer()'],
    [integer, '1e30', 'field.integer()'],
    [{ kind: 'boolean' }, 't', 'field.boolean({ default: true })'],
    [{ kind: 'boolean' }, '0', 'field.boolean({ default: false })'],
    [{ kind: 'boolean' }, 'maybe', 'field.boolean()'],
    [{ kind: 'date' }, '2024-02-30', 'field.date()'],
    [{ kind: 'date' }, '2024-02-29', "field.date({ default: '2024-02-29' })"],
    [{ kind: 'json' }, '{"a":[1]}', 'field.json({ default: { a: [1] } })'],
    [{ kind: 'json' }, '{"__proto__":{"admin":true}}', 'field.json()'],
    [{ kind: 'json' }, '{', 'field.json()'],
    [{ kind: 'enum', choices: ['a', 'b'] }, 'c', "field.enum(['a', 'b'])"],
    [{ kind: 'decimal', precision: 15, scale: 2 }, '1.005', 'field.decimal({ scale: 2 })'],
    [{ kind: 'decimal', precision: 15, scale: 2 }, '1.50', "field.decimal({ scale: 2, default: '1.50' })"],
  ] as const)('%j with the default %s is %s', (type, value, code) => {
    expect(codeOf(column(type as StoredType, { provision: constant(value) }))).toBe(code);
  });

  it('a text that is not null is required, unless it is blank by default', () => {
    expect(codeOf(column(text(9), { notNull: true }))).toBe('field.string({ required: true, max: 9 })');
    expect(codeOf(column(text(9), { notNull: true, provision: constant('') }))).toBe(
      "field.string({ max: 9, default: '' })",
    );
    expect(codeOf(column(text(9), { notNull: true, provision: constant('a') }))).toBe(
      "field.string({ required: true, max: 9, default: 'a' })",
    );
  });

  it('a value that the database makes has no bounds', () => {
    const small: StoredType = { kind: 'integer', min: -5, max: 5, wide: false };
    for (const provision of [
      { by: 'count' },
      { by: 'expression', sql: 'random()' },
      { by: 'always', sql: 'a + b' },
    ] as const)
      expect(codeOf(column(small, { notNull: true, provision }))).toBe('field.integer({ generated: true })');
  });

  it('conditions that a field cannot say leave it as it is', () => {
    const bound = { column: 'value', bound: 'min', number: '0.5', open: false } as const;
    const conditions = [bound];
    expect(codeOf(column(integer), { conditions })).toBe('field.integer()');
    expect(codeOf(column({ kind: 'number' }), { conditions })).toBe('field.number()');
    expect(codeOf(column({ kind: 'decimal', precision: 15, scale: 1 }), { conditions })).toBe(
      "field.decimal({ scale: 1, min: '0.5' })",
    );
    const blank = [{ column: 'value', choices: ['', 'a'] }];
    expect(codeOf(column(text(9)), { conditions: blank })).toBe('field.string({ max: 9 })');
  });

  it('names of secrets leave out texts and bytes, not times', () => {
    expect(codeOf(column(text(), { name: 'api_token' }))).toBe('its name says that it holds a secret');
    expect(codeOf(column({ kind: 'other', because: 'x' }, { name: 'password' }))).toBe(
      'its name says that it holds a secret',
    );
    expect(codeOf(column(integer, { name: 'token' }))).toBe('field.integer()');
  });

  it.each([
    ['no action', false, "field.reference('A')"],
    ['restrict', true, "field.reference('A', { required: true })"],
    ['cascade', true, "field.reference('A', { required: true })"],
    ['set null', false, "field.reference('A')"],
    ['set default', false, "field.reference('A')"],
  ])('a reference with on delete %s, not null %s, leaves it to the database', (onDelete, notNull, code) => {
    const target = { model: 'A', key: 'integer', onDelete } as const;
    const made = referenceOfColumn(column(integer, { notNull }), target, false);
    if ('because' in made) throw new Error(made.because);
    expect(fieldFlaw(made.definition)).toBeUndefined();
    expect(statementText(fieldCode(made.definition), { after: '' })).toBe(code);
    expect(made.remarks.length).toBe(['no action', 'restrict'].includes(onDelete) ? 0 : 1);
  });
});

describe('the digest of a file', () => {
  const code = `// It's "one"\nexport default f('a', {\n  b: 'c d',\n  e: "it's",\n});\n`;

  it('stays the same for a formatter', () => {
    const formatted = [
      code.replaceAll("'a'", '"a"').replaceAll("'c d'", '"c d"'),
      code.replaceAll('  ', '\t').replaceAll(/;|,(?=\n})/g, ''),
      code.replaceAll('\n', '\r\n'),
      code.replace('"it\'s"', "'it\\'s'"),
    ];
    for (const each of formatted) expect(codeDigest(each)).toBe(codeDigest(code));
  });

  it('changes with every edit', () => {
    const edits = [
      code.replace('c d', 'cd'),
      code.replace('one', 'two'),
      code.replace('b:', 'B:'),
      code.replace('c d', 'c, d'),
      `${code}// a note`,
      code.replace("it's", 'its'),
    ];
    for (const each of edits) expect(codeDigest(each)).not.toBe(codeDigest(code));
  });
});
