/** A table of counts: counted in memory, added to the stored rows in batches, removed at an age. */

import type { Database, Query, SqlValue } from '../database/database.ts';
import {
  type Argument,
  type Fragment,
  identifier,
  join,
  type Statement,
  sql,
  statement,
  tableName,
} from '../database/statement.ts';
import { type CoreSchema, ownTables, type Table, type TableColumn } from '../database/tables.ts';
import { tablesOf } from '../database/tables-of.ts';
import { type Clock, toTimestamp } from '../kernel/clock.ts';
import { BatchedCounter } from './batched-counter.ts';
import type { Change, TableContext } from './context.ts';

/** Milliseconds between two batches. */
const batchIntervalMs = 10_000;

type TableName = keyof CoreSchema & string;

type ColumnOf<Name extends TableName> = keyof CoreSchema[Name] & string;

/** Makes the value of a column from a time in milliseconds since the epoch. */
type TimeText = (time: number) => string;

export interface CountedTableOptions<Name extends TableName, Row extends object> {
  /** Name in the log of batches that could not be written. */
  readonly name: string;
  readonly table: Name;
  /** Columns of the primary key, or of a unique index. */
  readonly key: readonly ColumnOf<Name>[];
  /** Columns whose stored and counted numbers are added. */
  readonly sums: readonly ColumnOf<Name>[];
  /** Columns of which the newer value replaces the stored one. All others keep the first value. */
  readonly newest?: readonly ColumnOf<Name>[];
  /** Columns that get the time at which a batch is written. */
  readonly written?: Readonly<Partial<Record<ColumnOf<Name>, TimeText>>>;
  /** A column that refers to another table: counts whose row there was deleted meanwhile are left out. */
  readonly owner?: ColumnOf<Name>;
  /** The column by which rows are removed, and the age at which they are. */
  readonly removal?: { readonly column: ColumnOf<Name>; readonly ageMs: number; readonly text: TimeText };
  /** Maximum number of pending rows; while it is reached, rows with other keys are not counted. */
  readonly maxEntries: number;
  /**
   * Numbers of rows that one statement adds, largest first and ending with 1: of each, one is compiled. Undefined: the
   * whole batch, by a statement of its own.
   */
  readonly rowsPerStatement?: readonly number[];
  /** Adds a count to the pending one of the same key: does in memory what `sums` and `newest` say of stored rows. */
  readonly merge: (pending: Row, added: Row) => Row;
  /** Makes the pending row of the first count of a key; by default it is that count. */
  readonly begin?: (added: Row) => Row;
  /** Counts what must be looked up or completed before a batch is written. */
  readonly gather?: () => Promise<void>;
  /** Returns the rows of a batch that are stored; by default all. */
  readonly select?: (rows: readonly Row[]) => Promise<readonly Row[]>;
}

/** Values of one statement: those of its rows, one row after the other, and those of the time of writing. */
type BatchValues = { readonly rows: readonly SqlValue[]; readonly written: readonly string[] };

/** A time is a number until it is written. */
const storedValue = (value: unknown, { type }: TableColumn): SqlValue =>
  type === 'timestamp' && typeof value === 'number' ? toTimestamp(value) : (value as SqlValue);

const descriptions: ReadonlyMap<string, Table> = new Map(ownTables.map((table) => [table.name, table]));

/** The statements by which a batch is added to a table. */
class BatchStatements<Name extends TableName, Row extends object> {
  readonly #dialect: Database['dialect'];
  readonly #options: CountedTableOptions<Name, Row>;
  readonly #columns: Table['columns'];
  /** Columns whose values come from the rows, and those that get the time of writing. */
  readonly #counted: readonly (readonly [name: string, column: TableColumn])[];
  readonly #written: readonly (readonly [name: string, text: TimeText])[];
  /** Compiled statements by their number of rows. */
  readonly #compiled: ReadonlyMap<number, Statement<BatchValues>>;

  constructor(dialect: Database['dialect'], options: CountedTableOptions<Name, Row>) {
    const { table, written = {}, rowsPerStatement = [] } = options;
    this.#dialect = dialect;
    this.#options = options;
    this.#columns = descriptions.get(table)?.columns ?? {};
    this.#counted = Object.entries(this.#columns).filter(
      ([name, { type }]) => type !== 'id' && !Object.hasOwn(written, name),
    );
    this.#written = Object.entries<TimeText>(written as Record<string, TimeText>);
    this.#compiled = new Map(rowsPerStatement.map((length) => [length, this.#statementFor(length)]));
  }

  /** Returns the query that adds rows, of which there is one at least, at a time. */
  add(rows: readonly Row[], now: number): Query {
    const add = this.#compiled.get(rows.length) ?? this.#statementFor(rows.length);
    return add({
      rows: rows.flatMap((row) =>
        this.#counted.map(([name, column]) => storedValue(row[name as keyof Row], column)),
      ),
      written: this.#written.map(([, text]) => text(now)),
    });
  }

  /** Orders rows by key, so that processes take row locks in one order. */
  #statementFor(length: number): Statement<BatchValues> {
    return statement<BatchValues>(this.#dialect, (param) => {
      const { table, key } = this.#options;
      const counted = this.#counted.map(([name]) => name);
      const names = [...counted, ...this.#written.map(([name]) => name)];
      const order = key.filter((name) => counted.includes(name)).map((name) => identifier('counted', name));
      return sql`with counted (${join(counted.map((name) => identifier(name)))})
        as (values ${this.#values(param, length)})
        insert into ${tableName(table)} (${join(names.map((name) => identifier(name)))})
        select ${join(this.#selected(param))} from counted${this.#owners()}
        where true${order.length === 0 ? sql`` : sql` order by ${join(order)}`}
        on conflict (${join(key.map((name) => identifier(name)))}) do update set ${join(this.#updates())}`;
    });
  }

  #values(param: Argument<BatchValues>, length: number): Fragment {
    const row = (index: number): Fragment[] =>
      this.#counted.map(([, column], place) =>
        this.#cast(param('rows', index * this.#counted.length + place), column),
      );
    return join(Array.from({ length }, (_, index) => sql`(${join(row(index))})`));
  }

  #selected(param: Argument<BatchValues>): Fragment[] {
    const counted = this.#counted.map(([name]) => identifier('counted', name));
    const written = this.#written.map(([name], index) => {
      const column = this.#columns[name];
      const value = param('written', index);
      return column === undefined ? value : this.#cast(value, column);
    });
    return [...counted, ...written];
  }

  /** Joins the table to which the column of the owner refers. */
  #owners(): Fragment {
    const { owner } = this.#options;
    if (owner === undefined) return sql``;
    const [owners = '', id = ''] = (this.#columns[owner]?.options.references ?? '').split('.');
    return sql` join ${tableName(owners)} on ${tableName(owners, id)} = ${identifier('counted', owner)}`;
  }

  #updates(): Fragment[] {
    const { table, sums, newest = [] } = this.#options;
    const set = (name: string, value: Fragment): Fragment => sql`${identifier(name)} = ${value}`;
    const added = (name: string): Fragment =>
      sql`${tableName(table, name)} + ${identifier('excluded', name)}`;
    return [
      ...sums.map((name) => set(name, added(name))),
      ...newest.map((name) => set(name, identifier('excluded', name))),
    ];
  }

  #cast(value: Fragment, { type }: TableColumn): Fragment {
    return type === 'id' ? value : this.#dialect.cast(value, type);
  }
}

/**
 * Counts of one table. Counting is an addition in memory; every 10 seconds a batch is added to the stored rows, one
 * statement after the other, so that other writes run in between. Several processes add to the same rows. A crash
 * loses the counts of a few seconds.
 */
export class CountedTable<Name extends TableName, Row extends object> {
  readonly name: string;
  protected readonly database: Database;
  protected readonly clock: Clock;
  /** Kysely for reading the counts. */
  protected readonly tables: Change['tables'];
  /** The pending rows. Those of one key have the same values in the columns of the table's key. */
  protected readonly counter: BatchedCounter<number | string, Row>;
  readonly #options: CountedTableOptions<Name, Row>;

  constructor({ database, clock }: TableContext, options: CountedTableOptions<Name, Row>) {
    const { merge, begin, maxEntries, rowsPerStatement, gather } = options;
    this.name = options.name;
    this.database = database;
    this.clock = clock;
    this.tables = tablesOf(database);
    this.#options = options;
    const statements = new BatchStatements(database.dialect, options);
    this.counter = new BatchedCounter<number | string, Row>({
      maxEntries,
      writeSizes: rowsPerStatement,
      merge,
      begin,
      gather,
      write: (entries) => this.#write(statements, entries),
    });
  }

  /** Writes the counts that are pending now. @throws the error of the write; the counts go with the next batch */
  flush(): Promise<void> {
    return this.counter.flush();
  }

  /** Starts writing batches. Returns a function that stops it and writes the last batch. */
  start(onError: (error: unknown) => void): () => Promise<void> {
    return this.counter.start(batchIntervalMs, onError);
  }

  /** Removes rows of the age of removal; called periodically. */
  async sweep(now = this.clock()): Promise<void> {
    const { table, removal } = this.#options;
    if (removal === undefined) return;
    const { column, ageMs, text } = removal;
    const remove = statement<{ oldest: string }>(
      this.database.dialect,
      (param) => sql`delete from ${tableName(table)} where ${identifier(column)} < ${param('oldest')}`,
    );
    await this.database.execute(remove({ oldest: text(now - ageMs) }));
  }

  async #write(
    statements: BatchStatements<Name, Row>,
    entries: readonly (readonly [number | string, Row])[],
  ): Promise<void> {
    const rows = entries.map(([, row]) => row);
    const stored = (await this.#options.select?.(rows)) ?? rows;
    if (stored.length > 0) await this.database.execute(statements.add(stored, this.clock()));
  }
}
