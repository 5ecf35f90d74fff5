import { Problem } from '../kernel/problem.ts';
import type { Tokens } from './jwt.ts';
import { type AuthMethod, type AuthOutcome, absent } from './method.ts';
import type { IdentityStore } from './ports.ts';
import { userPrincipal } from './user-principal.ts';

/** WWW-Authenticate of whatever a token would open, the login included (RFC 6750, 3). */
export const bearerChallenge = 'Bearer realm="gatewright"';

/** The scheme as the contract writes it, one space; other spellings are refused, not guessed at. */
const scheme = 'Bearer ';

const rejected = (): AuthOutcome => ({ kind: 'rejected', problem: new Problem('invalid_token') });

/**
 * `Authorization: Bearer <token>`, for `jwt` and `bearer` alike. A header that is there but holds anything else is
 * rejected: a caller who tried to sign in never goes on as a guest.
 */
export const createBearerMethod = (tokens: Tokens, identities: IdentityStore): AuthMethod => {
  /** The token names the user; whether they still exist and what they may do, the database says at every request. */
  const identify = async (userId: number, models: readonly string[]): Promise<AuthOutcome> => {
    const identity = await identities.byUserId(userId, models);
    return identity === undefined
      ? rejected()
      : { kind: 'principal', principal: userPrincipal(identity, 'jwt') };
  };
  return {
    name: 'jwt',
    challenge: bearerChallenge,
    schemes: { bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    authenticate(request) {
      const header = request.header('authorization');
      if (header === undefined) return absent;
      const claims = header.startsWith(scheme) ? tokens.verify(header.slice(scheme.length)) : undefined;
      return claims === undefined ? rejected() : identify(claims.userId, request.models);
    },
  };
};
