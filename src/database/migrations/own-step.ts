import type { Dialect } from '../dialect.ts';
import { dialectOf } from '../dialects.ts';
import { namesOn } from '../service-names.ts';
import type { Migration, MigrationDatabase } from './migration.ts';

/** A step of the service. It gets the dialect itself; migrations of applications get its name. */
export const ownStep = (up: (db: MigrationDatabase, dialect: Dialect) => Promise<void>): Migration => ({
  up: (db, dialect) => up(db, dialectOf(dialect, namesOn(db))),
});
