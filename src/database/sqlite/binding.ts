import type { SQLInputValue } from 'node:sqlite';
import type { SqlValue } from '../database.ts';

/**
 * node:sqlite binds every JavaScript number as a REAL, which shows wherever no column gives an affinity (`2.0` in
 * JSON, in a text column, in an expression). Integers therefore go as 64-bit integers.
 */
const bindOne = (value: SqlValue): SQLInputValue => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return value;
};

export const bind = (parameters: readonly SqlValue[]): SQLInputValue[] => parameters.map(bindOne);
