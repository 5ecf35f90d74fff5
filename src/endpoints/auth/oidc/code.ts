import { loginFailed } from '../../../auth/login.ts';
import type { Services } from '../../services.ts';
import type { SignedIn } from '../sign-in.ts';

/**
 * The user of a one-time code, which stays valid until it is used. A second factor that the provider has proved counts
 * as given. @throws Problem `login_failed`
 */
export const signedInByCode = async (
  { linkedAccounts, identities }: Pick<Services, 'linkedAccounts' | 'identities'>,
  code: string,
): Promise<Pick<SignedIn, 'verified' | 'user'>> => {
  const found = await linkedAccounts.findCode(code);
  const user = found && (await identities.byUserId(found.user.id, []));
  if (found === undefined || user === undefined) throw loginFailed();
  return { verified: found.user, user: found.secondFactor ? { ...user, secondFactor: 'given' } : user };
};
