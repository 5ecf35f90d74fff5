import type { OpenDatabase } from '../database.ts';
import type { DatabaseOptions } from '../target.ts';
import { openPostgres, type PostgresOptions } from './database.ts';
import { type ServerRow, serverQuery } from './position.ts';
import { NoReplicaError, ReplicaWatch } from './replica-watch.ts';

/** How long a session of the watch may go without an answer, in milliseconds. */
const silence = 2_000;

/** How long a connection to the replica may take, in milliseconds: whoever asks is answered by the first server then. */
const connecting = 1_000;

/** What was named as the replica is one of something else: its data must never be answered. */
export class ForeignReplicaError extends Error {}

/** Sessions with one replica, for as long as it is the same process of a server. */
export interface ReplicaLink {
  readonly database: OpenDatabase;
  readonly watch: ReplicaWatch;
  close(): Promise<void>;
}

const demandSame = (primary: ServerRow, replica: ServerRow): void => {
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

const renewMarkOf = (primary: OpenDatabase) => async (): Promise<void> => {
  // Another one each time also where the clock stands.
  const sql = `update gatewright_database
    set checked_at = greatest(checked_at + 1, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)`;
  await primary.execute({ sql, parameters: [] });
};

/**
 * Opens sessions with a replica.
 * @throws ForeignReplicaError; NoReplicaError and what the database throws where it may be one later
 */
export const openLink = async (
  url: string,
  replicaUrl: string,
  options: DatabaseOptions,
  now: () => number,
): Promise<ReplicaLink> => {
  const opened: OpenDatabase[] = [];
  const open = async (of: string, own: PostgresOptions): Promise<OpenDatabase> => {
    const database = await openPostgres(of, { ...options, ...own, once: true, connecting });
    opened.push(database);
    return database;
  };
  const close = async (): Promise<void> => {
    await Promise.all(opened.map((database) => database.close()));
  };
  const watching = { poolSize: 1, silenceLimit: silence };
  try {
    const [primary, replica] = [await open(url, watching), await open(replicaUrl, watching)];
    const [there, here] = await Promise.all([
      primary.get<ServerRow>(serverQuery),
      replica.get<ServerRow>(serverQuery),
    ]);
    if (there === undefined || here === undefined) throw new Error('no row for the place of a server');
    demandSame(there, here);
    // Several servers behind one name would be at several places at once.
    const database = await open(replicaUrl, { started: here.started });
    const watch = new ReplicaWatch({ primary, replica, renewMark: renewMarkOf(primary), now });
    return { database, watch, close };
  } catch (error) {
    await close();
    throw error;
  }
};
