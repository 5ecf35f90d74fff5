import { sql as kysely } from 'kysely';
import type { Transaction } from '../../database/database.ts';
import { clockSlackMs } from '../../database/mend-times.ts';
import { dialectOf } from '../../database/registry.ts';
import { literal, toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Actor } from '../audit/audit.ts';
import { createCommands } from '../command.ts';
import type { TableContext } from '../context.ts';

interface Changed {
  readonly name: string;
}

/**
 * What administrators do with jobs by hand. One that runs is left to who runs it, as long as its lease holds: one that
 * lies further ahead than a lease is long is void.
 * @param leaseMs how long a lease is
 * @param wake told of what is due now
 */
export const createJobAdministration = (
  { database, clock }: TableContext,
  leaseMs: number,
  wake: () => void,
) => {
  const db = tablesOf(database);
  const command = createCommands({ database, clock });
  const { now: moment, later } = dialectOf(database);
  const now = kysely<string>`${moment}`;
  const isFree = kysely<boolean>`(state <> 'running' or available_at <= ${moment}
    or available_at > ${later(literal(leaseMs + clockSlackMs))})`;

  /** @throws Problem `record_not_found`, `job_running` */
  const changed = async (
    transaction: Transaction,
    rows: readonly Changed[],
    id: number,
    action: 'job.repeat' | 'job.delete',
  ) => {
    const [row] = rows;
    if (row === undefined) {
      const found = await transaction.get(
        toQuery(db.selectFrom('gatewright_jobs').select('id').where('id', '=', id)),
      );
      throw new Problem(found === undefined ? 'record_not_found' : 'job_running');
    }
    return { audit: { action, target: { kind: 'job', id, name: row.name } }, answer: undefined };
  };

  return {
    /**
     * Has a job that waits or has failed run now; one that has failed gets all its attempts again.
     * @throws Problem `record_not_found`, `job_running`; `conflict` where another one waits under its key
     */
    repeat: async (id: number, actor: Actor): Promise<void> => {
      await command(
        actor,
        async (transaction) => {
          const update = db
            .updateTable('gatewright_jobs')
            .set((eb) => ({
              state: 'waiting',
              available_at: now,
              failed_at: null,
              lease: null,
              // Another job may wait under the key of one that ran.
              key: eb.case().when('state', '=', 'running').then(null).else(eb.ref('key')).end(),
              attempts: eb.case().when('state', '=', 'failed').then(0).else(eb.ref('attempts')).end(),
            }))
            .where('id', '=', id)
            .where(isFree)
            .returning('name');
          return changed(transaction, await transaction.all<Changed>(toQuery(update)), id, 'job.repeat');
        },
        { unique: 'conflict' },
      );
      wake();
    },

    /** @throws Problem `record_not_found`, `job_running` */
    remove: (id: number, actor: Actor): Promise<void> =>
      command(actor, async (transaction) => {
        const remove = db.deleteFrom('gatewright_jobs').where('id', '=', id).where(isFree).returning('name');
        return changed(transaction, await transaction.all<Changed>(toQuery(remove)), id, 'job.delete');
      }),
  };
};

export type JobAdministration = ReturnType<typeof createJobAdministration>;
