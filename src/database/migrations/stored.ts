import type { Dialect } from '../dialect.ts';
import type { Ask } from '../introspection.ts';
import type { Stored } from './differences.ts';
import { readTables } from './read-tables.ts';
import { readRegister } from './register.ts';

/** Reads the database as it is now, to compare the models with. */
export const readStored = async (ask: Ask, dialect: Dialect): Promise<Stored> => {
  const tables = await readTables(ask, dialect);
  return { dialect, tables, register: await readRegister(ask, tables, dialect.names) };
};
