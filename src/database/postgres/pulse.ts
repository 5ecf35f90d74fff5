/** Detection of a server that hangs while statements wait for it. */

import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';

/**
 * Milliseconds between two looks at a connection under examination, and looks after which the server counts as hung.
 */
const lookInterval = 250;
const looksToHang = 10;

/** Milliseconds between two attempts to reach a server that hangs. */
const attemptInterval = 500;

export interface PulseEvents {
  /** The server, or the network before it, no longer responds: nothing that waits for it will end soon. */
  hung(): void;
  /** The server responds again. */
  back(): void;
}

/**
 * Tells a server that hangs from a statement that takes its time: when a connection has waited for a while, the server
 * is asked for something trivial over a connection of its own. It hangs where 2.5 s pass without a response to that or
 * to anything else.
 */
export class Pulse {
  readonly #config: ClientConfig;
  readonly #events: PulseEvents;
  #responses = 0;
  #isAsking = false;
  #isHung = false;
  #isClosed = false;

  constructor(config: ClientConfig, events: PulseEvents) {
    this.#config = { ...config, connectionTimeoutMillis: 0 };
    this.#events = events;
  }

  get isHung(): boolean {
    return this.#isHung;
  }

  /** Some statement was responded to. */
  heard(): void {
    this.#responses += 1;
  }

  /** Some statement, or connection, has waited for a while. */
  ask(): void {
    if (this.#isAsking || this.#isClosed) return;
    this.#isAsking = true;
    void this.#examine().finally(() => {
      this.#isAsking = false;
    });
  }

  close(): void {
    this.#isClosed = true;
  }

  async #examine(): Promise<void> {
    if (await this.#responds()) return;
    this.#isHung = true;
    this.#events.hung();
    while (!(await this.#responds())) await delay(attemptInterval, undefined, { ref: false });
    this.#isHung = false;
    this.#events.back();
  }

  /** A refusal is a response too: the next connection gets the same one. */
  async #responds(): Promise<boolean> {
    const before = this.#responses;
    const client = new Client(this.#config);
    client.on('error', () => {});
    let isOver = false;
    client
      .connect()
      .then(() => client.query('select 1'))
      .catch(() => {})
      .finally(() => {
        isOver = true;
      });
    // Looks are counted, not milliseconds: where this process itself stood still, a response may only be unread.
    for (let look = 0; look < looksToHang && !isOver; look += 1) {
      await delay(lookInterval, undefined, { ref: false });
      if (this.#isClosed || this.#responses !== before) break;
    }
    const isHanging = !isOver && !this.#isClosed && this.#responses === before;
    client.connection.stream.destroy();
    return !isHanging;
  }
}
