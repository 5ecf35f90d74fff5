/** The manifest of a backup, FILE.json: written, read and checked. */

import { open, readFile, stat, writeFile } from 'node:fs/promises';
import { prefixFlaw } from '../../database/service-names.ts';
import type { TableChecksum, TableChecksums } from '../../database/table-checksum.ts';
import type { CopyFacts } from '../../database/target.ts';

/** The reason why a backup cannot be made or restored, in one line. */
export class BackupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackupError';
  }
}

/** The content of FILE.json, about the backup FILE: all from one snapshot of the database. */
export interface Manifest extends CopyFacts {
  /** Version of the service that created it. */
  readonly version: string;
  /** Id of the database; undefined where the service had none yet. */
  readonly database: string | undefined;
  /** Major version of the newest service that has migrated it. */
  readonly major: number;
  /** `serviceTables` of the copied database; undefined without it. */
  readonly serviceTables: string | undefined;
  /** Names of the applied migrations, by the table that lists them. */
  readonly migrations: Readonly<Record<string, readonly string[]>>;
  /** Start of the backup, before the snapshot: ISO 8601, UTC. */
  readonly begun: string;
  readonly bytes: number;
  /** SHA-256 of FILE: 64 lowercase hex digits. */
  readonly sha256: string;
  readonly tables: TableChecksums;
}

const format = 'gatewright-backup';
const formatVersion = 1;

/** Maximum bytes of a manifest: some hundred thousand tables. */
const maxManifestBytes = 32 * 1024 * 1024;

export const manifestPath = (file: string): string => `${file}.json`;

/** @param previous manifest of a file that is about to be replaced: it stays valid until then */
export const writeManifest = async (
  path: string,
  manifest: Manifest,
  previous: Manifest | undefined,
): Promise<void> => {
  const text = `${JSON.stringify({ format, formatVersion, ...manifest, previous }, undefined, 2)}\n`;
  await writeFile(path, text, { mode: 0o600, flag: 'wx', flush: true });
};

type Loose = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isDigest = (value: unknown): value is string => /^[0-9a-f]{64}$/.test(String(value));
const isText = (value: unknown): value is string => typeof value === 'string';
const isAbsent = (value: unknown): value is undefined => value === undefined;

const isChecksum = (value: unknown): value is TableChecksum =>
  isObject(value) && isCount(value['rows']) && isDigest(value['sha256']);

const isChecksums = (value: unknown): value is TableChecksums =>
  isObject(value) && Object.values(value).every(isChecksum);

const isNames = (value: unknown): value is Manifest['migrations'] =>
  isObject(value) && Object.values(value).every((names) => Array.isArray(names) && names.every(isText));

const checks: { readonly [Name in keyof Manifest]: (value: unknown) => value is Manifest[Name] } = {
  server: isText,
  schema: (value) => isAbsent(value) || isText(value),
  version: isText,
  database: (value) => isAbsent(value) || isText(value),
  major: isCount,
  serviceTables: (value): value is string | undefined =>
    isAbsent(value) || (isText(value) && prefixFlaw(value) === undefined),
  migrations: isNames,
  begun: isText,
  bytes: isCount,
  sha256: isDigest,
  tables: isChecksums,
};

const isManifest = (value: unknown): value is Manifest =>
  isObject(value) && Object.entries(checks).every(([name, holds]) => holds(value[name]));

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** True if a file is a manifest, of any version, so that no other file is overwritten. */
export const isManifestFile = async (path: string): Promise<boolean> => {
  const value = (await stat(path)).size > maxManifestBytes ? undefined : parsed(await readFile(path, 'utf8'));
  return isObject(value) && value['format'] === format;
};

/**
 * The manifests of a file: its own, and that of a file that was to be replaced.
 * @throws BackupError where there is none, or where this version cannot read it
 */
export const readManifests = async (file: string): Promise<readonly [Manifest, ...Manifest[]]> => {
  const path = manifestPath(file);
  const { size } = await stat(path).catch((cause) => {
    throw new BackupError(`${path} is missing: it belongs to the backup and says what is in it`, { cause });
  });
  const value = size > maxManifestBytes ? undefined : parsed(await readFile(path, 'utf8'));
  if (!isObject(value) || value['format'] !== format)
    throw new BackupError(`${path} is not a manifest of a backup`);
  if (value['formatVersion'] !== formatVersion)
    throw new BackupError(
      `${path} was written by version ${String(value['version'])} of the service: restore with that`,
    );
  const { previous } = value;
  if (!isManifest(value) || !(isAbsent(previous) || isManifest(previous)))
    throw new BackupError(`${path} is damaged`);
  return previous === undefined ? [value] : [value, previous];
};

/** True if a file begins with these bytes. */
export const beginsWith = async (path: string, magic: string): Promise<boolean> => {
  const file = await open(path, 'r');
  try {
    const bytes = Buffer.alloc(magic.length);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytesRead === bytes.length && bytes.toString('latin1') === magic;
  } finally {
    await file.close();
  }
};
