/**
 * Reads a query string without knowledge of any source: pairs, `filter[field][operator]`, and errors that name the
 * parameter.
 */

import type { SourceColumn } from '../../database/source.ts';
import type { ColumnValue, FilterOperator } from '../../fields/field.ts';
import { Problem } from '../../kernel/problem.ts';

/** One `name=value` of a query string, decoded; `raw` is its original text. */
export interface QueryParameter {
  readonly name: string;
  readonly value: string;
  readonly raw: string;
}

/**
 * Most characters of a query string: enough for 1,000 seven-digit ids in one `in`, and not too long for links.
 * @limit Lists | query string | characters | 400
 */
const maxQueryLength = 8192;

/** Most characters of a name in an error message. */
const shownLength = 100;

/** The refusal of one parameter: 400, naming it. */
export const invalidParameter = (name: string): Problem =>
  new Problem('invalid_parameter', { params: { name: name.slice(0, shownLength).toWellFormed() } });

/** The refusal of a field: the same for one that is hidden and for one that does not exist. */
export const unusableField = (name: string): Problem =>
  new Problem('unusable_field', { params: { name: name.slice(0, shownLength).toWellFormed() } });

/** Characters that HTTP allows in a request target; others must be escaped. */
const printable = /^[!-~]*$/;

const decode = (text: string): string | undefined => {
  try {
    // Throws for stray percent signs, overlong forms, lone surrogates and other invalid UTF-8.
    const decoded = decodeURIComponent(text.replaceAll('+', ' '));
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
};

/** Parses a raw query string (without `?`). @throws Problem `invalid_parameter` for text that cannot be decoded */
export const parseQueryString = (raw: string): QueryParameter[] => {
  if (raw.length > maxQueryLength || !printable.test(raw)) throw invalidParameter('?');
  const parameters: QueryParameter[] = [];
  for (const part of raw.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const rawName = equals === -1 ? part : part.slice(0, equals);
    const name = decode(rawName);
    const value = equals === -1 ? '' : decode(part.slice(equals + 1));
    if (name === undefined || value === undefined) throw invalidParameter(name ?? rawName);
    parameters.push({ name, value, raw: part });
  }
  return parameters;
};

/** True if letters of a raw query string are escaped without need: then it may contain any name. */
export const escapesLetters = (query: string): boolean => /%(?:[46][1-9a-f]|[57][0-9a])/i.test(query);

/** True if a raw query string may name relations: by `include=…`, or by a path such as `customer.name`. */
export const namesRelations = (query: string): boolean =>
  /include|\.|%2e/i.test(query) || escapesLetters(query);

/** One filter of a query string, `filter[field][operator]=…`, with the values as its column stores them. */
export interface FieldFilter {
  readonly column: SourceColumn;
  readonly operator: FilterOperator;
  /** Bound in the order of the placeholders; none for `null`. */
  readonly values: readonly ColumnValue[];
  /** For `null`: false if the column must be null, true if it must not. */
  readonly negated: boolean;
}

/**
 * Most characters of one filter value.
 * @limit Lists | value of a filter | characters | 400
 */
export const maxValueLength = 1024;
/**
 * Most values of one `in`.
 * @limit Lists | values of one `in` | count | 400
 */
const maxInValues = 1000;

/** Folds the case of ASCII letters, as the search of both databases does. */
export const foldAscii = (text: string): string =>
  text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Splits at commas; `\,` stands for a comma in a value and `\\` for a backslash, any other backslash for itself. */
export const splitValues = (text: string): string[] => {
  const values: string[] = [];
  let value = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const next = text.charAt(at + 1);
    if (character === ',') {
      values.push(value);
      value = '';
    } else if (character === '\\' && (next === ',' || next === '\\')) {
      value += next;
      at += 1;
    } else value += character;
  }
  values.push(value);
  return values;
};

/**
 * The least text by code point that sorts after every text with this prefix; undefined if there is none. Skips
 * surrogates, which are no characters.
 */
export const afterPrefix = (prefix: string): string | undefined => {
  const points = [...prefix];
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const point = last.codePointAt(0) ?? 0;
    if (point < 0x10ffff)
      return points.join('') + String.fromCodePoint(point === 0xd7ff ? 0xe000 : point + 1);
  }
  return undefined;
};

/** Pads values to a power of two with the last one, so that lists of any length need eleven statements, not 1,000. */
const padded = (values: readonly ColumnValue[]): ColumnValue[] => {
  const size = 2 ** Math.ceil(Math.log2(values.length));
  return Array.from({ length: size }, (_, index) => values[Math.min(index, values.length - 1)] ?? null);
};

const parseValue = (column: SourceColumn, text: string, parameter: string): ColumnValue => {
  const value = text.length > maxValueLength ? undefined : column.type.parse(text, column.options);
  if (value === undefined || value === null) throw invalidParameter(parameter);
  return value;
};

const parseValues = (column: SourceColumn, text: string, parameter: string): ColumnValue[] => {
  const values = splitValues(text);
  if (values.length > maxInValues) throw invalidParameter(parameter);
  return padded(values.map((value) => parseValue(column, value, parameter)));
};

const prefixValues = (prefix: string): string[] => {
  const end = afterPrefix(prefix);
  return end === undefined ? [prefix] : [prefix, end];
};

/** Parses the text of one filter. @throws Problem `invalid_parameter`, naming `parameter` */
export const parseFilter = (
  column: SourceColumn,
  operator: FilterOperator,
  text: string,
  parameter: string,
): FieldFilter => {
  const values = (of: readonly ColumnValue[]): FieldFilter => ({
    column,
    operator,
    values: of,
    negated: false,
  });
  switch (operator) {
    case 'null':
      if (text !== 'true' && text !== 'false') throw invalidParameter(parameter);
      return { column, operator, values: [], negated: text === 'false' };
    case 'in':
      return values(parseValues(column, text, parameter));
    case 'like':
    case 'starts_with':
      // A part of a value need not be a valid value of the type.
      if (text.length > maxValueLength) throw invalidParameter(parameter);
      return values(operator === 'like' ? [foldAscii(text)] : prefixValues(text));
    case 'eq':
    case 'ne':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return values([parseValue(column, text, parameter)]);
  }
};

/** Characters that a URL must escape between `<` and `>` of a Link header. */
const unsafe = /[^\w\-.~!$&'()*+,;=:@/?%[\]]/g;

/** Most characters of a Link header: with the other headers it stays below the 16 KiB that HTTP clients accept. */
const maxLinkHeaderLength = 12_000;

const relations = ['next', 'prev', 'first', 'last'] as const;

/** The paging parameters of linked pages as query strings, by relation to the current page. */
export type Links = { readonly [Relation in (typeof relations)[number]]?: string | undefined };

/** The raw parameters that all pages of a list share, escaped for links, as the beginning of a query string. */
export const sharedQuery = (parameters: readonly string[]): string =>
  parameters.map((raw) => `${raw.replace(unsafe, encodeURIComponent)}&`).join('');

/** The Link header (RFC 8288) of a page, `next` first; for a very long query only as many links as fit. */
export const linkHeader = (path: string, shared: string, links: Links): string => {
  let header = '';
  for (const relation of relations) {
    const page = links[relation];
    if (page === undefined) continue;
    const link = `${header === '' ? '' : ', '}<${path}?${shared}${page}>; rel="${relation}"`;
    if (header.length + link.length > maxLinkHeaderLength) break;
    header += link;
  }
  return header;
};
