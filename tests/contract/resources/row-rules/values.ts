import { field } from '../../../../src/fields/define.ts';
import type { FieldDefinition } from '../../../../src/fields/field.ts';
import { compareIds, type KeyKind } from './ids.ts';
import type { Random } from './random.ts';

/** A value as the API has it. */
export type Value = string | number | boolean | null;

/** Kinds of fields that are no references: few values each, the limits among them, so that rows and rules meet. */
interface Kind {
  readonly values: readonly NonNullable<Value>[];
  /** A value that the kind does not take. */
  readonly wrong: Value;
  readonly define: (required: boolean) => FieldDefinition;
  readonly ordered: boolean;
  /** Kept in the database as the answer has it, but for what this makes of the two. */
  readonly stored: (value: unknown) => Value;
}

const text = (value: unknown): Value => String(value);

/** Texts that are none of SQL's: quotes, a comment, a backslash, letters outside of ASCII and of the first plane. */
const texts = ["O'Brien", 'a', 'A', '日本 "x"', '\\ ; -- 🎉', 'é'] as const;

export const kinds = {
  string: {
    values: texts,
    wrong: 7,
    define: (required) => field.string({ required, max: 20 }),
    ordered: true,
    stored: text,
  },
  enum: {
    values: ["it's", 'public', 'öffentlich', 'a"b', '%'],
    wrong: 'none of them',
    define: (required) => field.enum(["it's", 'public', 'öffentlich', 'a"b', '%'], { required }),
    ordered: false,
    stored: text,
  },
  boolean: {
    values: [true, false],
    wrong: 'true',
    define: (required) => field.boolean({ required }),
    ordered: false,
    stored: (value) => value === true || Number(value) === 1,
  },
  decimal: {
    values: ['1.00', '-9999999999999.99', '9999999999999.99', '0.01'],
    wrong: '1.001',
    define: (required) => field.decimal({ required, scale: 2 }),
    ordered: true,
    stored: (value) => (Number(value) / 100).toFixed(2),
  },
  integer: {
    values: [0, 1, -9_007_199_254_740_991, 9_007_199_254_740_991],
    wrong: 1.5,
    define: (required) => field.integer({ required }),
    ordered: true,
    stored: Number,
  },
  number: {
    values: [0.1 + 0.2, -2.5, 5e-324],
    wrong: '3',
    define: (required) => field.number({ required }),
    ordered: true,
    stored: Number,
  },
  date: {
    values: ['2024-02-29', '1999-12-31', '2030-01-01'],
    wrong: '2023-02-29',
    define: (required) => field.date({ required }),
    ordered: true,
    stored: text,
  },
  time: {
    values: ['00:00:00', '23:59:59'],
    wrong: '24:00:00',
    define: (required) => field.time({ required }),
    ordered: true,
    stored: text,
  },
  datetime: {
    values: ['2024-02-29T12:00:00.001Z', '1999-12-31T23:59:59.999Z'],
    wrong: 'yesterday',
    define: (required) => field.datetime({ required }),
    ordered: true,
    stored: (value) => new Date(value instanceof Date ? value : String(value)).toISOString(),
  },
  uuid: {
    values: ['3fa85f64-5717-4562-b3fc-2c963f66afa6', '00000000-0000-4000-8000-000000000000'],
    wrong: '3fa85f64',
    define: (required) => field.uuid({ required }),
    ordered: false,
    stored: text,
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type ValueKind = keyof typeof kinds;
export const valueKinds = Object.keys(kinds) as readonly ValueKind[];

/** A value of a kind; now and then null, where that is allowed. */
export const someValue = (random: Random, kind: ValueKind, nullable: boolean): Value =>
  nullable && random.chance(0.2) ? null : random.pick<NonNullable<Value>>(kinds[kind].values);

const number = (value: Value): number => (typeof value === 'boolean' ? Number(value) : Number(value));

/** The kind by which a field is compared: that of the ids, for ids and references. */
export const comparedAs = ({
  kind,
  key = 'integer',
}: {
  readonly kind: ValueKind | 'reference' | 'id';
  readonly key?: KeyKind;
}): ValueKind | KeyKind => (kind === 'reference' || kind === 'id' ? key : kind);

/** The order of two values of a kind: null first, texts by code point, numbers by size. */
export const compareValues = (kind: ValueKind | KeyKind, a: Value, b: Value): number => {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  if (kind === 'bigint') return compareIds(kind, String(a), String(b));
  if (typeof a === 'string' && kind !== 'decimal')
    return Buffer.compare(Buffer.from(a), Buffer.from(String(b)));
  return number(a) - number(b);
};
