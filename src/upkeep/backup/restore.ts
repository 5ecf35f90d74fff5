/** Restores or verifies a backup, and compares the restored database with the manifest. */

import { stat } from 'node:fs/promises';
import { restoringName } from '../../database/fence.ts';
import { serviceNames } from '../../database/service-names.ts';
import { checksumDifferences, tableChecksums } from '../../database/table-checksum.ts';
import type { DatabaseCopier, DatabaseTarget, TableSnapshot } from '../../database/target.ts';
import { BackupError, beginsWith, type Manifest, readManifests } from './manifest.ts';
import { copyOptions, digestOf, type WorkOptions } from './work.ts';

export interface RestoreOptions extends WorkOptions {
  /** The major version of this service. */
  readonly major: number;
}

/** Maximum number of differing tables that a message names. */
const maxNamedTables = 5;

/** Compares a database with the manifest. */
const comparisonWith =
  (manifest: Manifest, { signal, onProgress }: WorkOptions) =>
  async (snapshot: TableSnapshot): Promise<void> => {
    const found = await tableChecksums(snapshot, (table, rows) => {
      signal.throwIfAborted();
      onProgress('compare', { table, rows });
    });
    const { [restoringName]: _mark, ...restored } = found;
    const differences = checksumDifferences(manifest.tables, restored);
    if (differences.length === 0) return;
    const more =
      differences.length > maxNamedTables ? `, and ${differences.length - maxNamedTables} more` : '';
    throw new BackupError(
      `what was restored is not what was copied: ${differences.slice(0, maxNamedTables).join(', ')}${more}`,
    );
  };

/**
 * Restores a copy into a temporary place and compares it with its manifest.
 * @param beside a path: files are created next to it
 */
export const compareRestored = async (
  verifyOn: DatabaseTarget,
  copy: string,
  beside: string,
  manifest: Manifest,
  options: WorkOptions,
): Promise<void> => {
  const copier = await verifyOn.withNames(serviceNames(manifest.serviceTables)).copier();
  await copier.onTemporary(beside, async (place) => {
    const temporary = await place.copier();
    await temporary.restore(
      copy,
      manifest,
      copyOptions(options, 'restore'),
      comparisonWith(manifest, options),
    );
  });
};

const assertMajor = (file: string, manifest: Manifest, major: number): void => {
  if (manifest.major <= major) return;
  throw new BackupError(
    `${file} is of a database of version ${manifest.major} of the service, and this is version ${major}: restore it with that version`,
  );
};

/** The manifest of a backup that this service can restore to this kind of database, with an intact file. */
const readBackup = async (
  target: DatabaseTarget,
  file: string,
  options: RestoreOptions,
  look: (manifest: Manifest) => Promise<void> = async () => {},
): Promise<Manifest> => {
  const { size } = await stat(file).catch((cause) => {
    throw new BackupError(`there is no backup ${file}`, { cause });
  });
  const manifests = await readManifests(file);
  const { magic } = await target.copier();
  if (!(await beginsWith(file, magic)))
    throw new BackupError(
      `${file} is not a copy of the kind of database that DATABASE_URL names; its manifest says ${manifests[0].server}`,
    );
  const fitting = manifests.filter(({ bytes }) => bytes === size);
  const [first] = fitting;
  if (first === undefined)
    throw new BackupError(`${file} has ${size} bytes and not ${manifests[0].bytes}: it is damaged`);
  assertMajor(file, first, options.major);
  await look(first);
  const { sha256 } = await digestOf(file, options);
  const manifest = fitting.find((each) => each.sha256 === sha256);
  if (manifest === undefined)
    throw new BackupError(`${file} is damaged: its SHA-256 is not that of its manifest`);
  assertMajor(file, manifest, options.major);
  return manifest;
};

/**
 * Restores the database of a backup to an empty place: completely and equal to the original, or not at all.
 * @throws Error with one line that says why not; the place is unchanged then
 */
export const restoreBackup = async (
  target: DatabaseTarget,
  file: string,
  options: RestoreOptions,
): Promise<Manifest> => {
  const copierOf = ({ serviceTables }: Manifest): Promise<DatabaseCopier> =>
    target.withNames(serviceNames(serviceTables)).copier();
  const manifest = await readBackup(target, file, options, async (asked) => {
    const reason = await (await copierOf(asked)).occupied(asked.database);
    if (reason !== undefined)
      throw new BackupError(`${reason}: a backup is restored into an empty place only`);
  });
  const copier = await copierOf(manifest);
  await copier.restore(file, manifest, copyOptions(options, 'restore'), comparisonWith(manifest, options));
  return manifest;
};

/** Restores a backup to a temporary place only, and compares. @throws Error of one line with the reason */
export const verifyBackup = async (
  verifyOn: DatabaseTarget,
  file: string,
  options: RestoreOptions,
): Promise<Manifest> => {
  const manifest = await readBackup(verifyOn, file, options);
  await compareRestored(verifyOn, file, file, manifest, options);
  return manifest;
};
