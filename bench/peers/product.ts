/** The common model: a row as everyone gets it, and what an answer has to say of it. */

/** Eight fields of as many kinds as the servers have in common. */
export interface Product {
  /** Text of one line. */
  readonly name: string;
  /** Text of any length. */
  readonly description: string;
  readonly stock: number;
  /** A number with a fraction, exact in binary: no two roundings of it. */
  readonly price: number;
  readonly rating: number;
  readonly active: boolean;
  readonly category: (typeof categories)[number];
  /** A moment, in UTC. */
  readonly released_at: string;
}

export const categories = ['tools', 'toys', 'books', 'food'] as const;

/** How many rows there are. */
export const rowCount = 10_000;

const first = Date.UTC(2024, 0, 1);
const minute = 60_000;

/** The row with this number, which is its id. */
export const productOf = (id: number): Product => ({
  name: `Product ${String(id).padStart(9, '0')}`,
  description: `What is said of ${id}: "quoted", 中文, ${'some words '.repeat(10)}`.trimEnd(),
  stock: (id * 7919) % 1000,
  price: ((id * 104_729) % 100_000) / 8,
  rating: (id % 21) / 4,
  active: id % 3 !== 0,
  category: categories[id % categories.length] ?? 'tools',
  released_at: new Date(first + id * minute).toISOString(),
});

/** What is created under load: its name is numbered anew for each request. */
export const createdProduct: Product = { ...productOf(12), name: 'Created {n}' };

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A member under the name that one of the servers gives it. */
const member = (record: Readonly<Record<string, unknown>>, name: string): unknown =>
  name in record ? record[name] : record[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())];

/** A moment in one form, whichever way it is written. @throws Error where it is none */
const moment = (value: unknown, of: string): string => {
  const time =
    typeof value === 'string' || typeof value === 'number' ? new Date(value).getTime() : Number.NaN;
  if (Number.isNaN(time)) throw new Error(`${of} is no moment: ${JSON.stringify(value)}`);
  return new Date(time).toISOString();
};

export interface Normal extends Product {
  readonly id: number;
}

/**
 * The eight fields and the id of a record that was answered; types have to be those of the model, moments may be
 * written in any way. It has to say as well when it was made and changed, so that everyone answers as much.
 *
 * @throws Error where something is missing or of another type
 */
export const normalize = (record: unknown): Normal => {
  if (!isRecord(record)) throw new Error(`no record: ${JSON.stringify(record)}`);
  const typed = (name: keyof Normal, type: 'string' | 'number' | 'boolean'): unknown => {
    const value = member(record, name);
    if (typeof value !== type) throw new Error(`${name} is no ${type}: ${JSON.stringify(value)}`);
    return value;
  };
  moment(member(record, 'created_at'), 'created_at');
  // Some say nothing here until the first change.
  const updated = member(record, 'updated_at');
  if (updated !== null) moment(updated, 'updated_at');
  return {
    id: typed('id', 'number'),
    name: typed('name', 'string'),
    description: typed('description', 'string'),
    stock: typed('stock', 'number'),
    price: typed('price', 'number'),
    rating: typed('rating', 'number'),
    active: typed('active', 'boolean'),
    category: typed('category', 'string'),
    released_at: moment(member(record, 'released_at'), 'released_at'),
  } as Normal;
};

/** @throws Error naming the fields in which an answer is not the row */
export const expectSame = (of: string, record: unknown, wanted: Product & { readonly id?: number }): void => {
  const given = normalize(record);
  const unequal = Object.entries(wanted).filter(([name, value]) => given[name as keyof Normal] !== value);
  if (unequal.length === 0) return;
  const words = unequal.map(
    ([name, value]) =>
      `${name} is ${JSON.stringify(given[name as keyof Normal])} and not ${JSON.stringify(value)}`,
  );
  throw new Error(`${of}: ${words.join(', ')}`);
};
