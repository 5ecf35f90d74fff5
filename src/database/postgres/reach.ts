import { Client, DatabaseError } from 'pg';
import { assertClientSettings, connectionTimeout, sessionSettings } from './session.ts';

/** Connection exceptions, too many connections, and a server that starts or stops (SQLSTATE). */
const passing = /^(?:08|53300|57P0[1-3])/;

/** The driver's own words for a connection that was not made in time, or was closed before it was made. */
const unanswered = /timeout|terminated/i;

/** True if the same attempt may succeed later: nothing listens, no name, no answer, a server that starts. */
const isPassing = (error: unknown): error is Error => {
  if (error instanceof DatabaseError) return passing.test(error.code ?? '');
  if (!(error instanceof Error)) return false;
  // Several addresses of a name were tried.
  if (error instanceof AggregateError) return error.errors.every(isPassing);
  return 'syscall' in error || unanswered.test(error.message);
};

/** Why the server cannot be reached at the moment; undefined where it can. @throws what time does not change */
export const findUnreachable = async (url: string): Promise<Error | undefined> => {
  const client = new Client({
    ...sessionSettings(url, { statementTimeout: 0, idleTimeout: 0, lockTimeout: 0 }),
    query_timeout: connectionTimeout,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await assertClientSettings(client);
    return undefined;
  } catch (error) {
    if (isPassing(error)) return error;
    throw error;
  } finally {
    client.connection.stream.destroy();
  }
};
