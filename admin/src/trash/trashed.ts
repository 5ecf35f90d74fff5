import type { VersionActor } from '../history/version.ts';
import type { AnyRecord } from '../records/record.ts';
import { recordsPrefix, send } from '../service.ts';

/** A deleted record that can be restored. */
export interface TrashedRecord extends AnyRecord {
  readonly deleted_at: string;
  readonly deleted_by: VersionActor;
  /** Time from which on it is removed for good. */
  readonly kept_until: string;
}

/** Path of the list of deleted records of a resource. */
export const trashPath = (path: string): string => `/records/${path}/trash`;

export const loadTrashed = async (path: string, id: string): Promise<TrashedRecord> => {
  const address = `/admin/${recordsPrefix}${path}/${encodeURIComponent(id)}?trashed=true`;
  return (await send<TrashedRecord>('GET', address)).data;
};

const restoreRecord = (path: string, id: number): Promise<unknown> =>
  send('POST', `/admin/${recordsPrefix}${path}/${id}/restore`, { body: {} });

/** A record that was not restored, with the reason. */
export interface RefusedRestore {
  readonly id: number;
  readonly error: unknown;
}

/** Restores records one by one in the given order; returns the refused ones. */
export const restoreAll = async (
  path: string,
  ids: readonly number[],
): Promise<readonly RefusedRestore[]> => {
  const refused: RefusedRestore[] = [];
  for (const id of ids) {
    try {
      await restoreRecord(path, id);
    } catch (error) {
      refused.push({ id, error });
    }
  }
  return refused;
};
