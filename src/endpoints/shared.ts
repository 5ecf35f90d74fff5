import type { UserPrincipal } from '../auth/method.ts';
import type { Call } from '../http/endpoint.ts';
import { Problem } from '../kernel/problem.ts';
import type { Actor } from '../store/tables/audit.ts';

/** Who changes something, for the audit list. */
export const actorOf = (call: Call): Actor => ({ principal: call.principal, address: call.address });

/** The id in a path. What is no id names no record. @throws Problem `record_not_found` */
export const idOf = (call: Call, name = 'id'): number => {
  const text = call.params[name] ?? '';
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw new Problem('record_not_found');
  return id;
};

/** The user behind a call. The policies of the endpoints that ask for it let nobody else in. */
export const userOf = (call: Call): UserPrincipal => {
  if (call.principal.kind !== 'user') throw new Problem('forbidden');
  return call.principal;
};
