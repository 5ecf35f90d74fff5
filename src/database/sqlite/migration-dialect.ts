/** Kysely on one SQLite connection, for migrations: their DDL is part of the transaction. */

import { DatabaseSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely';
import type { SqlValue } from '../database.ts';
import { type ServiceNames, withNames } from '../service-names.ts';
import { bind, runStatement } from './connection.ts';
import { OwnSqliteCompiler } from './dialect.ts';
import { namingFile } from './errors.ts';
import { preparePrivateFile } from './files.ts';
import { addFunctions } from './functions.ts';

/** How long another process may hold the database while this one waits to migrate, in milliseconds. */
const busyTimeout = 30_000;

class MigrationConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = this.#database.prepare(query.sql);
    const parameters = bind(query.parameters as readonly SqlValue[]);
    if (statement.columns().length > 0) return { rows: statement.all(...parameters) as Row[] };
    return { rows: [], numAffectedRows: BigInt(runStatement(statement, parameters)) };
  }

  // Kysely requires it; migrations never stream, and a partial result would be worse.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    yield* [];
    throw new Error('A migration cannot stream rows');
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Foreign keys are not enforced while tables are rebuilt; nothing that breaks one may be committed. */
  assertForeignKeys(): void {
    const broken = this.#database.prepare('pragma foreign_key_check').get();
    if (broken === undefined) return;
    throw new Error(
      `The migration leaves rows of ${String(broken['table'])} that refer to missing rows of ${String(broken['parent'])}`,
    );
  }

  close(): void {
    this.#database.close();
  }
}

/** One connection, given out to one user at a time. */
class MigrationDriver implements Driver {
  readonly #path: string;
  #connection: MigrationConnection | undefined;
  #given: Promise<void> = Promise.resolve();
  #release: (() => void) | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async init(): Promise<void> {
    preparePrivateFile(this.#path);
    const database = new DatabaseSync(this.#path, {
      timeout: busyTimeout,
      enableForeignKeyConstraints: false,
    });
    addFunctions(database);
    this.#connection = new MigrationConnection(database);
    try {
      this.#connection.exec('pragma synchronous = full; pragma secure_delete = on');
    } catch (error) {
      throw namingFile(this.#path, error);
    }
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#given;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#given = before.then(() => promise);
    await before;
    this.#release = resolve;
    if (this.#connection === undefined) throw new Error('The migration connection is closed');
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#release?.();
  }

  /** IMMEDIATE: of several processes one migrates, the others wait here and then find nothing to do. */
  async beginTransaction(): Promise<void> {
    this.#connection?.exec('begin immediate');
  }

  async commitTransaction(): Promise<void> {
    this.#connection?.assertForeignKeys();
    this.#connection?.exec('commit');
  }

  async rollbackTransaction(): Promise<void> {
    this.#connection?.exec('rollback');
  }

  async destroy(): Promise<void> {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

/** SQLite rolls schema changes back; Kysely's adapter does not make use of it. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

export const sqliteMigrationDialect = (path: string, names: ServiceNames): Dialect => ({
  createAdapter: () => withNames(new TransactionalAdapter(), names),
  createDriver: () => new MigrationDriver(path),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new OwnSqliteCompiler(names),
});
