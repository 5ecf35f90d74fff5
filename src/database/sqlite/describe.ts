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
import { quoteName, quoteText } from '../quote.ts';
import { timePatterns } from '../stored-form.ts';
import { affinity, isTimeType, kindsOfSqlite } from './introspect.ts';

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
  [/^time\b/, () => ({ kind: 'time', places: 6 })],
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

const columnOf = (
  row: ColumnRow,
  counted: boolean,
  found: StoredType | FoundForm | undefined,
): DescribedColumn => ({
  name: row.name,
  declared: row.type === '' ? 'no type' : row.type.toLowerCase(),
  type: found !== undefined && 'kind' in found ? found : storedType(row.type),
  form: found !== undefined && 'form' in found ? found.form : undefined,
  holds: found !== undefined && 'form' in found ? ['timestamp'] : kindsOfSqlite(row.type),
  notNull: row.not_null === 1 || row.pk > 0,
  provision: counted ? { by: 'count' } : provisionOf(row.preset, row.hidden),
  comment: undefined,
  readable: true,
  checks: [],
});

/** The form of the times of a column. */
interface FoundForm {
  readonly form: string;
}

/** How many values of a column there are, and how many of them look like something. */
interface Looks {
  readonly values: number;
  readonly seconds: number;
  readonly microseconds: number;
  /** The ones among them whose microseconds are zero. */
  readonly zeros: number;
  readonly own: number;
  readonly uuids: number;
}

const isUuidType = (declared: string): boolean =>
  /^(?:uuid|guid|uniqueidentifier)\b/i.test(declared) && affinity(declared) !== 'text';

const hex = (count: number): string => '[0-9a-f]'.repeat(count);

const uuidPattern = [8, 4, 4, 4, 12].map(hex).join('-');

/** The numbers of `Looks` as a JSON array. */
const looksSql = (name: string): string => {
  const column = quoteName(name);
  const like = (pattern: string): string =>
    `total(typeof(${column}) = 'text' and ${column} glob '${pattern}')`;
  const { seconds, microseconds, own } = timePatterns;
  const zeros = `total(${column} glob '${seconds}.000000')`;
  return `json_array(count(${column}), ${like(seconds)}, ${like(microseconds)}, ${zeros}, ${like(own)}, ${like(uuidPattern)})`;
};

/** The form that all times of a column have; undefined where they have none that is known. */
const timeForm = (looks: Looks, preset: string | null): string | undefined => {
  const { values, seconds, microseconds, zeros, own } = looks;
  if (values === 0)
    return /^\(?current_timestamp\)?$/i.test(preset ?? '') ? 'YYYY-MM-DD HH:MM:SS' : undefined;
  if (seconds === values) return 'YYYY-MM-DD HH:MM:SS';
  if (microseconds === values) return 'YYYY-MM-DD HH:MM:SS.ffffff';
  if (own === values) return 'YYYY-MM-DDTHH:MM:SS.sssZ';
  return seconds + microseconds === values && zeros === 0 ? 'YYYY-MM-DD HH:MM:SS[.ffffff]' : undefined;
};

const formless = (values: number, of: string, form: string): StoredType => ({
  kind: 'other',
  because:
    values === 0
      ? `it has no values, by which the form of its ${of} would be known`
      : `its ${of} are not all ${form}`,
});

const foundIn = (looks: Looks, { type, preset }: ColumnRow): StoredType | FoundForm | undefined => {
  if (isUuidType(type))
    return looks.values > 0 && looks.uuids === looks.values
      ? undefined
      : formless(looks.values, 'UUIDs', 'texts in small letters');
  const form = timeForm(looks, preset);
  return form === undefined ? formless(looks.values, 'times', 'texts of one form') : { form };
};

/** Looks at the values of columns whose declared type says nothing about their form. */
const lookAt = async (
  ask: Ask,
  table: string,
  columns: readonly ColumnRow[],
): Promise<ReadonlyMap<string, StoredType | FoundForm | undefined>> => {
  const asked = columns.filter(({ type }) => isTimeType(type) || isUuidType(type));
  if (asked.length === 0) return new Map();
  const selected = asked.map(({ name }, index) => `${looksSql(name)} as "${index}"`).join(', ');
  // A view whose tables are gone has no values.
  const [row = {}] = await ask<Record<string, string>>(`select ${selected} from ${quoteName(table)}`).catch(
    () => [],
  );
  return new Map(
    asked.map((column, index) => {
      const [values = 0, seconds = 0, microseconds = 0, zeros = 0, own = 0, uuids = 0] = JSON.parse(
        row[String(index)] ?? '[]',
      ) as readonly number[];
      return [column.name, foundIn({ values, seconds, microseconds, zeros, own, uuids }, column)];
    }),
  );
};

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
  readonly found: ReadonlyMap<string, StoredType | FoundForm | undefined>;
}

const tableOf = (
  row: DescribedRow,
  { columns, keys, foreignKeys, unique, found }: TableParts,
): DescribedTable => {
  const key = keyOf(columns);
  return {
    schema: undefined,
    name: row.name,
    kind: row.type === 'view' ? 'view' : 'table',
    columns: columns
      .filter(({ hidden }) => hidden !== 1)
      .map((column) =>
        columnOf(column, isRowid(column, key.length, row.without_rowid === 1), found.get(column.name)),
      ),
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
  const described: DescribedTable[] = [];
  for (const table of tables) {
    const own = columns.get(table.name) ?? [];
    described.push(
      tableOf(table, {
        columns: own,
        keys,
        foreignKeys: foreignKeys.get(table.name) ?? [],
        unique: unique.get(table.name) ?? [],
        found: await lookAt(ask, table.name, own),
      }),
    );
  }
  return { schema: undefined, rowSecurity: undefined, current: true, tables: described };
};
