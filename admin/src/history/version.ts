import { exactJson } from '../exact.ts';
import type { Metadata, MetadataField } from '../records/metadata.ts';

export type Values = Readonly<Record<string, unknown>>;

/** A version of a record, as `/admin/records/…/:id/history` returns it. */
export interface Version {
  readonly version: number;
  readonly action: 'create' | 'update' | 'destroy';
  readonly at: string;
  readonly actor: VersionActor;
  /** Null for a create, and after the values were removed. */
  readonly before: Values | null;
  /** Null for a deletion, and after the values were removed. */
  readonly after: Values | null;
}

export interface VersionActor {
  readonly kind: string;
  readonly id: string | null;
  readonly name: string | null;
  /** Id of the API key that was used. */
  readonly key: number | null;
  readonly reason: string | null;
}

/** True if `gatewright forget` has removed the values. */
export const isForgotten = ({ action, before, after }: Version): boolean =>
  (action === 'destroy' ? before : after) === null;

/** Fields that the service sets: they say nothing about a user's change. */
const serviceFields: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at']);

const written = (value: unknown): string => exactJson.stringify(value ?? null);

/** The fields with different values; for a created or deleted record, all fields with a value. */
export const changedFields = (
  { fields }: Pick<Metadata, 'fields'>,
  before: Values | null,
  after: Values | null,
): readonly MetadataField[] =>
  fields.filter(({ name }) => !serviceFields.has(name) && written(before?.[name]) !== written(after?.[name]));

export const keepsHistory = ({ endpoints }: Pick<Metadata, 'endpoints'>): boolean =>
  endpoints.some(({ action }) => action === 'history');

/** Path of the history of a record. */
export const historyPath = (path: string, id: number | string): string =>
  `/records/${path}/${encodeURIComponent(id)}/history`;
