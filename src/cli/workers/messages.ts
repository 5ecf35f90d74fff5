import type { StopSignal } from '../stop-signal.ts';

/** Messages between a worker and the process above it. */

/** Environment variable that makes a worker of a process: `first`, or the port on which the others listen. */
export const workerVariable = 'GATEWRIGHT_WORKER';

/** From above: the same to the worker as the signal itself. */
export interface Stop {
  readonly kind: 'stop';
  readonly signal: StopSignal;
}

/** From a worker: it listens, on this port. */
export interface WorkerStarted {
  readonly kind: 'started';
  readonly port: number;
}
