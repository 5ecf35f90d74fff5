import type { Application } from './application.ts';
import type { DatabaseTarget } from './store/dialects/target.ts';
import { coreMigrations } from './store/migrations/core.ts';
import { type PlannedStep, plan } from './store/migrations/plan.ts';
import { migrate, pending } from './store/migrations/runner.ts';

/** The service's own steps first, then the application's: its tables refer to users. */
const sets = (application: Pick<Application, 'migrations'>) => [
  { migrations: coreMigrations, tableName: 'gatewright_migrations' },
  { migrations: application.migrations, tableName: 'migrations' },
];

/** Applies everything pending, under a lock. Answers the names of what was applied. */
export const applyMigrations = async (
  target: DatabaseTarget,
  application: Pick<Application, 'migrations'>,
): Promise<readonly string[]> => {
  const applied: string[] = [];
  for (const { migrations, tableName } of sets(application))
    applied.push(...(await migrate(target, migrations, { tableName })));
  return applied;
};

/** Names of everything that `applyMigrations` would apply. */
export const pendingMigrations = async (
  target: DatabaseTarget,
  application: Pick<Application, 'migrations'>,
): Promise<readonly string[]> => {
  const names: string[] = [];
  for (const { migrations, tableName } of sets(application))
    names.push(...(await pending(target, migrations, { tableName })));
  return names;
};

/** The SQL of everything that `applyMigrations` would apply; nothing is changed. */
export const planMigrations = async (
  target: DatabaseTarget,
  application: Pick<Application, 'migrations'>,
): Promise<readonly PlannedStep[]> => {
  const steps: PlannedStep[] = [];
  for (const { migrations, tableName } of sets(application))
    steps.push(...(await plan(target, migrations, { tableName })));
  return steps;
};
