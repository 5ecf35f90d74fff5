import { resolve } from 'node:path';
import { readConfig } from '../../app/config.ts';
import { packageVersion } from '../../app/version.ts';
import { databaseTarget } from '../../database/targets.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { makeBackup, storeBackupTime } from '../../upkeep/backup.ts';
import { configuredTables } from '../application.ts';
import { backupOptions } from '../backup/backup-options.ts';
import { runOnFile, verifyTarget } from '../backup/backup-run.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  operands: ['FILE'],
  options: {
    verify: {
      type: 'boolean',
      help: 'restore it to a temporary place and compare it, before FILE gets its name',
    },
    force: { type: 'boolean', help: 'replace another backup of this name' },
    ...backupOptions,
  },
  description: [
    'Copies a consistent state of the whole database into FILE, while the service runs and writes. FILE.json beside it',
    'has the rows and a checksum of each table. A restore needs both files.',
    'Not included: the credentials, their key, and secrets in DATA_DIR or the environment. Back them up separately.',
  ],
  examples: [
    'gatewright backup backups/$(date +%F).db --verify',
    'gatewright backup shop.dump --verify --verify-url postgres://backup@spare/postgres',
    'gatewright backup shop.dump --programs /usr/lib/postgresql/18/bin --json',
  ],
  async run({ operands: [file = ''], values }, io) {
    const { verify = false, force = false, json = false, programs } = values;
    const config = readConfig(io.env);
    const target = databaseTarget(config.databaseUrl, await configuredTables());
    const verifyOn = verifyTarget(values['verify-url'], verify, target);
    const version = await packageVersion();
    const now = toTimestamp(io.clock());
    await runOnFile(io, { file, done: 'copied', programs, json }, async (work) => ({
      manifest: await makeBackup(target, resolve(file), { ...work, version, verifyOn, force, now }),
      verified: verify,
    }));
    await storeBackupTime(target).catch(({ message }: Error) =>
      io.warn(`the backup is complete, but its time could not be stored for the metrics: ${message}`),
    );
    io.warn(
      `not in it: ${config.credentialsFile}, its key, and the secrets of ${config.dataDir} and of the environment; ` +
        `without the same jwt_secret the secrets of webhooks cannot be read`,
    );
  },
});
