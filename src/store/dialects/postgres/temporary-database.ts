import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { quoteName } from '../../quote.ts';
import { connectionTimeout } from './session.ts';

const prefix = 'gatewright_verify_';

/** Databases of ours that no running command has made: it has a connection that is called like the database. */
const leftSql = `select datname::text as name from pg_database d
  where datname ~ '^${prefix}[0-9a-f]{16}$' and pg_has_role(datdba, 'member')
    and not exists (select 1 from pg_stat_activity a where a.application_name = d.datname)`;

const drop = async (admin: Client, name: string): Promise<void> => {
  await admin.query(`drop database if exists ${quoteName(name)} with (force)`);
};

/** The same server, and another database on it. */
const urlOf = (url: string, name: string): string => {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
};

const insufficientPrivilege = '42501';

const create = async (admin: Client, name: string, version: number): Promise<void> => {
  // Names and texts of ours are compared byte by byte, whatever the server's language.
  const provider = version >= 150_000 ? ' locale_provider libc' : '';
  try {
    await admin.query(
      `create database ${quoteName(name)} template template0 encoding 'UTF8'${provider} locale 'C'`,
    );
  } catch (cause) {
    const denied = cause instanceof Error && 'code' in cause && cause.code === insufficientPrivilege;
    if (!denied) throw cause;
    throw new Error(
      `the role may not create the temporary database: alter role … createdb, or name another server with --verify-url`,
      { cause },
    );
  }
};

/**
 * Gives some work an empty database on the server of the URL, which is dropped afterwards in every case; those of killed
 * processes are dropped before.
 */
export const onTemporaryDatabase = async <T>(url: string, work: (url: string) => Promise<T>): Promise<T> => {
  const name = prefix + randomBytes(8).toString('hex');
  const target = new URL(url);
  // What the URL asks of its sessions is for those of the service.
  target.searchParams.delete('options');
  const admin = new Client({
    connectionString: target.href,
    application_name: name,
    connectionTimeoutMillis: connectionTimeout,
    keepAlive: true,
  });
  admin.on('error', () => {});
  try {
    await admin.connect();
    for (const left of (await admin.query<{ name: string }>(leftSql)).rows) await drop(admin, left.name);
    const { rows } = await admin.query<{ version: number }>(
      `select current_setting('server_version_num')::integer as version`,
    );
    await create(admin, name, rows[0]?.version ?? 0);
    try {
      return await work(urlOf(url, name));
    } finally {
      await drop(admin, name);
    }
  } finally {
    await admin.end().catch(() => {});
  }
};
