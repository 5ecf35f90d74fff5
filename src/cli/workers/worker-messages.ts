import type { StopSignal } from '../stop-signal.ts';

/** Messages between a worker and the primary process. */

/** Environment variable that makes a process a worker: `first`, or the port on which the others listen. */
export const workerVariable = 'GATEWRIGHT_WORKER';

/** From the primary: has the same effect as the signal itself. */
export interface Stop {
  readonly kind: 'stop';
  readonly signal: StopSignal;
}

/** From a worker: it listens on this port. */
export interface WorkerStarted {
  readonly kind: 'started';
  readonly port: number;
}
