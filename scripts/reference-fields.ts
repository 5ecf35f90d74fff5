import ts from 'typescript';
import { dialectOf } from '../src/database/dialects.ts';
import type { FieldType } from '../src/fields/field.ts';
import { type FieldKind, fieldKinds, fieldTypes } from '../src/fields/registry.ts';
import type { ServiceLocale } from '../src/kernel/messages.ts';
import { iconNames } from '../src/model/describe.ts';
import { inLanguage } from './reference-chinese.ts';
import { fieldRemarks } from './reference-field-remarks.ts';
import { code, type PageWords, page, table } from './reference-markdown.ts';
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

interface Words extends PageWords {
  readonly ofEveryType: string;
  readonly columns: readonly string[];
  /** Heading and columns of the table of all types. */
  readonly types: string;
  readonly typeColumns: readonly string[];
  readonly operators: string;
  readonly format: string;
  readonly comma: string;
  /** Paragraphs about options and references. */
  readonly notes: readonly string[];
  /** The text of an option that an earlier type has too. */
  readonly asOf: (kind: string) => string;
  readonly inAdministration: string;
  readonly aboutAdministration: string;
  readonly icons: string;
  readonly listed: string;
  readonly stop: string;
}

const words: Readonly<Record<ServiceLocale, Words>> = {
  en: {
    title: 'Field types',
    lead: 'A model file defines its fields with the functions of `field`. A field that is not required can be null.',
    ofEveryType: 'Options of every type',
    columns: ['option', 'type', ''],
    types: 'All types',
    typeColumns: ['type', 'JSON', 'SQLite', 'PostgreSQL'],
    operators: '[List parameters](list-parameters.md#operators) has the filters of each type.',
    format: 'format',
    comma: ', ',
    notes: [
      '`field.owner()` is the reference `user_id` to the owner of the record. Ownership and isolation use it.',
      "`unique: 'owner'` requires `field.owner()`. For fields that are unique in combination, use the option of the model: `unique: [['order_id', 'product_id']]`.",
      "Duplicates return 422. A record that the caller cannot see also occupies its value: `unique: true` reveals that a value exists, and `unique: 'owner'` does not.",
      "A name that a database reserves (`ctid`, `xmin`, `oid`, `rowid` …) cannot name a field, and a model's table cannot have the name of a system table.",
    ],
    asOf: (kind) => `As of [${kind}](#${kind}).`,
    inAdministration: 'In the administration area',
    aboutAdministration: '`group`, `colors`, `icon` and `menu` in one model:',
    icons: 'Icons: ',
    listed: ', ',
    stop: '.',
  },
  'zh-CN': {
    title: '字段类型',
    lead: '模型文件用 `field` 的函数定义字段。不是必填的字段可以为 null。',
    ofEveryType: '所有类型共有的选项',
    columns: ['选项', '类型', ''],
    types: '全部类型',
    typeColumns: ['类型', 'JSON', 'SQLite', 'PostgreSQL'],
    operators: '各类型的筛选运算符见[列表参数](list-parameters.zh-CN.md#运算符)。',
    format: '格式',
    comma: '，',
    notes: [
      '`field.owner()` 是指向记录所有者的引用 `user_id`，供归属与数据隔离使用。',
      "`unique: 'owner'` 需要 `field.owner()`。多个字段的组合须唯一时，使用模型的选项：`unique: [['order_id', 'product_id']]`。",
      "重复时返回 422。调用者看不到的记录同样占用其值：`unique: true` 会暴露某个值已存在，`unique: 'owner'` 则不会。",
      '数据库保留的名称（`ctid`、`xmin`、`oid`、`rowid` 等）不能用作字段，模型的数据表也不能与系统表同名。',
    ],
    asOf: (kind) => `同 [${kind}](#${kind})。`,
    inAdministration: '在管理后台中',
    aboutAdministration: '一个模型中的 `group`、`colors`、`icon` 与 `menu`：',
    icons: '图标：',
    listed: '、',
    stop: '。',
  },
};

const optionRows = (options: readonly MemberDocs[], locale: ServiceLocale) =>
  options.map(({ name, type, about }) => [code(name), code(plainType(type)), inLanguage(about, locale)]);

/** A row of the table of all types. */
const typeRow = (kind: FieldKind, locale: ServiceLocale): readonly string[] => {
  const { format: formatWord, comma } = words[locale];
  const type: FieldType = fieldTypes[kind];
  const { type: input, format } = type.input(samples[kind] ?? {}, 'en');
  const json = [
    ...(Array.isArray(input) ? input : [input]),
    ...(typeof format === 'string' ? [`${formatWord} ${format}`] : []),
  ];
  const columnIn = (dialect: 'sqlite' | 'postgres'): string =>
    code(dialectOf(dialect).columns[type.column].type);
  return [
    code(`field.${kind}${calls[kind] ?? '()'}`),
    json.join(comma),
    columnIn('sqlite'),
    columnIn('postgres'),
  ];
};

/** The earlier type whose section has this option with the same long text, if there is one. */
const earlierWith = (kind: FieldKind, option: MemberDocs | undefined): FieldKind | undefined =>
  option === undefined || option.about.length < 120
    ? undefined
    : fieldKinds
        .slice(0, fieldKinds.indexOf(kind))
        .find((each) => membersOf(interfaces, optionsName(each)).some(({ about }) => about === option.about));

const section = (kind: FieldKind, locale: ServiceLocale): string => {
  const own = membersOf(interfaces, optionsName(kind)).filter(
    ({ name }) => !common.some((option) => option.name === name),
  );
  const rows = optionRows(own, locale).map((row, at) => {
    const earlier = earlierWith(kind, own[at]);
    return earlier === undefined ? row : [...row.slice(0, 2), words[locale].asOf(earlier)];
  });
  return [
    `## ${kind}`,
    inLanguage(aboutOf(kind), locale),
    ...(own.length === 0 ? [] : [table(words[locale].columns, rows)]),
    ...(fieldRemarks[locale][kind] ?? []),
  ].join('\n\n');
};

/** A model with an icon, groups and colours. */
const decorated =
  "```ts\nimport { defineResource, field } from 'gatewright';\n\nexport const sale = { 'zh-CN': '销售', en: 'Sales' };\n\nexport default defineResource('Order', {\n  icon: 'cart',\n  menu: sale,\n  fields: {\n    number: field.string({ required: true }),\n    status: field.enum(['open', 'paid'], { colors: { open: 'yellow', paid: 'green' } }),\n    amount: field.decimal({ group: sale }),\n  },\n});\n```";

/** The reference page of field types. */
export const fieldsPage = (locale: ServiceLocale): string => {
  const { title, lead, ofEveryType, columns, notes, listed, stop, ...ends } = words[locale];
  return page(
    title,
    lead,
    [
      `## ${ofEveryType}`,
      table(columns, optionRows(common, locale)),
      ...notes,
      `## ${ends.types}`,
      table(
        ends.typeColumns,
        fieldKinds.map((kind) => typeRow(kind, locale)),
      ),
      ends.operators,
      ...fieldKinds.map((kind) => section(kind, locale)),
      `## ${ends.inAdministration}`,
      ends.aboutAdministration,
      decorated,
      `${ends.icons}${iconNames.map(code).join(listed)}${stop}`,
    ].join('\n\n'),
  );
};
