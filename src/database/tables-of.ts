import type { Kysely } from 'kysely';
import type { Dialect } from './dialect.ts';
import type { CoreSchema } from './tables/own-tables.ts';

/** Kysely for statements on the service's own tables of a database: it builds and compiles them, and runs none. */
export const tablesOf = (database: { readonly dialect: Dialect }): Kysely<CoreSchema> =>
  database.dialect.builder as Kysely<CoreSchema>;
