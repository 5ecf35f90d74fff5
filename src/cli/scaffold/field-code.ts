import type { CommonOptions, FieldDefinition } from '../../fields/field.ts';
import { type Code, type Entry, valueCode } from './code.ts';

/** Options by name as entries of an object. Functions, such as the format of a sequence, say nothing of the column. */
const entriesOf = (options: Readonly<Record<string, unknown>>, without: ReadonlySet<string>): Entry[] =>
  Object.entries(options)
    .filter(([name, value]) => value !== undefined && typeof value !== 'function' && !without.has(name))
    .map(([key, value]) => ({ key, value: valueCode(value) }));

/** The call that defines a field: `field.enum(['draft', 'live'], { default: 'draft' })`. */
export const fieldCode = ({ type, options }: FieldDefinition, left: readonly string[] = []): Code => {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const { argument } = type;
  const isOwner = given['owner'] === true;
  const without = new Set([...left, 'owner']);
  if (argument !== undefined) without.add(argument.option);
  const entries = entriesOf(given, without);
  const of: Code[] = [];
  if (argument !== undefined && !isOwner) of.push(valueCode(given[argument.option]));
  if (entries.length > 0) of.push({ object: entries });
  return { call: isOwner ? 'field.owner' : `field.${type.kind}`, of };
};

/** Migrations contain neither labels nor uniqueness among the records of an owner. */
export const columnCode = (definition: FieldDefinition): Code => {
  const { unique }: CommonOptions = definition.options;
  const left = ['label', 'labels', 'group', 'colors'];
  if (unique === 'owner') left.push('unique');
  return fieldCode(definition, left);
};
