/** The field of a column: its type and options by the type of the column, its default and its conditions. */

import type { DescribedColumn, StoredType } from '../../database/described-tables.ts';
import { fromScaled, maxDigits, toScaled } from '../../fields/decimal.ts';
import { type FieldDefinition, fieldFlaw } from '../../fields/field.ts';
import { type KeyKind, recordKeys } from '../../fields/keys.ts';
import { type FieldKind, fieldTypes } from '../../fields/registry.ts';
import { maxCharacters } from '../../fields/values.ts';
import type { Json } from '../../kernel/json.ts';
import { checkValue, isMissing } from '../../model/validate.ts';
import type { ColumnCondition } from './conditions.ts';
import { isSecretName } from './names.ts';

/** Options of a field in the order in which a file has them. */
type OptionValues = Readonly<Record<string, Json>>;

/** A field for a column, with what a person should know; or the reason why it has none, as a clause. */
export type ColumnField =
  | { readonly definition: FieldDefinition; readonly remarks: readonly string[] }
  | { readonly because: string };

/** A field by its type and options; the database, not the type, knows `generated`. */
export const fieldBy = (kind: FieldKind, options: OptionValues): FieldDefinition => ({
  type: fieldTypes[kind],
  options,
});

/** Most characters of a text in an index, beside two ids: an index takes 2,600 bytes, and a character up to 4. */
const mostIndexed = 640;

/** Longer texts are written over several lines. */
const longestLine = 500;

interface Typed {
  readonly kind: FieldKind;
  readonly options: OptionValues;
  readonly remarks: readonly string[];
}

type Untyped = { readonly because: string };

const typed = (kind: FieldKind, options: OptionValues = {}, ...remarks: readonly string[]): Typed => ({
  kind,
  options,
  remarks,
});

const bounded = (bounds: Readonly<Record<'min' | 'max', Json | undefined>>): OptionValues =>
  Object.fromEntries(Object.entries(bounds).filter(([, bound]) => bound !== undefined)) as OptionValues;

const textField = (
  { max, padded, foldsCase }: Extract<StoredType, { kind: 'text' }>,
  indexed: boolean,
): Typed => {
  const remarks = [
    padded && 'without the blanks at its end',
    foldsCase && 'the database takes capitals and small letters for the same',
  ].filter((each) => each !== false);
  const isLong = !indexed && (max === undefined || max > longestLine);
  if (indexed && (max === undefined || max > mostIndexed))
    return typed(
      'string',
      { max: mostIndexed },
      ...remarks,
      `at most ${mostIndexed} characters, as in an index`,
    );
  // The database takes a text with blanks at its end for the same as one without.
  const pattern = padded ? { pattern: '(^|\\S)$' } : {};
  const options = { ...bounded({ min: undefined, max }), ...pattern };
  if (isLong) return typed('text', max !== undefined && max > maxCharacters ? pattern : options, ...remarks);
  return typed('string', max === 255 ? pattern : options, ...remarks);
};

const decimalField = (type: Extract<StoredType, { kind: 'decimal' }>): Typed | Untyped => {
  const { precision, scale } = type;
  if (precision === undefined || scale === undefined)
    return { because: 'it has no precision: a decimal has a fixed number of digits' };
  if (precision > maxDigits) return { because: `it has ${precision} digits: a decimal has ${maxDigits}` };
  if (scale < 0 || scale > 8) return { because: `its scale is ${scale}: that of a decimal is 0 to 8` };
  if (precision === maxDigits || precision < scale) return typed('decimal', { scale });
  const most = fromScaled(10 ** precision - 1, scale);
  return typed('decimal', { scale, min: `-${most}`, max: most });
};

const timeRemarks = ({ fine, zoned }: Extract<StoredType, { kind: 'timestamp' }>): readonly string[] => {
  const remarks: string[] = [];
  if (fine) remarks.push('in milliseconds');
  if (!zoned) remarks.push('read as UTC');
  return remarks;
};

/** The type of a field by the type of a column. `indexed`: the database finds rows by its values. */
const typeOf = (type: StoredType, indexed: boolean): Typed | Untyped => {
  switch (type.kind) {
    case 'text':
      return textField(type, indexed);
    case 'integer':
      return type.wide
        ? typed('integer', {}, 'callers reach ±(2^53−1)')
        : typed('integer', bounded({ min: type.min, max: type.max }));
    case 'decimal':
      return decimalField(type);
    case 'number':
      return typed('number', bounded({ min: type.min, max: type.max }));
    case 'timestamp':
      return typed('datetime', {}, ...timeRemarks(type));
    case 'time':
      return typed('time', type.places === 0 ? {} : { fraction: type.places });
    case 'enum':
      return enumField(type.choices);
    case 'other':
      return type;
    default:
      return typed(type.kind);
  }
};

/** A list of choices, unless a field of the type `enum` cannot have one of them. */
const enumField = (choices: readonly string[]): Typed | Untyped => {
  const flaw = fieldFlaw(fieldBy('enum', { choices: [...choices] }));
  return flaw === undefined ? typed('enum', { choices: [...choices] }) : { because: flaw };
};

/** A bound as a value of the field; undefined where the field has no such bounds, or not this one. */
const boundOf = (
  { kind, options }: Typed,
  { bound, number, open }: Extract<ColumnCondition, { bound: string }>,
): Json | undefined => {
  const scale = kind === 'decimal' ? Number(options['scale']) : 0;
  if (kind !== 'integer' && kind !== 'decimal') return undefined;
  const scaled = toScaled(number, scale);
  if (scaled === undefined) return undefined;
  const closed = open ? scaled + (bound === 'min' ? 1 : -1) : scaled;
  return kind === 'integer' ? closed : fromScaled(closed, scale);
};

/** The type with what a condition adds; undefined where the field cannot say it. */
const withCondition = (type: Typed, condition: ColumnCondition): Typed | undefined => {
  if ('choices' in condition) {
    if (type.kind !== 'string' && type.kind !== 'text') return undefined;
    const choices = enumField([...new Set(condition.choices)]);
    return 'because' in choices ? undefined : { ...choices, remarks: type.remarks };
  }
  const bound = boundOf(type, condition);
  return bound === undefined
    ? undefined
    : { ...type, options: { ...type.options, [condition.bound]: bound } };
};

/** A constant of the database as a value of JSON; undefined where it is none of the field's. */
const presetOf = (kind: FieldKind, text: string): Json | undefined => {
  switch (kind) {
    case 'integer':
    case 'number':
    case 'reference':
      return Number.isFinite(Number(text)) && text.trim() !== '' ? Number(text) : undefined;
    case 'boolean':
      return new Map<string, boolean>([
        ...['true', 't', '1', 'yes', 'on'].map((word) => [word, true] as const),
        ...['false', 'f', '0', 'no', 'off'].map((word) => [word, false] as const),
      ]).get(text.toLowerCase());
    case 'json':
      // In code, this key would be no key of the object.
      if (text.includes('__proto__')) return undefined;
      try {
        return JSON.parse(text) as Json;
      } catch {
        return undefined;
      }
    default:
      return text;
  }
};

/** The options that say who gives the value: `required`, `default` and `generated`. */
const givenOptions = (
  { notNull, provision }: DescribedColumn,
  { kind, options }: Typed,
): { readonly options: OptionValues; readonly remarks: readonly string[] } => {
  if (provision === undefined) return { options: notNull ? { required: true } : {}, remarks: [] };
  if (provision.by === 'count')
    return { options: { generated: true }, remarks: ['the database counts it up'] };
  if (provision.by !== 'constant')
    return { options: { generated: true }, remarks: [`the database makes it: ${provision.sql}`] };
  const preset = presetOf(kind, provision.text);
  const type = fieldTypes[kind];
  const isValue = preset !== undefined && checkValue({ name: kind, type, options }, preset)[0] === undefined;
  if (!isValue)
    return {
      options: notNull ? { required: true } : {},
      remarks: [`its default ${JSON.stringify(provision.text)} is no value of the field`],
    };
  // A required text is never blank: with a blank default, only null is refused, by the database.
  const isRequired = notNull && !isMissing(preset);
  return { options: isRequired ? { required: true, default: preset } : { default: preset }, remarks: [] };
};

/** All that the table says of a column. */
export interface ColumnFacts {
  readonly conditions: readonly ColumnCondition[];
  /** Its values are unique, or those of a set of columns to which it belongs. */
  readonly indexed: boolean;
  /** Its values are unique. */
  readonly unique: boolean;
}

/** In the order of a file: who gives the value, then what values there are. */
const ordered = (type: Typed, given: OptionValues, unique: boolean): OptionValues => {
  const { required, default: preset, generated } = given;
  const all = { choices: type.options['choices'], required, unique: unique || undefined };
  const { choices: _, ...said } = type.options;
  // No caller writes it, so no bound is checked.
  const { min: _min, max: _max, ...unbounded } = said;
  const others = generated === true ? unbounded : said;
  return Object.fromEntries(
    Object.entries({ ...all, ...others, default: preset, generated }).filter(
      ([, value]) => value !== undefined,
    ),
  ) as OptionValues;
};

/** The field of a column that refers to no other table. */
export const fieldOfColumn = (column: DescribedColumn, facts: ColumnFacts): ColumnField => {
  if (!column.readable) return { because: 'this database user may not read it' };
  if (isSecretName(column.name) && ['text', 'other', 'enum'].includes(column.type.kind))
    return { because: 'its name says that it holds a secret' };
  const plain = typeOf(column.type, facts.indexed);
  if ('because' in plain) return plain;
  const type = facts.conditions.reduce((now, each) => withCondition(now, each) ?? now, plain);
  const given = givenOptions(column, type);
  if (!column.holds.includes(fieldTypes[type.kind].column))
    return { because: `the service reads no ${type.kind} from ${column.declared}` };
  const canBeUnique = facts.unique && type.kind !== 'json';
  return {
    definition: fieldBy(type.kind, ordered(type, given.options, canBeUnique)),
    remarks: [...type.remarks, ...formRemarks(column), ...given.remarks],
  };
};

/** The form of times, where the texts of a column have one of their own. */
const formRemarks = ({ type, form }: DescribedColumn): readonly string[] =>
  type.kind === 'timestamp' && form !== undefined ? [`as ${form}`] : [];

/** The model to which the key of a column leads. */
export interface ReferenceTarget {
  readonly model: string;
  /** The kind of its key. */
  readonly key: KeyKind;
  readonly onDelete: string;
}

/** The reference of a column. The foreign key of the database decides what a deletion does. */
export const referenceOfColumn = (
  column: DescribedColumn,
  { model, key, onDelete }: ReferenceTarget,
  unique: boolean,
): ColumnField => {
  if (!column.readable) return { because: 'this database user may not read it' };
  const given = givenOptions(column, typed('reference', { to: model }));
  if (!column.holds.includes(recordKeys[key].field.type.column))
    return { because: `the service reads no id of ${model} from ${column.declared}` };
  const options: Record<string, Json | undefined> = {
    to: model,
    key: key === 'integer' ? undefined : key,
    ...given.options,
    unique: unique || undefined,
  };
  const kept = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return {
    definition: fieldBy('reference', kept as OptionValues),
    remarks: ['no action', 'restrict'].includes(onDelete)
      ? given.remarks
      : [...given.remarks, `the database decides: on delete ${onDelete}`],
  };
};

/** True if the field of a column says all of a condition. */
export const saysCondition = ({ type, options }: FieldDefinition, condition: ColumnCondition): boolean => {
  if ('choices' in condition) return type.kind === 'enum';
  return condition.bound in options && (type.kind === 'integer' || type.kind === 'decimal');
};
