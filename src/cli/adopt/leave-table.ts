/** Tables that get no model, each with the reason. */

import type { DescribedTable } from '../../database/described-tables.ts';
import { isSecretName, storedNameFlaw } from './names.ts';

/** Tables in which other tools keep what they have done, by their names. */
const bookkeeping: ReadonlyMap<string, string> = new Map([
  ['schema_migrations', 'Rails'],
  ['ar_internal_metadata', 'Rails'],
  ['django_migrations', 'Django'],
  ['_prisma_migrations', 'Prisma'],
  ['directus_migrations', 'Directus'],
  ['knex_migrations', 'Knex'],
  ['knex_migrations_lock', 'Knex'],
  ['flyway_schema_history', 'Flyway'],
  ['databasechangelog', 'Liquibase'],
  ['databasechangeloglock', 'Liquibase'],
  ['alembic_version', 'Alembic'],
  ['__EFMigrationsHistory', 'Entity Framework'],
  ['__drizzle_migrations', 'Drizzle'],
  ['typeorm_metadata', 'TypeORM'],
]);

export interface TablesInUse {
  /** The service's own tables in this schema. */
  readonly service: ReadonlySet<string>;
  /** Tables of the application's models that adopt did not write, with the model. */
  readonly models: ReadonlyMap<string, string>;
}

/** Why no model can be made, asked for by name or not; undefined where one can. */
const refusal = (table: DescribedTable, own: TablesInUse): string | undefined => {
  if (own.service.has(table.name) || table.name.startsWith('gatewright_')) return 'it belongs to the service';
  const model = own.models.get(table.name);
  if (model !== undefined) return `it is the table of the model ${model}`;
  if (table.internal) return 'it is a virtual table, or a part of one';
  if (table.partitionOf !== undefined) return `it is a partition of ${table.partitionOf}`;
  const flaw = storedNameFlaw(table.name);
  if (flaw !== undefined) return flaw;
  if (table.columns.length === 0) return 'it has no columns that can be read';
  if (table.key.length === 1 && isSecretName(table.key[0] ?? '')) return 'its key is a secret';
  if (!table.rights.includes('select')) return 'this database user may not read it';
  return table.rowSecurity === 'hidden'
    ? 'row security is on, so this database user sees fewer rows than there are: use one with BYPASSRLS, or its owner'
    : undefined;
};

/**
 * Why a table gets no model; undefined where it gets one. `named`: the table was asked for by its name.
 */
export const reasonToLeave = (
  table: DescribedTable,
  own: TablesInUse,
  named: boolean,
): string | undefined => {
  const refused = refusal(table, own);
  if (refused !== undefined || named) return refused;
  if (table.extension !== undefined) return `it belongs to the extension ${table.extension}`;
  const tool = bookkeeping.get(table.name);
  return tool === undefined ? undefined : `${tool} keeps its migrations there`;
};
