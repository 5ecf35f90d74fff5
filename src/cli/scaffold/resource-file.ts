/** The text of a model's file, from its fields and rules or from any entries of its definition. */

import type { FieldType } from '../../fields/field.ts';
import { defaultKey } from '../../fields/keys.ts';
import { declaredFields, type ResourceModel } from '../../model/resource.ts';
import { type Code, type Entry, statementText, textCode } from './code.ts';
import type { NamedField } from './field-arguments.ts';
import { fieldCode } from './field-code.ts';

const names = (list: readonly string[]): Code => ({ list: list.map(textCode) });

/** Types of fields that are too long for a list: texts without a maximum, JSON. */
const isLong = (type: FieldType, options: object): boolean => type.indexBytes?.(options) === Infinity;

/** The recommended rules, each with its effect. */
const productionRules = (model: ResourceModel): Entry[] => {
  const fields = declaredFields(model);
  const listed = fields.filter(({ name, type, options }) => name !== 'user_id' && !isLong(type, options));
  const list = ['id', ...listed.map(({ name }) => name), 'created_at'];
  return [
    {
      key: 'auth',
      value: names(['jwt', 'api_key']),
      comment: ['Authentication by any one of these. People sign in for a token, scripts bring a key.'],
    },
    {
      key: 'permissions',
      value: textCode('writes'),
      comment: ["A role needs a grant to create, update or destroy; 'all' checks reads as well."],
    },
    {
      key: 'isolation',
      value: 'true',
      comment: ['Callers other than super_admin and admin reach their own records; others answer 404.'],
    },
    {
      key: 'ownership',
      value: 'true',
      comment: ['The creator owns the record, whatever the body says.'],
    },
    {
      key: 'restricted',
      value: { list: [] },
      comment: ['Fields that only super_admin and admin write; from others they are ignored.'],
    },
    {
      key: 'views',
      value: {
        open: true,
        object: [
          { key: 'list', value: names(list) },
          { key: 'detail', value: names([...model.fields.keys()]) },
          { key: 'saved', value: names(['id', 'created_at', 'updated_at']) },
        ],
      },
      comment: ['Fields returned by lists, details and writes; no others.'],
    },
  ];
};

const fieldsEntry = (fields: readonly NamedField[]): Entry => ({
  key: 'fields',
  value: {
    open: true,
    object: fields.map(({ name, definition }) => ({ key: name, value: fieldCode(definition) })),
  },
});

/** The functions of conditions that a file may import. */
const conditions = ['allOf', 'anyOf', 'equals', 'member', 'own', 'via'];

const callsIn = (code: Code): readonly string[] => {
  if (typeof code === 'string') return [];
  if ('list' in code) return code.list.flatMap(callsIn);
  if ('object' in code) return code.object.flatMap(({ value }) => callsIn(value));
  return [code.call, ...code.of.flatMap(callsIn)];
};

/** The file of a model by its name and the entries of its definition, formatted as if written manually. */
export const modelFile = (
  name: string,
  definition: readonly Entry[],
  comment: readonly string[] = [],
): string => {
  const code: Code = { call: 'defineResource', of: [textCode(name), { open: true, object: definition }] };
  const body = statementText(code, { before: 'export default ' });
  const used = ['defineResource', 'field', 'many'].filter((each) => new RegExp(`\\b${each}[.(]`).test(body));
  const called = new Set(definition.flatMap(({ value }) => callsIn(value)));
  used.push(...conditions.filter((each) => called.has(each)));
  const lines = comment.map((line) => `// ${line}\n`).join('');
  return `import { ${used.toSorted().join(', ')} } from 'gatewright';\n\n${lines}${body}\n`;
};

/** The file of a resource with its fields and rules. */
export const resourceFile = (
  model: ResourceModel,
  fields: readonly NamedField[],
  options: {
    readonly production: boolean;
    readonly plural: string | undefined;
    readonly unique: readonly (readonly string[])[];
  },
): string => {
  const plural: Entry[] =
    options.plural === undefined ? [] : [{ key: 'plural', value: textCode(options.plural) }];
  const unique: Entry[] =
    options.unique.length === 0 ? [] : [{ key: 'unique', value: { list: options.unique.map(names) } }];
  const { kind } = model.key;
  const key: Entry[] = kind === defaultKey.kind ? [] : [{ key: 'key', value: textCode(kind) }];
  const rules = options.production ? productionRules(model) : [];
  return modelFile(model.name, [...key, ...plural, fieldsEntry(fields), ...unique, ...rules]);
};
