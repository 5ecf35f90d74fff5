import type { Client, ClientConfig } from 'pg';
import type { Reader } from '../database.ts';

export interface SessionLimits {
  /** Longest run of one statement, in milliseconds; 0 for no bound. */
  readonly statementTimeout: number;
  /** Longest pause inside a transaction, in milliseconds; 0 for no bound. */
  readonly idleTimeout: number;
  /** Longest wait for a lock, in milliseconds; 0 for no bound. */
  readonly lockTimeout: number;
}

/** How long to wait for a connection, free or new, in milliseconds. */
export const connectionTimeout = 4_000;

/** The settings that results depend on. */
const meaning = { TimeZone: 'UTC', DateStyle: 'ISO' } as const;

const settingsOf = (limits: SessionLimits): Readonly<Record<string, string | number>> => ({
  ...meaning,
  client_min_messages: 'warning',
  statement_timeout: limits.statementTimeout,
  lock_timeout: limits.lockTimeout,
  idle_in_transaction_session_timeout: limits.idleTimeout,
});

/**
 * Behind a pooler that ignores what a session asks for (`ignore_startup_parameters = options`), all of it is the
 * role's.
 * @throws Error that names the setting to change, where results would mean something else; and what the database throws
 */
export const assertSessionSettings = async (database: Reader): Promise<void> => {
  const sql = `select current_setting('TimeZone') as zone, current_setting('DateStyle') as style`;
  const row = await database.get<{ zone: string; style: string }>({ sql, parameters: [] });
  if (row?.zone === meaning.TimeZone && row.style.startsWith(meaning.DateStyle)) return;
  const settings = Object.entries(meaning).map(([name, value]) => `alter role … set ${name} = '${value}'`);
  throw new Error(
    `The pooler of PostgreSQL passes no settings on, and the role has others: ${settings.join('; ')}`,
  );
};

/**
 * The configuration that all sessions have in common, whatever the settings of the server or the role. It travels in
 * the start-up packet: no session is ever used without it, and no round trip is spent. `options` of the URL are kept,
 * ours win.
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

/** Refuses new sessions with any server that did not start at this time, since one name may lead to several servers. */
export const startedAt =
  (time: string) =>
  (client: Pick<Client, 'query'>, done: (error?: Error) => void): void => {
    const refuse = (): void => done(new Error(`the server behind the name is another one than at ${time}`));
    client
      .query<{ started: string }>('select pg_postmaster_start_time()::text as started')
      .then(({ rows }) => (rows[0]?.started === time ? done() : refuse()), done);
  };
