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

/** When a process began, in ticks since the machine did: two with one id are told apart by it. */
const beginOf = (pid: number): string => statOf(pid)[19] ?? '';

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

/** A process and all that came from it and run now: parents before their children. */
export const treeOf = (first: number): readonly number[] => {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), ifThere(() => parentOf(name))] as const);
  const tree = [first];
  for (const parent of tree)
    tree.push(...parents.filter(([, of]) => of === parent).map(([process]) => process));
  return tree;
};

/** Sends a signal to those of some processes that are still the same ones later. */
export const laterTo = (pids: readonly number[]): ((name: NodeJS.Signals) => void) => {
  const known = pids.map((pid) => [pid, ifThere(() => beginOf(pid))] as const);
  return (name) => {
    for (const [pid, began] of known)
      if (began !== undefined && ifThere(() => beginOf(pid)) === began)
        ifThere(() => process.kill(pid, name));
  };
};

/** Resident bytes of a process. @throws Error once it has ended */
export const residentOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

/** Resident bytes of a process and of all that came from it; pages that they share count for each. */
export const residentOfTree = (first: number): number =>
  treeOf(first).reduce((sum, pid) => sum + (ifThere(() => residentOf(pid)) ?? 0), 0);

/** Seconds of CPU time of a process and of all that came from it and run now. */
export const cpuOfTree = (first: number): number =>
  treeOf(first).reduce((sum, pid) => sum + (ifThere(() => cpuOf(pid)) ?? 0), 0);
