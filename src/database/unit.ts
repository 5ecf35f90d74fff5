import type { Transaction } from './database.ts';

/** What runs in one transaction, all or nothing: the argument of `Database.write`. */
export type Unit<T = unknown> = (transaction: Transaction) => Promise<T>;
