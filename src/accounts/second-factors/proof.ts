import { toQuery } from '../../database/statement.ts';
import type { Change } from '../../ledger/context.ts';

/** A verified second factor, with the part that makes it valid only once. */
export type Proof =
  | { readonly by: 'totp'; readonly step: number }
  | { readonly by: 'recovery_code'; readonly hash: string }
  | { readonly by: 'passkey'; readonly id: number; readonly counter: number };

/**
 * Uses a proof up; false when it was used before. Each case is one statement, so that of two callers with the same
 * proof only one succeeds.
 */
export const consumeProof = async (
  { transaction, tables, at }: Change,
  userId: number,
  proof: Proof,
): Promise<boolean> => {
  switch (proof.by) {
    case 'totp': {
      const used = tables
        .updateTable('gatewright_totp')
        .set({ last_step: proof.step, last_used_at: at })
        .where('user_id', '=', userId)
        .where('last_step', '<', proof.step);
      return (await transaction.run(toQuery(used))) > 0;
    }
    case 'recovery_code': {
      const used = tables
        .deleteFrom('gatewright_recovery_codes')
        .where('user_id', '=', userId)
        .where('code_hash', '=', proof.hash);
      return (await transaction.run(toQuery(used))) > 0;
    }
    case 'passkey': {
      const used = tables
        .updateTable('gatewright_passkeys')
        .set({ counter: proof.counter, last_used_at: at })
        .where('id', '=', proof.id)
        .where('user_id', '=', userId)
        // An authenticator without a counter always sends zero (WebAuthn, 6.1.1).
        .where('counter', proof.counter === 0 ? '=' : '<', proof.counter);
      return (await transaction.run(toQuery(used))) > 0;
    }
  }
};
