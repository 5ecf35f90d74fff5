import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Migration } from './runner.ts';

const types = {
  sqlite: { text: sql`text`, integer: sql`integer` },
  postgres: { text: sql`text collate "C"`, integer: sql`bigint` },
} as const;

/** A number that a database file carries in its head, so that another file is told apart by its first 100 bytes. */
const marks = {
  sqlite: () => [sql.raw(`pragma user_version = ${randomBytes(4).readUInt32BE() >>> 1}`)],
  postgres: () => [],
} as const;

/** One row says which database this is: a service notices when another stands in its place. */
export const identity: Migration = {
  up: async (db, dialect) => {
    const t = types[dialect];
    for (const statement of [
      // `major`: of the newest version of the service that has changed its tables. `checked_at`: milliseconds since
      // the epoch, written by the readiness check.
      sql`create table gatewright_database (
        id ${t.text} primary key not null,
        major ${t.integer} not null,
        checked_at ${t.integer} not null
      )`,
      sql`insert into gatewright_database (id, major, checked_at)
        values (${randomBytes(16).toString('hex')}, 0, 0)`,
      ...marks[dialect](),
    ])
      await statement.execute(db);
  },
};
