import type { Tokens } from '../../auth/jwt.ts';
import { tokenLifetime } from '../../auth/jwt.ts';
import { tokenOf } from '../../auth/registry.ts';
import type { Call } from '../../http/endpoint.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Problem } from '../../kernel/problem.ts';
import type { UserProof } from './store.ts';

/**
 * Seconds for which a sign-in proves as much as the password.
 * @limit Accounts and credentials | a sign-in in place of the password | s | 403
 */
export const freshSignInLifetime = 300;

/** The lifetime in the texts. */
export const freshMinutes = freshSignInLifetime / 60;

/** The problem of a request that needs a sign-in of the last minutes. */
export const signInTooOld = (): Problem =>
  new Problem('recent_sign_in_required', { params: { minutes: freshMinutes } });

/** Seconds by which the clock of the instance that issued a token may be ahead. */
const clockSlack = 60;

/**
 * The proof of a token that a sign-in issued in the last minutes; undefined for any other token. A token of a session,
 * of code or of a renewal proves nothing: the database knows the last token that a sign-in issued.
 */
export const freshSignIn = (
  { tokens, clock }: { readonly tokens: Tokens; readonly clock: Clock },
  call: Pick<Call, 'header'>,
): UserProof | undefined => {
  const claims = tokens.verify(tokenOf(call) ?? '');
  if (claims === undefined || claims.sessionId !== undefined) return undefined;
  const age = clock() / 1000 - (claims.exp - tokenLifetime);
  if (age > freshSignInLifetime || age < -clockSlack) return undefined;
  return (eb) =>
    eb.and([
      eb('id', '=', claims.userId),
      eb('sign_in_expiry', '=', claims.exp),
      eb('disabled', '=', false),
      // A sign-out, a new password or a disabling since has revoked the token.
      eb.or([eb('revoked_token_expiry', 'is', null), eb('revoked_token_expiry', '<', claims.exp)]),
    ]);
};
