import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { readConfig } from '../../app/config.ts';
import { rememberDatabase } from '../../app/known-databases.ts';
import { majorVersion } from '../../app/version.ts';
import { databaseTarget } from '../../database/targets.ts';
import { restoreBackup, verifyBackup } from '../../upkeep/backup.ts';
import { backupOptions } from '../backup/backup-options.ts';
import { runOnFile, verifyTarget } from '../backup/backup-run.ts';
import { defineCommand } from '../command.ts';

export const command = defineCommand({
  operands: ['FILE'],
  options: {
    verify: {
      type: 'boolean',
      help: 'restore only to a temporary place and compare; do not change DATABASE_URL',
    },
    ...backupOptions,
  },
  description: [
    'Restores a backup into the empty database of DATABASE_URL and compares it with FILE.json, completely or not at all.',
    'After a crash, run it again. Access that was revoked after the backup is valid again: sessions, keys and grants.',
    'Restore only your own files, because the database executes a backup.',
  ],
  examples: [
    'DATABASE_URL=sqlite:restored.db gatewright restore backups/2026-11-22.db',
    'gatewright restore shop.dump --programs /usr/lib/postgresql/18/bin',
    'gatewright restore shop.dump --verify',
  ],
  async run({ operands: [file = ''], values }, io) {
    const { verify = false, json = false, programs } = values;
    const config = readConfig(io.env);
    const target = databaseTarget(config.databaseUrl);
    const verifyOn = verifyTarget(values['verify-url'], verify, target);
    const major = await majorVersion();
    const done = verifyOn === undefined ? 'restored' : 'restored for a moment';
    await runOnFile(io, { file, done, programs, json }, async (work) => {
      const options = { ...work, major };
      if (verifyOn !== undefined)
        return { manifest: await verifyBackup(verifyOn, resolve(file), options), verified: true };
      const manifest = await restoreBackup(target, resolve(file), options);
      await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
      await rememberDatabase(config, target);
      return { manifest, verified: true };
    });
  },
});
