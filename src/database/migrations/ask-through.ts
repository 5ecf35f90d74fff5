import { type Kysely, sql } from 'kysely';
import type { Ask } from '../introspection.ts';

/** Reads through a migration's own connection: what its statements have made so far. */
export const askThrough =
  <Tables>(db: Kysely<Tables>): Ask =>
  async <Row>(text: string) =>
    (await sql.raw<Row>(text).execute(db)).rows;
