/**
 * The locks of an upgrade beside a service that runs. A writer holds the table of its records when it comes to those of
 * the service, such as events; steps alter them in another order. So an upgrade waits for all tables before its first
 * step, holding none while it waits: neither the writer nor the upgrade is ended as the victim of a deadlock.
 */

import type { Dialect } from '../dialect.ts';
import type { Ask, Tables } from '../introspection.ts';
import { serviceTables } from '../service-names.ts';
import { readRegister } from './register.ts';

/** Statements that lock the tables of the application and of the service, where the database needs them. */
export const lockStatements = async (
  ask: Ask,
  tables: Tables,
  { names, schema }: Dialect,
): Promise<readonly string[]> => {
  const locked = [...(await readRegister(ask, tables, names)).keys(), ...serviceTables];
  return schema.lockTables(locked.filter((name) => tables.has(name)).map(names.quoted));
};
