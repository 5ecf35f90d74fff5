import { compareIds, type Id, missing } from './ids.ts';
import { type FieldPlan, idOf, type ModelPlan, type Row } from './plan.ts';
import type { Random } from './random.ts';
import { comparedAs, compareValues, kinds, someValue, type Value } from './values.ts';

/** The parameters of a list, as its query has them and as plain JavaScript applies them. */
export interface ListAsked {
  readonly parameters: readonly (readonly [string, string])[];
  /** The rows that match, in their order. */
  readonly answer: (rows: readonly Row[]) => readonly Row[];
}

interface Filter {
  readonly parameter: readonly [string, string];
  readonly matches: (row: Row) => boolean;
}

const escaped = (value: Value): string => String(value).replace(/[\\,]/g, '\\$&');

const someFilter = (random: Random, field: FieldPlan, ids: readonly Id[]): Filter => {
  const { name, kind, key = 'integer' } = field;
  const known: readonly Value[] = kind === 'reference' ? ids : kinds[kind].values;
  const value = known.length === 0 ? missing[key] : random.pick(known);
  const order = (row: Row) => compareValues(comparedAs(field), row[name] ?? null, value);
  const isNull = (row: Row) => (row[name] ?? null) === null;
  const plain = (operator: string, matches: (row: Row) => boolean): Filter => ({
    parameter: [operator === 'eq' ? `filter[${name}]` : `filter[${name}][${operator}]`, String(value)],
    matches,
  });
  const filters = [
    () => plain('eq', (row) => row[name] === value),
    () => plain('ne', (row) => row[name] !== value),
    (): Filter => {
      const wanted = random.chance(0.5);
      return {
        parameter: [`filter[${name}][null]`, String(wanted)],
        matches: (row) => isNull(row) === wanted,
      };
    },
  ];
  if (kind !== 'boolean')
    filters.push(() => {
      const values = known.length === 0 ? [value] : random.some(known, 0.4, 1);
      return {
        parameter: [`filter[${name}][in]`, values.map(escaped).join(',')],
        matches: (row) => !isNull(row) && values.includes(row[name] ?? null),
      };
    });
  if (kind !== 'reference' && kinds[kind].ordered) {
    filters.push(() => plain('gt', (row) => !isNull(row) && order(row) > 0));
    filters.push(() => plain('lte', (row) => !isNull(row) && order(row) <= 0));
  }
  return random.pick(filters)();
};

const folded = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** A list with filters, an order and a search, each now and then. References are compared with the ids that `idsFor` gives. */
export const someList = (
  random: Random,
  plan: ModelPlan,
  idsFor: (field: FieldPlan) => readonly Id[],
): ListAsked => {
  const filters = random.some(plan.fields, 0.15).map((field) => someFilter(random, field, idsFor(field)));
  const sort = random.some(plan.fields, 0.2).map((field) => ({ field, descending: random.chance(0.5) }));
  const texts = plan.fields.filter(({ kind }) => kind === 'string');
  const search = random.chance(0.15) ? folded(String(someValue(random, 'string', false))).slice(0, 3) : '';
  const parameters = filters.map(({ parameter }) => parameter);
  if (sort.length > 0) {
    const terms = sort.map(({ field, descending }) => (descending ? `-${field.name}` : field.name));
    parameters.push(['sort', terms.join(',')]);
  }
  if (search !== '') parameters.push(['q', search]);
  const isFound = (row: Row): boolean =>
    search === '' || texts.some(({ name }) => folded(String(row[name] ?? '')).includes(search));
  const order = (a: Row, b: Row): number => {
    for (const { field, descending } of sort) {
      const compared = compareValues(comparedAs(field), a[field.name] ?? null, b[field.name] ?? null);
      if (compared !== 0) return descending ? -compared : compared;
    }
    return compareIds(plan.key, idOf(a), idOf(b));
  };
  return {
    parameters,
    answer: (rows) =>
      rows.filter((row) => filters.every(({ matches }) => matches(row)) && isFound(row)).sort(order),
  };
};

export const queryOf = (parameters: readonly (readonly [string, string])[]): string => {
  const pairs = parameters.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
};
