import { networkOf } from '../../auth/client-network.ts';
import type { KnownUser } from '../../auth/security-events.ts';
import type { Transaction } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { TableContext } from '../context.ts';
import { BatchedCounter } from '../usage/batched-counter.ts';

/** Networks of one key in the database; beyond them nothing is new any more. */
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
 * From which networks keys were used. A use costs the request a look into memory; what is not known there goes to the
 * database in batches, whose rows say for all instances and across restarts which network is new.
 */
export const createKeyNetworks = (
  { database }: Pick<TableContext, 'database'>,
  onNewNetwork: (network: NewNetwork) => void,
) => {
  const db = tablesOf(database);
  /** The keys and addresses that this process has noted; of one that was crowded out the database says whether it is new. */
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
    // Deleted meanwhile, or used from everywhere.
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
    merge: (earlier, added) => earlier ?? added,
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
      // A use that finds no place is not remembered: the next one brings it back.
      if (noted.get(use) !== undefined || counter.isFull) return;
      noted.set(use, seen);
      const network = networkOf(address);
      counter.add(`${keyId} ${network}`, { keyId, network, address, at });
    },

    /** Writes what has come up to now. */
    flush: counter.flush,

    /** Forgets networks first used before a time: a use from one of them is new again. */
    sweep: async (before: number): Promise<void> => {
      await database.execute(
        toQuery(db.deleteFrom('gatewright_key_networks').where('first_used_at', '<', toTimestamp(before))),
      );
    },
  };
};
