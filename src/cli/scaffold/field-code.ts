import type { CommonOptions, FieldDefinition } from '../../fields/field.ts';
import { type Code, type Entry, valueCode } from './code.ts';

/** Options by name as entries of an object. */
const entriesOf = (options: Readonly<Record<string, unknown>>, without: ReadonlySet<string>): Entry[] =>
  Object.entries(options)
    .filter(([name, value]) => value !== undefined && !without.has(name))
    .map(([key, value]) => ({ key, value: valueCode(value) }));

/** The call that defines a field: `field.enum(['draft', 'live'], { default: 'draft' })`. */
export const fieldCode = ({ type, options }: FieldDefinition, left: readonly string[] = []): Code => {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const { argument } = type;
  const isOwner = given['owner'] === true;
  const first = argument === undefined || isOwner ? [] : [valueCode(given[argument.option])];
  const entries = entriesOf(
    given,
    new Set([...left, 'owner', ...(argument === undefined ? [] : [argument.option])]),
  );
  return {
    call: isOwner ? 'field.owner' : `field.${type.kind}`,
    of: [...first, ...(entries.length === 0 ? [] : [{ object: entries }])],
  };
};

/** Migrations contain neither labels nor uniqueness among the records of an owner. */
export const columnCode = (definition: FieldDefinition): Code => {
  const { unique }: CommonOptions = definition.options;
  return fieldCode(definition, [
    'label',
    'labels',
    'group',
    'colors',
    ...(unique === 'owner' ? ['unique'] : []),
  ]);
};
