import { sql } from 'kysely';
import { noAddress } from '../../auth/address.ts';
import type { Migration } from './migration.ts';
import { ownStep } from './own-step.ts';
import { ownWords } from './own-words.ts';

/**
 * Users of a provider whose address belongs to another user have none, in place of an invented one. Whether theirs was
 * taken or not verified was not recorded.
 */
export const takenAddresses: Migration = ownStep(async (db, dialect) => {
  const t = ownWords(dialect);
  await sql`alter table gatewright_linked_accounts
    add column email_taken ${t.boolean} not null default ${t.off}`.execute(db);
  const { rows } = await sql<{ id: number; email: string }>`select id, email from users
    where email_canonical like '%@provider.invalid'`.execute(db);
  for (const { id } of rows.filter(({ email }) => /^[0-9a-f]{16}@provider\.invalid$/.test(email))) {
    const { email, emailCanonical } = noAddress();
    await sql`update users set email = ${email}, email_canonical = ${emailCanonical} where id = ${id}`.execute(
      db,
    );
  }
});
