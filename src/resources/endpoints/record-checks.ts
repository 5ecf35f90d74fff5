import { parseId } from '../../fields/values.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import type { ServedResource } from '../operations/served-resource.ts';

/** The checks of the record that a path names, for explanations and metadata. */
export const recordChecks = ({
  records,
}: ServedResource): Required<Pick<Endpoint, 'reaches' | 'writes' | 'forRecord' | 'hides'>> => {
  const stateOf = async (grant: Call['grant'], { id: text = '' }: Call['params']) => {
    const id = parseId(text);
    return id === undefined ? undefined : records.writeState(grant, id);
  };
  return {
    reaches: async (grant, params) => (await stateOf(grant, params)) !== undefined,
    writes: async (grant, params) => (await stateOf(grant, params))?.writable === true,
    forRecord: async (grant, params) => {
      const found = await stateOf(grant, params);
      if (found === undefined) return 'missing';
      if (!found.writable) return 'forbidden';
      return grant.held === undefined
        ? grant
        : records.settled(grant, grant.held, parseId(params['id'] ?? '') ?? 0);
    },
    hides: async (grant, params) => {
      const id = parseId(params['id'] ?? '') ?? 0;
      return (await records.hidden(grant, [id])).get(id) ?? new Set();
    },
  };
};

/** The check that a deleted record is in the trash, within the caller's grant. */
export const isInTrash =
  ({ context, records }: ServedResource): NonNullable<Endpoint['reaches']> =>
  async (grant, { id: text = '' }) => {
    const id = parseId(text);
    if (id === undefined) return false;
    return (await context.trash.find(records.source, grant, id)) !== undefined;
  };
