import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { DatabaseTarget } from '../database/target.ts';
import { readIfPresent, writeAtomically } from '../vault/files.ts';
import type { Config } from './config.ts';

/**
 * DATA_DIR remembers which database files it has had, in `databases.json`: one that is gone (a volume that is not
 * mounted, a file that was moved) would otherwise be made anew, empty and with a new administrator.
 */
const listFile = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'databases.json');

type DatabasePlaces = Pick<Config, 'dataDir' | 'newDatabase'>;

/** The file's path as it is remembered: from DATA_DIR, so that the whole folder can be moved. */
const placeOf = ({ dataDir }: Pick<Config, 'dataDir'>, file: string): string => {
  const inside = relative(dataDir, file);
  return inside.startsWith('..') ? file : inside;
};

const remembered = async (config: Pick<Config, 'dataDir'>): Promise<readonly string[]> => {
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
 * Whether a database is expected at this place, since there was one.
 * @throws Error where its file is gone or empty and the configuration does not ask for a new one
 */
export const expectsDatabase = async (config: DatabasePlaces, target: DatabaseTarget): Promise<boolean> => {
  const { file } = target;
  if (file === undefined || config.newDatabase) return false;
  const known = (await remembered(config)).includes(placeOf(config, file));
  if ((known || target.hasRemains()) && target.isEmpty())
    throw refusal(file, existsSync(file) ? 'is empty and was not' : 'is gone');
  return known;
};

/** The refusal of a file that is there and holds nothing of what it held. */
export const emptied = (target: DatabaseTarget): Error =>
  refusal(target.file ?? '', 'no longer holds what it held');

/** Remembers that the target is here. */
export const rememberDatabase = async (
  config: Pick<Config, 'dataDir'>,
  { file }: DatabaseTarget,
): Promise<void> => {
  if (file === undefined) return;
  const known = await remembered(config);
  const place = placeOf(config, file);
  if (known.includes(place)) return;
  const text = JSON.stringify({ databases: [...known, place] });
  await writeAtomically(listFile(config), Buffer.from(`${text}\n`));
};
