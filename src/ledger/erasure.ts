/**
 * Erasure after a commit: a job, stored in the transaction of a deletion, that removes what the deletion itself cannot
 * reach quickly: the name of a person in logs, which have no index for it, and the rest in the files of the database.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Query, Transaction } from '../database/database.ts';
import {
  type Fragment,
  identifier,
  param,
  type Statement,
  sql,
  statement,
  tableName,
} from '../database/statement.ts';
import type { RecordId } from '../fields/key.ts';
import { withoutUndefined } from '../kernel/json.ts';
import type { EventLog } from './event-log.ts';
import type { Outbox } from './outbox.ts';

/** Name of the job of the service. */
export const erasureJob = 'erase-values';

/** Name of the job that removes files which nothing names. */
export const filesJob = 'purge-files';

/** A record, or a user (`User`), whose values are to leave the logs and files. The job is stored itself: ids only. */
export interface Erased {
  readonly model: string;
  readonly record: RecordId;
}

/**
 * Stores the job, in the transaction that deletes or forgets.
 * @param erased absent if only the files of the database are left to clean
 */
export const requestErasure = async (
  outbox: Pick<Outbox, 'add'>,
  transaction: Transaction,
  erased?: Erased,
): Promise<void> => {
  const { model, record } = erased ?? {};
  const key = erased === undefined ? 'files' : `${model} ${record}`;
  const input = withoutUndefined({ model, record });
  await outbox.add({ name: erasureJob, key, input, at: undefined }, transaction);
};

/** Rows that one step examines, so that no write waits long for it. */
const stepRows = 5_000;

/** Milliseconds between two attempts to discard the rest in the files. */
const filesPauseMs = 2_000;

type StepArguments = { readonly after: number; readonly last: number; readonly user: string };

/** Columns to set in rows of a table. The rows stay, with their action, time and id. */
interface NameErasure {
  readonly table: string;
  /** Default: `id`. */
  readonly key?: string;
  readonly set: Fragment;
  readonly where: Fragment;
}

const user = param('user');
const byUser = sql`actor_kind = 'user' and actor_id = ${user}`;

const erasures: readonly NameErasure[] = [
  { table: 'audit', set: sql`actor_name = null, address = null`, where: byUser },
  // A user chooses the name of a key or webhook, which may say anything.
  {
    table: 'audit',
    set: sql`target_name = null`,
    where: sql`${byUser} and target_kind in ('api_key', 'webhook')`,
  },
  // A failed sign-in has the network address of the person, and no actor.
  {
    table: 'audit',
    set: sql`target_name = null, address = case when actor_kind = 'user' then address end,
      detail = case when action = 'session.delete' then '{}' else detail end`,
    where: sql`target_kind = 'user' and target_id = ${user}`,
  },
  ...['gatewright_history', 'gatewright_events', 'gatewright_event_inbox', 'gatewright_trash'].map(
    (table) => ({
      table,
      set: sql`actor_name = null`,
      where: byUser,
    }),
  ),
  {
    table: 'gatewright_refusals',
    set: sql`caller_name = '', address = ''`,
    where: sql`caller_kind = 'user' and caller_id = ${user}`,
  },
  {
    table: 'gatewright_revoked_keys',
    key: 'key_id',
    set: sql`name = '', username = ''`,
    where: sql`cast(user_id as text) = ${user}`,
  },
  { table: 'gatewright_revoked_keys', key: 'key_id', set: sql`actor_name = null`, where: byUser },
];

/** A statement that removes the names of a user from some rows of a table, and its range of keys. */
interface ErasureStep {
  readonly ends: Query;
  readonly erase: Statement<StepArguments>;
}

const stepsFor = ({ dialect }: Pick<Database, 'dialect'>): readonly ErasureStep[] =>
  erasures.map(({ table, key = 'id', set, where }) => ({
    ends: statement(dialect, () => {
      const end = (word: 'min' | 'max'): Fragment =>
        sql`(select ${sql.raw(word)}(${identifier(key)}) from ${tableName(table)})`;
      return sql`select ${end('min')} as first, ${end('max')} as last`;
    })({}),
    erase: statement<StepArguments>(
      dialect,
      (value) => sql`update ${tableName(table)} set ${set}
        where ${identifier(key)} > ${value('after')} and ${identifier(key)} <= ${value('last')} and ${where}`,
    ),
  }));

/** Removes the rest of deleted values from logs and files. */
export class Erasure {
  readonly #database: Database;
  readonly #events: Pick<EventLog, 'forget'>;
  readonly #steps: readonly ErasureStep[];

  constructor(database: Database, events: Pick<EventLog, 'forget'>) {
    this.#database = database;
    this.#events = events;
    this.#steps = stepsFor(database);
  }

  /** Runs until everything is erased. @throws the reason of `signal` */
  async run(erased: Erased | undefined, signal: AbortSignal): Promise<void> {
    if (erased?.model === 'User') await this.#eraseNames(String(erased.record), signal);
    else if (erased !== undefined) await this.#events.forget(erased.model, erased.record);
    while ((await this.#database.discardRemains?.()) === false)
      await delay(filesPauseMs, undefined, { signal });
  }

  async #eraseNames(id: string, signal: AbortSignal): Promise<void> {
    for (const { ends, erase } of this.#steps) {
      const range = await this.#database.get<{ first: number | null; last: number | null }>(ends);
      const last = Number(range?.last ?? 0);
      for (let after = Number(range?.first ?? 1) - 1; after < last; after += stepRows) {
        signal.throwIfAborted();
        const step = erase({ after, last: after + stepRows, user: id });
        await this.#database.write((transaction) => transaction.run(step));
        await delay(this.#database.pause ?? 0, undefined, { signal });
      }
    }
  }
}
