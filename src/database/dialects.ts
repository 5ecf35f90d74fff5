import type { Dialect } from './dialect.ts';
import type { DialectName } from './name.ts';
import { postgresDialect } from './postgres/dialect.ts';
import { sqliteDialect } from './sqlite/dialect.ts';

/** All databases. */
const dialects: Readonly<Record<DialectName, Dialect>> = {
  sqlite: sqliteDialect,
  postgres: postgresDialect,
};

/** The dialect of this name. */
export const dialectOf = (dialect: DialectName): Dialect => dialects[dialect];
