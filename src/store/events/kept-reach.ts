import type { ColumnKind } from '../../fields/field.ts';
import type { Models } from '../../model/models.ts';
import type { ResourceModel } from '../../model/resource.ts';
import { pathBehind, type RowExpression } from '../../model/row-expression.ts';
import { columnOf } from '../column.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { resourceSource, sourceOf } from '../resource-source.ts';
import type { Source } from '../source.ts';
import { type Fragment, name, sql } from '../statement.ts';

/**
 * What is kept of a row that goes, so that it can be asked later who could read it: the values that rules of reading
 * compare, by their paths; those of the rows that it refers to as well, as these may go along.
 */

/** One of these values. */
interface KeptValue {
  readonly kind: ColumnKind;
  /** Of the row with this name. */
  readonly value: Fragment;
}

type KeptValues = ReadonlyMap<string, KeptValue>;

class Collecting {
  readonly found = new Map<string, KeptValue>();
  readonly #models: Models;

  constructor(models: Models) {
    this.#models = models;
  }

  take(source: Source, prefix: string, of: string, value: Fragment): void {
    this.found.set(prefix + of, { kind: columnOf(source, of).type.column, value });
  }

  /** `column`: the SQL of a column of the row that the expression is about. */
  walk(
    expression: RowExpression,
    source: Source,
    prefix: string,
    column: (of: string) => Fragment,
    depth = 0,
  ): void {
    if ('rules' in expression) {
      for (const rule of expression.rules) this.walk(rule, source, prefix, column, depth);
      return;
    }
    const value = column(expression.column);
    this.take(source, prefix, expression.column, value);
    if (expression.kind !== 'via') return;
    const row = `_kept${depth}`;
    const next = (of: string): Fragment =>
      sql`(select ${name(row, of)} from ${name(expression.table)} as ${name(row)} where ${name(row, 'id')} = ${value})`;
    const target = sourceOf(expression.model, this.#models);
    this.walk(expression.rule, target, prefix + pathBehind(expression.column, ''), next, depth + 1);
  }
}

const collected = new WeakMap<ResourceModel, KeptValues>();

/** Everything that any rule of reading compares, for anybody. Made once for a model. */
const keptValues = (model: ResourceModel, models: Models): KeptValues => {
  const known = collected.get(model);
  if (known !== undefined) return known;
  const source = resourceSource(model, models);
  const collecting = new Collecting(models);
  const column = (of: string): Fragment => name(model.table, of);
  const { isolation, publicRead } = model.rules;
  for (const { column: of } of publicRead ?? []) collecting.take(source, '', of, column(of));
  if (isolation?.byOwner === true && model.owner !== undefined)
    collecting.take(source, '', model.owner, column(model.owner));
  else if (isolation !== undefined) collecting.walk(isolation.read.expression, source, '', column);
  collected.set(model, collecting.found);
  return collecting.found;
};

/** The values as JSON text, to be read with the row; it is called by its table's name. */
export const keptReach = (model: ResourceModel, models: Models, dialect: Dialect): Fragment =>
  dialect.objectText([...keptValues(model, models)].map(([path, { value }]) => ({ name: path, value })));

/** What kind of value is kept under a path; undefined where none is. */
export const keptKind = (model: ResourceModel, models: Models, path: string): ColumnKind | undefined =>
  keptValues(model, models).get(path)?.kind;
