/** Saved views of lists, and the settings that they keep. */

import { useQuery } from '@tanstack/react-query';
import type { FilterPayload, SortPayload } from 'ra-core';
import { send } from '../service.ts';

/** The settings of a list in a view. */
export interface ViewQuery {
  readonly filter?: FilterPayload;
  readonly sort?: SortPayload;
  /** Shown columns in their order; the usual ones if absent. */
  readonly columns?: readonly string[];
}

/** A view of a list: one's own, or one shared by another administrator. */
export interface SavedView {
  readonly id: number;
  readonly name: string;
  /** True if the signed-in user saved it and may change it. */
  readonly mine: boolean;
  readonly owner: string;
  readonly shared: boolean;
  readonly query: ViewQuery;
}

const sortedEntries = (values: FilterPayload): [string, unknown][] =>
  Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1));

/** The same text for queries with the same result. */
const canonical = ({ filter = {}, sort, columns }: ViewQuery): string =>
  JSON.stringify([sortedEntries(filter), sort?.field, sort?.order, columns ?? null]);

/** True if both show the list in the same way; a view without an order has the usual one. */
export const showsSame = (one: ViewQuery, other: ViewQuery, usual: SortPayload): boolean =>
  canonical({ sort: usual, ...one }) === canonical({ sort: usual, ...other });

/** The query string that shows a list by a view. */
export const searchOf = ({ filter = {}, sort }: ViewQuery, usual: SortPayload): string => {
  const { field, order } = sort ?? usual;
  const parameters = {
    displayedFilters: '{}',
    filter: JSON.stringify(filter),
    sort: field,
    order,
    page: '1',
  };
  return `?${new URLSearchParams(parameters)}`;
};

/** The current settings, as far as they differ from the defaults of the list. */
export const queryOf = (
  filter: FilterPayload,
  sort: SortPayload,
  columns: readonly string[] | undefined,
): ViewQuery => ({ filter, sort, ...(columns === undefined ? {} : { columns }) });

const key = (resource: string) => ['views', resource] as const;

/** The views of a list that the signed-in user can see, by name. */
export const useViews = (resource: string) =>
  useQuery({
    queryKey: key(resource),
    staleTime: 60_000,
    queryFn: async () => {
      const path = `/admin/views?filter[resource]=${encodeURIComponent(resource)}&sort=name&per_page=200`;
      return (await send<readonly SavedView[]>('GET', path)).data;
    },
  });

/** The properties in the form of a view. */
export type NamedView = Pick<SavedView, 'name' | 'shared'>;

export const createView = async (resource: string, named: NamedView, query: ViewQuery): Promise<SavedView> =>
  (await send<SavedView>('POST', '/admin/views', { body: { view: { resource, ...named, query } } })).data;

export const changeView = async (
  id: number,
  change: Partial<NamedView> & { readonly query?: ViewQuery },
): Promise<void> => {
  await send('PATCH', `/admin/views/${id}`, { body: { view: change } });
};

export const deleteView = async (id: number): Promise<void> => {
  await send('DELETE', `/admin/views/${id}`);
};
