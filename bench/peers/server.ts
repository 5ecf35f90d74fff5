/** Starts peers on one core, knows their processes, and ends every one of them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuOfTree, laterTo, residentOfTree, treeOf } from '../proc.ts';
import { freePort, onCore, type Running } from '../processes.ts';
import { type Answered, send } from './answers.ts';
import type { Asked, Folders, Headers, Peer } from './peer.ts';

/** What runs now and was begun here. */
const begun = new Set<ChildProcess>();
/** Whether everything is being ended: what begins later ends at once. */
let over = false;

/** Milliseconds in which a process may end by itself. */
const patience = 10_000;
/** Milliseconds in which a server has to answer. */
const longestStart = 120_000;

/** The environment of a child: that of this process, without what npm puts there for its own. */
export const plainEnv = (more: Readonly<Record<string, string>>): Record<string, string> => {
  const own = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(npm_|NODE_OPTIONS$|INIT_CWD$)/.test(entry[0]),
  );
  return { ...Object.fromEntries(own), ...more };
};

/** Keeps a process in mind until it has ended. */
export const remember = (child: ChildProcess): ChildProcess => {
  if (over) child.kill('SIGKILL');
  begun.add(child);
  child.once('exit', () => begun.delete(child));
  return child;
};

/** Ends a process and all that came from it: asks the first, and after a while no more. */
const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const signal = laterTo(treeOf(child.pid));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const late = new AbortController();
  await Promise.race([ended, delay(patience, undefined, { signal: late.signal }).catch(() => undefined)]);
  late.abort();
  signal('SIGKILL');
};

/** Ends whatever runs, for good: nothing can be begun after it. */
export const endAll = async (): Promise<void> => {
  over = true;
  await Promise.all([...begun].map(end));
};

export interface Server extends Running {
  readonly peer: Peer;
}

/** The end of what a server said. */
const lastWords = (log: string): string => readFileSync(log, 'utf8').slice(-2_000);

/** Asks until the answer is the wanted one. Answers the milliseconds since the start. */
const untilAnswer = async (
  child: ChildProcess,
  log: string,
  ask: () => Promise<Answered>,
  good: (status: number) => boolean,
): Promise<number> => {
  const began = performance.now();
  for (;;) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${lastWords(log)}`);
    const status = await ask().then(
      (answered) => answered.status,
      () => 0,
    );
    const passed = performance.now() - began;
    if (good(status)) return passed;
    if (passed > longestStart) throw new Error(`no answer, last ${status}: ${lastWords(log)}`);
    await delay(5);
  }
};

interface Start {
  readonly peer: Peer;
  readonly folders: Folders;
  /** The program of its Node. */
  readonly node: string;
  /** What has to be answered 200 before it counts as started; without headers any answer but a fault does. */
  readonly first: Asked;
  readonly headers?: Headers;
}

export const startServer = async ({ peer, folders, node, first, headers }: Start): Promise<Server> => {
  const port = await freePort();
  const { args, env, cwd = folders.folder } = peer.command(folders);
  const [program, all] = onCore(0, node, args);
  const log = join(folders.data, 'server.log');
  const out = openSync(log, 'w');
  const child = remember(
    spawn(program, all, {
      cwd,
      env: plainEnv({ NODE_ENV: 'production', ...env, HOST: '127.0.0.1', PORT: String(port) }),
      stdio: ['ignore', out, out],
    }),
  );
  closeSync(out);
  const good = (status: number): boolean =>
    headers === undefined ? status > 0 && status < 500 : status === 200;
  const stop = (): Promise<void> => end(child);
  try {
    const startup = await untilAnswer(child, log, () => send(port, first, headers), good);
    const pid = child.pid ?? 0;
    return {
      ...{ name: peer.name, peer, port, pid, startup, stop },
      cpu: () => cpuOfTree(pid),
      memory: () => residentOfTree(pid),
    };
  } catch (error) {
    await stop();
    throw new Error(`${peer.name} did not start: ${error instanceof Error ? error.message : error}`);
  }
};
