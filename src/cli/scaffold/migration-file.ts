/** The text of a migration file from its operations. */

import { type SearchChange, tableOf } from '../../database/schema-differences.ts';
import type { FieldDefinition } from '../../fields/field.ts';
import type { Json } from '../../kernel/json.ts';
import { indexesBesideFields } from '../../model/indexes.ts';
import { type Models, referencedRows, referencedTable } from '../../model/models.ts';
import { declaredFields, type ModelField, type ResourceModel } from '../../model/resource.ts';
import { columnIn, columnsIn } from '../../model/stored-table.ts';
import { type Code, type Entry, statementText, textCode, valueCode } from './code.ts';
import { columnCode } from './field-code.ts';

/** The steps of a migration, one call each. */
export type Operation =
  | { readonly kind: 'rename'; readonly from: string; readonly to: string; readonly model: string }
  | {
      readonly kind: 'create';
      readonly model: ResourceModel;
      /** References of the model's own columns that are added later, after their target tables. */
      readonly later?: ReadonlySet<string>;
    }
  | { readonly kind: 'alter'; readonly table: string; readonly alteration: Alteration }
  | { readonly kind: 'drop'; readonly table: string };

/** Columns by their names. */
export interface Alteration {
  readonly rename: ReadonlyMap<string, string>;
  readonly add: readonly ModelField[];
  readonly change: readonly { readonly field: ModelField; readonly from: FieldDefinition }[];
  readonly drop: readonly string[];
  readonly fill: ReadonlyMap<string, Json>;
  readonly addIndexes: readonly (readonly string[])[];
  readonly dropIndexes: readonly (readonly string[])[];
  readonly addUnique: readonly (readonly string[])[];
  readonly dropUnique: readonly (readonly string[])[];
  /** Columns of the full-text search before and after; undefined if it stays as it is. */
  readonly search: SearchChange | undefined;
}

const functions: Readonly<Record<Operation['kind'], string>> = {
  rename: 'renameTable',
  create: 'createTable',
  alter: 'alterTable',
  drop: 'dropTable',
};

const definitionOf = ({ type, options }: ModelField): FieldDefinition => ({ type, options });

const object = (entries: readonly Entry[], open = false): Code => ({ object: entries, open });

/**
 * The option `references`, for tables whose name is not the regular plural of the model's name, and for columns there
 * that `same` does not name.
 */
const referencesEntry = (fields: readonly ModelField[], models: Models): Entry[] => {
  const irregular = fields.flatMap(({ column, reference, same }): Entry[] => {
    if (reference === undefined) return [];
    const table = referencedTable(models, reference);
    const shared = same === undefined ? undefined : columnIn(referencedRows(models, reference), same);
    if (shared !== same && shared !== undefined) {
      const entries = [
        { key: 'table', value: textCode(table) },
        { key: 'same', value: textCode(shared) },
      ];
      return [{ key: column, value: object(entries) }];
    }
    return table === tableOf(reference) ? [] : [{ key: column, value: textCode(table) }];
  });
  return irregular.length === 0 ? [] : [{ key: 'references', value: object(irregular) }];
};

/** The option `fieldNames`, for columns of these fields and of those on which they depend. */
const fieldNamesEntry = (
  model: Pick<ResourceModel, 'fields' | 'owner'> | undefined,
  fields: readonly ModelField[],
): Entry[] => {
  const needed = new Set(
    fields.flatMap(({ name, same = '', options }) => [
      name,
      same,
      options.unique === 'owner' ? (model?.owner ?? '') : '',
    ]),
  );
  const named = [...(model?.fields.values() ?? [])].filter(
    ({ name, column }) => name !== column && needed.has(name),
  );
  return entry(
    'fieldNames',
    named.map(({ name, column }) => ({ key: column, value: textCode(name) })),
  );
};

const namesCode = (names: readonly string[]): Code => ({ list: names.map(textCode) });

const columnsCode =
  ({ stored }: ResourceModel) =>
  (names: readonly string[]): Code =>
    namesCode(columnsIn(stored, names));

const createCode = (model: ResourceModel, models: Models, later: ReadonlySet<string>): Code => {
  const fields = declaredFields(model);
  const indexes = indexesBesideFields(model).flatMap(({ columns, unique }) => (unique ? [] : [columns]));
  const isRegular = tableOf(model.name) === model.table;
  const entries: Entry[] = isRegular ? [] : [{ key: 'model', value: textCode(model.name) }];
  if (model.key.kind !== 'integer') entries.push({ key: 'key', value: textCode(model.key.kind) });
  entries.push(
    {
      key: 'fields',
      value: object(
        fields.map((field) => ({
          key: field.column,
          value: later.has(field.column)
            ? {
                call: `field.${field.referenceKey?.field.type.kind ?? 'integer'}`,
                of: field.required ? [object([{ key: 'required', value: 'true' }])] : [],
              }
            : columnCode(definitionOf(field)),
        })),
        true,
      ),
    },
    ...listEntry('unique', model.unique.map(columnsCode(model))),
    ...listEntry('indexes', indexes.map(columnsCode(model))),
    ...listEntry('search', columnsIn(model.stored, model.search).map(textCode)),
    ...referencesEntry(
      fields.filter(({ column }) => !later.has(column)),
      models,
    ),
    ...fieldNamesEntry(model, fields),
  );
  return call('create', [textCode(model.table), object(entries, true)]);
};

const call = (kind: Operation['kind'], of: readonly Code[]): Code => ({
  call: functions[kind],
  of: ['db', 'dialect', ...of],
});

const entry = (key: string, entries: readonly Entry[]): Entry[] =>
  entries.length === 0 ? [] : [{ key, value: object(entries) }];

const listEntry = (key: string, items: readonly Code[]): Entry[] =>
  items.length === 0 ? [] : [{ key, value: { list: items } }];

const searchEntry = (search: SearchChange | undefined): Entry[] =>
  search === undefined
    ? []
    : [
        {
          key: 'search',
          value: object([
            { key: 'from', value: namesCode(search.from) },
            { key: 'to', value: namesCode(search.to) },
          ]),
        },
      ];

const alterCode = (table: string, alteration: Alteration, models: Models): Code => {
  const { rename, add, change, drop, fill } = alteration;
  const touched = [...add, ...change.map(({ field }) => field)];
  const model = [...models.values()].find((each) => each.table === table);
  const renamed = [...(model?.fields.values() ?? [])].filter(({ column }) =>
    [...rename.values()].includes(column),
  );
  return call('alter', [
    textCode(table),
    object(
      [
        ...entry(
          'rename',
          [...rename].map(([key, to]) => ({ key, value: textCode(to) })),
        ),
        ...entry(
          'add',
          add.map((field) => ({ key: field.column, value: columnCode(definitionOf(field)) })),
        ),
        ...entry(
          'change',
          change.map(({ field, from }) => ({
            key: field.column,
            value: object([
              { key: 'from', value: columnCode(from) },
              { key: 'to', value: columnCode(definitionOf(field)) },
            ]),
          })),
        ),
        ...listEntry('drop', drop.map(textCode)),
        ...entry(
          'fill',
          [...fill].map(([key, value]) => ({ key, value: valueCode(value) })),
        ),
        ...listEntry('dropIndexes', alteration.dropIndexes.map(namesCode)),
        ...listEntry('dropUnique', alteration.dropUnique.map(namesCode)),
        ...listEntry('addIndexes', alteration.addIndexes.map(namesCode)),
        ...listEntry('addUnique', alteration.addUnique.map(namesCode)),
        ...searchEntry(alteration.search),
        ...referencesEntry(touched, models),
        ...fieldNamesEntry(model, [...touched, ...renamed]),
      ],
      true,
    ),
  ]);
};

const operationCode = (operation: Operation, models: Models): Code => {
  switch (operation.kind) {
    case 'rename':
      return call('rename', [
        textCode(operation.from),
        textCode(operation.to),
        object([{ key: 'model', value: textCode(operation.model) }]),
      ]);
    case 'create':
      return createCode(operation.model, models, operation.later ?? new Set());
    case 'alter':
      return alterCode(operation.table, operation.alteration, models);
    case 'drop':
      return call('drop', [textCode(operation.table)]);
  }
};

/** Sorts an import list by name, ignoring `type`. */
const importLine = (body: string): string => {
  const used = Object.values(functions).filter((name) => body.includes(`${name}(`));
  const exported = [...used, 'Migration'];
  if (body.includes('field.')) exported.push('field');
  exported.sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  const names = exported.map((name) => (name === 'Migration' ? 'type Migration' : name));
  return `import { ${names.join(', ')} } from 'gatewright';`;
};

/** The file of a migration for both databases. */
export const migrationFile = (operations: readonly Operation[], models: Models): string => {
  const body = operations
    .map((operation) => statementText(operationCode(operation, models), { indent: 2, before: 'await ' }))
    .join('\n');
  return `${importLine(body)}\n\nexport const up: Migration['up'] = async (db, dialect) => {\n${body}\n};\n`;
};

/** `0002_books`: the number after all existing migrations, in their format. */
export const migrationName = (existing: Iterable<string>, name: string): string => {
  const numbers = [...existing].flatMap((each) => /^\d+/.exec(each)?.[0] ?? []);
  const last = numbers.sort().at(-1) ?? '0000';
  return `${String(Number(last) + 1).padStart(Math.max(4, last.length), '0')}_${name}`;
};
