/** The option `table` of a model file: the table and the columns that its records are stored in. */

import { nearestHint } from '../../kernel/options.ts';
import { DefinitionError } from '../definition-error.ts';
import { isForeignTable, systemColumns } from '../names.ts';
import type { ModelField } from '../resource.ts';
import { fieldOfKey } from '../rules/rules.ts';
import type { StoredTable } from '../stored-table.ts';

/** The option as a model file writes it. */
export interface TableOption<Name extends string = string> {
  /** Name of the table; by default that of the path. */
  readonly name?: string;
  /** Schema of an external table on PostgreSQL. */
  readonly schema?: string;
  /** Columns that are called otherwise than their fields: `{ total: 'order_total' }`. */
  readonly columns?: { readonly [Field in Name]?: string };
}

/**
 * Bytes of a name that PostgreSQL keeps.
 * @limit Fields | a name of a table or column in `table` | bytes | no start
 */
const mostNameBytes = 63;

/** Columns that the service makes in a table of its own, beside those of the fields. */
const madeColumns = ['id', 'created_at', 'updated_at', 'version'];

/** Databases compare such names without regard to the case of letters, or may. */
const folded = (name: string): string => name.toLowerCase();

/** The flaw of a text as the name of a table, a schema or a column; undefined where it has none. */
const nameFlaw = (name: string): string | undefined => {
  if (name.trim() === '') return 'is empty';
  if (!name.isWellFormed() || name.includes('\0'))
    return 'has a character that no database accepts in a name';
  if (name.includes('"')) return 'has a quote';
  return Buffer.byteLength(name) > mostNameBytes ? `is longer than ${mostNameBytes} bytes` : undefined;
};

const assertName = (model: string, path: string, name: string): void => {
  const flaw = nameFlaw(name);
  if (flaw !== undefined) throw new DefinitionError(model, `${path} ${JSON.stringify(name)} ${flaw}`);
};

/** The columns that the option names, by field. @throws DefinitionError */
const namedColumns = (
  model: string,
  fields: ReadonlyMap<string, ModelField>,
  option: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, string> => {
  const columns = new Map<string, string>();
  for (const [key, column] of Object.entries(option)) {
    if (column === undefined) continue;
    const path = `table.columns.${key}`;
    const field = fieldOfKey(fields, key);
    if (madeColumns.includes(field))
      throw new DefinitionError(model, `${path}: the service makes this column itself, under its own name`);
    if (!fields.has(field))
      throw new DefinitionError(
        model,
        `table.columns names the unknown field "${key}"${nearestHint(key, fields.keys())}`,
      );
    if (columns.has(field))
      throw new DefinitionError(model, `${path}: the column of ${field} is named twice`);
    assertName(model, path, column);
    const database = systemColumns.get(folded(column));
    if (database !== undefined)
      throw new DefinitionError(model, `${path}: ${database} has a column "${column}" of its own`);
    columns.set(field, column);
  }
  return columns;
};

/** Refuses two fields with one column. */
const assertDistinct = (
  model: string,
  fields: Iterable<string>,
  columns: ReadonlyMap<string, string>,
): void => {
  const taken = new Map<string, string>();
  for (const field of [...fields, 'version']) {
    const column = columns.get(field) ?? field;
    const other = taken.get(folded(column));
    if (other !== undefined)
      throw new DefinitionError(model, `table.columns: ${other} and ${field} have one column, "${column}"`);
    taken.set(folded(column), field);
  }
};

/**
 * The table of a model's records, and their columns.
 * @throws DefinitionError for a name that no database accepts or that is the service's own, for an unknown field, and
 * for two fields with one column
 */
export const storedTableOf = (
  model: string,
  plural: string,
  fields: ReadonlyMap<string, ModelField>,
  option: TableOption = {},
): StoredTable => {
  const { name = plural, schema, columns: said = {} } = option;
  if (schema !== undefined)
    throw new DefinitionError(model, 'table.schema: only an external table has a schema of its own');
  assertName(model, 'table.name', name);
  if (isForeignTable(folded(name)))
    throw new DefinitionError(
      model,
      `the table "${name}" belongs to the service or to a database: choose another`,
    );
  const columns = namedColumns(model, fields, said);
  assertDistinct(model, fields.keys(), columns);
  return Object.freeze({ schema, name, columns });
};

/** The fields with the columns that the option names. */
export const withColumns = (
  fields: ReadonlyMap<string, ModelField>,
  { columns }: StoredTable,
): ReadonlyMap<string, ModelField> => {
  if (columns.size === 0) return fields;
  return new Map(
    [...fields].map(([name, field]) => {
      const column = columns.get(name);
      return [name, column === undefined ? field : Object.freeze({ ...field, column })];
    }),
  );
};
