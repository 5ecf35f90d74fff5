import type { Logger } from 'pino';
import type { SecretBox } from '../auth/secret-box.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { EventSignal } from '../events/signal.ts';
import { type Clock, toTimestamp } from '../kernel/clock.ts';
import type { Outbox } from '../service/jobs/outbox.ts';
import { createDeliveries } from '../service/webhooks/deliveries.ts';
import {
  createDeliveryAdministration,
  type DeliveryAdministration,
} from '../service/webhooks/delivery-administration.ts';
import { deliveryStates } from '../service/webhooks/entity.ts';
import { createWebhookLeases } from '../service/webhooks/leases.ts';
import type { DeliveryOutcome } from '../service/webhooks/settlement.ts';
import { createWebhookStore, type WebhookStore } from '../service/webhooks/webhooks.ts';
import { isWebhookUrl } from './address.ts';
import { AsyncSignal } from './async-signal.ts';
import { createMessages, type MessageParts } from './message.ts';
import { createRunner, type RunnerTimes, runnerTimes } from './runner.ts';
import { createSend, type Sent } from './send.ts';
import { newMessageId, newWebhookSecret, signedHeaders } from './signature.ts';
import { UnreadableSecrets } from './unreadable.ts';
import { WebhookWatch } from './watch.ts';

/** Names of the service's jobs that send for a webhook, and that remove the data of a deleted one. */
export const sendingJob = 'send-webhook';
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
  readonly logger: Logger;
  readonly times?: Partial<WebhookTimes> | undefined;
}

/** Sends events to receivers by HTTP. */
export interface Webhooks {
  readonly store: WebhookStore;
  readonly deliveries: DeliveryAdministration;
  /** A new secret for the receiver, and sealed for the database. */
  newSecret(): { readonly secret: string; readonly sealed: string };
  /** Seals secrets again that were sealed under a former server secret. Returns their number. */
  renewSecrets(): Promise<number>;
  /** Whether a webhook may use a URL. */
  isAllowedUrl(url: string): boolean;
  /** Number of the last event that was committed before the call. */
  latest(): Promise<number>;
  /** Sends a test message without an event; undefined where the webhook's secret cannot be read. */
  test(id: number, signal: AbortSignal): Promise<Sent | undefined>;
  /** Has the deliveries of a webhook removed, some at a time, once the transaction that deletes it is over. */
  purge(id: number, transaction: Transaction): Promise<unknown>;
  /** Wakes the worker that removes them. */
  wake(): void;
  /** Stores jobs for all webhooks with something to send that are not being worked on. */
  look(): Promise<void>;
  /** Sends for one webhook, for one turn. */
  run(id: number, signal: AbortSignal): Promise<void>;
  /** Number of attempts by this process since its start, by their states. */
  readonly outcomes: ReadonlyMap<DeliveryOutcome['state'], number>;
  /** Starts to look for webhooks with something to send; returns a function that stops it. */
  watch(): () => Promise<void>;
}

export const createWebhooks = (parts: WebhookParts): Webhooks => {
  const { database, clock, events, secrets, allowPrivate, logger, jobs, signal } = parts;
  const times = { ...webhookTimes, ...parts.times };
  const leases = createWebhookLeases(database);
  const deliveries = createDeliveries({ database, clock });
  const newEvents = new AsyncSignal();
  const unreadable = new UnreadableSecrets(times.unreadable);
  const send = createSend({ allowPrivate, timeout: times.timeout });
  const messageOf = createMessages(parts);
  const store = createWebhookStore({ database });
  const enqueue = async (id: number): Promise<void> => {
    // A waiting job also sends later events; a running one looks again before its end.
    await jobs.outbox.add({ name: sendingJob, key: String(id), input: { webhook: id }, at: undefined });
    jobs.wake();
  };
  const watch = new WebhookWatch({
    ...{ leases, deliveries, events, signal, newEvents, unreadable, enqueue, logger },
    poll: times.poll,
  });
  const outcomes = new Map(deliveryStates.map((state) => [state, 0]));
  const run = createRunner({
    onAttempt: (state) => outcomes.set(state, (outcomes.get(state) ?? 0) + 1),
    leases,
    deliveries,
    events,
    messageOf,
    send,
    secrets,
    unreadable,
    newEvents,
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
    isAllowedUrl: (url) => isWebhookUrl(url, allowPrivate),
    latest: async () => {
      await events.settle();
      return (await events.range()).last;
    },
    test: async (id, stop) => {
      const { url, secret } = await store.get(id);
      const opened = secrets.open(secret);
      if (opened === undefined) return undefined;
      const now = clock();
      const body = JSON.stringify({ type: 'webhook.test', timestamp: toTimestamp(now), data: {} });
      const headers = signedHeaders([opened], newMessageId(), Math.floor(now / 1_000), body);
      return send(url, headers, body, stop);
    },
    purge: (id, transaction) =>
      jobs.outbox.add({ name: removalJob, key: null, input: { webhook: id }, at: undefined }, transaction),
    wake: () => jobs.wake(),
    look: () => watch.lookNow(),
    run: async (id, stop) => {
      try {
        await run(id, stop);
      } catch (error) {
        // The next look finds due deliveries again: a job that waits for its retry would block it.
        logger.warn({ err: error, webhook: id }, 'sending to a webhook was interrupted');
      }
      watch.look();
    },
    outcomes,
    watch: () => watch.start(),
  };
};
