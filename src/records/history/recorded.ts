import type { SqlValue } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import { type Fragment, identifier, join, sql } from '../../database/statement.ts';
import type { ColumnKind } from '../../fields/field.ts';
import type { CompanionInsert, WrittenColumns } from '../companion-inserts.ts';

/** A write of a record, as history and events store it. */
export type RecordedAction = 'create' | 'update' | 'destroy';

/** Fields that the server sets, which are not reported as changes. */
export const setByServer: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at']);

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
): Fragment => {
  if (source === 'record') return id;
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
    const given = Object.keys(columns).filter(
      (each) => computed[each] === undefined && !String(columns[each]).startsWith('record'),
    );
    const insert: CompanionInsert['insert'] = (written, value) => {
      let index = 0;
      const next = (): Fragment => value(index++);
      const values = Object.entries(columns).map(
        ([of, source]) => computed[of]?.(written) ?? valueFrom(dialect, source, written, next),
      );
      const names = Object.keys(columns).map((each) => identifier(each));
      return sql`insert into ${identifier(table)} (${join(names)}) select ${join(values)} from ${written.row}`;
    };
    return { key: table, insert, values: given.map((each) => row[each] ?? null) };
  };
};
