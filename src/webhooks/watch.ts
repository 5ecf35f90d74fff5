import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EventSignal } from '../events/signal.ts';
import type { EventLog } from '../service/events/event-log.ts';
import type { Deliveries } from '../service/webhooks/deliveries.ts';
import type { IdleWebhook, Lanes } from '../service/webhooks/lanes.ts';
import type { Bell } from './bell.ts';
import { concerns, mostWaiting } from './runner.ts';
import type { UnreadableSecrets } from './unreadable.ts';

export interface WatchParts {
  readonly lanes: Lanes;
  readonly deliveries: Deliveries;
  readonly events: EventLog;
  readonly signal: EventSignal;
  readonly bell: Bell;
  readonly unreadable: UnreadableSecrets;
  /** Has somebody send for a webhook: stores a job, unless one waits for it. */
  readonly enqueue: (webhook: number) => Promise<unknown>;
  readonly logger: Logger;
  /** Milliseconds between two looks: an attempt that is due waits for no more than that. */
  readonly poll: number;
}

/** Milliseconds between two looks at what was written, however much it is. */
const interval = 100;

/** Events that are looked at in one step. */
const batch = 500;

/** How far a cursor may stay behind events that do not concern its webhook, so that these cost hardly a write. */
const farBehind = 5_000;

/** Sees what is to be sent, and has it sent. */
export class WebhookWatch {
  readonly #parts: WatchParts;
  /** Numbers of events up to which none concerns a webhook, behind its cursor. */
  readonly #seen = new Map<number, number>();
  #looking: Promise<void> | undefined;
  #again = false;
  #looked = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #away = false;
  #end: (() => void) | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Looks at each commit that leaves an event, and every few seconds. Answers what ends that. */
  start(): () => Promise<void> {
    const { signal, bell, poll } = this.#parts;
    const endListening = signal.listen(() => {
      bell.ring();
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

  /** Looks soon, once for all that ask meanwhile; not at all where it was not started. */
  look(): void {
    if (this.#end === undefined) return;
    if (this.#looking !== undefined) {
      this.#again = true;
      return;
    }
    clearTimeout(this.#timer);
    const wait = this.#looked + interval - performance.now();
    if (wait > 0) {
      this.#timer = setTimeout(() => this.look(), wait).unref();
      return;
    }
    this.#again = false;
    this.#looked = performance.now();
    this.#looking = this.lookNow()
      .then(() => {
        this.#away = false;
      })
      .catch((error: unknown) => {
        if (!this.#away) this.#parts.logger.warn({ err: error }, 'webhooks cannot be looked at');
        this.#away = true;
      })
      .finally(() => {
        this.#looking = undefined;
        if (this.#again) this.look();
      });
  }

  /** Has everything sent that is to be sent now, where nobody does. */
  async lookNow(): Promise<void> {
    const { lanes, events, enqueue, unreadable } = this.#parts;
    const idle = (await lanes.idle()).filter(({ id }) => !unreadable.leaves(id));
    for (const id of this.#seen.keys()) if (!idle.some((each) => each.id === id)) this.#seen.delete(id);
    if (idle.length === 0) return;
    await events.settle();
    for (const webhook of idle) if (webhook.due || (await this.#isBehind(webhook))) await enqueue(webhook.id);
  }

  /** Whether there are events that concern a webhook, and that nobody has looked at for it. */
  async #isBehind(webhook: IdleWebhook): Promise<boolean> {
    const { events, deliveries } = this.#parts;
    const { id, cursor } = webhook;
    let place = Math.max(cursor, this.#seen.get(id) ?? 0);
    for (;;) {
      const found = await events.after(place, batch);
      if (found.some((event) => concerns(webhook, event)))
        return (await deliveries.waiting(id, mostWaiting)) < mostWaiting;
      place = found.at(-1)?.number ?? place;
      if (found.length < batch) break;
      // Reads of SQLite end among microtasks: requests get a turn of the event loop between two batches.
      await nextTurn();
    }
    this.#seen.set(id, place);
    if (place - cursor >= farBehind) await deliveries.add(id, cursor, place, [], () => '');
    return false;
  }
}
