import { columnOf, storedValue } from '../../database/column.ts';
import type { Source, SourceColumn } from '../../database/source.ts';
import { type Fragment, param, sql, where } from '../../database/statement.ts';
import { unusableField } from '../list/query-string.ts';
import { existsRelated, type Joining, leadsTo, relatedRow, relatedTo } from './join.ts';
import { maxSteps, type RelatedReader, type RelationStep } from './related.ts';

/** A field of records to which others lead: `customer.country`, `lines.product_id`. */
export interface Path {
  readonly steps: readonly RelationStep[];
  readonly column: SourceColumn;
}

/** Whether a name is a field behind relations. */
export const isPath = (name: string): boolean => name.includes('.');

/**
 * Reads a path from rows of which the caller reads these fields.
 * @throws Problem `unusable_field`, `forbidden`
 */
export const readPath = (
  source: Source,
  readable: readonly string[],
  text: string,
  reader: RelatedReader,
): Path => {
  const names = text.split('.');
  const field = names.pop() ?? '';
  if (names.length > maxSteps) throw unusableField(text);
  const steps: RelationStep[] = [];
  let from = source;
  let fields = reader.reads(source, readable);
  for (const name of names) {
    const { step, target, readership } = reader.follow(from, fields, name, text);
    steps.push(step);
    from = target;
    fields = readership.grant.readable;
  }
  if (!fields.includes(field)) throw unusableField(text);
  const column = columnOf(from, field);
  if (column.comparable === false) throw unusableField(text);
  return { steps, column };
};

/**
 * The condition that one of the rows to which `before` leads meets a condition on the last row of the path. `ofNone`:
 * whether the condition holds for a field without a value, and so where no row is to be had.
 */
export const pathCondition = (
  steps: readonly RelationStep[],
  before: string,
  condition: (row: string) => Fragment,
  ofNone: boolean,
  joining: Joining,
  depth = 0,
): Fragment => {
  const [step, ...rest] = steps;
  if (step === undefined) return condition(before);
  const row = relatedRow(depth);
  const met = pathCondition(rest, row, condition, ofNone, joining, depth + 1);
  if (!ofNone) return leadsTo(step, before, depth, [met], joining);
  // There is one at most, so that none which fails says that it meets the condition, or is not there.
  if (!step.relation.many)
    return sql`not ${existsRelated(step, before, depth, [sql`(${met}) is not true`], joining)}`;
  const some = existsRelated(step, before, depth, [met], joining);
  return sql`(${some} or not ${existsRelated(step, before, depth, [], joining)})`;
};

const related = (index: number): Fragment => param('related', index);

/**
 * A path to one record at most as a column of the row `t`: what that record holds, null where there is none.
 * Undefined where it leads to several.
 */
export const pathColumn = ({ steps, column }: Path, text: string): SourceColumn | undefined => {
  if (steps.some(({ relation }) => relation.many)) return undefined;
  const valueAt = (joining: Joining, before: string, depth: number): Fragment => {
    const step = steps[depth];
    if (step === undefined) return storedValue(column, joining.dialect, before);
    const { from, conditions } = relatedTo(step, before, depth, joining);
    return sql`(select ${valueAt(joining, relatedRow(depth), depth + 1)}${from}${where(conditions)})`;
  };
  return {
    name: text,
    type: column.type,
    // Whatever it is there, it is null where there is no record.
    options: { ...column.options, required: false },
    expression: (dialect) => valueAt({ dialect, value: related }, 't', 0),
  };
};
