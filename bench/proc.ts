import { readdirSync, readFileSync } from 'node:fs';

/** What Linux tells of a process in /proc. */

/** Clock ticks per second in /proc. */
const ticks = 100;

/** Fields of a process's stat behind its name. @throws Error once it has ended */
const statOf = (pid: number | string): readonly string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');

/** Seconds of CPU time, user and system; with those of the children that it has waited for, where they count. */
export const cpuOf = (pid: number | string, children: 'counted' | 'apart' = 'apart'): number =>
  statOf(pid)
    .slice(11, children === 'counted' ? 15 : 13)
    .reduce((sum, field) => sum + Number(field), 0) / ticks;

export const parentOf = (pid: number | string): number => Number(statOf(pid)[1]);

/** What is asked of a process; undefined where it has ended. */
const ifThere = <T>(ask: () => T): T | undefined => {
  try {
    return ask();
  } catch {
    return undefined;
  }
};

/** Children that run now. */
export const childrenOf = (parent: number): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && ifThere(() => parentOf(name)) === parent)
    .map(Number);

/** Seconds of CPU time of a process, of those that it has waited for, and of its children that run. */
export const cpuOfAll = (first: number): number =>
  childrenOf(first).reduce(
    (sum, child) => sum + (ifThere(() => cpuOf(child)) ?? 0),
    ifThere(() => cpuOf(first, 'counted')) ?? 0,
  );
