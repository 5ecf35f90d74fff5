/** The columns of a source that a grant lets a caller read, and the SQL that makes JSON text of them. */

import type { Dialect } from '../database/dialect.ts';
import { readId } from '../database/record-column.ts';
import {
  columnOf,
  renderedValue,
  rowAlias,
  type ShownIf,
  type Source,
  type SourceColumn,
  type SourceRelation,
  type SourceSearch,
  storedValue,
  versionColumn,
} from '../database/source.ts';
import {
  columnsOfRows,
  type Fragment,
  identifier,
  join,
  literal,
  own,
  rowsOf,
  sql,
} from '../database/statement.ts';
import { integer } from '../fields/integer.ts';
import type { RecordId } from '../fields/key.ts';
import type { Models } from '../model/models.ts';
import type { ModelRelation, ResourceModel } from '../model/resource.ts';
import { columnIn, columnsIn, hasVersion } from '../model/stored-table.ts';
import type { FieldMask, Grant } from '../policy/grant.ts';
import { maskedSource } from './masked-source.ts';
import { userEntity } from './user-entity.ts';

/** The values of the reader in a statement: see `readerId`. */
export const readerOf = ({ principal }: Pick<Grant, 'principal'>): { readonly reader: number | null } => ({
  reader: principal.kind === 'user' ? principal.id : null,
});

/** A source as the callers of a mask see it; without one, the source itself. */
export const seenSource = (source: Source, mask: FieldMask | undefined): Source =>
  mask === undefined ? source : maskedSource(source, mask);

/** The columns of a source that a grant lets a caller read. */
export interface SourceView {
  readonly source: Source;
  /** Readable fields in the order of the answer. */
  readonly fields: readonly string[];
  /** The readable columns that may be filtered, sorted and searched by. */
  readonly usable: ReadonlyMap<string, SourceColumn>;
}

/** The view of a caller who may read these fields. */
export const sourceView = (source: Source, readable: readonly string[]): SourceView => {
  const usable = new Map<string, SourceColumn>();
  for (const name of readable) {
    const column = columnOf(source, name);
    if (column.comparable !== false) usable.set(name, column);
  }
  return { source, fields: [...readable], usable };
};

interface CachedView {
  readonly view: SourceView;
  readonly id: RecordId;
}

/**
 * Views of one source by the fields that grants let read, and by the conditions on them. There are few: one for each
 * set that the policy makes.
 */
export class SourceViews {
  readonly #source: Source;
  readonly #byArray = new WeakMap<readonly string[], Map<FieldMask | undefined, CachedView>>();
  readonly #byNames = new Map<string, CachedView>();

  constructor(source: Source) {
    this.#source = source;
    // A source without its key could not be listed at all.
    columnOf(source, source.key);
  }

  of({ readable, mask }: Pick<Grant, 'readable' | 'mask'>): CachedView {
    const cached = this.#byArray.get(readable)?.get(mask);
    if (cached !== undefined) return cached;
    const names = JSON.stringify([mask?.key ?? null, readable]);
    const made = this.#byNames.get(names) ?? {
      view: sourceView(seenSource(this.#source, mask), readable),
      id: this.#byNames.size,
    };
    this.#byNames.set(names, made);
    // Only an array that cannot change identifies its names.
    if (Object.isFrozen(readable)) {
      const byMask = this.#byArray.get(readable) ?? new Map<FieldMask | undefined, CachedView>();
      this.#byArray.set(readable, byMask.set(mask, made));
    }
    return made;
  }
}

/** Largest value in bytes of a column that never makes a page too large. */
const lightBytes = 4096;

/** The conditions on which the given fields depend, each once. */
const conditionsOf = (source: Source, fields: readonly string[]): readonly ShownIf[] => [
  ...new Map(
    fields.flatMap((name) => {
      const { shownIf } = columnOf(source, name);
      return shownIf === undefined ? [] : [[shownIf.key, shownIf] as const];
    }),
  ).values(),
];

/**
 * One row's JSON text: compact, keys in the order of `fields`, byte for byte the same on every database. It needs no
 * FROM of its own, so it serves SELECT and RETURNING alike. `row` names the row where that is not the alias `t`. Fields
 * that the caller does not see in this row are absent: there is a text for each combination of their conditions, so
 * that each condition is evaluated once.
 */
export const projection = (
  source: Source,
  fields: readonly string[],
  dialect: Dialect,
  row = rowAlias,
): Fragment => {
  const textOf = (left: readonly string[], conditions: readonly ShownIf[]): Fragment => {
    const [first, ...rest] = conditions;
    if (first === undefined)
      return left.length === 0
        ? sql`'{}'`
        : dialect.objectText(
            left.map((name) => ({ name, value: renderedValue(columnOf(source, name), dialect, row) })),
          );
    const without = left.filter((name) => columnOf(source, name).shownIf?.key !== first.key);
    return sql`case when ${first.condition(dialect, row)} then ${textOf(left, rest)} else ${textOf(without, rest)} end`;
  };
  return textOf(fields, conditionsOf(source, fields));
};

/** The comma behind the fields of such a text, before further keys; empty where a row shows none of them. */
export const trailingComma = (
  source: Source,
  fields: readonly string[],
  dialect: Dialect,
  row: string,
): Fragment => {
  if (fields.some((name) => columnOf(source, name).shownIf === undefined)) return sql`','`;
  const conditions = conditionsOf(source, fields).map(({ condition }) => condition(dialect, row));
  return conditions.length === 0 ? sql`''` : sql`case when ${join(conditions, ' or ')} then ',' else '' end`;
};

/** Most bytes of a stored value of a column. */
export const mostBytes = ({ type, options }: SourceColumn): number => type.indexBytes?.(options) ?? 16;

/** The bytes of a row in columns that may be long; null or 0 for none, undefined if no column may be long. */
export const longBytes = (columns: readonly SourceColumn[], dialect: Dialect): Fragment | undefined => {
  const long = columns.filter((column) => column.render === undefined && mostBytes(column) > lightBytes);
  const lengths = long.map((column) => dialect.octets(storedValue(column, dialect)));
  const [only, second] = lengths;
  if (second === undefined) return only;
  return join(
    lengths.map((length) => sql`coalesce(${length}, 0)`),
    ' + ',
  );
};

const resourceSources = new WeakMap<ResourceModel, Source>();

/** The source of a model's rows, or of the service's own users. */
export const sourceOf = (name: string, models: Models): Source => {
  const model = models.get(name);
  return model === undefined ? userEntity : resourceSource(model, models);
};

const relationOf = (
  { write: _write, through, ...relation }: ModelRelation,
  models: Models,
): SourceRelation => ({
  ...relation,
  target: () => sourceOf(relation.model, models),
  through: through && { ...through, source: () => sourceOf(through.model, models) },
});

/**
 * The version of rows that are called by a name: the column that each write raises, or a hash of the values of a row
 * that other programs write too.
 */
export const rowVersion = ({ stored, fields }: ResourceModel, dialect: Dialect, row?: string): Fragment => {
  const column = columnsOfRows(stored, row);
  return hasVersion(stored)
    ? column(versionColumn)
    : dialect.rowHash([...fields.keys()].map((field) => column(field)));
};

const versionOf = (model: ResourceModel): SourceColumn => ({
  name: versionColumn,
  column: columnIn(model.stored, versionColumn),
  expression: hasVersion(model.stored) ? undefined : (dialect) => rowVersion(model, dialect, rowAlias),
  type: integer,
  options: {},
});

const firstColumns = ({ indexes }: ResourceModel): readonly string[] =>
  indexes.flatMap(({ columns }) => columns.slice(0, 1));

const searchOf = ({ search, stored }: ResourceModel): SourceSearch | undefined =>
  search.length === 0 ? undefined : { of: stored.name, columns: columnsIn(stored, search), fields: search };

/** Characters of an id that mean something in a path, or in the text around one. */
const escapedInPaths: readonly string[] = ['%', '/', '?', '#', '\\', '"', '<', '>', ' '];

/** An id as a segment of a path. Other characters stay: every client escapes them itself. */
export const idInPath = (id: RecordId): string =>
  escapedInPaths.reduce(
    (text, character) => text.replaceAll(character, encodeURIComponent(character)),
    String(id),
  );

/** The path of a record in the API, as SQL. */
const recordPath = (model: ResourceModel, dialect: Dialect, row: string): Fragment => {
  const { type } = model.key.field;
  const stored = identifier(row, columnIn(model.stored, 'id'));
  const id = sql`cast(${readId(dialect, model.key, stored)} as text)`;
  const replaced = (text: Fragment, character: string): Fragment =>
    sql`replace(${text}, ${literal(character)}, ${literal(encodeURIComponent(character))})`;
  const segment = type.column === 'text' ? escapedInPaths.reduce(replaced, id) : id;
  return sql`${literal(`/api/v1/${model.path}/`)} || ${segment}`;
};

/** The description of a file, from its row. */
const fileJson =
  (model: ResourceModel, field: string, column: string): NonNullable<SourceColumn['render']> =>
  (dialect, row) => {
    const of = (name: string): Fragment => identifier('_file', name);
    const url = sql`${recordPath(model, dialect, row)} || ${literal(`/${field}`)}`;
    const description = dialect.object([
      ...['name', 'type', 'size', 'checksum'].map((name) => ({ name, value: of(name) })),
      { name: 'url', value: url },
    ]);
    return sql`(select ${description} from ${own('gatewright_files')} as ${identifier('_file')}
      where ${of('id')} = ${identifier(row, column)})`;
  };

/** The source of a resource's table, with the numbers of files in place of their descriptions. */
export const numberedFiles = (source: Source): Source => ({
  ...source,
  columns: new Map(
    [...source.columns].map(([name, column]) => [
      name,
      column.type.uploads === undefined ? column : { ...column, render: undefined },
    ]),
  ),
});

/** The source of a resource's table; made once for a model. */
export const resourceSource = (model: ResourceModel, models: Models): Source => {
  const cached = resourceSources.get(model);
  if (cached !== undefined) return cached;
  const source: Source = {
    name: model.name,
    from: () => rowsOf(model.stored),
    // The size of a view, or of a table that another program changes, bounds nothing.
    table: model.stored.external === true ? undefined : model.table,
    columns: new Map(
      [...model.fields.values()].map(({ name, column, type, options }) => [
        name,
        {
          name,
          column,
          type,
          options,
          scale: model.stored.scales?.get(name),
          isNarrow: model.stored.external === true && type.column === 'integer',
          isFine: model.stored.external === true && type.column === 'timestamp',
          render: type.uploads === undefined ? undefined : fileJson(model, name, column),
        },
      ]),
    ),
    further: new Map([[versionColumn, versionOf(model)]]),
    key: 'id',
    search: searchOf(model),
    // Another program's indexes are not known, but that of the key.
    indexed: new Set(model.stored.external === true ? ['id'] : ['id', ...firstColumns(model)]),
    relations: new Map(
      [...model.relations.values()].map((relation) => [relation.name, relationOf(relation, models)]),
    ),
  };
  resourceSources.set(model, source);
  return source;
};
