import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EventSignal } from '../events/signal.ts';
import type { EventLog } from '../service/events/event-log.ts';
import type { Deliveries } from '../service/webhooks/deliveries.ts';
import type { IdleWebhook, WebhookLeases } from '../service/webhooks/leases.ts';
import type { AsyncSignal } from './async-signal.ts';
import { mostWaiting, subscribesTo } from './runner.ts';
import type { UnreadableSecrets } from './unreadable.ts';

export interface WatchParts {
  readonly leases: WebhookLeases;
  readonly deliveries: Deliveries;
  readonly events: EventLog;
  readonly signal: EventSignal;
  readonly newEvents: AsyncSignal;
  readonly unreadable: UnreadableSecrets;
  /** Stores a job that sends for a webhook, unless one waits already. */
  readonly enqueue: (webhook: number) => Promise<unknown>;
  readonly logger: Logger;
  /** Milliseconds between two polls, and so the longest delay of a due attempt. */
  readonly poll: number;
}

/** Milliseconds between two looks at new events, however many there are. */
const minIntervalMs = 100;

/** Events that are read at a time. */
const batchSize = 500;

/** Events that a cursor may stay behind if none of them matters to its webhook, to save writes. */
const maxLag = 5_000;

/** Finds webhooks with something to send, and stores jobs for them. */
export class WebhookWatch {
  readonly #parts: WatchParts;
  /** Numbers of events up to which none matters to a webhook, beyond its cursor. */
  readonly #seen = new Map<number, number>();
  #looking: Promise<void> | undefined;
  #again = false;
  #looked = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isUnavailable = false;
  #end: (() => void) | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Starts to look after each commit with an event, and every few seconds. Returns a function that ends it. */
  start(): () => Promise<void> {
    const { signal, newEvents, poll } = this.#parts;
    const endListening = signal.listen(() => {
      newEvents.notify();
      this.look();
    });
    const polling = setInterval(() => this.look(), poll).unref();
    this.#end = () => {
      endListening();
      clearInterval(polling);
      clearTimeout(this.#timer);
    };
    this.look();
    return async () => {
      this.#end?.();
      this.#again = false;
      await this.#looking;
    };
  }

  /** Looks soon, once for several calls; does nothing unless started. */
  look(): void {
    if (this.#end === undefined) return;
    if (this.#looking !== undefined) {
      this.#again = true;
      return;
    }
    clearTimeout(this.#timer);
    const wait = this.#looked + minIntervalMs - performance.now();
    if (wait > 0) {
      this.#timer = setTimeout(() => this.look(), wait).unref();
      return;
    }
    this.#again = false;
    this.#looked = performance.now();
    this.#looking = this.lookNow()
      .then(() => {
        this.#isUnavailable = false;
      })
      .catch((error: unknown) => {
        if (!this.#isUnavailable) this.#parts.logger.warn({ err: error }, 'webhooks could not be read');
        this.#isUnavailable = true;
      })
      .finally(() => {
        this.#looking = undefined;
        if (this.#again) this.look();
      });
  }

  /** Stores a job for each webhook that has something to send and is not being worked on. */
  async lookNow(): Promise<void> {
    const { leases, events, enqueue, unreadable } = this.#parts;
    const idle = (await leases.idle()).filter(({ id }) => !unreadable.isPaused(id));
    for (const id of this.#seen.keys()) if (!idle.some((each) => each.id === id)) this.#seen.delete(id);
    if (idle.length === 0) return;
    await events.settle();
    for (const webhook of idle) if (webhook.due || (await this.#isBehind(webhook))) await enqueue(webhook.id);
  }

  /** Whether there are events for a webhook that have no deliveries yet. */
  async #isBehind(webhook: IdleWebhook): Promise<boolean> {
    const { events, deliveries } = this.#parts;
    const { id, cursor } = webhook;
    let place = Math.max(cursor, this.#seen.get(id) ?? 0);
    for (;;) {
      const found = await events.after(place, batchSize);
      if (found.some((event) => subscribesTo(webhook, event)))
        return (await deliveries.waiting(id, mostWaiting)) < mostWaiting;
      place = found.at(-1)?.number ?? place;
      if (found.length < batchSize) break;
      // Reads of SQLite end among microtasks: let requests have a turn of the event loop between two batches.
      await nextTurn();
    }
    this.#seen.set(id, place);
    if (place - cursor >= maxLag) await deliveries.add(id, cursor, place, [], () => '');
    return false;
  }
}
