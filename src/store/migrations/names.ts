import { createHash } from 'node:crypto';

/** Bytes of a name that PostgreSQL keeps; it cuts what is longer, and two cut names may be one. */
const longest = 63;

const bounded = (base: string, suffix: string): string => {
  if (base.length + suffix.length <= longest) return base + suffix;
  const hash = createHash('sha256').update(base).digest('hex').slice(0, 8);
  return `${base.slice(0, longest - suffix.length - hash.length - 1)}_${hash}${suffix}`;
};

/** A unique index is called `<table>_<column>_unique`: by its name a violation tells which field it was. */
export const indexName = (table: string, columns: readonly string[], unique: boolean): string =>
  bounded([table, ...columns].join('_'), unique ? '_unique' : '');

/** As PostgreSQL itself would call it. */
export const foreignKeyName = (table: string, column: string): string =>
  bounded(`${table}_${column}`, '_fkey');
