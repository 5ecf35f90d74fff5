/** Stops the server: requests in flight may finish, are then interrupted, and at last cut off. */

import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Connections } from './connections.ts';

/** Time for requests in flight before their statements are interrupted. */
const gracePeriodMs = 6_000;

/** Further time for the responses to interrupted requests, before their connections are cut. */
const interruptedPeriodMs = 1_000;

/** Interval of the checks for open connections. */
const checkIntervalMs = 20;

/** Requests that the log names when their connections are cut. */
const maxLoggedRequests = 20;

export interface StoppingHttp {
  readonly server: Server;
  readonly connections: Connections;
  readonly logger: Logger;
  /** Ends the statements of requests in flight. */
  readonly interrupt: () => void;
}

const nextCheck = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** First limit of a short turn of the event loop. It doubles with each attempt: in a busy process no turn is short. */
const shortTurnMs = 0.05;

/**
 * Resolves right after a poll of the event loop in a short turn: all requests and connections that had arrived are
 * accepted, and hardly any can have arrived since.
 */
const nextPoll = async (): Promise<void> => {
  for (let limit = shortTurnMs; ; limit *= 2) {
    await nextCheck();
    const before = performance.now();
    await nextCheck();
    if (performance.now() - before < limit) return;
  }
};

/**
 * Accepts no new connections, and resolves when the last one is closed, after about 7 s at most. Requests in flight are
 * answered. Idle connections are closed once no request is in flight, right after a poll of the event loop, so that
 * requests sent before are answered. A request or connection on its way at that moment is lost, which neither HTTP/1.1
 * nor the operating system can prevent; therefore readiness ends earlier.
 */
export const stopHttp = async ({ server, connections, logger, interrupt }: StoppingHttp): Promise<void> => {
  await nextPoll();
  const closed = new Promise<void>((resolve) => {
    // The method of node:http would close connections that seem idle at once.
    NetServer.prototype.close.call(server, () => resolve());
  });
  let isOpen = true;
  void closed.then(() => {
    isOpen = false;
  });
  const start = performance.now();
  let isInterrupted = false;
  while (isOpen) {
    await Promise.race([closed, delay(checkIntervalMs)]);
    await nextPoll();
    if (connections.inFlight === 0) server.closeIdleConnections();
    const elapsedMs = performance.now() - start;
    if (elapsedMs >= gracePeriodMs && !isInterrupted) {
      isInterrupted = true;
      interrupt();
    }
    if (isOpen && elapsedMs >= gracePeriodMs + interruptedPeriodMs) {
      logger.warn(
        {
          requests: connections.inFlight,
          oldest: connections
            .longestWaiting(maxLoggedRequests)
            .map(({ requestId, method, route = null }) => ({ requestId, method, route })),
        },
        'connections were cut at the stop',
      );
      server.closeAllConnections();
      break;
    }
  }
  await closed;
  // Ends the timers of the server, whose connections are all closed.
  server.close(() => {});
};
