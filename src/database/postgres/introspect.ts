/** Tables of a PostgreSQL database as its catalogue describes them. */

import type { ColumnKind } from '../../fields/field.ts';
import type {
  Ask,
  ColumnForm,
  ExternalColumn,
  ExternalTable,
  Introspection,
  SameKey,
} from '../introspection.ts';
import { quoteText } from '../quote.ts';
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

interface ExternalRow {
  readonly schema: string;
  readonly is_current: boolean;
  readonly kind: string;
  readonly restricted: boolean;
  readonly rights: string | null;
  readonly user_name: string;
  readonly is_used: boolean;
}

/** The tables of a name, the one that is used first. Rights on a schema come before those on its tables. */
const externalSql = (schema: string | undefined, name: string): string => {
  const right = (action: string): string =>
    `case when has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, '${action}') then '${action}' end`;
  const place = 'array_position(current_schemas(false), n.nspname)';
  return `select n.nspname::text as schema, n.nspname = current_schema() as is_current, c.relkind::text as kind,
    c.relrowsecurity and row_security_active(c.oid) as restricted, current_user::text as user_name,
    concat_ws(' ', ${['select', 'insert', 'update', 'delete'].map(right).join(', ')}) as rights,
    ${schema === undefined ? 'pg_table_is_visible(c.oid)' : 'true'} as is_used
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relname = ${quoteText(name)} and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and ${schema === undefined ? `${place} is not null` : `n.nspname = ${quoteText(schema)}`}
  order by is_used desc, ${place}`;
};

/** A column of the type of the attribute `a`, behind all domains: these add conditions to the type below. */
const behindDomains = (
  column: string,
): string => `(with recursive behind (id, modifier, kind, base, base_modifier) as (
      select d.oid, a.atttypmod, d.typtype, d.typbasetype, d.typtypmod from pg_type d where d.oid = a.atttypid
      union all select d.oid, b.base_modifier, d.typtype, d.typbasetype, d.typtypmod
        from behind b join pg_type d on d.oid = b.base where b.kind = 'd')
    select ${column} from behind where kind <> 'd')`;

export const typeBehindDomains = behindDomains('format_type(id, modifier)');

/** Facts of the catalogue about a type that may need a form of its own. */
export interface FormRow {
  readonly form_name: string;
  readonly form_schema: string;
  readonly form_visible: boolean;
  readonly form_labels: readonly string[] | null;
}

/** Columns of `FormRow`, of the type `f` in the schema `g`. */
export const formColumns = `f.typname::text as form_name, g.nspname::text as form_schema,
    pg_type_is_visible(f.oid) as form_visible, case when f.typtype = 'e' then
      (select array_agg(e.enumlabel::text order by e.enumsortorder) from pg_enum e where e.enumtypid = f.oid)
    end as form_labels`;

/** Names of enum types that would be taken for something else. */
const taken = /^(?:char|real|citext)$/;

/** The form of a type; undefined for one that needs none, and for an enum type that no model can name. */
export const formOfPostgres = (row: FormRow): ColumnForm | undefined => {
  const { form_name: name, form_schema: schema, form_visible: isVisible, form_labels: labels } = row;
  if (name === 'bpchar') return { names: ['char'], kind: 'text' };
  if (name === 'float4') return { names: ['real'], kind: 'number' };
  const isNamed = [name, schema].every((each) => !/[".]/.test(each)) && !taken.test(name);
  if (name !== 'citext' && (labels === null || !isNamed)) return undefined;
  const whole = `${schema}.${name}`;
  const names = isVisible ? [name, whole] : [whole];
  return labels === null ? { names, kind: 'text' } : { names, kind: 'text', labels };
};

const externalColumnsSql = (schema: string, name: string): string => `select a.attname::text as name,
    ${typeBehindDomains} as type,
    (a.attnotnull or t.typnotnull) and not a.atthasdef and t.typdefault is null and a.attidentity = ''
      and c.relkind in ('r', 'p') as demanded,
    a.attgenerated <> '' or a.attidentity = 'a' as computed,
    (select string_agg(x.indexrelid::text, ' ') from pg_index x
      where x.indrelid = c.oid and x.indisunique and x.indpred is null and x.indexprs is null
        and a.attnum = any((x.indkey::int2[])[0:x.indnkeyatts - 1])) as keys, ${formColumns}
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
    join pg_type t on t.oid = a.atttypid
    join pg_type f on f.oid = ${behindDomains('id')}
    join pg_namespace g on g.oid = f.typnamespace
  where n.nspname = ${quoteText(schema)} and c.relname = ${quoteText(name)} and a.attnum > 0 and not a.attisdropped`;

/** The largest number of 32 bits with a fraction, as its shortest decimal. */
export const mostReal = 3.4028235e38;

/** The largest number, or the most characters, of a type. */
const mostOf = (type: string): number | undefined => {
  if (type === 'smallint') return 32_767;
  if (type === 'integer') return 2_147_483_647;
  const [, digits, scale] = /^numeric\((\d+),(\d+)\)$/.exec(type) ?? [];
  if (digits !== undefined) return (10 ** Number(digits) - 1) / 10 ** Number(scale);
  if (type === 'real') return mostReal;
  const [, length] = /^character(?: varying)?\((\d+)\)$/.exec(type) ?? [];
  return length === undefined ? undefined : Number(length);
};

const external = async (
  ask: Ask,
  { schema, name }: { readonly schema: string | undefined; readonly name: string },
): Promise<ExternalTable | undefined> => {
  const [found, ...others] = await ask<ExternalRow>(externalSql(schema, name));
  if (found === undefined || !found.is_used) return undefined;
  const columns = await ask<
    Omit<ExternalColumn, 'most' | 'form'> & FormRow & { readonly keys: string | null }
  >(externalColumnsSql(found.schema, name));
  const indexed = columns.flatMap(({ name: of, keys }) =>
    (keys?.split(' ') ?? []).map((index) => ({ index, name: of })),
  );
  return {
    schema: found.schema,
    name,
    isCurrentSchema: found.is_current,
    kind: found.kind === 'v' || found.kind === 'm' ? 'view' : 'table',
    columns: new Map(
      columns.map(({ name: of, type, demanded, computed, ...form }) => [
        of,
        {
          name: of,
          type: spelt(type),
          demanded,
          computed,
          most: mostOf(type),
          form: formOfPostgres(form),
        },
      ]),
    ),
    keys: [...Map.groupBy(indexed, ({ index }) => index).values()].map((key) => key.map((of) => of.name)),
    rights: (found.rights ?? '').split(' '),
    user: found.user_name,
    isRestricted: found.restricted,
    others: others.map((other) => other.schema),
  };
};

/** Types without their lengths. */
const fittingTypes: Readonly<Record<ColumnKind, readonly string[]>> = {
  text: ['text', 'character varying'],
  integer: ['bigint', 'integer', 'smallint'],
  bigint: ['bigint', 'integer', 'smallint'],
  decimal: ['numeric'],
  number: ['double precision'],
  boolean: ['boolean'],
  timestamp: ['timestamptz', 'timestamp'],
  date: ['date'],
  time: ['time'],
  uuid: ['uuid'],
  json: ['json', 'jsonb'],
};

const columnKinds = Object.keys(fittingTypes) as readonly ColumnKind[];

const fits: Introspection['fits'] = (declared, kind) =>
  fittingTypes[kind].includes(declared.replace(/\(\d+(?:,\d+)?\)$/, ''));

/** The kinds of values that the service can serve from a column, by its type as `format_type` writes it. */
export const kindsOfPostgres = (type: string): readonly ColumnKind[] =>
  columnKinds.filter((kind) => fits(spelt(type), kind));

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
  external,
  columnKey: (name) => name,
  fits,
  fitting: (kind) => fittingTypes[kind].join(' or '),
  holds: (declared, wanted) => spelt(declared) === spelt(wanted),
});
