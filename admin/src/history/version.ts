import { exactJson } from '../exact.ts';
import type { Metadata, MetadataField } from '../records/metadata.ts';

export type Values = Readonly<Record<string, unknown>>;

/** A version of a record, as `/admin/records/…/:id/history` returns it. */
export interface Version {
  readonly version: number;
  readonly action: 'create' | 'update' | 'destroy';
  readonly at: string;
  readonly actor: VersionActor;
  /** Null for a create, and where the values were forgotten. */
  readonly before: Values | null;
  /** Null for a deletion, and where the values were forgotten. */
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

/** Whether the values were removed by `gatewright forget`. */
export const isForgotten = ({ action, before, after }: Version): boolean =>
  (action === 'destroy' ? before : after) === null;

/** Fields that say nothing of what somebody changed. */
const byItself: ReadonlySet<string> = new Set(['id', 'created_at', 'updated_at']);

const written = (value: unknown): string => exactJson.stringify(value ?? null);

/** Fields whose value differs; of a version that came or went those that had one. */
export const changedFields = (
  { fields }: Pick<Metadata, 'fields'>,
  before: Values | null,
  after: Values | null,
): readonly MetadataField[] =>
  fields.filter(({ name }) => !byItself.has(name) && written(before?.[name]) !== written(after?.[name]));

/** Whether the model keeps the versions of its records. */
export const keepsHistory = ({ endpoints }: Pick<Metadata, 'endpoints'>): boolean =>
  endpoints.some(({ action }) => action === 'history');

/** Where the timeline of a record is. */
export const historyPath = (path: string, id: number | string): string => `/records/${path}/${id}/history`;
