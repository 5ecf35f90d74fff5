/** The only writer of a SQLite file: groups of writes with one commit, and the order of units among them. */

import { setTimeout as delay } from 'node:timers/promises';
import { overloaded } from '../../kernel/problem.ts';
import type { Query, Unit, WriteOptions } from '../database.ts';
import { databaseUnavailable, outcomeUnknown, transactionTimeout } from '../problems.ts';
import { busyLimit, type Peers } from '../target.ts';
import { busyPause, everybodysTurn } from './busy.ts';
import type { SqliteConnection } from './connection.ts';
import { isBusy, isCommitOutcomeUnknown, isSqliteError } from './errors.ts';
import { type UnitOutcome, UnitRunner, type WaitLimits } from './unit-runner.ts';

/** A statement or a unit that waits for its commit. */
interface Write {
  readonly work: Query | Unit;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** When it stops waiting for a busy database, by `performance.now()`. */
  deadline: number;
  /** Milliseconds that a unit with code of an application may take in all. */
  readonly limit: number | undefined;
  /** When these are over, by `performance.now()`; counted from its first run. */
  until: number | undefined;
}

interface Written {
  readonly write: Write;
  outcome: UnitOutcome;
}

/** Calls around the transactions. */
export interface AroundWrites {
  /** One is about to begin: reads give their snapshot back, for the log's sake. */
  before(): void;
  /** One was committed: reads are to see it. */
  behind(): void;
  /** Describes how the file was lost; undefined if it was not. */
  lost(): string | undefined;
}

/** Bounds of one group, so that reads get their turn: writes, and milliseconds after which no more are taken. */
const groupSize = 256;
const groupTime = 10;

/**
 * How long a group waits for a further turn of the event loop, in milliseconds, while each turn brings more writes. A
 * write that comes alone waits for nothing.
 */
const gatherTime = 2;

/** Channel on which a process says that its writes wait for the end of another process's transaction. */
const waitChannel = 'sqlite_writes_wait';

/** Milliseconds between two such messages, the first of which comes as late; and for how long one counts. */
const sayInterval = 250;
const heardFor = 2 * sayInterval;

/** How long writes still wait for a busy database while it is being closed, in milliseconds. */
const closingLimit = 2_000;

/** Writes that may wait. More than that come in faster than the disk takes them. */
const queueSize = 10_000;

/** SQLITE_CONSTRAINT_FOREIGNKEY at COMMIT: a deferred foreign key of one unit speaks up for the whole group. */
const isDeferredForeignKey = (error: unknown): boolean => isSqliteError(error) && error.errcode === 787;

/**
 * The only writer. Writes that arrive in one turn of the event loop share one transaction and one fsync. Each is
 * undone alone when it fails; all are answered after the COMMIT.
 */
export class Writer {
  readonly #connection: SqliteConnection;
  readonly #around: AroundWrites;
  readonly #busyLimit: number;
  readonly #peers: Peers | undefined;
  readonly #endListening: (() => void) | undefined;
  /** Until when another process counts as waiting, by `performance.now()`. */
  #othersWaitUntil = 0;
  #queue: Write[] = [];
  #scheduled = false;
  #closing: (() => void) | undefined;
  #closed = false;
  #writes = 0;
  #groups = 0;
  /** No write waits for a busy database any longer than this, by `performance.now()`. */
  #busyUntil = Number.POSITIVE_INFINITY;
  /** Writes at the head of the queue that get a transaction each, because their common one was refused. */
  #apart = 0;

  constructor(
    connection: SqliteConnection,
    around: AroundWrites,
    options: { readonly busyLimit?: number | undefined; readonly peers?: Peers | undefined },
  ) {
    this.#connection = connection;
    this.#around = around;
    this.#busyLimit = options.busyLimit ?? busyLimit;
    this.#peers = options.peers;
    this.#endListening = options.peers?.listen(waitChannel, () => {
      this.#othersWaitUntil = performance.now() + heardFor;
    });
  }

  /** Writes that wait, and what was committed: writes, and the groups of them that shared a commit. */
  get load(): Readonly<Record<'waiting' | 'writes' | 'groups', number>> {
    return { waiting: this.#queue.length, writes: this.#writes, groups: this.#groups };
  }

  /** Resolves with the rows of the statement, or with the result of the unit, once that is on the disk. */
  write(work: Query | Unit, { limit }: WriteOptions = {}): Promise<unknown> {
    if (this.#closed) return Promise.reject(databaseUnavailable(new Error('The database is closed')));
    if (this.#queue.length >= queueSize) return Promise.reject(overloaded(new Error('Too many writes wait')));
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + this.#busyLimit;
      this.#queue.push({ work, resolve, reject, deadline, limit, until: undefined });
      this.#schedule();
    });
  }

  /** Resolves when all writes that were taken have been answered. */
  close(): Promise<void> {
    this.#closed = true;
    this.#endListening?.();
    this.#busyUntil = performance.now() + closingLimit;
    if (!this.#scheduled) return Promise.resolve();
    return new Promise((resolve) => {
      this.#closing = resolve;
    });
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#gather(performance.now() + gatherTime);
  }

  /** Callers that get their responses in one turn send their next requests soon, but not all within one turn. */
  #gather(until: number): void {
    const seen = this.#queue.length;
    setImmediate(() => {
      const more = this.#queue.length > seen && this.#queue.length < groupSize;
      if (more && performance.now() < until) this.#gather(until);
      else void this.#writeQueue();
    });
  }

  async #writeQueue(): Promise<void> {
    this.#around.before();
    if (!this.#writeAlone()) await this.#writeGroup();
    if (performance.now() < this.#othersWaitUntil) await this.#giveWay();
    this.#scheduled = false;
    if (this.#queue.length > 0) return this.#schedule();
    this.#apart = 0;
    this.#closing?.();
  }

  /** Pauses for as long as another process that waits may take to try again. */
  async #giveWay(): Promise<void> {
    this.#othersWaitUntil = 0;
    await delay(everybodysTurn);
  }

  /** One statement needs no BEGIN and COMMIT around it. False where the group has to be taken instead. */
  #writeAlone(): boolean {
    const [write, next] = this.#queue;
    if (write === undefined) return true;
    if (next !== undefined || typeof write.work === 'function') return false;
    try {
      const rows = this.#connection.all(write.work);
      this.#around.behind();
      this.#assertThere();
      this.#writes += 1;
      this.#groups += 1;
      write.resolve(rows);
    } catch (error) {
      if (isBusy(error)) return false;
      write.reject(isCommitOutcomeUnknown(error) ? outcomeUnknown(error) : this.#connection.toError(error));
    }
    this.#queue = [];
    return true;
  }

  async #writeGroup(): Promise<void> {
    if (!(await this.#begin())) return;
    const group: Written[] = [];
    try {
      await this.#runQueue(group);
      await this.#commit(group);
      this.#around.behind();
      this.#assertThere();
    } catch (error) {
      return this.#fail(group, error);
    }
    this.#answer(group);
  }

  #answer(group: readonly Written[]): void {
    this.#writes += group.length;
    this.#groups += 1;
    for (const { write, outcome } of group) {
      if ('value' in outcome) write.resolve(outcome.value);
      else if ('error' in outcome) write.reject(outcome.error);
      else this.#again(write, outcome.again);
    }
  }

  /** Runs a unit again, unless its time limit is over. */
  #again(write: Write, place: 'first' | 'last'): void {
    const now = performance.now();
    const { limit = 0, until = 0 } = write;
    write.deadline = now + this.#busyLimit;
    if (now >= until) write.reject(transactionTimeout(limit));
    else if (place === 'first') this.#queue.unshift(write);
    else this.#queue.push(write);
  }

  /** False when every write gave up waiting. They wait in the queue, so that new ones join them. */
  async #begin(): Promise<boolean> {
    let saidAt = performance.now();
    for (let attempt = 0; ; attempt += 1) {
      try {
        this.#connection.exec('begin immediate');
        return true;
      } catch (error) {
        const now = performance.now();
        const final = !isBusy(error) || now >= this.#busyUntil;
        const refused = this.#queue.filter((write) => final || write.deadline <= now);
        this.#queue = this.#queue.filter((write) => !refused.includes(write));
        for (const write of refused) write.reject(this.#connection.toError(error));
        if (this.#queue.length === 0) return false;
        if (now - saidAt >= sayInterval) {
          this.#peers?.tell(waitChannel);
          saidAt = now;
        }
      }
      await delay(busyPause(attempt));
    }
  }

  async #runQueue(group: Written[]): Promise<void> {
    const alone = this.#queue.length === 1 || this.#apart > 0;
    if (this.#apart > 0) this.#apart -= 1;
    const units = new UnitRunner(this.#connection);
    const until = performance.now() + groupTime;
    try {
      do {
        const write = this.#queue[group.length];
        if (write === undefined) break;
        const entry: Written = { write, outcome: { value: undefined } };
        group.push(entry);
        entry.outcome =
          typeof write.work === 'function'
            ? await this.#runUnit(units, write.work, alone, this.#waitLimitsOf(write, group))
            : this.#runStatement(write.work);
      } while (!alone && group.length < groupSize && performance.now() < until);
    } finally {
      units.stop();
      this.#queue.splice(0, group.length);
    }
  }

  /** A refused statement undoes itself; it needs no savepoint. */
  #runStatement(query: Query): UnitOutcome {
    try {
      return { value: this.#connection.all(query) };
    } catch (error) {
      const outcome = { error: this.#connection.toError(error) };
      this.#assertTransaction(outcome);
      return outcome;
    }
  }

  /** Absent for a unit of the service. */
  #waitLimitsOf(write: Write, group: readonly Written[]): WaitLimits | undefined {
    const { limit } = write;
    if (limit === undefined) return undefined;
    write.until ??= performance.now() + limit;
    const { until } = write;
    return {
      limit,
      until: () => Math.min(until, this.#busyUntil),
      holdsGroup: group.length > 1,
      others: () => this.#queue.length > group.length || performance.now() < this.#othersWaitUntil,
    };
  }

  /** Alone in its transaction, a unit is undone with all of it; otherwise it has a savepoint of its own. */
  async #runUnit(
    units: UnitRunner,
    unit: Unit,
    alone: boolean,
    limits: WaitLimits | undefined,
  ): Promise<UnitOutcome> {
    if (!alone) this.#connection.exec('savepoint unit');
    const outcome = await units.run(unit, limits);
    this.#assertTransaction(outcome);
    if (!('value' in outcome)) this.#connection.exec(alone ? 'rollback' : 'rollback to unit');
    if (!alone) this.#connection.exec('release unit');
    return outcome;
  }

  /** A full disk or an I/O error makes SQLite give up the whole transaction, not only the statement. */
  #assertTransaction(outcome: UnitOutcome): void {
    if (this.#connection.inTransaction) return;
    throw databaseUnavailable('error' in outcome ? outcome.error : new Error('A unit ended the transaction'));
  }

  /** Commits. A reader of another process may block it for a moment, during which the transaction stays open. */
  async #commit(group: readonly Written[]): Promise<void> {
    // A unit that ran alone and failed has been rolled back.
    if (!this.#connection.inTransaction) return;
    const until = group.at(-1)?.write.deadline ?? 0;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return this.#connection.exec('commit');
      } catch (error) {
        if (!isBusy(error) || performance.now() >= Math.min(until, this.#busyUntil)) throw error;
      }
      await delay(busyPause(attempt));
    }
  }

  /** Refuses to acknowledge a write into a lost file. */
  #assertThere(): void {
    const lost = this.#around.lost();
    if (lost !== undefined) throw databaseUnavailable(new Error(lost));
  }

  /** The group came to nothing, so none of it may be answered as written. */
  #fail(group: readonly Written[], cause: unknown): void {
    let error: unknown;
    try {
      this.#connection.rollback();
      error = this.#connection.toError(cause);
    } catch (rollbackError) {
      error = databaseUnavailable(rollbackError);
    }
    if (isDeferredForeignKey(cause) && group.length > 1) {
      this.#queue.unshift(...group.map(({ write }) => write));
      this.#apart = group.length;
      return;
    }
    const unwritten = isCommitOutcomeUnknown(cause) ? outcomeUnknown(cause) : error;
    for (const { write, outcome } of group) {
      if ('again' in outcome) this.#again(write, outcome.again);
      else write.reject('error' in outcome ? outcome.error : unwritten);
    }
  }
}
