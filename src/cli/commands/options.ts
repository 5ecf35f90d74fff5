/** `gatewright options`: prints every option of an application's files, as text or as JSON Schema. */

import { readFile } from 'node:fs/promises';
import { isJsonObject, type Json, type JsonObject, objectIn, textIn } from '../../kernel/json.ts';
import { nearestHint } from '../../kernel/options.ts';
import { packageFile } from '../../kernel/package-files.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { UsageError } from '../io.ts';

/** The schema that the reference is shipped with. */
const readSchema = async (): Promise<JsonObject> =>
  JSON.parse(await readFile(packageFile('docs/reference/options.schema.json'), 'utf8')) as JsonObject;

const lastName = (ref: Json | undefined): string => textIn(ref).split('/').at(-1) ?? '';

/** The schema itself, or that which it refers to. */
const resolved = (document: JsonObject, schema: JsonObject): JsonObject =>
  schema['$ref'] === undefined ? schema : objectIn(objectIn(document['$defs'])[lastName(schema['$ref'])]);

/** The groups of options by their names: `resource`, `field.string`. */
const groupsIn = (document: JsonObject): ReadonlyMap<string, JsonObject> => {
  const { field, ...others } = objectIn(document['properties']);
  const kinds = Object.entries(objectIn(objectIn(field)['properties']));
  return new Map(
    [
      ...Object.entries(others),
      ...kinds.map(([kind, value]): [string, Json] => [`field.${kind}`, value]),
    ].map(([name, value]) => [name, objectIn(value)]),
  );
};

/** The type of a schema in a few words. */
const typeOf = (schema: JsonObject): string => {
  const { type, items } = schema;
  const choices = schema['anyOf'] ?? schema['enum'];
  if (Array.isArray(choices)) {
    const shown = choices.map((each) => (isJsonObject(each) ? typeOf(each) : JSON.stringify(each)));
    return shown.length > 8 ? `${shown.slice(0, 8).join(' | ')} | …` : shown.join(' | ');
  }
  if (schema['x-made-by'] !== undefined) return textIn(schema['x-made-by']);
  if (schema['$ref'] !== undefined) return lastName(schema['$ref']);
  return type === 'array' ? `list of ${typeOf(objectIn(items))}` : textIn(type) || 'anything';
};

const linesOf = (document: JsonObject, name: string, group: JsonObject): readonly string[] => {
  const { properties, required } = resolved(document, group);
  const needed = new Set(Array.isArray(required) ? required : []);
  const members = Object.entries(objectIn(properties)).flatMap(([option, value]) => {
    const schema = objectIn(value);
    const about = textIn(schema['description']);
    const fallback = textIn(schema['default']);
    return [
      `  ${option}: ${typeOf(schema)}${needed.has(option) ? ' (required)' : ''}${fallback === '' ? '' : ` (default ${fallback})`}`,
      ...(about === '' ? [] : [`      ${about}`]),
    ];
  });
  const about = textIn(group['description']);
  return [about === '' ? name : `${name}: ${about}`, ...members];
};

export const command = defineCommand({
  operands: ['[GROUP]'],
  options: jsonOption,
  description: [
    'Prints every option of models, relations, fields, endpoints, jobs and the configuration, and every variable, or those',
    'of one GROUP: resource, relation, endpoint, job, config, provider, environment, field.string …',
    'With --json it is a JSON Schema (2020-12). x-made-by marks values that JSON cannot hold: code, or what a function',
    'returns.',
  ],
  examples: [
    'gatewright options',
    'gatewright options resource',
    'gatewright options field.decimal',
    'gatewright options --json > options.schema.json',
  ],
  async run({ values, operands: [wanted] }, io) {
    const document = await readSchema();
    const groups = groupsIn(document);
    if (wanted !== undefined && !groups.has(wanted))
      throw new UsageError(`no group '${wanted}'${nearestHint(wanted, groups.keys())}`);
    if (values.json === true) {
      const { $schema, $defs } = document;
      const chosen = wanted === undefined ? document : { $schema, ...groups.get(wanted), $defs };
      return io.print(JSON.stringify(chosen));
    }
    for (const [name, group] of groups)
      if (wanted === undefined || wanted === name) {
        for (const line of linesOf(document, name, group)) io.print(line);
        io.print('');
      }
  },
});
