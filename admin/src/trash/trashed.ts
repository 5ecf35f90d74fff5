import type { VersionActor } from '../history/version.ts';
import type { AnyRecord } from '../records/record.ts';
import { recordsPrefix, send } from '../service.ts';

/** A record that was deleted and can come back. */
export interface TrashedRecord extends AnyRecord {
  readonly deleted_at: string;
  readonly deleted_by: VersionActor;
  /** From then on it is removed for good. */
  readonly kept_until: string;
}

/** Where the deleted records of a resource are listed. */
export const trashPath = (path: string): string => `/records/${path}/trash`;

export const loadTrashed = async (path: string, id: string): Promise<TrashedRecord> => {
  const address = `/admin/${recordsPrefix}${path}/${encodeURIComponent(id)}?trashed=true`;
  return (await send<TrashedRecord>('GET', address)).data;
};

const bringBack = (path: string, id: number): Promise<unknown> =>
  send('POST', `/admin/${recordsPrefix}${path}/${id}/restore`, { body: {} });

/** Why a record did not come back. */
export interface RefusedReturn {
  readonly id: number;
  readonly error: unknown;
}

/** Brings records back, one after the other in the order in which they are given; returns those that were refused. */
export const bringAllBack = async (
  path: string,
  ids: readonly number[],
): Promise<readonly RefusedReturn[]> => {
  const refused: RefusedReturn[] = [];
  for (const id of ids) {
    try {
      await bringBack(path, id);
    } catch (error) {
      refused.push({ id, error });
    }
  }
  return refused;
};
