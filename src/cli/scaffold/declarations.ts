import type { Json } from '../../kernel/json.ts';
import { UsageError } from '../io.ts';

/** The options of `generate migration` for intentions that neither models nor database show. */
export interface Declarations {
  /** Old to new names of tables. */
  readonly tables: ReadonlyMap<string, string>;
  /** Old to new names of columns, by the table's new name. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly allowDrop: boolean;
  /** Values that existing records get in a column, by the table's new name. */
  readonly fill: ReadonlyMap<string, ReadonlyMap<string, Json>>;
}

/** Models may name tables and columns of any letters; a name with a point or an equals sign cannot be declared. */
const name = '[^.=]+';
const renameForm = new RegExp(`^(?:(${name})\\.)?(${name})=(${name})$`);
const fillForm = new RegExp(`^(${name})\\.(${name})=(.*)$`, 's');

const put = <T>(map: Map<string, Map<string, T>>, table: string, key: string, value: T): void => {
  const columns = map.get(table) ?? new Map<string, T>();
  map.set(table, columns);
  if (columns.has(key)) throw new UsageError(`${table}.${key} is declared twice`);
  columns.set(key, value);
};

/** The value of a fill: parsed JSON, or the text itself if it is no JSON. */
const fillValue = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
};

/** Parses `books=volumes`, `books.pages=page_count` and `books.isbn=unknown`. @throws UsageError */
export const readDeclarations = (
  renames: readonly string[],
  fills: readonly string[],
  allowDrop: boolean,
): Declarations => {
  const tables = new Map<string, string>();
  const columns = new Map<string, Map<string, string>>();
  const fill = new Map<string, Map<string, Json>>();
  for (const text of renames) {
    const [, table, from, to] = renameForm.exec(text) ?? [];
    if (from === undefined || to === undefined)
      throw new UsageError(`--rename ${text}: write table.column=column or table=table`);
    if (table !== undefined) put(columns, table, from, to);
    else if (tables.has(from)) throw new UsageError(`${from} is declared twice`);
    else tables.set(from, to);
  }
  for (const text of fills) {
    const [, table, column, value] = fillForm.exec(text) ?? [];
    if (table === undefined || column === undefined || value === undefined)
      throw new UsageError(`--fill ${text}: write table.column=value`);
    put(fill, table, column, fillValue(value));
  }
  return { tables, columns, allowDrop, fill };
};
