import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareDatabase } from '../../src/app/migrate.ts';
import { databaseTarget } from '../../src/database/targets.ts';

/** Applies the service's own migrations to an empty database. */
export const makeOwnTables = async (url: string): Promise<void> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatewright-template-'));
  const settings = { dataDir, migrate: 'start', newDatabase: true } as const;
  await prepareDatabase(settings, { migrations: {} }, databaseTarget(url));
  await rm(dataDir, { recursive: true });
};
