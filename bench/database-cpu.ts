import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuOfAll } from './proc.ts';

/**
 * CPU time that a PostgreSQL server has used so far, in seconds: of its first process, of those that it has waited
 * for, and of its running children (backends and auxiliary processes).
 * @param directory its data directory
 */
export const databaseCpu = (directory: string): (() => number) => {
  const [first = ''] = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n');
  return () => cpuOfAll(Number(first));
};
