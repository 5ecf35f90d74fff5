import { randomUUID } from 'node:crypto';
import { type Fragment, identifier, join } from '../../database/statement.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { type ActorRow, actorColumns, type RecordedActor, recordedActor } from '../history/recorded.ts';

/**
 * Records that were deleted and can come back. What one deletion takes away is a bundle: the record that was deleted, what
 * went along with it, and the references that it took from others. It is named by a text that nobody has chosen.
 */

/** What is common to all that one deletion takes away. */
export interface TrashBundle {
  readonly bundle: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor: RecordedActor;
}

/** A record that goes into the trash. */
export interface TrashedRecord extends TrashBundle {
  /** The one that was deleted, by which the bundle is found, or one that went along. */
  readonly kind: 'first' | 'along';
  readonly model: string;
  readonly id: number;
  /** The version that the deletion has made of it. */
  readonly version: number;
  /** JSON text of every field. */
  readonly record: string;
}

/** A record of the trash as it is read. */
export interface KeptRecord {
  readonly model: string;
  readonly id: number;
  readonly version: number;
  /** Null where it was forgotten. */
  readonly record: JsonObject | null;
}

/** The one that was deleted. */
export interface FirstRecord extends KeptRecord {
  readonly bundle: string;
  readonly deletedAt: string;
  readonly deletedBy: RecordedActor;
}

/** References by one field that named one record, and became null when it was deleted. */
export interface NulledReferences {
  readonly model: string;
  readonly field: string;
  readonly target: number;
}

export interface TrashRow {
  readonly model: string;
  readonly record_id: number;
  readonly version: number;
  readonly record: string | null;
}

export interface FirstRow extends TrashRow, ActorRow {
  readonly bundle: string;
  readonly deleted_at: string;
}

/** The name of a new bundle. */
export const bundleName = (): string => randomUUID();

export const trashTable = identifier('gatewright_trash');

export const bundleColumns = ['bundle', 'deleted_at', ...actorColumns] as const;
export const recordColumns = ['kind', 'model', 'record_id', 'version', 'record', ...bundleColumns] as const;
export const noteColumns = ['kind', 'model', 'field', 'record_id', 'target_id', ...bundleColumns] as const;

export const trashColumns = (columns: readonly string[]): Fragment =>
  join(columns.map((each) => identifier(each)));

export const keptRecord = (row: TrashRow): KeptRecord => ({
  model: row.model,
  id: Number(row.record_id),
  version: Number(row.version),
  record: row.record === null ? null : JSON.parse(row.record),
});

export const firstRecord = (row: FirstRow): FirstRecord => ({
  ...keptRecord(row),
  bundle: row.bundle,
  deletedAt: row.deleted_at,
  deletedBy: recordedActor(row),
});
