import { readdirSync, statSync } from 'node:fs';
import { join, parse } from 'node:path';
import type { Application } from '../../application.ts';
import type { Config } from '../../config.ts';
import { pendingMigrations, planMigrations } from '../../migrate.ts';
import { databaseTarget } from '../../store/dialects/targets.ts';
import type { Shown, Start } from './messages.ts';

/** Names of the application's own pending migrations; none on a new database, where there is nothing to lose. */
const waitingOf = async (config: Config, application: Application): Promise<readonly string[]> => {
  const all = await pendingMigrations(databaseTarget(config.databaseUrl), application);
  const own = all.filter((name) => Object.hasOwn(application.migrations, name));
  return all.length === own.length ? own : [];
};

/** When each migration's file was last written, in milliseconds since the epoch. */
const timesOf = (folder: string, names: readonly string[]): Shown => {
  const directory = join(folder, 'migrations');
  return Object.fromEntries(
    readdirSync(directory)
      .filter((file) => names.includes(parse(file).name))
      .map((file) => [parse(file).name, statSync(join(directory, file)).mtimeMs]),
  );
};

/** Whether all of these were shown, and somebody has pressed Enter or saved one of their files since. */
const isAgreed = (times: Shown, { shown = {}, agreed }: Start): boolean => {
  const names = Object.keys(times);
  if (names.some((name) => shown[name] === undefined)) return false;
  return agreed || names.some((name) => shown[name] !== times[name]);
};

/**
 * What came while the application ran is shown, with its SQL, before it is applied: it may drop what somebody still
 * needs. Answers what waits; undefined where nothing does.
 */
export const holdMigrations = async (
  config: Config,
  application: Application,
  start: Start,
  print: (line: string) => void,
): Promise<Shown | undefined> => {
  if (start.shown === undefined || config.migrate === 'off') return undefined;
  const names = await waitingOf(config, application);
  const times = timesOf(start.folder, names);
  if (names.length === 0 || isAgreed(times, start)) return undefined;
  for (const { name, statements } of await planMigrations(databaseTarget(config.databaseUrl), application))
    print([`-- ${name}`, ...statements].join('\n'));
  print(`Not applied yet: press Enter to apply it, or save migrations/${names.at(-1)} again`);
  return times;
};
