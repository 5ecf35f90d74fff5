/** Turns the differences between models and database into the operations of a migration, or asks for a declaration. */

import {
  type Difference,
  describeDifference,
  differences,
  type Stored,
} from '../../database/schema-differences.ts';
import type { FieldDefinition, FieldType } from '../../fields/field.ts';
import { bareTypeOf, defaultKey } from '../../fields/keys.ts';
import type { Json } from '../../kernel/json.ts';
import { type Models, referencedRows, referencedTable } from '../../model/models.ts';
import type { ModelField, ResourceModel } from '../../model/resource.ts';
import { columnIn } from '../../model/stored-table.ts';
import { CommandError } from '../io.ts';
import type { Declarations } from './declarations.ts';
import type { Alteration, Operation } from './migration-file.ts';
import { applyRenames } from './renamed.ts';

type Of<Kind extends Difference['kind']> = Extract<Difference, { kind: Kind }>;

const only = <Kind extends Difference['kind']>(found: readonly Difference[], kind: Kind): Of<Kind>[] =>
  found.filter((difference): difference is Of<Kind> => difference.kind === kind);

/** The model of a table that was renamed. */
const modelOf = (models: Models, table: string): ResourceModel => {
  const model = [...models.values()].find((each) => each.table === table);
  if (model === undefined) throw new CommandError(`--rename …=${table}: no model has the table ${table}`);
  return model;
};

const pair = (gone: readonly string[], added: readonly string[]): string => `${gone[0]}=${added[0]}`;

/** Questions that only the author can answer: is an addition a rename? */
const assertDeclared = (found: readonly Difference[], { allowDrop }: Declarations): void => {
  if (allowDrop) return;
  const complaints: string[] = [];
  const complain = (
    what: string,
    gone: readonly string[],
    added: readonly string[],
    prefix: string,
  ): void => {
    const [verb, is] = gone.length > 1 ? ['are', 'them'] : ['is', 'it'];
    complaints.push(
      added.length === 0
        ? `${what} ${gone.join(', ')} ${verb} in no model: --allow-drop drops ${is}`
        : `${what} ${gone.join(', ')} ${verb} in no model, and ${added.join(', ')} new: declare --rename ${prefix}${pair(gone, added)}, or --allow-drop`,
    );
  };
  const tables = only(found, 'surplus_table').map(({ table }) => table);
  if (tables.length > 0)
    complain(
      'table',
      tables,
      only(found, 'missing_table').map(({ model }) => model.table),
      '',
    );
  const columns = only(found, 'surplus_column');
  for (const table of new Set(columns.map((each) => each.table)))
    complain(
      `${table}:`,
      columns.filter((each) => each.table === table).map(({ column }) => column),
      only(found, 'missing_column')
        .filter((each) => each.table === table)
        .map(({ field }) => field.column),
      `${table}.`,
    );
  if (complaints.length > 0) throw new CommandError(complaints.join('; '));
};

const assertExpressible = (found: readonly Difference[]): void => {
  const beyond = found.find(
    (difference) =>
      difference.kind === 'missing_own_column' ||
      difference.kind === 'changed_key' ||
      (difference.kind === 'changed_column' && difference.from === undefined),
  );
  if (beyond !== undefined)
    throw new CommandError(`${describeDifference(beyond)}: write this migration yourself`);
};

/** New models in the order of their references; in a circle, some references come later. */
const creations = (
  models: Models,
  created: readonly ResourceModel[],
): readonly Extract<Operation, { kind: 'create' }>[] => {
  const waiting = new Set(created.map(({ table }) => table));
  const targets = (model: ResourceModel): readonly (readonly [string, string])[] =>
    [...model.fields.values()].flatMap(({ column, reference }) => {
      const table = reference === undefined ? undefined : referencedTable(models, reference);
      return table !== undefined && table !== model.table && waiting.has(table)
        ? [[column, table] as const]
        : [];
    });
  const left = [...created];
  const ordered: Extract<Operation, { kind: 'create' }>[] = [];
  while (left.length > 0) {
    const index = Math.max(
      0,
      left.findIndex((model) => targets(model).length === 0),
    );
    const [model] = left.splice(index, 1);
    if (model === undefined) break;
    const later = new Set(targets(model).map(([column]) => column));
    waiting.delete(model.table);
    ordered.push(later.size === 0 ? { kind: 'create', model } : { kind: 'create', model, later });
  }
  return ordered;
};

const nothing: Alteration = {
  rename: new Map(),
  add: [],
  change: [],
  drop: [],
  fill: new Map(),
  addIndexes: [],
  dropIndexes: [],
  addUnique: [],
  dropUnique: [],
  search: undefined,
};

/** The type of a reference's column before it refers to anything. */
const bareType = ({ referenceKey = defaultKey }: ModelField): FieldType => bareTypeOf(referenceKey);

const fieldOfColumn = (model: ResourceModel, column: string): ModelField | undefined =>
  [...model.fields.values()].find((field) => field.column === column);

/** References that are added after their target tables. */
const lateReferences = (ordered: readonly Extract<Operation, { kind: 'create' }>[]): Operation[] =>
  ordered.flatMap(({ model, later }) => {
    if (later === undefined) return [];
    const change = [...later].flatMap((column) => {
      const field = fieldOfColumn(model, column);
      if (field === undefined) return [];
      const from: FieldDefinition = {
        type: bareType(field),
        options: field.required ? { required: true } : {},
      };
      return [{ field, from }];
    });
    return [{ kind: 'alter', table: model.table, alteration: { ...nothing, change } } as const];
  });

const definitionOf = ({ type, options }: ModelField): FieldDefinition => ({ type, options });

/** True if a field's `same` needs a column of a table that the same migration adds or changes: its key comes after. */
const isPostponed = (models: Models, found: readonly Difference[]): ((field: ModelField) => boolean) => {
  const columns = [...only(found, 'missing_column'), ...only(found, 'changed_column')];
  const added = new Set(columns.map(({ table, field }) => `${table}.${field.column}`));
  return ({ reference, same }) =>
    reference !== undefined &&
    same !== undefined &&
    added.has(`${referencedTable(models, reference)}.${columnIn(referencedRows(models, reference), same)}`);
};

const withoutSame = (field: ModelField): ModelField => {
  const { same: _, ...options } = { same: undefined, ...field.options };
  return { ...field, same: undefined, options };
};

/** Keys of `same` that are added after all columns. */
const lateSame = (
  models: Models,
  found: readonly Difference[],
  created: readonly ResourceModel[],
): readonly Operation[] => {
  const postponed = isPostponed(models, found);
  const fields = [
    ...created.flatMap(({ table, fields }) => [...fields.values()].map((field) => ({ table, field }))),
    ...only(found, 'missing_column'),
    ...only(found, 'changed_column'),
  ].filter(({ field }) => postponed(field));
  return [...Map.groupBy(fields, ({ table }) => table)].map(([table, some]): Operation => {
    const change = some.map(({ field }) => ({ field, from: definitionOf(withoutSame(field)) }));
    return { kind: 'alter', table, alteration: { ...nothing, change } };
  });
};

const needsValue = ({ required, options }: ModelField): boolean => required && options.default === undefined;

/** Declared values for columns of a table. */
const fillOf = (
  declared: ReadonlyMap<string, Json> | undefined,
  fields: readonly ModelField[],
): Map<string, Json> => {
  const fill = new Map<string, Json>();
  for (const { column } of fields) {
    const value = declared?.get(column);
    if (value !== undefined) fill.set(column, value);
  }
  return fill;
};

const alterations = (
  models: Models,
  found: readonly Difference[],
  declarations: Declarations,
): Operation[] => {
  const postponed = isPostponed(models, found);
  const now = (field: ModelField): ModelField => (postponed(field) ? withoutSame(field) : field);
  const tables = new Set([
    ...declarations.columns.keys(),
    ...found.flatMap((difference) => ('table' in difference ? difference.table : [])),
  ]);
  for (const { table } of only(found, 'surplus_table')) tables.delete(table);
  return [...tables].map((table): Operation => {
    const here = found.filter((difference) => 'table' in difference && difference.table === table);
    const add = only(here, 'missing_column').map(({ field }) => now(field));
    const change = only(here, 'changed_column').flatMap(({ field, from, aspects }) =>
      from === undefined ? [] : [{ field: now(field), from, required: aspects.includes('required') }],
    );
    const filled = [...add, ...change.filter(({ required }) => required).map(({ field }) => field)];
    return {
      kind: 'alter',
      table,
      alteration: {
        rename: declarations.columns.get(table) ?? new Map(),
        add,
        change,
        drop: only(here, 'surplus_column').map(({ column }) => column),
        fill: fillOf(declarations.fill.get(table), filled),
        addIndexes: only(here, 'missing_index').map(({ columns }) => columns),
        dropIndexes: only(here, 'surplus_index').map(({ columns }) => columns),
        addUnique: only(here, 'missing_unique').map(({ columns }) => columns),
        dropUnique: only(here, 'surplus_unique').map(({ columns }) => columns),
        search: only(here, 'changed_search').map(({ from, to }) => ({ from, to }))[0],
      },
    };
  });
};

/** A column for which existing records have no value, by the current names of the database. */
export interface Gap {
  readonly table: string;
  /** Undefined for a new column, for which all records lack a value. */
  readonly column: string | undefined;
  /** In the form of `--fill`. */
  readonly name: string;
}

/** A declared value for such a column. */
export interface Fill extends Gap {
  readonly field: ModelField;
  readonly value: Json;
}

export interface MigrationPlan {
  readonly operations: readonly Operation[];
  /** Columns that become required without a default or a declared value: allowed only if no record lacks a value. */
  readonly gaps: readonly Gap[];
  readonly fills: readonly Fill[];
}

/** Columns that become required, with their declared values. */
const demandsOf = (
  operations: readonly Operation[],
  declarations: Declarations,
): readonly (Gap & { readonly field: ModelField; readonly value: Json | undefined })[] => {
  const oldTable = new Map([...declarations.tables].map(([from, to]) => [to, from]));
  return operations.flatMap((operation) => {
    if (operation.kind !== 'alter') return [];
    const { table, alteration } = operation;
    const oldColumn = new Map([...alteration.rename].map(([from, to]) => [to, from]));
    const demand = (field: ModelField, column: string | undefined) => ({
      table: oldTable.get(table) ?? table,
      column,
      name: `${table}.${field.column}`,
      field,
      value: alteration.fill.get(field.column),
    });
    return [
      ...alteration.add.map((field) => demand(field, undefined)),
      ...alteration.change.flatMap(({ field, from }) =>
        from.options !== undefined && !('required' in from.options)
          ? [demand(field, oldColumn.get(field.column) ?? field.column)]
          : [],
      ),
    ];
  });
};

const assertFillsUsed = (operations: readonly Operation[], { fill }: Declarations): void => {
  for (const [table, columns] of fill)
    for (const column of columns.keys()) {
      const used = operations.some(
        (operation) =>
          operation.kind === 'alter' && operation.table === table && operation.alteration.fill.has(column),
      );
      if (!used) throw new CommandError(`--fill ${table}.${column}: no record needs a value there`);
    }
};

/**
 * Plans the steps of a migration that brings the database to the models.
 * @throws CommandError that names a declaration which only the author can make
 */
export const planMigration = (models: Models, stored: Stored, declarations: Declarations): MigrationPlan => {
  const renames = [...declarations.tables].map(
    ([from, to]): Operation => ({ kind: 'rename', from, to, model: modelOf(models, to).name }),
  );
  const found = differences(models, applyRenames(stored, declarations));
  assertExpressible(found);
  assertDeclared(found, declarations);
  const postponed = isPostponed(models, found);
  const missing = only(found, 'missing_table').map(({ model }) => model);
  const created = creations(
    models,
    missing.map((model) => {
      if (![...model.fields.values()].some(postponed)) return model;
      const fields = [...model.fields].map(([name, field]): [string, ModelField] => [
        name,
        postponed(field) ? withoutSame(field) : field,
      ]);
      return { ...model, fields: new Map(fields) };
    }),
  );
  const operations: Operation[] = [
    ...renames,
    ...created,
    ...lateReferences(created),
    ...alterations(models, found, declarations),
    ...lateSame(models, found, missing),
    ...only(found, 'surplus_table').map(({ table }): Operation => ({ kind: 'drop', table })),
  ];
  assertFillsUsed(operations, declarations);
  // A table created by this migration has no records yet.
  const fresh = new Set(created.map(({ model }) => model.table));
  const demands = demandsOf(operations, declarations).filter(({ table }) => !fresh.has(table));
  return {
    operations,
    gaps: demands.filter(({ field, value }) => value === undefined && needsValue(field)),
    fills: demands.flatMap(({ value, ...demand }) => (value === undefined ? [] : [{ ...demand, value }])),
  };
};
