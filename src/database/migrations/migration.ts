import type { Kysely } from 'kysely';
import type { DialectName } from '../name.ts';
import type { SqlValue } from '../query.ts';

/** A migration sees tables as they were when it was written, so none of today's table types apply to it. */
export interface MigrationTables {
  [table: string]: { [column: string]: SqlValue };
}

export type MigrationDatabase = Kysely<MigrationTables>;

/** One step of the schema. All pending steps are applied in one transaction: all or none. */
export interface Migration {
  /** `dialect` is handed on to `createTable` and the others, and tells statements of one's own apart. */
  up(db: MigrationDatabase, dialect: DialectName): Promise<void>;
}

/** Steps by name; they run in the order of their names, so a new name must sort after all that were ever applied. */
export type Migrations = Readonly<Record<string, Migration>>;

/** The first step of a set, which makes everything as it is today: on a new database later steps have nothing to do. */
export interface Baseline {
  readonly name: string;
  /** The last of the steps that were joined into it: a database that has applied it has the baseline. */
  readonly replaces: string;
  /** A commit of the service whose last step is that one. */
  readonly commit: string;
}

export interface MigrationOptions {
  /** Table that remembers what was applied: one for each set of migrations. */
  readonly tableName: string;
  readonly baseline?: Baseline;
}

export interface MigrationSet extends MigrationOptions {
  readonly migrations: Migrations;
}
