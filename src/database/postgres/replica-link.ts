/** Sessions with one replica, opened only if it follows the same database and has the same settings. */

import type { OpenDatabase, Query } from '../database.ts';
import { quoteText } from '../quote.ts';
import { type ServiceNames, serviceNames } from '../service-names.ts';
import type { DatabaseOptions } from '../target.ts';
import { openPostgres, type PostgresOptions } from './database.ts';
import { NoReplicaError, ReplicaWatch } from './replica-watch.ts';

/** Time after which a session of the watch without any response counts as broken. */
const silenceLimitMs = 2_000;

const connectTimeoutMs = 1_000;

/** Cluster, database and schema of a session, and the process that serves it. */
const serverQuery = (names: ServiceNames): Query => ({
  sql: `select (select system_identifier::text from pg_control_system()) as cluster,
    (select oid::text from pg_database where datname = current_database()) as database,
    to_regclass(${quoteText(names.written('gatewright_database'))})::oid::text as schema,
    pg_postmaster_start_time()::text as started, pg_is_in_recovery() as follows`,
  parameters: [],
});

interface ServerRow {
  readonly cluster: string;
  readonly database: string;
  readonly schema: string | null;
  readonly started: string;
  readonly follows: boolean;
}

/** The server is a replica of another database: its data must never be served. */
export class ForeignReplicaError extends Error {}

/** Sessions with one replica. They last as long as the process of its server. */
export interface ReplicaLink {
  readonly database: OpenDatabase;
  readonly watch: ReplicaWatch;
  close(): Promise<void>;
}

const assertSame = (primary: ServerRow, replica: ServerRow): void => {
  if (replica.cluster !== primary.cluster)
    throw new ForeignReplicaError('DATABASE_READ_URL names a server of another cluster than DATABASE_URL');
  if (replica.database !== primary.database)
    throw new ForeignReplicaError('DATABASE_READ_URL names another database than DATABASE_URL');
  if (!replica.follows) throw new NoReplicaError('it takes writes itself');
  if (replica.schema === null)
    throw new NoReplicaError('it has no gatewright_database yet, or in another schema');
  if (replica.schema !== primary.schema)
    throw new ForeignReplicaError('DATABASE_READ_URL names another schema than DATABASE_URL');
};

/**
 * Opens sessions with a replica.
 * @throws ForeignReplicaError; NoReplicaError or an error of the database if the server may become a replica later
 */
export const openLink = async (
  url: string,
  replicaUrl: string,
  options: DatabaseOptions,
  now: () => number,
): Promise<ReplicaLink> => {
  const opened: OpenDatabase[] = [];
  const open = async (of: string, own: PostgresOptions): Promise<OpenDatabase> => {
    const database = await openPostgres(of, { ...options, ...own, mayRepeat: false, connectTimeoutMs });
    opened.push(database);
    return database;
  };
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((database) => database.close()));
  };
  const names = options.names ?? serviceNames();
  const watching = { poolSize: 1, silenceLimit: silenceLimitMs };
  try {
    const primary = await open(url, watching);
    const replica = await open(replicaUrl, watching);
    const [first, second] = await Promise.all([
      primary.get<ServerRow>(serverQuery(names)),
      replica.get<ServerRow>(serverQuery(names)),
    ]);
    if (first === undefined || second === undefined) throw new Error('no row that describes a server');
    assertSame(first, second);
    // Several servers with one name would differ in their lag.
    const database = await open(replicaUrl, { started: second.started });
    const watch = new ReplicaWatch({ primary, replica, now, names });
    return { database, watch, close };
  } catch (error) {
    await close();
    throw error;
  }
};
