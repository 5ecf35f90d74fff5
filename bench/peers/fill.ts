import { DatabaseSync } from 'node:sqlite';
import type { Durability } from './peer.ts';
import type { Product } from './product.ts';

const columns = [
  'name',
  'description',
  'stock',
  'price',
  'rating',
  'active',
  'category',
  'released_at',
] as const satisfies readonly (keyof Product)[];

/** Puts the rows into a table `products` that has the names of the model and its two moments. */
export const fill = (path: string, rows: readonly Product[]): void => {
  const db = new DatabaseSync(path);
  const insert = db.prepare(
    `insert into products (${columns.join(', ')}, created_at, updated_at)
     values (${columns.map(() => '?').join(', ')}, ?, ?)`,
  );
  db.exec('begin');
  for (const row of rows) {
    const values = columns.map((name) => (typeof row[name] === 'boolean' ? Number(row[name]) : row[name]));
    insert.run(...values, row.released_at, row.released_at);
  }
  db.exec('commit; analyze');
  db.close();
};

/** How a connection that sets `synchronous` to full left a database. */
export const fullDurability = (path: string): Durability => {
  const db = new DatabaseSync(path);
  const { journal_mode } = db.prepare('pragma journal_mode').get() as { journal_mode: string };
  db.close();
  return { journal_mode, synchronous: 2 };
};
