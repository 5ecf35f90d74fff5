/**
 * Databases that are made on a PostgreSQL server to test an application or to verify a backup, and dropped afterwards.
 */

import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { quoteName } from '../quote.ts';
import type { TemporaryDatabase } from '../target.ts';
import { connectionTimeout } from './session.ts';

/** Why a database is made. */
interface Purpose {
  /** How the names of all databases of this purpose begin. */
  readonly prefix: string;
  /** The end of the error of a role that may not create a database, behind how to allow it. */
  readonly otherwise: string;
}

const verification: Purpose = {
  prefix: 'gatewright_verify_',
  otherwise: 'or name another server with --verify-url',
};

const testing: Purpose = {
  prefix: 'gatewright_test_',
  otherwise: 'or have DATABASE_URL name a server on which it may',
};

/** Databases of ours that no running process has made: it has a connection that is called like the database. */
const leftSql = (prefix: string): string => `select datname::text as name from pg_database d
  where datname ~ '^${prefix}[0-9a-f]{16}$' and pg_has_role(datdba, 'member')
    and not exists (select 1 from pg_stat_activity a where a.application_name = d.datname)`;

const drop = async (admin: Client, name: string): Promise<void> => {
  await admin.query(`drop database if exists ${quoteName(name)} with (force)`);
};

/** The URL of another database on the same server. */
const urlOf = (url: string, name: string): string => {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
};

const insufficientPrivilege = '42501';

const create = async (admin: Client, name: string, { otherwise }: Purpose): Promise<void> => {
  const { rows } = await admin.query<{ version: number }>(
    `select current_setting('server_version_num')::integer as version`,
  );
  // Names and texts of ours are compared byte by byte, whatever the server's language.
  const provider = (rows[0]?.version ?? 0) >= 150_000 ? ' locale_provider libc' : '';
  try {
    await admin.query(
      `create database ${quoteName(name)} template template0 encoding 'UTF8'${provider} locale 'C'`,
    );
  } catch (cause) {
    const denied = cause instanceof Error && 'code' in cause && cause.code === insufficientPrivilege;
    if (!denied) throw cause;
    throw new Error(`the role may not create the temporary database: alter role … createdb, ${otherwise}`, {
      cause,
    });
  }
};

/**
 * Makes an empty database on the server of the URL. Those of killed processes are dropped before; a connection that is
 * called like the database says until `remove` that this one is in use.
 */
const createTemporary = async (url: string, purpose: Purpose): Promise<TemporaryDatabase> => {
  const name = purpose.prefix + randomBytes(8).toString('hex');
  const target = new URL(url);
  // Settings in the URL are for the sessions of the service.
  target.searchParams.delete('options');
  const admin = new Client({
    connectionString: target.href,
    application_name: name,
    connectionTimeoutMillis: connectionTimeout,
    keepAlive: true,
  });
  admin.on('error', () => {});
  const end = (): Promise<void> => admin.end().catch(() => {});
  try {
    await admin.connect();
    for (const left of (await admin.query<{ name: string }>(leftSql(purpose.prefix))).rows)
      await drop(admin, left.name);
    await create(admin, name, purpose);
  } catch (error) {
    await end();
    throw error;
  }
  return { url: urlOf(url, name), remove: () => drop(admin, name).finally(end) };
};

/** A database for a test application. It has no schema that the URL may name for the service. */
export const createTestDatabase = (url: string): Promise<TemporaryDatabase> => {
  const server = new URL(url);
  server.searchParams.delete('options');
  return createTemporary(server.href, testing);
};

/** Gives some work an empty database on the server of the URL, which is dropped afterwards in every case. */
export const onTemporaryDatabase = async <T>(url: string, work: (url: string) => Promise<T>): Promise<T> => {
  const database = await createTemporary(url, verification);
  try {
    return await work(database.url);
  } finally {
    await database.remove();
  }
};
