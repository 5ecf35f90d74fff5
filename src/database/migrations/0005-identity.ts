import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { dialectOf } from '../registry.ts';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';
import { runAll } from './statements.ts';

/** One row says which database this is: a service notices when another stands in its place. */
export const identity: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
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
    ])
      await statement.execute(db);
    await runAll(db, dialectOf({ dialect }).schema.mark());
  },
};
