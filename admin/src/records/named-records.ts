import { loadMetadata, loadModels, send } from '../service.ts';
import type { Language } from '../texts/provider.ts';
import type { Metadata } from './metadata.ts';
import { type AnyRecord, nameFields, recordName, userModel } from './record.ts';

/** Records that one request reads: their ids stand in its address. */
const readAtOnce = 200;

/** How the records of a model are read by their ids, and called. */
interface Naming {
  readonly path: string;
  readonly fields: readonly string[];
  readonly nameOf: (record: AnyRecord) => string;
}

const namingOf = async (model: string, language: Language): Promise<Naming | undefined> => {
  if (model === userModel)
    return {
      path: '/admin/users',
      fields: ['id', 'username'],
      nameOf: ({ id, username }) => (typeof username === 'string' ? username : `#${id}`),
    };
  const entry = (await loadModels()).find((each) => each.model === model);
  if (entry === undefined) return undefined;
  const metadata = await loadMetadata(model, language);
  // The names of records that the signed-in user may not read stay numbers.
  if (!metadata.permissions.list) return undefined;
  return {
    path: `/admin/records/${entry.path}`,
    fields: ['id', ...nameFields(metadata)],
    nameOf: (record) => recordName(metadata, record),
  };
};

/** Replaces the ids of references by the names of the records that they name, batch by batch. */
export const namesOfReferences = (metadata: Pick<Metadata, 'fields'>, language: Language) => {
  const references = metadata.fields.flatMap(({ name, reference }) =>
    reference === undefined ? [] : [{ name, reference }],
  );
  const namings = new Map<string, Promise<Naming | undefined>>();
  const names = new Map<string, string>();

  const read = async (model: string, ids: readonly number[]): Promise<void> => {
    const known = namings.get(model) ?? namingOf(model, language);
    namings.set(model, known);
    const naming = await known;
    if (naming === undefined) return;
    for (let first = 0; first < ids.length; first += readAtOnce) {
      const query = new URLSearchParams({
        'filter[id][in]': ids.slice(first, first + readAtOnce).join(','),
        fields: naming.fields.join(','),
        per_page: String(readAtOnce),
      });
      for (const record of (await send<readonly AnyRecord[]>('GET', `${naming.path}?${query}`)).data)
        names.set(`${model} ${record.id}`, naming.nameOf(record));
    }
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
