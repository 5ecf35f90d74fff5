/** Looks up possible keys by their hashes, in batches, and revokes existing keys if asked to. */

import {
  findSecrets,
  type KnownSecret,
  maxSoughtSecrets,
  revokeLeakedKey,
  secretFilter,
} from '../../accounts/api-keys.ts';
import { hashKey } from '../../auth/api-key.ts';
import { createCommands } from '../../ledger/command.ts';
import type { TableContext } from '../../ledger/context.ts';

/** The place of a key. */
export interface KeyPlace {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The object of the repository with the key. */
  readonly object?: string;
}

/** A key of this service in a text; never the key itself. */
export interface FoundKey extends Omit<KnownSecret, 'key_hash'>, KeyPlace {
  /** True if this run has revoked the key. */
  readonly revoked: boolean;
}

/** Number of candidates of one scan from which on they are compared in memory before the look-up. */
const manyCandidates = 20_000;

/** Maximum number of places that wait for the look-up of their candidates. */
const maxWaitingPlaces = 20_000;

/**
 * Tells keys of this service from other texts of their form, by their hashes, in batches. A text with very many of them
 * is compared in memory first.
 * @param revoke true to delete existing keys
 */
export const createKeySearch = (context: TableContext, revoke: boolean) => {
  const { database, clock } = context;
  const change = createCommands(context);
  const found: FoundKey[] = [];
  const ended = new Set<number>();
  let places = 0;
  let candidates = 0;
  let isFiltered = false;
  let mayBeKnown: (hash: string) => boolean = () => true;
  let waiting = new Map<string, KeyPlace[]>();

  const end = (id: number): Promise<boolean> =>
    change({ principal: 'command line', address: null }, (made) => revokeLeakedKey(made, id));

  const report = async (secret: KnownSecret, at: readonly KeyPlace[]): Promise<void> => {
    const { key_hash: _, ...key } = secret;
    const exists = key.status === 'active' || key.status === 'expired';
    if (revoke && exists && (await end(key.id))) ended.add(key.id);
    for (const place of at) found.push({ ...place, ...key, revoked: ended.has(key.id) });
  };

  const flush = async (): Promise<void> => {
    const asked = waiting;
    waiting = new Map();
    places = 0;
    const hashes = [...asked.keys()];
    for (let start = 0; start < hashes.length; start += maxSoughtSecrets) {
      const part = hashes.slice(start, start + maxSoughtSecrets);
      const known = await findSecrets(database, database.dialect, part, clock());
      for (const [hash, secret] of known) await report(secret, asked.get(hash) ?? []);
    }
  };

  return {
    add: (candidate: string, place: KeyPlace): void => {
      const hash = hashKey(candidate);
      candidates += 1;
      if (!mayBeKnown(hash)) return;
      const earlier = waiting.get(hash);
      if (earlier === undefined) waiting.set(hash, [place]);
      else earlier.push(place);
      places += 1;
    },
    /** Looks candidates up where many wait; called between two chunks of a text. */
    flushIfMany: async (): Promise<void> => {
      if (candidates > manyCandidates && !isFiltered) {
        isFiltered = true;
        mayBeKnown = await secretFilter(database, database.dialect);
      }
      if (waiting.size >= maxSoughtSecrets || places >= maxWaitingPlaces) await flush();
    },
    /** Looks the rest up, and returns the keys that were found since the last call, in order. */
    finish: async (): Promise<readonly FoundKey[]> => {
      await flush();
      return found.splice(0);
    },
  };
};

export type KeySearch = ReturnType<typeof createKeySearch>;
