/** The part of a process that serves as one of several workers: its start, its stop, and the loss of its primary. */

import type { Peers } from '../../database/target.ts';
import type { StopSignal } from '../stop-signal.ts';
import { onStopSignal } from '../stop-signal.ts';
import { isNotice, type Notice, type Stop, type WorkerStarted, workerVariable } from './worker-messages.ts';

/** The role of a worker. */
export interface WorkerRole {
  /** The port on which others listen already; undefined for the first one, which prepares the start for all. */
  readonly port: number | undefined;
  /** Resolves when it is to stop. A second signal ends the process at once. */
  readonly stopped: Promise<StopSignal>;
  /** The other workers, which the primary process forwards messages to. */
  readonly peers: Peers;
  /** True if the primary process is gone. */
  isOrphan(): boolean;
  /**
   * Keeps the process alive during its start: while it waits for the port, which the primary process hands over, nothing
   * else might.
   */
  starting<T>(start: Promise<T>): Promise<T>;
  /** Reports that it listens. */
  started(port: number): void;
}

/** Seconds in which a worker completes its requests once the primary process is gone. */
export const orphanDrain = 1;

/** Milliseconds after which such a worker ends, even if work is still running. */
const orphanLimitMs = 1_500;

const isStop = (message: unknown): message is Stop =>
  typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'stop';

const untilStopped = (): Promise<StopSignal> =>
  new Promise((resolve) => {
    onStopSignal(resolve);
    process.on('message', (message) => {
      if (isStop(message)) resolve(message.signal);
    });
    // The primary process is gone: it hands over no more connections, and a new one may be about to take its place.
    // Where the event loop is busy, the thread that watches it ends the process (src/upkeep/watch/watcher.ts).
    process.on('disconnect', () => {
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), orphanLimitMs);
      resolve('SIGTERM');
    });
    // A worker that cannot start ends although it could still receive messages.
    process.channel?.unref();
  });

/** The other workers. Without the primary process nothing is heard any more, and this worker is about to end. */
const peers: Peers = {
  tell: (channel) => {
    if (process.connected) process.send?.({ kind: 'notice', channel } satisfies Notice, () => {});
  },
  listen: (channel, heard) => {
    const listener = (message: unknown): void => {
      if (isNotice(message) && message.channel === channel) heard();
    };
    process.on('message', listener);
    return () => void process.off('message', listener);
  },
};

/** The role of this process as a worker; undefined if it is none. */
export const workerRole = async (
  env: Readonly<Record<string, string | undefined>>,
): Promise<WorkerRole | undefined> => {
  const given = env[workerVariable];
  if (given === undefined) return undefined;
  const { default: cluster } = await import('node:cluster');
  const { worker } = cluster;
  if (worker === undefined) return undefined;
  // Child processes of the application are no workers.
  delete process.env[workerVariable];
  // Node would end the worker as soon as the primary has ended, in the middle of its requests.
  worker.exitedAfterDisconnect = true;
  return {
    port: given === 'first' ? undefined : Number(given),
    stopped: untilStopped(),
    peers,
    isOrphan: () => !process.connected,
    starting: async (start) => {
      process.channel?.ref();
      try {
        return await start;
      } finally {
        process.channel?.unref();
      }
    },
    started: (port) => void process.send?.({ kind: 'started', port } satisfies WorkerStarted),
  };
};
