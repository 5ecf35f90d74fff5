import type { ClientConfig } from 'pg';

export interface SessionLimits {
  /** Longest run of one statement, in milliseconds; 0 for no bound. */
  readonly statementTimeout: number;
  /** Longest pause inside a transaction, in milliseconds; 0 for no bound. */
  readonly idleTimeout: number;
  /** Longest wait for a lock, in milliseconds; 0 for no bound. */
  readonly lockTimeout: number;
}

/** How long to wait for a connection, free or new, in milliseconds. */
export const connectionTimeout = 5_000;

const settingsOf = (limits: SessionLimits): Readonly<Record<string, string | number>> => ({
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  client_min_messages: 'warning',
  statement_timeout: limits.statementTimeout,
  lock_timeout: limits.lockTimeout,
  idle_in_transaction_session_timeout: limits.idleTimeout,
});

/**
 * What every session has in common, whatever the settings of the server or the role. It travels in the start-up
 * packet: no session is ever used without it, and no round trip is spent. `options` of the URL are kept, ours win.
 */
export const sessionSettings = (url: string, limits: SessionLimits): ClientConfig => {
  const target = new URL(url);
  const own = target.searchParams.get('options') ?? '';
  target.searchParams.delete('options');
  const settings = Object.entries(settingsOf(limits)).map(([name, value]) => `-c ${name}=${value}`);
  return {
    connectionString: target.href,
    options: [own, ...settings].join(' ').trim(),
    fallback_application_name: 'gatewright',
    connectionTimeoutMillis: connectionTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
};
