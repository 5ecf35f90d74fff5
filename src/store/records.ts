import type { ColumnValue } from '../fields/field.ts';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import { toTimestamp } from '../kernel/timestamp.ts';
import { type Models, referencedTable } from '../model/models.ts';
import type { ResourceModel } from '../model/resource.ts';
import type { Grant } from '../policy/grant.ts';
import type { Database, Query, SqlValue, Transaction } from './database.ts';
import { projectionSql } from './projection.ts';
import { resourceSource, versionColumn } from './resource-source.ts';
import { scopeOf } from './scope.ts';
import { quoteName } from './sql.ts';

/** A record as it was written: its id, its version, and the answer's JSON text. */
export interface SavedRecord {
  readonly id: number;
  readonly version: number;
  readonly json: string;
}

/** Why a value cannot be saved although it is well-formed: somebody else has it, or it refers to nothing. */
export interface Collision {
  readonly field: string;
  readonly rule: 'unique' | 'reference';
}

export type Columns = Readonly<Record<string, ColumnValue>>;

interface SavedRow {
  readonly id: number;
  readonly version: number;
  readonly json: string;
}

const toSaved = (row: SavedRow): SavedRecord => ({
  id: Number(row.id),
  version: Number(row.version),
  json: row.json,
});

/** Builds a statement with numbered placeholders, one for each value in the order in which they are bound. */
class Builder {
  readonly #sign: string;
  readonly values: SqlValue[] = [];

  constructor(dialect: Database['dialect']) {
    this.#sign = dialect === 'sqlite' ? '?' : '$';
  }

  bind(value: SqlValue): string {
    return `${this.#sign}${this.values.push(value)}`;
  }
}

/** The rows of a grant as SQL conditions; undefined where it reaches none. */
const scopeConditions = (grant: Grant, table: string, builder: Builder): string[] | undefined => {
  const scope = scopeOf(grant, []);
  return scope?.columns.map(
    (column, index) => `${table}.${quoteName(column)} = ${builder.bind(scope.values[index] ?? null)}`,
  );
};

/**
 * Writes of a resource's table. Each takes a grant and stays within its rows; each is one statement that answers the
 * record as the caller may read it. A condition on the version is part of the statement that writes.
 */
export const createRecords = (database: Database, model: ResourceModel, models: Models) => {
  const { dialect } = database;
  const source = resourceSource(model);
  const table = quoteName(model.table);
  /** By readable fields; the policy makes a handful of sets. */
  const projections = new Map<string, string>();
  /** By the columns that a caller gives and the fields that he may read. */
  const inserts = new BoundedCache<{ readonly sql: string }>(256);

  /** The answer's columns: SQLite's RETURNING knows the table by its own name only. */
  const returning = (grant: Grant): string => {
    const key = grant.readable.join(',');
    const known = projections.get(key);
    if (known !== undefined) return known;
    const json = projectionSql(source, grant.readable, dialect, table);
    const sql = `${table}."id" as id, ${table}.${quoteName(versionColumn)} as version, ${json} as json`;
    projections.set(key, sql);
    return sql;
  };

  const insertSql = (grant: Grant, names: readonly string[]): string => {
    const key = `${names.join(',')} ${grant.readable.join(',')}`;
    const known = inserts.get(key);
    if (known !== undefined) return known.sql;
    const builder = new Builder(dialect);
    const places = names.map(() => builder.bind(null)).join(', ');
    const columns = names.map(quoteName).join(', ');
    const sql = `insert into ${table} (${columns}) values (${places}) returning ${returning(grant)}`;
    inserts.set(key, { sql });
    return sql;
  };

  const insertQuery = (grant: Grant, columns: Columns, now: number): Query => {
    const at = toTimestamp(now);
    const names = [...Object.keys(columns), 'created_at', 'updated_at'];
    return { sql: insertSql(grant, names), parameters: [...Object.values(columns), at, at] };
  };

  const versionCondition = (versions: readonly number[] | undefined, builder: Builder): string[] =>
    versions === undefined
      ? []
      : [
          `${table}.${quoteName(versionColumn)} in (${versions.map((version) => builder.bind(version)).join(', ')})`,
        ];

  /** Conditions of a write: the id, the caller's rows, and the versions that are acceptable. */
  const target = (
    grant: Grant,
    id: number,
    versions: readonly number[] | undefined,
    builder: Builder,
  ): string | undefined => {
    const scope = scopeConditions(grant, table, builder);
    if (scope === undefined || versions?.length === 0) return undefined;
    const key = `${table}."id" = ${builder.bind(id)}`;
    return [...scope, key, ...versionCondition(versions, builder)].join(' and ');
  };

  /** One select per value that must be unique or must exist; only those that collide answer a row. */
  const collisionQuery = (columns: Columns, except: number | undefined): Query | undefined => {
    const builder = new Builder(dialect);
    const selects: string[] = [];
    for (const field of model.fields.values()) {
      const value = columns[field.column];
      if (value === undefined || value === null) continue;
      const name = `'${field.name}'`;
      if (field.unique) {
        const others = except === undefined ? '' : ` and "id" <> ${builder.bind(except)}`;
        const same = `${quoteName(field.column)} = ${builder.bind(value)}`;
        selects.push(
          `select ${name} as field, 'unique' as rule where exists (select 1 from ${table} where ${same}${others})`,
        );
      }
      if (field.reference !== undefined) {
        const target = quoteName(referencedTable(models, field.reference));
        const missing = `not exists (select 1 from ${target} where "id" = ${builder.bind(value)})`;
        selects.push(`select ${name} as field, 'reference' as rule where ${missing}`);
      }
    }
    return selects.length === 0
      ? undefined
      : { sql: selects.join(' union all '), parameters: builder.values };
  };

  return {
    source,

    /** Unique values that are taken and references to nothing, all at once; one statement, or none. */
    collisions: async (columns: Columns, except?: number): Promise<readonly Collision[]> => {
      const query = collisionQuery(columns, except);
      return query === undefined ? [] : database.all<Collision>(query);
    },

    /** Inserts on its own or in a transaction. @throws ConstraintError */
    insert: async (
      grant: Grant,
      columns: Columns,
      now: number,
      within?: Transaction,
    ): Promise<SavedRecord> => {
      const query = insertQuery(grant, columns, now);
      const rows =
        within === undefined ? await database.execute<SavedRow>(query) : await within.all<SavedRow>(query);
      const row = rows[0];
      if (row === undefined) throw new Error('an insert answered no record');
      return toSaved(row);
    },

    /** Undefined where no record of the grant's rows has this id and one of the versions. @throws ConstraintError */
    update: async (
      grant: Grant,
      id: number,
      columns: Columns,
      now: number,
      versions: readonly number[] | undefined,
    ): Promise<SavedRecord | undefined> => {
      const builder = new Builder(dialect);
      const entries: [string, SqlValue][] = [...Object.entries(columns), ['updated_at', toTimestamp(now)]];
      const assignments = entries.map(([name, value]) => `${quoteName(name)} = ${builder.bind(value)}`);
      const version = quoteName(versionColumn);
      assignments.push(`${version} = ${table}.${version} + 1`);
      const where = target(grant, id, versions, builder);
      if (where === undefined) return undefined;
      const sql = `update ${table} set ${assignments.join(', ')} where ${where} returning ${returning(grant)}`;
      const [row] = await database.execute<SavedRow>({ sql, parameters: builder.values });
      return row === undefined ? undefined : toSaved(row);
    },

    /** Whether a record was deleted. @throws ConstraintError where it is still referred to */
    remove: async (grant: Grant, id: number, versions: readonly number[] | undefined): Promise<boolean> => {
      const builder = new Builder(dialect);
      const where = target(grant, id, versions, builder);
      if (where === undefined) return false;
      const sql = `delete from ${table} where ${where} returning ${table}."id" as id`;
      return (await database.execute({ sql, parameters: builder.values })).length > 0;
    },

    /** The version of a record that the grant reaches. */
    version: async (grant: Grant, id: number): Promise<number | undefined> => {
      const builder = new Builder(dialect);
      const where = target(grant, id, undefined, builder);
      if (where === undefined) return undefined;
      const sql = `select ${table}.${quoteName(versionColumn)} as version from ${table} where ${where}`;
      const row = await database.get<{ version: number }>({ sql, parameters: builder.values });
      return row === undefined ? undefined : Number(row.version);
    },
  };
};

export type Records = ReturnType<typeof createRecords>;
