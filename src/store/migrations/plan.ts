import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
} from 'kysely';
import type { DialectName } from '../dialects/name.ts';
import { postgresMigrationDialect } from '../dialects/postgres/migration-dialect.ts';
import { sqliteMigrationDialect } from '../dialects/sqlite/migration-dialect.ts';
import type { DatabaseTarget } from '../dialects/target.ts';
import { quoteName } from '../quote.ts';
import type { MigrationOptions, Migrations, MigrationTables } from './migration.ts';
import { isEmptyFile, pending } from './runner.ts';

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

/** The same dialect, recording what is written; `runs`: whether it is written as well, to a scratch database. */
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
      // What PostgreSQL is asked, it is asked in a transaction that could not write.
      beginTransaction: (connection) =>
        driver.beginTransaction(inner(connection), runs ? {} : { accessMode: 'read only' }),
      commitTransaction: (connection) => driver.commitTransaction(inner(connection)),
      rollbackTransaction: (connection) => driver.rollbackTransaction(inner(connection)),
      destroy: () => driver.destroy(),
    };
  },
});

/** Tables whose rows migrations of this folder read: the register, and grants. */
const ownTables = /^(?:gatewright_.*|permissions|permission_entries|roles)$/;

/** A SQLite file with the tables of another and none of their records. */
const copySchema = (from: string, to: string): void => {
  const source = new DatabaseSync(from, { readOnly: true });
  const target = new DatabaseSync(to, { enableForeignKeyConstraints: false });
  try {
    const rows = source
      .prepare(
        `select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite\\_%' escape '\\'
         order by case type when 'table' then 0 when 'view' then 1 else 2 end`,
      )
      .all() as { type: string; name: string; sql: string }[];
    for (const { sql } of rows) target.exec(sql);
    for (const { name } of rows.filter(({ type, name }) => type === 'table' && ownTables.test(name)))
      for (const row of source.prepare(`select * from ${quoteName(name)}`).all()) {
        const values = Object.values(row);
        target
          .prepare(`insert into ${quoteName(name)} values (${values.map(() => '?').join(', ')})`)
          .run(...values);
      }
  } finally {
    source.close();
    target.close();
  }
};

/** How the rest of a step is shown that reads what earlier steps have yet to make. */
const unknown = (name: string): string =>
  `-- ${name} reads what the steps above make: the rest of its SQL is known once they are applied`;

const record = async (
  dialect: Dialect,
  name: DialectName,
  migrations: Migrations,
  names: readonly string[],
): Promise<PlannedStep[]> => {
  const runs = name === 'sqlite';
  const statements: string[] = [];
  const db = new Kysely<MigrationTables>({ dialect: recording(dialect, statements, runs) });
  const steps: PlannedStep[] = [];
  try {
    for (const step of names) {
      try {
        await db.transaction().execute(async (transaction) => migrations[step]?.up(transaction, name));
      } catch (error) {
        if (runs || steps.length === 0) throw error;
        statements.push(unknown(step));
      }
      steps.push({ name: step, statements: statements.splice(0) });
    }
    return steps;
  } finally {
    await db.destroy();
  }
};

/** Runs steps on a SQLite file of their own, which `prepare` may fill before. */
const onScratch = async (
  migrations: Migrations,
  names: readonly string[],
  prepare: (scratch: string) => void,
): Promise<PlannedStep[]> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-plan-'));
  try {
    const scratch = join(directory, 'plan.db');
    prepare(scratch);
    return await record(sqliteMigrationDialect(scratch), 'sqlite', migrations, names);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

/**
 * The SQL that `migrate` would run, of each pending step. Nothing of the database changes: for SQLite the steps run on
 * a copy of its tables without their records, for PostgreSQL only what they read is asked, in transactions that cannot
 * write.
 */
export const plan = async (
  target: DatabaseTarget,
  migrations: Migrations,
  options: MigrationOptions,
): Promise<readonly PlannedStep[]> => {
  const names = await pending(target, migrations, options);
  if (names.length === 0) return [];
  if (target.dialect === 'postgres')
    return record(postgresMigrationDialect(target.url), target.dialect, migrations, names);
  return onScratch(migrations, names, (scratch) => {
    if (!isEmptyFile(target)) copySchema(target.path, scratch);
  });
};

/** The SQL of every step on an empty SQLite database. */
export const planFromNothing = (migrations: Migrations): Promise<readonly PlannedStep[]> =>
  onScratch(migrations, Object.keys(migrations).sort(), () => {});
