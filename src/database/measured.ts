/**
 * Wrapper around a database that times each statement for the work to which it belongs, and the log of slow statements.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from 'pino';
import { currentWork, type Work } from '../kernel/current-work.ts';
import type {
  Caller,
  ListReader,
  OpenDatabase,
  Query,
  Replica,
  Transaction,
  WriteOptions,
} from './database.ts';
import { maskedStatement } from './masked-statement.ts';

/** Callbacks for statements, called within the work to which a statement belongs. */
export interface StatementWatch {
  /**
   * A statement begins; the function that it returns is called when the statement is over, with its error if it failed.
   * Absent if statements are only counted.
   */
  readonly begun?: ((sql: string) => ((error?: unknown) => void) | undefined) | undefined;
  /** A statement failed, or the commit of a unit. */
  failed?(error: unknown): void;
  /** A statement is over. `milliseconds` from the call to the answer, with its wait for a session or for the writer. */
  ended(sql: string, milliseconds: number, work: Work | undefined): void;
}

/** A database with every member, optional ones included, so that the compiler finds a missing one. */
type Whole = { readonly [Name in keyof Required<OpenDatabase>]: OpenDatabase[Name] };

/** Counts the statements of each piece of work and reports them to the watch. */
class StatementMeasure {
  readonly #watch: StatementWatch;

  constructor(watch: StatementWatch) {
    this.#watch = watch;
  }

  /** Times a statement, from the call to its response. */
  time<T>(sql: string, work: Work | undefined, run: () => Promise<T>): Promise<T> {
    const ended = this.#watch.begun?.(sql);
    const answer = this.count(sql, work, run);
    if (ended !== undefined) answer.then(() => ended(), ended);
    return answer;
  }

  /** Times a part of a statement that is reported already. */
  async count<T>(sql: string, work: Work | undefined, run: () => Promise<T>): Promise<T> {
    const start = performance.now();
    work?.database.begin(start);
    try {
      return await run();
    } catch (error) {
      this.failed(error);
      throw error;
    } finally {
      const end = performance.now();
      work?.database.end(end);
      this.#watch.ended(sql, end - start, work);
    }
  }

  failed(error: unknown): void {
    this.#watch.failed?.(error);
  }

  report(sql: string, milliseconds: number, work: Work | undefined): void {
    this.#watch.ended(sql, milliseconds, work);
  }
}

/** Times each statement of a transaction; the time between statements belongs to the unit. */
class MeasuredTransaction implements Transaction {
  readonly #inner: Transaction;
  readonly #measure: StatementMeasure;
  readonly #work: Work | undefined;

  constructor(inner: Transaction, measure: StatementMeasure, work: Work | undefined) {
    this.#inner = inner;
    this.#measure = measure;
    this.#work = work;
  }

  all<Row>(query: Query): Promise<Row[]> {
    return this.#measure.time(query.sql, this.#work, () => this.#inner.all<Row>(query));
  }

  get<Row>(query: Query): Promise<Row | undefined> {
    return this.#measure.time(query.sql, this.#work, () => this.#inner.get<Row>(query));
  }

  run(query: Query): Promise<number> {
    return this.#measure.time(query.sql, this.#work, () => this.#inner.run(query));
  }
}

/** The time that the database takes for a unit: all except the unit's own, which may run several times. */
class DatabaseShare {
  readonly #work: Work | undefined;
  /** Reading of `performance.now()`; undefined while the unit runs. */
  #since: number | undefined;

  constructor(work: Work | undefined) {
    this.#work = work;
    this.enter();
  }

  enter(): void {
    if (this.#since !== undefined) return;
    this.#since = performance.now();
    this.#work?.database.begin(this.#since);
  }

  /** Returns the milliseconds since it was entered. */
  leave(): number {
    if (this.#since === undefined) return 0;
    const now = performance.now();
    const milliseconds = now - this.#since;
    this.#since = undefined;
    this.#work?.database.end(now);
    return milliseconds;
  }
}

/** A reader whose time counts for the calling work. */
class MeasuredReader implements ListReader {
  readonly #inner: ListReader;
  readonly #measure: StatementMeasure;

  constructor(inner: ListReader, measure: StatementMeasure) {
    this.#inner = inner;
    this.#measure = measure;
  }

  get<Row>(query: Query): Promise<Row | undefined> {
    return this.#measure.time(query.sql, currentWork(), () => this.#inner.get<Row>(query));
  }

  scan<Row>(query: Query, by?: Caller): Promise<Row[]> {
    return this.#measure.time(query.sql, currentWork(), () => this.#inner.scan<Row>(query, by));
  }

  async stream(query: Query, by?: Caller): Promise<AsyncIterableIterator<string>> {
    const work = currentWork();
    const measure = this.#measure;
    const chunks = await measure.time(query.sql, work, () => this.#inner.stream(query, by));
    const measured: AsyncIterableIterator<string> = {
      [Symbol.asyncIterator]: () => measured,
      next: () => measure.count(query.sql, work, () => chunks.next()),
      return: () => chunks.return?.() ?? Promise.resolve({ done: true, value: undefined }),
    };
    return measured;
  }
}

/** Reports the statements of a request, whichever server it reads through. */
const measuredReplica = (replica: Replica, measure: StatementMeasure): Replica => ({
  noting: (note, work) => replica.noting(note, work),
  readerFor: async (seen) => new MeasuredReader(await replica.readerFor(seen), measure),
  state: () => replica.state(),
});

/** A database whose time counts for the calling work: see `currentWork`. */
class MeasuredDatabase implements Whole {
  readonly dialect: OpenDatabase['dialect'];
  readonly renewSnapshot: OpenDatabase['renewSnapshot'];
  readonly discardRemains: OpenDatabase['discardRemains'];
  readonly revision: OpenDatabase['revision'];
  readonly listen: OpenDatabase['listen'];
  readonly tell: OpenDatabase['tell'];
  readonly pause: OpenDatabase['pause'];
  readonly figures: OpenDatabase['figures'];
  readonly lost: OpenDatabase['lost'];
  readonly claim: OpenDatabase['claim'];
  readonly sessionRoom: OpenDatabase['sessionRoom'];
  readonly replica: OpenDatabase['replica'];
  readonly #inner: OpenDatabase;
  readonly #measure: StatementMeasure;
  readonly #reader: ListReader;

  constructor(inner: OpenDatabase, watch: StatementWatch) {
    this.#inner = inner;
    this.#measure = new StatementMeasure(watch);
    this.#reader = new MeasuredReader(inner, this.#measure);
    this.replica = inner.replica && measuredReplica(inner.replica, this.#measure);
    this.dialect = inner.dialect;
    this.renewSnapshot = inner.renewSnapshot?.bind(inner);
    this.discardRemains = inner.discardRemains?.bind(inner);
    this.revision = inner.revision?.bind(inner);
    this.listen = inner.listen;
    this.tell = inner.tell;
    this.pause = inner.pause;
    this.figures = inner.figures?.bind(inner);
    this.lost = inner.lost?.bind(inner);
    this.claim = inner.claim?.bind(inner);
    this.sessionRoom = inner.sessionRoom;
  }

  all<Row>(query: Query): Promise<Row[]> {
    return this.#measure.time(query.sql, currentWork(), () => this.#inner.all<Row>(query));
  }

  get<Row>(query: Query): Promise<Row | undefined> {
    return this.#reader.get<Row>(query);
  }

  scan<Row>(query: Query, by?: Caller): Promise<Row[]> {
    return this.#reader.scan<Row>(query, by);
  }

  stream(query: Query, by?: Caller): Promise<AsyncIterableIterator<string>> {
    return this.#reader.stream(query, by);
  }

  execute<Row>(query: Query): Promise<Row[]> {
    return this.#measure.time(query.sql, currentWork(), () => this.#inner.execute<Row>(query));
  }

  /** Runs a unit. Time between its statements is its own; time before and after them is the database's. */
  async write<T>(unit: (transaction: Transaction) => Promise<T>, options?: WriteOptions): Promise<T> {
    const work = currentWork();
    // Units share commits, and run in the context of the first one: each is run in its own context again.
    const inPlace = AsyncLocalStorage.snapshot();
    const share = new DatabaseShare(work);
    const unitInPlace = async (transaction: Transaction): Promise<T> => {
      this.#measure.report('begin', share.leave(), work);
      try {
        return await inPlace(unit, new MeasuredTransaction(transaction, this.#measure, work));
      } finally {
        share.enter();
      }
    };
    try {
      return await this.#inner.write(unitInPlace, options);
    } catch (error) {
      this.#measure.failed(error);
      throw error;
    } finally {
      this.#measure.report('commit', share.leave(), work);
    }
  }

  ping(): Promise<void> {
    return this.#inner.ping();
  }

  refuseWrites(cause: Error | undefined): void {
    this.#inner.refuseWrites(cause);
  }

  cannotWrite(error: unknown): boolean {
    return this.#inner.cannotWrite(error);
  }

  damageIn(error: unknown): string | undefined {
    return this.#inner.damageIn(error);
  }

  interrupt(): void {
    this.#inner.interrupt();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

/**
 * Wraps a database so that it reports its statements and counts their time for the work to which they belong.
 * Everything that a unit starts runs as part of the work that called `write`.
 */
export const measured = (database: OpenDatabase, watch: StatementWatch): OpenDatabase =>
  new MeasuredDatabase(database, watch) as OpenDatabase;

const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;

/**
 * Logs statements that take longer than `slow` milliseconds (Infinity: none), and every statement at level debug: its
 * text without values, and the request or job that runs it.
 */
export const watchStatements = (logger: Logger, slow: number): Pick<StatementWatch, 'ended'> => {
  let all = logger.isLevelEnabled('debug');
  logger.on('level-change', () => {
    all = logger.isLevelEnabled('debug');
  });
  const tell = (sql: string, milliseconds: number, work: Work | undefined): void => {
    const line = {
      requestId: work?.requestId ?? null,
      route: work?.route ?? null,
      milliseconds: rounded(milliseconds),
      statement: maskedStatement(sql),
      // The log leaves out a member that is undefined.
      traceparent: work?.traceparent,
    };
    if (milliseconds > slow) logger.warn(line, 'slow statement');
    else logger.debug(line, 'statement');
  };
  return {
    ended: (sql, milliseconds, work) => {
      if (milliseconds > slow || all) tell(sql, milliseconds, work);
    },
  };
};
