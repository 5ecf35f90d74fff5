/** Tables of any program as the catalogue of PostgreSQL describes them. */

import type {
  DescribedColumn,
  DescribedReference,
  DescribedTable,
  DescribedUnique,
  DescribeSchema,
  Provision,
  StoredType,
  TableKind,
} from '../described-tables.ts';
import type { Ask } from '../introspection.ts';
import { quoteText } from '../quote.ts';
import { describeRowSecurity } from './describe-row-security.ts';
import {
  type FormRow,
  formColumns,
  formOfPostgres,
  kindsOfPostgres,
  mostReal,
  typeBehindDomains,
} from './introspect.ts';

interface DescribedRow {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly partition: boolean;
  readonly parent: string | null;
  readonly secured: boolean;
  readonly hidden: boolean;
  readonly comment: string | null;
  readonly extension: string | null;
  readonly selects: boolean;
  readonly inserts: boolean;
  readonly updates: boolean;
  readonly deletes: boolean;
}

interface TypeRow extends FormRow {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly category: string;
  readonly base: string | null;
  readonly modifier: number;
  readonly not_null: boolean;
  readonly preset: string | null;
  readonly checks: readonly string[] | null;
}

interface ColumnRow {
  readonly table: string;
  readonly name: string;
  readonly declared: string;
  /** The type behind its domains. */
  readonly spelt: string;
  readonly type: string;
  readonly modifier: number;
  readonly not_null: boolean;
  readonly preset: string | null;
  readonly identity: string;
  readonly generated: string;
  readonly comment: string | null;
  readonly readable: boolean;
  readonly exact: boolean;
}

interface ConstraintRow {
  readonly table: string;
  readonly name: string;
  readonly kind: string;
  readonly columns: readonly string[] | null;
  readonly to_schema: string | null;
  readonly to_table: string | null;
  readonly to_columns: readonly string[] | null;
  readonly action: string;
  readonly sql: string | null;
}

interface UniqueRow {
  readonly table: string;
  readonly name: string;
  readonly columns: readonly (string | null)[];
  readonly partial: boolean;
  readonly nulls_alike: boolean;
}

/** Tables, partitioned tables, views, materialized views and foreign tables of a schema. */
const within = (schema: string): string =>
  `c.relnamespace = (select oid from pg_namespace where nspname = ${schema}) and c.relkind in ('r', 'p', 'v', 'm', 'f')`;

const tablesSql = (schema: string): string => `select c.oid::text as id, c.relname::text as name,
    c.relkind::text as kind, c.relispartition as partition,
    (select p.relname::text from pg_inherits i join pg_class p on p.oid = i.inhparent
     where i.inhrelid = c.oid order by i.inhseqno limit 1) as parent,
    c.relrowsecurity as secured, row_security_active(c.oid) as hidden,
    obj_description(c.oid, 'pg_class') as comment,
    (select e.extname::text from pg_depend d join pg_extension e on e.oid = d.refobjid
     where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e' limit 1) as extension,
    has_any_column_privilege(c.oid, 'select') as selects,
    has_any_column_privilege(c.oid, 'insert') as inserts,
    has_any_column_privilege(c.oid, 'update') as updates, has_table_privilege(c.oid, 'delete') as deletes
  from pg_class c where ${within(schema)} order by c.relname collate "C"`;

const typesSql = `select f.oid::text as id, f.typname::text as name, f.typtype::text as kind,
    f.typcategory::text as category, nullif(f.typbasetype, 0)::text as base, f.typtypmod as modifier,
    f.typnotnull as not_null, pg_get_expr(f.typdefaultbin, 0) as preset, ${formColumns},
    (select array_agg(pg_get_constraintdef(k.oid) order by k.conname) from pg_constraint k
     where k.contypid = f.oid and k.contype = 'c') as checks
  from pg_type f join pg_namespace g on g.oid = f.typnamespace where f.typtype <> 'c'`;

const columnsSql = (schema: string): string => `select a.attrelid::text as "table", a.attname::text as name,
    format_type(a.atttypid, a.atttypmod) as declared, ${typeBehindDomains} as spelt, a.atttypid::text as type, a.atttypmod as modifier,
    a.attnotnull as not_null, pg_get_expr(d.adbin, d.adrelid) as preset, a.attidentity::text as identity,
    a.attgenerated::text as generated, col_description(a.attrelid, a.attnum) as comment,
    has_column_privilege(a.attrelid, a.attnum, 'select') as readable, coalesce(o.collisdeterministic, true) as exact
  from pg_attribute a
  join pg_class c on c.oid = a.attrelid
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  left join pg_collation o on o.oid = a.attcollation
  where ${within(schema)} and a.attnum > 0 and not a.attisdropped
  order by a.attrelid, a.attnum`;

/** The columns of a constraint by their numbers, in the order of the constraint. */
const namesOf = (table: string, numbers: string): string =>
  `(select array_agg(a.attname::text order by u.place) from unnest(${numbers}) with ordinality u (num, place)
     join pg_attribute a on a.attrelid = ${table} and a.attnum = u.num)`;

// A key that refers to a partitioned table has a copy for each partition, of which it is the parent.
const constraintsSql = (
  schema: string,
): string => `select k.conrelid::text as "table", k.conname::text as name,
    k.contype::text as kind, ${namesOf('k.conrelid', 'k.conkey')} as columns,
    n.nspname::text as to_schema, t.relname::text as to_table, ${namesOf('k.confrelid', 'k.confkey')} as to_columns,
    k.confdeltype::text as action,
    case when k.contype in ('c', 'x') then pg_get_constraintdef(k.oid) end as sql
  from pg_constraint k
  join pg_class c on c.oid = k.conrelid
  left join pg_class t on t.oid = k.confrelid
  left join pg_namespace n on n.oid = t.relnamespace
  where ${within(schema)} and k.contype in ('p', 'f', 'c', 'x') and (k.contype <> 'f' or k.conparentid = 0)
  order by k.conrelid, k.conname`;

// Servers before version 15 have no nulls that are alike, and no column that says so.
const uniqueSql = (schema: string): string => `select i.indrelid::text as "table", x.relname::text as name,
    (select array_agg(a.attname::text order by u.place) from unnest(i.indkey::int2[]) with ordinality u (num, place)
     left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = u.num and u.num <> 0
     where u.place <= i.indnkeyatts) as columns,
    i.indpred is not null as partial, coalesce((to_jsonb(i)->>'indnullsnotdistinct')::boolean, false) as nulls_alike
  from pg_index i
  join pg_class c on c.oid = i.indrelid
  join pg_class x on x.oid = i.indexrelid
  where ${within(schema)} and i.indisunique and not i.indisprimary and i.indisvalid
  order by i.indrelid, x.relname`;

/** Types whose values no field has, each with its reason. */
const others: ReadonlyMap<string, string> = new Map([
  ['bytea', 'no field holds bytes'],
  ['money', 'the form of money depends on the server: numeric is exact'],
  ['interval', 'no field holds a span of time'],
  ['timetz', 'no field holds a time of day with a zone'],
  ['xml', 'no field holds XML'],
  ['tsvector', 'the words of a search are no value for callers'],
  ['tsquery', 'the words of a search are no value for callers'],
  ['inet', 'no field holds a network address'],
  ['cidr', 'no field holds a network address'],
  ['macaddr', 'no field holds a hardware address'],
  ['macaddr8', 'no field holds a hardware address'],
  ['bit', 'no field holds bits'],
  ['varbit', 'no field holds bits'],
  ['hstore', 'no field holds pairs of texts: jsonb has one'],
]);

const ofCategory: ReadonlyMap<string, string> = new Map([
  ['A', 'no field holds an array'],
  ['R', 'no field holds a range'],
  ['G', 'no field holds a geometric value'],
  ['C', 'no field holds a row'],
]);

const integers: ReadonlyMap<string, readonly [min: number | undefined, max: number | undefined]> = new Map([
  ['int2', [-32_768, 32_767]],
  ['int4', [-2_147_483_648, 2_147_483_647]],
  ['int8', [undefined, undefined]],
]);

const plain: ReadonlyMap<string, 'number' | 'boolean' | 'date' | 'uuid' | 'json'> = new Map([
  ['float8', 'number'],
  ['bool', 'boolean'],
  ['date', 'date'],
  ['uuid', 'uuid'],
  ['json', 'json'],
  ['jsonb', 'json'],
]);

const texts = new Set(['text', 'varchar', 'bpchar', 'citext', 'name']);

/** The modifier of a numeric type has its precision in the upper half, and a scale of 11 bits with a sign. */
const decimalType = (modifier: number): StoredType => {
  if (modifier < 4) return { kind: 'decimal', precision: undefined, scale: undefined };
  const packed = modifier - 4;
  return { kind: 'decimal', precision: (packed >> 16) & 0xffff, scale: ((packed & 0x7ff) ^ 1024) - 1024 };
};

const textType = (name: string, modifier: number, exact: boolean): StoredType => ({
  kind: 'text',
  max: name === 'name' ? 63 : modifier >= 4 && name !== 'text' ? modifier - 4 : undefined,
  padded: name === 'bpchar',
  foldsCase: name === 'citext' || !exact,
});

/** The type of a domain's values, after all domains on which it is built. */
const storedType = (type: TypeRow, modifier: number, exact: boolean): StoredType => {
  const { name, kind, category, form_labels: choices } = type;
  if (kind === 'e')
    return formOfPostgres(type) === undefined
      ? { kind: 'other', because: `no model can name the type ${name}` }
      : { kind: 'enum', choices: choices ?? [] };
  const bounds = integers.get(name);
  if (bounds !== undefined) return { kind: 'integer', min: bounds[0], max: bounds[1], wide: name === 'int8' };
  const simple = plain.get(name);
  if (simple !== undefined) return { kind: simple };
  if (name === 'float4') return { kind: 'number', min: -mostReal, max: mostReal };
  if (texts.has(name)) return textType(name, modifier, exact);
  if (name === 'numeric') return decimalType(modifier);
  if (name === 'timestamptz' || name === 'timestamp')
    return { kind: 'timestamp', zoned: name === 'timestamptz', fine: modifier < 0 || modifier > 3 };
  if (name === 'time') return { kind: 'time', places: modifier < 0 ? 6 : modifier };
  return {
    kind: 'other',
    because: others.get(name) ?? ofCategory.get(category) ?? `no field holds values of ${name}`,
  };
};

/** A column's type behind its domains, and what these add to it. */
interface Resolved {
  readonly type: TypeRow | undefined;
  readonly modifier: number;
  readonly notNull: boolean;
  readonly preset: string | undefined;
  readonly checks: readonly string[];
}

const behindDomains = (types: ReadonlyMap<string, TypeRow>, id: string, modifier: number): Resolved => {
  const type = types.get(id);
  if (type?.base == null) return { type, modifier, notNull: false, preset: undefined, checks: [] };
  const base = behindDomains(types, type.base, type.modifier);
  return {
    ...base,
    notNull: base.notNull || type.not_null,
    preset: type.preset ?? base.preset,
    checks: [...base.checks, ...(type.checks ?? [])],
  };
};

/** A literal with its casts, as PostgreSQL prints a default. */
const literal =
  /^(?:E?'(?<text>(?:[^']|'')*)'|\(?(?<number>-?\d+(?:\.\d+)?)\)?|(?<truth>true|false))(?:::[\w\s."[\](),]+)*$/i;

const constantOf = (sql: string): string | undefined => {
  const { text, number, truth } = literal.exec(sql)?.groups ?? {};
  if (text === undefined) return number ?? truth?.toLowerCase();
  const whole = text.replaceAll("''", "'");
  return /^E/i.test(sql) ? whole.replaceAll('\\\\', '\\') : whole;
};

const provisionOf = (
  { identity, generated, preset }: ColumnRow,
  ofDomain: string | undefined,
): Provision | undefined => {
  if (generated !== '') return { by: 'always', sql: preset ?? '' };
  if (identity !== '') return { by: 'count' };
  const sql = preset ?? ofDomain;
  if (sql === undefined || /^NULL(?:::.*)?$/i.test(sql)) return undefined;
  if (/^nextval\(/i.test(sql)) return { by: 'count' };
  const text = constantOf(sql);
  return text === undefined ? { by: 'expression', sql } : { by: 'constant', text };
};

const columnOf = (
  row: ColumnRow,
  types: ReadonlyMap<string, TypeRow>,
  isCurrent: boolean,
): DescribedColumn => {
  const { type, modifier, notNull, preset, checks } = behindDomains(types, row.type, row.modifier);
  const form = type && formOfPostgres(type);
  return {
    name: row.name,
    declared: row.declared,
    type:
      type === undefined
        ? { kind: 'other', because: 'no field holds a row' }
        : storedType(type, modifier, row.exact),
    // The service finds a type of another schema only by its whole name.
    form: isCurrent ? form?.names[0] : form?.names.at(-1),
    holds: form === undefined ? kindsOfPostgres(row.spelt) : [...kindsOfPostgres(row.spelt), form.kind],
    notNull: row.not_null || notNull,
    provision: provisionOf(row, preset),
    comment: row.comment ?? undefined,
    readable: row.readable,
    checks: checks.map(conditionOf),
  };
};

/** `CHECK ((…))` without its word. */
const conditionOf = (sql: string): string =>
  sql.replace(/^CHECK \(/, '').replace(/\)(?: NOT VALID| NO INHERIT)*$/, '');

const kinds: Readonly<Record<string, TableKind>> = {
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
};

const actions: Readonly<Record<string, string>> = {
  a: 'no action',
  r: 'restrict',
  c: 'cascade',
  n: 'set null',
  d: 'set default',
};

const uniqueOf = ({ name, columns, partial, nulls_alike }: UniqueRow): DescribedUnique => {
  const named = columns.flatMap((column) => column ?? []);
  const reasons = [
    named.length < columns.length && 'it has an expression',
    partial && 'it is for some rows only',
    nulls_alike && 'it takes two nulls for the same',
  ].filter((each) => each !== false);
  return { name, columns: named, because: reasons.length === 0 ? undefined : reasons.join(', and ') };
};

const referenceOf = (row: ConstraintRow): DescribedReference => ({
  name: row.name,
  columns: row.columns ?? [],
  table: { schema: row.to_schema ?? undefined, name: row.to_table ?? '' },
  to: row.to_columns ?? [],
  onDelete: actions[row.action] ?? 'no action',
});

/** The rows that belong to a table, in each list. */
interface OfTable {
  readonly columns: readonly DescribedColumn[];
  readonly constraints: readonly ConstraintRow[];
  readonly unique: readonly UniqueRow[];
}

const tableOf = (
  schema: string,
  row: DescribedRow,
  { columns, constraints, unique }: OfTable,
): DescribedTable => {
  const rights = [
    ['select', row.selects],
    ['insert', row.inserts],
    ['update', row.updates],
    ['delete', row.deletes],
  ] as const;
  return {
    schema,
    name: row.name,
    kind: kinds[row.kind] ?? 'table',
    columns,
    key: constraints.find(({ kind }) => kind === 'p')?.columns ?? [],
    unique: unique.map(uniqueOf),
    references: constraints.filter(({ kind }) => kind === 'f').map(referenceOf),
    checks: constraints
      .filter(({ kind }) => kind === 'c' || kind === 'x')
      .map(({ name, sql }) => ({ name, sql: conditionOf(sql ?? '') })),
    comment: row.comment ?? undefined,
    rowSecurity: row.hidden ? 'hidden' : row.secured ? 'exempt' : 'off',
    partitionOf: row.partition ? (row.parent ?? undefined) : undefined,
    inherits: row.partition ? undefined : (row.parent ?? undefined),
    extension: row.extension ?? undefined,
    internal: false,
    rights: rights.flatMap(([right, has]) => (has ? [right] : [])),
  };
};

/** The schema to read: the given one, or the one in which statements look first. @throws Error */
const chosenSchema = async (ask: Ask, given: string | undefined): Promise<readonly [string, boolean]> => {
  const [current] = await ask<{ name: string | null }>('select current_schema()::text as name');
  const name = given ?? current?.name ?? undefined;
  if (name === undefined) throw new Error('the connection has no schema: name one with --schema');
  const [found] = await ask<{ usable: boolean }>(
    `select has_schema_privilege(oid, 'usage') as usable from pg_namespace where nspname = ${quoteText(name)}`,
  );
  if (found === undefined) throw new Error(`there is no schema ${name}`);
  if (!found.usable) throw new Error(`this database user may not use the schema ${name}`);
  return [name, name === current?.name];
};

const byTable = <Row extends { readonly table: string }>(rows: readonly Row[]): ReadonlyMap<string, Row[]> =>
  Map.groupBy(rows, ({ table }) => table);

export const describePostgres: DescribeSchema = async (ask, given) => {
  const [schema, current] = await chosenSchema(ask, given);
  const named = quoteText(schema);
  // Until the transaction ends: types and defaults are then spelt in one way for every user.
  await ask(`select set_config('search_path', quote_ident(${named}), true)`);
  const tables = await ask<DescribedRow>(tablesSql(named));
  const types = new Map((await ask<TypeRow>(typesSql)).map((type) => [type.id, type]));
  const columns = byTable(await ask<ColumnRow>(columnsSql(named)));
  const constraints = byTable(await ask<ConstraintRow>(constraintsSql(named)));
  const unique = byTable(await ask<UniqueRow>(uniqueSql(named)));
  return {
    schema,
    current,
    rowSecurity: await describeRowSecurity(ask, named),
    tables: tables.map((table) =>
      tableOf(schema, table, {
        columns: (columns.get(table.id) ?? []).map((row) => columnOf(row, types, current)),
        constraints: constraints.get(table.id) ?? [],
        unique: unique.get(table.id) ?? [],
      }),
    ),
  };
};
