/**
 * The parts that history, events and the trash store alike: the actor of a write, and the values that decide who may
 * read it later, and see its actor.
 *
 * A version stores every field. An event stores the values that read rules compare: those of the row itself before
 * and after a write; for a deleted row also those of the rows to which it referred, as these may be deleted with it.
 * All are JSON objects, on which `keptColumn` evaluates the same conditions.
 */

import type { SqlValue } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import { columnOf, type Source } from '../../database/source.ts';
import {
  columnsOfRows,
  type Fragment,
  identifier,
  join,
  rowsOf,
  sql,
  tableName,
} from '../../database/statement.ts';
import type { ColumnKind } from '../../fields/field.ts';
import type { RecordId, RecordKey } from '../../fields/key.ts';
import type { Models } from '../../model/models.ts';
import type { ModelField, ModelRelation, ResourceModel } from '../../model/resource.ts';
import { pathBehind, type RowExpression, type RowMember, rowActions } from '../../model/row-expression.ts';
import type { CompanionInsert, WrittenColumns } from '../companion-inserts.ts';
import type { ColumnSql } from '../rows/expression.ts';
import { resourceSource, sourceOf } from '../view.ts';

/** The values of a record's JSON text. */
type JsonValues = Readonly<Record<string, unknown>>;

/** A write of a record, as history and events store it. */
export type RecordedAction = 'create' | 'update' | 'destroy';

export const recordedActions = ['create', 'update', 'destroy'] as const satisfies readonly RecordedAction[];

/**
 * The actor of a write: a user, perhaps by an API key, an application, an anonymous caller, or the application's code.
 */
export interface RecordedActor {
  readonly kind: string;
  readonly id: string | null;
  readonly name: string | null;
  /** Id of the API key that was used. */
  readonly key: number | null;
  /** The reason for which the application itself acted. */
  readonly reason: string | null;
}

/** The reason for a write of the service itself: an operation on another record. */
export const reasonOf = (kind: 'onDelete' | 'restore', model: string, id: RecordId): string =>
  `${kind}: ${model} ${id}`;

/**
 * The record that a reason names, its id as text; undefined for a reason that code of the application gave
 * (`asSystem`).
 */
export const recordInReason = (
  reason: string,
): { readonly model: string; readonly id: string } | undefined => {
  const [, model, id] = /^(?:onDelete|restore): (\w+) (.+)$/s.exec(reason) ?? [];
  return model === undefined || id === undefined ? undefined : { model, id };
};

/** The columns of the actor in history and events. */
export const actorColumns = ['actor_kind', 'actor_id', 'actor_name', 'actor_key', 'reason'] as const;

export interface ActorRow {
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly actor_key: number | null;
  readonly reason: string | null;
}

export const actorRow = ({ kind, id, name, key, reason }: RecordedActor): ActorRow => ({
  actor_kind: kind,
  actor_id: id,
  actor_name: name,
  actor_key: key,
  reason,
});

export const recordedActor = (row: ActorRow): RecordedActor => ({
  kind: row.actor_kind,
  id: row.actor_id,
  name: row.actor_name,
  key: row.actor_key === null ? null : Number(row.actor_key),
  reason: row.reason,
});

/** The value of a column in a companion insert: the new record's id, version or values, or a bound value of a kind. */
type ColumnSource = 'record' | 'recordVersion' | 'recordValues' | ColumnKind;

/** The columns of the actor, each with its value in a companion insert. */
export const actorColumnValues = {
  actor_kind: 'text',
  actor_id: 'text',
  actor_name: 'text',
  actor_key: 'integer',
  reason: 'text',
} as const satisfies Record<keyof ActorRow, ColumnSource>;

const valueFrom = (
  dialect: Dialect,
  source: ColumnSource,
  { id, version, whole }: WrittenColumns,
  next: () => Fragment,
  isGiven: boolean,
): Fragment => {
  if (source === 'record') return isGiven ? dialect.cast(next(), 'integer') : id;
  if (source === 'recordVersion') return version;
  if (source === 'recordValues') return dialect.cast(whole, 'json');
  return dialect.cast(next(), source);
};

/** Values of columns that are computed from the new record, depending on its model. */
type ComputedColumns<Name extends string> = {
  readonly [Key in Name]?: (written: WrittenColumns) => Fragment;
};

/**
 * Makes companion inserts of a table; called once for a table. `computed` must be the same for all records of a model.
 */
export const createCompanions = <Columns extends Readonly<Record<string, ColumnSource>>>(
  dialect: Dialect,
  table: string,
  columns: Columns,
): ((
  row: { readonly [Name in keyof Columns]?: SqlValue },
  computed?: ComputedColumns<keyof Columns & string>,
) => CompanionInsert) => {
  return (row, computed = {}) => {
    // An id that the database gives is that of the inserted row: a number, unless it is computed.
    const isGiven = row['record_id'] !== undefined;
    const filled = Object.keys(columns).filter(
      (each) => isGiven || each !== 'record_key' || computed[each] !== undefined,
    );
    const given = filled.filter(
      (each) =>
        computed[each] === undefined &&
        (!String(columns[each]).startsWith('record') || (isGiven && columns[each] === 'record')),
    );
    const insert: CompanionInsert['insert'] = (written, value) => {
      let index = 0;
      const next = (): Fragment => value(index++);
      const values = filled.map(
        (of) => computed[of]?.(written) ?? valueFrom(dialect, columns[of] ?? 'text', written, next, isGiven),
      );
      const names = filled.map((each) => identifier(each));
      return sql`insert into ${tableName(table)} (${join(names)}) select ${join(values)} from ${written.row}`;
    };
    return {
      key: isGiven ? `${table} given` : table,
      insert,
      values: given.map((each) => row[each] ?? null),
    };
  };
};

/** A stored value that read rules compare. */
interface KeptValue {
  readonly kind: ColumnKind;
  /** Decimal places of a decimal that is stored as an integer. */
  readonly scale: number;
  /** SQL of the value, of the current row. */
  readonly value: Fragment;
}

type KeptValues = ReadonlyMap<string, KeptValue>;

class ValueCollector {
  readonly found = new Map<string, KeptValue>();
  readonly #models: Models;

  constructor(models: Models) {
    this.#models = models;
  }

  take(source: Source, prefix: string, of: string, value: Fragment): void {
    const { type, options } = columnOf(source, of);
    this.found.set(prefix + of, { kind: type.column, scale: type.scale?.(options) ?? 0, value });
  }

  /** Collects the values of an expression. `column` returns the SQL of a column of its row. */
  walk(
    expression: RowExpression,
    source: Source,
    prefix: string,
    column: (of: string) => Fragment,
    depth = 0,
  ): void {
    if ('rules' in expression) {
      for (const rule of expression.rules) this.walk(rule, source, prefix, column, depth);
      return;
    }
    const value = column(expression.column);
    this.take(source, prefix, expression.column, value);
    if (expression.kind !== 'via') return;
    const row = `_kept${depth}`;
    const named = columnsOfRows(expression.stored, row);
    const next = (of: string): Fragment =>
      sql`(select ${named(of)} from ${rowsOf(expression.stored)} as ${identifier(row)} where ${named('id')} = ${value})`;
    const target = sourceOf(expression.model, this.#models);
    this.walk(expression.rule, target, prefix + pathBehind(expression.column, ''), next, depth + 1);
  }
}

/** The relations of a record to users whom it shows to its readers. */
export const showingRelations = ({ relations }: ResourceModel): readonly ModelRelation[] =>
  [...relations.values()].filter(({ shows }) => shows !== undefined);

/** The users whom values of a record show to a caller who reads these fields, each with the shown fields. */
export const usersShownIn = (
  model: ResourceModel,
  values: JsonValues | null | undefined,
  readable: readonly string[],
): ReadonlyMap<string, ReadonlySet<string>> => {
  const users = new Map<string, Set<string>>();
  for (const { from, shows = [] } of showingRelations(model)) {
    const id = readable.includes(from) ? values?.[from] : undefined;
    // Events keep some values as texts.
    if (id === null || id === undefined) continue;
    const fields = users.get(String(id)) ?? new Set();
    for (const name of shows) fields.add(name);
    users.set(String(id), fields);
  }
  return users;
};

/** A record that leads to a tenant: its model, and its field that names the next such record, or the tenant. */
export interface TenantStep {
  readonly model: ResourceModel;
  readonly column: string;
}

/** Memberships that name members of a model's tenants. */
export interface Memberships {
  /** Identifies them, and the way to the tenant. */
  readonly key: string;
  /** The field of the record that names the tenant, or the first of the records that lead to it (`via`). */
  readonly field: string;
  readonly behind: readonly TenantStep[];
  readonly model: ResourceModel;
  /** The field of the membership that has the same value. */
  readonly on: string;
  /** The field of the membership that names the member, and the fields of the user that it shows. */
  readonly owner: string;
  readonly shows: readonly string[];
  /** How the record that `field` names is named. */
  readonly named: RecordKey;
}

/** A tenant of a record, as its readers see it: by its id, or by that of the record that leads to it. */
export interface Tenant {
  readonly memberships: Memberships;
  readonly id: RecordId;
}

type RowVia = Extract<RowExpression, { readonly kind: 'via' }>;

/** The conditions `member` of an expression, each with the references that lead to its record. */
const membersIn = (
  expression: RowExpression,
  path: readonly RowVia[] = [],
): readonly { readonly member: RowMember; readonly path: readonly RowVia[] }[] => {
  if ('rules' in expression) return expression.rules.flatMap((rule) => membersIn(rule, path));
  if (expression.kind === 'via') return membersIn(expression.rule, [...path, expression]);
  return expression.kind === 'member' ? [{ member: expression, path }] : [];
};

/** True if a field holds ids: only records are tenants. */
const holdsIds = (field: ModelField | undefined): boolean =>
  field !== undefined && (field.name === 'id' || field.reference !== undefined);

/** The memberships of a condition; undefined if they do not show their users, or are not those of a record. */
const membershipsFor = (
  model: ResourceModel,
  models: Models,
  { model: name, on, owner, column }: RowMember,
  path: readonly RowVia[],
): Memberships | undefined => {
  const memberships = models.get(name);
  const shows = [...(memberships?.relations.values() ?? [])].find(({ from }) => from === owner)?.shows;
  const columns = [...path.map((via) => via.column), column];
  const behind = path.flatMap((via, index) => {
    const step = models.get(via.model);
    return step === undefined ? [] : [{ model: step, column: columns[index + 1] ?? column }];
  });
  const of = behind.at(-1)?.model ?? model;
  if (memberships === undefined || shows === undefined || !holdsIds(of.fields.get(column))) return undefined;
  const key = [...behind.map((step) => `${step.model.name}.${step.column}`), `${name}.${on}`].join(' ');
  const field = columns[0] ?? column;
  const named = model.fields.get(field)?.referenceKey ?? model.key;
  return { key, field, behind, model: memberships, on, owner, shows, named };
};

const membershipsByModel = new WeakMap<ResourceModel, readonly Memberships[]>();

/**
 * The memberships by which rules of a model admit callers to its records, as far as they show their users. Made once
 * for a model.
 */
export const membershipsOf = (model: ResourceModel, models: Models): readonly Memberships[] => {
  const cached = membershipsByModel.get(model);
  if (cached !== undefined) return cached;
  const { isolation, manage } = model.rules;
  const rules = [...rowActions.map((action) => isolation?.[action]), manage].filter(
    (rule) => rule !== undefined,
  );
  const found = new Map<string, Memberships>();
  for (const { member, path } of rules.flatMap(({ expression }) => membersIn(expression))) {
    const memberships = membershipsFor(model, models, member, path);
    if (memberships !== undefined) found.set(`${memberships.field} ${memberships.key}`, memberships);
  }
  const made = [...found.values()];
  membershipsByModel.set(model, made);
  return made;
};

/** The tenants that values of a record show to a caller who reads these fields. */
export const tenantsIn = (
  model: ResourceModel,
  models: Models,
  values: Readonly<Record<string, unknown>> | null | undefined,
  readable: readonly string[],
): readonly Tenant[] =>
  membershipsOf(model, models).flatMap((memberships) => {
    const value = readable.includes(memberships.field) ? values?.[memberships.field] : undefined;
    // Events keep some values as texts; without a value, there is no tenant.
    const { named } = memberships;
    const id = named.of(value) ?? named.parse(String(value));
    return id === undefined ? [] : [{ memberships, id }];
  });

const valuesByModel = new WeakMap<ResourceModel, KeptValues>();

/**
 * All values that the rules for reading records and their fields, and for managing them, compare, for any caller. Made
 * once for a model.
 */
const keptValues = (model: ResourceModel, models: Models): KeptValues => {
  const cached = valuesByModel.get(model);
  if (cached !== undefined) return cached;
  const source = resourceSource(model, models);
  const collector = new ValueCollector(models);
  const column = columnsOfRows(model.stored);
  const { isolation, publicRead, viewedWhen, manage } = model.rules;
  for (const { column: of } of publicRead ?? []) collector.take(source, '', of, column(of));
  // The users whom the record shows, and its tenants, decide who sees the actor.
  for (const { from } of showingRelations(model)) collector.take(source, '', from, column(from));
  for (const { field } of membershipsOf(model, models)) collector.take(source, '', field, column(field));
  if (isolation?.byOwner === true && model.owner !== undefined)
    collector.take(source, '', model.owner, column(model.owner));
  else if (isolation !== undefined) collector.walk(isolation.read.expression, source, '', column);
  for (const { condition } of viewedWhen) collector.walk(condition.expression, source, '', column);
  if (manage !== undefined) collector.walk(manage.expression, source, '', column);
  valuesByModel.set(model, collector.found);
  return collector.found;
};

/** The stored values of a record that is deleted, as JSON text, read with the row under its table's name. */
export const keptReach = (model: ResourceModel, models: Models, dialect: Dialect): Fragment =>
  dialect.objectText(
    [...keptValues(model, models)].map(([path, { kind, scale, value }]) => ({
      name: path,
      value: dialect.columns[kind].render?.(value, scale) ?? value,
    })),
  );

/** The columns of the row itself that read rules compare; the rows to which it refers are read as they are now. */
const comparedByReads = (model: ResourceModel, models: Models): readonly string[] =>
  [...keptValues(model, models).keys()].filter((path) => model.fields.has(path));

/** The stored values before and after a write, which decide who may read each side; null if no rule compares any. */
export const keptSides = (
  model: ResourceModel,
  models: Models,
  before: JsonValues | undefined,
  after: JsonValues | undefined,
): string | null => {
  const compared = comparedByReads(model, models);
  if (compared.length === 0) return null;
  const side = (values: JsonValues | undefined) =>
    values && Object.fromEntries(compared.map((of) => [of, values[of] ?? null]));
  return JSON.stringify({ before: side(before), after: side(after) });
};

/** The stored values of a new record, as SQL for the statement that inserts it. */
export const keptOfNew = (
  model: ResourceModel,
  models: Models,
  dialect: Dialect,
  whole: Fragment,
): Fragment => {
  const compared = comparedByReads(model, models);
  if (compared.length === 0) return sql`null`;
  const record = dialect.cast(whole, 'json');
  const after = compared.map((of) => ({ name: of, value: dialect.member(record, [of], 'text', 0) }));
  return dialect.cast(dialect.objectText([{ name: 'after', value: dialect.object(after) }]), 'json');
};

/** The columns of a row of which a JSON object stores every field. */
export const wholeColumn =
  (source: Source, dialect: Dialect, object: Fragment): ColumnSql =>
  (of) => {
    const { type, options } = columnOf(source, of);
    return dialect.member(object, [of], type.column, type.scale?.(options) ?? 0);
  };

/**
 * The columns of a row that is stored as a JSON object, for the conditions of read rules. `keys` is the path to the
 * object in the JSON.
 */
export const keptColumn =
  (
    model: ResourceModel,
    models: Models,
    dialect: Dialect,
    object: Fragment,
    keys: readonly string[] = [],
  ): ColumnSql =>
  (path) => {
    const kept = keptValues(model, models).get(path);
    if (kept === undefined) throw new Error(`no value of ${model.name} is stored under ${path}`);
    return dialect.member(object, [...keys, path], kept.kind, kept.scale);
  };
