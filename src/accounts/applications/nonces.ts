import type { NonceStore } from '../../auth/ports.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import type { TableContext } from '../../ledger/context.ts';

/** Seconds for which a nonce is kept after its last moment: the clocks of two instances may differ. */
const slack = 300;

/** Nonces that applications have used. One row is written once, whichever instance, worker or retry comes first. */
export const createNonceStore = ({ database }: Pick<TableContext, 'database'>) => {
  const db = tablesOf(database);
  const store: NonceStore = {
    use: (appId, nonce, until) =>
      database.write(async (transaction) => {
        const insert = db
          .insertInto('gatewright_nonces')
          .values({ app_id: appId, nonce, expiry: until })
          .onConflict((conflict) => conflict.doNothing());
        return (await transaction.run(toQuery(insert))) > 0;
      }),
  };
  return {
    ...store,

    /** Removes rows of nonces that no request can use any more. */
    sweep: async (now: number): Promise<void> => {
      const expired = db.deleteFrom('gatewright_nonces').where('expiry', '<', Math.floor(now / 1000) - slack);
      await database.execute(toQuery(expired));
    },
  };
};

export type Nonces = ReturnType<typeof createNonceStore>;
