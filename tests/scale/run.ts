import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgres, createPostgresDatabase } from '../support/postgres.ts';
import { type ChildService, startChildService } from './child-service.ts';
import { type Figures, measureRead, unboundedReads } from './measure.ts';

/**
 * `npm run scale [-- ROWS]`: reads of a million rows, measured on both databases and printed. `busy` is the most
 * processor time (ms) that the service's main thread spent before it came back to the others, `late` the most time of
 * the clock, `slowest` the slowest request for one record meanwhile, as its caller saw it.
 */

const rows = Number(process.argv[2] ?? 1_000_000);

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);

const rowOf = (figures: Figures) => ({
  path: decodeURIComponent(figures.path),
  'first byte ms': figures.first.toFixed(1),
  'whole ms': figures.whole.toFixed(0),
  MB: megabytes(figures.bytes),
  'memory grew MB': megabytes(figures.residentMost - figures.residentBefore),
  busy: figures.busy.toFixed(1),
  late: figures.late.toFixed(1),
  slowest: figures.slowest.toFixed(1),
});

const measure = async (name: string, service: ChildService): Promise<void> => {
  const paths = ['/api/v1/notes', '/api/v1/notes', '/api/v1/notes?sort=weight', ...unboundedReads(rows)];
  const figures: Figures[] = [];
  for (const path of paths) figures.push(await measureRead(service, path));
  const wrong = figures.find(({ status }) => status !== 200);
  if (wrong !== undefined) throw new Error(`${wrong.path}: ${wrong.status}`);
  console.log(`${name}, ${rows} rows; resident ${megabytes(figures[0]?.residentBefore ?? 0)} MB before`);
  console.table(figures.map(rowOf));
};

const onSqlite = async (): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-scale-'));
  const service = await startChildService(`sqlite:${join(directory, 'scale.db')}`, { rows });
  try {
    await measure('SQLite', service);
  } finally {
    await service.end();
    await rm(directory, { recursive: true, force: true });
  }
};

const onPostgres = async (): Promise<void> => {
  const server = await createPostgres();
  await server.start();
  const service = await startChildService(await createPostgresDatabase(server.url), { rows });
  try {
    await measure('PostgreSQL', service);
  } finally {
    await service.end();
    await server.remove();
  }
};

await onSqlite();
await onPostgres();
