import { createPostgres, type PostgresServer } from '../tests/support/postgres.ts';

/** The defaults of the server: a commit is on the disk before it is acknowledged. */
const durable = ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on', 'shared_buffers=128MB'];

/** A PostgreSQL server of the benchmark's own; unlike those of the tests it survives a power failure. */
export const durablePostgres = (): Promise<PostgresServer> => createPostgres(durable);
