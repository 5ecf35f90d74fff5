import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Clock ticks per second in /proc. */
const ticks = 100;

/** Fields of a process's stat behind its name; undefined once it has ended. */
const statOf = (pid: number | string): readonly string[] | undefined => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return undefined;
  }
};

const seconds = (stat: readonly string[], from: number, count: number): number =>
  stat.slice(from, from + count).reduce((sum, field) => sum + Number(field), 0) / ticks;

/**
 * CPU time that a PostgreSQL server has used so far, in seconds: of its first process, of those that it has waited for,
 * and of its children that run (backends, and the processes beside them).
 *
 * @param directory where its data lies
 */
export const databaseCpu = (directory: string): (() => number) => {
  const [first = ''] = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n');
  return () => {
    const server = statOf(first);
    if (server === undefined) return 0;
    const own = seconds(server, 11, 4);
    const children = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(statOf)
      .filter((stat) => stat?.[1] === first)
      .map((stat) => seconds(stat ?? [], 11, 2));
    return children.reduce((sum, child) => sum + child, own);
  };
};
