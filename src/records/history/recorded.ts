import type { SqlValue } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import { columnOf, type Source } from '../../database/source.ts';
import { type Fragment, identifier, join, sql } from '../../database/statement.ts';
import type { ColumnKind } from '../../fields/field.ts';
import type { Models } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';
import { pathBehind, type RowExpression } from '../../model/row-expression.ts';
import type { WrittenBeside, WrittenColumns } from '../beside.ts';
import type { ColumnSql } from '../rows/expression.ts';
import { resourceSource, sourceOf } from '../view.ts';

/** The action on a record. */
export type RecordedAction = 'create' | 'update' | 'destroy';

/** Fields that the service sets with every write or never: they are not reported as changes. */
export const setByServer: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at']);

export const recordedActions = ['create', 'update', 'destroy'] as const satisfies readonly RecordedAction[];

/** The actor of a write: a user (perhaps by an API key), an application, an anonymous caller, or the application's own code. */
export interface RecordedActor {
  readonly kind: string;
  readonly id: string | null;
  readonly name: string | null;
  /** Id of the API key that was used. */
  readonly key: number | null;
  /** The reason that the application or the service gave for a write of its own. */
  readonly reason: string | null;
}

/** The reason of a write that the service makes because of another record. */
export const reasonOf = (kind: 'onDelete' | 'restore', model: string, id: number): string =>
  `${kind}: ${model} ${id}`;

/** The record that a reason names; undefined for a reason that the application gave (`asSystem`). */
export const recordInReason = (
  reason: string,
): { readonly model: string; readonly id: number } | undefined => {
  const [, model, id] = /^(?:onDelete|restore): (\w+) ([1-9]\d{0,15})$/.exec(reason) ?? [];
  return model === undefined ? undefined : { model, id: Number(id) };
};

/** The columns of an actor in history and events. */
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

/** What a column takes of a record that the same statement writes: its id, version or values, or a value of a kind. */
type Taken = 'record' | 'recordVersion' | 'recordValues' | ColumnKind;

/** The columns of an actor, each with the kind of its value. */
export const actorTaken = {
  actor_kind: 'text',
  actor_id: 'text',
  actor_name: 'text',
  actor_key: 'integer',
  reason: 'text',
} as const satisfies Record<keyof ActorRow, Taken>;

const takenOf = (
  dialect: Dialect,
  taken: Taken,
  { id, version, whole }: WrittenColumns,
  next: () => Fragment,
): Fragment => {
  if (taken === 'record') return id;
  if (taken === 'recordVersion') return version;
  if (taken === 'recordValues') return dialect.cast(whole, 'json');
  return dialect.cast(next(), taken);
};

/** What a column takes that follows from the record in a way of its model's own. */
type Made<Name extends string> = { readonly [Key in Name]?: (written: WrittenColumns) => Fragment };

/**
 * Writes a row of a table beside a record, in the record's own statement; made once for a table. `made` is the same for
 * all records of a model.
 */
export const besideRecord = <Columns extends Readonly<Record<string, Taken>>>(
  dialect: Dialect,
  table: string,
  columns: Columns,
): ((
  row: { readonly [Name in keyof Columns]?: SqlValue },
  made?: Made<keyof Columns & string>,
) => WrittenBeside) => {
  return (row, made = {}) => {
    const given = Object.keys(columns).filter(
      (each) => made[each] === undefined && !String(columns[each]).startsWith('record'),
    );
    const insert: WrittenBeside['insert'] = (written, value) => {
      let index = 0;
      const next = (): Fragment => value(index++);
      const values = Object.entries(columns).map(
        ([of, taken]) => made[of]?.(written) ?? takenOf(dialect, taken, written, next),
      );
      const names = Object.keys(columns).map((each) => identifier(each));
      return sql`insert into ${identifier(table)} (${join(names)}) select ${join(values)} from ${written.row}`;
    };
    return { key: table, insert, values: given.map((each) => row[each] ?? null) };
  };
};

/**
 * Rules of reading over rows as they were. A version keeps every field; an event keeps the values that rules of reading
 * compare: on both sides of a write those of the row itself; of a row that goes those of the rows that it refers to as
 * well, as these may go along. All are JSON objects, and `keptColumn` lets the same conditions be asked of them.
 */

/** One of these values. */
interface KeptValue {
  readonly kind: ColumnKind;
  /** Decimal places of a number that is kept as a whole one. */
  readonly scale: number;
  /** Of the row with this name. */
  readonly value: Fragment;
}

type KeptValues = ReadonlyMap<string, KeptValue>;

class Collecting {
  readonly found = new Map<string, KeptValue>();
  readonly #models: Models;

  constructor(models: Models) {
    this.#models = models;
  }

  take(source: Source, prefix: string, of: string, value: Fragment): void {
    const { type, options } = columnOf(source, of);
    this.found.set(prefix + of, { kind: type.column, scale: type.scale?.(options) ?? 0, value });
  }

  /** `column`: the SQL of a column of the row that the expression is about. */
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
    const next = (of: string): Fragment =>
      sql`(select ${identifier(row, of)} from ${identifier(expression.table)} as ${identifier(row)} where ${identifier(row, 'id')} = ${value})`;
    const target = sourceOf(expression.model, this.#models);
    this.walk(expression.rule, target, prefix + pathBehind(expression.column, ''), next, depth + 1);
  }
}

const collected = new WeakMap<ResourceModel, KeptValues>();

/** Everything that any rule of reading compares, for anybody. Made once for a model. */
const keptValues = (model: ResourceModel, models: Models): KeptValues => {
  const known = collected.get(model);
  if (known !== undefined) return known;
  const source = resourceSource(model, models);
  const collecting = new Collecting(models);
  const column = (of: string): Fragment => identifier(model.table, of);
  const { isolation, publicRead } = model.rules;
  for (const { column: of } of publicRead ?? []) collecting.take(source, '', of, column(of));
  if (isolation?.byOwner === true && model.owner !== undefined)
    collecting.take(source, '', model.owner, column(model.owner));
  else if (isolation !== undefined) collecting.walk(isolation.read.expression, source, '', column);
  collected.set(model, collecting.found);
  return collecting.found;
};

/** Values as they stand in a JSON text of the record. */
type JsonValues = Readonly<Record<string, unknown>>;

/** The values of a record that goes, as JSON text, to be read with the row; it is called by its table's name. */
export const keptReach = (model: ResourceModel, models: Models, dialect: Dialect): Fragment =>
  dialect.objectText(
    [...keptValues(model, models)].map(([path, { kind, scale, value }]) => ({
      name: path,
      value: dialect.columns[kind].render?.(value, scale) ?? value,
    })),
  );

/** The columns of the row itself that rules of reading compare: rows that it refers to are looked at as they are now. */
const comparedByReads = (model: ResourceModel, models: Models): readonly string[] =>
  [...keptValues(model, models).keys()].filter((path) => model.fields.has(path));

/** What is kept of both sides of a write, to be asked later who may read each; null where no rule compares anything. */
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

/** The same of a record that is made, for the statement that makes it. */
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

/**
 * The columns of a row that is kept as a JSON object, for the conditions of rules of reading. `keys`: where the object
 * stands in the JSON.
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
    if (kept === undefined) throw new Error(`nothing is kept of ${model.name} under ${path}`);
    return dialect.member(object, [...keys, path], kept.kind, kept.scale);
  };
