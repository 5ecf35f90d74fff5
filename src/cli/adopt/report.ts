/** The words of a run of `gatewright adopt`: for every new or changed table and each of its columns, or as JSON. */

import { type Json, withoutUndefined } from '../../kernel/json.ts';
import { statementText } from '../scaffold/code.ts';
import { fieldCode } from '../scaffold/field-code.ts';
import type { FactChange } from './adopted-file.ts';
import { type AdoptedModel, type ColumnOutcome, tableText } from './adopted-model.ts';
import type { Plan, PlannedModel } from './plan-adoption.ts';

const became = ({ field, definition, remarks }: ColumnOutcome): string => {
  if (field === undefined) return `left out: ${remarks.join('; ')}`;
  const code = definition === undefined ? field : `${field}: ${codeOf(definition)}`;
  return remarks.length === 0 ? code : `${code} (${remarks.join('; ')})`;
};

const codeOf = (definition: Parameters<typeof fieldCode>[0]): string =>
  statementText(fieldCode(definition), { after: '' }).replace(/\s*\n\s*/g, ' ');

/** Rows with columns of equal width; the last one is as long as it is. */
const aligned = (rows: readonly (readonly [string, string, string])[]): string[] => {
  const widthOf = (at: 0 | 1): number => Math.min(40, Math.max(0, ...rows.map((row) => row[at].length)));
  const [first, second] = [widthOf(0), widthOf(1)];
  return rows.map(([one, two, three]) => `  ${one.padEnd(first)}  ${two.padEnd(second)}  ${three}`);
};

const newLines = ({ columns, remarks }: AdoptedModel): string[] => [
  ...aligned(columns.map((each) => [each.column, each.declared, became(each)])),
  ...remarks.map((remark) => `  - ${remark}`),
];

const changeLine = ({ name, before, now }: FactChange): string => {
  if (before === undefined) return `+ ${name}: ${now}`;
  return now === undefined ? `- ${name}: ${before}` : `~ ${name}: ${before} → ${now}`;
};

/** The outcome of columns that changed, where no change of code says it. */
const columnLines = ({ adopted, inDatabase }: PlannedModel): string[] => {
  const touched = new Set(inDatabase.flatMap(({ name }) => /^column (.*)$/s.exec(name)?.[1] ?? []));
  const columns = adopted.columns.filter(
    ({ column, definition }) => touched.has(column) && definition === undefined,
  );
  return columns.map((each) => `    ${each.column}: ${became(each)}`);
};

const changeLines = (planned: PlannedModel): string[] => {
  const { state, file, inDatabase, inCode } = planned;
  const code = inCode.map((change) => `    ${changeLine(change)}`);
  const title = state === 'edited' ? `  ${file} was changed by hand: edit it yourself` : `  ${file}`;
  if (code.length > 0) code.unshift(title);
  return [...inDatabase.map((change) => `  ${changeLine(change)}`), ...columnLines(planned), ...code];
};

const titles: Readonly<Record<PlannedModel['state'], string>> = {
  new: 'new',
  changed: 'changed',
  edited: 'changed, and its file was edited',
  same: 'as before',
};

const modelLines = (planned: PlannedModel): string[] => {
  const { adopted, file, state } = planned;
  const title = `${tableText(adopted.table)} → ${adopted.model} (${file}): ${titles[state]}`;
  const lines = state === 'new' ? newLines(adopted) : changeLines(planned);
  return [title, ...lines, ''];
};

/** True if something differs from the last run. */
export const hasChanges = ({ models, left, lost }: Plan): boolean =>
  models.some(({ state }) => state !== 'same') || left.some(({ isNew }) => isNew) || lost.length > 0;

/** A line in which nothing from the database moves the cursor or changes a colour. */
const harmless = (line: string): string => line.replace(/[\t\n\v\f\r]+/g, ' ').replace(/\p{Cc}/gu, '?');

/** Lines for people: what is new or changed since the last run. */
export const reportLines = ({ models, left, lost }: Plan): readonly string[] =>
  [
    ...models.filter(({ state }) => state !== 'same').flatMap(modelLines),
    ...left
      .filter(({ isNew }) => isNew)
      .map(({ table, because }) => `${tableText(table)}: left out, ${because}`),
    ...lost.map(
      ({ table, file, because }) => `${table}: ${because}; delete ${file}, or the service does not start`,
    ),
  ].map(harmless);

const countOf = (models: readonly PlannedModel[], state: PlannedModel['state']): number =>
  models.filter((each) => each.state === state).length;

/** The last line: how many tables are in which state. */
export const summary = ({ models, left, lost }: Plan): string => {
  const counts = [
    [countOf(models, 'new'), 'new'],
    [countOf(models, 'changed'), 'changed'],
    [countOf(models, 'edited'), 'changed with a file to edit'],
    [countOf(models, 'same'), 'as before'],
    [left.length, 'left out'],
    [lost.length, 'without a table or right'],
  ] as const;
  const said = counts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  return said.length === 0 ? 'There are no tables.' : `Tables: ${said.join(', ')}.`;
};

const changesJson = (changes: readonly FactChange[]): Json =>
  changes.map(({ name, before, now }) => ({ name, before: before ?? null, now: now ?? null }));

const columnJson = (outcome: ColumnOutcome): Json => {
  const { column, declared, field, definition, remarks } = outcome;
  const code = definition === undefined ? null : codeOf(definition);
  return { column, type: declared, field: field ?? null, code, remarks: [...remarks] };
};

/** Every table with every column, changed or not. */
export const reportJson = (
  { models, left, lost }: Plan,
  written: readonly string[],
  policies: Json | undefined,
): Json =>
  withoutUndefined<Json>({
    tables: models.map(({ state, adopted, file, inDatabase, inCode }) => ({
      table: tableText(adopted.table),
      model: adopted.model,
      file,
      state,
      columns: adopted.columns.map(columnJson),
      remarks: [...adopted.remarks],
      changes: changesJson(inDatabase),
      edits: changesJson(inCode),
    })),
    left: left.map(({ table, because }) => ({ table: tableText(table), reason: because })),
    lost: lost.map(({ table, file, because }) => ({ table, file, reason: because })),
    written: [...written],
    policies,
  });
