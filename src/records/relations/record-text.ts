/** The SQL for the JSON text of a record with its related records. */

import type { Dialect } from '../../database/dialect.ts';
import { keyColumnsOf, ruleValue, type Source } from '../../database/source.ts';
import { type Fragment, identifier, join, literal, sql, where } from '../../database/statement.ts';
import { projection, trailingComma } from '../view.ts';
import { type Include, maxRelated, maxTextBytes, mayBeTooMuch } from './include.ts';
import { assertRowsExamined, type Joining, relatedRow, relatedTo } from './related.ts';

/**
 * Rows with texts, limited in their total length, and the count that makes the statement check the limit: it fails with
 * TooLongError beyond that.
 */
export const fitting = (
  rows: Fragment,
  dialect: Dialect,
): { readonly rows: Fragment; readonly count: Fragment } => {
  const fits = dialect.fits(sql`row_json`, maxTextBytes);
  if (fits === undefined) return { rows, count: sql`count(*)` };
  // Without the OFFSET the planner would inline the text in both places, and make it twice.
  const once = sql`select * from (${rows}) as ${identifier('_texts')} offset 0`;
  return {
    rows: sql`select *, ${fits} as row_fits from (${once}) as ${identifier('_once')}`,
    count: sql`sum(row_fits)`,
  };
};

const arrayText = (each: Include, before: string, depth: number, joining: Joining): Fragment => {
  const { step, fields, included } = each;
  const { target } = step;
  const { from, conditions } = relatedTo(step, before, depth, joining);
  const row = relatedRow(depth);
  const text = recordText(target, fields, included, joining, row, depth + 1);
  const key = join(keyColumnsOf(target).map((column) => ruleValue(column, joining.dialect, row)));
  const rows = sql`select ${text} as row_json${from}${where(conditions)} order by ${key} limit ${literal(maxRelated + 1)}`;
  const checked = mayBeTooMuch(maxRelated + 1, target, fields, included)
    ? fitting(rows, joining.dialect)
    : { rows, count: sql`count(*)` };
  const joined = joining.dialect.joined(sql`row_json`, literal(','));
  // Checked for each array: with a check at the end, arrays of all rows would be made in vain.
  const array = sql`case when ${joining.dialect.atMost(checked.count, maxRelated)} then '[' || coalesce(${joined}, '') || ']' end`;
  const made = sql`(select ${array} from (${checked.rows}) as ${identifier('_rows')})`;
  const few = assertRowsExamined(step, before, depth, joining);
  return few === undefined ? made : sql`(case when ${few} then ${made} end)`;
};

const objectText = (each: Include, before: string, depth: number, joining: Joining): Fragment => {
  const { step, fields, included } = each;
  const { from, conditions } = relatedTo(step, before, depth, joining);
  const text = recordText(step.target, fields, included, joining, relatedRow(depth), depth + 1);
  return sql`coalesce((select ${text}${from}${where(conditions)}), 'null')`;
};

/** The JSON text of a record with included ones: a key for each relation after those of its fields. */
export const recordText = (
  source: Source,
  fields: readonly string[],
  included: readonly Include[],
  joining: Joining,
  row: string,
  depth = 0,
): Fragment => {
  const record = projection(source, fields, joining.dialect, row);
  if (included.length === 0) return record;
  const parts = included.map((each, index) => {
    const key = `${JSON.stringify(each.step.relation.name)}:`;
    const comma = index === 0 ? trailingComma(source, fields, joining.dialect, row) : sql`','`;
    const value = each.step.relation.many
      ? arrayText(each, row, depth, joining)
      : objectText(each, row, depth, joining);
    return sql`${comma} || ${literal(key)} || ${value}`;
  });
  return sql`${joining.dialect.unclosed(record)} || ${join(parts, ' || ')} || '}'`;
};
