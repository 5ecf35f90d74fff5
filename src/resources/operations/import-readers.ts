/** Parses the records of an import, in CSV or JSON lines. Every door of the import has the same rules. */

import { checkDepth } from '../../http/body.ts';
import { type Cell, CellError, csvCells } from '../../kernel/csv-cells.ts';
import { parseExact } from '../../kernel/exact-json.ts';
import type { FieldError } from '../../kernel/field-error.ts';
import { unescapeFormulas } from '../../kernel/formulas.ts';
import { isJsonObject, type Json } from '../../kernel/json.ts';
import { type Catalogue, fieldError, type OwnRule } from '../../kernel/messages.ts';
import type { ModelField } from '../../model/resource.ts';
import type { ImportLine } from './import.ts';
import type { ImportFields } from './import-fields.ts';
import type { Frame, FrameError } from './import-frames.ts';

/** Parses a record; undefined for a blank line. */
export type ReadLine = (frame: Frame) => ImportLine | undefined;

const rule = (name: string, chinese: string, english: string): OwnRule => ({
  name,
  sentence: { 'zh-CN': chinese, en: english },
});

const rules = {
  utf8: rule('utf8', '该行不是 UTF-8', 'it is not UTF-8'),
  json: rule('json_line', '该行不是 JSON 对象', 'it is not a JSON object'),
  cells: rule(
    'cells',
    '该行有 {cells} 个单元格，而首行有 {columns} 个',
    'it has {cells} cells, and the first line {columns}',
  ),
  unknown: rule('unknown_field', '没有字段 {name}', 'there is no field {name}{hint}'),
  unnamed: rule('column_name', '有一列没有名称', 'a column has no name'),
  twice: rule('column_twice', '列 {name} 出现了两次', '{name} stands there twice'),
  missing: rule('column_missing', '没有列 {name}', 'there is no column {name}'),
  empty: rule(
    'empty',
    '内容为空：首行应为字段名',
    'the file is empty: its first line has to name the fields',
  ),
  unclosed_quote: rule(
    'quote',
    '单元格开头的双引号没有结束',
    'a double quote that opens a cell is never closed',
  ),
  text_after_quote: rule(
    'quote',
    '结束单元格的双引号之后既不是逗号也不是行尾',
    'behind the quote that closes a cell there is neither a comma nor the end',
  ),
  inner_quote: rule(
    'quote',
    '双引号出现在不以双引号开头的单元格中',
    'a double quote stands in a cell that does not begin with one',
  ),
  too_long: rule('record_length', '该行超过 16 MiB', 'the record is longer than 16 MiB'),
} as const satisfies Readonly<Record<string, OwnRule>>;

/** The rules of lines beside those of fields; the reference of errors lists them. */
export const lineRules: readonly OwnRule[] = Object.values(rules);

type LineParams = Readonly<Record<string, string | number>>;

/** A message about a line, or about one of its fields. */
const wrong = (
  catalogue: Catalogue,
  name: keyof typeof rules,
  params: LineParams = {},
  field = '',
): FieldError => fieldError(catalogue, field, field, rules[name], params);

const refusedLine = (number: number, ...errors: readonly FieldError[]): ImportLine => ({
  number,
  values: {},
  errors,
});

/** The rest of a body that cannot be split into records. */
export const unreadableFrame = (catalogue: Catalogue, { line, flaw }: FrameError): ImportLine =>
  refusedLine(line, wrong(catalogue, flaw === 'unclosed_quote' ? flaw : 'too_long'));

/** The names of the columns are wrong: no line can be read. */
export class ImportHeadError extends Error {
  readonly line: number;
  readonly error: FieldError;

  constructor(line: number, error: FieldError) {
    super(error.message);
    this.name = 'ImportHeadError';
    this.line = line;
    this.error = error;
  }

  /** The error of CSV without any line. */
  static ofEmpty(catalogue: Catalogue): ImportHeadError {
    return new ImportHeadError(1, wrong(catalogue, 'empty'));
  }
}

/** The cells, or the mistake in them. */
const cellsOf = ({ text }: Frame): Cell[] | 'utf8' | CellError['flaw'] => {
  if (text === undefined) return 'utf8';
  try {
    return csvCells(text);
  } catch (error) {
    if (error instanceof CellError) return error.flaw;
    throw error;
  }
};

/** Delimiters that other programs use. */
const separatorHint = (cells: readonly Cell[]): string =>
  cells.length === 1 && /[;\t|]/.test(cells[0] ?? '') ? ' (the cells of CSV are separated by commas)' : '';

/** The fields of the columns; undefined for a skipped column. @throws ImportHeadError */
const columnsOf = (
  fields: ImportFields,
  head: Frame,
  catalogue: Catalogue,
): readonly (ModelField | undefined)[] => {
  const fail = (name: keyof typeof rules, params?: LineParams): never => {
    throw new ImportHeadError(head.line, wrong(catalogue, name, params));
  };
  const cells = cellsOf(head);
  if (typeof cells === 'string') return fail(cells);
  const seen = new Set<string>();
  const columns = cells.map((cell) => {
    const name = cell ?? '';
    if (name === '') return fail('unnamed');
    if (seen.has(name)) return fail('twice', { name: JSON.stringify(name.slice(0, 60)) });
    seen.add(name);
    const role = fields.role(name);
    if (role.kind === 'unknown')
      return fail('unknown', { name: role.name, hint: role.hint + separatorHint(cells) });
    return role.kind === 'written' ? role.field : undefined;
  });
  if (fields.by !== undefined && !seen.has(fields.by))
    return fail('missing', { name: JSON.stringify(fields.by) });
  return columns;
};

/** The value of a cell for a body, without the prefix that protects spreadsheets. */
const readCell = (cell: Cell, { type }: ModelField): Json =>
  cell === null ? null : type.fromText(cell.includes("'") ? unescapeFormulas(cell) : cell);

/**
 * Parses the lines of CSV after its header. A line of only commas, as spreadsheets write them behind the last row, is
 * no record: `onEmptyLine` is called with the first one.
 * @throws ImportHeadError if the header names unknown fields
 */
export const csvReader = (
  fields: ImportFields,
  head: Frame,
  catalogue: Catalogue,
  onEmptyLine: (line: number) => void = () => {},
): ReadLine => {
  const columns = columnsOf(fields, head, catalogue);
  let isReported = false;
  return (frame) => {
    if (frame.text === '') return undefined;
    const cells = cellsOf(frame);
    if (typeof cells === 'string') return refusedLine(frame.line, wrong(catalogue, cells));
    if (cells.length !== columns.length) {
      const counts = { cells: cells.length, columns: columns.length };
      return refusedLine(frame.line, wrong(catalogue, 'cells', counts));
    }
    if (cells.length > 1 && cells.every((cell) => cell === null)) {
      if (!isReported) onEmptyLine(frame.line);
      isReported = true;
      return undefined;
    }
    const values: Record<string, Json> = {};
    for (const [place, field] of columns.entries())
      if (field !== undefined) values[field.name] = readCell(cells[place] ?? null, field);
    return { number: frame.line, values, errors: [] };
  };
};

const parsed = (text: string): Json | undefined => {
  try {
    checkDepth(text);
    return parseExact(text) as Json;
  } catch {
    return undefined;
  }
};

/** Parses JSON lines: an object on each line. */
export const jsonReader =
  (fields: ImportFields, catalogue: Catalogue): ReadLine =>
  ({ line, text }) => {
    if (text === undefined) return refusedLine(line, wrong(catalogue, 'utf8'));
    if (text.trim() === '') return undefined;
    const record = parsed(text);
    if (record === undefined || !isJsonObject(record)) return refusedLine(line, wrong(catalogue, 'json'));
    const values: Record<string, Json> = {};
    const errors: FieldError[] = [];
    for (const [name, value] of Object.entries(record)) {
      const role = fields.role(name);
      if (role.kind === 'unknown')
        errors.push(wrong(catalogue, 'unknown', { name: role.name, hint: role.hint }, name.slice(0, 60)));
      if (role.kind === 'written') values[name] = value;
    }
    return { number: line, values, errors };
  };
