import type { FieldType } from './field.ts';

/** Values that can be computed of a field over many records. */
export const measures = ['sum', 'avg', 'min', 'max'] as const;
export type Measure = (typeof measures)[number];

/** Time spans by which a field can be grouped: `created_at:day`. */
export const buckets = ['hour', 'day', 'week', 'month', 'year'] as const;
export type Bucket = (typeof buckets)[number];

type Facts = Pick<FieldType, 'column' | 'operators' | 'sortable'>;

/** True if values are counts or measurements; an id is stored as a number, but its order has no meaning. */
const isQuantity = ({ column, operators }: Facts): boolean =>
  (column === 'integer' || column === 'decimal' || column === 'number') && operators.includes('gt');

/** Ordered values have a minimum and a maximum, except ids that are UUIDs or digits: their functions differ. */
export const measuresOf = (type: Facts): readonly Measure[] => {
  if (isQuantity(type)) return measures;
  return type.operators.includes('gt') && type.column !== 'uuid' && type.column !== 'bigint'
    ? ['min', 'max']
    : [];
};

const ofDays = buckets.filter((bucket) => bucket !== 'hour');

export const bucketsOf = ({ column }: Facts): readonly Bucket[] => {
  if (column === 'timestamp') return buckets;
  return column === 'date' ? ofDays : [];
};

/** Values without a comparison (JSON) form no groups. */
export const isGroupable = ({ sortable }: Facts): boolean => sortable;
