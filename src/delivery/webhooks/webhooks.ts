/**
 * The webhooks of a service: finds webhooks with something to send, and has the operations of their endpoints and jobs.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { SecretBox } from '../../auth/secret-box.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { type Clock, toTimestamp } from '../../kernel/clock.ts';
import type { Outbox } from '../../ledger/outbox.ts';
import { type EventSignal, eventBatchSize, RecentEvents } from '../events/signal.ts';
import {
  Deliveries,
  type DeliveryOutcome,
  DeliverySettlement,
  type EnabledWebhook,
  type Subscription,
  sendingJob,
  WebhookLeases,
} from './deliveries.ts';
import { createDeliveryAdministration, type DeliveryAdministration } from './delivery-administration.ts';
import { deliveryStates } from './entity.ts';
import {
  type RunnerTimes,
  runnerTimes,
  subscribesTo,
  type TurnEnd,
  UnreadableSecrets,
  WebhookRunner,
} from './runner.ts';
import {
  createMessages,
  createSend,
  isWebhookUrl,
  type MessageParts,
  newMessageId,
  newWebhookSecret,
  type SendMessage,
  type Sent,
  signedHeaders,
} from './send.ts';
import { createWebhookStore, type WebhookStore } from './store.ts';

// Finding webhooks with something to send

interface WatchParts {
  readonly leases: WebhookLeases;
  readonly deliveries: Deliveries;
  readonly recent: RecentEvents;
  readonly signal: EventSignal;
  readonly unreadable: UnreadableSecrets;
  /** Stores a job that sends for a webhook, unless one waits already. */
  readonly enqueue: (webhook: number) => Promise<unknown>;
  readonly logger: Logger;
  /** Milliseconds between two polls, and so the longest delay of a due attempt. */
  readonly poll: number;
  /** Jobs that a process sends with at the same time. */
  readonly places: number;
}

/** Minimum time between two reads of new events, in milliseconds. */
const minReadIntervalMs = 100;

/**
 * Maximum number of events by which a cursor stays behind if its webhook subscribes to none of them: it saves writes.
 */
const maxCursorLag = 5_000;

/**
 * Limits the webhooks that are sent for at the same time. A user's own webhooks have half of the places of a process.
 * All failing webhooks have half of them too: one of them counts against every webhook of its owner. A webhook of an
 * administrator counts for itself.
 */
class SendingShares {
  readonly #share: number;
  readonly #failing: ReadonlySet<string>;
  readonly #taken = new Map<string, number>();

  constructor(places: number, webhooks: readonly EnabledWebhook[]) {
    this.#share = Math.max(1, Math.floor(places / 2));
    this.#failing = new Set(webhooks.filter(({ failing }) => failing).map(ownerOf));
    for (const webhook of webhooks) if (webhook.busy) this.take(webhook);
  }

  isFailing(webhook: EnabledWebhook): boolean {
    return this.#failing.has(ownerOf(webhook));
  }

  hasRoom(webhook: EnabledWebhook): boolean {
    return this.#sharesOf(webhook).every((share) => (this.#taken.get(share) ?? 0) < this.#share);
  }

  take(webhook: EnabledWebhook): void {
    for (const share of this.#sharesOf(webhook)) this.#taken.set(share, (this.#taken.get(share) ?? 0) + 1);
  }

  #sharesOf(webhook: EnabledWebhook): readonly string[] {
    return this.isFailing(webhook) ? [ownerOf(webhook), 'failing'] : [ownerOf(webhook)];
  }
}

const ownerOf = ({ id, owner }: EnabledWebhook): string =>
  owner === undefined ? `webhook ${id}` : `user ${owner}`;

const subscriptionOf = ({ models, actions }: Subscription): string => `${models} ${actions}`;

/** Finds webhooks with something to send, and stores jobs for them. */
class WebhookWatch {
  readonly #parts: WatchParts;
  /** The last event that was read beyond the cursor of a webhook: its subscription has none up to it. */
  readonly #readTo = new Map<number, { readonly subscription: string; readonly place: number }>();
  /** Webhooks that had as many waiting deliveries as they may have when their last turn ended. */
  readonly #full = new Set<number>();
  /** True if the last look passed over a webhook that has a sender, or for which there was no room. */
  #hasPassedOver = false;
  #looking: Promise<void> | undefined;
  #again = false;
  #looked = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isUnavailable = false;
  #end: (() => void) | undefined;

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  /** Looks after each commit with an event, and every few seconds. Returns a function that stops it. */
  start(): () => Promise<void> {
    const { signal, recent, poll } = this.#parts;
    const endListening = recent.follow(signal, () => this.look());
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
    const wait = this.#looked + minReadIntervalMs - performance.now();
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

  /**
   * Called when the turn of a webhook has ended: looks where it may have left something, or a webhook waits for room.
   */
  ended(id: number, { hasMore, isFull }: TurnEnd): void {
    if (isFull) this.#full.add(id);
    else this.#full.delete(id);
    if (hasMore || this.#hasPassedOver) this.look();
  }

  /** Stores a job for each webhook that has something to send and no sender. */
  async lookNow(): Promise<void> {
    const { leases, enqueue, unreadable, places } = this.#parts;
    // A turn may end before this look has.
    this.#hasPassedOver = true;
    const webhooks = (await leases.enabled()).filter(({ id }) => !unreadable.isPaused(id));
    const free = webhooks.filter((webhook) => webhook.free);
    const known = new Set(free.map(({ id }) => id));
    for (const id of this.#readTo.keys()) if (!known.has(id)) this.#readTo.delete(id);
    const shares = new SendingShares(places, webhooks);
    const failing = free.filter((webhook) => shares.isFailing(webhook));
    const others = free.filter((webhook) => !shares.isFailing(webhook));
    let hasPassedOver = webhooks.some(({ busy }) => busy);
    for (const webhook of [...others, ...failing]) {
      if (!shares.hasRoom(webhook)) {
        hasPassedOver = true;
        continue;
      }
      if (!webhook.due && !(await this.#isBehind(webhook))) continue;
      shares.take(webhook);
      await enqueue(webhook.id);
    }
    this.#hasPassedOver = hasPassedOver;
  }

  /** Tells whether a webhook may have further deliveries, and there are events for them. */
  async #isBehind(webhook: EnabledWebhook): Promise<boolean> {
    const { recent, deliveries } = this.#parts;
    const { id, cursor } = webhook;
    const subscription = subscriptionOf(webhook);
    const read = this.#readTo.get(id);
    let place = read?.subscription === subscription ? Math.max(cursor, read.place) : cursor;
    for (;;) {
      const found = await recent.after(place);
      if (found.some((event) => subscribesTo(webhook, event)))
        return !this.#full.has(id) || !(await deliveries.isFull(id));
      place = found.at(-1)?.number ?? place;
      if (found.length < eventBatchSize) break;
      // Reads of SQLite end among microtasks: let requests have a turn of the event loop between two batches.
      await nextTurn();
    }
    this.#readTo.set(id, { subscription, place });
    if (place - cursor >= maxCursorLag) await deliveries.skip(webhook, cursor, place);
    return false;
  }
}

// The webhooks of a service

/** Name of the service's job that removes the data of a deleted webhook. */
export const removalJob = 'purge-webhook';

/** Times in milliseconds, and `parallel`; tests may replace them. */
export interface WebhookTimes extends RunnerTimes {
  /** Maximum time between two looks for due deliveries. */
  readonly poll: number;
  /** Timeout of a whole attempt. */
  readonly timeout: number;
}

const webhookTimes: WebhookTimes = { ...runnerTimes, poll: 5_000, timeout: 10_000 };

export interface WebhookParts extends MessageParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly signal: EventSignal;
  readonly secrets: SecretBox;
  readonly allowPrivate: boolean;
  readonly jobs: { readonly outbox: Pick<Outbox, 'add'>; wake(): void };
  /** Jobs that a process sends with at the same time. */
  readonly places: number;
  readonly logger: Logger;
  readonly times?: Partial<WebhookTimes> | undefined;
}

/** Sends events to receivers by HTTP. */
export interface Webhooks {
  readonly store: WebhookStore;
  readonly deliveries: DeliveryAdministration;
  /** Creates a secret: as the receiver gets it, and sealed for the database. */
  newSecret(): { readonly secret: string; readonly sealed: string };
  /** Seals secrets again that were sealed under a former server secret. Returns their number. */
  renewSecrets(): Promise<number>;
  /** Tells whether a webhook may use a URL. */
  isAllowedUrl(url: string): boolean;
  /** Number of the last event that was committed before the call. */
  latest(): Promise<number>;
  /** Sends a test message without an event; undefined where the webhook's secret cannot be read. */
  test(id: number, signal: AbortSignal): Promise<Sent | undefined>;
  /** Adds a job that removes the deliveries of a webhook, which the transaction deletes. */
  purge(id: number, transaction: Transaction): Promise<unknown>;
  /** Wakes the worker that removes them. */
  wake(): void;
  /** Stores a job for each webhook that has something to send and no sender. */
  look(): Promise<void>;
  /** Sends for one webhook, for one turn. */
  run(id: number, signal: AbortSignal): Promise<void>;
  /** Numbers of attempts that this process has settled, by outcome. */
  readonly outcomes: ReadonlyMap<DeliveryOutcome['state'], number>;
  /** Starts looking for webhooks with something to send; returns a function that stops it. */
  watch(): () => Promise<void>;
}

/** Sends a test message without an event; returns undefined where the webhook's secret cannot be read. */
const sendTest = async (
  { secrets, clock }: WebhookParts,
  send: SendMessage,
  { url, secret }: { readonly url: string; readonly secret: string },
  stop: AbortSignal,
): Promise<Sent | undefined> => {
  const opened = secrets.open(secret);
  if (opened === undefined) return undefined;
  const now = clock();
  const body = JSON.stringify({ type: 'webhook.test', timestamp: toTimestamp(now), data: {} });
  const headers = signedHeaders([opened], newMessageId(), Math.floor(now / 1_000), body);
  return send(url, headers, body, stop);
};

export const createWebhooks = (parts: WebhookParts): Webhooks => {
  const { database, clock, events, secrets, allowPrivate, logger, jobs, signal } = parts;
  const times = { ...webhookTimes, ...parts.times };
  const leases = new WebhookLeases(database);
  const deliveries = new Deliveries({ database, clock });
  const recent = new RecentEvents(events);
  const unreadable = new UnreadableSecrets(times.unreadable);
  const send = createSend({ allowPrivate, timeout: times.timeout });
  const messages = createMessages(parts);
  const store = createWebhookStore({ database });
  const enqueue = async (id: number): Promise<void> => {
    // A waiting job also sends later events; a running one looks again before its end.
    await jobs.outbox.add({ name: sendingJob, key: String(id), input: { webhook: id }, at: undefined });
    jobs.wake();
  };
  const watch = new WebhookWatch({
    leases,
    deliveries,
    recent,
    signal,
    unreadable,
    enqueue,
    logger,
    poll: times.poll,
    places: parts.places,
  });
  const outcomes = new Map(deliveryStates.map((state) => [state, 0]));
  const runner = new WebhookRunner({
    onAttempt: (state) => outcomes.set(state, (outcomes.get(state) ?? 0) + 1),
    leases,
    deliveries,
    settlement: new DeliverySettlement({ database, clock }),
    recent,
    messages,
    send,
    secrets,
    unreadable,
    clock,
    logger,
    times,
  });
  return {
    store,
    deliveries: createDeliveryAdministration({ database, clock }),
    newSecret: () => {
      const secret = newWebhookSecret();
      return { secret, sealed: secrets.seal(secret) };
    },
    renewSecrets: () => store.renewSecrets((sealed) => secrets.renew(sealed)),
    // The parser of URLs would leave these characters out of what is stored.
    isAllowedUrl: (url) => !/[\s\p{Cc}\\]/u.test(url) && isWebhookUrl(url, allowPrivate),
    latest: async () => {
      await events.settle();
      return (await events.range()).last;
    },
    test: async (id, stop) => sendTest(parts, send, await store.get(id), stop),
    purge: (id, transaction) =>
      jobs.outbox.add({ name: removalJob, key: null, input: { webhook: id }, at: undefined }, transaction),
    wake: () => jobs.wake(),
    look: () => watch.lookNow(),
    run: async (id, stop) => {
      try {
        watch.ended(id, await runner.run(id, stop));
      } catch (error) {
        // The next look finds due deliveries again: a job that waits for its retry would block it.
        logger.warn({ err: error, webhook: id }, 'sending to a webhook was interrupted');
        watch.look();
      }
    },
    outcomes,
    watch: () => watch.start(),
  };
};
