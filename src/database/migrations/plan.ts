/** SQL that `migrate` would run, recorded by a rehearsal that changes nothing in the database. */

import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
} from 'kysely';
import type { DatabaseTarget, Rehearsal } from '../target.ts';
import type { MigrationOptions, Migrations, MigrationTables } from './migration.ts';
import { pending } from './runner.ts';

/** The SQL of one step; comments among it say what depends on the rows. */
export interface PlannedStep {
  readonly name: string;
  readonly statements: readonly string[];
}

/** A leading comment marks reads of this folder's own whose rows the plan stands in for. */
const marked = /^\/\* (.*?) \*\//;

const isRead = ({ sql }: CompiledQuery): boolean => /^\s*(?:select|values|show|pragma)\b/i.test(sql);

/** A statement as it is shown. */
const shown = ({ sql, parameters }: CompiledQuery): string =>
  parameters.length === 0 ? `${sql};` : `${sql}; -- with ${JSON.stringify(parameters)}`;

class RecordingConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection;
  readonly #statements: string[];
  readonly #runs: boolean;

  constructor(connection: DatabaseConnection, statements: string[], runs: boolean) {
    this.#connection = connection;
    this.#statements = statements;
    this.#runs = runs;
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const mark = marked.exec(query.sql)?.[1];
    if (mark !== undefined) {
      this.#statements.push(`-- ${mark}`);
      return Promise.resolve({ rows: [] });
    }
    if (!isRead(query)) this.#statements.push(shown(query));
    return isRead(query) || this.#runs
      ? this.#connection.executeQuery<Row>(query)
      : Promise.resolve({ rows: [] });
  }

  streamQuery<Row>(query: CompiledQuery, size: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.#connection.streamQuery<Row>(query, size);
  }
}

/** A dialect that records what is written; `runs`: it is written as well, to a scratch database. */
const recording = (dialect: Dialect, statements: string[], runs: boolean): Dialect => ({
  ...dialect,
  createAdapter: () => dialect.createAdapter(),
  createIntrospector: (db) => dialect.createIntrospector(db),
  createQueryCompiler: () => dialect.createQueryCompiler(),
  createDriver: (): Driver => {
    const driver = dialect.createDriver();
    const wrapped = new WeakMap<DatabaseConnection, DatabaseConnection>();
    const inner = (connection: DatabaseConnection): DatabaseConnection =>
      wrapped.get(connection) ?? connection;
    return {
      init: () => driver.init(),
      acquireConnection: async () => {
        const connection = await driver.acquireConnection();
        const recorder = new RecordingConnection(connection, statements, runs);
        wrapped.set(recorder, connection);
        return recorder;
      },
      releaseConnection: (connection) => driver.releaseConnection(inner(connection)),
      // A step that only reads runs in a transaction that cannot write.
      beginTransaction: (connection) =>
        driver.beginTransaction(inner(connection), runs ? {} : { accessMode: 'read only' }),
      commitTransaction: (connection) => driver.commitTransaction(inner(connection)),
      rollbackTransaction: (connection) => driver.rollbackTransaction(inner(connection)),
      destroy: () => driver.destroy(),
    };
  },
});

/** How the rest of a step is shown that reads what earlier steps have yet to make. */
const unknown = (name: string): string =>
  `-- ${name} reads what the steps above make: the rest of its SQL is known once they are applied`;

const record = async (
  { dialect, driver, writes }: Rehearsal,
  migrations: Migrations,
  names: readonly string[],
): Promise<PlannedStep[]> => {
  const statements: string[] = [];
  await using db = new Kysely<MigrationTables>({ dialect: recording(driver, statements, writes) });
  const steps: PlannedStep[] = [];
  for (const step of names) {
    try {
      await db.transaction().execute(async (transaction) => migrations[step]?.up(transaction, dialect.name));
    } catch (error) {
      if (writes || steps.length === 0) throw error;
      statements.push(unknown(step));
    }
    steps.push({ name: step, statements: statements.splice(0) });
  }
  return steps;
};

/**
 * The SQL that `migrate` would run, of each pending step. Nothing of the database changes: the steps run on a copy of
 * its tables without their records, or only what they read is asked, in transactions that cannot write.
 */
export const plan = async (
  target: DatabaseTarget,
  migrations: Migrations,
  options: MigrationOptions,
): Promise<readonly PlannedStep[]> => {
  const names = await pending(target, migrations, options);
  return names.length === 0 ? [] : target.rehearse((rehearsal) => record(rehearsal, migrations, names));
};
