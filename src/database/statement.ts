import { type Compilable, type Kysely, sql as kysely, type RawBuilder } from 'kysely';
import type { Query, SqlValue, Transaction } from './database.ts';

/**
 * The one builder of SQL. A statement is made of fragments or by Kysely, is compiled once, and is then run with an
 * object of values: what is compiled holds no value of any request, as nothing but a fragment fits into a fragment.
 */

/** A piece of SQL. Values stand in it by the names of the arguments that will bring them. */
export type Fragment = RawBuilder<unknown>;

/** The part of a dialect that compiles statements. */
export interface Compiler {
  /** Kysely for building and compiling only: what it builds is run by a `Database`. */
  readonly builder: Kysely<unknown>;
}

/** Values of a statement's arguments by name; a list of values is one argument. */
export type StatementArguments = { readonly [name: string]: SqlValue | readonly SqlValue[] };

/** Stands in a statement for a value that comes with each call. */
export class Placeholder {
  readonly name: string;
  /** Which one of the argument's values, where it is a list. */
  readonly index: number | undefined;

  constructor(name: string, index?: number) {
    this.name = name;
    this.index = index;
  }

  /** The same for placeholders of the same value. */
  get key(): string {
    return this.index === undefined ? this.name : `${this.name} ${this.index}`;
  }
}

const template = (strings: TemplateStringsArray, ...parts: readonly Fragment[]): Fragment =>
  kysely(strings, ...parts);

/** A fragment of SQL text and further fragments. */
export const sql: typeof template & { readonly raw: (text: string) => Fragment } = Object.assign(template, {
  /** SQL text of the program's own. */
  raw: (text: string): Fragment => kysely.raw(text),
});

/** A name of a table or column; of a table's column where there are two. */
export const identifier = (...names: readonly string[]): Fragment => kysely.id(...names);

/** A constant of the program as a literal: keys of JSON, limits. Never a value that came with a request. */
export const literal = (value: string | number | boolean): Fragment => kysely.lit(value);

/** Fragments behind one another, by commas unless another separator is given. */
export const join = (fragments: readonly Fragment[], separator = ', '): Fragment =>
  kysely.join(fragments, kysely.raw(separator));

/** Where each of several lists begins in one that holds them one behind the other. */
export const startsOf = (lengths: readonly number[]): readonly number[] =>
  lengths.map((_, index) => lengths.slice(0, index).reduce((sum, length) => sum + length, 0));

/** Conditions that must all hold, as a WHERE clause; nothing where there are none. */
export const where = (conditions: readonly Fragment[]): Fragment =>
  conditions.length === 0 ? kysely.raw('') : sql` where ${join(conditions, ' and ')}`;

/** The value of an argument, wherever a fragment stands that a statement with this argument is made of. */
export const param = (of: string, index?: number): Fragment => {
  // Kysely only carries it to the list of parameters, where it is replaced before anything is bound.
  const placeholder: unknown = new Placeholder(of, index);
  return kysely`${placeholder}`;
};

/** A statement, compiled once with its first values: with those of a request it is a query. */
export interface Statement<Arguments extends StatementArguments> {
  (values: Arguments): Query;
  /** Its text, which is that of each such query; it is compiled when it is read. */
  readonly sql: string;
}

/** Names an argument in a statement of fragments; one of its values where it is a list. */
export type Argument<Arguments extends StatementArguments> = <Name extends keyof Arguments & string>(
  name: Name,
  ...index: Arguments[Name] extends readonly SqlValue[] ? [number] : []
) => Fragment;

/** Names an argument while Kysely builds a statement; typed as the value that will take its place. */
export type Param<Arguments extends StatementArguments> = <Name extends keyof Arguments & string>(
  name: Name,
) => Arguments[Name];

const isSqlValue = (value: unknown): value is SqlValue =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const toSlot = (value: unknown): SqlValue | Placeholder => {
  if (value instanceof Placeholder || isSqlValue(value)) return value;
  throw new TypeError(`A statement binds ${typeof value}, which is no value of a column`);
};

const bound = ({ name: of, index }: Placeholder, values: StatementArguments, text: string): SqlValue => {
  const value = values[of];
  const one = index === undefined ? value : (value as readonly SqlValue[] | undefined)?.[index];
  // Never bound as null: that would be another question.
  if (one === undefined) throw new TypeError(`A statement lacks the argument ${of}: ${text}`);
  return one as SqlValue;
};

interface Compiled {
  readonly text: string;
  readonly slots: readonly (SqlValue | Placeholder)[];
}

const compile = (statement: Compilable): Compiled => {
  const { sql: text, parameters } = statement.compile();
  return { text, slots: parameters.map(toSlot) };
};

/**
 * Built and compiled with its first values: of the statements that a service can run, a start needs few. The function that builds it is
 * not kept, as that may know who asked first.
 */
const compiled = <Arguments extends StatementArguments>(build: () => Compilable): Statement<Arguments> => {
  let made: Compiled | (() => Compilable) = build;
  const whole = (): Compiled => {
    if (typeof made === 'function') made = compile(made());
    return made;
  };
  const query = (values: Arguments): Query => {
    const { text, slots } = whole();
    const parameters: SqlValue[] = [];
    for (const slot of slots) parameters.push(slot instanceof Placeholder ? bound(slot, values, text) : slot);
    return { sql: text, parameters };
  };
  return Object.defineProperty(query, 'sql', { get: () => whole().text }) as Statement<Arguments>;
};

/**
 * A statement of fragments, built and compiled when it is first run; after that values are only put into place.
 *
 *     const titleOf = statement<{ id: number }>(dialect, (param) =>
 *       sql`select ${identifier('title')} from ${identifier('notes')} where ${identifier('id')} = ${param('id')}`);
 *     await database.get<{ title: string }>(titleOf({ id: 1 }));
 */
export const statement = <Arguments extends StatementArguments>(
  { builder }: Compiler,
  build: (param: Argument<Arguments>) => Fragment,
): Statement<Arguments> =>
  compiled(() => {
    const fragment = build((of, ...[index]) => param(of, index));
    return { compile: () => fragment.compile(builder) };
  });

/**
 * The same for a statement that Kysely builds:
 *
 *     const userById = prepare<{ id: number }>((param) =>
 *       db.selectFrom('users').selectAll().where('id', '=', param('id')));
 */
export const prepare = <Arguments extends { readonly [name: string]: SqlValue } = Record<never, never>>(
  build: (param: Param<Arguments>) => Compilable,
): Statement<Arguments> =>
  compiled(() => build(((of: string): unknown => new Placeholder(of)) as Param<Arguments>));

/** Compiles a query that takes no values of a request, or one that is run once. */
export const toQuery = (query: Compilable): Query => compiled<Record<never, never>>(() => query)({});

/** The values of many rows, one row after the other. */
type RowArguments = { readonly values: readonly SqlValue[] };

/** Maximum number of values that one statement binds; SQLite allows 32,766. */
const maxBoundValues = 16_000;

/** Numbers of rows that one statement takes. There are few, so that few statements are prepared. */
const rowCounts = [256, 32, 4, 1];

/** Writes many rows by few statements. The function `into` returns the SQL of one that takes the given rows. */
export class RowStatements {
  readonly #compiler: Compiler;
  readonly #columns: number;
  readonly #into: (rows: Fragment) => Fragment;
  readonly #made: (Statement<RowArguments> | undefined)[] = [];

  constructor(compiler: Compiler, columns: number, into: (rows: Fragment) => Fragment) {
    this.#compiler = compiler;
    this.#columns = columns;
    this.#into = into;
  }

  /** Starts all statements at once; the transaction runs them one after the other. Returns the rows that they return. */
  async write<Row>(transaction: Transaction, rows: readonly (readonly SqlValue[])[]): Promise<Row[]> {
    const results: Promise<Row[]>[] = [];
    let start = 0;
    for (const [place, size] of rowCounts.entries()) {
      if (size > 1 && size * this.#columns > maxBoundValues) continue;
      for (; rows.length - start >= size; start += size)
        results.push(
          transaction.all<Row>(this.#of(place, size)({ values: rows.slice(start, start + size).flat() })),
        );
    }
    return (await Promise.all(results)).flat();
  }

  #of(place: number, size: number): Statement<RowArguments> {
    const made = this.#made[place] ?? this.#compile(size);
    this.#made[place] = made;
    return made;
  }

  #compile(size: number): Statement<RowArguments> {
    return statement<RowArguments>(this.#compiler, (param) => {
      const row = (index: number): Fragment =>
        join(
          Array.from({ length: this.#columns }, (_, column) =>
            param('values', index * this.#columns + column),
          ),
        );
      return this.#into(join(Array.from({ length: size }, (_, index) => sql`(${row(index)})`)));
    });
  }
}

/** Numbers the parameters of a statement for a compiler: an argument that occurs several times is bound once. */
export class ParameterNumbers {
  readonly #numbers = new Map<string, number>();

  /** Returns the number of a parameter; `add` appends it to those of the statement and returns how many there are. */
  of(parameter: unknown, add: () => number): number {
    if (!(parameter instanceof Placeholder)) return add();
    const present = this.#numbers.get(parameter.key);
    if (present !== undefined) return present;
    const number = add();
    this.#numbers.set(parameter.key, number);
    return number;
  }

  clear(): void {
    this.#numbers.clear();
  }
}
