/** Open connections: their number by network, their age, and the requests in flight on each. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../auth/client-network.ts';

/**
 * Requests of one connection that may wait for their responses. HTTP/1.1 allows pipelining without limit (RFC 9112,
 * 9.3.2), and Node reads all of it: one connection that never stops would fill the memory while the database works.
 * Browsers send one request at a time, and tools that pipeline send a few dozen.
 * @limit Bodies | pipelined requests of a connection | count | the connection is closed
 */
const maxUnanswered = 128;

/** The last request of a connection, as the log names it. */
export interface LastRequest {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly method: string;
  /** Path of its endpoint; undefined before the endpoint is found. */
  readonly route: string | undefined;
  /** Time of arrival by `performance.now()`. */
  readonly arrived: number;
}

/** The state of an open connection. */
export interface Connection {
  readonly socket: Socket;
  /** Requests without a complete response. */
  unanswered: number;
  /** The last request, and the response before its own. */
  last: LastRequest | undefined;
  before: ServerResponse | undefined;
  /** It has sent bytes that are no request; the error follows the responses that are still to come. */
  broken: boolean;
  /** Number of requests received so far. */
  requests: number;
  /** Its last response is sent or being sent; further bytes are ignored. */
  ending: boolean;
  /** A long body is arriving, which `Incoming` bounds in time. */
  uploading: boolean;
  /** Its first response after this time, by `performance.now()`, is its last. */
  readonly endsAt: number;
  /** Network of its address; undefined before the connection is counted. */
  network: string | undefined;
}

export interface ConnectionsOptions {
  /** Connections that may be open; unlimited unless given. */
  readonly maxConnections?: number | undefined;
  /** A connection is closed with its first response after 50 to 100 % of this time; never unless given. */
  readonly maxAgeMs?: number | undefined;
  /** Tells whether an address is that of one of our own proxies. */
  readonly isProxy?: (address: string) => boolean;
}

/**
 * The property by which a socket holds its connection. An entry of a `WeakMap` whose value refers to its own key, as
 * this one does, lives until the next full garbage collection.
 */
const connectionKey = Symbol('connection');

interface CountedSocket extends Socket {
  [connectionKey]?: Connection;
}

/** Tells whether a connection has reached its maximum age, so that its next response is its last. */
export const isPastMaxAge = ({ endsAt }: Connection): boolean =>
  endsAt !== Infinity && performance.now() >= endsAt;

/**
 * Open connections by network, and the number of requests in flight. No collection holds the requests themselves: a
 * `Set` to which each is added and from which it is deleted keeps finished ones alive until the next full garbage
 * collection, which adds a quarter to the CPU time of a detail.
 */
export class Connections {
  readonly #maxConnections: number;
  readonly #maxAgeMs: number;
  readonly #isProxy: (address: string) => boolean;
  /** Open connections by the network of their address, the oldest first. */
  readonly #networks = new Map<string, Set<Connection>>();
  #open = 0;
  #inFlight = 0;
  readonly #lost = { refused: 0, displaced: 0, flooding: 0 };

  constructor(options: ConnectionsOptions = {}) {
    this.#maxConnections = options.maxConnections ?? Infinity;
    this.#maxAgeMs = options.maxAgeMs ?? Infinity;
    this.#isProxy = options.isProxy ?? (() => false);
  }

  /** Number of open connections. */
  get size(): number {
    return this.#open;
  }

  /** Number of requests without a complete response. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** The requests of up to `count` connections that have waited longest for a response. */
  longestWaiting(count: number): readonly LastRequest[] {
    const waiting: LastRequest[] = [];
    for (const connections of this.#networks.values())
      for (const { unanswered, last } of connections)
        if (unanswered > 0 && last !== undefined) waiting.push(last);
    return waiting.sort((one, other) => one.arrived - other.arrived).slice(0, count);
  }

  /** Connections that were refused, closed in favour of another, or cut because too many of their requests waited. */
  get lost(): Readonly<Record<'refused' | 'displaced' | 'flooding', number>> {
    return this.#lost;
  }

  of(socket: CountedSocket): Connection {
    socket[connectionKey] ??= {
      socket,
      unanswered: 0,
      last: undefined,
      before: undefined,
      broken: false,
      requests: 0,
      ending: false,
      uploading: false,
      // Random, so that connections that were opened at the same time do not all end at the same time.
      endsAt: performance.now() + this.#maxAgeMs * (0.5 + Math.random() / 2),
      network: undefined,
    };
    return socket[connectionKey];
  }

  /** Counts a request that has just arrived, and returns its connection; undefined where the request is ignored. */
  arrived(socket: Socket): Connection | undefined {
    const connection = this.of(socket);
    if (connection.ending) return undefined;
    connection.unanswered += 1;
    connection.requests += 1;
    if (connection.unanswered <= maxUnanswered) {
      this.#inFlight += 1;
      return connection;
    }
    this.#lost.flooding += 1;
    socket.destroy();
    return undefined;
  }

  /** Counts the end of a request for which `arrived` returned a connection. */
  answered(connection: Connection): void {
    connection.unanswered -= 1;
    this.#inFlight -= 1;
  }

  /**
   * Counts a new connection. At the limit, the network with the most connections loses one: its oldest idle one, or, in
   * favour of a network with fewer, its oldest. A busy connection of a proxy is never closed, as it serves many
   * callers.
   * @returns whether there is room for it
   */
  opened(socket: Socket): boolean {
    const network = networkOf(socket.remoteAddress ?? '');
    if (this.#open >= this.#maxConnections) {
      const loser = this.#loserTo(network);
      if (loser === undefined) {
        this.#lost.refused += 1;
        return false;
      }
      this.#lost.displaced += 1;
      this.#forget(loser);
      loser.socket.destroy();
    }
    const connection = this.of(socket);
    const ofNetwork = this.#networks.get(network) ?? new Set();
    this.#networks.set(network, ofNetwork);
    ofNetwork.add(connection);
    this.#open += 1;
    connection.network = network;
    socket.once('close', () => this.#forget(connection));
    return true;
  }

  #loserTo(network: string): Connection | undefined {
    let largest = new Set<Connection>();
    for (const ofNetwork of this.#networks.values()) if (ofNetwork.size > largest.size) largest = ofNetwork;
    for (const connection of largest) if (connection.unanswered === 0) return connection;
    const [oldest] = largest;
    if (oldest === undefined || this.#isProxy(oldest.socket.remoteAddress ?? '')) return undefined;
    return largest.size > (this.#networks.get(network)?.size ?? 0) + 1 ? oldest : undefined;
  }

  #forget(connection: Connection): void {
    const { network = '' } = connection;
    const ofNetwork = this.#networks.get(network);
    if (ofNetwork?.delete(connection) !== true) return;
    this.#open -= 1;
    if (ofNetwork.size === 0) this.#networks.delete(network);
  }
}
