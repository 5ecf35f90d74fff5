import { hostname } from 'node:os';
import { workerData } from 'node:worker_threads';
import { Output } from '../../kernel/output.ts';
import { RunningCode, type WatcherData } from './shared.ts';

/** Entry of the thread that watches the main one. It writes to the log itself, since the main thread is blocked. */

/** Looks at a parent that was gone, one second apart, after which this process ends. */
const orphanLooks = 2;

const { memory, limit, parent } = workerData as WatcherData;
const running = new RunningCode(memory);
const output = new Output(1, () => '');
const sleeping = new Int32Array(new SharedArrayBuffer(4));

const tell = (milliseconds: number): void => {
  const line = {
    level: 50,
    time: Date.now(),
    pid: process.pid,
    hostname: hostname(),
    milliseconds: Math.round(milliseconds),
    running: running.names(),
    msg: 'event loop is blocked',
  };
  output.write(`${JSON.stringify(line)}\n`);
  output.end();
};

let orphaned = 0;
/** The main thread has a second to end by itself; where it is blocked, it never reads that its parent is gone. */
const endOrphan = (): void => {
  if (parent === undefined || process.ppid === parent) return;
  orphaned += 1;
  if (orphaned >= orphanLooks) process.kill(process.pid, 'SIGKILL');
};

let { beat } = running;
let since = performance.now();
let isReported = false;
for (;;) {
  Atomics.wait(sleeping, 0, 0, 1_000);
  endOrphan();
  if (running.beat !== beat) {
    ({ beat } = running);
    since = performance.now();
    isReported = false;
  } else if (!isReported && performance.now() - since >= limit) {
    isReported = true;
    tell(performance.now() - since);
  }
}
