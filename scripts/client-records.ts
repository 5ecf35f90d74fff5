import { ownKeyEntity } from '../src/accounts/api-keys.ts';
import type { JsonSchema } from '../src/fields/field.ts';
import { isJsonObject } from '../src/kernel/json.ts';
import type { Entity } from '../src/records/entity.ts';
import { publicUserEntity } from '../src/records/user-entity.ts';

/** Writes the types of the service's records for the client, which takes no code from the service. */

/** Named types of the client, with the sentence above each. */
const records: readonly (readonly [entity: Entity, sentence: string])[] = [
  [publicUserEntity, 'A user as users see each other.'],
  [ownKeyEntity, 'A key as its list returns it: masked.'],
];

const plain: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
};

const objectType = ({ properties, required }: JsonSchema, indent: string): string => {
  const needed = Array.isArray(required) ? required : [];
  const members = Object.entries(isJsonObject(properties ?? null) ? (properties as JsonSchema) : {}).map(
    ([name, schema]) => memberOf(name, schema as JsonSchema, needed.includes(name), `${indent}  `),
  );
  return `{\n${members.join('')}${indent}}`;
};

const memberOf = (name: string, schema: JsonSchema, required: boolean, indent: string): string => {
  const note = typeof schema['description'] === 'string' ? schema['description'] : undefined;
  const comment = note === undefined ? '' : `${indent}/** ${note} */\n`;
  return `${comment}${indent}readonly ${name}${required ? '' : '?'}: ${typeOf(schema, indent)};\n`;
};

/** The type of a value; everything in it is read-only. */
const typeOf = (schema: JsonSchema, indent: string): string => {
  const { type, enum: values, items } = schema;
  if (Array.isArray(values))
    return values.map((value) => (value === null ? 'null' : `'${value}'`)).join(' | ');
  return [type]
    .flat()
    .map((each) => {
      if (each === 'object') return objectType(schema, indent);
      if (each === 'array') return `readonly ${typeOf(items as JsonSchema, indent)}[]`;
      const found = plain[String(each)];
      if (found === undefined) throw new Error(`no type for ${JSON.stringify(schema)}`);
      return found;
    })
    .join(' | ');
};

/** Fields of one value, by which a list is filtered and sorted. */
const listedNames = ({ view, columns, schema }: Entity): readonly string[] =>
  view.filter((name) => {
    const { properties } = schema;
    const field = isJsonObject(properties ?? null) ? (properties as JsonSchema)[name] : undefined;
    const types = isJsonObject(field ?? null) ? [(field as JsonSchema)['type']].flat() : [];
    const isPlain = !types.includes('object') && !types.includes('array');
    return isPlain && columns.get(name)?.comparable !== false;
  });

/** The end of the declaration of a union, a line for each name as the formatter has it where they are many. */
const union = (names: readonly string[]): string => {
  if (names.length > 4) return names.map((name) => `\n  | '${name}'`).join('');
  return ` ${names.map((name) => `'${name}'`).join(' | ') || 'never'}`;
};

const recordOf = ([entity, sentence]: (typeof records)[number]): string => {
  const { title } = entity;
  const names = listedNames(entity);
  const times = names.filter((name) => entity.columns.get(name)?.type.column === 'timestamp');
  return [
    `/** ${sentence} */\nexport interface ${title} ${objectType(entity.schema, '')}`,
    `/** Fields by which the list is filtered and sorted. */\nexport type ${title}Names =${union(names)};`,
    `/** The times among them. */\nexport type ${title}Times =${union(times)};`,
  ].join('\n\n');
};

/** The text of `client/records.ts`. */
export const clientRecords = (): string =>
  `${['/** Records of the service: `npm run reference` writes them from its entities. */', ...records.map(recordOf)].join('\n\n')}\n`;
