import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { SecretBox } from '../auth/secret-box.ts';
import { maxRetryAfterMs, webhookLeaseMs, webhookRestMs } from '../database/tables/webhook-tables.ts';
import type { AsyncSignal } from '../events/signal.ts';
import type { Clock } from '../kernel/clock.ts';
import type { EventLog, RecordedEvent } from '../service/events/event-log.ts';
import type {
  ClaimedDelivery,
  Deliveries,
  DeliveryOutcome,
  KeptAttempt,
  LeasedWebhook,
  SettledAttempt,
  WebhookLeases,
} from '../service/webhooks/deliveries.ts';
import { urlInAudit } from '../service/webhooks/webhooks.ts';
import {
  type MessageReader,
  type Messages,
  newMessageId,
  type SendMessage,
  type Sent,
  signedHeaders,
} from './send.ts';

/** Whether a webhook subscribes to an event. */
export const subscribesTo = (
  { models, actions }: { readonly models: readonly string[]; readonly actions: readonly string[] },
  { model, action }: Pick<RecordedEvent, 'model' | 'action'>,
): boolean => models.includes(model) && actions.includes(action);

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Milliseconds to wait after each failed attempt but the last: 8 attempts over some 28 hours. */
export const retryDelays: readonly number[] = [
  ...[5 * second, 5 * minute, 30 * minute],
  ...[2 * hour, 5 * hour, 10 * hour, 10 * hour],
];

/** The random part of a wait, so that deliveries that failed at the same time do not retry at the same time. */
const jitter = 0.1;

/** Milliseconds of a `Retry-After` header (RFC 9110, 10.2.3), at most a day; 0 for an invalid one. */
export const retryAfterDelay = (header: string | undefined, now: number): number => {
  if (header === undefined) return 0;
  const asked = /^\d{1,9}$/.test(header) ? Number(header) * second : Date.parse(header) - now;
  return asked > 0 ? Math.min(asked, maxRetryAfterMs) : 0;
};

/**
 * Milliseconds until the next attempt after `attempts` of them; undefined after the last one. A receiver's
 * `Retry-After` can only make the wait longer.
 * @param random from 0 to 1
 */
export const nextDelay = (attempts: number, asked: number, random = Math.random()): number | undefined => {
  const delay = retryDelays[attempts - 1];
  return delay === undefined
    ? undefined
    : Math.round(Math.max(delay * (1 - jitter + 2 * jitter * random), asked));
};

/** Times in milliseconds, and `parallel`; tests may replace them. */
export interface RunnerTimes {
  /** Duration of a turn, after which other webhooks are sent to, so that slow receivers do not delay them. */
  readonly turn: number;
  /** Lease of a webhook, and of each delivery that is being sent. */
  readonly leaseMs: number;
  /** Pause of a receiver that has failed `brakeFailures` times in a row. */
  readonly rest: number;
  /** Messages that are sent to one webhook at the same time, each about another record. */
  readonly parallel: number;
  /**
   * Time after which a webhook is disabled whose secret this process cannot open. Another process may have a newer
   * server secret, which this one receives soon.
   */
  readonly unreadable: number;
}

export const runnerTimes: RunnerTimes = {
  turn: 5_000,
  leaseMs: webhookLeaseMs,
  rest: webhookRestMs,
  parallel: 10,
  unreadable: 600_000,
};

/** Consecutive failures after which a webhook gets one attempt at a time, with a pause after each. */
const brakeFailures = 10;

/** Events that are read at a time. */
export const eventBatchSize = 500;

/** Maximum number of waiting deliveries of a webhook; further events stay in the log. */
export const maxWaitingDeliveries = 10_000;

export interface RunnerParts {
  readonly leases: WebhookLeases;
  readonly deliveries: Deliveries;
  readonly events: EventLog;
  readonly messages: Messages;
  readonly send: SendMessage;
  readonly secrets: SecretBox;
  readonly unreadable: UnreadableSecrets;
  /** Notified of new events. */
  readonly newEvents: AsyncSignal;
  /** Called with the state of each attempt once it is stored. */
  readonly onAttempt: (state: DeliveryOutcome['state']) => void;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly times: RunnerTimes;
}

const attemptOf = (
  requestHeaders: Readonly<Record<string, string>>,
  requestBody: string,
  sent: Sent,
): KeptAttempt => ({ requestHeaders, requestBody, ...sent });

/** The outcome of an attempt: 2xx is a success, 410 means that the receiver wants no more messages. */
export const outcomeOf = (attempt: KeptAttempt, attempts: number, now: number): DeliveryOutcome => {
  const { status = 0, error, headers } = attempt;
  if (error === undefined && status >= 200 && status < 300) return { state: 'delivered', attempt };
  if (status === 410) return { state: 'failed', attempt, disable: 'gone' };
  const delay = nextDelay(attempts, retryAfterDelay(headers?.['retry-after'], now));
  return delay === undefined
    ? { state: 'failed', attempt, disable: 'failed' }
    : { state: 'waiting', attempt, delay };
};

/** Milliseconds for which a process pauses a webhook whose secret it could not open. */
const pauseMs = 1_000;

/** Since when a secret cannot be opened, and until when its webhook is paused. */
interface UnreadableSecret {
  readonly since: number;
  readonly until: number;
}

/**
 * Webhooks whose secrets this process cannot open. It pauses them for itself, without their leases, since another
 * process may have the server secret under which they were sealed.
 */
export class UnreadableSecrets {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #seen = new Map<number, UnreadableSecret>();

  /** @param limit milliseconds after which the webhook is disabled */
  constructor(limit: number, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Whether this process does not try to send for a webhook now. */
  isPaused(id: number): boolean {
    const pause = this.#seen.get(id);
    return pause !== undefined && this.#now() < pause.until;
  }

  /** Records that the secret could not be opened. Returns whether that has lasted longer than the limit. */
  failed(id: number): boolean {
    const now = this.#now();
    const since = this.#seen.get(id)?.since ?? now;
    if (now - since >= this.#limit) {
      this.#seen.delete(id);
      return true;
    }
    this.#seen.set(id, { since, until: now + Math.min(pauseMs, this.#limit) });
    return false;
  }

  opened(id: number): void {
    this.#seen.delete(id);
  }
}

/** One turn of sending for a webhook. */
class Turn {
  readonly #parts: RunnerParts;
  readonly #webhook: LeasedWebhook;
  readonly #reader: MessageReader;
  readonly #secrets: () => readonly string[];
  readonly #signal: AbortSignal;
  readonly #running = new Set<Promise<void>>();
  readonly #ended: (SettledAttempt & { readonly stored: PromiseWithResolvers<boolean> })[] = [];
  #storing = false;
  #failures: number;
  #until: number;
  #thrown: { readonly error: unknown } | undefined;

  constructor(
    parts: RunnerParts,
    webhook: LeasedWebhook,
    reader: MessageReader,
    secrets: () => readonly string[],
    signal: AbortSignal,
  ) {
    this.#parts = parts;
    this.#webhook = webhook;
    this.#reader = reader;
    this.#secrets = secrets;
    this.#signal = signal;
    this.#failures = webhook.failures;
    this.#until = performance.now() + parts.times.turn;
  }

  get braked(): boolean {
    return this.#failures >= brakeFailures;
  }

  /** Starts no further attempts. */
  end(): void {
    this.#until = 0;
  }

  /** Sends due deliveries until there are none, or the turn is over. */
  async run(): Promise<void> {
    const { newEvents } = this.#parts;
    for (;;) {
      const notified = newEvents.next();
      const most = this.braked ? 1 : this.#parts.times.parallel;
      const room = most - this.#running.size;
      // Claim several at a time: each claim costs a write.
      const open = room * 2 >= most && !this.#signal.aborted && performance.now() < this.#until;
      const begun = open ? await this.#begin(room) : 0;
      if (open && begun < room && (await this.#addDeliveries())) continue;
      if (this.#running.size === 0) break;
      await Promise.race([...this.#running, ...(open ? [notified] : [])]);
    }
    if (this.#thrown !== undefined) throw this.#thrown.error;
  }

  async #begin(room: number): Promise<number> {
    const { id, lease } = this.#webhook;
    const { deliveries, times } = this.#parts;
    const claimed = await deliveries.claim(id, lease, room, times.leaseMs, this.braked);
    for (const delivery of claimed) {
      const sending = this.#deliver(delivery)
        .catch((error: unknown) => {
          this.#thrown ??= { error };
          this.#until = 0;
        })
        .finally(() => this.#running.delete(sending));
      this.#running.add(sending);
    }
    return claimed.length;
  }

  /** Adds deliveries for new events of the log. Returns whether there may be something to send. */
  async #addDeliveries(): Promise<boolean> {
    const { deliveries, events, messages } = this.#parts;
    const { id } = this.#webhook;
    // Reads of SQLite end among microtasks: let requests have a turn of the event loop between two batches.
    await nextTurn();
    await events.settle();
    const cursor = await deliveries.cursor(id);
    if (cursor === undefined || (await deliveries.waiting(id, maxWaitingDeliveries)) >= maxWaitingDeliveries)
      return false;
    const found = await events.after(cursor, eventBatchSize);
    const last = found.at(-1);
    if (last === undefined) return false;
    const subscribed = found.filter((event) => subscribesTo(this.#webhook, event));
    const delivered = await messages.delivered(subscribed, this.#reader);
    return deliveries.add(this.#webhook, cursor, last.number, delivered, newMessageId);
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { deliveries, messages, clock } = this.#parts;
    const message = await messages.messageOf(delivery.event, this.#reader);
    if ('skipped' in message) {
      await this.#settle(delivery, { state: 'skipped', error: message.skipped });
      return;
    }
    const seconds = Math.floor(clock() / 1_000);
    const headers = signedHeaders(this.#secrets(), delivery.message, seconds, message.body);
    const sent = await this.#parts.send(this.#webhook.url, headers, message.body, this.#signal);
    // The stop of the process cut the attempt off: it says nothing about the receiver.
    if (this.#signal.aborted && sent.error !== undefined) return deliveries.release(delivery);
    const outcome = outcomeOf(attemptOf(headers, message.body, sent), delivery.attempts, clock());
    if (await this.#settle(delivery, outcome)) this.#note(delivery, outcome);
  }

  /** Stores the outcome of an attempt, in one batch with others that end during the previous write. */
  #settle(delivery: ClaimedDelivery, outcome: DeliveryOutcome): Promise<boolean> {
    const stored = Promise.withResolvers<boolean>();
    this.#ended.push({ delivery, outcome, stored });
    if (!this.#storing) void this.#store();
    return stored.promise;
  }

  async #store(): Promise<void> {
    this.#storing = true;
    for (;;) {
      await nextTurn();
      const ended = this.#ended.splice(0);
      if (ended.length === 0) break;
      try {
        const stored = await this.#parts.deliveries.settle(this.#webhook.id, ended);
        for (const [index, each] of ended.entries()) {
          if (stored[index] === true) this.#parts.onAttempt(each.outcome.state);
          each.stored.resolve(stored[index] === true);
        }
      } catch (error) {
        for (const each of ended) each.stored.reject(error);
      }
    }
    this.#storing = false;
  }

  #note(delivery: ClaimedDelivery, outcome: DeliveryOutcome): void {
    if (outcome.state === 'delivered' || outcome.state === 'skipped') {
      this.#failures = 0;
      return;
    }
    const braked = this.braked;
    this.#failures += 1;
    if (braked || outcome.state === 'failed') this.#until = 0;
    const { status, error } = outcome.attempt;
    const line = {
      webhook: this.#webhook.id,
      delivery: delivery.id,
      attempt: delivery.attempts,
      status,
      error,
    };
    if (outcome.state === 'waiting')
      this.#parts.logger.info(
        { ...line, seconds: Math.round(outcome.delay / 1000) },
        'a delivery has failed',
      );
    else logDisabled(this.#parts.logger, this.#webhook, outcome.disable, line);
  }
}

const logDisabled = (logger: Logger, { id, url }: LeasedWebhook, reason: string, line = {}): void =>
  logger.error({ ...line, webhook: id, url: urlInAudit(url), reason }, 'a webhook was disabled');

/** Creates the function that sends for webhooks, each in one process at a time. */
export const createRunner = (parts: RunnerParts) => {
  const { leases, deliveries, secrets, unreadable, clock, logger, times } = parts;

  /**
   * Returns a function for the secrets that currently sign, the current one first; undefined where they cannot be
   * read.
   */
  const openSecrets = (webhook: LeasedWebhook): (() => readonly string[]) | undefined => {
    const { secret, previousSecret, previousUntil } = webhook;
    const current = secrets.open(secret);
    if (current === undefined) return undefined;
    const until = previousUntil === null ? 0 : Date.parse(previousUntil);
    const previous = previousSecret !== null && until > clock() ? secrets.open(previousSecret) : undefined;
    return () => (previous !== undefined && until > clock() ? [current, previous] : [current]);
  };

  const disable = async (webhook: LeasedWebhook, reason: 'no_user' | 'secret_unreadable'): Promise<void> => {
    if (await deliveries.disable(webhook.id, reason)) logDisabled(logger, webhook, reason);
  };

  /** Extends the lease of a webhook during its turn, which may outlast it because of slow statements. */
  const runWithLease = async (webhook: LeasedWebhook, turn: Turn): Promise<void> => {
    const extend = async (): Promise<void> => {
      if (await leases.extend(webhook, times.leaseMs)) return;
      turn.end();
      logger.info({ webhook: webhook.id }, 'a webhook was taken over or disabled: its turn ends');
    };
    const timer = setInterval(() => {
      extend().catch((error: unknown) =>
        logger.warn({ err: error, webhook: webhook.id }, 'the lease of a webhook was not extended'),
      );
    }, times.leaseMs / 3);
    try {
      await turn.run();
    } finally {
      clearInterval(timer);
    }
  };

  /** Sends due deliveries of a webhook for one turn; does nothing if another process holds the lease. */
  return async (id: number, signal: AbortSignal): Promise<void> => {
    if (unreadable.isPaused(id)) return;
    const webhook = await leases.take(id, randomUUID(), times.leaseMs);
    if (webhook === undefined) return;
    let rest = 0;
    try {
      const signingSecrets = openSecrets(webhook);
      if (signingSecrets === undefined) {
        if (unreadable.failed(webhook.id)) await disable(webhook, 'secret_unreadable');
        return;
      }
      unreadable.opened(webhook.id);
      const { userId, managed } = webhook;
      if (userId === null) return await disable(webhook, 'no_user');
      const turn = new Turn(parts, webhook, { userId, managed }, signingSecrets, signal);
      try {
        await runWithLease(webhook, turn);
      } finally {
        if (turn.braked) rest = times.rest;
      }
    } finally {
      await leases.release(webhook, rest);
    }
  };
};
