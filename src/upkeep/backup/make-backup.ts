/** Makes a backup: copies a database into a file while others write, and publishes it with its manifest. */

import { link, lstat, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readTables } from '../../database/migrations.ts';
import { inPartDirectory } from '../../database/part-directory.ts';
import { otherSet } from '../../database/service-sets.ts';
import { sql, statement, tableName } from '../../database/statement.ts';
import { tableChecksums } from '../../database/table-checksum.ts';
import type { DatabaseTarget, TableSnapshot } from '../../database/target.ts';
import { syncDirectory } from '../../kernel/sync-directory.ts';
import {
  BackupError,
  isManifestFile,
  type Manifest,
  manifestPath,
  readManifests,
  writeManifest,
} from './manifest.ts';
import { compareRestored } from './restore.ts';
import { copyOptions, digestOf, type WorkOptions } from './work.ts';

/** The id of a database, its major version, the names of its tables and its applied migrations. */
type Facts = Pick<Manifest, 'database' | 'major' | 'migrations' | 'serviceTables'>;

/** Tables of applied migrations: the service's, and the application's. */
const migrationTables = ['gatewright_migrations', 'migrations'] as const;

/**
 * Reads the facts. A database of a release without ids has none.
 * @throws BackupError where the tables have other names than these
 */
export const readFacts = async ({ ask, dialect }: TableSnapshot): Promise<Facts> => {
  const other = await otherSet(ask, dialect);
  if (other !== undefined) throw new BackupError(other.sentence);
  const tables = await readTables(ask, dialect);
  const [row] = tables.has('gatewright_database')
    ? await ask<{ id: string; major: number | string }>(
        `select id, major from ${dialect.names.written('gatewright_database')}`,
      )
    : [];
  const migrations: [string, readonly string[]][] = [];
  for (const table of migrationTables)
    if (tables.get(table)?.columns.has('name') === true) {
      const rows = await ask<{ name: string }>(`select name from ${dialect.names.quoted(table)}`);
      migrations.push([table, rows.map(({ name }) => name).sort()]);
    }
  return {
    database: row?.id,
    major: Number(row?.major ?? 0),
    serviceTables: dialect.names.prefix,
    migrations: Object.fromEntries(migrations),
  };
};

export interface BackupOptions extends WorkOptions {
  /** Version of this service. */
  readonly version: string;
  /**
   * A temporary place to which the backup is restored and compared before it gets its name; not compared unless
   * given.
   */
  readonly verifyOn: DatabaseTarget | undefined;
  /** True if an existing backup of this name is replaced. */
  readonly force: boolean;
  /** ISO 8601, UTC. */
  readonly now: string;
}

const exists = async (path: string): Promise<boolean> => {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
};

/** Refuses a file that is not a backup, and a backup unless it is to be replaced. */
const assertFree = async (file: string, force: boolean): Promise<void> => {
  const manifest = manifestPath(file);
  const described = (await exists(manifest)) && (await isManifestFile(manifest).catch(() => false));
  if (!described && (await exists(manifest)))
    throw new BackupError(`${manifest} is in the way, and belongs to no backup`);
  if (!(await exists(file))) return;
  if (!described) throw new BackupError(`${file} exists, and is not a backup`);
  if (!force) throw new BackupError(`${file} exists: take another name, or --force`);
};

const syncFile = async (path: string): Promise<void> => {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
};

/** The manifest that belongs to the existing file. */
const presentManifest = async (file: string, options: WorkOptions): Promise<Manifest | undefined> => {
  if (!(await exists(file))) return undefined;
  const [first, ...others] = await readManifests(file);
  if (others.length === 0) return first;
  // An earlier replacement was interrupted: the digest shows which of the two belongs to the file.
  const { sha256 } = await digestOf(file, options);
  return [first, ...others].find((manifest) => manifest.sha256 === sha256);
};

/** Moves the manifest first: it also contains the one before, so it is valid for the old file and for the new one. */
const publish = async (draft: string, draftManifest: string, file: string, force: boolean): Promise<void> => {
  await rename(draftManifest, manifestPath(file));
  if (force) await rename(draft, file);
  else
    await link(draft, file).catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === 'EEXIST' ? new BackupError(`${file} exists by now`, { cause }) : cause;
    });
  await syncDirectory(dirname(file));
};

/**
 * Stores the time of a successful backup in the database that was copied, by that database's clock, for
 * `gatewright_backup_last_success_seconds`.
 * @throws Error where the database accepts no writes, or was last migrated by a release without the column
 */
export const storeBackupTime = async (target: DatabaseTarget): Promise<void> => {
  const database = await target.open({ poolSize: 1, prepare: false });
  try {
    const { now } = database.dialect;
    const update = statement(
      database.dialect,
      () => sql`update ${tableName('gatewright_database')} set backed_up_at = ${now}`,
    );
    await database.execute(update({}));
  } finally {
    await database.close();
  }
};

/**
 * Copies a database into a file while others write, with FILE.json beside it. The file appears completely or not at
 * all; it grows in FILE.part, which an interrupted run leaves behind and the next one removes.
 * @throws Error with one line that says why not
 */
export const makeBackup = async (
  target: DatabaseTarget,
  file: string,
  options: BackupOptions,
): Promise<Manifest> => {
  const { version, verifyOn, force, now: begun, onProgress } = options;
  if (target.isEmpty())
    throw new BackupError(`there is no database${target.file === undefined ? '' : ` ${target.file}`}`);
  await assertFree(file, force);
  const copier = await target.copier();
  return inPartDirectory(`${file}.part`, async (directory) => {
    const draft = join(directory, 'copy');
    const draftManifest = join(directory, 'copy.json');
    const described = await copier.copy(draft, copyOptions(options, 'copy'), async (snapshot, facts) => ({
      version,
      ...facts,
      ...(await readFacts(snapshot)),
      begun,
      tables: await tableChecksums(snapshot, (table, rows) => {
        options.signal.throwIfAborted();
        onProgress('count', { table, rows });
      }),
    }));
    if (Object.keys(described.tables).length === 0) throw new BackupError('the database has no tables');
    await syncFile(draft);
    const manifest = { ...described, ...(await digestOf(draft, options)) };
    if (verifyOn !== undefined)
      await compareRestored(verifyOn, draft, join(directory, 'verify'), manifest, options);
    options.signal.throwIfAborted();
    await assertFree(file, force);
    await writeManifest(draftManifest, manifest, await presentManifest(file, options));
    await publish(draft, draftManifest, file, force);
    return manifest;
  });
};
