/** A value of a condition in a query string. */
type Scalar = string | number | boolean;

/** Relations, optionally with their fields. */
export type Include =
  | readonly PropertyKey[]
  | { readonly [Path in PropertyKey]?: true | readonly PropertyKey[] };

/** The parameters of a list whose values are sent as they are. */
export interface PlainParameters {
  /** Text to look for in every text field. */
  readonly q?: string | undefined;
  /** From 1. */
  readonly page?: number | undefined;
  /** 1 to 1,000; 20 where only `page` is given. Without all three the list is whole. */
  readonly per_page?: number | undefined;
  /** `next` of the page before. */
  readonly after?: string | undefined;
  /**
   * Total of a page: `exact` (default) counts all matching records, `estimate` up to 10,000, `none` nothing. A page by
   * `after` has none.
   */
  readonly total?: 'exact' | 'estimate' | 'none' | undefined;
}

/** All parameters of a list, without checked names and types. */
export interface ListParameters extends PlainParameters {
  readonly filter?: object | undefined;
  readonly sort?: string | readonly string[] | undefined;
  readonly fields?: readonly PropertyKey[] | undefined;
  readonly include?: Include | undefined;
  /** Of an aggregate. */
  readonly group?: readonly string[] | undefined;
  readonly count?: boolean | undefined;
  readonly sum?: readonly string[] | undefined;
  readonly avg?: readonly string[] | undefined;
  readonly min?: readonly string[] | undefined;
  readonly max?: readonly string[] | undefined;
  readonly offset?: string | undefined;
  readonly zone?: string | undefined;
}

/** In a list of values a comma ends a value and a backslash escapes. */
const escapeValue = (value: Scalar): string => String(value).replace(/[\\,]/g, '\\$&');

const operandText = (operand: Scalar | readonly Scalar[]): string =>
  typeof operand === 'object' ? operand.map(escapeValue).join(',') : String(operand);

/** `[name, text]` of each condition. Undefined values are left out, so that optional inputs can be passed on. */
function* conditions(filter: object): Generator<[string, string]> {
  for (const [field, condition] of Object.entries(filter)) {
    if (condition === undefined) continue;
    if (condition === null || Array.isArray(condition))
      throw new TypeError(`filter.${field}: use { null: true } or { in: […] }`);
    if (typeof condition !== 'object') yield [`filter[${field}]`, operandText(condition)];
    else
      for (const [operator, operand] of Object.entries(condition))
        if (operand !== undefined)
          yield [`filter[${field}][${operator}]`, operandText(operand as Scalar | readonly Scalar[])];
  }
}

const joined = (value: string | readonly PropertyKey[]): string =>
  typeof value === 'string' ? value : value.map(String).join(',');

/** `[name, text]` of each inclusion. An empty list of fields is sent as well: without it, all would be selected. */
function* includes(include: object): Generator<[string, string]> {
  if (Array.isArray(include)) {
    if (include.length > 0) yield ['include', joined(include)];
    return;
  }
  const chosen = Object.entries(include).filter(([, fields]) => fields !== undefined);
  if (chosen.length > 0) yield ['include', joined(chosen.map(([path]) => path))];
  for (const [path, fields] of chosen) if (fields !== true) yield [`fields[${path}]`, joined(fields)];
}

/** Their names in the order of the query string; the last three are of an aggregate. */
const plain = {
  q: 1,
  page: 1,
  per_page: 1,
  after: 1,
  total: 1,
  count: 1,
  offset: 1,
  zone: 1,
} satisfies Record<keyof PlainParameters | 'count' | 'offset' | 'zone', 1>;
const plainNames = Object.keys(plain) as (keyof typeof plain)[];

/** The query string of a list, with its question mark; empty without parameters. */
export const listQuery = ({ filter = {}, include = [], ...rest }: ListParameters): string => {
  const query = new URLSearchParams();
  for (const [name, text] of conditions(filter)) query.append(name, text);
  for (const [name, text] of includes(include)) query.append(name, text);
  for (const name of ['sort', 'fields', 'group', 'sum', 'avg', 'min', 'max'] as const) {
    const value = rest[name];
    if (value !== undefined && value.length > 0) query.append(name, joined(value));
  }
  for (const name of plainNames) if (rest[name] !== undefined) query.append(name, String(rest[name]));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
};
