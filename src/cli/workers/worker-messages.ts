import type { StopSignal } from '../stop-signal.ts';

/** Messages between a worker and the primary process. */

/** Environment variable that makes a process a worker: `first`, or the port on which the others listen. */
export const workerVariable = 'GATEWRIGHT_WORKER';

/** From the primary: has the same effect as the signal itself. */
export interface Stop {
  readonly kind: 'stop';
  readonly signal: StopSignal;
}

/** From a worker to all others, through the primary: wakes those that listen on the channel. */
export interface Notice {
  readonly kind: 'notice';
  readonly channel: string;
}

export const isNotice = (message: unknown): message is Notice =>
  typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'notice';

/** From a worker: it listens on this port. */
export interface WorkerStarted {
  readonly kind: 'started';
  readonly port: number;
}
