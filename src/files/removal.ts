/**
 * Removal of files: the row first, with a note of its key in the same transaction, then the bytes, then the note. So
 * bytes are never without a row or a note, whenever a process ends, and a foreign key refuses the removal of a row that
 * a record names.
 */

import { sql as kysely } from 'kysely';
import { ConstraintError, type Database, type Transaction } from '../database/database.ts';
import { identifier, join, literal, sql, statement, tableName, toQuery } from '../database/statement.ts';
import { tablesOf } from '../database/tables-of.ts';
import type { FileStore } from './store.ts';

/** The column of a model that names files, as SQL names it. */
export interface FileColumn {
  readonly table: { readonly schema: string | undefined; readonly name: string };
  readonly column: string;
}

/** Hours after which an upload that no record names is removed. Together with the sweep's interval less than a day. */
const abandonedMs = 12 * 3_600_000;

/** Rows that one step of the sweep examines. */
const stepRows = 500;

type SweepArguments = { readonly after: number; readonly last: number };

/**
 * Deletes rows in a range of ids that nothing names: no record of any model, no version in the history and no deleted
 * record that can be restored. The foreign keys refuse the statement where a record has named one meanwhile.
 */
const sweepStatement = ({ dialect }: Database, columns: readonly FileColumn[]) => {
  const files = tableName('gatewright_files');
  const of = (column: string) => sql`${identifier('_file')}.${identifier(column)}`;
  const named = columns.map(({ table, column }) => {
    const from = table.schema === undefined ? identifier(table.name) : identifier(table.schema, table.name);
    return sql`not exists (select 1 from ${from} as _record where _record.${identifier(column)} = ${of('id')})`;
  });
  const kept = (
    [
      ['gatewright_history', ['before', 'after']],
      ['gatewright_trash', ['record']],
    ] as const
  ).map(([table, values]) => {
    const has = values.map(
      (value) => sql`cast(_kept.${identifier(value)} as text) like '%' || ${of('checksum')} || '%'`,
    );
    return sql`not exists (select 1 from ${tableName(table)} as _kept
      where _kept.model = ${of('model')} and _kept.record_id = ${of('record_id')} and (${join(has, ' or ')}))`;
  });
  const abandoned = sql`(${of('state')} = 'held' or ${of('changed_at')} < ${dialect.later(literal(-abandonedMs))})`;
  return statement<SweepArguments>(
    dialect,
    (value) => sql`delete from ${files} where id in (select ${of('id')} from ${files} as _file
      where ${of('id')} > ${value('after')} and ${of('id')} <= ${value('last')}
        and ${join([abandoned, ...named, ...kept], ' and ')}) returning key`,
  );
};

/** Removes files that nothing names. */
export class FileRemoval {
  readonly #database: Database;
  readonly #store: FileStore;
  readonly #sweep: ReturnType<typeof sweepStatement>;

  /** @param columns of all models: a file that none of them names is removed */
  constructor(database: Database, store: FileStore, columns: readonly FileColumn[]) {
    this.#database = database;
    this.#store = store;
    this.#sweep = sweepStatement(database, columns);
  }

  /** Removes an upload that no record names. Does nothing where a record names it. */
  async discard(id: number): Promise<void> {
    const remove = tablesOf(this.#database)
      .deleteFrom('gatewright_files')
      .where('id', '=', id)
      .where('state', '<>', 'held')
      .returning('key');
    const keys = await this.#remove((transaction) => transaction.all<{ key: string }>(toQuery(remove)));
    await this.#removeBytes(keys);
  }

  /** Removes a file that its record has just named no more, unless the history or the trash keeps it. */
  async release(id: number): Promise<void> {
    const step = this.#sweep({ after: id - 1, last: id });
    await this.#removeBytes(await this.#remove((transaction) => transaction.all<{ key: string }>(step)));
  }

  /** Removes every file that nothing names. @throws errors of `pause`, and of the store for the next attempt */
  async sweep(pause: () => Promise<void>): Promise<void> {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const last: number | undefined = await this.#lastOfStep(after);
      if (last !== undefined) await this.#sweepStep(after, last);
      after = last;
      await pause();
    }
    let failure: unknown;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const keys: readonly string[] = await this.#notedKeys(after);
      // One that cannot be removed now does not keep the others.
      for (const key of keys)
        await this.#removeBytes([key]).catch((error: unknown) => {
          failure ??= error;
        });
      after = keys.at(-1);
      await pause();
    }
    if (failure !== undefined) throw failure;
  }

  /** The id of the last row of a step after an id; undefined where no row is left. */
  async #lastOfStep(after: number): Promise<number | undefined> {
    const step = tablesOf(this.#database)
      .selectFrom('gatewright_files')
      .select('id')
      .where('id', '>', after)
      .orderBy('id')
      .limit(stepRows);
    const rows = await this.#database.all<{ id: number | string }>(toQuery(step));
    const last = rows.at(-1);
    return last && Number(last.id);
  }

  async #sweepStep(after: number, last: number): Promise<void> {
    const step = this.#sweep({ after, last });
    try {
      await this.#remove((transaction) => transaction.all<{ key: string }>(step));
    } catch (error) {
      // A record has named one of them meanwhile: the next sweep sees it.
      if (!(error instanceof ConstraintError)) throw error;
    }
  }

  async #notedKeys(after: string): Promise<readonly string[]> {
    const noted = tablesOf(this.#database)
      .selectFrom('gatewright_removed_files')
      .select('key')
      .where('key', '>', after)
      .orderBy('key')
      .limit(stepRows);
    return (await this.#database.all<{ key: string }>(toQuery(noted))).map(({ key }) => key);
  }

  /**
   * Deletes rows, and notes their keys in the same transaction: from then on no record can name them. Returns the keys.
   */
  #remove(
    rows: (transaction: Transaction) => Promise<readonly { readonly key: string }[]>,
  ): Promise<readonly string[]> {
    const removed_at = kysely<string>`${this.#database.dialect.now}`;
    return this.#database.write(async (transaction) => {
      const keys = (await rows(transaction)).map(({ key }) => key);
      for (const key of keys)
        await transaction.run(
          toQuery(
            tablesOf(this.#database).insertInto('gatewright_removed_files').values({ key, removed_at }),
          ),
        );
      return keys;
    });
  }

  /** Removes the bytes of noted keys. A key is noted until its bytes are gone. */
  async #removeBytes(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await this.#store.remove(key);
      const done = tablesOf(this.#database)
        .deleteFrom('gatewright_removed_files')
        .where('key', '=', key)
        .returning('key');
      await this.#database.execute(toQuery(done));
    }
  }
}
