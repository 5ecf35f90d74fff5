/** The option `table` of a model file: the table and the columns that its records are stored in. */

import { nearestHint } from '../../kernel/options.ts';
import { DefinitionError } from '../definition-error.ts';
import { isForeignTable, isReservedTable, systemColumns } from '../names.ts';
import type { ModelField } from '../resource.ts';
import { fieldOfKey } from '../rules/rules.ts';
import type { StoredTable } from '../stored-table.ts';

/** The option as a model file writes it. */
export interface TableOption<Name extends string = string> {
  /** Name of the table; by default that of the path. */
  readonly name?: string;
  /** Schema of an external table on PostgreSQL. */
  readonly schema?: string;
  /**
   * Columns that are called otherwise than their fields: `{ total: 'order_total' }`; of an external table also those of
   * `id`, `created_at`, `updated_at` and `version`.
   */
  readonly columns?: { readonly [Field in Name]?: string };
  /** The table belongs to another program: the service reads and writes its rows, and changes nothing else of it. */
  readonly external?: true;
  /** Records of an external table or view that the service only reads. */
  readonly readOnly?: true;
}

/**
 * Bytes of a name that PostgreSQL keeps.
 * @limit Fields | a name of a table or column in `table` | bytes | no start
 */
const mostNameBytes = 63;

/** Columns that the service makes in a table of its own, beside those of the fields. */
const madeColumns = ['id', 'created_at', 'updated_at', 'version'];

/** An external table has these only where the option names them. */
const madeTimes = ['created_at', 'updated_at'];

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
  isExternal: boolean,
): ReadonlyMap<string, string> => {
  const columns = new Map<string, string>();
  for (const [key, column] of Object.entries(option)) {
    if (column === undefined) continue;
    const path = `table.columns.${key}`;
    const field = fieldOfKey(fields, key);
    if (madeColumns.includes(field) && !isExternal)
      throw new DefinitionError(model, `${path}: the service makes this column itself, under its own name`);
    if (!fields.has(field) && !(isExternal && field === 'version'))
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
  for (const field of fields) {
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
  const { name = plural, schema, columns: said = {}, external = false, readOnly = false } = option;
  if (readOnly && !external)
    throw new DefinitionError(model, 'table.readOnly: only an external table is read only');
  if (schema !== undefined && !external)
    throw new DefinitionError(model, 'table.schema: only an external table has a schema of its own');
  assertName(model, 'table.name', name);
  if (schema !== undefined) assertName(model, 'table.schema', schema);
  // With `serviceTables`, or in another schema, the name is free: the start refuses the service's own external tables.
  const isTaken = external ? isReservedTable : isForeignTable;
  if (schema === undefined && isTaken(folded(name)))
    throw new DefinitionError(
      model,
      `the table "${name}" belongs to the service or to a database: choose another`,
    );
  const columns = namedColumns(model, fields, said, external);
  const made = external
    ? [...fields.keys()].filter((field) => !madeTimes.includes(field) || columns.has(field))
    : fields.keys();
  assertDistinct(model, external && !columns.has('version') ? made : [...made, 'version'], columns);
  const stored = { schema, name, columns };
  if (!external) return Object.freeze(stored);
  const scales = new Map(
    [...fields].flatMap(([field, { type, options }]): [string, number][] =>
      type.column === 'decimal' ? [[field, type.scale?.(options) ?? 0]] : [],
    ),
  );
  return Object.freeze({ ...stored, external, readOnly, scales });
};

/** The fields with the columns that the option names. */
export const withColumns = (
  model: string,
  fields: ReadonlyMap<string, ModelField>,
  { columns, external = false }: StoredTable,
): ReadonlyMap<string, ModelField> => {
  const generated = [...fields.values()].find(({ options }) => options.generated === true);
  if (generated !== undefined && !external)
    throw new DefinitionError(model, 'generated: only an external table fills in values', generated.name);
  if (columns.size === 0 && !external) return fields;
  return new Map(
    [...fields].flatMap(([name, field]): [string, ModelField][] => {
      const column = columns.get(name) ?? name;
      if (external && madeTimes.includes(name) && !columns.has(name)) return [];
      const { onDelete } = field;
      // The foreign keys of another program decide what a deletion does to its rows.
      const held = external && onDelete !== undefined ? ('restrict' as const) : onDelete;
      return [[name, Object.freeze({ ...field, column, onDelete: held })]];
    }),
  );
};

/** Options of a model that need columns or triggers of the service, or see only the service's own writes. */
const ownOnly = {
  history: 'history would lack the changes of other programs',
  events: 'events would lack the changes of other programs',
  trash: 'the trash would lack what other programs delete',
  search: 'search needs an index that the service keeps: leave it out, and q finds a part of any text',
} as const;

/** Refuses what the service cannot hold for a table that other programs write. @throws DefinitionError */
export const assertExternal = (
  model: string,
  { external = false }: StoredTable,
  definition: { readonly [Name in keyof typeof ownOnly]?: unknown },
  fields: ReadonlyMap<string, ModelField>,
): void => {
  if (!external) return;
  for (const [name, because] of Object.entries(ownOnly)) {
    const value = definition[name as keyof typeof ownOnly];
    if (value !== undefined && value !== false)
      throw new DefinitionError(model, `${name}: the table is external: ${because}`);
  }
  for (const { name, type, options } of fields.values()) {
    const refuse = (because: string): never => {
      throw new DefinitionError(model, `the table is external: ${because}`, name);
    };
    if (type.counting?.(options) !== undefined) refuse('other programs would not count on');
    if (type.ownTable !== undefined) refuse('only a foreign key of the service keeps the bytes of its files');
    if (type.same?.(options) !== undefined) refuse('same needs a key that the service makes');
    if ('onDelete' in options && options.onDelete !== undefined)
      refuse('its own foreign keys decide what becomes of a reference: leave out onDelete');
  }
};
