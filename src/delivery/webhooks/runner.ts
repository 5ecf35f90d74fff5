/**
 * One turn of sending for a webhook: takes its lease, adds deliveries for new events, sends those that are due, and
 * stores the outcomes.
 */

import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { SecretBox } from '../../auth/secret-box.ts';
import { maxRetryAfterMs, webhookLeaseMs, webhookRestMs } from '../../database/tables.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { RecordedEvent } from '../../ledger/event-log.ts';
import type { RecentEvents } from '../events/signal.ts';
import {
  type ClaimedDelivery,
  type Deliveries,
  type DeliveryOutcome,
  type DeliverySettlement,
  type KeptAttempt,
  type LeasedWebhook,
  maxWaitingDeliveries,
  notSettled,
  type SettledAttempt,
  type Settlement,
  type WebhookLeases,
} from './deliveries.ts';
import {
  type MessageReader,
  type Messages,
  newMessageId,
  type SendMessage,
  type Sent,
  signedHeaders,
} from './send.ts';
import { urlInAudit } from './store.ts';

/** Tells whether a webhook subscribes to an event. */
export const subscribesTo = (
  { models, actions }: { readonly models: readonly string[]; readonly actions: readonly string[] },
  { model, action }: Pick<RecordedEvent, 'model' | 'action'>,
): boolean => models.includes(model) && actions.includes(action);

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Milliseconds to wait after each failed attempt but the last: 8 attempts over some 28 hours. */
export const retryDelays: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  10 * hour,
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

export interface RunnerParts {
  readonly leases: WebhookLeases;
  readonly deliveries: Deliveries;
  readonly settlement: DeliverySettlement;
  readonly recent: RecentEvents;
  readonly messages: Messages;
  readonly send: SendMessage;
  readonly secrets: SecretBox;
  readonly unreadable: UnreadableSecrets;
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

/** The time since which a secret cannot be opened, and the end of the pause of its webhook. */
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

  /** Tells whether this process does not try to send for a webhook now. */
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

/** The secrets that sign now, the current one first. */
type SigningSecrets = () => readonly string[];

/** A webhook that can be sent to, with the user as whom its records are read. */
interface Sender {
  readonly webhook: LeasedWebhook;
  readonly reader: MessageReader;
  readonly secrets: SigningSecrets;
}

/** The end of a turn. */
export interface TurnEnd {
  /** True if there may be something to send: the turn ended before it was done, or a delivery is due. */
  readonly hasMore: boolean;
  /** True if the webhook has as many waiting deliveries as it may have. */
  readonly isFull: boolean;
}

const nothingSent: TurnEnd = { hasMore: false, isFull: false };

const logDisabled = (logger: Logger, { id, url }: LeasedWebhook, reason: string, line = {}): void =>
  logger.error({ ...line, webhook: id, url: urlInAudit(url), reason }, 'a webhook was disabled');

/** Stores outcomes of attempts; attempts that end during one write are the next batch. */
class Settling {
  readonly #parts: RunnerParts;
  readonly #webhook: number;
  readonly #ended: (SettledAttempt & { readonly settled: PromiseWithResolvers<Settlement> })[] = [];
  #isStoring = false;

  constructor(parts: RunnerParts, webhook: number) {
    this.#parts = parts;
    this.#webhook = webhook;
  }

  add(attempt: SettledAttempt): Promise<Settlement> {
    const settled = Promise.withResolvers<Settlement>();
    this.#ended.push({ ...attempt, settled });
    if (!this.#isStoring) void this.#store();
    return settled.promise;
  }

  async #store(): Promise<void> {
    this.#isStoring = true;
    for (;;) {
      await nextTurn();
      const ended = this.#ended.splice(0);
      if (ended.length === 0) break;
      try {
        const settlements = await this.#parts.settlement.settle(this.#webhook, ended);
        for (const [index, { outcome, settled }] of ended.entries()) {
          const settlement = settlements[index] ?? notSettled;
          if (settlement.isStored) this.#parts.onAttempt(outcome.state);
          settled.resolve(settlement);
        }
      } catch (error) {
        for (const { settled } of ended) settled.reject(error);
      }
    }
    this.#isStoring = false;
  }
}

/** One turn of sending for a webhook. */
class Turn {
  readonly #parts: RunnerParts;
  readonly #sender: Sender;
  readonly #signal: AbortSignal;
  readonly #settling: Settling;
  readonly #running = new Set<Promise<void>>();
  /** True if a delivery may be due that is not claimed. */
  #mayBeDue: boolean;
  /** Number of the last event that was read. */
  #cursor: number;
  /** Waiting deliveries. */
  #waiting: number;
  #failures: number;
  #until: number;
  #thrown: { readonly error: unknown } | undefined;

  constructor(parts: RunnerParts, sender: Sender, signal: AbortSignal) {
    const { webhook } = sender;
    this.#parts = parts;
    this.#sender = sender;
    this.#signal = signal;
    this.#settling = new Settling(parts, webhook.id);
    this.#mayBeDue = webhook.due;
    this.#cursor = webhook.cursor;
    this.#waiting = webhook.waiting;
    this.#failures = webhook.failures;
    this.#until = performance.now() + parts.times.turn;
  }

  get braked(): boolean {
    return this.#failures >= brakeFailures;
  }

  get #isFull(): boolean {
    return this.#waiting >= maxWaitingDeliveries;
  }

  /** Starts no further attempts. */
  end(): void {
    this.#until = 0;
  }

  /** Sends due deliveries until there are none, or the turn is over. */
  async run(): Promise<TurnEnd> {
    const { recent, times } = this.#parts;
    for (;;) {
      const notified = recent.next();
      const most = this.braked ? 1 : times.parallel;
      const room = most - this.#running.size;
      // Claim several at a time: each claim costs a write.
      const open = room * 2 >= most && !this.#signal.aborted && performance.now() < this.#until;
      if (open && (await this.#begin(room))) continue;
      if (this.#running.size === 0) {
        if (this.#thrown !== undefined) throw this.#thrown.error;
        return { hasMore: !open, isFull: this.#isFull };
      }
      await Promise.race(open ? [...this.#running, notified] : this.#running);
    }
  }

  /** Begins attempts at due deliveries, and at those of new events. Returns whether there may be more to send. */
  async #begin(room: number): Promise<boolean> {
    const left = this.#mayBeDue ? room - (await this.#claimDue(room)) : room;
    return left > 0 && this.#addDeliveries(left);
  }

  async #claimDue(room: number): Promise<number> {
    const { id, lease } = this.#sender.webhook;
    const { deliveries, times } = this.#parts;
    const claimed = await deliveries.claim(id, lease, room, times.leaseMs, this.braked);
    this.#mayBeDue = claimed.length === room;
    for (const delivery of claimed) this.#start(delivery);
    return claimed.length;
  }

  /** Adds deliveries for new events, and begins up to `room` of them. Returns whether there were events. */
  async #addDeliveries(room: number): Promise<boolean> {
    const { deliveries, recent, messages, times } = this.#parts;
    const { webhook, reader } = this.#sender;
    if (this.#isFull) return false;
    // Reads of SQLite end among microtasks: let requests have a turn of the event loop between two batches.
    await nextTurn();
    const found = await recent.after(this.#cursor);
    const last = found.at(-1);
    if (last === undefined) return false;
    const subscribed = found.filter((event) => subscribesTo(webhook, event));
    const events = await messages.delivered(subscribed, reader);
    const added = await deliveries.add(webhook, this.#cursor, last.number, events, {
      // A failing webhook gets its oldest delivery first.
      room: this.braked ? 0 : room,
      leaseMs: times.leaseMs,
      messageId: newMessageId,
    });
    if (added === undefined) {
      // The webhook is not as it was read: the next turn reads it again.
      this.end();
      return false;
    }
    this.#cursor = last.number;
    this.#waiting += events.length;
    this.#mayBeDue ||= added.hasMore;
    for (const delivery of added.claimed)
      this.#start(
        delivery,
        events.find(({ number }) => number === delivery.event),
      );
    return true;
  }

  /** @param event the event of the delivery, if it has just been read */
  #start(delivery: ClaimedDelivery, event?: RecordedEvent): void {
    const sending = this.#deliver(delivery, event)
      .catch((error: unknown) => {
        this.#thrown ??= { error };
        this.end();
      })
      .finally(() => this.#running.delete(sending));
    this.#running.add(sending);
  }

  async #deliver(delivery: ClaimedDelivery, event: RecordedEvent | undefined): Promise<void> {
    const { deliveries, messages, clock } = this.#parts;
    const { webhook, reader, secrets } = this.#sender;
    const message = await messages.messageOf(delivery.event, reader, event);
    if ('skipped' in message) {
      await this.#settle(delivery, { state: 'skipped', error: message.skipped });
      return;
    }
    const seconds = Math.floor(clock() / 1_000);
    const headers = signedHeaders(secrets(), delivery.message, seconds, message.body);
    const sent = await this.#parts.send(webhook.url, headers, message.body, this.#signal);
    // The stop of the process cut the attempt off: it says nothing about the receiver.
    if (this.#signal.aborted && sent.error !== undefined) return deliveries.release(delivery);
    const outcome = outcomeOf(attemptOf(headers, message.body, sent), delivery.attempts, clock());
    if (await this.#settle(delivery, outcome)) this.#note(delivery, outcome);
  }

  /** Stores the outcome of an attempt; returns false if another sender has claimed the delivery meanwhile. */
  async #settle(delivery: ClaimedDelivery, outcome: DeliveryOutcome): Promise<boolean> {
    const { isStored, nextIsDue } = await this.#settling.add({ delivery, outcome });
    if (isStored && outcome.state !== 'waiting') this.#waiting -= 1;
    this.#mayBeDue ||= nextIsDue;
    return isStored;
  }

  #note(delivery: ClaimedDelivery, outcome: DeliveryOutcome): void {
    const { logger } = this.#parts;
    const { webhook } = this.#sender;
    if (outcome.state === 'delivered' || outcome.state === 'skipped') {
      this.#failures = 0;
      return;
    }
    const braked = this.braked;
    this.#failures += 1;
    if (braked || outcome.state === 'failed') this.end();
    const { status, error } = outcome.attempt;
    const line = { webhook: webhook.id, delivery: delivery.id, attempt: delivery.attempts, status, error };
    if (outcome.state === 'failed') logDisabled(logger, webhook, outcome.disable, line);
    else logger.info({ ...line, seconds: Math.round(outcome.delay / 1000) }, 'a delivery has failed');
  }
}

/** Sends for webhooks, each in one process at a time. */
export class WebhookRunner {
  readonly #parts: RunnerParts;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
  }

  /** Sends due deliveries of a webhook for one turn; does nothing if another process holds the lease. */
  async run(id: number, signal: AbortSignal): Promise<TurnEnd> {
    const { leases, unreadable, times } = this.#parts;
    if (unreadable.isPaused(id)) return nothingSent;
    const webhook = await leases.take(id, randomUUID(), times.leaseMs);
    if (webhook === undefined) return nothingSent;
    let turn: Turn | undefined;
    let end = nothingSent;
    let isDue = false;
    try {
      const sender = await this.#senderFor(webhook);
      if (sender !== undefined) {
        turn = new Turn(this.#parts, sender, signal);
        using _lease = this.#extending(webhook, turn);
        end = await turn.run();
      }
    } finally {
      isDue = await leases.release(webhook, turn?.braked === true ? times.rest : 0);
    }
    return { ...end, hasMore: end.hasMore || isDue };
  }

  /** Returns undefined for a webhook that cannot be sent to now, and disables one that will never be. */
  async #senderFor(webhook: LeasedWebhook): Promise<Sender | undefined> {
    const { unreadable } = this.#parts;
    const { id, userId, managed } = webhook;
    const secrets = this.#openSecrets(webhook);
    if (secrets === undefined) {
      if (unreadable.failed(id)) await this.#disable(webhook, 'secret_unreadable');
      return undefined;
    }
    unreadable.opened(id);
    if (userId !== null) return { webhook, reader: { userId, managed }, secrets };
    await this.#disable(webhook, 'no_user');
    return undefined;
  }

  /** Returns undefined where the secrets cannot be read. */
  #openSecrets({ secret, previousSecret, previousUntil }: LeasedWebhook): SigningSecrets | undefined {
    const { secrets, clock } = this.#parts;
    const current = secrets.open(secret);
    if (current === undefined) return undefined;
    const until = previousUntil === null ? 0 : Date.parse(previousUntil);
    const previous = previousSecret !== null && until > clock() ? secrets.open(previousSecret) : undefined;
    return () => (previous !== undefined && until > clock() ? [current, previous] : [current]);
  }

  async #disable(webhook: LeasedWebhook, reason: 'no_user' | 'secret_unreadable'): Promise<void> {
    const { settlement, logger } = this.#parts;
    if (await settlement.disable(webhook.id, reason)) logDisabled(logger, webhook, reason);
  }

  /** Extends the lease of a webhook until it is disposed of: slow statements may make a turn outlast the lease. */
  #extending(webhook: LeasedWebhook, turn: Turn): Disposable {
    const { leases, logger, times } = this.#parts;
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
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }
}
