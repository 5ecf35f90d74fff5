/** Reads fields from arguments such as `title:string:required`. */

import {
  commonFlags,
  commonModifiers,
  definition,
  type FieldDefinition,
  type FieldType,
} from '../../fields/field.ts';
import { fieldKinds, fieldTypes } from '../../fields/registry.ts';
import type { Json } from '../../kernel/json.ts';
import { nearestHint } from '../../kernel/options.ts';
import { checkValue } from '../../model/validate.ts';
import { UsageError } from '../io.ts';

/** The parser of the generator's `field:type[=value][:modifier]…`, which reads the registry of field types. */

export interface NamedField {
  readonly name: string;
  readonly definition: FieldDefinition;
}

const types: Readonly<Record<string, FieldType>> = fieldTypes;

/** Parts between colons; a colon in a value is part of it unless a word follows. */
const partsOf = (text: string): string[] => {
  const parts: string[] = [];
  for (const part of text.split(':')) {
    const before = parts.at(-1);
    const continues = parts.length > 1 && before?.includes('=') && !/^[A-Za-z_]+(?:=|$)/.test(part);
    if (continues) parts.push(`${parts.pop()}:${part}`);
    else parts.push(part);
  }
  return parts;
};

const split = (part: string): readonly [string, string | undefined] => {
  const sign = part.indexOf('=');
  return sign < 0 ? [part, undefined] : [part.slice(0, sign), part.slice(sign + 1)];
};

/** The syntax of a type, for the help and for messages: `enum=choices`. */
export const typeSyntax = (kind: string): string => {
  const { argument } = types[kind] ?? {};
  return argument === undefined ? kind : `${kind}=${argument.list ? 'a,b' : 'Name'}`;
};

const modifierNames = ({ modifiers = [] }: FieldType): readonly string[] => [
  ...commonFlags,
  ...commonModifiers,
  ...modifiers,
];

/** The one flag that also takes a value. */
const perOwner = 'unique=owner';

/** Modifiers of a type, as they are written. */
export const modifierSyntax = ({ modifiers = [] }: FieldType): readonly string[] => [
  ...commonFlags,
  perOwner,
  ...[...commonModifiers, ...modifiers].map((name) => `${name}=…`),
];

/** The possible meanings of a text: `12` is a number, `12.50` is not formatted like one, `{"a":1}` is an object. */
const meanings = (text: string): readonly Json[] => {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === 'object' || String(value) === text ? [value, text] : [text, value];
  } catch {
    return [text];
  }
};

type FieldOptions = Readonly<Record<string, Json>>;

const flawOf = (type: FieldType, name: string, options: FieldOptions): string | undefined => {
  const flaw = type.flaw?.(options);
  const preset = options['default'];
  if (flaw !== undefined || preset === undefined) return flaw;
  const [violation] = checkValue({ name, type, options }, preset);
  return violation === undefined ? undefined : `its default breaks the rule ${violation.rule}`;
};

/** The options with one more, by the first meaning of its text that the type accepts; otherwise the mistake. */
const withModifier = (
  type: FieldType,
  name: string,
  options: FieldOptions,
  modifier: string,
  text: string,
): FieldOptions => {
  const readings = meanings(text).map((value): FieldOptions => ({ ...options, [modifier]: value }));
  const fitting = readings.find((reading) => flawOf(type, name, reading) === undefined);
  const [first = options] = readings;
  if (fitting === undefined)
    throw new UsageError(`${name}: ${modifier}=${text}: ${flawOf(type, name, first)}`);
  return fitting;
};

const argumentOf = (name: string, type: FieldType, text: string | undefined): FieldOptions => {
  const { argument, kind } = type;
  if (argument === undefined) {
    if (text !== undefined) throw new UsageError(`${name}: ${kind} takes no value, so no '=${text}'`);
    return {};
  }
  if (text === undefined || text === '')
    throw new UsageError(`${name}: ${kind} needs its ${argument.option}: ${name}:${typeSyntax(kind)}`);
  const options: FieldOptions = { [argument.option]: argument.list ? text.split(',') : text };
  const flaw = type.flaw?.(options);
  if (flaw !== undefined) throw new UsageError(`${name}: ${flaw}`);
  return options;
};

const applyModifier = (type: FieldType, name: string, options: FieldOptions, part: string): FieldOptions => {
  const [modifier, value] = split(part);
  const known = modifierSyntax(type);
  const isFlag = known.includes(modifier);
  if (!isFlag && !known.includes(`${modifier}=…`))
    throw new UsageError(
      `${name}: ${type.kind} takes no '${part}'${nearestHint(modifier, modifierNames(type))}; it takes ${known.join(' ')}`,
    );
  if (modifier in options) throw new UsageError(`${name}: ${modifier} stands there twice`);
  if (part === perOwner) return { ...options, unique: 'owner' };
  if (isFlag) {
    if (value !== undefined) throw new UsageError(`${name}: ${modifier} takes no value`);
    return { ...options, [modifier]: true };
  }
  if (value === undefined || value === '')
    throw new UsageError(`${name}: ${modifier} needs a value: ${modifier}=…`);
  return withModifier(type, name, options, modifier, value);
};

/** Modifiers that others depend on come first: a default is checked against scale and bounds. */
const defaultLast = (parts: readonly string[]): readonly string[] => [
  ...parts.filter((part) => !part.startsWith('default=')),
  ...parts.filter((part) => part.startsWith('default=')),
];

/** Parses one field. @throws UsageError that names the field and the accepted values */
export const readField = (text: string): NamedField => {
  const [name = '', typed, ...modifiers] = partsOf(text);
  if (name === '' || typed === undefined || typed === '')
    throw new UsageError(`'${text}': a field is written name:type, such as title:string:required`);
  const [kind, argument] = split(typed);
  const type = Object.hasOwn(types, kind) ? types[kind] : undefined;
  if (type === undefined)
    throw new UsageError(
      `${name}: no type '${kind}'${nearestHint(kind, fieldKinds)}; there are ${fieldKinds.map(typeSyntax).join(' ')}`,
    );
  let options = argumentOf(name, type, argument);
  for (const part of defaultLast(modifiers)) options = applyModifier(type, name, options, part);
  const { [type.argument?.option ?? '']: argumentValue, ...others } = options;
  const given = type.argument === undefined ? {} : { [type.argument.option]: argumentValue };
  const made: FieldDefinition = definition(type, others, given);
  if (made.flaw !== undefined) throw new UsageError(`${name}: ${made.flaw}`);
  return { name, definition: made };
};

/** Parses fields; each name may occur once. */
export const readFields = (texts: readonly string[]): readonly NamedField[] => {
  const fields = texts.map(readField);
  const names = new Set<string>();
  for (const { name } of fields) {
    if (names.has(name)) throw new UsageError(`${name}: two fields have this name`);
    names.add(name);
  }
  return fields;
};
