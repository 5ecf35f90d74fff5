/** `gatewright generate resource`: writes a model from field arguments or a dialogue, and its migration. */

import { loadApplication } from '../../app/application.ts';
import { columnName } from '../../database/schema-differences.ts';
import { defaultKey, type KeyKind, keyKinds } from '../../fields/keys.ts';
import { defineOwner } from '../../fields/reference.ts';
import { fieldKinds } from '../../fields/registry.ts';
import { defineResource } from '../../model/define-resource.ts';
import { DefinitionError } from '../../model/definition-error.ts';
import { collectModels, type Models } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';
import { applicationFolder } from '../application.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { type Io, UsageError } from '../io.ts';
import { type NamedField, readFields, typeSyntax } from '../scaffold/field-arguments.ts';
import { type NewFile, shownPath, writeNewFiles } from '../scaffold/files.ts';
import { migrationFile, migrationName } from '../scaffold/migration-file.ts';
import { askResource } from '../scaffold/questions.ts';
import { resourceFile } from '../scaffold/resource-file.ts';

/** Reports a mistake in the arguments as a usage error, with the message of the model. */
const asUsage = <T>(work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw error instanceof DefinitionError ? new UsageError(error.message) : error;
  }
};

type UniqueOption = readonly [string, string, ...string[]];

/** Parses `order,product` or `order_id,product_id`: a reference by its name or its field's name. */
const uniqueSet = (text: string, fields: readonly NamedField[]): UniqueOption => {
  const [first, second, ...others] = text.split(',').map((name) => {
    const field = fields.find((each) => each.name === name);
    return field === undefined ? name : columnName(name, field.definition);
  });
  if (first === undefined || second === undefined)
    throw new UsageError(`--unique ${text}: write two fields or more, FIELD,FIELD`);
  return [first, second, ...others];
};

const modelOf = (
  { name, plural, key }: ResourceRequest,
  fields: readonly NamedField[],
  unique: readonly UniqueOption[],
): ResourceModel => {
  const definition = {
    fields: Object.fromEntries(fields.map((field) => [field.name, field.definition])),
    unique,
    key,
  };
  return defineResource(name, plural === undefined ? definition : { ...definition, plural });
};

const keyIn = (text: string): KeyKind => {
  const key = keyKinds.find((kind) => kind === text);
  if (key === undefined) throw new UsageError(`--key ${text}: write ${keyKinds.join(', ')}`);
  return key;
};

/** Ownership and isolation require an owner. */
const withOwner = (fields: readonly NamedField[]): readonly NamedField[] =>
  fields.some(({ name }) => name === 'user_id' || name === 'user')
    ? fields
    : [...fields, { name: 'user_id', definition: defineOwner() }];

interface ResourceRequest {
  readonly name: string;
  readonly fields: readonly NamedField[];
  readonly production: boolean;
  readonly plural: string | undefined;
  readonly key: KeyKind;
  /** Lists of fields, separated by commas. */
  readonly unique: readonly string[];
}

const filesOf = (request: ResourceRequest, existing: Models, migrations: readonly string[]) => {
  const fields = request.production ? withOwner(request.fields) : request.fields;
  const unique = request.unique.map((text) => uniqueSet(text, fields));
  const model = asUsage(() => modelOf(request, fields, unique));
  const models = asUsage(() => collectModels([...existing.values(), model]));
  const name = migrationName(migrations, model.table);
  const files: readonly NewFile[] = [
    { path: `resources/${model.singular}.ts`, text: resourceFile(model, fields, { ...request, unique }) },
    { path: `migrations/${name}.ts`, text: migrationFile([{ kind: 'create', model }], models) },
  ];
  return { model, files };
};

const report = (io: Io, folder: string, model: ResourceModel, files: readonly NewFile[]): void => {
  for (const { path } of files) io.print(`wrote ${shownPath(folder, path)}`);
  io.print('Next:');
  io.print('  gatewright migrate    creates the table; a running gatewright dev shows it and asks');
  io.print(`  POST /api/v1/${model.path}  {"${model.singular}": {…}}    creates a record`);
};

/** In two lines. */
const typeNames = fieldKinds.map(typeSyntax);

export const command = defineCommand({
  operands: ['[NAME]', 'FIELD...'],
  options: {
    production: { type: 'boolean', help: 'write the recommended rules, each with an explanation' },
    plural: { type: 'string', value: 'NAME', help: 'path and table, if the plural is irregular' },
    key: { type: 'string', value: 'KIND', help: `type of ids: ${keyKinds.join(' or ')}` },
    unique: {
      type: 'string',
      multiple: true,
      value: 'FIELD,FIELD',
      help: 'fields that are unique in combination',
    },
    ...jsonOption,
  },
  description: [
    'Writes resources/NAME.ts and the migration that creates its table. Existing files are not overwritten.',
    'A field is name:type, then modifiers: required unique unique=owner index default=…, for some types min= max= scale=.',
    `Types: ${typeNames.slice(0, 10).join(' ')}`,
    `${typeNames.slice(10).join(' ')}.`,
    'Without arguments in a terminal, it asks questions.',
  ],
  examples: [
    'gatewright generate resource Book title:string:required isbn:string:unique pages:integer:min=1',
    'gatewright generate resource Article title:string status:enum=draft,live author:reference=User --production',
  ],
  async run({ values, operands: [name, ...texts] }, io) {
    if (name === undefined && !io.interactive) throw new UsageError('NAME is missing');
    const { plural, unique = [], key: kind = defaultKey.kind } = values;
    const given = { plural, unique, key: keyIn(kind) };
    const read: ResourceRequest =
      name === undefined
        ? { ...(await askResource(io)), ...given }
        : { name, fields: readFields(texts), production: values.production === true, ...given };
    const folder = await applicationFolder();
    const { models, migrations } = await loadApplication(folder);
    const { model, files } = filesOf(read, models, Object.keys(migrations));
    await writeNewFiles(folder, files);
    if (values.json === true)
      return io.print(JSON.stringify({ written: files.map(({ path }) => shownPath(folder, path)) }));
    report(io, folder, model, files);
  },
});
