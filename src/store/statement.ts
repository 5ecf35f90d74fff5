import {
  type Compilable,
  type Dialect,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { DialectName, Query, SqlValue } from './database.ts';

/** Stands in a built query for a value that comes with each call. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

export type StatementArguments = { readonly [name: string]: SqlValue };

/** Names an argument while a statement is built; typed as the value that will take its place. */
export type Param<Arguments extends StatementArguments> = <Name extends keyof Arguments & string>(
  name: Name,
) => Arguments[Name];

const dialects: Readonly<Record<DialectName, Dialect>> = {
  sqlite: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
  postgres: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
};

/** Kysely for building queries only: what it builds is compiled here and run by a `Database`. */
export const compilerFor = <Tables>(dialect: DialectName): Kysely<Tables> =>
  new Kysely<Tables>({ dialect: dialects[dialect] });

const isSqlValue = (value: unknown): value is SqlValue =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const toSlot = (value: unknown): SqlValue | Placeholder => {
  if (value instanceof Placeholder || isSqlValue(value)) return value;
  throw new TypeError(`A statement binds ${typeof value}, which is no value of a column`);
};

/** Compiles a query whose values are all known. */
export const toQuery = (query: Compilable): Query => {
  const compiled = query.compile();
  const parameters = compiled.parameters.map((value) => {
    if (!isSqlValue(value))
      throw new TypeError(`A query binds ${typeof value}, which is no value of a column`);
    return value;
  });
  return { sql: compiled.sql, parameters };
};

/**
 * Compiles a statement once; the function it answers only puts values into place, so that no request builds SQL.
 *
 *     const userById = prepare<{ id: number }>((param) =>
 *       sql.selectFrom('users').selectAll().where('id', '=', param('id')));
 *     await database.get<UserRow>(userById({ id: 1 }));
 */
export const prepare = <Arguments extends StatementArguments = Record<never, never>>(
  build: (param: Param<Arguments>) => Compilable,
): ((args: Arguments) => Query) => {
  // The builder only carries the placeholder to its parameter list, where it is replaced before anything is bound.
  const param = ((name: string): unknown => new Placeholder(name)) as Param<Arguments>;
  const compiled = build(param).compile();
  const slots = compiled.parameters.map(toSlot);
  const { sql } = compiled;
  return (args) => {
    const parameters: SqlValue[] = [];
    for (const slot of slots) {
      const value = slot instanceof Placeholder ? args[slot.name] : slot;
      if (value === undefined) throw new TypeError(`A statement lacks an argument: ${sql}`);
      parameters.push(value);
    }
    return { sql, parameters };
  };
};
