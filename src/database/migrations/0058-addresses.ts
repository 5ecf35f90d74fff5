import { sql } from 'kysely';
import { addressOf, canonicalAddress, isExactAddress, noAddress } from '../../auth/address.ts';
import type { Migration, MigrationDatabase } from './migration.ts';

interface AddressRow {
  readonly id: number;
  readonly email: string;
}

/** Users that are read at a time. */
const batch = 1_000;

const usersWith = async (
  db: MigrationDatabase,
  condition: ReturnType<typeof sql<boolean>>,
  change: (row: AddressRow) => Promise<unknown>,
): Promise<void> => {
  for (let last = 0; ; ) {
    const { rows } = await sql<AddressRow>`select id, email from users
      where ${condition} and id > ${last} order by id limit ${batch}`.execute(db);
    for (const row of rows) await change(row);
    const end = rows.at(-1);
    if (end === undefined) return;
    last = Number(end.id);
  }
};

const setAddress = (db: MigrationDatabase, id: number, email: string, canonical: string) =>
  sql`update users set email = ${email}, email_canonical = ${canonical} where id = ${id}`.execute(db);

const notAscii = sql<boolean>`octet_length(email) <> length(email)`;

/**
 * Domains are compared by their A-labels, local parts without folding letters into others. An address that was stored
 * in a form to which no mail goes as it is written (`ｍike@…`) is kept, and no longer found: its mailbox is not known.
 * So is the later one of two spellings of one address.
 */
export const addresses: Migration = {
  up: async (db) => {
    // First, so that no form of before is in the way of another user's.
    await usersWith(db, notAscii, ({ id, email }) => setAddress(db, id, email, noAddress().emailCanonical));
    await usersWith(db, notAscii, async ({ id, email }) => {
      const address = addressOf(email);
      if (address === undefined || !isExactAddress(email)) return;
      const canonical = canonicalAddress(email);
      const { rows } = await sql`select id from users where email_canonical = ${canonical}`.execute(db);
      if (rows.length === 0) await setAddress(db, id, address, canonical);
    });
    // Links under way, whose forms of before would be stored.
    await sql`delete from gatewright_account_links
      where octet_length(account) <> length(account) or octet_length(canonical) <> length(canonical)`.execute(
      db,
    );
  },
};
