import type { Clock } from '../kernel/clock.ts';
import { createApiKeyMethod } from './api-key.ts';
import { createBearerMethod } from './bearer.ts';
import type { Tokens } from './jwt.ts';
import type { AuthMethod, AuthMethodName } from './method.ts';
import type { ApplicationSecrets, IdentityStore, UsageRecorder } from './ports.ts';
import { createSessionMethod, type SessionCookies } from './session.ts';
import { createSignatureMethod } from './signature.ts';

export interface AuthDependencies {
  readonly tokens: Tokens;
  readonly cookies: SessionCookies;
  readonly identities: IdentityStore;
  readonly applications: ApplicationSecrets;
  readonly usage: UsageRecorder;
  readonly clock: Clock;
}

/** Every authentication method, a line each. `bearer` is `jwt` itself, so that listing both verifies once. */
export const createAuthMethods = (
  dependencies: AuthDependencies,
): Readonly<Record<AuthMethodName, AuthMethod>> => {
  const token = createBearerMethod(dependencies.tokens, dependencies.identities);
  return {
    jwt: token,
    bearer: token,
    api_key: createApiKeyMethod(dependencies),
    signature: createSignatureMethod(dependencies),
    session: createSessionMethod(dependencies),
  };
};
