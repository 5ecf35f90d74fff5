/** Backup and restore on PostgreSQL by `pg_dump` and `pg_restore`. */

import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { restoringName } from '../fence.ts';
import { quoteName, quoteText } from '../quote.ts';
import type { ServiceNames } from '../service-names.ts';
import type { CopyFacts, CopyOptions, DatabaseCopier, DatabaseTarget, TableSnapshot } from '../target.ts';
import { connectionVariables, demandVersion, findProgram, start } from './programs.ts';
import { isOurSchema } from './schemas.ts';
import { assertClientSettings, sessionSettings } from './session.ts';
import { onPostgresSnapshot, onSharedSnapshot } from './snapshot.ts';
import { onTemporaryDatabase } from './temporary-database.ts';

/** The schema in which a database of one's own keeps its tables; such a database is copied with all it has. */
const usualSchema = 'public';

interface ServerFacts {
  readonly major: number;
  readonly version: string;
  readonly schema: string | null;
}

const serverSql = `select current_setting('server_version_num')::integer / 10000 as major,
  current_setting('server_version') as version, current_schema()::text as schema`;

const serverOf = async (client: Client): Promise<ServerFacts> => {
  const { rows } = await client.query<ServerFacts>(serverSql);
  const [server] = rows;
  if (server === undefined) throw new Error('PostgreSQL does not say which version it is');
  return server;
};

/** A host that has several addresses fails with as many errors and no message. */
const plain = (error: unknown): unknown =>
  error instanceof AggregateError && error.message === ''
    ? new Error(error.errors.map(String).join(', '), { cause: error })
    : error;

const withClient = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client(sessionSettings(url, { statementTimeout: 0, idleTimeout: 0, lockTimeout: 0 }));
  client.on('error', () => {});
  try {
    await client.connect();
    await assertClientSettings(client);
    return await work(client);
  } catch (error) {
    throw plain(error);
  } finally {
    await client.end().catch(() => {});
  }
};

const counted = (onProgress: (bytes: number) => void): Transform => {
  let bytes = 0;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      onProgress(bytes);
      done(null, chunk);
    },
  });
};

const dumpArguments = (snapshot: string, schema: string, own: string | undefined): readonly string[] => {
  const args = [
    '--format=custom',
    `--snapshot=${snapshot}`,
    '--no-password',
    '--no-owner',
    '--no-privileges',
    '--no-publications',
    '--no-subscriptions',
  ];
  if (schema !== usualSchema)
    args.push(...[schema, own ?? schema].map((name) => `--schema=${quoteName(name)}`));
  return args;
};

/** The output of the program goes through this process, so that it ends if this process is killed. */
const dump = async (
  url: string,
  client: Client,
  {
    server,
    schema,
    own,
    path,
  }: {
    readonly server: ServerFacts;
    readonly schema: string;
    readonly own: string | undefined;
    readonly path: string;
  },
  { programs, signal, onProgress }: CopyOptions,
): Promise<void> => {
  const program = await findProgram('pg_dump', programs);
  demandVersion(program, server.major, 'the server');
  const { rows } = await client.query<{ id: string }>('select pg_export_snapshot() as id');
  const args = dumpArguments(rows[0]?.id ?? '', schema, own);
  const { child, done } = start(program, args, connectionVariables(url), signal);
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  const written =
    child.stdout === null
      ? undefined
      : pipeline(
          child.stdout,
          counted((bytes) => onProgress(bytes, undefined)),
          file,
        );
  // The program's own message explains more than a broken pipe.
  const results = await Promise.allSettled([written, done]);
  const [pipe, ended] = results;
  if (pipe.status === 'rejected' && !signal.aborted && isOfFile(pipe.reason)) throw pipe.reason;
  if (ended.status === 'rejected') throw ended.reason;
  if (pipe.status === 'rejected') throw pipe.reason;
};

/** A full disk, a missing right: an error of writing, not of the pipe between. */
const isOfFile = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^E(?!PIPE)/.test(String(error.code)) &&
  !String(error.code).startsWith('ERR_');

const tablesSql = (names: ServiceNames): string => `select count(*)::integer as n
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where ${isOurSchema('n.nspname', names)} and c.relkind in ('r', 'p', 'v', 'm', 'f')`;

/** A statement that says whether the service has this table. */
const isThere = (table: string, names: ServiceNames): string =>
  names.schema === undefined
    ? `select to_regclass(quote_ident(current_schema()) || ${quoteText(`.${names.shown(table)}`)}) is not null as there`
    : `select to_regclass(${quoteText(names.quoted(table))}) is not null as there`;

/** Id of the existing database; undefined if it has none. */
const idOf = async (client: Client, names: ServiceNames): Promise<string | undefined> => {
  const { rows } = await client.query<{ there: boolean }>(isThere('gatewright_database', names));
  if (rows[0]?.there !== true) return undefined;
  return (await client.query<{ id: string }>(`select id from ${names.written('gatewright_database')}`))
    .rows[0]?.id;
};

const isEmpty = async (client: Client, names: ServiceNames): Promise<boolean> =>
  (await client.query<{ n: number }>(tablesSql(names))).rows[0]?.n === 0;

/** True if a restore was begun here whose result was never compared with its backup. */
const isUnverified = async (client: Client): Promise<boolean> => {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass(quote_ident(current_schema()) || '.${restoringName}') is not null as there`,
  );
  return rows[0]?.there === true;
};

const run = (url: string, sql: string): Promise<void> =>
  withClient(url, async (client) => {
    await client.query(sql);
  });

const occupied = (url: string, names: ServiceNames, id: string | undefined): Promise<string | undefined> =>
  withClient(url, async (client) => {
    if ((await isEmpty(client, names)) || (await isUnverified(client))) return undefined;
    // A restore of an earlier version that was killed after its only commit is complete.
    if (id !== undefined && (await idOf(client, names)) === id) return undefined;
    return 'the database of DATABASE_URL has tables already: make an empty one';
  });

/** How sessions of `pg_restore` are called. */
const restoring = 'gatewright restore';

const othersSql = `select count(*)::integer as n from pg_stat_activity
  where datname = current_database() and application_name = ${quoteText(restoring)}`;

/** Milliseconds that the program of a command which was killed has to notice it. */
const waitMs = 10_000;

const awaitOthers = async (client: Client): Promise<void> => {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const { rows } = await client.query<{ n: number }>(othersSql);
    if (rows[0]?.n === 0) return;
    if (performance.now() > deadline) throw new Error('another restore is at work in this database');
    await delay(100);
  }
};

/**
 * Of a whole database the program makes the schema of the service itself, where there is none; of two schemas it makes
 * none. One that holds something is not dropped, and the place was refused before.
 */
const prepareOwnSchema = async (client: Client, schema: string, names: ServiceNames): Promise<void> => {
  if (names.schema === undefined) return;
  const own = quoteName(names.schema);
  await client.query(
    schema === usualSchema ? `drop schema if exists ${own}` : `create schema if not exists ${own}`,
  );
};

/** Waits for another restore in this place, and makes the schema where there is none. */
const prepareSchema = (url: string, schema: string): Promise<void> =>
  withClient(url, async (client) => {
    await awaitOthers(client);
    const before = await serverOf(client);
    if (before.schema === null) await client.query(`create schema if not exists ${quoteName(schema)}`);
    const server = await serverOf(client);
    if (server.schema === schema) return;
    throw new Error(
      `the tables of this backup are in the schema ${schema}, and those of DATABASE_URL would be in ${server.schema ?? 'none'}: name the same search_path`,
    );
  });

const feed = async (
  path: string,
  url: string,
  schema: string,
  own: string | undefined,
  { programs, signal, onProgress }: CopyOptions,
): Promise<void> => {
  const program = await findProgram('pg_restore', programs);
  const variables: Readonly<Record<string, string>> = { ...connectionVariables(url), PGAPPNAME: restoring };
  const database = encodeURIComponent(variables['PGDATABASE'] ?? '');
  const args = [
    `--dbname=postgresql:///${database}`,
    '--single-transaction',
    '--exit-on-error',
    '--no-password',
    '--no-owner',
    '--no-privileges',
  ];
  // The schemas exist.
  if (schema !== usualSchema) args.push(...[schema, own ?? schema].map((name) => `--schema=${name}`));
  const { size } = await stat(path);
  const { child, done } = start(program, args, variables, signal);
  // From this process, not from the file: where that is killed, the program has no end of the data, and commits
  // nothing.
  const sent =
    child.stdin === null
      ? undefined
      : pipeline(
          createReadStream(path),
          counted((bytes) => onProgress(bytes, size)),
          child.stdin,
        );
  child.stdout?.resume();
  const [pipe, ended] = await Promise.allSettled([sent, done]);
  if (ended.status === 'rejected') throw ended.reason;
  if (pipe.status === 'rejected') throw pipe.reason;
};

/** Removes everything that was restored into an empty schema. */
const clear = (url: string, names: ServiceNames): Promise<void> =>
  withClient(url, async (client) => {
    await client.query(`do $$ declare one record; begin
      for one in select format('drop %s if exists %I.%I cascade',
          case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence'
            when 'f' then 'foreign table' else 'table' end, n.nspname, c.relname) as words
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where ${isOurSchema('n.nspname', names)} and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')
        order by c.relkind = 'S'
      loop execute one.words; end loop;
      for one in select format('drop routine if exists %s cascade', p.oid::regprocedure) as words
        from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where ${isOurSchema('n.nspname', names)}
          and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      loop execute one.words; end loop;
    end $$`);
  });

const restore = async (
  url: string,
  names: ServiceNames,
  path: string,
  facts: CopyFacts,
  options: CopyOptions,
  accept: (snapshot: TableSnapshot) => Promise<void>,
): Promise<void> => {
  const schema = facts.schema ?? usualSchema;
  await prepareSchema(url, schema);
  // A database that was never compared is not in use: a start refuses it.
  if (await withClient(url, isUnverified)) await clear(url, names);
  if (!(await withClient(url, (client) => isEmpty(client, names)))) {
    // Only what is exactly what should be there stays, and nothing is taken away.
    await onPostgresSnapshot(url, names, accept).catch((cause: Error) => {
      throw new Error(
        `the database of DATABASE_URL has tables already, which are not those of the backup (${cause.message}): make an empty one`,
        { cause },
      );
    });
    return;
  }
  await withClient(url, (client) => prepareOwnSchema(client, schema, names));
  await run(url, `create table ${restoringName} (since timestamptz not null default now())`);
  try {
    await feed(path, url, schema, names.schema, options);
    await onPostgresSnapshot(url, names, accept);
    await run(url, `drop table ${restoringName}`);
  } catch (error) {
    await clear(url, names);
    throw error;
  }
};

export const postgresCopier = (
  url: string,
  names: ServiceNames,
  targetOf: (url: string) => DatabaseTarget,
): DatabaseCopier => ({
  magic: 'PGDMP',
  copy: async (path, options, describe) => {
    try {
      return await onSharedSnapshot(url, names, async (snapshot, client) => {
        const server = await serverOf(client);
        const { schema, version } = server;
        if (schema === null) throw new Error('DATABASE_URL names no schema that is there');
        await dump(url, client, { server, schema, own: names.schema, path }, options);
        return describe(snapshot, { server: `PostgreSQL ${version}`, schema });
      });
    } catch (error) {
      throw plain(error);
    }
  },
  occupied: (id) => occupied(url, names, id),
  restore: (path, facts, options, accept) => restore(url, names, path, facts, options, accept),
  onTemporary: async (_beside, work) => {
    try {
      return await onTemporaryDatabase(url, (temporary) => work(targetOf(temporary)));
    } catch (error) {
      throw plain(error);
    }
  },
});
