import {
  anything,
  flag,
  listOf,
  mapOf,
  numeric,
  type OptionCheck,
  type OptionTable,
  optionsFlaw,
  plainObject,
  texts,
  textual,
} from '../kernel/options.ts';
import type { AnyInclude, ListQuery, NamedAggregateQuery, RelatedOptions } from '../model/scope.ts';

/** A list as code asks for it, whatever its model. */
export type AnyListQuery = ListQuery<Readonly<Record<string, unknown>>, string>;

const chosen: OptionCheck = (value, path) =>
  value === true || texts(value, path) === undefined
    ? undefined
    : `${path} must be true, or a list of fields`;

/** A list of relations, or what is answered of each. */
const includeOption: OptionCheck = (value, path) =>
  (Array.isArray(value) ? texts : mapOf(chosen))(value, path);

/** Options of what is answered beside a record. */
export const relatedOptions = { include: includeOption } satisfies OptionTable<RelatedOptions<AnyInclude>>;

const options = {
  ...relatedOptions,
  filter: plainObject,
  q: anything,
  sort: (value, path) => (typeof value === 'string' ? textual : listOf(textual))(value, path),
  page: numeric,
  perPage: numeric,
  after: anything,
} satisfies OptionTable<AnyListQuery>;

const groupOptions = {
  filter: options.filter,
  q: options.q,
  sort: options.sort,
  page: options.page,
  perPage: options.perPage,
  group: listOf(textual),
  count: flag,
  sum: listOf(textual),
  avg: listOf(textual),
  min: listOf(textual),
  max: listOf(textual),
  offset: textual,
} satisfies OptionTable<NamedAggregateQuery>;

type Scalar = string | number | boolean;

const textOf = (value: unknown, path: string): string => {
  if (value instanceof Date) return value.toISOString();
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value as Scalar);
  if (value === null) throw new TypeError(`${path} is null: the operator for that is { null: true }`);
  // Left out, the condition would let everything pass.
  if (value === undefined) throw new TypeError(`${path} is undefined: a condition is there or it is not`);
  throw new TypeError(`${path} must be a text, a number or a boolean`);
};

/** In a list of values a comma ends one and a backslash escapes. */
const operandOf = (value: unknown, path: string): string =>
  Array.isArray(value)
    ? value.map((each) => textOf(each, path).replace(/[\\,]/g, '\\$&')).join(',')
    : textOf(value, path);

const isOperators = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

const filterTerms = (filter: object): [string, string][] =>
  Object.entries(filter).flatMap(([field, condition]): [string, string][] => {
    if (!isOperators(condition)) {
      if (Array.isArray(condition))
        throw new TypeError(`filter.${field} is a list: the operator is { in: […] }`);
      return [[`filter[${field}]`, textOf(condition, `filter.${field}`)]];
    }
    return Object.entries(condition).map(([operator, operand]) => [
      `filter[${field}][${operator}]`,
      operandOf(operand, `filter.${field}.${operator}`),
    ]);
  });

/** A list of fields is there, even an empty one: left out, it would choose all. */
const includeTerms = (include: AnyInclude): [string, string][] => {
  if (Array.isArray(include)) return include.length === 0 ? [] : [['include', include.join(',')]];
  const entries = Object.entries(include);
  const fields = entries.flatMap(([path, names]): [string, string][] =>
    Array.isArray(names) ? [[`fields[${path}]`, names.join(',')]] : [],
  );
  return entries.length === 0 ? [] : [['include', entries.map(([path]) => path).join(',')], ...fields];
};

/** Names and values behind the conditions; what is undefined, and a list of nothing, is left out. */
const encoded = (terms: [string, string][], plain: Readonly<Record<string, unknown>>): string => {
  const text = new URLSearchParams(terms);
  for (const [name, value] of Object.entries(plain)) {
    const joined = Array.isArray(value) ? value.join(',') : value;
    if (joined !== undefined && !(Array.isArray(value) && joined === '')) text.append(name, String(joined));
  }
  return text.toString();
};

const refuseFlaw = (call: string, flaw: string | undefined): void => {
  if (flaw !== undefined) throw new TypeError(`${call}: ${flaw}`);
};

/**
 * The query string of a list, so that code and callers ask by the very same way.
 * @throws TypeError for an option that does not exist, and for a condition without a value
 */
export const queryString = (query: AnyListQuery): string => {
  refuseFlaw('list', optionsFlaw(query, options));
  const { filter = {}, include = [], sort, q, page, perPage, after } = query;
  const terms = [...filterTerms(filter), ...includeTerms(include)];
  return encoded(terms, { sort: sort === '' ? undefined : sort, q, page, per_page: perPage, after });
};

/** That of an aggregate. @throws TypeError as for a list */
export const groupQueryString = (query: NamedAggregateQuery): string => {
  refuseFlaw('aggregate', optionsFlaw(query, groupOptions));
  const { filter = {}, perPage, ...plain } = query;
  return encoded(filterTerms(filter), { ...plain, per_page: perPage });
};

/** That of what one record is answered with. */
export const includeQueryString = (include: AnyInclude): string => encoded(includeTerms(include), {});
