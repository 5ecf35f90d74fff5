/** Shows the SQL of a pending migration, and waits for a confirmation before it is applied. */

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, parse } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Application } from '../../app/application.ts';
import type { Config } from '../../app/config.ts';
import { isBaselinePending, pendingMigrations, planMigrations } from '../../app/migrate.ts';
import type { PlannedStep } from '../../database/migrations.ts';
import { databaseTarget } from '../../database/targets.ts';
import type { Shown, Start } from './child-messages.ts';

/** Milliseconds between two checks of a database that another process may migrate. */
const lookInterval = 500;

/**
 * The pending migrations, if some are the application's own: migrations of the service run with them. None on a new
 * database, which has no data to lose.
 */
const pendingChanges = async (config: Config, application: Application): Promise<readonly PlannedStep[]> => {
  const target = databaseTarget(config.databaseUrl, application.config.serviceTables);
  const all = await pendingMigrations(target, application, config);
  const own = all.some((name) => Object.hasOwn(application.migrations, name));
  return own && !isBaselinePending(all) ? planMigrations(target, application, config) : [];
};

const sqlOf = ({ name, statements }: PlannedStep): string => [`-- ${name}`, ...statements].join('\n');

const shownOf = (folder: string, steps: readonly PlannedStep[]): Shown => {
  const directory = join(folder, 'migrations');
  const files = new Map(readdirSync(directory).map((file) => [parse(file).name, join(directory, file)]));
  return Object.fromEntries(
    steps.map((step) => {
      const file = files.get(step.name);
      const form = createHash('sha256').update(sqlOf(step));
      // A migration of the service has no file here.
      if (file === undefined) return [step.name, { form: form.digest('hex'), written: 0 }];
      const { mtimeMs: written } = statSync(file);
      return [step.name, { form: form.update(readFileSync(file)).digest('hex'), written }];
    }),
  );
};

/**
 * True if all of these migrations were shown in their current form and then confirmed, by Enter or by saving one of
 * their files.
 */
const isConfirmed = (current: Shown, { shown = {}, agreed }: Start): boolean => {
  const all = Object.entries(current);
  if (all.some(([name, { form }]) => shown[name]?.form !== form)) return false;
  return agreed || all.some(([name, { written }]) => shown[name]?.written !== written);
};

/**
 * Shows a pending change with its SQL before it is applied, since it may drop data that is still needed. A change
 * that appeared or was edited while the application ran waits for a confirmation. Returns the waiting changes;
 * undefined if there are none.
 */
export const holdMigrations = async (
  config: Config,
  application: Application,
  start: Start,
  print: (line: string) => void,
): Promise<Shown | undefined> => {
  if (config.migrate === 'off') return undefined;
  const steps = await pendingChanges(config, application);
  // An application without migrations may lack their folder.
  if (steps.length === 0) return undefined;
  const current = shownOf(start.folder, steps);
  if (isConfirmed(current, start)) return undefined;
  for (const step of steps) print(sqlOf(step));
  if (start.shown === undefined) return undefined;
  print(`Not applied yet: press Enter to apply it, or save migrations/${steps.at(-1)?.name} again as it is`);
  return current;
};

/**
 * Resolves when another process has applied the migrations, or when a database responds again. `shown` are the pending
 * migrations that were shown: another process may apply them before the first look of this function.
 */
export const untilMigrated = async (
  config: Config,
  application: Application,
  shown?: Shown,
): Promise<void> => {
  const target = databaseTarget(config.databaseUrl, application.config.serviceTables);
  const pendingNames = (): Promise<string | undefined> =>
    pendingMigrations(target, application, config).then(
      (names) => names.join(),
      () => undefined,
    );
  const before = shown === undefined ? await pendingNames() : Object.keys(shown).join();
  for (let now = before; now === undefined || now === before; now = await pendingNames())
    await delay(lookInterval);
};
