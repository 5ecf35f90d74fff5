/** The effects of a deletion, as the service predicts them. */

import { useQuery } from '@tanstack/react-query';
import { send } from '../service.ts';

/** Records that refer to a deleted one, and their fate, as `/admin/…/references` returns them. */
export interface Reference {
  readonly model: string;
  /** Path of their list: `records/orders`. */
  readonly resource: string;
  readonly field: string;
  readonly on_delete: 'restrict' | 'null' | 'cascade' | 'keep';
  /** Null if there are some that this administrator may not read. */
  readonly count: number | null;
  readonly more: boolean;
  readonly trash: boolean;
  readonly to: readonly (number | string)[];
}

export interface Forecast {
  readonly refused: readonly { readonly id: number | string; readonly problem: string }[];
  readonly references: readonly Reference[];
}

/** Ids per request. */
const asked = 100;

const kindOf = ({ model, field, on_delete, trash }: Reference): string =>
  `${model} ${field} ${on_delete} ${trash}`;

/** One forecast from several: references of the same kind are added up. */
const sumForecasts = (answers: readonly Forecast[]): Forecast => {
  const kinds = new Map<string, Reference>();
  for (const reference of answers.flatMap(({ references }) => references)) {
    const known = kinds.get(kindOf(reference));
    kinds.set(
      kindOf(reference),
      known === undefined
        ? reference
        : {
            ...known,
            count: known.count === null ? null : known.count + (reference.count ?? 0),
            more: known.more || reference.more,
            to: [],
          },
    );
  }
  return { refused: answers.flatMap(({ refused }) => refused), references: [...kinds.values()] };
};

/** Ids in a parameter. A text may contain a comma, and is encoded once more within the list. */
const listed = (ids: readonly (number | string)[]): string =>
  ids.map((id) => (typeof id === 'number' ? id : encodeURIComponent(encodeURIComponent(id)))).join(',');

const forecastOf = async (
  resource: string,
  ids: readonly (number | string)[],
  signal: AbortSignal,
): Promise<Forecast> => {
  const [only] = ids;
  const read = async (path: string): Promise<Forecast> =>
    (await send<Forecast>('GET', `/admin/${resource}/${path}`, { signal })).data;
  if (ids.length === 1) return read(`${encodeURIComponent(String(only))}/references`);
  const parts = Array.from({ length: Math.ceil(ids.length / asked) }, (_, index) =>
    ids.slice(index * asked, (index + 1) * asked),
  );
  return sumForecasts(await Promise.all(parts.map((part) => read(`references?ids=${listed(part)}`))));
};

/** The effects of deleting these records, read again for each question. */
export const useForecast = (resource: string, ids: readonly (number | string)[]) =>
  useQuery({
    queryKey: ['deletion', resource, ...ids],
    gcTime: 0,
    staleTime: 0,
    retry: false,
    queryFn: ({ signal }) => forecastOf(resource, ids, signal),
  });
