import { networkOf } from './client-network.ts';
import type { Principal } from './principal.ts';

/**
 * The identity by which limits count a caller: `user:5` for all credentials of a user, `app:shop`, or, for an anonymous
 * caller, the network of the address: `net:203.0.113.9`, `net:2001:db8:0:1::/64`.
 */
export const callerOf = (principal: Principal, address: string): string => {
  if (principal.kind === 'user') return `user:${principal.id}`;
  return principal.kind === 'application' ? `app:${principal.appId}` : `net:${networkOf(address)}`;
};
