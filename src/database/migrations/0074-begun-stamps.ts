import { sql } from 'kysely';
import type { Migration } from './migration.ts';
import { ownStep } from './own-step.ts';
import { ownWords } from './own-words.ts';

/**
 * The security stamp of the user when a link was sent, an invitation was made or the setup of a factor began. Open ones
 * carry the present stamp: every raise of it has ended them so far. An instance of an older version writes none, and
 * the others accept nothing without it. The requester of a link bounds how many there are.
 */
export const begunStamps: Migration = ownStep(async (db, dialect) => {
  const t = ownWords(dialect);
  for (const table of ['gatewright_account_links', 'gatewright_invitations', 'gatewright_factor_setups'])
    await sql`alter table ${sql.table(table)} add column security_stamp ${t.integer}`.execute(db);
  await sql`alter table gatewright_account_links add column requester ${t.text}`.execute(db);
  for (const table of ['gatewright_account_links', 'gatewright_invitations'])
    await sql`update ${sql.table(table)} set security_stamp =
      (select u.security_stamp from users u where u.id = ${sql.table(table)}.user_id)`.execute(db);
  await sql`update gatewright_factor_setups set security_stamp = (select u.security_stamp from sessions s
    join users u on u.id = s.user_id where s.id = gatewright_factor_setups.session_id)`.execute(db);
});
