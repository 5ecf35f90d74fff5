/** Queries for failed jobs, failing webhooks, waiting work and missing setup, each of bounded cost. */

import { type Compilable, type Expression, sql as raw } from 'kysely';
import { maxCounted, maxListed } from '../accounts/attention.ts';
import { timeText } from '../database/source.ts';
import { toQuery } from '../database/statement.ts';
import { tablesOf } from '../database/tables-of.ts';
import { mailJob } from '../delivery/mail.ts';
import { toTimestamp } from '../kernel/clock.ts';
import type { TableContext } from '../ledger/context.ts';

/** Age after which due work that has not begun counts as backlog. */
const backlogAgeMs = 60_000;

/** Some webhooks, jobs or models, and the number of all of them, up to `maxCounted`. */
interface FoundWork<Item> {
  readonly count: number;
  readonly items: readonly Item[];
}

interface DisabledWebhook {
  readonly id: number;
  readonly url: string;
  readonly reason: string;
  readonly disabled_at: string | null;
}

interface FailingWebhook {
  readonly id: number;
  readonly url: string;
  readonly failures: number;
}

/** A job that has failed, or the last failed run of a recurring one. */
interface FailedJob {
  readonly id: number;
  readonly name: string;
  readonly error: string | null;
  readonly failed_at: string | null;
  /** Failed runs of the recurring job; 1 of any other. */
  readonly runs: number;
  readonly recurring: boolean;
  readonly paused: boolean;
}

/** SQLite has no booleans. */
type FailedJobRow = Omit<FailedJob, 'recurring' | 'paused'> &
  Readonly<Record<'recurring' | 'paused', boolean | number>>;

/** A query that returns at most so many rows. */
type BoundedQuery = (most: number) => Compilable & Expression<unknown>;

/** First steps of a new installation, each done or not. */
export interface FirstSteps {
  /** There is a second user. */
  readonly user: boolean;
  /** A permission was granted to a role. */
  readonly grant: boolean;
  readonly key: boolean;
  /** An API key was used. */
  readonly call: boolean;
}

/** Work that fails or waits, and missing setup. Each query is bounded by an index or by a small table. */
export const createWorkAttention = ({ database, clock }: TableContext) => {
  const db = tablesOf(database);
  const { dialect } = database;
  const time = (name: string) => raw<string | null>`${timeText(dialect, raw`${raw.ref(name)}`)}`;
  const due = (): string => toTimestamp(clock() - backlogAgeMs);

  const disabled = (most: number) =>
    db
      .selectFrom('gatewright_webhooks as w')
      .select(['w.id', 'w.url', 'w.disabled_reason as reason'])
      .select(time('w.disabled_at').as('disabled_at'))
      .where('w.disabled', '=', true)
      .where('w.disabled_reason', 'not in', ['by_hand', 'by_owner'])
      .orderBy('w.disabled_at', 'desc')
      .limit(most);
  const failing = (most: number) =>
    db
      .selectFrom('gatewright_webhooks as w')
      .select(['w.id', 'w.url', 'w.failures'])
      .where('w.disabled', '=', false)
      .where('w.failures', '>', 0)
      .orderBy('w.failures', 'desc')
      .limit(most);
  /** The newest failed jobs; those of one recurring job are one. */
  const grouped = db
    .selectFrom(
      db
        .selectFrom('gatewright_jobs')
        .select(['id', 'name'])
        .where('state', '=', 'failed')
        .orderBy('id', 'desc')
        .limit(maxCounted)
        .as('newest'),
    )
    .leftJoin('gatewright_schedules as s', 's.name', 'newest.name')
    .select((eb) => [eb.fn.max('newest.id').as('id'), eb.fn.countAll<number>().as('runs')])
    .groupBy((eb) => ['newest.name', eb.case().when('s.name', 'is', null).then(eb.ref('newest.id')).end()]);
  const failed = (most: number) =>
    db
      .selectFrom(grouped.as('g'))
      .innerJoin('gatewright_jobs as j', 'j.id', 'g.id')
      .leftJoin('gatewright_schedules as s', 's.name', 'j.name')
      .select(['j.id', 'j.name', 'j.error', 'g.runs'])
      .select(time('j.failed_at').as('failed_at'))
      .select((eb) => [
        eb('s.name', 'is not', null).as('recurring'),
        eb('s.paused_at', 'is not', null).as('paused'),
      ])
      .orderBy('j.id', 'desc')
      .limit(most);
  const lateJobs = (most: number) =>
    db
      .selectFrom('gatewright_jobs as j')
      .select('j.id')
      .where('j.state', '=', 'waiting')
      .where('j.available_at', '<=', due())
      .limit(most);
  const lateDeliveries = (most: number) =>
    db
      .selectFrom('gatewright_deliveries as d')
      .innerJoin('gatewright_webhooks as w', 'w.id', 'd.webhook_id')
      .select('d.id')
      .where('w.disabled', '=', false)
      // Deliveries wait while an instance sends to their webhook, and while a failing receiver has its pause.
      .where((eb) => eb.or([eb('w.lane_until', 'is', null), eb('w.lane_until', '<=', due())]))
      .where('d.next_at', '<=', due())
      .limit(most);

  const unsent = (most: number) =>
    db
      .selectFrom('gatewright_jobs')
      .select('error')
      .where('name', '=', mailJob)
      .where('state', '=', 'waiting')
      .where('error', 'is not', null)
      .orderBy('id', 'desc')
      .limit(most);

  const count = async (query: BoundedQuery): Promise<number> => {
    const counted = raw<{ count: number }>`select count(*) as count from ${query(maxCounted)} as c`;
    return Number(
      (await database.get<{ count: number }>(toQuery({ compile: () => counted.compile(db) })))?.count ?? 0,
    );
  };
  const find = async <Item>(query: BoundedQuery): Promise<FoundWork<Item>> => {
    const [found, items] = await Promise.all([count(query), database.all<Item>(toQuery(query(maxListed)))]);
    return { count: found, items };
  };
  const exists = async (table: 'users' | 'permissions' | 'api_keys' | 'gatewright_key_usage', rows = 1) => {
    const found = await database.all(toQuery(db.selectFrom(table).select(raw`1`.as('one')).limit(rows)));
    return found.length === rows;
  };

  return {
    /** Webhooks that were disabled because of failures, the latest first. */
    disabledWebhooks: () => find<DisabledWebhook>(disabled),
    /** Enabled webhooks whose last attempts failed. */
    failingWebhooks: () => find<FailingWebhook>(failing),
    /** Jobs that failed for good, the latest first; the failed runs of a recurring job are one entry. */
    failedJobs: async (): Promise<FoundWork<FailedJob>> => {
      const { count: found, items } = await find<FailedJobRow>(failed);
      return {
        count: found,
        items: items.map((job) => ({
          ...job,
          runs: Number(job.runs),
          recurring: Boolean(job.recurring),
          paused: Boolean(job.paused),
        })),
      };
    },
    /** Messages that were tried and not sent yet, and the error of the latest; null if there are none. */
    unsentMail: async () => {
      const { count: found, items } = await find<{ readonly error: string | null }>(unsent);
      return { count: found, error: items[0]?.error ?? null };
    },
    /** Counts jobs and deliveries that have been due for a minute and have not begun. */
    backlog: async () => ({ jobs: await count(lateJobs), deliveries: await count(lateDeliveries) }),
    /** Names of the models on which a role has a permission. */
    grantedModels: async (): Promise<ReadonlySet<string>> => {
      const models = db.selectFrom('permissions').select('model').distinct();
      return new Set((await database.all<{ model: string }>(toQuery(models))).map(({ model }) => model));
    },
    firstSteps: async (): Promise<FirstSteps> => {
      const [user, grant, key, call] = await Promise.all([
        exists('users', 2),
        exists('permissions'),
        exists('api_keys'),
        exists('gatewright_key_usage'),
      ]);
      return { user, grant, key, call };
    },
  };
};
