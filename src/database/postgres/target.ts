/** PostgreSQL database by its URL: how it is opened, migrated, copied and rehearsed. */

import type { ServiceNames } from '../service-names.ts';
import type { DatabaseTarget, TargetKind } from '../target.ts';

const loadDialect = async (names: ServiceNames) => (await import('./dialect.ts')).postgresDialectWith(names);

const migrationDriver = async (url: string, names: ServiceNames) =>
  (await import('./migration-dialect.ts')).postgresMigrationDialect(url, names);

/** Host and name of the database; a socket is named by its folder. */
const placeOf = (url: string): string => {
  const { host, pathname, searchParams } = new URL(url);
  return `${searchParams.get('host') ?? host}${pathname}`;
};

const targetOf = (url: string, names: ServiceNames): DatabaseTarget => ({
  dialect: () => loadDialect(names),
  names,
  withNames: (others) => targetOf(url, others),
  telemetryName: 'postgresql',
  file: undefined,
  place: placeOf(url),
  findUnreachable: async () => (await import('./reach.ts')).findUnreachable(url),
  isEmpty: () => false,
  hasRemains: () => false,
  // The log is in the server's hands.
  lostWrites: () => undefined,
  open: async (given) => {
    const options = { ...given, names };
    const { openPostgres } = await import('./database.ts');
    if (options.replica === undefined) return openPostgres(url, options);
    const { openWithReplica } = await import('./replica.ts');
    return openWithReplica(url, options, options.replica);
  },
  migrationDriver: () => migrationDriver(url, names),
  isLockedOut: async (error) => {
    const { isConflict, isLockTimeout } = await import('./errors.ts');
    return isLockTimeout(error) || isConflict(error);
  },
  // The statements run in a transaction that cannot write.
  rehearse: async (work) =>
    work({ dialect: await loadDialect(names), driver: await migrationDriver(url, names), writes: false }),
  snapshot: async (work) => {
    const { onPostgresSnapshot } = await import('./snapshot.ts');
    return onPostgresSnapshot(url, names, work);
  },
  copier: async () => {
    const { postgresCopier } = await import('./copier.ts');
    return postgresCopier(url, names, (place) => targetOf(place, names));
  },
  load: async (work) => {
    const { onPostgresLoader } = await import('./load.ts');
    return onPostgresLoader(url, names, work);
  },
});

export const postgresTargets: TargetKind = {
  forms: ['postgres://…'],
  replicaForms: ['postgres://…'],
  apart:
    'on PostgreSQL a schema of its own (create schema gatewright; DATABASE_URL=…?options=-c%20search_path%3Dgatewright)',
  packages: ['pg'],
  reads: (url) => /^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url),
  target: targetOf,
  createTemporary: async (url) => (await import('./temporary-database.ts')).createTestDatabase(url),
};
