/** Tables of a PostgreSQL database as its catalogue describes them. */

import type { Introspection, SameKey } from '../introspection.ts';
import type { ServiceNames } from '../service-names.ts';
import { foundTableName, isOurSchema } from './schemas.ts';

interface ColumnRow {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly collation: string | null;
  readonly not_null: boolean;
  readonly preset: string | null;
  readonly target: string | null;
  readonly action: string | null;
  readonly constraint: string | null;
  readonly same_column: string | null;
  readonly same_to: string | null;
  readonly same_action: string | null;
  readonly same_name: string | null;
}

interface IndexRow {
  readonly table: string;
  readonly index: string;
  readonly unique: boolean;
  readonly column: string | null;
}

/** The table that a reference names. */
const target = (names: ServiceNames): string =>
  foundTableName('t', '(select nspname from pg_namespace where oid = t.relnamespace)', names);

const columnsSql = (
  names: ServiceNames,
): string => `select ${foundTableName('c', 'n.nspname', names)} as "table", a.attname::text as name,
    format_type(a.atttypid, a.atttypmod) as type, o.collname::text as "collation",
    a.attnotnull as not_null, pg_get_expr(d.adbin, d.adrelid) as preset,
    ${target(names)} as target, k.confdeltype::text as action, k.conname::text as "constraint",
    sa.attname::text as same_column, st.attname::text as same_to, s.confdeltype::text as same_action,
    s.conname::text as same_name
  from pg_attribute a
  join pg_class c on c.oid = a.attrelid
  join pg_namespace n on n.oid = c.relnamespace
  join pg_type y on y.oid = a.atttypid
  left join pg_collation o on o.oid = a.attcollation and a.attcollation <> y.typcollation
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  left join pg_constraint k on k.conrelid = a.attrelid and k.contype = 'f' and k.conkey = array[a.attnum]
  left join pg_class t on t.oid = k.confrelid
  left join pg_constraint s on s.conrelid = a.attrelid and s.contype = 'f' and s.confrelid = k.confrelid
    and cardinality(s.conkey) = 2 and s.conkey[1] = a.attnum and s.confkey[1] = k.confkey[1]
  left join pg_attribute sa on sa.attrelid = s.conrelid and sa.attnum = s.conkey[2]
  left join pg_attribute st on st.attrelid = s.confrelid and st.attnum = s.confkey[2]
  where ${isOurSchema('n.nspname', names)} and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
  order by c.relname, a.attnum`;

const indexesSql = (
  names: ServiceNames,
): string => `select ${foundTableName('c', 'n.nspname', names)} as "table", i.relname::text as "index", x.indisunique as "unique",
    a.attname::text as "column"
  from pg_index x
  join pg_class i on i.oid = x.indexrelid
  join pg_class c on c.oid = x.indrelid
  join pg_namespace n on n.oid = c.relnamespace
  cross join lateral unnest(x.indkey::int2[]) with ordinality as k (attnum, position)
  left join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
  where ${isOurSchema('n.nspname', names)} and not x.indisprimary and x.indpred is null
  order by c.relname, i.relname, k.position`;

const searchesSql = `select c.relname::text as "table", obj_description(c.oid, 'pg_class') as columns
  from pg_class c
  where c.relnamespace = quote_ident(current_schema())::regnamespace and c.relkind = 'r' and c.relname like 'gatewright\\_search\\_%'
    and obj_description(c.oid, 'pg_class') is not null`;

const actions: Readonly<Record<string, string>> = {
  a: 'no action',
  r: 'restrict',
  c: 'cascade',
  n: 'set null',
  d: 'set default',
};

/** The spelling of PostgreSQL's own for the names that field types use. */
const spelt = (type: string): string =>
  type
    .toLowerCase()
    .replace(/^(time|timestamp)(\(\d\))? with time zone/, '$1tz$2')
    .replace(/ without time zone$/, '')
    .replace(/\s+/g, ' ');

const sameKeyOf = ({ same_column, same_to, same_action, same_name }: ColumnRow): SameKey | undefined =>
  same_column === null || same_to === null
    ? undefined
    : {
        column: same_column,
        to: same_to,
        onDelete: actions[same_action ?? ''] ?? 'no action',
        name: same_name ?? undefined,
      };

export const introspectPostgres = (names: ServiceNames): Introspection => ({
  columns: async (ask) =>
    (await ask<ColumnRow>(columnsSql(names))).map((row) => ({
      table: row.table,
      name: row.name,
      type: spelt(row.type) + (row.collation === null ? '' : ` collate "${row.collation}"`),
      notNull: row.not_null,
      preset: row.preset ?? undefined,
      references:
        row.target === null
          ? undefined
          : {
              table: row.target,
              onDelete: actions[row.action ?? ''] ?? 'no action',
              name: row.constraint ?? undefined,
              same: sameKeyOf(row),
            },
    })),
  indexes: (ask) => ask<IndexRow>(indexesSql(names)),
  searches: (ask) => ask(searchesSql),
  holds: (declared, wanted) => spelt(declared) === spelt(wanted),
});
