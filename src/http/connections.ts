import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../auth/client-network.ts';

/**
 * Requests that a connection may have sent without an answer. HTTP/1.1 lets a client send on and on (RFC 9112, 9.3.2),
 * and Node takes in all of it: one connection that never stops would fill the memory while the database is asked.
 * Browsers send one at a time, and tools that pipeline a few dozen.
 */
const mostUnanswered = 128;

/** A request as its connection and the log know it. */
export interface LastRequest {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly method: string;
  /** Path of its endpoint; undefined before it is found. */
  readonly route: string | undefined;
  /** Time of arrival by `performance.now()`. */
  readonly arrived: number;
}

/** The state of a connection as long as it lives. */
export interface Connection {
  readonly socket: Socket;
  /** Requests without a complete response. */
  unanswered: number;
  /** The last request, and the response before the one to it. */
  last: LastRequest | undefined;
  before: ServerResponse | undefined;
  /** It has sent bytes that are no request, which are answered behind the responses that are still to come. */
  broken: boolean;
  /** Requests that it has sent in all. */
  requests: number;
  /** Its last answer is out or on its way: what else it brings is nobody's request any more. */
  ending: boolean;
  /** A long body is coming, which may take its time: see `Incoming`. */
  uploading: boolean;
  /** From when on its next answer is its last, by the clock that never jumps. */
  readonly endsAt: number;
  /** Where it comes from; undefined before it is counted. */
  network: string | undefined;
}

export interface ConnectionsOptions {
  /** Connections that may be open; any number unless given. */
  readonly most?: number | undefined;
  /** Milliseconds after which a connection is closed with its next answer, or after half of that; never unless given. */
  readonly age?: number | undefined;
  /** Whether an address is that of one of our own proxies. */
  readonly isProxy?: (address: string) => boolean;
}

/**
 * Where a socket carries what is known of it. In a `WeakMap` what refers to its own key, as this does, lives until the
 * whole memory is searched.
 */
const known = Symbol('connection');

interface KnownSocket extends Socket {
  [known]?: Connection;
}

/** Whether a connection is so old that its next answer is its last. */
export const isWorn = ({ endsAt }: Connection): boolean => endsAt !== Infinity && performance.now() >= endsAt;

/**
 * Open connections by network, and the number of requests in flight. The requests themselves are in no collection: a `Set`
 * that takes each of them and lets it go keeps those that have ended alive until the next collection of all memory, which
 * costs a detail a quarter of its CPU time.
 */
export class Connections {
  readonly #most: number;
  readonly #age: number;
  readonly #isProxy: (address: string) => boolean;
  /** Open connections by the network that they come from, the oldest first. */
  readonly #networks = new Map<string, Set<Connection>>();
  #open = 0;
  #inFlight = 0;
  readonly #lost = { refused: 0, displaced: 0, flooding: 0 };

  constructor({ most = Infinity, age = Infinity, isProxy = () => false }: ConnectionsOptions = {}) {
    this.#most = most;
    this.#age = age;
    this.#isProxy = isProxy;
  }

  /** Connections that are open. */
  get size(): number {
    return this.#open;
  }

  /** Requests without a complete response. */
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

  /** Connections that were not let in, that made room for another, and that were cut for what they sent unanswered. */
  get lost(): Readonly<Record<'refused' | 'displaced' | 'flooding', number>> {
    return this.#lost;
  }

  of(socket: KnownSocket): Connection {
    socket[known] ??= {
      socket,
      unanswered: 0,
      last: undefined,
      before: undefined,
      broken: false,
      requests: 0,
      ending: false,
      uploading: false,
      // Not all at once where many were opened at once.
      endsAt: performance.now() + this.#age * (0.5 + Math.random() / 2),
      network: undefined,
    };
    return socket[known];
  }

  /** The connection of a request that has just come; undefined where nobody is to answer it. */
  arrived(socket: Socket): Connection | undefined {
    const connection = this.of(socket);
    if (connection.ending) return undefined;
    connection.unanswered += 1;
    connection.requests += 1;
    if (connection.unanswered <= mostUnanswered) {
      this.#inFlight += 1;
      return connection;
    }
    this.#lost.flooding += 1;
    socket.destroy();
    return undefined;
  }

  /** Counts the end of a request that `arrived` has let in. */
  answered(connection: Connection): void {
    connection.unanswered -= 1;
    this.#inFlight -= 1;
  }

  /**
   * Counts a new connection. Where there are as many as may be, the network that has most of them loses one: the oldest
   * that waits for no answer, or, to a network that has less, the oldest (but none of a proxy, which has them of many).
   * @returns whether there is room for it
   */
  opened(socket: Socket): boolean {
    const network = networkOf(socket.remoteAddress ?? '');
    if (this.#open >= this.#most) {
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
