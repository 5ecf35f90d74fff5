import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownWords } from './own-words.ts';

/** The delivery whose attempt failed last, so that a webhook shows the reason without a search through its deliveries. */
export const failedDeliveries: Migration = {
  up: async (db, dialect) => {
    const t = ownWords(dialect);
    await sql`alter table gatewright_webhooks add column failed_delivery ${t.integer}`.execute(db);
  },
};
