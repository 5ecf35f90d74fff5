import type { Principal } from '../../auth/method.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { toTimestamp } from '../../kernel/timestamp.ts';
import type { Transaction } from '../database.ts';
import type { CoreSchema } from '../schema.ts';
import { compilerFor, toQuery } from '../statement.ts';

/** Who changes something, from where. */
export interface Actor {
  readonly principal: Principal | 'command line' | 'first start';
  readonly address: string | null;
}

export interface AuditEntry {
  /** `user.create`, `key.delete`, `permission.grant`, … */
  readonly action: string;
  readonly target: {
    readonly kind: string;
    readonly id: string | number | null;
    readonly name: string | null;
  };
  /** What changed; never a secret. */
  readonly detail?: JsonObject;
}

const who = ({ principal }: Actor) => {
  if (typeof principal === 'string') return { actor_kind: principal, actor_id: null, actor_name: null };
  if (principal.kind === 'user')
    return { actor_kind: 'user', actor_id: String(principal.id), actor_name: principal.username };
  const id = principal.kind === 'application' ? principal.appId : null;
  return { actor_kind: principal.kind, actor_id: id, actor_name: id };
};

/** Writes a line of the audit list in the transaction of the change itself: neither stands without the other. */
export const recordAudit = async (
  transaction: Transaction,
  dialect: 'sqlite' | 'postgres',
  now: number,
  actor: Actor,
  entry: AuditEntry,
): Promise<void> => {
  const insert = compilerFor<CoreSchema>(dialect)
    .insertInto('audit')
    .values({
      created_at: toTimestamp(now),
      ...who(actor),
      action: entry.action,
      target_kind: entry.target.kind,
      target_id: entry.target.id === null ? null : String(entry.target.id),
      target_name: entry.target.name,
      detail: JSON.stringify(entry.detail ?? {}),
      address: actor.address,
    });
  await transaction.run(toQuery(insert));
};
