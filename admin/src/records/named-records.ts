/** Names in place of ids, for exported records. */

import { GatewrightError } from '../../../client/error.ts';
import { loadModels, readNames } from '../service.ts';
import type { Metadata } from './metadata.ts';
import { recordName, userDisplay, userModel } from './record.ts';

/** Path of the records of a model, and the template of their names. */
interface Naming {
  /** Path for `readNames`. */
  readonly path: string;
  /** Path of their pages. */
  readonly pages: string;
  readonly display: string | null;
}

/** The naming of a model; null if there is no such model. */
export const namingOf = async (model: string): Promise<Naming | null> => {
  if (model === userModel) return { path: 'users', pages: '/users', display: userDisplay };
  const entry = (await loadModels()).find((each) => each.model === model);
  return entry === undefined ? null : { ...entry, pages: `/records/${entry.path}` };
};

/** Records that the user may not read stay without names. */
const emptyIfRefused = (error: unknown): readonly never[] => {
  if (error instanceof GatewrightError && error.status === 403) return [];
  throw error;
};

/** Replaces the ids of references by the names of the records, batch by batch. */
export const namesOfReferences = (metadata: Pick<Metadata, 'fields'>) => {
  const references = metadata.fields.flatMap(({ name, reference }) =>
    reference === undefined ? [] : [{ name, reference }],
  );
  const names = new Map<string, string>();

  const read = async (model: string, ids: readonly number[]): Promise<void> => {
    const naming = await namingOf(model);
    if (naming === null) return;
    for (const record of await readNames(naming.path, ids).catch(emptyIfRefused))
      names.set(`${model} ${record.id}`, recordName(naming, record));
  };

  return async (
    records: readonly Readonly<Record<string, unknown>>[],
  ): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    for (const { name, reference } of references) {
      const ids = records.map((record) => record[name]).filter((id) => typeof id === 'number');
      await read(
        reference,
        [...new Set(ids)].filter((id) => !names.has(`${reference} ${id}`)),
      );
    }
    return records.map((record) => ({
      ...record,
      ...Object.fromEntries(
        references
          .filter(({ name }) => Object.hasOwn(record, name))
          .map(({ name, reference }) => [name, names.get(`${reference} ${record[name]}`) ?? record[name]]),
      ),
    }));
  };
};
