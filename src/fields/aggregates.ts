import type { FieldType } from './field.ts';

/** What can be computed of a field over many records. */
export const measures = ['sum', 'avg', 'min', 'max'] as const;
export type Measure = (typeof measures)[number];

/** Spans of time that a field can be grouped by: `created_at:day`. */
export const buckets = ['hour', 'day', 'week', 'month', 'year'] as const;
export type Bucket = (typeof buckets)[number];

type Facts = Pick<FieldType, 'column' | 'operators' | 'sortable'>;

/** Values that are counts or measurements; an id has no order, so it is none, although it is kept as a number. */
const isQuantity = ({ column, operators }: Facts): boolean =>
  (column === 'integer' || column === 'decimal' || column === 'number') && operators.includes('gt');

/** What has an order has a least and a greatest value. */
export const measuresOf = (type: Facts): readonly Measure[] => {
  if (isQuantity(type)) return measures;
  return type.operators.includes('gt') ? ['min', 'max'] : [];
};

const ofDays = buckets.filter((bucket) => bucket !== 'hour');

export const bucketsOf = ({ column }: Facts): readonly Bucket[] => {
  if (column === 'timestamp') return buckets;
  return column === 'date' ? ofDays : [];
};

/** Values that are only there or not (JSON) make no groups. */
export const isGroupable = ({ sortable }: Facts): boolean => sortable;
