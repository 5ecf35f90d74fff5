import type { Kysely } from 'kysely';
import type { DialectName } from './name.ts';
import { dialectOf } from './registry.ts';
import type { CoreSchema } from './schema.ts';

/** Kysely for statements on the service's own tables of a database: it builds and compiles them, and runs none. */
export const tablesOf = (database: { readonly dialect: DialectName }): Kysely<CoreSchema> =>
  dialectOf(database).builder as Kysely<CoreSchema>;
