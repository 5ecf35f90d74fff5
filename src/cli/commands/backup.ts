import { resolve } from 'node:path';
import { readConfig } from '../../app/config.ts';
import { packageVersion } from '../../app/version.ts';
import { makeBackup, storeBackupTime } from '../../backup/backup.ts';
import { databaseTarget } from '../../database/targets.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { backupOptions } from '../backup/options.ts';
import { runOnFile, verifyTarget } from '../backup/run.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  operands: ['FILE'],
  options: {
    verify: {
      type: 'boolean',
      help: 'restore it into a temporary place and compare, before it gets its name',
    },
    force: { type: 'boolean', help: 'take the place of another backup of this name' },
    ...backupOptions,
  },
  description: [
    'Copies the whole database into FILE while the service runs and writes: one state of all tables. FILE.json beside it',
    'says what is in it, with rows and a checksum of each table of that state; both are needed to restore.',
    'FILE is there as a whole or not at all: it grows in FILE.part, which a killed run leaves and the next one clears.',
    'Not in it: the credentials, their key, and secrets that stand in DATA_DIR or the environment. Keep those as well.',
  ],
  examples: [
    'gatewright backup backups/$(date +%F).db --verify',
    'gatewright backup shop.dump --verify --verify-url postgres://backup@spare/postgres',
    'gatewright backup shop.dump --programs /usr/lib/postgresql/18/bin --json',
  ],
  async run({ operands: [file = ''], values }, io) {
    const { verify = false, force = false, json = false, programs } = values;
    const config = readConfig(io.env);
    const target = databaseTarget(config.databaseUrl);
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
