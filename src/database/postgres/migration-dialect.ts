import { type Dialect, PostgresDialect } from 'kysely';
import { type ServiceNames, withNames } from '../service-names.ts';
import { OwnPostgresCompiler } from './dialect.ts';
import { assertClientSettings, sessionSettings } from './session.ts';

/**
 * One connection without a statement timeout: an index over a large table takes its time. Kysely holds a session
 * advisory lock on it, so that of several processes one migrates while the others wait.
 */
export const postgresMigrationDialect = (url: string, names: ServiceNames): Dialect => {
  const dialect = new PostgresDialect({
    pool: async () => {
      const { default: pg } = await import('pg');
      const pool = new pg.Pool({
        ...sessionSettings(url, { statementTimeout: 0, idleTimeout: 0, lockTimeout: 0 }),
        max: 1,
        verify: (client, done) => void assertClientSettings(client).then(() => done(), done),
      });
      // A lost idle connection is reported by the next query; without a listener it would end the process.
      pool.on('error', () => {});
      pool.on('connect', (client) => client.on('error', () => {}));
      return pool;
    },
  });
  return {
    createAdapter: () => withNames(dialect.createAdapter(), names),
    createDriver: () => dialect.createDriver(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => new OwnPostgresCompiler(names),
  };
};
