/**
 * Entries of the audit log: their actor, their target, and the insert that belongs to the transaction of the change.
 */

import type { Principal } from '../auth/principal.ts';
import type { Query, Transaction } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import { identifier, join, type Statement, sql, statement, tableName } from '../database/statement.ts';
import { toTimestamp } from '../kernel/clock.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { Locale } from '../kernel/messages.ts';

/** The originator of a change and the address of the request. */
export interface Actor {
  readonly principal: Principal | 'application' | 'command line' | 'first start' | 'service';
  readonly address: string | null;
  /** Reason for which code of the application acts for the system, past the rights of the principal. */
  readonly reason?: string;
  /** Language of its request, for messages to users. */
  readonly language?: Locale;
}

export interface AuditEntry {
  /** `user.create`, `key.delete`, `permission.grant`, … */
  readonly action: string;
  readonly target: {
    readonly kind: string;
    readonly id: string | number | null;
    readonly name: string | null;
  };
  /** The changed values; never a secret. */
  readonly detail?: JsonObject | undefined;
}

/** Columns of the actor, as the audit log shows them. */
export interface AuditActor {
  readonly actor_kind: string;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
}

/** Returns the columns of an actor. */
export const auditActorOf = ({ principal }: Actor): AuditActor => {
  if (typeof principal === 'string') return { actor_kind: principal, actor_id: null, actor_name: null };
  if (principal.kind === 'user')
    return { actor_kind: 'user', actor_id: String(principal.id), actor_name: principal.username };
  const id = principal.kind === 'application' ? principal.appId : null;
  return { actor_kind: principal.kind, actor_id: id, actor_name: id };
};

type AuditLine = Readonly<Record<(typeof columns)[number], string | null>>;

const columns = [
  'created_at',
  'actor_kind',
  'actor_id',
  'actor_name',
  'address',
  'action',
  'target_kind',
  'target_id',
  'target_name',
  'detail',
] as const;

const inserts = new Map<Dialect, Statement<AuditLine>>();

const insertFor = (dialect: Dialect): Statement<AuditLine> => {
  const known = inserts.get(dialect);
  if (known !== undefined) return known;
  const made = statement<AuditLine>(dialect, (value) => {
    const names = join(columns.map((column) => identifier(column)));
    return sql`insert into ${tableName('audit')} (${names}) values (${join(columns.map((column) => value(column)))})`;
  });
  inserts.set(dialect, made);
  return made;
};

/** Returns the query that inserts a line of the audit log for a change at `now`. */
export const auditQuery = (
  dialect: Dialect,
  now: number,
  actor: AuditActor & Pick<Actor, 'address'>,
  { action, target, detail = {} }: AuditEntry,
): Query =>
  insertFor(dialect)({
    created_at: toTimestamp(now),
    ...actor,
    action,
    target_kind: target.kind,
    target_id: target.id === null ? null : String(target.id),
    target_name: target.name,
    detail: JSON.stringify(detail),
  });

/** Writes a line of the audit log in the transaction of the change, so that neither exists without the other. */
export const recordAudit = async (
  transaction: Transaction,
  dialect: Dialect,
  now: number,
  actor: Actor,
  entry: AuditEntry,
): Promise<void> => {
  const { address, reason } = actor;
  const detail = reason === undefined ? entry.detail : { reason, ...entry.detail };
  await transaction.run(auditQuery(dialect, now, { ...auditActorOf(actor), address }, { ...entry, detail }));
};
