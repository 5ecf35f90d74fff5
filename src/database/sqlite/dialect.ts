/** Statements in the words of SQLite: compiler, types of columns and their JSON, clock, snapshots and conditions. */

import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  type QueryId,
  type RootOperationNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TableNode,
} from 'kysely';
import type { Bucket } from '../../fields/aggregates.ts';
import type { Dialect, JsonEntry } from '../dialect.ts';
import type { KeyWords } from '../key-words.ts';
import { type ServiceNames, serviceNames } from '../service-names.ts';
import { type Fragment, join, literal, Numbering, sql, writtenKey, writtenTable } from '../statement.ts';
import { hashOfRow, idOfValues, jsonNumber, valueOfId } from './functions.ts';
import { sqliteSchema } from './schema.ts';
import { searchSqlite } from './search.ts';

const keyWords: KeyWords = {
  idText: (parts) => sql`${sql.raw(idOfValues)}(${join(parts.map(({ value }) => value))})`,
  idPart: (id, place, kind) => {
    const text = sql`${sql.raw(valueOfId)}(${id}, ${literal(place)})`;
    return kind === 'integer' || kind === 'bigint' ? sql`cast(${text} as integer)` : text;
  },
};

/** Compiler that writes the service's own tables under their stored names. */
export class OwnSqliteCompiler extends SqliteQueryCompiler {
  readonly #names: ServiceNames;

  constructor(names: ServiceNames) {
    super();
    this.#names = names;
  }

  protected override visitTable(node: TableNode): void {
    const key = writtenKey(node, keyWords);
    const written = writtenTable(this.#names, node);
    if (key !== undefined) this.visitNode(key.toOperationNode());
    else if (written === undefined) super.visitTable(node);
    else this.append(written);
  }
}

/**
 * Compiler with numbered parameters, so that one may occur in several places. Each is written `+?1`: SQLite plans a
 * statement again at every run if a bare parameter is compared with a column of a sorted query (since 3.54), is a
 * pattern of LIKE, or a limit.
 */
class NumberingSqliteCompiler extends OwnSqliteCompiler {
  readonly #numbering = new Numbering();

  override compileQuery(node: RootOperationNode, queryId: QueryId): CompiledQuery {
    this.#numbering.clear();
    return super.compileQuery(node, queryId);
  }

  protected override appendValue(parameter: unknown): void {
    const add = (): number => {
      this.addParameter(parameter);
      return this.numParameters;
    };
    this.append(`+?${this.#numbering.of(parameter, add)}`);
  }
}

/** More than one write takes, so that a check which passes is not contradicted by the next write. */
const roomBytes = 262_144;

/** Entries of one `json_object`: builds of SQLite take 127 arguments of a function, newer ones 1,000. */
const entriesPerObject = 50;

const plainObject = (entries: readonly JsonEntry[]): Fragment =>
  sql`json_object(${join(entries.map(({ name, value }) => sql`${literal(name)}, ${value}`))})`;

/** A negative length counts backwards: everything before the last character, computed once. */
const unclosed = (text: Fragment): Fragment => sql`substr(${text}, -1, -2000000000)`;

/** `{…}` and `{…}` joined as one object: all but the last lose their `}`, all but the first their `{`. */
const object = (entries: readonly JsonEntry[]): Fragment => {
  const objects: Fragment[] = [];
  for (let start = 0; start < entries.length || start === 0; start += entriesPerObject)
    objects.push(plainObject(entries.slice(start, start + entriesPerObject)));
  const [only, second] = objects;
  if (only !== undefined && second === undefined) return only;
  const parts = objects.map((each, index) => {
    const open = index === objects.length - 1 ? each : unclosed(each);
    return index === 0 ? open : sql`substr(${open}, 2)`;
  });
  return sql`(${join(parts, " || ',' || ")})`;
};

/** A whole number as the text of a decimal; null stays null, as every operator here returns null for it. */
const decimal = (value: Fragment, scale: number): Fragment => {
  if (scale === 0) return sql`cast(${value} as text)`;
  const unit = literal(10 ** scale);
  const zeros = literal('0'.repeat(scale));
  const fraction = sql`substr(${zeros} || (abs(${value}) % ${unit}), ${literal(-scale)})`;
  return sql`iif(${value} < 0, '-', '') || (abs(${value}) / ${unit}) || '.' || ${fraction}`;
};

/**
 * A double as JavaScript writes it. SQLite writes the same where four decimals are enough, so that only other values
 * are passed to the function, which takes as long as all else of a row. Of a whole number SQLite would write `.0`.
 */
const double = (value: Fragment): Fragment =>
  sql`case when ${value} between -1e9 and 1e9 and round(${value} * 10000) / 10000 = ${value}
    then iif(${value} = cast(${value} as integer), cast(${value} as integer), ${value})
    else json(${sql.raw(jsonNumber)}(${value})) end`;

const jsonPath = (keys: readonly string[]): string => `$${keys.map((key) => `."${key}"`).join('')}`;

/**
 * The values under these keys as one JSON array. The last path finds nothing: with one alone the value would be bare.
 */
const valuesUnder = (object: Fragment, keys: readonly string[]): Fragment =>
  sql`json_extract(${object}, ${join([...keys.map((key) => literal(jsonPath([key]))), literal('$[0]')])})`;

/** A number in a text, or null: a cast makes a number of every text. */
const exactNumber = (value: Fragment): Fragment =>
  sql`iif(cast(cast(${value} as integer) as text) = cast(${value} as text), cast(${value} as integer), null)`;

/** Texts are compared as they are, so a value of another kind is equal to none. */
const agree = (one: Fragment, other: Fragment, keys: readonly string[]): Fragment => {
  const parts: Fragment[] = [sql`1 = 1`];
  for (let start = 0; start < keys.length; start += entriesPerObject) {
    const part = keys.slice(start, start + entriesPerObject);
    parts.push(sql`${valuesUnder(one, part)} is ${valuesUnder(other, part)}`);
  }
  return sql`(${join(parts, ' and ')})`;
};

const bucketFormats: Readonly<Record<Bucket, string>> = {
  hour: '%Y-%m-%dT%H',
  day: '%Y-%m-%d',
  week: '%G-W%V',
  month: '%Y-%m',
  year: '%Y',
};

/** A moment by the clock of a place, within the years that timestamps have: beyond the last one SQLite returns null. */
const localTime = (value: Fragment, shift: Fragment): Fragment => {
  const moved = sql`coalesce(strftime('%Y-%m-%dT%H:%M', ${value}, ${shift}), '9999-12-31T23:59')`;
  return sql`iif(${value} is null, null, max(${moved}, '0001-01-01T00:00'))`;
};

/** No limit of any connection is as high: what would be so long is refused before it is made. */
const unless = (beyond: Fragment): Fragment => sql`length(zeroblob(iif(${beyond}, 2147483647, 0))) = 0`;

type Named = 'names' | 'builder' | 'schema';

/** Everything that does not depend on the names of the service's own tables. */
const words: Omit<Dialect, Named> = {
  name: 'sqlite',
  program: { name: 'SQLite', versionSql: 'select sqlite_version() as version' },
  columns: {
    text: { type: 'TEXT' },
    integer: { type: 'INTEGER' },
    bigint: { type: 'INTEGER', render: (value) => sql`cast(${value} as text)` },
    decimal: { type: 'INTEGER', render: decimal },
    number: { type: 'REAL', render: double },
    boolean: {
      type: 'INTEGER',
      render: (value) => sql`json(case ${value} when 1 then 'true' when 0 then 'false' end)`,
    },
    timestamp: { type: 'TEXT' },
    date: { type: 'TEXT' },
    time: { type: 'TEXT' },
    uuid: { type: 'TEXT' },
    json: { type: 'TEXT', render: (value) => sql`json(${value})` },
  },
  // Other values are texts, or have their type.
  cast: (value, kind) => (kind === 'bigint' ? sql`cast(${value} as integer)` : value),
  recordId: (number, text) => sql`coalesce(${text}, ${number})`,
  object,
  objectText: object,
  member: (object, keys, kind, scale) => {
    const value = sql`json_extract(${object}, ${literal(jsonPath(keys))})`;
    if (kind === 'bigint') return exactNumber(value);
    // true and false come as 1 and 0.
    return kind === 'decimal' ? sql`cast(round(${value} * ${literal(10 ** scale)}) as integer)` : value;
  },
  agree,
  unclosed,
  fits: () => undefined,
  atMost: (count, most) => unless(sql`${count} > ${literal(most)}`),
  milliseconds: (value) => value,
  rowHash: (values) => sql`${sql.raw(hashOfRow)}(${join(values)})`,
  tableBytes: undefined,
  databaseBytes: sql`(select p.page_count * s.page_size from pragma_page_count as p, pragma_page_size as s)`,
  snapshotId: undefined,
  assertRowsExamined: (count, most) => unless(sql`${count} >= ${most}`),
  arrayText: (values) => sql`json_array(${join(values)})`,
  arrayOf: (column, query) => sql`json((select json_group_array(${column}) from (${query})))`,
  joined: (value, separator) => sql`group_concat(${value}, ${separator})`,
  // Texts are UTF-8, which is also what is sent: as bytes it is not decoded and encoded again, a third of the time of
  // a large page.
  answer: (json) => sql`cast(${json} as blob)`,
  octets: (value) => sql`octet_length(${value})`,
  contains: (value, needle) => sql`instr(lower(${value}), ${needle}) > 0`,
  ordered: (value, descending) => (descending ? sql`${value} desc` : value),
  among: (value, query) => sql`${value} in (${query})`,
  rows: (count) => sql`${count}`,
  // The only writer has the whole file.
  updateLock: sql``,
  deleteLock: sql``,
  locksRows: false,
  givenKey: sql``,
  now: sql`strftime('%Y-%m-%dT%H:%M:%fZ', 'now')`,
  nowMicroseconds: sql`cast(unixepoch('now', 'subsec') * 1000000 as integer)`,
  later: (milliseconds) =>
    sql`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', printf('%+.3f seconds', ${milliseconds} / 1000.0))`,
  bucket: (value, bucket, kind, shift) =>
    sql`strftime(${literal(bucketFormats[bucket])}, ${kind === 'date' ? value : localTime(value, shift)})`,
  // One write comes after the other.
  forUpdateSkipLocked: sql.raw(''),
  commitOrderLock: undefined,
  writeWithCte: undefined,
  computesSkippedRows: false,
  hasLateral: false,
  misestimatesBoundLimit: false,
  prefersMaterializedCount: false,
  // Writes to the log. Every connection reads the schema again after it.
  diskProbe: [
    `create table gatewright_room as select zeroblob(${roomBytes}) as filling`,
    'drop table gatewright_room',
  ],
  isDiskProbeCheap: false,
  search: searchSqlite,
};

const makeDialect = (names: ServiceNames): Dialect => ({
  ...words,
  names,
  builder: new Kysely<unknown>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new NumberingSqliteCompiler(names),
    },
  }),
  schema: sqliteSchema(names),
});

const made = new Map<ServiceNames, Dialect>();

/** The dialect with the names of the service's own tables: one for each. */
export const sqliteDialectWith = (names: ServiceNames): Dialect => {
  const dialect = made.get(names) ?? makeDialect(names);
  made.set(names, dialect);
  return dialect;
};

export const sqliteDialect: Dialect = sqliteDialectWith(serviceNames());
