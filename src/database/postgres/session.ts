/** Settings of every PostgreSQL session, and the check that a pooler has not dropped those on which results depend. */

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

interface SessionSetting {
  readonly name: string;
  readonly value: string;
  /** Other values that mean the same; none unless given. */
  readonly accepts?: RegExp;
}

/**
 * The settings that results depend on. Every session sets them, whatever the server, the database and the role have.
 *
 * Not among them are settings on which no statement of the service depends (`xmlbinary`, `xmloption`, `lc_*`,
 * `default_text_search_config`, `timezone_abbreviations`), which change plans or places and no result (`enable_*`,
 * `jit`, `default_tablespace`), which are an operator's decision (`search_path`, `default_transaction_read_only`,
 * `synchronous_commit`, `row_security`), which only a superuser may set (`session_replication_role`), and
 * `client_encoding`, which the driver sets.
 */
const meaning: readonly SessionSetting[] = [
  { name: 'TimeZone', value: 'UTC' },
  // The order of day and month does not matter: every date of ours begins with its year.
  { name: 'DateStyle', value: 'ISO', accepts: /^ISO\b/ },
  // The sign of an interval that is read, and the text of one that is written.
  { name: 'IntervalStyle', value: 'postgres' },
  // Doubles are written so that they are read as the same double. From 1 on all values mean that.
  { name: 'extra_float_digits', value: '1', accepts: /^[123]$/ },
  { name: 'bytea_output', value: 'hex' },
  // A backslash in a literal is a backslash.
  { name: 'standard_conforming_strings', value: 'on' },
  // The catalogue writes names as `quoteName` expects them.
  { name: 'quote_all_identifiers', value: 'off' },
  { name: 'transform_null_equals', value: 'off' },
  { name: 'array_nulls', value: 'on' },
  // Otherwise a search finds a random part of its matches.
  { name: 'gin_fuzzy_search_limit', value: '0' },
  // A statement that waited for a lock goes on with the row as it is now.
  { name: 'default_transaction_isolation', value: 'read committed' },
  // A refused statement ends itself, not its session.
  { name: 'exit_on_error', value: 'off' },
];

const settingsOf = (limits: SessionLimits): Readonly<Record<string, string | number>> => ({
  ...Object.fromEntries(meaning.map(({ name, value }) => [name, value])),
  client_min_messages: 'warning',
  statement_timeout: limits.statementTimeout,
  lock_timeout: limits.lockTimeout,
  idle_in_transaction_session_timeout: limits.idleTimeout,
});

const heldSql = `select ${meaning
  .map(({ name }, index) => `current_setting('${name}', true) as s${index}`)
  .join(', ')}`;

type AskRow = (sql: string) => Promise<Readonly<Record<string, string | null>> | undefined>;

/**
 * Demands the settings that results depend on: a pooler may ignore what a session asks for
 * (`ignore_startup_parameters = options`), and then all of them are those of the role.
 * @throws Error that names each setting to change; and what the database throws
 */
const demandMeaning = async (ask: AskRow): Promise<void> => {
  const row = await ask(heldSql);
  const wrong = meaning.filter(({ value, accepts }, index) => {
    const held = row?.[`s${index}`];
    // The server knows no such setting.
    if (held === null) return false;
    return held === undefined || !(held === value || accepts?.test(held) === true);
  });
  if (wrong.length === 0) return;
  const settings = wrong.map(({ name, value }) => `alter role … set ${name} = '${value}'`);
  throw new Error(
    `The pooler of PostgreSQL passes no settings on, and the role has others: ${settings.join('; ')}`,
  );
};

/** @throws as `demandMeaning` */
export const assertSessionSettings = (database: Reader): Promise<void> =>
  demandMeaning((sql) => database.get({ sql, parameters: [] }));

/** Demands the settings of a single session, once it is connected. @throws as `demandMeaning` */
export const assertClientSettings = (client: Pick<Client, 'query'>): Promise<void> =>
  demandMeaning(async (sql) => (await client.query(sql)).rows[0]);

/**
 * The configuration that all sessions have in common, whatever the settings of the server or the role. It travels in
 * the start-up packet: no session is ever used without it, and no round trip is spent. `options` of the URL are kept,
 * ours win.
 */
export const sessionSettings = (url: string, limits: SessionLimits): ClientConfig => {
  const target = new URL(url);
  const own = target.searchParams.get('options') ?? '';
  target.searchParams.delete('options');
  const settings = Object.entries(settingsOf(limits)).map(
    ([name, value]) => `-c ${name}=${String(value).replaceAll(' ', '\\ ')}`,
  );
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
