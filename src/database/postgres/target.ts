import type { DatabaseTarget, TargetKind } from '../target.ts';

const loadDialect = async () => (await import('./dialect.ts')).postgresDialect;

const migrationDriver = async (url: string) =>
  (await import('./migration-dialect.ts')).postgresMigrationDialect(url);

/** Host and name of the database; a socket is named by its folder. */
const placeOf = (url: string): string => {
  const { host, pathname, searchParams } = new URL(url);
  return `${searchParams.get('host') ?? host}${pathname}`;
};

const targetOf = (url: string): DatabaseTarget => ({
  dialect: loadDialect,
  telemetryName: 'postgresql',
  file: undefined,
  place: placeOf(url),
  findUnreachable: async () => (await import('./reach.ts')).findUnreachable(url),
  isEmpty: () => false,
  hasRemains: () => false,
  // The log is in the server's hands.
  lostWrites: () => undefined,
  open: async (options) => {
    const { openPostgres } = await import('./database.ts');
    if (options.replica === undefined) return openPostgres(url, options);
    const { openWithReplica } = await import('./replica.ts');
    return openWithReplica(url, options, options.replica);
  },
  migrationDriver: () => migrationDriver(url),
  isLockedOut: async (error) => {
    const { isConflict, isLockTimeout } = await import('./errors.ts');
    return isLockTimeout(error) || isConflict(error);
  },
  // The statements run in a transaction that cannot write.
  rehearse: async (work) =>
    work({ dialect: await loadDialect(), driver: await migrationDriver(url), writes: false }),
  snapshot: async (work) => {
    const { onPostgresSnapshot } = await import('./snapshot.ts');
    return onPostgresSnapshot(url, work);
  },
  copier: async () => {
    const { postgresCopier } = await import('./copier.ts');
    return postgresCopier(url, targetOf);
  },
  load: async (work) => {
    const { onPostgresLoader } = await import('./load.ts');
    return onPostgresLoader(url, work);
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
