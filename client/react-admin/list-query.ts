import { type Include, listQuery, type PlainParameters } from '../query.ts';

export interface SortOrder {
  readonly field: string;
  readonly descending: boolean;
}

type Scalar = string | number | boolean;
type Condition = Scalar | Readonly<Record<string, Scalar | readonly Scalar[]>>;

export interface Conditions {
  readonly q?: string;
  readonly filter: Readonly<Record<string, Condition>>;
}

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const isGroup = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Flattens filters: the value of an input for `customer.country` stands in an object `customer`. */
const flat = (values: object, before = ''): [string, unknown][] =>
  Object.entries(values).flatMap(([name, value]): [string, unknown][] =>
    isGroup(value) ? flat(value, `${before}${name}.`) : [[before + name, value]],
  );

/** react-admin's filter values in the service's terms; an input that was emptied says nothing. */
export const conditionsOf = (values: Readonly<Record<string, unknown>>): Conditions => {
  const filter: Record<string, Record<string, Scalar | readonly Scalar[]>> = {};
  let q: string | undefined;
  for (const [name, value] of flat(values)) {
    if (value === undefined || value === null || value === '') continue;
    if (name === 'q') {
      q = String(value);
      continue;
    }
    const [field = '', operator = Array.isArray(value) ? 'in' : 'eq'] = name.split('@');
    const operand = Array.isArray(value) ? value.filter(isScalar) : isScalar(value) ? value : undefined;
    if (operand === undefined)
      throw new TypeError(`filter ${name}: not a value that a list can be filtered by`);
    filter[field] = { ...filter[field], [operator]: operand };
  }
  return { filter, ...(q === undefined ? {} : { q }) };
};

export interface ListRequest {
  readonly key: string;
  readonly sort: readonly SortOrder[];
  readonly conditions: Conditions;
  readonly include?: Include;
  readonly paging: Pick<PlainParameters, 'page' | 'per_page' | 'after' | 'total'>;
}

/** The query string of a list. `id` stands for the key of resources whose records are named by another field. */
export const queryOf = ({ key, sort, conditions, include, paging }: ListRequest): string =>
  listQuery({
    ...conditions,
    include,
    sort: sort.map(({ field, descending }) => `${descending ? '-' : ''}${field === 'id' ? key : field}`),
    ...paging,
  });

export const pathOf = (path: string, id: string | number): string => `${path}/${encodeURIComponent(id)}`;
