import { readdirSync, readFileSync } from 'node:fs';

/** Process figures of Linux, from /proc. */

/** Clock ticks per second in /proc. */
const ticks = 100;

/** Fields of a process's stat after its name. @throws Error once it has ended */
const statOf = (pid: number | string): readonly string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');

/** Seconds of CPU time, user and system; optionally with those of the children that it has waited for. */
export const cpuOf = (pid: number | string, children: 'counted' | 'apart' = 'apart'): number =>
  statOf(pid)
    .slice(11, children === 'counted' ? 15 : 13)
    .reduce((sum, field) => sum + Number(field), 0) / ticks;

export const parentOf = (pid: number | string): number => Number(statOf(pid)[1]);

/** Start of a process, in ticks since boot: distinguishes two processes with the same id. */
const beginOf = (pid: number): string => statOf(pid)[19] ?? '';

/** The result of `ask` for a process; undefined where it has ended. */
const ifThere = <T>(ask: () => T): T | undefined => {
  try {
    return ask();
  } catch {
    return undefined;
  }
};

/** Running children. */
export const childrenOf = (parent: number): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && ifThere(() => parentOf(name)) === parent)
    .map(Number);

/** Seconds of CPU time of a process, of those that it has waited for, and of its running children. */
export const cpuOfAll = (first: number): number =>
  childrenOf(first).reduce(
    (sum, child) => sum + (ifThere(() => cpuOf(child)) ?? 0),
    ifThere(() => cpuOf(first, 'counted')) ?? 0,
  );

/** A process and its running descendants: parents before their children. */
export const treeOf = (first: number): readonly number[] => {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), ifThere(() => parentOf(name))] as const);
  const tree = [first];
  for (const parent of tree)
    tree.push(...parents.filter(([, of]) => of === parent).map(([process]) => process));
  return tree;
};

/** Returns a function that sends a signal to those of the processes that are still the same. */
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

/** Resident bytes of a process and its descendants; shared pages count for each. */
export const residentOfTree = (first: number): number =>
  treeOf(first).reduce((sum, pid) => sum + (ifThere(() => residentOf(pid)) ?? 0), 0);

/** Seconds of CPU time of a process and its running descendants. */
export const cpuOfTree = (first: number): number =>
  treeOf(first).reduce((sum, pid) => sum + (ifThere(() => cpuOf(pid)) ?? 0), 0);
