import { tokenLifetime } from '../auth/jwt.ts';
import { accountLinkLifetime, invitationLifetime } from '../auth/link-token.ts';
import { throttleWindow } from '../auth/login-throttle.ts';
import { reservationLifetime } from '../auth/ports.ts';
import { ticketLifetime } from '../auth/sign-in-ticket.ts';
import { totpPeriod } from '../auth/totp.ts';
import { clockSlackMs, type TimeBound } from '../database/mend-times.ts';
import { sql } from '../database/statement.ts';
import { longestRetryMs, workerTimes } from '../jobs/worker.ts';
import { maxOverlapSeconds } from '../service/overlap.ts';
import { setupLifetime } from '../service/second-factors/factor-setups.ts';
import { providerCodeLifetime } from '../service/users/linked-accounts.ts';
import { maxRetryAfterMs, runnerTimes } from '../webhooks/runner.ts';

const seconds = (count: number): number => count * 1_000;

/** A stored time on which a decision depends, and the effect of a clock that was wrong when it was written. */
export interface StoredTime {
  /** `table.column`, or another place. */
  readonly place: string;
  readonly decides: string;
  /** How far in the future it may be, in words. */
  readonly most: string;
  readonly wasAhead: string;
  readonly wasBehind: string;
  /** Absent where another part of the service checks it, or where no check is needed. */
  readonly bound?: TimeBound;
}

type Described = Omit<StoredTime, 'place' | 'most' | 'bound'>;

const words = (milliseconds: number): string => {
  const [unit, count] = (
    [
      ['d', milliseconds / 86_400_000],
      ['h', milliseconds / 3_600_000],
      ['min', milliseconds / 60_000],
      ['s', milliseconds / 1_000],
    ] as const
  ).find(([, many]) => many >= 1 && Number.isInteger(many)) ?? ['s', 0];
  return count === 0 ? 'now' : `${count} ${unit}`;
};

const bounded = (bound: TimeBound, described: Described): StoredTime => ({
  ...described,
  place: `${bound.table}.${bound.column}`,
  most: words(bound.mostMs),
  bound,
});

/** A time by which old rows are removed, with the clock for removals (`ServiceClock`). */
const kept = (place: string, what: string, days: string): StoredTime => ({
  place,
  decides: `how long ${what} kept: ${days}`,
  most: 'now',
  wasAhead: 'kept longer by as much',
  wasBehind: 'removed sooner by as much',
});

const waiting = sql`state = 'waiting'`;
const now = { aheadMs: 0 } as const;

/** Every stored time on which a decision depends. Those that are only displayed are in `shownTimes`. */
export const storedTimes: readonly StoredTime[] = [
  bounded(
    {
      ...{ table: 'gatewright_jobs', column: 'available_at', clock: 'database', of: sql`state = 'running'` },
      mostMs: workerTimes.lease,
      set: now,
    },
    {
      decides: 'how long a job that runs is left to its process',
      wasAhead: 'ends now: the job runs elsewhere, and can be repeated and deleted',
      wasBehind: 'ends sooner: the process extends it, or another one takes the job',
    },
  ),
  bounded(
    {
      ...{ table: 'gatewright_jobs', column: 'available_at', clock: 'database', of: waiting },
      mostMs: longestRetryMs,
      // A job that has never begun may wait for any time that the application has chosen.
      found: (ahead) => sql`started_at is not null and available_at > ${ahead(clockSlackMs)}
        and (available_at > ${ahead(longestRetryMs + clockSlackMs)} or started_at > ${ahead(clockSlackMs)})`,
      set: now,
    },
    { decides: 'when a failed job is tried again', wasAhead: 'tried now', wasBehind: 'tried sooner' },
  ),
  bounded(
    {
      ...{ table: 'gatewright_jobs', column: 'available_at', clock: 'database', of: waiting, mostMs: 0 },
      found: (ahead) => sql`created_at > ${ahead(clockSlackMs)} and available_at > ${ahead(clockSlackMs)}
        and available_at <= created_at`,
      set: now,
    },
    {
      decides: 'when a job runs that was added without a time',
      wasAhead: 'runs now; a time that the application gave (`at`) stays',
      wasBehind: 'runs now',
    },
  ),
  {
    place: 'gatewright_schedules.ticked_at',
    decides: 'which ticks of a recurring job are still to come',
    most: 'the next tick',
    wasAhead: 'set to now where it lies behind the next tick; the log names the job',
    wasBehind: 'one tick for all that passed',
  },
  bounded(
    {
      ...{ table: 'gatewright_webhooks', column: 'lane_until', clock: 'database' },
      mostMs: Math.max(runnerTimes.leaseMs, runnerTimes.rest),
      set: now,
    },
    {
      decides: 'how long a webhook is left to the process that sends, or rests after failures',
      wasAhead: 'ends now',
      wasBehind: 'ends sooner',
    },
  ),
  bounded(
    {
      ...{ table: 'gatewright_deliveries', column: 'next_at', clock: 'database' },
      ...{ of: sql`claim is not null`, mostMs: runnerTimes.leaseMs, set: now },
    },
    {
      decides: 'how long a delivery that is being sent is left to its process',
      wasAhead: 'sent again now',
      wasBehind: 'sent again sooner',
    },
  ),
  bounded(
    {
      ...{ table: 'gatewright_deliveries', column: 'next_at', clock: 'database' },
      mostMs: maxRetryAfterMs,
      found: (ahead) => sql`next_at > ${ahead(clockSlackMs)}
        and (next_at > ${ahead(maxRetryAfterMs + clockSlackMs)} or attempted_at > ${ahead(clockSlackMs)})`,
      set: now,
    },
    { decides: 'when a delivery is sent (again)', wasAhead: 'sent now', wasBehind: 'sent sooner' },
  ),
  bounded(
    {
      ...{ table: 'gatewright_webhooks', column: 'previous_until', clock: 'service' },
      ...{ mostMs: seconds(maxOverlapSeconds), set: now },
    },
    {
      decides: 'how long the previous secret signs beside the new one',
      wasAhead: 'ends now',
      wasBehind: 'ends sooner by as much',
    },
  ),
  bounded(
    {
      ...{ table: 'login_attempts', column: 'window_started', clock: 'service', unitMs: 1 },
      ...{ mostMs: 0, set: now },
    },
    {
      decides: `which failed sign-ins still count, and how long a lock lasts: ${words(throttleWindow)}`,
      wasAhead: 'the window begins now; `Retry-After` is never longer than it',
      wasBehind: 'the window ends sooner by as much',
    },
  ),
  bounded(
    {
      ...{ table: 'login_attempts', column: 'pending_until', clock: 'service', unitMs: 1 },
      ...{ mostMs: reservationLifetime, set: now },
    },
    {
      decides: 'how long sign-ins of a process that is gone still count as under way',
      wasAhead: 'ends now',
      wasBehind: 'ends sooner',
    },
  ),
  bounded(
    { table: 'sessions', column: 'created_at', clock: 'service', mostMs: 0 },
    {
      decides: 'how long a session lives',
      wasAhead: 'the session ends',
      wasBehind: 'it ends sooner by as much',
    },
  ),
  bounded(
    { table: 'sessions', column: 'last_used_at', clock: 'service', mostMs: 0, set: now },
    {
      decides: 'when an unused session ends',
      wasAhead: 'counts as used now',
      wasBehind: 'ends sooner by as much, unless it is used',
    },
  ),
  bounded(
    {
      ...{ table: 'gatewright_sign_in_tickets', column: 'expires_at', clock: 'service' },
      mostMs: seconds(ticketLifetime),
    },
    {
      decides: 'how long the second factor is awaited',
      wasAhead: 'the ticket ends',
      wasBehind: 'ends sooner',
    },
  ),
  bounded(
    {
      ...{ table: 'gatewright_factor_setups', column: 'expires_at', clock: 'service' },
      mostMs: seconds(setupLifetime),
    },
    {
      decides: 'how long a second factor can be set up',
      wasAhead: 'the setup is over',
      wasBehind: 'ends sooner',
    },
  ),
  bounded(
    {
      ...{ table: 'gatewright_invitations', column: 'expires_at', clock: 'service' },
      ...{ of: sql`ended_at is null`, mostMs: seconds(invitationLifetime) },
      set: { column: 'ended_at', aheadMs: 0 },
    },
    { decides: 'how long a link is good', wasAhead: 'the link is over', wasBehind: 'ends sooner by as much' },
  ),
  bounded(
    {
      ...{ table: 'gatewright_account_links', column: 'expires_at', clock: 'service' },
      mostMs: seconds(accountLinkLifetime),
    },
    {
      decides: 'how long a link that was sent by mail is valid',
      wasAhead: 'the link is over',
      wasBehind: 'ends sooner by as much',
    },
  ),
  bounded(
    {
      ...{ table: 'gatewright_account_links', column: 'created_at', clock: 'service' },
      mostMs: 0,
    },
    {
      decides: 'when a request without a link is removed',
      wasAhead: 'the request is over',
      wasBehind: 'is removed sooner by as much',
    },
  ),
  bounded(
    {
      ...{ table: 'gatewright_sign_in_codes', column: 'expires_at', clock: 'service' },
      mostMs: seconds(providerCodeLifetime),
    },
    {
      decides: 'how long the one-time code of a sign-in is valid',
      wasAhead: 'the code is over',
      wasBehind: 'ends sooner by as much',
    },
  ),
  bounded(
    {
      ...{ table: 'gatewright_totp', column: 'last_step', clock: 'service', unitMs: seconds(totpPeriod) },
      mostMs: seconds(totpPeriod),
      set: { aheadMs: seconds(totpPeriod) },
    },
    {
      decides: 'up to which one codes of an authenticator are used up',
      wasAhead: 'codes from the next minute on are taken',
      wasBehind: 'nothing: a code is taken once',
    },
  ),
  bounded(
    {
      ...{ table: 'api_keys', column: 'last_used_at', clock: 'service', mostMs: 0, set: now },
      // The expression of the index.
      found: (ahead) => sql`coalesce(last_used_at, created_at) > ${ahead(clockSlackMs)}
        and last_used_at > ${ahead(clockSlackMs)}`,
    },
    {
      decides: 'which keys count as unused',
      wasAhead: 'counts as used now',
      wasBehind: 'the next use corrects it',
    },
  ),
  bounded(
    { table: 'api_keys', column: 'secret_used_at', clock: 'service', mostMs: 0, set: now },
    {
      decides: 'whether the new secret of a rotated key is in use',
      wasAhead: 'counts as used now',
      wasBehind: 'the next use corrects it',
    },
  ),
  bounded(
    {
      ...{ table: 'gatewright_former_secrets', column: 'ends_at', clock: 'service', set: now },
      mostMs: seconds(maxOverlapSeconds),
      // The overlap is no longer than the time since the replacement allows, whatever the clock said then.
      found: (ahead) => sql`ends_at > ${ahead(clockSlackMs)}
        and (ends_at > ${ahead(seconds(maxOverlapSeconds) + clockSlackMs)} or replaced_at > ${ahead(clockSlackMs)})`,
    },
    {
      decides: 'how long the replaced secret of a key works beside the new one',
      wasAhead: 'ends now',
      wasBehind: 'ends sooner by as much',
    },
  ),
  bounded(
    { table: 'gatewright_former_secrets', column: 'last_used_at', clock: 'service', mostMs: 0, set: now },
    {
      decides: 'whether the replaced secret of a key is still in use',
      wasAhead: 'counts as used now',
      wasBehind: 'the next use corrects it',
    },
  ),
  bounded(
    { table: 'application_usage', column: 'last_used_at', clock: 'service', mostMs: 0, set: now },
    {
      decides: 'when an application was last seen; an earlier use does not replace it',
      wasAhead: 'counts as used now',
      wasBehind: 'the next use corrects it',
    },
  ),
  {
    place: 'api_keys.expires_at',
    decides: 'when a key ends',
    most: 'any: chosen by a person',
    wasAhead: 'stays: it is an absolute time',
    wasBehind: 'stays',
  },
  {
    place: '`exp` of a token',
    decides: 'when a token ends',
    most: words(seconds(tokenLifetime)),
    wasAhead: 'ends later by as much: any `exp` in the future is good; a new `jwt_secret` ends it',
    wasBehind: 'ends sooner by as much',
  },
  {
    place: '`X-Timestamp` of a signed request',
    decides: 'whether a signature is fresh',
    most: '5 min',
    wasAhead: 'refused, as the contract says',
    wasBehind: 'refused, as the contract says',
  },
  {
    place: '`created` of an HTTP message signature',
    decides: 'whether a signature is fresh, and how long its nonce is kept: `gatewright_nonces.expiry`',
    most: '5 min',
    wasAhead: 'refused',
    wasBehind: 'refused',
  },
  {
    place: '`until` of a replaced application key, in the credentials',
    decides: 'how long it still signs',
    most: 'any: chosen with `--grace`',
    wasAhead: 'stays longer by as much; `app rotate` without a grace ends it',
    wasBehind: 'ends sooner by as much',
  },
  {
    place: 'gatewright_database.clock_at',
    decides: 'whether time has leapt while the service was stopped',
    most: 'now',
    wasAhead: 'set to now; stored times are checked',
    wasBehind: 'removals lag by as much for a day',
  },
  {
    place: 'gatewright_buckets.full_at',
    decides: 'how many requests the bucket of a limit has; by the clock of the database',
    most: 'the time in which the stored bucket fills twice; of a quota, no time but a count',
    wasAhead: 'counts as full',
    wasBehind: 'fills sooner by as much',
  },
  kept('gatewright_buckets.expires_at', 'full buckets, and quotas of former months, are', '1 hour'),
  kept('idempotency_keys.created_at', 'the answer to an `Idempotency-Key` is', '24 h'),
  kept('gatewright_trash.deleted_at', 'deleted records are', '`TRASH_DAYS`'),
  kept('gatewright_history.at', 'versions of records before the latest are', '`HISTORY_DAYS`'),
  kept('gatewright_events.at', 'events are', '30 days'),
  kept('gatewright_event_inbox.at', 'events that have no number yet are', 'until they have one'),
  kept('gatewright_deliveries.created_at', 'ended deliveries are', '30 days'),
  kept('audit.created_at', 'security events are', '90 days'),
  kept('gatewright_key_networks.first_used_at', 'networks of keys are', '90 days'),
  kept('gatewright_revoked_keys.revoked_at', 'names of revoked keys are', '90 days'),
  {
    place: 'api_keys.notified_expires_at',
    decides: 'whether the owner of a service account has been notified that its key expires',
    most: 'any: the expiry of the key',
    wasAhead: 'notified sooner, and once: like removals, it waits for a day after a leap of the clock',
    wasBehind: 'notified later by as much',
  },
  kept('`gatewright_former_secrets.ends_at`', 'replaced secrets of keys are', '90 days'),
  kept('gatewright_refusals.refused_at', 'refused requests are', '24 h'),
  kept('gatewright_key_usage.day', 'use of keys by the day is', '31 days'),
  kept('gatewright_key_uses.day', 'scopes used by keys by the day are', '31 days'),
  kept('gatewright_route_times.hour', 'times of routes are', '24 hours'),
  kept('request_counts.hour', 'counted requests are', '31 days'),
  kept('sign_in_failures.hour', 'counted failures of sign-ins are', '31 days'),
];

/** Times that are only displayed. */
export const shownTimes: readonly string[] = [
  ...['users.created_at', 'users.updated_at', 'roles.created_at', 'permissions.created_at'],
  ...['api_keys.rotated_at', 'gatewright_former_secrets.replaced_at'],
  ...['api_keys.created_at', 'payments.created_at', 'gatewright_seen_credentials.seen_at'],
  ...['gatewright_database.checked_at', 'gatewright_import_places.changed_at'],
  ...['gatewright_jobs.created_at', 'gatewright_jobs.started_at', 'gatewright_jobs.failed_at'],
  ...['gatewright_webhooks.disabled_at', 'gatewright_webhooks.created_at', 'gatewright_webhooks.updated_at'],
  ...['gatewright_deliveries.attempted_at', 'gatewright_deliveries.ended_at'],
  ...['gatewright_invitations.created_at', 'gatewright_invitations.used_at'],
  ...['gatewright_invitations.ended_at', 'gatewright_refusals.first_at'],
  ...['gatewright_views.created_at', 'gatewright_views.updated_at'],
  ...['gatewright_totp.created_at', 'gatewright_totp.last_used_at'],
  ...['gatewright_passkeys.created_at', 'gatewright_passkeys.last_used_at'],
  ...['gatewright_linked_accounts.created_at', 'gatewright_linked_accounts.last_used_at'],
  'gatewright_recovery_codes.created_at',
  'gatewright_database.backed_up_at',
  'gatewright_schedules.paused_at',
  'gatewright_key_calls.last_at',
];

/** The times that are checked against their bound in the tables. */
export const timeBounds: readonly TimeBound[] = storedTimes.flatMap(({ bound }) =>
  bound === undefined ? [] : [bound],
);
