/** Tables of a SQLite file as its schema describes them. */

import type { ColumnKind } from '../../fields/field.ts';
import { timeForms } from '../../model/stored-table.ts';
import type { Ask, ColumnForm, ExternalTable, Introspection } from '../introspection.ts';
import { quoteText } from '../quote.ts';

interface ColumnRow {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly not_null: number;
  readonly preset: string | null;
  readonly pk: number;
}

interface ForeignKeyRow {
  readonly table: string;
  readonly column: string;
  readonly target: string;
  readonly action: string;
}

interface SameRow {
  readonly table: string;
  readonly reference: string;
  readonly target: string;
  readonly column: string;
  readonly to: string;
  readonly action: string;
}

interface IndexRow {
  readonly table: string;
  readonly index: string;
  readonly unique: number;
  readonly column: string | null;
}

const ownTables = `m.type = 'table' and m.name not like 'sqlite\\_%' escape '\\'`;

const columnsSql = `select m.name as "table", c.name as name, c.type as type, c."notnull" as not_null,
    c.dflt_value as preset, c.pk as pk
  from sqlite_master m join pragma_table_xinfo(m.name) c
  where ${ownTables} order by m.name, c.cid`;

/** Foreign keys of one column. `seq` counts the columns of a key; one over several is not a reference. */
const foreignKeysSql = `select m.name as "table", f."from" as "column", f."table" as target,
    lower(f.on_delete) as action
  from sqlite_master m join pragma_foreign_key_list(m.name) f
  where ${ownTables}
    and not exists (select 1 from pragma_foreign_key_list(m.name) o where o.id = f.id and o.seq > 0)`;

/** Foreign keys of a reference and one more column. */
const sameKeysSql = `select m.name as "table", f."from" as reference, f."table" as target, s."from" as "column",
    s."to" as "to", lower(f.on_delete) as action
  from sqlite_master m join pragma_foreign_key_list(m.name) f join pragma_foreign_key_list(m.name) s
  where ${ownTables} and f.seq = 0 and f."to" = 'id' and s.id = f.id and s.seq = 1
    and not exists (select 1 from pragma_foreign_key_list(m.name) o where o.id = f.id and o.seq > 1)`;

const indexesSql = `select m.name as "table", i.name as "index", i."unique" as "unique", x.name as "column"
  from sqlite_master m join pragma_index_list(m.name) i join pragma_index_xinfo(i.name) x
  where ${ownTables} and i.origin <> 'pk' and i.partial = 0 and x.key = 1
  order by m.name, i.name, x.seqno`;

/** Without the columns that a virtual table has for its functions. */
const searchesSql = `select l.name as "table", (select json_group_array(c.name order by c.cid)
    from pragma_table_info(l.name) c) as columns
  from pragma_table_list l where l.schema = 'main' and l.type = 'virtual' and l.name like 'gatewright\\_search\\_%' escape '\\'`;

/**
 * https://sqlite.org/datatype3.html#determination_of_column_affinity; whole numbers are the same in both of the last.
 */
export const affinity = (declared: string): 'integer' | 'text' | 'blob' | 'real' => {
  const type = declared.toUpperCase();
  if (type.includes('INT')) return 'integer';
  if (/CHAR|CLOB|TEXT/.test(type)) return 'text';
  if (type === '' || type.includes('BLOB')) return 'blob';
  return /REAL|FLOA|DOUB/.test(type) ? 'real' : 'integer';
};

/** True for types of times, which keep the texts of other programs. */
export const isTimeType = (declared: string): boolean => /^\s*(?:datetime|timestamp)/i.test(declared);

/** The form of times that a model names; texts may have that of the service. */
const formOfSqlite = (declared: string): ColumnForm | undefined =>
  isTimeType(declared) || affinity(declared) === 'text'
    ? { names: timeForms, kind: 'timestamp', isOptional: !isTimeType(declared) }
    : undefined;

const external = async (
  ask: Ask,
  { name }: { readonly name: string },
): Promise<ExternalTable | undefined> => {
  const [found] = await ask<{ name: string; type: 'table' | 'view' }>(
    `select name, type from sqlite_master where type in ('table', 'view') and lower(name) = lower(${quoteText(name)})`,
  );
  if (found === undefined) return undefined;
  const columns = await ask<{
    name: string;
    type: string;
    pk: number;
    demanded: number;
    computed: number;
  }>(
    `select name, type, pk, "notnull" = 1 and dflt_value is null and pk = 0 as demanded, hidden in (2, 3) as computed
      from pragma_table_xinfo(${quoteText(found.name)})`,
  );
  const unique = await ask<{ name: string; index: string }>(`select x.name as name, i.name as "index"
    from pragma_index_list(${quoteText(found.name)}) i join pragma_index_xinfo(i.name) x
    where i."unique" = 1 and i.partial = 0 and x.key = 1
      and not exists (select 1 from pragma_index_xinfo(i.name) o where o.key = 1 and o.name is null)`);
  const primary = columns.filter(({ pk }) => pk > 0);
  const keys = [...Map.groupBy(unique, ({ index }) => index).values(), primary].filter(
    (key) => key.length > 0,
  );
  return {
    schema: undefined,
    name: found.name,
    isCurrentSchema: true,
    kind: found.type,
    columns: new Map(
      columns.map(({ name: of, type, demanded, computed }) => [
        of.toLowerCase(),
        {
          name: of,
          type,
          demanded: demanded === 1 && computed === 0,
          computed: computed === 1,
          most: undefined,
          form: formOfSqlite(type),
        },
      ]),
    ),
    keys: keys.map((key) => key.map((column) => column.name.toLowerCase())),
    rights: ['select', 'insert', 'update', 'delete'],
    user: '',
    isRestricted: false,
    others: [],
  };
};

const affinities: Readonly<Record<ColumnKind, ReturnType<typeof affinity>>> = {
  text: 'text',
  integer: 'integer',
  bigint: 'integer',
  decimal: 'integer',
  number: 'real',
  boolean: 'integer',
  timestamp: 'text',
  date: 'text',
  time: 'text',
  uuid: 'text',
  json: 'text',
};

const columnKinds = Object.keys(affinities) as readonly ColumnKind[];

/** Texts that no number looks like: a column of the affinity NUMERIC keeps them as they are. */
const unlikeNumbers: ReadonlySet<ColumnKind> = new Set(['date', 'json', 'uuid']);

const isNumericOnly = (declared: string): boolean =>
  affinity(declared) === 'integer' && !declared.toUpperCase().includes('INT');

// A column of a view may have no type.
const fits: Introspection['fits'] = (declared, kind) =>
  declared === '' ||
  affinity(declared) === affinities[kind] ||
  (unlikeNumbers.has(kind) && isNumericOnly(declared)) ||
  (kind === 'decimal' && affinity(declared) === 'real');

/** The kinds of values that the service can serve from a column of a table, by its declared type. */
export const kindsOfSqlite = (declared: string): readonly ColumnKind[] =>
  declared === '' ? [] : columnKinds.filter((kind) => fits(declared, kind));

export const introspectSqlite: Introspection = {
  columns: async (ask) => {
    const keys = new Map(
      (await ask<ForeignKeyRow>(foreignKeysSql)).map((key) => [`${key.table}\0${key.column}`, key]),
    );
    const sameKeys = new Map(
      (await ask<SameRow>(sameKeysSql)).map((key) => [`${key.table}\0${key.reference}\0${key.target}`, key]),
    );
    return (await ask<ColumnRow>(columnsSql)).map(({ table, name, type, not_null, preset, pk }) => {
      const key = keys.get(`${table}\0${name}`);
      const same = key && sameKeys.get(`${table}\0${name}\0${key.target}`);
      return {
        table,
        name,
        type,
        // The primary key of a rowid table is never null, even if it is not declared so.
        notNull: not_null === 1 || pk === 1,
        preset: preset ?? undefined,
        references:
          key === undefined
            ? undefined
            : {
                table: key.target,
                onDelete: key.action,
                name: undefined,
                same: same && { column: same.column, to: same.to, onDelete: same.action, name: undefined },
              },
      };
    });
  },
  indexes: async (ask) =>
    (await ask<IndexRow>(indexesSql)).map(({ table, index, unique, column }) => ({
      table,
      index,
      unique: unique === 1,
      column,
    })),
  searches: (ask) => ask(searchesSql),
  external,
  columnKey: (name) => name.toLowerCase(),
  fits,
  fitting: (kind) => affinities[kind],
  holds: (declared, wanted) => affinity(declared) === affinity(wanted),
};
