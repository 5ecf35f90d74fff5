/** The search of the palette for records and whole API keys. */

import { useQuery } from '@tanstack/react-query';
import { GatewrightError } from '../../../client/error.ts';
import { useDebounced } from '../parts/use-debounced.ts';
import { useModels } from '../records/use-metadata.ts';
import { send } from '../service.ts';
import { type Text, useText } from '../texts/provider.ts';

/** Records of one list, as `/admin/search` returns them. */
interface FoundGroup {
  readonly model: string;
  /** Path of the list: `users`, `records/orders`. */
  readonly resource: string;
  readonly records: readonly {
    readonly id: number;
    readonly name: string;
    /** Additional words next to its name. */
    readonly alias?: string | null;
    /** The part of another field that has the words, if its name has none of them. */
    readonly match?: string | null;
  }[];
  readonly more: boolean;
  readonly searched: 'whole' | 'newest' | 'late';
}

/** An entry of the palette. */
export interface PaletteOption {
  readonly to: string;
  readonly label: string;
  readonly group: string;
  /** An action in place of the link; `to` then only identifies the entry. */
  readonly run?: () => void;
  /** A number next to the label, if the name alone does not identify the record. */
  readonly id?: number;
  /** The reason why a record was found, if its label does not show it. */
  readonly match?: string | undefined;
}

export interface FoundOptions {
  readonly options: readonly PaletteOption[];
  /** Number of found records. */
  readonly count: number;
  readonly state: 'idle' | 'searching' | 'found' | 'failed';
}

/** Searches start at this length; numbers start at their first digit. */
const isWanted = (words: string): boolean => words.length >= 2 || /^\d$/.test(words);

/** Path of the page of a record. */
const pageOf = (resource: string, id: number): string =>
  resource === 'api_keys'
    ? `/api_keys/${id}`
    : resource === 'revoked_keys'
      ? `/explain?api_key_id=${id}`
      : `/${resource}/${id}/show`;

const optionsOf = (
  { resource, records, more, searched }: FoundGroup,
  group: string,
  words: string,
  text: Text,
): readonly PaletteOption[] => {
  const filter = encodeURIComponent(JSON.stringify({ q: words }));
  const rest = {
    to: `/${resource}?filter=${filter}`,
    label: text('palette.everything', { group, words }),
    group,
  };
  return [
    ...records.map(
      ({ id, name, alias, match }): PaletteOption => ({
        to: pageOf(resource, id),
        label: typeof alias === 'string' ? text('common.named', { name, more: alias }) : name,
        group,
        id,
        match: match ?? undefined,
      }),
    ),
    ...(more || searched !== 'whole' ? [rest] : []),
  ];
};

/** True for a whole API key: it must never get into an address. */
export const isWholeKey = (words: string): boolean => /^[0-9a-f]{64}$/.test(words);

interface FoundKey {
  readonly id: number;
  readonly name: string;
  readonly username: string;
  readonly revoked_at: string | null;
}

/**
 * Finds a key by its whole text, sent in a body, which no log and no history keeps. Undefined if this service has no
 * such key.
 */
export const findKey = async (key: string, signal?: AbortSignal): Promise<FoundKey | undefined> => {
  try {
    const options = { body: { key }, ...(signal === undefined ? {} : { signal }) };
    return (await send<FoundKey>('POST', '/admin/api_keys/find', options)).data;
  } catch (error) {
    if (error instanceof GatewrightError && error.status === 404) return undefined;
    throw error;
  }
};

/** The pasted key, in the form of a search result. */
const keyGroup = async (key: string, signal: AbortSignal): Promise<readonly FoundGroup[]> => {
  const found = await findKey(key, signal);
  if (found === undefined) return [];
  const { id, name, username, revoked_at } = found;
  const group = { model: 'ApiKey', resource: revoked_at === null ? 'api_keys' : 'revoked_keys' };
  return [{ ...group, records: [{ id, name, alias: username }], more: false, searched: 'whole' }];
};

/** The records of all lists that match the typed words and still exist. */
export const useFoundRecords = (typed: string): FoundOptions => {
  const text = useText();
  const models = useModels();
  const words = useDebounced(typed);
  const wanted = isWanted(words);
  const { data, error } = useQuery({
    queryKey: ['palette', isWholeKey(words) ? 'key' : words, isWholeKey(words) ? words.slice(0, 8) : ''],
    enabled: wanted,
    retry: false,
    queryFn: async ({ signal }) => {
      if (isWholeKey(words)) return keyGroup(words, signal);
      const query = new URLSearchParams({ q: words.slice(0, 100) });
      return (await send<readonly FoundGroup[]>('GET', `/admin/search?${query}`, { signal })).data;
    },
  });
  if (!isWanted(typed)) return { options: [], count: 0, state: 'idle' };
  // Results of other words must not be shown for these.
  if (typed !== words || (data === undefined && error === null))
    return { options: [], count: 0, state: 'searching' };
  if (data === undefined) return { options: [], count: 0, state: 'failed' };
  const own: Readonly<Record<string, string>> = {
    users: text('titles.users'),
    api_keys: text('titles.keys'),
    revoked_keys: text('palette.revokedKeys'),
    webhooks: text('titles.webhooks'),
    jobs: text('titles.jobs'),
  };
  const nameOf = ({ model, resource }: FoundGroup): string =>
    own[resource] ?? models.find((each) => each.model === model)?.plural_label ?? model;
  return {
    options: data.flatMap((group) => optionsOf(group, nameOf(group), words, text)),
    count: data.reduce((sum, { records }) => sum + records.length, 0),
    state: 'found',
  };
};

interface NamedRole {
  readonly name: string;
}

/** The pages of all roles; none until they are loaded. */
export const useRolePlaces = (): readonly PaletteOption[] => {
  const text = useText();
  const { data = [] } = useQuery({
    queryKey: ['palette roles'],
    queryFn: async () => (await send<readonly NamedRole[]>('GET', '/admin/roles?fields=name')).data,
  });
  return data.map(({ name }) => ({
    to: `/roles/${encodeURIComponent(name)}`,
    label: name,
    group: text('titles.roles'),
  }));
};
