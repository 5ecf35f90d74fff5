import type { DatabaseTarget, TargetKind } from '../target.ts';
import { postgresMigrationDialect } from './migration-dialect.ts';

const targetOf = (url: string): DatabaseTarget => ({
  dialect: 'postgres',
  file: undefined,
  isEmpty: () => false,
  hasRemains: () => false,
  open: async (options) => {
    // Whoever stays with another database never loads the driver of this one.
    const { openPostgres } = await import('./database.ts');
    return openPostgres(url, options);
  },
  migrationDriver: () => postgresMigrationDialect(url),
  // What is asked, is asked in a transaction that could not write.
  rehearse: (work) => work({ dialect: 'postgres', driver: postgresMigrationDialect(url), writes: false }),
});

export const postgresTargets: TargetKind = {
  forms: ['postgres://…'],
  apart:
    'on PostgreSQL a schema of its own (create schema gatewright; DATABASE_URL=…?options=-c%20search_path%3Dgatewright)',
  reads: (url) => /^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url),
  target: targetOf,
};
