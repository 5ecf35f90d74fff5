/**
 * Full-text searches that a migration creates: their triggers at once, and the words of existing records in batches
 * after it.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Tables } from '../introspection.ts';
import type { SearchIndex } from '../search.ts';
import type { DatabaseTarget } from '../target.ts';
import type { MigrationDatabase } from './migration.ts';
import { runAll } from './statements.ts';

/** The table of searches that are not complete yet. */
const fills = 'gatewright_fills';

/** Milliseconds that one transaction shall take: as long writes of the service may wait for it. */
const batchMs = 100;

/** Records in the first transaction, whose time is not known, and in the largest. */
const firstBatch = 10;
const largestBatch = 5000;

/** Milliseconds until a batch is tried again that a write of the service had locked out. */
const retryMs = 100;

/**
 * Creates the full-text search of a table. Triggers keep it up to date from the commit of the migration on.
 * `fillSearches` makes the words of the records that are there. That can take minutes, so it is no part of the
 * migration, which would lock out the writes of running instances for as long.
 */
export const createSearch = async (
  db: MigrationDatabase,
  dialect: Dialect,
  index: SearchIndex,
): Promise<void> => {
  await runAll(db, dialect.schema.search.create(index));
  await sql`insert into ${sql.table(fills)} (table_name, below)
    select ${index.of}, max(id) + 1 from ${sql.table(index.of)} having max(id) is not null`.execute(db);
};

/** Drops the full-text search of a table. */
export const dropSearch = async (db: MigrationDatabase, dialect: Dialect, table: string): Promise<void> => {
  await runAll(db, dialect.schema.search.drop(table));
  await db.deleteFrom(fills).where('table_name', '=', table).execute();
};

/** Tables whose full-text searches are not complete yet, of a database with all migrations of the service. */
export const incompleteSearches = (target: DatabaseTarget): Promise<readonly string[]> =>
  target.snapshot(async ({ ask, dialect: { names } }) => {
    const rows = await ask<{ table_name: string }>(
      `select table_name from ${names.written(fills)} order by table_name`,
    );
    return rows.map(({ table_name: name }) => name);
  });

/** Runs a unit in a transaction that locks rows for a short time only, and gives way to writes of the service. */
const besideWrites = <T>(
  db: MigrationDatabase,
  { search }: Dialect['schema'],
  unit: (transaction: MigrationDatabase) => Promise<T>,
): Promise<T> =>
  db.connection().execute(async (connection) => {
    await runAll(connection, search.begin);
    try {
      const result = await unit(connection);
      await runAll(connection, ['commit']);
      return result;
    } catch (error) {
      // A lost connection has ended the transaction already.
      await runAll(connection, ['rollback']).catch(() => {});
      throw error;
    }
  });

/** Makes the words of at most `most` records, the newest first. Returns whether there are more. */
const fillBatch = (
  db: MigrationDatabase,
  { schema }: Dialect,
  index: SearchIndex,
  most: number,
): Promise<boolean> =>
  besideWrites(db, schema, async (transaction) => {
    const isOfTable = sql<boolean>`table_name = ${index.of}`;
    // An update locks the row: several instances take turns.
    const fill = await transaction
      .updateTable(fills)
      .set({ below: sql`below` })
      .where(isOfTable)
      .returning('below')
      .executeTakeFirst();
    if (fill === undefined) return false;
    const below = Number(fill['below']);
    const { rows } = await sql<{ lowest: number | string | null }>`select min(id) as lowest from
      (select id from ${sql.table(index.of)} where id < ${below} order by id desc limit ${sql.lit(most)}) as batch`.execute(
      transaction,
    );
    const lowest = rows[0]?.lowest ?? null;
    if (lowest === null) {
      await runAll(transaction, schema.search.complete(index));
      await transaction.deleteFrom(fills).where(isOfTable).execute();
      return false;
    }
    await runAll(transaction, [schema.search.fill(index, Number(lowest), below)]);
    await transaction
      .updateTable(fills)
      .set({ below: Number(lowest) })
      .where(isOfTable)
      .execute();
    return true;
  });

const fillSearch = async (
  db: MigrationDatabase,
  target: DatabaseTarget,
  index: SearchIndex,
): Promise<void> => {
  const dialect = await target.dialect();
  let size = firstBatch;
  for (let more = true; more; ) {
    const began = performance.now();
    try {
      more = await fillBatch(db, dialect, index, size);
      const ms = performance.now() - began;
      size = Math.min(Math.max(Math.round((size * batchMs) / ms), 1), 2 * size, largestBatch);
      await wait(ms / 2);
    } catch (error) {
      if (!(await target.isLockedOut(error))) throw error;
      await wait(retryMs);
    }
  }
};

/**
 * Completes the full-text searches that migrations created, and goes on where a process before was killed. Several
 * processes may do so at once. Between batches it leaves time to the writes of running instances.
 * @param onFilling called with each table and the number of its records without words, unless these are done at once
 */
export const fillSearches = async (
  db: MigrationDatabase,
  target: DatabaseTarget,
  tables: Tables,
  onFilling?: (table: string, records: number) => void,
): Promise<void> => {
  if (!tables.has(fills)) return;
  for (const { table_name: name, below } of await db.selectFrom(fills).selectAll().execute()) {
    const of = String(name);
    const columns = tables.get(of)?.search;
    if (columns === undefined) {
      // A migration in SQL has dropped the table.
      await db.deleteFrom(fills).where('table_name', '=', of).execute();
      continue;
    }
    const { rows } = await sql<{ missing: number | string }>`select count(*) as missing from ${sql.table(of)}
      where id < ${below}`.execute(db);
    const missing = Number(rows[0]?.missing);
    if (missing > largestBatch) onFilling?.(of, missing);
    await fillSearch(db, target, { of, columns });
  }
};
