import type { Dialect } from '../database/dialect.ts';
import {
  columnOf,
  renderedValue,
  rowAlias,
  type Source,
  type SourceColumn,
  type SourceRelation,
  storedValue,
} from '../database/source.ts';
import { type Fragment, join, identifier as named, sql } from '../database/statement.ts';
import { type Models, referencedTable } from '../model/models.ts';
import type { ModelRelation, ResourceModel } from '../model/resource.ts';
import { userEntity } from './users.ts';

/** What a caller may see of a source, as its grant says. */
export interface SourceView {
  readonly source: Source;
  /** Readable fields in the order of the answer. */
  readonly fields: readonly string[];
  /** The readable columns that can be compared with: what may be filtered, sorted and searched by. */
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

interface KnownView {
  readonly view: SourceView;
  readonly id: number;
}

/** Views of one source by the fields that grants let read. There are few: one for each set that the policy makes. */
export class SourceViews {
  readonly #source: Source;
  readonly #byArray = new WeakMap<readonly string[], KnownView>();
  readonly #byNames = new Map<string, KnownView>();

  constructor(source: Source) {
    this.#source = source;
    // A source without its key could not be listed at all.
    columnOf(source, source.key);
  }

  of(readable: readonly string[]): KnownView {
    const known = this.#byArray.get(readable);
    if (known !== undefined) return known;
    const names = JSON.stringify(readable);
    const made = this.#byNames.get(names) ?? {
      view: sourceView(this.#source, readable),
      id: this.#byNames.size,
    };
    this.#byNames.set(names, made);
    // Only an array that nobody can change stands for its names.
    if (Object.isFrozen(readable)) this.#byArray.set(readable, made);
    return made;
  }
}

/** Values of up to this many bytes make no page too large. */
const lightBytes = 4096;

/**
 * One row's JSON text: compact, keys in the order of `fields`, byte for byte the same on every database. It needs no
 * FROM of its own, so it serves SELECT and RETURNING alike. `row` names the row where that is not the alias `t`.
 */
export const projection = (
  source: Source,
  fields: readonly string[],
  dialect: Dialect,
  row = rowAlias,
): Fragment =>
  fields.length === 0
    ? sql`'{}'`
    : dialect.objectText(
        fields.map((name) => ({ name, value: renderedValue(columnOf(source, name), dialect, row) })),
      );

/** Most bytes that a value of a column has where it is compared or answered as the column keeps it. */
export const mostBytes = ({ type, options }: SourceColumn): number => type.indexBytes?.(options) ?? 16;

/**
 * The bytes that a row holds in those columns that may be long; null or 0 for none, undefined where none may.
 */
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

const made = new WeakMap<ResourceModel, Source>();

/** Where the rows of a model are, the service's own users included. */
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
  ...(through === undefined
    ? {}
    : { through: { ...through, table: referencedTable(models, through.model) } }),
});

/** A resource's table as something that can be listed and shown; made once for a model. */
export const resourceSource = (model: ResourceModel, models: Models): Source => {
  const known = made.get(model);
  if (known !== undefined) return known;
  const source: Source = {
    name: model.name,
    from: () => named(model.table),
    table: model.table,
    columns: new Map(
      [...model.fields.values()].map(({ name, type, options }) => [name, { name, type, options }]),
    ),
    key: 'id',
    indexed: new Set(['id', ...model.indexes.flatMap(({ columns }) => columns.slice(0, 1))]),
    relations: new Map(
      [...model.relations.values()].map((relation) => [relation.name, relationOf(relation, models)]),
    ),
  };
  made.set(model, source);
  return source;
};
