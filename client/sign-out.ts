import type { Authenticator } from './authenticator.ts';
import { GatewrightError } from './error.ts';
import type { RequestOptions, Transport } from './transport.ts';

/** Forgets the credentials of a client, and revokes the token among them. A long sign-in ends, also after its token. */
export const signOut = async (
  send: Transport['send'],
  authenticator: Authenticator,
  options: RequestOptions = {},
): Promise<void> => {
  const { headers, renew } = await authenticator.forget();
  /** False if the token is expired or revoked already. */
  const revoke = async (by: Readonly<Record<string, string>> = {}): Promise<boolean> => {
    if (Object.keys(by).length === 0) return false;
    try {
      await send('POST', '/api/v1/auth/logout', { ...options, headers: by, anonymous: true });
      return true;
    } catch (error) {
      if (error instanceof GatewrightError && error.status === 401) return false;
      throw error;
    }
  };
  if (!(await revoke(headers))) await revoke(await renew?.());
};
