/**
 * The one builder of SQL. A statement is made of fragments or by Kysely, is compiled once, and is then run with an
 * object of values. Compiled SQL has no value of any request, since only fragments fit into a fragment.
 */

import { type Compilable, type Kysely, sql as kysely, type RawBuilder, TableNode } from 'kysely';
import { columnIn, type KeyColumn, type StoredTable } from '../model/stored-table.ts';
import type { KeyWords, PartValue } from './key-words.ts';
import type { Query, SqlValue, Transaction } from './query.ts';
import { type StoredForm, storedForm } from './stored-form.ts';
import type { ServiceNames } from './stored-names.ts';

/** A piece of SQL, with named placeholders for values. */
export type Fragment = RawBuilder<unknown>;

/** The part of a dialect that compiles statements. */
export interface Compiler {
  /** Kysely for building and compiling only; a `Database` runs the statements. */
  readonly builder: Kysely<unknown>;
}

/** Values of a statement's arguments by name; a list of values is one argument. */
export type StatementArguments = { readonly [name: string]: SqlValue | readonly SqlValue[] };

/** The place of a value that comes with each call. */
export class Placeholder {
  readonly name: string;
  /** The index of the value, if the argument is a list. */
  readonly index: number | undefined;

  constructor(name: string, index?: number) {
    this.name = name;
    this.index = index;
  }

  /** Equal for placeholders of the same value. */
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

/**
 * A table by the name that describes it, quoted; with a second name, a column of it. A table of the service is compiled
 * to its stored name (`service-names.ts`), so every statement names tables by this function or by `own`.
 */
export const tableName = (table: string, ...column: readonly [] | readonly [string]): Fragment => {
  const node = { toOperationNode: () => TableNode.create(table) };
  const [name] = column;
  return name === undefined ? kysely`${node}` : kysely`${node}.${kysely.id(name)}`;
};

/** The quoted name of a column, an alias or a table of a model; with two names, a column as `tableName` has it. */
export const identifier = (name: string, ...column: readonly [] | readonly [string]): Fragment =>
  column.length === 0 ? kysely.id(name) : tableName(name, ...column);

/** A column of a row by the name of its table or another one, which may be that of a table of the service. */
export const columnOfRow = (row: string, column: string): Fragment => kysely.id(row, column);

/** The table of a model's records, quoted; in FROM, INTO and UPDATE. Elsewhere its rows are called by its bare name. */
export const rowsOf = ({ schema, name, isOwn }: StoredTable): Fragment => {
  if (isOwn === true) return tableName(name);
  return schema === undefined ? kysely.id(name) : kysely.id(schema, name);
};

/**
 * The columns of a model's records by their fields, quoted, of rows that are called by the name of the table or by
 * another one.
 */
export const columnsOfRows =
  (stored: StoredTable, row?: string): ((field: string) => Fragment) =>
  (field) => {
    const { key } = stored;
    if (key !== undefined && field === 'id') return idOfParts(partsIn(stored, key, row));
    const named = storedColumnsOfRows(stored, row)(field);
    const scale = stored.scales?.get(field);
    if (scale !== undefined) return inLastPlace(named, scale);
    return formOf(stored, field)?.read(named) ?? named;
  };

/** The form in which statements read and write a column; undefined where it has none of its own. */
export const formOf = ({ types }: StoredTable, field: string): StoredForm | undefined => {
  const type = types?.get(field);
  return type === undefined ? undefined : storedForm(type);
};

/** The columns of a model's records as they are stored, whatever their form, of rows that are called as above. */
export const storedColumnsOfRows =
  (stored: StoredTable, row?: string): ((field: string) => Fragment) =>
  (field) => {
    const column = columnIn(stored, field);
    return row === undefined ? ownColumn(stored, column) : kysely.id(row, column);
  };

/** The id of a row as text, from the values of its key. */
export const idOfParts = (parts: readonly PartValue[]): Fragment =>
  inKeyWords((words) => words.idText(parts));

const partsIn = (stored: StoredTable, key: readonly KeyColumn[], row?: string): readonly PartValue[] =>
  key.map(({ field, kind }) => ({ kind, value: columnsOfRows(stored, row)(field) }));

/** The comparisons of the values of a key with those of an id. The columns are compared, so that their index serves. */
export const comparedParts = (
  parts: readonly PartValue[],
  id: Fragment,
): readonly { readonly value: Fragment; readonly bound: Fragment }[] =>
  parts.map(({ value, kind }, place) => ({
    value,
    bound: inKeyWords((words) => words.idPart(id, place, kind)),
  }));

/** The condition that the values of a key are those of an id. */
export const areParts = (parts: readonly PartValue[], id: Fragment): Fragment =>
  join(
    comparedParts(parts, id).map(({ value, bound }) => sql`${value} = ${bound}`),
    ' and ',
  );

/** The condition that a row is the record with an id; rows as `columnsOfRows` calls them. */
export const isRecord = (stored: StoredTable, id: Fragment, row?: string): Fragment =>
  stored.key === undefined
    ? sql`${columnsOfRows(stored, row)('id')} = ${id}`
    : areParts(partsIn(stored, stored.key, row), id);

/** The condition that a row is one of the records with these ids. */
export const isAmongRecords = (stored: StoredTable, ids: readonly Fragment[]): Fragment =>
  stored.key === undefined
    ? sql`${columnsOfRows(stored)('id')} in (${join(ids)})`
    : sql`(${join(
        ids.map((id) => isRecord(stored, id)),
        ' or ',
      )})`;

const ownColumn = ({ isOwn, name }: StoredTable, column: string): Fragment =>
  isOwn === true ? tableName(name, column) : kysely.id(name, column);

/** A number with a point as the whole number of its last place, as statements compare decimals. */
export const inLastPlace = (value: Fragment, scale: number): Fragment =>
  kysely`cast(round(${value} * ${kysely.raw(String(10 ** scale))}) as bigint)`;

/** The value of a field as its column takes it: a decimal of an external table as a number with a point. */
export const assignedTo = (stored: StoredTable, field: string, value: Fragment): Fragment => {
  const scale = stored.scales?.get(field);
  return scale === undefined
    ? (formOf(stored, field)?.write(value) ?? value)
    : kysely`round(cast(${value} as numeric) / ${kysely.raw(`${10 ** scale}.0`)}, ${kysely.raw(String(scale))})`;
};

/** The bare columns of fields, as lists of INSERT and SET name them. */
export const bareColumn = (stored: StoredTable, field: string): Fragment =>
  kysely.id(columnIn(stored, field));

type InKeyWords = (words: KeyWords) => Fragment;

/**
 * A fragment in the words of the statement's database, which it gets when the statement is compiled: columns of a
 * model's rows are named where no dialect is at hand.
 */
const inKeyWords = (write: InKeyWords): Fragment =>
  kysely`${{ toOperationNode: () => ({ ...TableNode.create('key'), write }) }}`;

/** The fragment of such a node; undefined for the node of a table. */
export const writtenKey = (node: TableNode, words: KeyWords): Fragment | undefined =>
  'write' in node ? (node as TableNode & { readonly write: InKeyWords }).write(words) : undefined;

/** A table of the service in a statement that is written by hand. */
export const own = (table: string): Fragment =>
  kysely`${{ toOperationNode: () => ({ ...TableNode.create(table), isBare: true }) }}`;

/** The name of a table in a statement, where the compiler would not write it as it is to be. */
export const writtenTable = ({ prefix, quoted }: ServiceNames, node: TableNode): string | undefined => {
  const { schema, identifier: table } = node.table;
  if (prefix === undefined) return 'isBare' in node ? table.name : undefined;
  return schema === undefined ? quoted(table.name) : undefined;
};

/** A constant of the program as a literal: keys of JSON, limits. Never a value of a request. */
export const literal = (value: string | number | boolean): Fragment => kysely.lit(value);

/** Joins fragments, by default with commas. */
export const join = (fragments: readonly Fragment[], separator = ', '): Fragment =>
  kysely.join(fragments, kysely.raw(separator));

/** The start of each list in their concatenation. */
export const startsOf = (lengths: readonly number[]): readonly number[] =>
  lengths.map((_, index) => lengths.slice(0, index).reduce((sum, length) => sum + length, 0));

/** A WHERE clause of conditions that must all hold; empty if there are none. */
export const where = (conditions: readonly Fragment[]): Fragment =>
  conditions.length === 0 ? kysely.raw('') : sql` where ${join(conditions, ' and ')}`;

/** A placeholder for the value of an argument, in any fragment of a statement that has the argument. */
export const param = (of: string, index?: number): Fragment => {
  // Kysely only carries it to the list of parameters, where it is replaced before anything is bound.
  const placeholder: unknown = new Placeholder(of, index);
  return kysely`${placeholder}`;
};

/** A statement, compiled at its first call; called with the values of a request, it returns a query. */
export interface Statement<Arguments extends StatementArguments> {
  (values: Arguments): Query;
  /** The text of all its queries, compiled when it is read. */
  readonly sql: string;
}

/** Makes the placeholder of an argument; with an index, of one value of a list. */
export type Argument<Arguments extends StatementArguments> = <Name extends keyof Arguments & string>(
  name: Name,
  ...index: Arguments[Name] extends readonly SqlValue[] ? [number] : []
) => Fragment;

/** Makes the placeholder of an argument for Kysely, typed as its value. */
export type Param<Arguments extends StatementArguments> = <Name extends keyof Arguments & string>(
  name: Name,
) => Arguments[Name];

const isSqlValue = (value: unknown): value is SqlValue =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const toSlot = (value: unknown): SqlValue | Placeholder => {
  if (value instanceof Placeholder || isSqlValue(value)) return value;
  throw new TypeError(`A statement binds ${typeof value}, which is not a value of a column`);
};

const bound = ({ name: of, index }: Placeholder, values: StatementArguments, text: string): SqlValue => {
  const value = values[of];
  const one = index === undefined ? value : (value as readonly SqlValue[] | undefined)?.[index];
  // Never bound as null: that would be a different query.
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
 * Compiles a statement at its first call, since a start needs few of all statements. The function that builds it is
 * released then, as its closure may refer to the first request.
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
 * Makes a statement of fragments, compiled at its first call; later calls only bind values.
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

/** Compiles a query without values of a request, or one that runs once. */
export const toQuery = (query: Compilable): Query => compiled<Record<never, never>>(() => query)({});

/** The values of many rows, one row after the other. */
type RowArguments = { readonly values: readonly SqlValue[] };

/** Most values of one statement: SQLite accepts 32,766. */
const mostValues = 16_000;

/** Numbers of rows of one statement: few sizes, so that few texts are prepared. */
const sizes = [256, 32, 4, 1];

/** Inserts many rows by few statements. `into` makes the statement for a VALUES list. */
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

  /** Sends all statements without waiting for each, and returns their rows. */
  async write<Row>(transaction: Transaction, rows: readonly (readonly SqlValue[])[]): Promise<Row[]> {
    const answers: Promise<Row[]>[] = [];
    let start = 0;
    for (const [place, size] of sizes.entries()) {
      if (size > 1 && size * this.#columns > mostValues) continue;
      for (; rows.length - start >= size; start += size)
        answers.push(
          transaction.all<Row>(this.#of(place, size)({ values: rows.slice(start, start + size).flat() })),
        );
    }
    return (await Promise.all(answers)).flat();
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

/** Numbers the parameters of a statement: an argument that occurs several times is bound once. */
export class Numbering {
  readonly #numbers = new Map<string, number>();

  /** Returns the number of a parameter; `add` appends it to the parameters and returns their number. */
  of(parameter: unknown, add: () => number): number {
    if (!(parameter instanceof Placeholder)) return add();
    const existing = this.#numbers.get(parameter.key);
    if (existing !== undefined) return existing;
    const number = add();
    this.#numbers.set(parameter.key, number);
    return number;
  }

  clear(): void {
    this.#numbers.clear();
  }
}
