/**
 * The outbox of jobs: work to be done after a commit is a row that was written in it. Workers claim rows by lease:
 * while a lease is extended, no other worker gets them. The clock of the database decides, since those of processes
 * differ.
 */

import { sql as kysely } from 'kysely';
import { ConstraintError, type Database, type Query, type Transaction } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { timeText } from '../database/source.ts';
import {
  type Fragment,
  join,
  literal,
  param,
  sql,
  statement,
  tableName,
  toQuery,
} from '../database/statement.ts';
import { tablesOf } from '../database/tables-of.ts';
import type { JsonObject } from '../kernel/json.ts';

export interface NewJob {
  readonly name: string;
  readonly key: string | null;
  readonly input: JsonObject;
  /** Timestamp from which the job may run; undefined: immediately. */
  readonly at: string | undefined;
}

/** A job that this process may run while it extends the lease. */
export interface ClaimedJob {
  readonly id: number;
  readonly name: string;
  readonly input: JsonObject;
  /** Number of runs so far, including this one; with the lease it identifies the run whose outcome counts. */
  readonly attempts: number;
  readonly lease: string;
}

export interface WaitingJob {
  readonly id: number;
  readonly name: string;
  readonly key: string | null;
  readonly input: JsonObject;
  readonly at: string;
  readonly due: boolean;
}

interface JobRow {
  readonly id: number;
  readonly name: string;
  readonly input: string;
  readonly attempts: number;
}

/** When jobs of a name can be claimed. */
export interface NextJobs {
  /** Milliseconds until the first one can be claimed, negative if it can be now. */
  readonly wait: number;
  /** Milliseconds until the first one that cannot be claimed yet; Infinity if there is none. */
  readonly later: number;
}

interface NextRow {
  readonly name: string;
  readonly now: string;
  readonly next: string | null;
  readonly later: string | null;
}

const jobs = tableName('gatewright_jobs');

/** A failure of a run, as it is stored. */
export interface StoredFailure {
  readonly error: string;
  /** Places in the code, a line each. */
  readonly stack?: string | undefined;
}

/** Characters of an error that the list of runs keeps, and characters of the list after which it begins again. */
const keptOfRuns = { error: 300, list: 16_000 } as const;

/** Returns the list of failed runs with the current one, as JSON. */
const runsWith = (dialect: Dialect, error: string) => {
  const runs = kysely`cast(runs as text)`;
  const short = JSON.stringify(error.slice(0, keptOfRuns.error).toWellFormed());
  const earlier = kysely`case when runs is null or length(${runs}) > ${kysely.lit(keptOfRuns.list)} then '['
    else substr(${runs}, 1, length(${runs}) - 1) || ',' end`;
  const run = kysely`'{"attempt":' || attempts || ',"started_at":"' || ${timeText(dialect, kysely`started_at`)}
    || '","ended_at":"' || ${timeText(dialect, dialect.now)} || '","error":' || ${short} || '}'`;
  return kysely<string>`${dialect.cast(kysely`(${earlier} || ${run} || ']')`, 'json')}`;
};

/** The columns that every failure of a run sets. */
const failureColumns = (dialect: Dialect, { error, stack = '' }: StoredFailure) => ({
  error,
  stack,
  runs: runsWith(dialect, error),
});
type FailureColumns = ReturnType<typeof failureColumns>;

/** Maximum number of tries of an add to find the job that already waits under its key. */
const maxKeyAttempts = 20;

const isTaken = (error: unknown): boolean => error instanceof ConstraintError && error.kind === 'unique';

const addStatement = (dialect: Dialect, timed: boolean) =>
  statement<{ name: string; key: string | null; input: string; at: string }>(dialect, (param) => {
    const at = timed ? dialect.cast(param('at'), 'timestamp') : dialect.now;
    return sql`insert into ${jobs} (name, key, input, state, available_at, created_at)
      values (${param('name')}, ${param('key')}, ${param('input')}, 'waiting', ${at}, ${dialect.now})
      on conflict (name, key) where state = 'waiting' and key is not null do nothing returning id`;
  });

/**
 * Returns a statement that claims jobs, those of one name by one range of an index. It selects the rows in a common
 * table expression: a subquery may be evaluated more than once, and would lock more rows than it returns.
 */
const claimStatement = (dialect: Dialect, picked: Fragment) =>
  statement<{ lease: string; length: number; count: number; id: number; name: string }>(
    dialect,
    (param) => sql`with taken as materialized (
        select id from ${jobs} where ${picked} order by available_at, id limit ${dialect.rows(param('count'))} ${dialect.forUpdateSkipLocked}
      ) update ${jobs} set state = 'running', attempts = attempts + 1, lease = ${param('lease')},
        started_at = ${dialect.now}, available_at = ${dialect.later(param('length'))}
      where id in (select id from taken) returning id, name, input, attempts`,
  );

/**
 * Returns a statement that finds the job waiting under a key. A transaction that relies on that job locks it, since
 * the job must not begin before the commit: it would not see what the transaction writes.
 */
const keyStatement = (dialect: Dialect, lock: boolean) =>
  statement<{ name: string; key: string | null }>(
    dialect,
    (param) => sql`select id from ${jobs} where name = ${param('name')} and key = ${param('key')}
      and state = 'waiting'${lock ? dialect.updateLock : sql.raw('')}`,
  );

/** Returns a statement that finds when the next jobs of each name are due, by two searches of an index for each. */
const nextStatement = (dialect: Dialect, names: readonly string[]) => {
  const first = (name: string, condition: Fragment) => sql`(
    select ${timeText(dialect, sql`available_at`)} from ${jobs}
    where available_at ${condition} and name = ${literal(name)} order by available_at, id limit 1)`;
  const next = names.map(
    (name) => sql`select ${literal(name)} as name, ${timeText(dialect, dialect.now)} as now,
      ${first(name, sql`is not null`)} as next, ${first(name, sql`> ${dialect.now}`)} as later`,
  );
  return statement(dialect, () => join(next, ' union all '));
};

const waitingStatement = (dialect: Dialect) =>
  statement(
    dialect,
    () => sql`select id, name, key, input, ${timeText(dialect, sql`available_at`)} as at,
        ${timeText(dialect, dialect.now)} as now
      from ${jobs} where state = 'waiting' order by available_at, id`,
  );

/** Identifies a run that still holds its lease. */
const runOf = ({ id, lease, attempts }: ClaimedJob) => ({ id, lease, attempts });

const claimedJobs = (rows: readonly JobRow[], lease: string): ClaimedJob[] =>
  rows
    .map(({ id, name, input, attempts }) => ({ id, name, input: JSON.parse(input), attempts, lease }))
    .sort((a, b) => a.id - b.id);

/** The statements of an outbox. */
const createStatements = (dialect: Dialect, names: readonly string[]) => ({
  addNow: addStatement(dialect, false),
  addLater: addStatement(dialect, true),
  claim: claimStatement(dialect, sql`name = ${param('name')} and available_at <= ${dialect.now}`),
  take: claimStatement(dialect, sql`id = ${param('id')} and state = 'waiting'`),
  next: names.length === 0 ? undefined : nextStatement(dialect, names),
  findByKey: keyStatement(dialect, false),
  lockByKey: keyStatement(dialect, true),
  waiting: waitingStatement(dialect),
});

export class Outbox {
  readonly #database: Database;
  readonly #tables: ReturnType<typeof tablesOf>;
  readonly #statements: ReturnType<typeof createStatements>;
  readonly #leaseMs: number;

  /**
   * @param names jobs that this process can run; others wait for a process that can
   * @param leaseMs milliseconds
   */
  constructor(database: Database, names: readonly string[], leaseMs: number) {
    this.#database = database;
    this.#tables = tablesOf(database);
    this.#statements = createStatements(database.dialect, names);
    this.#leaseMs = leaseMs;
  }

  /**
   * Stores a job, in a transaction or durably on its own. Returns its id, or that of the job that already waits
   * under its key.
   */
  async add({ name, key, input, at }: NewJob, transaction?: Transaction): Promise<number> {
    const { addNow, addLater, findByKey, lockByKey } = this.#statements;
    const values = { name, key, input: JSON.stringify(input), at: at ?? '' };
    const insert = (at === undefined ? addNow : addLater)(values);
    for (let attempt = 1; attempt <= maxKeyAttempts; attempt += 1) {
      const [added] =
        transaction === undefined
          ? await this.#database.execute<{ id: number }>(insert)
          : await transaction.all<{ id: number }>(insert);
      if (added !== undefined) return added.id;
      const found = await (transaction?.get<{ id: number }>(lockByKey({ name, key })) ??
        this.#database.get<{ id: number }>(findByKey({ name, key })));
      if (found !== undefined) return found.id;
      // The job under the key has begun meanwhile.
    }
    throw new Error(`The job ${name} with its key was neither stored nor found`);
  }

  /** Claims up to `count` due jobs of a name, those due longest first. */
  async claim(name: string, count: number, lease: string): Promise<ClaimedJob[]> {
    const query = this.#statements.claim({ name, count, lease, length: this.#leaseMs, id: 0 });
    return claimedJobs(await this.#database.execute<JobRow>(query), lease);
  }

  /** Claims one waiting job, even before its time. */
  async take(id: number, lease: string): Promise<ClaimedJob | undefined> {
    const query = this.#statements.take({ id, name: '', count: 1, lease, length: this.#leaseMs });
    return claimedJobs(await this.#database.execute<JobRow>(query), lease)[0];
  }

  /** When jobs can be claimed, for each name with a job that waits or runs; the name that is due longest first. */
  async next(): Promise<ReadonlyMap<string, NextJobs>> {
    const { next } = this.#statements;
    const rows = next === undefined ? [] : await this.#database.all<NextRow>(next({}));
    const waits = rows.flatMap(({ name, now, next: due, later }): [string, NextJobs][] => {
      if (due === null) return [];
      const until = (time: string) => Date.parse(time) - Date.parse(now);
      return [[name, { wait: until(due), later: later === null ? Infinity : until(later) }]];
    });
    return new Map(waits.sort(([, one], [, other]) => one.wait - other.wait));
  }

  /** Extends the leases of running jobs; returns the ids of those whose lease was not lost. */
  async extend(running: readonly ClaimedJob[]): Promise<ReadonlySet<number>> {
    const update = this.#tables
      .updateTable('gatewright_jobs')
      .set({ available_at: this.#after(this.#leaseMs) })
      .where((eb) => eb.or(running.map((job) => eb.and(runOf(job)))))
      .returning('id');
    const rows = await this.#database.execute<{ id: number }>(toQuery(update));
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Deletes a successful job. Like the three functions below, returns false if the lease was lost: then another
   * worker has the job.
   */
  finish(job: ClaimedJob): Promise<boolean> {
    const query = this.#tables
      .deleteFrom('gatewright_jobs')
      .where((eb) => eb.and(runOf(job)))
      .returning('id');
    return this.#changes(toQuery(query));
  }

  /** Makes a failed job wait for its next run, in `delay` milliseconds. */
  retry(job: ClaimedJob, delay: number, failure: StoredFailure): Promise<boolean> {
    return this.#putBack(job, delay, failureColumns(this.#database.dialect, failure));
  }

  /** Marks a job as failed for good. */
  fail(job: ClaimedJob, failure: StoredFailure): Promise<boolean> {
    const { dialect } = this.#database;
    const failed_at = kysely<string>`${dialect.now}`;
    const query = this.#updateOf(job)
      .set({
        ...failureColumns(dialect, failure),
        failed_at,
        state: 'failed',
        lease: null,
        available_at: null,
      })
      .returning('id');
    return this.#changes(toQuery(query));
  }

  /** Releases a job whose run was interrupted: other workers may run it at once, and this run is not counted. */
  release(job: ClaimedJob): Promise<boolean> {
    return this.#putBack(job, 0, { attempts: job.attempts - 1 });
  }

  /** All waiting jobs, the one to run first at the beginning. */
  async waiting(): Promise<WaitingJob[]> {
    type Row = Omit<WaitingJob, 'input' | 'due'> & { readonly input: string; readonly now: string };
    const rows = await this.#database.all<Row>(this.#statements.waiting({}));
    return rows.map(({ now, input, ...row }) => ({ ...row, input: JSON.parse(input), due: row.at <= now }));
  }

  /** A time from now on, with the type of the column for Kysely. */
  #after(milliseconds: number) {
    return kysely<string>`${this.#database.dialect.later(kysely`${milliseconds}`)}`;
  }

  #updateOf(job: ClaimedJob) {
    return this.#tables.updateTable('gatewright_jobs').where((eb) => eb.and(runOf(job)));
  }

  async #changes(query: Query): Promise<boolean> {
    return (await this.#database.execute(query)).length > 0;
  }

  /**
   * Makes a job wait again. If another job waits under its key by now, both run, and only the other one keeps the
   * key.
   */
  async #putBack(
    job: ClaimedJob,
    delay: number,
    set: { readonly attempts: number } | FailureColumns,
  ): Promise<boolean> {
    const update = this.#updateOf(job)
      .set({ ...set, state: 'waiting', lease: null, available_at: this.#after(delay) })
      .returning('id');
    try {
      return await this.#changes(toQuery(update));
    } catch (error) {
      if (!isTaken(error)) throw error;
      return this.#changes(toQuery(update.set({ key: null })));
    }
  }
}
