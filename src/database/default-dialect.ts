import type { Dialect } from './dialect.ts';
import { sqliteDialect } from './sqlite/dialect.ts';

/** The dialect of statements that are compiled where there is no database. */
export const defaultDialect: Dialect = sqliteDialect;
