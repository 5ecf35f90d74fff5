/**
 * A deletion as the trash stores it. A bundle is the effect of one deletion: the deleted record, the records deleted
 * along with it, and the references that became null. Its name is random.
 */

import { randomUUID } from 'node:crypto';
import { storedRecord } from '../../database/record-column.ts';
import { type Fragment, identifier, join, tableName } from '../../database/statement.ts';
import type { RecordId } from '../../fields/key.ts';
import { parseExact } from '../../kernel/exact-json.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { type ActorRow, actorColumns, type RecordedActor, recordedActor } from '../history/recorded.ts';

/** The columns that all entries of a bundle share. */
export interface TrashBundle {
  readonly bundle: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor: RecordedActor;
}

/** A record to be put into the trash. */
export interface TrashedRecord extends TrashBundle {
  /** `first` for the deleted record itself, `along` for one that was deleted with it. */
  readonly kind: 'first' | 'along';
  readonly model: string;
  readonly id: RecordId;
  /** Its version after the deletion. */
  readonly version: number;
  /** JSON text of every field. */
  readonly record: string;
}

/** A record in the trash. */
export interface KeptRecord {
  readonly model: string;
  readonly id: RecordId;
  readonly version: number;
  /** Null if it was erased. */
  readonly record: JsonObject | null;
}

/** The first record of a bundle. */
export interface FirstRecord extends KeptRecord {
  readonly bundle: string;
  readonly deletedAt: string;
  readonly deletedBy: RecordedActor;
}

/** References by one field to one record, which became null when it was deleted. */
export interface NulledReferences {
  readonly model: string;
  readonly field: string;
  readonly target: RecordId;
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

export const trashTable = tableName('gatewright_trash');

export const bundleColumns = ['bundle', 'deleted_at', ...actorColumns] as const;
export const recordColumns = ['kind', 'model', 'record_id', 'version', 'record', ...bundleColumns] as const;
export const noteColumns = ['kind', 'model', 'field', 'record_id', 'target_id', ...bundleColumns] as const;

export const trashColumns = (columns: readonly string[]): Fragment =>
  join(columns.map((each) => identifier(each)));

export const keptRecord = (row: TrashRow): KeptRecord => ({
  model: row.model,
  id: storedRecord(row.record_id),
  version: Number(row.version),
  record: row.record === null ? null : (parseExact(row.record) as JsonObject),
});

export const firstRecord = (row: FirstRow): FirstRecord => ({
  ...keptRecord(row),
  bundle: row.bundle,
  deletedAt: row.deleted_at,
  deletedBy: recordedActor(row),
});
