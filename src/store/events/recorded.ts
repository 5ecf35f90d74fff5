/** What was done to a record. */
export type RecordedAction = 'create' | 'update' | 'destroy';

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
