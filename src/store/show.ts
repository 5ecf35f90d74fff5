import type { ColumnValue } from '../fields/field.ts';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import type { Grant, RowCondition } from '../policy/grant.ts';
import { scopeSql } from './clauses.ts';
import type { Database } from './database.ts';
import type { View } from './list-parameters.ts';
import { columnOf, projectionSql } from './projection.ts';
import { type Statement, toQuery } from './query.ts';
import { type Scope, scopeOf, Views } from './scope.ts';
import type { Source } from './source.ts';
import { columnSql, Placeholders, quoteName } from './sql.ts';

export interface ShownRecord {
  readonly json: string;
  /** Present where the source has a version column. */
  readonly version?: number;
}

export interface ShowOptions {
  /** Name of the hidden integer column that every write raises. */
  readonly version?: string;
}

/** The record with this key as a grant lets see it; undefined where there is none or it is out of scope. */
export type Show = (
  grant: Grant,
  key: ColumnValue,
  extra?: readonly RowCondition[],
) => Promise<ShownRecord | undefined>;

/** Shows one record of a source, through the same projection and row filter as its list. */
export const createShow = (database: Database, source: Source, options: ShowOptions = {}): Show => {
  const views = new Views(source);
  const statements = new BoundedCache<Statement>('showStatements');
  const { dialect } = database;

  const compile = (view: View, scope: Scope): Statement => {
    const bind = new Placeholders(dialect);
    const key = `${columnSql(columnOf(source, source.key), dialect)} = ${bind.of(scope.columns.length)}`;
    const conditions = [...scopeSql(source, scope.columns, dialect, bind), key].join(' and ');
    const version = options.version === undefined ? '' : `, t.${quoteName(options.version)} as version`;
    const json = projectionSql(source, view.fields, dialect);
    const from = `${source.from(dialect)} as t`;
    return { sql: `select ${json} as json${version} from ${from} where ${conditions}`, slots: bind.slots };
  };

  return async (grant, key, extra = []) => {
    const scope = scopeOf(grant, extra);
    if (scope === undefined) return undefined;
    const { view, id } = views.of(grant.readable);
    const shape = `${id} ${scope.key}`;
    const known = statements.get(shape);
    const statement = known ?? compile(view, scope);
    if (known === undefined) statements.set(shape, statement);
    const row = await database.get<{ json: string; version?: number }>(
      toQuery(statement, [...scope.values, key]),
    );
    if (row === undefined) return undefined;
    return row.version === undefined ? { json: row.json } : { json: row.json, version: Number(row.version) };
  };
};
