import { createPostgres, type PostgresServer } from '../tests/support/postgres.ts';

/** As a server comes from its package, a commit on the disk before it is acknowledged. */
const durable = ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on', 'shared_buffers=128MB'];

/** A PostgreSQL server of the benchmark's own, unlike those of the tests, which need not outlive a power cut. */
export const durablePostgres = (): Promise<PostgresServer> => createPostgres(durable);
