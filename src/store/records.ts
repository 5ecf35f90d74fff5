import type { ColumnValue } from '../fields/field.ts';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import { toTimestamp } from '../kernel/timestamp.ts';
import { type Models, referencedTable } from '../model/models.ts';
import type { ModelField, ResourceModel } from '../model/resource.ts';
import type { Grant, ReferenceTerms } from '../policy/grant.ts';
import type { Database, Query, SqlValue, Transaction } from './database.ts';
import { projectionSql } from './projection.ts';
import { resourceSource, versionColumn } from './resource-source.ts';
import { type Scope, scopeOf } from './scope.ts';
import { quoteName } from './sql.ts';

/** What `afterCommit` is told of a record: JSON text of every field; undefined where the model has no such hook. */
interface Told {
  readonly whole?: string | undefined;
}

/** A record as it was written: its id, its version, and the answer's JSON text. */
export interface SavedRecord extends Told {
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

/** What a write is looked up for before it is done. */
export interface Candidate {
  readonly columns: Columns;
  /** Fields whose values the caller chose: their references are held to what the grant lets the caller name. */
  readonly chosen: ReadonlySet<string>;
}

interface SavedRow extends Told {
  readonly id: number;
  readonly version: number;
  readonly json: string;
}

const toSaved = (row: SavedRow): SavedRecord => ({
  id: Number(row.id),
  version: Number(row.version),
  json: row.json,
  whole: row.whole,
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

/** The rows of a scope as SQL conditions. */
const scopeConditions = ({ columns, values }: Scope, table: string, builder: Builder): string[] =>
  columns.map((column, index) => `${table}.${quoteName(column)} = ${builder.bind(values[index] ?? null)}`);

/** Whether a row of a scope meets further conditions. */
const existsSql = (scope: Scope, table: string, conditions: readonly string[], builder: Builder): string =>
  `exists (select 1 from ${table} where ${[...conditions, ...scopeConditions(scope, table, builder)].join(' and ')})`;

/**
 * Writes of a resource's table. Each takes a grant and stays within its rows; each is one statement that answers the
 * record as the caller may read it. A condition on the version is part of the statement that writes.
 */
export const createRecords = (database: Database, model: ResourceModel, models: Models) => {
  const { dialect } = database;
  const source = resourceSource(model);
  const table = quoteName(model.table);
  /** Every field, for the hook that is told of what was written; nothing where there is none. */
  const whole =
    model.hooks.afterCommit === undefined
      ? ''
      : `, ${projectionSql(source, [...model.fields.keys()], dialect, table)} as whole`;
  /** By readable fields; the policy makes a handful of sets. */
  const projections = new Map<string, string>();
  /** By the columns that a caller gives and the fields that he may read. */
  const inserts = new BoundedCache<{ readonly sql: string }>('insertStatements');

  /** The answer's columns: SQLite's RETURNING knows the table by its own name only. */
  const returning = (grant: Grant): string => {
    const key = grant.readable.join(',');
    const known = projections.get(key);
    if (known !== undefined) return known;
    const json = projectionSql(source, grant.readable, dialect, table);
    const sql = `${table}."id" as id, ${table}.${quoteName(versionColumn)} as version, ${json} as json${whole}`;
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
    const scope = scopeOf(grant, []);
    if (scope === undefined || versions?.length === 0) return undefined;
    const rows = scopeConditions(scope, table, builder);
    const key = `${table}."id" = ${builder.bind(id)}`;
    return [...rows, key, ...versionCondition(versions, builder)].join(' and ');
  };

  /**
   * Finds a reference that names no record: none that exists, or where the caller chose it, none that they may read and
   * none that the record, as they read it, names already.
   */
  const referenceSql = (
    { name, column, reference = '' }: ModelField,
    value: ColumnValue,
    terms: ReferenceTerms | undefined,
    except: number | undefined,
    builder: Builder,
  ): string => {
    const select = `select '${name}' as field, 'reference' as rule`;
    const named = scopeOf({ rows: terms?.rows ?? [] }, []);
    const kept = except === undefined ? undefined : scopeOf({ rows: terms?.kept ?? 'none' }, []);
    if (named === undefined && kept === undefined) return select;
    const target = quoteName(referencedTable(models, reference));
    const bound = builder.bind(value);
    const either: string[] = [];
    if (named !== undefined) either.push(existsSql(named, target, [`${target}."id" = ${bound}`], builder));
    if (kept !== undefined && except !== undefined) {
      const same = [`${table}."id" = ${builder.bind(except)}`, `${table}.${quoteName(column)} = ${bound}`];
      either.push(existsSql(kept, table, same, builder));
    }
    return `${select} where not (${either.join(' or ')})`;
  };

  /** One select per value that must be unique or must exist; only those that collide answer a row. */
  const collisionQuery = (
    grant: Grant,
    { columns, chosen }: Candidate,
    except: number | undefined,
  ): Query | undefined => {
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
        const terms = chosen.has(field.name) ? grant.references?.get(field.name) : undefined;
        selects.push(referenceSql(field, value, terms, except, builder));
      }
    }
    return selects.length === 0
      ? undefined
      : { sql: selects.join(' union all '), parameters: builder.values };
  };

  return {
    source,

    /**
     * Unique values that are taken and references to nothing that the caller may name, all at once; one statement, or
     * none. `except` is the id of the record that is updated.
     */
    collisions: async (
      grant: Grant,
      candidate: Candidate,
      except?: number,
    ): Promise<readonly Collision[]> => {
      const query = collisionQuery(grant, candidate, except);
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

    /**
     * Undefined where no record of the grant's rows has this id and one of the versions.
     * @throws ConstraintError where it is still referred to
     */
    remove: async (
      grant: Grant,
      id: number,
      versions: readonly number[] | undefined,
    ): Promise<Told | undefined> => {
      const builder = new Builder(dialect);
      const where = target(grant, id, versions, builder);
      if (where === undefined) return undefined;
      const sql = `delete from ${table} where ${where} returning ${table}."id" as id${whole}`;
      const [row] = await database.execute<Told>({ sql, parameters: builder.values });
      return row;
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
