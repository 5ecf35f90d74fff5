import type { Call, Endpoint } from '../../http/endpoint.ts';
import type { ServedResource } from '../operations/served-resource.ts';

/** The checks of the record that a path names, for explanations and metadata. */
export const recordChecks = ({
  model: { key },
  records,
}: ServedResource): Required<Pick<Endpoint, 'reaches' | 'writes' | 'forRecord' | 'hides'>> => {
  const stateOf = async (grant: Call['grant'], { id: text = '' }: Call['params']) => {
    const id = key.parse(text);
    return id === undefined ? undefined : records.writeState(grant, id);
  };
  return {
    reaches: async (grant, params) => (await stateOf(grant, params)) !== undefined,
    writes: async (grant, params) => (await stateOf(grant, params))?.writable === true,
    forRecord: async (grant, params) => {
      const found = await stateOf(grant, params);
      if (found === undefined) return 'missing';
      if (!found.writable) return 'forbidden';
      const id = key.parse(params['id'] ?? '');
      return grant.held === undefined || id === undefined ? grant : records.settled(grant, grant.held, id);
    },
    hides: async (grant, params) => {
      const id = key.parse(params['id'] ?? '');
      return (id === undefined ? undefined : (await records.hidden(grant, [id])).get(id)) ?? new Set();
    },
  };
};

/** The check that a deleted record is in the trash, within the caller's grant. */
export const isInTrash =
  ({ context, model, records }: ServedResource): NonNullable<Endpoint['reaches']> =>
  async (grant, { id: text = '' }) => {
    const id = model.key.parse(text);
    if (id === undefined) return false;
    return (await context.trash.find(records.source, grant, id)) !== undefined;
  };
