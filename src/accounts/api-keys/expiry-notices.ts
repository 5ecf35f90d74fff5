/** Audit lines about keys of service accounts that expire within 14 days, one for each key and expiry. */

import { timeText } from '../../database/source.ts';
import { literal, own, sql, statement } from '../../database/statement.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { createCommands } from '../../ledger/command.ts';
import type { TableContext } from '../../ledger/context.ts';

/** Milliseconds before the expiry of a key from which on the owner of its service account is notified. */
const noticeMs = 14 * 24 * 3_600_000;

/** Keys of one transaction at most. */
const maxNotices = 200;

/** A key of a service account that expires soon. */
export interface ExpiringKey {
  readonly id: number;
  readonly name: string;
  readonly expires_at: string;
  readonly user_id: number;
  readonly username: string;
  /** Null once the owner was deleted. */
  readonly owner_id: number | null;
  readonly owner_name: string | null;
}

/**
 * Writes a line of the audit log for each key of a service account that expires within 14 days: once for each key and
 * expiry, whichever instances call it. The row of the key says for which expiry there is a line; it changes in the
 * transaction of the line, so that neither exists without the other. Returns the keys for the log.
 * @param now time by a clock that does not leap ahead
 */
export const notifyOfExpiry = async (
  { database }: Pick<TableContext, 'database'>,
  now: number,
): Promise<readonly ExpiringKey[]> => {
  const { dialect } = database;
  const mark = statement<{ now: string; end: string }>(dialect, (value) => {
    const time = (name: 'now' | 'end') => dialect.cast(value(name), 'timestamp');
    const due = sql`expires_at > ${time('now')} and expires_at <= ${time('end')}
      and (notified_expires_at is null or notified_expires_at <> expires_at)
      and user_id in (select id from ${own('users')} where kind = 'service')`;
    return sql`update ${own('api_keys')} set notified_expires_at = expires_at
      where id in (select id from ${own('api_keys')} where ${due} order by id limit ${literal(maxNotices)}) and ${due}
      returning id, name, ${timeText(dialect, sql`expires_at`)} as expires_at, user_id,
        (select u.username from ${own('users')} u where u.id = user_id) as username,
        (select u.owner_id from ${own('users')} u where u.id = user_id) as owner_id,
        (select o.username from ${own('users')} u join ${own('users')} o on o.id = u.owner_id where u.id = user_id) as owner_name`;
  });
  const query = mark({ now: toTimestamp(now), end: toTimestamp(now + noticeMs) });
  // A line of the audit log has the time at which it is written, by the same clock.
  const change = createCommands({ database, clock: () => now });
  const notified: ExpiringKey[] = [];
  for (;;) {
    const keys = await change({ principal: 'service', address: null }, async ({ transaction }) => {
      const marked = await transaction.all<ExpiringKey>(query);
      const audit = marked.map(({ id, name, ...detail }) => ({
        action: 'key.expiring',
        target: { kind: 'api_key', id, name },
        detail,
      }));
      return { audit, result: marked };
    });
    notified.push(...keys);
    if (keys.length < maxNotices) return notified;
  }
};
