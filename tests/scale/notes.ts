import type { Database, DialectName } from '../../src/database/database.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';

/** The example's note, with a field that has an index and fields that have none. */
const fields = {
  title: field.string({ required: true, max: 200 }),
  body: field.text(),
  rank: field.integer({ index: true }),
  weight: field.integer(),
  price: field.decimal(),
  at: field.datetime(),
};

export const note = defineResource('Note', { fields });

export const noteMigration: Migration = {
  up: (db, dialect) => createTable(db, dialect, 'notes', { fields }),
};

/** Statements of a size that a transaction takes well. */
const batch = 100_000;

const statements: Readonly<Record<DialectName, (from: number, to: number) => string>> = {
  sqlite: (from, to) => `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to})
    insert into notes (title, body, "rank", weight, price, at, created_at, updated_at, version)
    select 'Note ' || i, 'Body of the note ' || i || ' in a few words.', i, i * 7919 % 1000003, i % 100000,
      '2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z', 1 from n`,
  postgres: (
    from,
    to,
  ) => `insert into notes (title, body, "rank", weight, price, at, created_at, updated_at, version)
    select 'Note ' || i, 'Body of the note ' || i || ' in a few words.', i, i * 7919 % 1000003, i % 100000,
      '2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z', 1
    from generate_series(${from}::bigint, ${to}::bigint) as s(i)`,
};

/** Fills the empty table with so many notes, straight in the database. */
export const seedNotes = async (database: Database, rows: number): Promise<void> => {
  for (let from = 1; from <= rows; from += batch) {
    const sql = statements[database.dialect.name](from, Math.min(rows, from + batch - 1));
    await database.execute({ sql, parameters: [] });
  }
  await database.execute({ sql: 'analyze', parameters: [] });
};
