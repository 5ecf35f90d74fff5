import { ConstraintError, type Transaction } from '../../database/database.ts';
import { toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import type { TableContext } from '../context.ts';

/** Views that one user may keep, of all lists together. */
export const maxViews = 200;

export interface NewView {
  readonly resource: string;
  readonly name: string;
  readonly query: JsonObject;
}

export type ViewChange = Partial<Omit<NewView, 'resource'>>;

/** What of a new view or a change the table refuses: the name stands there, or there are too many. */
export type ViewRefusal = 'taken' | 'too_many';

const taken = (error: unknown): ViewRefusal => {
  if (error instanceof ConstraintError && error.kind === 'unique') return 'taken';
  throw error;
};

/**
 * How users look at lists. Each reaches their own views alone. They are settings of a person, like a language: nobody
 * else sees them, and the audit list does not tell of them.
 */
export const createViewStore = ({ database, clock }: TableContext) => {
  const db = tablesOf(database);

  const count = async (transaction: Transaction, userId: number): Promise<number> => {
    const counted = db
      .selectFrom('gatewright_views')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('user_id', '=', userId);
    return Number((await transaction.get<{ count: number }>(toQuery(counted)))?.count ?? 0);
  };

  return {
    /** Answers the id. */
    create: (userId: number, { resource, name, query }: NewView): Promise<number | ViewRefusal> =>
      database
        .write(async (transaction): Promise<number | ViewRefusal> => {
          if ((await count(transaction, userId)) >= maxViews) return 'too_many';
          const now = toTimestamp(clock());
          const values = { user_id: userId, resource, name, query: JSON.stringify(query) };
          const insert = db
            .insertInto('gatewright_views')
            .values({ ...values, created_at: now, updated_at: now })
            .returning('id');
          const row = await transaction.get<{ id: number }>(toQuery(insert));
          if (row === undefined) throw new Error('an insert answered no id');
          return row.id;
        })
        .catch(taken),

    /** Answers why not, where it is not. @throws Problem `record_not_found` */
    update: (userId: number, id: number, { name, query }: ViewChange): Promise<ViewRefusal | undefined> =>
      database
        .write(async (transaction): Promise<undefined> => {
          const change = db
            .updateTable('gatewright_views')
            .set({
              ...(name === undefined ? {} : { name }),
              ...(query === undefined ? {} : { query: JSON.stringify(query) }),
              updated_at: toTimestamp(clock()),
            })
            .where('id', '=', id)
            .where('user_id', '=', userId);
          if ((await transaction.run(toQuery(change))) === 0) throw new Problem('record_not_found');
        })
        .catch(taken),

    /** @throws Problem `record_not_found` */
    remove: (userId: number, id: number): Promise<void> =>
      database.write(async (transaction) => {
        const removal = db.deleteFrom('gatewright_views').where('id', '=', id).where('user_id', '=', userId);
        if ((await transaction.run(toQuery(removal))) === 0) throw new Problem('record_not_found');
      }),
  };
};

export type ViewStore = ReturnType<typeof createViewStore>;
