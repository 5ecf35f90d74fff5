/** Remembers the database files of a DATA_DIR, so that a missing file is not replaced by an empty database. */

import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { DatabaseTarget } from '../database/target.ts';
import { readIfPresent, writeAtomically } from '../vault/credential-files.ts';
import type { Config } from './config.ts';

/**
 * Path of `databases.json` in DATA_DIR, the list of database files that the service has used. Without it a missing
 * file (a volume that is not mounted, a file that was moved) would be replaced by an empty database with a new
 * administrator.
 */
const listFile = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'databases.json');

type DatabasePlaces = Pick<Config, 'dataDir' | 'newDatabase'>;

/** The path of the file in the list: relative to DATA_DIR, so that the whole folder can be moved. */
const placeOf = ({ dataDir }: Pick<Config, 'dataDir'>, file: string): string => {
  const inside = relative(dataDir, file);
  return inside.startsWith('..') ? file : inside;
};

const readList = async (config: Pick<Config, 'dataDir'>): Promise<readonly string[]> => {
  const bytes = await readIfPresent(listFile(config));
  if (bytes === undefined) return [];
  try {
    const { databases } = JSON.parse(new TextDecoder().decode(bytes)) as { databases: readonly string[] };
    return databases.map(String);
  } catch (cause) {
    throw new Error(`${listFile(config)} is damaged: remove it if the database is where it should be`, {
      cause,
    });
  }
};

const refusal = (file: string, what: string): Error =>
  new Error(
    `the database ${file} ${what}: put it back (is its volume mounted?), or start once with NEW_DATABASE=1 to have a new, empty one`,
  );

/**
 * True if a database is expected at this place, as there was one before.
 * @throws Error where its file is missing or empty and the configuration does not ask for a new one
 */
export const expectsDatabase = async (config: DatabasePlaces, target: DatabaseTarget): Promise<boolean> => {
  const { file } = target;
  if (file === undefined || config.newDatabase) return false;
  const wasUsed = (await readList(config)).includes(placeOf(config, file));
  if ((wasUsed || target.hasRemains()) && target.isEmpty())
    throw refusal(file, existsSync(file) ? 'is empty and was not' : 'is gone');
  return wasUsed;
};

/** The error of a database that exists but has lost its content. */
export const lostContent = (target: DatabaseTarget): Error =>
  refusal(target.file ?? '', 'no longer holds what it held');

/** Adds the target to the list. */
export const rememberDatabase = async (
  config: Pick<Config, 'dataDir'>,
  { file }: DatabaseTarget,
): Promise<void> => {
  if (file === undefined) return;
  const known = await readList(config);
  const place = placeOf(config, file);
  if (known.includes(place)) return;
  const text = JSON.stringify({ databases: [...known, place] });
  await writeAtomically(listFile(config), Buffer.from(`${text}\n`));
};
