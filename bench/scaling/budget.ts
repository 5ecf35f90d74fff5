import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const mount = '/sys/fs/cgroup';

/** Version 2 has one hierarchy, version 1 one for each controller. */
const isUnified = existsSync(join(mount, 'cgroup.controllers'));

/** Microseconds of an accounting period: short, so that a process that has used its budget pauses only briefly. */
const periodUs = 20_000;

/** Processes that share a CPU budget, and the CPU time that they have used. Needs root. */
export interface Budget {
  /** Adds the process, and everything that it starts from now on. */
  add(pid: number): void;
  /** CPU seconds used so far. */
  used(): number;
  remove(): void;
}

const inVersion1 = (name: string, cores: number): Budget => {
  const [cpu, accounts] = ['cpu', 'cpuacct'].map((controller) => join(mount, controller, name)) as [
    string,
    string,
  ];
  for (const folder of [cpu, accounts]) mkdirSync(folder);
  writeFileSync(join(cpu, 'cpu.cfs_period_us'), String(periodUs));
  writeFileSync(join(cpu, 'cpu.cfs_quota_us'), String(Math.round(cores * periodUs)));
  return {
    add: (pid) => {
      for (const folder of [cpu, accounts]) writeFileSync(join(folder, 'cgroup.procs'), String(pid));
    },
    used: () => Number(readFileSync(join(accounts, 'cpuacct.usage'), 'utf8')) / 1e9,
    remove: () => {
      for (const folder of [cpu, accounts]) rmdirSync(folder);
    },
  };
};

const inVersion2 = (name: string, cores: number): Budget => {
  const folder = join(mount, name);
  writeFileSync(join(mount, 'cgroup.subtree_control'), '+cpu');
  mkdirSync(folder);
  writeFileSync(join(folder, 'cpu.max'), `${Math.round(cores * periodUs)} ${periodUs}`);
  return {
    add: (pid) => writeFileSync(join(folder, 'cgroup.procs'), String(pid)),
    used: () => Number(/usage_usec (\d+)/.exec(readFileSync(join(folder, 'cpu.stat'), 'utf8'))?.[1]) / 1e6,
    remove: () => rmdirSync(folder),
  };
};

/** @param cores CPU of the budget, such as 0.25 */
export const budgetOf = (name: string, cores: number): Budget =>
  (isUnified ? inVersion2 : inVersion1)(`gatewright-${process.pid}-${name}`, cores);
