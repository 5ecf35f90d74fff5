import ts from 'typescript';
import { dialectOf } from '../src/database/dialects.ts';
import { choiceColours } from '../src/fields/colours.ts';
import type { FieldType } from '../src/fields/field.ts';
import { type FieldKind, fieldKinds, fieldTypes } from '../src/fields/registry.ts';
import { iconNames } from '../src/model/describe.ts';
import { code, page, table } from './reference-markdown.ts';
import { docsOf, interfacesIn, type MemberDocs, membersOf, parse } from './reference-types.ts';

/** Documentation of the field types' options, read from their source. */
const parseField = (file: string): ts.SourceFile => parse(`fields/${file}.ts`);

const interfaces = interfacesIn(['field', 'values', ...fieldKinds].map((file) => `fields/${file}.ts`));

/** Name of the options interface of a type, after its argument where it has one. */
const optionsName = (kind: FieldKind): string => {
  const name = kind.charAt(0).toUpperCase() + kind.slice(1);
  return interfaces.has(`${name}Extras`) ? `${name}Extras` : `${name}Options`;
};

/** The comment of the type's constant. */
const aboutOf = (kind: FieldKind): string => {
  const found = parseField(kind).statements.find(
    (node) => ts.isVariableStatement(node) && node.getText().includes(`kind: '${kind}'`),
  );
  if (found === undefined) throw new Error(`src/fields/${kind}.ts defines no type of this kind`);
  return docsOf(found);
};

/** Options of types that require some. */
const samples: Readonly<Record<string, object>> = {
  enum: { choices: ['draft', 'live'] },
  reference: { to: 'Author' },
};

const calls: Readonly<Record<string, string>> = { enum: `(['draft', 'live'])`, reference: `('Author')` };

const plainType = (type: string): string => type.replaceAll('NoInfer<Value>', 'choice');

const common = membersOf(interfaces, 'CommonOptions');

const optionRows = (options: readonly MemberDocs[]) =>
  options.map(({ name, type, about }) => [code(name), code(plainType(type)), about]);

const section = (kind: FieldKind): string => {
  const type: FieldType = fieldTypes[kind];
  const options = samples[kind] ?? {};
  const own = membersOf(interfaces, optionsName(kind)).filter(
    ({ name }) => name === 'default' || !common.some((option) => option.name === name),
  );
  const { type: input, format } = type.input(options, 'en');
  const json = [
    ...(Array.isArray(input) ? input : [input]),
    ...(typeof format === 'string' ? [`format ${format}`] : []),
  ];
  return [
    `## ${kind}`,
    aboutOf(kind),
    `\`\`\`ts\nimport { field } from 'gatewright';\n\nexport const example = field.${kind}${calls[kind] ?? '()'};\n\`\`\``,
    table(
      ['', ''],
      [
        ['JSON', json.join(', ')],
        [
          'Column',
          `${code(dialectOf('sqlite').columns[type.column].type)} (SQLite), ${code(dialectOf('postgres').columns[type.column].type)} (PostgreSQL)`,
        ],
        ['Filters', type.operators.map(code).join(' ')],
        ['Sortable', type.sortable ? 'yes' : 'no'],
        ['Searched by `q`', type.searchable ? 'yes' : 'no'],
      ],
    ),
    table(['option', 'type', ''], optionRows(own)),
  ].join('\n\n');
};

/** The reference page of field types. */
export const fieldsPage = (): string =>
  page(
    'Field types',
    'A model file defines its fields with the functions of `field`. A field that is not required can be null.',
    [
      '## Options of every type',
      table(['option', 'type', ''], optionRows(common)),
      `\`field.owner()\` is the reference \`user_id\` to the owner of the record. Ownership and isolation use it.`,
      "`unique: 'owner'` requires `field.owner()`. For fields that are unique in combination, use the option of the model: `unique: [['order_id', 'product_id']]`. The metadata lists them.",
      'A reference must point to a record that the caller can read, unless it has `anyone`: see [Roles and permissions](../guide/permissions.md#references).',
      ...fieldKinds.map(section),
      '## In the administration area',
      '`group` puts a field under a heading. `colors` of an enum adds a colour to each choice. The resource itself has `icon` and `menu`, which is its heading in the menu:',
      "```ts\nimport { defineResource, field } from 'gatewright';\n\nexport const sale = { 'zh-CN': '销售', en: 'Sales' };\n\nexport default defineResource('Order', {\n  icon: 'cart',\n  menu: sale,\n  fields: {\n    number: field.string({ required: true }),\n    status: field.enum(['open', 'paid'], { colors: { open: 'yellow', paid: 'green' } }),\n    amount: field.decimal({ group: sale }),\n  },\n});\n```",
      `Icons: ${iconNames.map(code).join(', ')}.`,
      `Colours: ${choiceColours.map(code).join(', ')}.`,
    ].join('\n\n'),
  );
