/** Tables of any program as the schema of a SQLite file describes them. */

import type {
  DescribedCheck,
  DescribedColumn,
  DescribedReference,
  DescribedTable,
  DescribedUnique,
  DescribeSchema,
  Provision,
  StoredType,
} from '../described-tables.ts';
import type { Ask } from '../introspection.ts';
import { quoteText } from '../quote.ts';
import { kindsOfSqlite } from './introspect.ts';

interface DescribedRow {
  readonly name: string;
  readonly type: string;
  readonly without_rowid: number;
  readonly sql: string | null;
}

interface ColumnRow {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly not_null: number;
  readonly preset: string | null;
  readonly pk: number;
  readonly hidden: number;
}

interface ForeignKeyRow {
  readonly table: string;
  readonly id: number;
  readonly target: string;
  readonly from: string;
  readonly to: string | null;
  readonly action: string;
}

interface UniqueRow {
  readonly table: string;
  readonly index: string;
  readonly partial: number;
  readonly column: string | null;
}

const tablesSql = `select l.name as name, l.type as type, l.wr as without_rowid, m.sql as sql
  from pragma_table_list l left join sqlite_master m on m.name = l.name and m.type in ('table', 'view')
  where l.schema = 'main' and l.name not like 'sqlite\\_%' escape '\\' order by l.name`;

/** Tables whose rows SQLite itself keeps: to ask for a virtual one, its module would have to be there. */
const plainTables = `m.type = 'table' and m.sql not like 'create virtual %'`;

/** The columns of tables, or of one view: a view whose tables are gone fails by itself. */
const columnsSql = (
  condition: string,
): string => `select m.name as "table", c.name as name, c.type as type, c."notnull" as not_null,
    c.dflt_value as preset, c.pk as pk, c.hidden as hidden
  from sqlite_master m join pragma_table_xinfo(m.name) c
  where ${condition} and m.name not like 'sqlite\\_%' escape '\\' order by m.name, c.cid`;

const foreignKeysSql = `select m.name as "table", f.id as id, f."table" as target, f."from" as "from", f."to" as "to",
    lower(f.on_delete) as action
  from sqlite_master m join pragma_foreign_key_list(m.name) f
  where ${plainTables} order by m.name, f.id, f.seq`;

const uniqueSql = `select m.name as "table", i.name as "index", i.partial as partial, x.name as "column"
  from sqlite_master m join pragma_index_list(m.name) i join pragma_index_xinfo(i.name) x
  where ${plainTables} and i."unique" = 1 and i.origin <> 'pk' and x.key = 1
  order by m.name, i.name, x.seqno`;

/** Declared types by their first words; the first that fits decides. Others follow the affinity of SQLite. */
const named: readonly (readonly [
  RegExp,
  (length: number | undefined, scale: number | undefined) => StoredType,
])[] = [
  [/^json/, () => ({ kind: 'json' })],
  [/^(?:uuid|guid|uniqueidentifier)\b/, () => ({ kind: 'uuid' })],
  [/^bool/, () => ({ kind: 'boolean' })],
  [/^(?:datetime|timestamp)/, () => ({ kind: 'timestamp', zoned: false, fine: true })],
  [/^date\b/, () => ({ kind: 'date' })],
  [/^time\b/, () => ({ kind: 'time', fine: true })],
  [
    /^(?:decimal|numeric|number)\b/,
    (precision, scale) => ({
      kind: 'decimal',
      precision,
      scale: precision === undefined ? undefined : (scale ?? 0),
    }),
  ],
  [/unsigned.*int|int.*unsigned/, () => ({ kind: 'integer', min: 0, max: undefined, wide: false })],
  [/int/, () => ({ kind: 'integer', min: undefined, max: undefined, wide: false })],
  [/char|clob|text/, (max) => ({ kind: 'text', max, padded: false, foldsCase: false })],
  [/real|floa|doub/, () => ({ kind: 'number' })],
  [/^$|blob/, () => ({ kind: 'other', because: 'no field holds bytes, or values of any type' })],
];

const storedType = (declared: string): StoredType => {
  const type = declared.toLowerCase();
  const [, first, second] = /\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)/.exec(type) ?? [];
  const numberIn = (text: string | undefined) => (text === undefined ? undefined : Number(text));
  const make = named.find(([pattern]) => pattern.test(type))?.[1];
  return make === undefined
    ? { kind: 'other', because: `no field holds values of the type ${declared}` }
    : make(numberIn(first), numberIn(second));
};

const provisionOf = (preset: string | null, hidden: number): Provision | undefined => {
  if (hidden > 1) return { by: 'always', sql: preset ?? '' };
  if (preset === null || /^null$/i.test(preset)) return undefined;
  const { text, number, truth } =
    /^\(?(?:'(?<text>(?:[^']|'')*)'|(?<number>[+-]?\d+(?:\.\d+)?)|(?<truth>true|false))\)?$/i.exec(preset)
      ?.groups ?? {};
  if (text !== undefined) return { by: 'constant', text: text.replaceAll("''", "'") };
  const constant = number ?? truth?.toLowerCase();
  return constant === undefined ? { by: 'expression', sql: preset } : { by: 'constant', text: constant };
};

/** True for the one column whose numbers SQLite itself gives: the name of a row. */
const isRowid = ({ type, pk }: ColumnRow, keys: number, withoutRowid: boolean): boolean =>
  pk === 1 && keys === 1 && type.toLowerCase() === 'integer' && !withoutRowid;

const columnOf = (row: ColumnRow, counted: boolean): DescribedColumn => ({
  name: row.name,
  declared: row.type === '' ? 'no type' : row.type.toLowerCase(),
  type: storedType(row.type),
  holds: kindsOfSqlite(row.type),
  notNull: row.not_null === 1 || row.pk > 0,
  provision: counted ? { by: 'count' } : provisionOf(row.preset, row.hidden),
  comment: undefined,
  readable: true,
  checks: [],
});

/** The end of a quoted text or name that begins at a place. */
const endOfQuoted = (sql: string, from: number): number => {
  const quote = sql[from] === '[' ? ']' : sql[from];
  let at = from + 1;
  for (; at < sql.length; at += 1) {
    if (sql[at] !== quote) continue;
    if (sql[at + 1] !== quote || quote === ']') break;
    at += 1;
  }
  return at;
};

/** The text in the parentheses that begin at a place; undefined where they do not end. */
const inParentheses = (sql: string, from: number): string | undefined => {
  let depth = 0;
  for (let at = from; at < sql.length; at += 1) {
    const character = sql[at] ?? '';
    if ('\'"`['.includes(character)) at = endOfQuoted(sql, at);
    else if (character === '(') depth += 1;
    else if (character === ')') {
      depth -= 1;
      if (depth === 0) return sql.slice(from + 1, at);
    }
  }
  return undefined;
};

/** The place of a text that ends a comment; the end of all where it does not end. */
const endOf = (sql: string, text: string, from: number): number => {
  const at = sql.indexOf(text, from);
  return at < 0 ? sql.length : at;
};

/** The conditions of a table by its declaration, the only place where SQLite has them. */
const checksIn = (sql: string): DescribedCheck[] => {
  const checks: DescribedCheck[] = [];
  for (let at = 0; at < sql.length; at += 1) {
    const character = sql[at] ?? '';
    if ('\'"`['.includes(character)) at = endOfQuoted(sql, at);
    else if (sql.startsWith('--', at)) at = endOf(sql, '\n', at);
    else if (sql.startsWith('/*', at)) at = endOf(sql, '*/', at) + 1;
    else {
      const word = /^check\s*(?=\()/i.exec(sql.slice(at, at + 40));
      const before = sql[at - 1] ?? ' ';
      if (word === null || /[\w$]/.test(before)) continue;
      const condition = inParentheses(sql, at + word[0].length);
      if (condition === undefined) break;
      checks.push({ name: undefined, sql: condition.trim() });
      at += word[0].length + condition.length + 1;
    }
  }
  return checks;
};

const uniqueOf = (rows: readonly UniqueRow[]): DescribedUnique[] =>
  [...Map.groupBy(rows, ({ index }) => index)].map(([name, parts]) => {
    const columns = parts.flatMap(({ column }) => column ?? []);
    const reasons = [
      columns.length < parts.length && 'it has an expression',
      parts.some(({ partial }) => partial === 1) && 'it is for some rows only',
    ].filter((each) => each !== false);
    return { name, columns, because: reasons.length === 0 ? undefined : reasons.join(', and ') };
  });

/** A key without columns refers to the primary key. */
const referencesOf = (
  rows: readonly ForeignKeyRow[],
  keys: ReadonlyMap<string, readonly string[]>,
): DescribedReference[] =>
  [...Map.groupBy(rows, ({ id }) => id).values()].map((parts) => {
    const [first] = parts;
    const target = first?.target ?? '';
    const to = parts.flatMap(({ to }) => to ?? []);
    return {
      name: undefined,
      columns: parts.map(({ from }) => from),
      table: { schema: undefined, name: target },
      to: to.length > 0 ? to : (keys.get(target.toLowerCase()) ?? []),
      onDelete: first?.action ?? 'no action',
    };
  });

const keyOf = (columns: readonly ColumnRow[]): string[] =>
  columns
    .filter(({ pk }) => pk > 0)
    .sort((one, other) => one.pk - other.pk)
    .map(({ name }) => name);

/** The columns of every table; of a view that cannot be read, none. */
const readColumns = async (
  ask: Ask,
  tables: readonly DescribedRow[],
): Promise<ReadonlyMap<string, ColumnRow[]>> => {
  const rows = [...(await ask<ColumnRow>(columnsSql(plainTables)))];
  try {
    rows.push(...(await ask<ColumnRow>(columnsSql(`m.type = 'view'`))));
  } catch {
    for (const { name, type } of tables) {
      if (type !== 'view') continue;
      const columns = await ask<ColumnRow>(
        `select '' as "table", name, type, "notnull" as not_null, dflt_value as preset, pk, hidden
         from pragma_table_xinfo(${quoteText(name)})`,
      ).catch(() => []);
      rows.push(...columns.map((column) => ({ ...column, table: name })));
    }
  }
  return Map.groupBy(rows, ({ table }) => table);
};

interface TableParts {
  readonly columns: readonly ColumnRow[];
  readonly keys: ReadonlyMap<string, readonly string[]>;
  readonly foreignKeys: readonly ForeignKeyRow[];
  readonly unique: readonly UniqueRow[];
}

const tableOf = (row: DescribedRow, { columns, keys, foreignKeys, unique }: TableParts): DescribedTable => {
  const key = keyOf(columns);
  return {
    schema: undefined,
    name: row.name,
    kind: row.type === 'view' ? 'view' : 'table',
    columns: columns
      .filter(({ hidden }) => hidden !== 1)
      .map((column) => columnOf(column, isRowid(column, key.length, row.without_rowid === 1))),
    key,
    unique: uniqueOf(unique),
    references: referencesOf(foreignKeys, keys),
    checks: row.type === 'table' ? checksIn(row.sql ?? '') : [],
    comment: undefined,
    rowSecurity: 'off',
    partitionOf: undefined,
    inherits: undefined,
    extension: undefined,
    internal: row.type === 'shadow' || row.type === 'virtual',
    rights: ['select', 'insert', 'update', 'delete'],
  };
};

export const describeSqlite: DescribeSchema = async (ask, schema) => {
  if (schema !== undefined && schema !== 'main')
    throw new Error(`there is no schema ${schema}: SQLite has only main`);
  const tables = await ask<DescribedRow>(tablesSql);
  const columns = await readColumns(ask, tables);
  const foreignKeys = Map.groupBy(await ask<ForeignKeyRow>(foreignKeysSql), ({ table }) => table);
  const unique = Map.groupBy(await ask<UniqueRow>(uniqueSql), ({ table }) => table);
  // A foreign key may name its table in other capitals.
  const keys = new Map([...columns].map(([name, rows]) => [name.toLowerCase(), keyOf(rows)]));
  return {
    schema: undefined,
    rowSecurity: undefined,
    current: true,
    tables: tables.map((table) =>
      tableOf(table, {
        columns: columns.get(table.name) ?? [],
        keys,
        foreignKeys: foreignKeys.get(table.name) ?? [],
        unique: unique.get(table.name) ?? [],
      }),
    ),
  };
};
