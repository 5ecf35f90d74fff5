import type { Dialect } from './dialect.ts';
import type { DialectName } from './name.ts';
import { postgresDialectWith } from './postgres/dialect.ts';
import { type ServiceNames, serviceNames } from './service-names.ts';
import { sqliteDialectWith } from './sqlite/dialect.ts';

/** All databases. */
const dialects: Readonly<Record<DialectName, (names: ServiceNames) => Dialect>> = {
  sqlite: sqliteDialectWith,
  postgres: postgresDialectWith,
};

/** The dialect of this name, with the names of the service's own tables; today's unless given. */
export const dialectOf = (dialect: DialectName, names: ServiceNames = serviceNames()): Dialect =>
  dialects[dialect](names);
