/** Queries for failed jobs, failing webhooks, waiting work and missing setup, each of bounded cost. */

import { type Compilable, type Expression, sql as raw } from 'kysely';
import { maxCounted, maxListed } from '../accounts/attention.ts';
import type { Database } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { timeText } from '../database/source.ts';
import { toQuery } from '../database/statement.ts';
import { tablesOf } from '../database/tables-of.ts';
import { mailJob } from '../delivery/mail.ts';
import { type Clock, toTimestamp } from '../kernel/clock.ts';
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
type BoundedQuery = (limit: number) => Compilable & Expression<unknown>;

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

type OwnTables = ReturnType<typeof tablesOf>;

const disabledWebhooks =
  (db: OwnTables, dialect: Dialect): BoundedQuery =>
  (limit) =>
    db
      .selectFrom('gatewright_webhooks as w')
      .select(['w.id', 'w.url', 'w.disabled_reason as reason'])
      .select(timeIn(dialect, 'w.disabled_at').as('disabled_at'))
      .where('w.disabled', '=', true)
      .where('w.disabled_reason', 'not in', ['by_hand', 'by_owner'])
      .orderBy('w.disabled_at', 'desc')
      .limit(limit);

const failingWebhooks =
  (db: OwnTables): BoundedQuery =>
  (limit) =>
    db
      .selectFrom('gatewright_webhooks as w')
      .select(['w.id', 'w.url', 'w.failures'])
      .where('w.disabled', '=', false)
      .where('w.failures', '>', 0)
      .orderBy('w.failures', 'desc')
      .limit(limit);

/** The newest failed jobs; runs of one recurring job are one entry. */
const groupedFailures = (db: OwnTables) =>
  db
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

const failedJobs =
  (db: OwnTables, dialect: Dialect): BoundedQuery =>
  (limit) =>
    db
      .selectFrom(groupedFailures(db).as('g'))
      .innerJoin('gatewright_jobs as j', 'j.id', 'g.id')
      .leftJoin('gatewright_schedules as s', 's.name', 'j.name')
      .select(['j.id', 'j.name', 'j.error', 'g.runs'])
      .select(timeIn(dialect, 'j.failed_at').as('failed_at'))
      .select((eb) => [
        eb('s.name', 'is not', null).as('recurring'),
        eb('s.paused_at', 'is not', null).as('paused'),
      ])
      .orderBy('j.id', 'desc')
      .limit(limit);

const lateJobs =
  (db: OwnTables, due: string): BoundedQuery =>
  (limit) =>
    db
      .selectFrom('gatewright_jobs as j')
      .select('j.id')
      .where('j.state', '=', 'waiting')
      .where('j.available_at', '<=', due)
      .limit(limit);

const lateDeliveries =
  (db: OwnTables, due: string): BoundedQuery =>
  (limit) =>
    db
      .selectFrom('gatewright_deliveries as d')
      .innerJoin('gatewright_webhooks as w', 'w.id', 'd.webhook_id')
      .select('d.id')
      .where('w.disabled', '=', false)
      // Deliveries wait while an instance sends to their webhook, and while a failing receiver has its pause.
      .where((eb) => eb.or([eb('w.lane_until', 'is', null), eb('w.lane_until', '<=', due)]))
      .where('d.next_at', '<=', due)
      .limit(limit);

const unsentMail =
  (db: OwnTables): BoundedQuery =>
  (limit) =>
    db
      .selectFrom('gatewright_jobs')
      .select('error')
      .where('name', '=', mailJob)
      .where('state', '=', 'waiting')
      .where('error', 'is not', null)
      .orderBy('id', 'desc')
      .limit(limit);

const timeIn = (dialect: Dialect, name: string) =>
  raw<string | null>`${timeText(dialect, raw`${raw.ref(name)}`)}`;

/** Work that fails or waits, and missing setup. Each query is bounded by an index or by a small table. */
export class WorkAttention {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #db: OwnTables;

  constructor({ database, clock }: TableContext) {
    this.#database = database;
    this.#clock = clock;
    this.#db = tablesOf(database);
  }

  /** Webhooks that were disabled because of failures, the latest first. */
  disabledWebhooks(): Promise<FoundWork<DisabledWebhook>> {
    return this.#find(disabledWebhooks(this.#db, this.#database.dialect));
  }

  /** Enabled webhooks whose last attempts failed. */
  failingWebhooks(): Promise<FoundWork<FailingWebhook>> {
    return this.#find(failingWebhooks(this.#db));
  }

  /** Jobs that failed for good, the latest first; the failed runs of a recurring job are one entry. */
  async failedJobs(): Promise<FoundWork<FailedJob>> {
    const { count, items } = await this.#find<FailedJobRow>(failedJobs(this.#db, this.#database.dialect));
    return {
      count,
      items: items.map((job) => ({
        ...job,
        runs: Number(job.runs),
        recurring: Boolean(job.recurring),
        paused: Boolean(job.paused),
      })),
    };
  }

  /** Messages that were tried and not sent yet, and the error of the latest; null if there are none. */
  async unsentMail(): Promise<{ readonly count: number; readonly error: string | null }> {
    const { count, items } = await this.#find<{ readonly error: string | null }>(unsentMail(this.#db));
    return { count, error: items[0]?.error ?? null };
  }

  /** Counts jobs and deliveries that have been due for a minute and have not begun. */
  async backlog(): Promise<{ readonly jobs: number; readonly deliveries: number }> {
    const jobs = await this.#count(lateJobs(this.#db, this.#due()));
    return { jobs, deliveries: await this.#count(lateDeliveries(this.#db, this.#due())) };
  }

  /** Names of the models on which a role has a permission. */
  async grantedModels(): Promise<ReadonlySet<string>> {
    const query = toQuery(this.#db.selectFrom('permissions').select('model').distinct());
    return new Set((await this.#database.all<{ model: string }>(query)).map(({ model }) => model));
  }

  async firstSteps(): Promise<FirstSteps> {
    const [user, grant, key, call] = await Promise.all([
      this.#exists('users', 2),
      this.#exists('permissions'),
      this.#exists('api_keys'),
      this.#exists('gatewright_key_usage'),
    ]);
    return { user, grant, key, call };
  }

  #due(): string {
    return toTimestamp(this.#clock() - backlogAgeMs);
  }

  async #count(query: BoundedQuery): Promise<number> {
    const counted = raw<{ count: number }>`select count(*) as count from ${query(maxCounted)} as c`;
    const row = await this.#database.get<{ count: number }>(
      toQuery({ compile: () => counted.compile(this.#db) }),
    );
    return Number(row?.count ?? 0);
  }

  async #find<Item>(query: BoundedQuery): Promise<FoundWork<Item>> {
    const [count, items] = await Promise.all([
      this.#count(query),
      this.#database.all<Item>(toQuery(query(maxListed))),
    ]);
    return { count, items };
  }

  async #exists(
    table: 'users' | 'permissions' | 'api_keys' | 'gatewright_key_usage',
    rows = 1,
  ): Promise<boolean> {
    const query = toQuery(this.#db.selectFrom(table).select(raw`1`.as('one')).limit(rows));
    return (await this.#database.all(query)).length === rows;
  }
}

export const createWorkAttention = (context: TableContext): WorkAttention => new WorkAttention(context);
