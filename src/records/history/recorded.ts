import type { SqlValue } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import { type Fragment, identifier, join, sql } from '../../database/statement.ts';
import type { ColumnKind } from '../../fields/field.ts';
import type { WrittenBeside, WrittenColumns } from '../beside.ts';

/** What was done to a record. */
export type RecordedAction = 'create' | 'update' | 'destroy';

/** Fields that every write sets, or none: nobody is told of them as changes. */
export const setByServer: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at']);

export const recordedActions = ['create', 'update', 'destroy'] as const satisfies readonly RecordedAction[];

/** Who did it: a user, perhaps by a key of theirs, an application, nobody, or the application's own code. */
export interface RecordedActor {
  readonly kind: string;
  readonly id: string | null;
  readonly name: string | null;
  /** Id of the API key that was used. */
  readonly key: number | null;
  /** Why the application did it on its own account. */
  readonly reason: string | null;
}

/** The columns of whoever did something, as history and events keep them. */
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

/** The columns of whoever did something, each with what it takes. */
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
