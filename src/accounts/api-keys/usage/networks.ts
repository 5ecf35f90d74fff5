/** Networks from which each key was used; the first use from a new network becomes a security event. */

import { networkOf } from '../../../auth/client-network.ts';
import type { KnownUser } from '../../../auth/security-events.ts';
import type { Transaction } from '../../../database/database.ts';
import { toQuery } from '../../../database/statement.ts';
import { tablesOf } from '../../../database/tables-of.ts';
import { BoundedCache } from '../../../kernel/bounded-cache.ts';
import { toTimestamp } from '../../../kernel/clock.ts';
import { BatchedCounter } from '../../../ledger/batched-counter.ts';
import type { TableContext } from '../../../ledger/context.ts';

/** Maximum number of networks stored for one key; further ones are not reported. */
const maxNetworksOfKey = 1_000;

interface Use {
  readonly keyId: number;
  readonly network: string;
  readonly address: string;
  readonly at: number;
}

export interface NewNetwork extends Use {
  readonly keyName: string;
  readonly owner: KnownUser;
}

const seen = {};

/**
 * The networks from which each key was used. A request costs one look-up in memory; uses that are not found there are
 * written in batches. The stored rows decide which network is new, for all processes and across restarts.
 */
export const createKeyNetworks = (
  { database }: Pick<TableContext, 'database'>,
  onNewNetwork: (network: NewNetwork) => void,
) => {
  const db = tablesOf(database);
  /** Keys and addresses seen by this process. For an evicted entry, the database decides whether it is new. */
  const noted = new BoundedCache<object>(10_000);

  const remember = async (transaction: Transaction, use: Use): Promise<NewNetwork | undefined> => {
    const { keyId, network, at } = use;
    const owner = db
      .selectFrom('api_keys')
      .innerJoin('users', 'users.id', 'api_keys.user_id')
      .select(['api_keys.name', 'users.id', 'users.username'])
      .where('api_keys.id', '=', keyId);
    const key = await transaction.get<{ name: string } & KnownUser>(toQuery(owner));
    const count = db
      .selectFrom('gatewright_key_networks')
      .select((eb) => eb.fn.countAll().as('n'))
      .where('key_id', '=', keyId);
    // The key was deleted meanwhile, or is used from very many networks.
    if (key === undefined) return undefined;
    if (Number((await transaction.get<{ n: number }>(toQuery(count)))?.n) >= maxNetworksOfKey)
      return undefined;
    const insert = db
      .insertInto('gatewright_key_networks')
      .values({ key_id: keyId, network, first_used_at: toTimestamp(at) })
      .onConflict((conflict) => conflict.doNothing());
    if ((await transaction.run(toQuery(insert))) === 0) return undefined;
    return { ...use, keyName: key.name, owner: { id: key.id, username: key.username } };
  };

  const counter = new BatchedCounter<string, Use>({
    maxEntries: 1_000,
    merge: (earlier) => earlier,
    write: async (uses) => {
      const found = await database.write(async (transaction) => {
        const fresh: NewNetwork[] = [];
        for (const [, use] of uses) {
          const network = await remember(transaction, use);
          if (network !== undefined) fresh.push(network);
        }
        return fresh;
      });
      found.forEach(onNewNetwork);
    },
  });

  return {
    used: (keyId: number, address: string, at: number): void => {
      const use = `${keyId} ${address}`;
      // A use for which there is no room is not recorded: the next use of the key comes back to it.
      if (noted.get(use) !== undefined || counter.isFull) return;
      noted.set(use, seen);
      const network = networkOf(address);
      counter.add(`${keyId} ${network}`, { keyId, network, address, at });
    },

    /** Writes the uses that are pending now. */
    flush: counter.flush,

    /** Deletes networks first used before a time: the next use from one of them is reported as new. */
    sweep: async (before: number): Promise<void> => {
      await database.execute(
        toQuery(db.deleteFrom('gatewright_key_networks').where('first_used_at', '<', toTimestamp(before))),
      );
    },
  };
};
