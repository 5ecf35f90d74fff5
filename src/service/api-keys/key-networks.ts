import { networkOf } from '../../auth/client-network.ts';
import type { KnownUser } from '../../auth/security-events.ts';
import type { Transaction } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import type { TableContext } from '../context.ts';

/** Uses that wait for the next batch at most; a later use brings back what found no place. */
const mostPending = 1_000;
/** Networks of one key in the database; beyond them nothing is new any more. */
const mostOfKey = 1_000;

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
export const createKeyNetworks = ({ database }: Pick<TableContext, 'database'>) => {
  const db = tablesOf(database);
  /** The keys and addresses that this process has noted; of one that was crowded out the database says whether it is new. */
  const known = new BoundedCache<object>(10_000);
  let pending = new Map<string, Use>();

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
    if (Number((await transaction.get<{ n: number }>(toQuery(count)))?.n) >= mostOfKey) return undefined;
    const insert = db
      .insertInto('gatewright_key_networks')
      .values({ key_id: keyId, network, first_used_at: toTimestamp(at) })
      .onConflict((conflict) => conflict.doNothing());
    if ((await transaction.run(toQuery(insert))) === 0) return undefined;
    return { ...use, keyName: key.name, owner: { id: key.id, username: key.username } };
  };

  return {
    used: (keyId: number, address: string, at: number): void => {
      const use = `${keyId} ${address}`;
      if (known.get(use) !== undefined || pending.size >= mostPending) return;
      known.set(use, seen);
      const network = networkOf(address);
      pending.set(`${keyId} ${network}`, { keyId, network, address, at });
    },

    /** Writes what is pending; answers which networks were new. Nothing is lost where it fails. */
    flush: async (): Promise<readonly NewNetwork[]> => {
      if (pending.size === 0) return [];
      const uses = pending;
      pending = new Map();
      // In one order on every instance, so that two never wait for each other's rows crosswise.
      const ordered = [...uses].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, use]) => use);
      try {
        return await database.write(async (transaction) => {
          const found: NewNetwork[] = [];
          for (const use of ordered) {
            const fresh = await remember(transaction, use);
            if (fresh !== undefined) found.push(fresh);
          }
          return found;
        });
      } catch (error) {
        pending = new Map([...uses, ...pending]);
        throw error;
      }
    },

    /** Forgets networks first used before a time: a use from one of them is new again. */
    sweep: async (before: number): Promise<void> => {
      await database.execute(
        toQuery(db.deleteFrom('gatewright_key_networks').where('first_used_at', '<', toTimestamp(before))),
      );
    },
  };
};
