/** Notifications of a PostgreSQL channel, over a session that connects again after each loss. */

import { setTimeout as delay } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { DoublingPause } from '../../kernel/doubling-pause.ts';
import { quoteName } from '../quote.ts';

/** Milliseconds between attempts to connect: the first one, and the longest. */
const firstPause = 1_000;
const longestPause = 30_000;

/** Milliseconds that the server is given to say goodbye. */
const farewell = 500;

/**
 * A session of its own that hears the notifications of a channel. It connects again for as long as it takes, and its
 * listener is called after each time, as a notification may have been missed.
 */
export class ListeningSession {
  readonly #config: ClientConfig;
  readonly #channel: string;
  readonly #heard: () => void;
  readonly #ownPayload: string;
  #client: Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  readonly #pause = new DoublingPause(firstPause, longestPause);
  #closed = false;

  /** @param ownPayload marks notifications of this process, which knows what it did: they are not heard */
  constructor(config: ClientConfig, channel: string, ownPayload: string, heard: () => void) {
    this.#config = config;
    this.#channel = channel;
    this.#ownPayload = ownPayload;
    this.#heard = heard;
    void this.#connect();
  }

  /** Reconnects immediately: the old connection may have been lost silently. */
  renew(): void {
    if (this.#closed) return;
    clearTimeout(this.#retry);
    this.#pause.reset();
    const client = this.#client;
    this.#client = undefined;
    client?.connection.stream.destroy();
    void this.#connect();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    const client = this.#client;
    if (client === undefined) return;
    await Promise.race([client.end().catch(() => {}), delay(farewell, undefined, { ref: false })]);
    client.connection.stream.destroy();
  }

  async #connect(): Promise<void> {
    const client = new Client(this.#config);
    this.#client = client;
    // Once, however it ends: an error, and then the end of the connection.
    const gone = (): void => {
      if (this.#client !== client) return;
      this.#client = undefined;
      client.connection.stream.destroy();
      this.#connectLater();
    };
    client.on('error', gone);
    client.on('end', gone);
    client.on('notification', ({ payload }) => {
      if (payload !== this.#ownPayload) this.#heard();
    });
    try {
      await client.connect();
      await client.query(`listen ${quoteName(this.#channel)}`);
      this.#pause.reset();
      this.#heard();
    } catch {
      gone();
    }
  }

  #connectLater(): void {
    if (this.#closed) return;
    this.#retry = setTimeout(() => void this.#connect(), this.#pause.next()).unref();
  }
}
