import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Connections } from './connections.ts';

/** Milliseconds that requests in flight get at a stop before the statements that they wait for are ended. */
const grace = 6_000;

/** Milliseconds that they get after that to be answered, before their connections are cut. */
const lastGrace = 1_000;

/** Milliseconds between two looks at who is still connected. */
const interval = 20;

/** Requests that the log names when their connections are cut. */
const maxNamed = 20;

export interface StoppingHttp {
  readonly server: Server;
  readonly connections: Connections;
  readonly logger: Logger;
  /** Ends what requests wait for. */
  readonly interrupt: () => void;
}

const nextCheck = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Milliseconds that a turn of the event loop may take to count as a short one: at first, and more with each attempt. */
const shortTurn = 0.05;

/**
 * Resolves right after a poll of the event loop in a turn in which there was little to do: what has arrived by then,
 * requests and new connections, has been taken, and hardly anything can have come since.
 */
const polled = async (): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    await nextCheck();
    const before = performance.now();
    await nextCheck();
    if (performance.now() - before < attempt * shortTurn) return;
  }
};

/**
 * Takes no new connections, and resolves when the last one is closed, at most some 7 s later. Requests in flight are
 * answered. A connection that waits for nothing is closed when no request is in flight any more, right after a poll of
 * the event loop: what its client has sent by then is answered. A request, or a connection, that is on its way at that
 * very moment is lost; neither HTTP/1.1 nor the system has means against that, which is why readiness ends before.
 */
export const stopHttp = async ({ server, connections, logger, interrupt }: StoppingHttp): Promise<void> => {
  await polled();
  const closed = new Promise<void>((resolve) => {
    // The one of node:http would cut connections that seem idle at once.
    NetServer.prototype.close.call(server, () => resolve());
  });
  let open = true;
  void closed.then(() => {
    open = false;
  });
  const start = performance.now();
  let interrupted = false;
  while (open) {
    await Promise.race([closed, delay(interval)]);
    await polled();
    if (connections.inFlight === 0) server.closeIdleConnections();
    const waited = performance.now() - start;
    if (waited >= grace && !interrupted) {
      interrupted = true;
      interrupt();
    }
    if (open && waited >= grace + lastGrace) {
      logger.warn(
        {
          requests: connections.inFlight,
          oldest: connections
            .longestWaiting(maxNamed)
            .map(({ requestId, method, route = null }) => ({ requestId, method, route })),
        },
        'connections were cut at the stop',
      );
      server.closeAllConnections();
      break;
    }
  }
  await closed;
  // Ends its timers; there is nothing left to close.
  server.close(() => {});
};
