/**
 * Statements in the words of PostgreSQL: compiler, types of columns and their JSON, clock, snapshots and conditions.
 */

import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryId,
  type RootOperationNode,
  type TableNode,
} from 'kysely';
import type { Bucket } from '../../fields/aggregates.ts';
import { fromScaled } from '../../fields/decimal.ts';
import type { ColumnKind } from '../../fields/field.ts';
import { isEncoded } from '../../fields/keys.ts';
import type { ColumnDialect, Dialect, JsonEntry } from '../dialect.ts';
import type { KeyWords, PartValue } from '../key-words.ts';
import { type ServiceNames, serviceNames } from '../service-names.ts';
import {
  type Fragment,
  identifier,
  join,
  literal,
  Numbering,
  sql,
  writtenKey,
  writtenTable,
} from '../statement.ts';
import { postgresSchema } from './schema.ts';
import { searchPostgres } from './search.ts';

/** Each character of a text that `encodeURIComponent` leaves as it is. */
const unescaped = sql`'[A-Za-z0-9_.!~*''()-]'`;

/** A text as `encodeURIComponent` writes it; most have nothing to escape. */
const encodedText = (text: Fragment): Fragment =>
  sql`case when ${text} collate "C" ~ ('^' || ${unescaped} || '*$') then ${text} else (
    select string_agg(case when _part.c collate "C" ~ ${unescaped} then _part.c else
        regexp_replace(upper(encode(convert_to(_part.c, 'UTF8'), 'hex')), '(..)', '%\\1', 'g') end, '' order by _part.n)
      from regexp_split_to_table(${text}, '') with ordinality as _part (c, n)) end`;

/** A text from its escapes. The sub-select depends on no row, so it runs once. */
const decodedText = (text: Fragment): Fragment =>
  sql`case when strpos(${text}, '%') = 0 then ${text} else (
    select convert_from(string_agg(case when left(_part.m[1], 1) = '%' then decode(substr(_part.m[1], 2), 'hex')
        else convert_to(_part.m[1], 'UTF8') end, ''::bytea order by _part.n), 'UTF8')
      from regexp_matches(${text}, '%[0-9A-F]{2}|[^%]+', 'g') with ordinality as _part (m, n)) end`;

const partText = ({ value, kind }: PartValue): Fragment => {
  if (kind === 'date') return sql`to_char(${value}, 'YYYY-MM-DD')`;
  const text = sql`(${value})::text`;
  return isEncoded(kind) ? encodedText(text) : text;
};

const keyWords: KeyWords = {
  idText: (parts) => sql`((${join(parts.map(partText), ") || ',' || (")}) collate "C")`,
  idPart: (id, place, kind) => {
    const text = sql`split_part(cast(${id} as text), ',', ${literal(place + 1)})`;
    return sql`cast(${isEncoded(kind) ? decodedText(text) : text} as ${castType(kind)})`;
  },
};

/** Compiler that writes the service's own tables under their stored names. */
export class OwnPostgresCompiler extends PostgresQueryCompiler {
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

/** Compiler with numbered parameters (`$1`), so that one may occur in several places. */
class NumberingPostgresCompiler extends OwnPostgresCompiler {
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
    this.append(`$${this.#numbering.of(parameter, add)}`);
  }
}

/**
 * A bare name is that of a column first, also of one of the statement around it, so the row has a name that no field
 * can have.
 */
const object = (entries: readonly JsonEntry[]): Fragment =>
  sql`(select row_to_json(_row) from (select ${join(
    entries.map((entry) => sql`${entry.value} as ${identifier(entry.name)}`),
  )}) as _row)`;

/** A whole number as the text of a decimal; null stays null, as every operator here returns null for it. */
const decimal = (value: Fragment, scale: number): Fragment =>
  scale === 0 ? sql`${value}::text` : sql`(${value} * ${sql.raw(fromScaled(1, scale))})::text`;

/**
 * A double as JavaScript writes it. PostgreSQL writes the same within 1e-4 and 1e15. Around that, down to 1e-6 and up
 * to 1e21, it has exponents, where jsonb has none; below, its exponents have two digits. The array and the few nodes
 * are for speed: each statement that runs sets them all up. Not done, as it would double that: beyond 2^54 PostgreSQL
 * passes over a text that lies exactly halfway to the next double, and takes one with more digits.
 */
const double = (value: Fragment): Fragment =>
  sql`case width_bucket(abs(${value}), '{1e-6,1e-4,1e15,1e21}'::float8[])
    when 2 then to_json(${value}) when 0 then replace(to_json(${value} + 0)::text, 'e-0', 'e-')::json
    when 4 then to_json(${value}) else to_jsonb(${value})::json end`;

const columns: Dialect['columns'] = {
  text: { type: 'text collate "C"' },
  integer: { type: 'bigint' },
  bigint: { type: 'bigint', render: (value) => sql`${value}::text` },
  decimal: { type: 'bigint', render: decimal },
  number: { type: 'double precision', render: double },
  boolean: { type: 'boolean' },
  timestamp: {
    type: 'timestamptz(3)',
    render: (value) => sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  },
  date: { type: 'date' },
  time: { type: 'time(0)' },
  uuid: {
    type: 'uuid',
    // Their texts have the same order.
    extreme: (of, value) => sql`cast(${sql.raw(of)}(${value}::text collate "C") as uuid)`,
  },
  json: { type: 'json' },
} satisfies Record<string, ColumnDialect>;

/** SQL type of a kind of column, as a cast names it. Times of other programs have parts of a second. */
const castType = (kind: ColumnKind): Fragment =>
  sql.raw(columns[kind].type.replace(/ collate .*$|\(0\)$/, ''));

/** A cast refuses the whole statement for a value of a former type of the field, so numbers are looked at first. */
const member: Dialect['member'] = (object, keys, kind, scale) => {
  const text = sql`(${object} #>> array[${join(keys.map((key) => literal(key)))}])`;
  if (kind === 'boolean') return sql`(${text} = 'true')`;
  if (kind === 'integer') return sql`(case when ${text} ~ '^-?[0-9]{1,18}$' then ${text}::bigint end)`;
  if (kind === 'bigint')
    return sql`(case when ${text} ~ '^-?[0-9]{1,19}$' then case when ${text}::numeric between -9223372036854775808 and 9223372036854775807 then ${text}::bigint end end)`;
  if (kind === 'decimal')
    return sql`(case when ${text} ~ '^-?[0-9]{1,15}([.][0-9]{1,8})?$' then round(${text}::numeric * ${literal(10 ** scale)})::bigint end)`;
  return sql`cast(${text} as ${castType(kind)})`;
};

const agree: Dialect['agree'] = (one, other, keys) => {
  if (keys.length === 0) return sql`(1 = 1)`;
  const named = join(keys.map((key) => literal(key)));
  const held = (object: Fragment): Fragment =>
    sql`(select jsonb_object_agg(key, value) from json_each_text(${object}) where key in (${named}) and value is not null)`;
  return sql`(${held(one)} is not distinct from ${held(other)})`;
};

/**
 * The start of the statement, not of the transaction, which may be much older. `clock_timestamp()` is volatile, so no
 * index can use it. The time is cut, not rounded: a rounded one may lie ahead of the next statement.
 */
const now = sql`date_trunc('milliseconds', statement_timestamp())`;

/**
 * Identifies the statement's snapshot. Every commit gets its own transaction id, so equal ids mean that nothing was
 * committed in between. A restarted server, or one that took its place, may give lost ids once more, so the time of its
 * start is a part. Null on a replica: its snapshots leave out which of the transactions between the oldest and the
 * newest still run, so that one of these may end without a change.
 */
const snapshotId = sql`(case when not pg_is_in_recovery() then
  pg_current_snapshot()::text || ' ' || pg_postmaster_start_time()::text end)`;

/**
 * A temporary file of some 500 KB in each tablespace that holds tables of the service. It needs no privilege, and
 * leaves nothing in the catalogues. Tablespaces in which the role may make nothing are passed over.
 */
const probeEachTablespace = `do $$
declare place name;
begin
  perform set_config('work_mem', '64kB', true);
  for place in
    select distinct coalesce(t.spcname, '')
    from pg_class c left join pg_tablespace t on t.oid = c.reltablespace
    where c.relnamespace = quote_ident(current_schema())::regnamespace and c.relkind in ('r', 'i')
      and (t.oid is null or has_tablespace_privilege(t.oid, 'create'))
  loop
    perform set_config('temp_tablespaces', quote_ident(place), true);
    perform count(*) from generate_series(1, 16384);
  end loop;
end $$`;

const bucketFormats: Readonly<Record<Bucket, string>> = {
  hour: 'YYYY-MM-DD"T"HH24',
  day: 'YYYY-MM-DD',
  week: 'IYYY-"W"IW',
  month: 'YYYY-MM',
  year: 'YYYY',
};

/** A moment by the clock of a place, within the years that timestamps have. `least` ignores nulls. */
const localTime = (value: Fragment, shift: Fragment): Fragment => {
  const moved = sql`${value} at time zone 'UTC' + cast(${shift} as interval)`;
  const bounded = sql`greatest(least(${moved}, timestamp '9999-12-31 23:59'), timestamp '0001-01-01 00:00')`;
  return sql`case when ${value} is not null then ${bounded} end`;
};

/** The text 1; where a condition holds, the character NUL, of which there is none: an error of its own. */
const unless = (condition: Fragment): Fragment => sql`chr(case when ${condition} then 0 else 49 end)`;

/** A number of the program's own; any other would do. */
const commitOrder = 7118540126532470n;

type Named = 'names' | 'builder' | 'tableBytes' | 'commitOrderLock' | 'schema';

/** Everything that does not depend on the names of the service's own tables. */
const words: Omit<Dialect, Named> = {
  name: 'postgres',
  program: { name: 'PostgreSQL', versionSql: "select current_setting('server_version') as version" },
  columns,
  cast: (value, kind) => sql`cast(${value} as ${castType(kind)})`,
  recordId: (number, text) => sql`coalesce(to_json(${text}), to_json(${number}))`,
  object,
  objectText: (entries) => sql`${object(entries)}::text`,
  member,
  agree,
  unclosed: (text) => sql`left(${text}, -1)`,
  fits: (text, bytes) =>
    sql`cast(${unless(sql`sum(octet_length(${text})) over (rows unbounded preceding) > ${literal(bytes)}`)} as integer)`,
  atMost: (count, most) => sql`${unless(sql`${count} > ${literal(most)}`)} = '1'`,
  assertRowsExamined: () => undefined,
  databaseBytes: sql`pg_database_size(current_database())`,
  snapshotId,
  milliseconds: (value) => sql`date_trunc('milliseconds', cast(${value} as timestamptz))`,
  rowHash: (values) => sql`(hashtextextended(row(${join(values)})::text, 0) & 9007199254740991)`,
  arrayText: (values) => sql`json_build_array(${join(values)})::text`,
  arrayOf: (_column, query) => sql`to_json(array(${query}))`,
  joined: (value, separator) => sql`string_agg(${value}, ${separator})`,
  answer: (json) => json,
  octets: (value) => sql`octet_length((${value})::text)::bigint`,
  contains: (value, needle) => sql`strpos(lower((${value}) collate "C"), ${needle}) > 0`,
  ordered: (value, descending, nullable) => {
    if (!nullable) return descending ? sql`${value} desc` : value;
    return descending ? sql`${value} desc nulls last` : sql`${value} nulls first`;
  },
  // An IN among alternatives would be evaluated for each row.
  among: (value, query) => sql`${value} = any(array(${query}))`,
  rows: (count) => count,
  updateLock: sql` for no key update`,
  deleteLock: sql` for update`,
  locksRows: true,
  givenKey: sql` overriding system value`,
  now,
  nowMicroseconds: sql`floor(extract(epoch from statement_timestamp()) * 1000000)::bigint`,
  later: (milliseconds) => sql`${now} + ${milliseconds} * interval '1 millisecond'`,
  bucket: (value, bucket, kind, shift) => {
    const moment = kind === 'date' ? sql`cast(${value} as timestamp)` : localTime(value, shift);
    return sql`to_char(${moment}, ${literal(bucketFormats[bucket])}) collate "C"`;
  },
  forUpdateSkipLocked: sql`for no key update skip locked`,
  // A transaction would take three ways to the server and back where this takes one.
  writeWithCte: (write, others) =>
    sql`with _written as (${write}), ${join(
      others.map((other, index) => sql`${identifier(`_beside${index}`)} as (${other})`),
    )} select * from _written`,
  computesSkippedRows: true,
  hasLateral: true,
  misestimatesBoundLimit: true,
  prefersMaterializedCount: true,
  diskProbe: [probeEachTablespace],
  isDiskProbeCheap: true,
  search: searchPostgres,
};

const makeDialect = (names: ServiceNames): Dialect => ({
  ...words,
  names,
  builder: new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new NumberingPostgresCompiler(names),
    },
  }),
  tableBytes: (table) => sql`pg_table_size(${literal(names.quoted(table))}::regclass)`,
  commitOrderLock: sql`select pg_advisory_xact_lock(${sql.raw(names.lock(commitOrder))}) as turn`,
  schema: postgresSchema(names),
});

const made = new Map<ServiceNames, Dialect>();

/** The dialect with the names of the service's own tables: one for each. */
export const postgresDialectWith = (names: ServiceNames): Dialect => {
  const dialect = made.get(names) ?? makeDialect(names);
  made.set(names, dialect);
  return dialect;
};

export const postgresDialect: Dialect = postgresDialectWith(serviceNames());
