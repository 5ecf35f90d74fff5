import type { DatabaseTarget, TargetKind } from '../target.ts';

const migrationDriver = async (url: string) =>
  (await import('./migration-dialect.ts')).postgresMigrationDialect(url);

const targetOf = (url: string): DatabaseTarget => ({
  dialect: 'postgres',
  file: undefined,
  isEmpty: () => false,
  hasRemains: () => false,
  open: async (options) => {
    const { openPostgres } = await import('./database.ts');
    return openPostgres(url, options);
  },
  migrationDriver: () => migrationDriver(url),
  // What is asked, is asked in a transaction that could not write.
  rehearse: async (work) => work({ dialect: 'postgres', driver: await migrationDriver(url), writes: false }),
});

export const postgresTargets: TargetKind = {
  forms: ['postgres://…'],
  apart:
    'on PostgreSQL a schema of its own (create schema gatewright; DATABASE_URL=…?options=-c%20search_path%3Dgatewright)',
  reads: (url) => /^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url),
  target: targetOf,
};
