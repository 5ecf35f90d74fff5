import { setTimeout as delay } from 'node:timers/promises';
import { type Asked, ask } from './ask.ts';
import type { Entry, Ledger, Outcome } from './ledger.ts';

export interface WriterOptions {
  readonly ledger: Ledger;
  /** Begins the marks of these writers' records; no two calls share it. */
  readonly prefix: string;
  readonly writers: number;
  /** The address to which the writer of a number sends its requests; asked before each. */
  origin(writer: number): string;
  /** A token that is good at the moment. */
  token(): Promise<string>;
}

export interface Writers {
  /** Resolves once every writer has had its last answer. */
  stop(): Promise<void>;
}

interface Live {
  readonly id: number;
  readonly mark: string;
  readonly entry: Entry;
}

/** Milliseconds that a writer pauses after it was not answered with success. */
const pause = 25;

/** The connection was refused, so nothing was sent. */
const wasNeverSent = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === 'ECONNREFUSED';

const outcomeOf = (ledger: Ledger, { status, code }: Asked): Outcome => {
  if (status < 300) return 'acknowledged';
  if (code === 50302) return 'unknown';
  // A write may be refused, never broken.
  if (status >= 500 && status !== 503) ledger.wrong.push(`${status} ${code}`);
  return 'refused';
};

/** One writer: it creates, updates and removes records that no other touches, one request after the other. */
class Writer {
  readonly #options: WriterOptions;
  readonly #number: number;
  readonly #live: Live[] = [];
  #step = 0;

  constructor(options: WriterOptions, number: number) {
    this.#options = options;
    this.#number = number;
  }

  async run(ended: () => boolean): Promise<void> {
    for (; !ended(); this.#step += 1) {
      const kind = this.#step % 10;
      const [oldest] = this.#live;
      if (kind === 9 && oldest !== undefined) await this.#remove(oldest);
      else if (kind % 2 === 1 && oldest !== undefined) await this.#update();
      else await this.#create(ended);
    }
  }

  async #create(ended: () => boolean): Promise<void> {
    const mark = `${this.#options.prefix}-${this.#number}-${this.#step}`;
    const entry: Entry = { created: 'unknown', value: this.#step, maybe: new Set(), removed: undefined };
    this.#options.ledger.entries.set(mark, entry);
    const entryBody = { entry: { mark, value: this.#step } };
    let sure = true;
    // The same request with its Idempotency-Key, for as long as its outcome is unknown.
    do {
      const { outcome, data } = await this.#send('POST', '/entries', entryBody, { 'idempotency-key': mark });
      if (outcome === 'unknown') sure = false;
      // A refusal of the second request says nothing of the first.
      if (outcome === 'acknowledged' || sure) entry.created = outcome;
      if (outcome === 'acknowledged')
        this.#live.push({ id: Number((data as { id: number }).id), mark, entry });
    } while (entry.created === 'unknown' && !ended());
  }

  async #update(): Promise<void> {
    const live = this.#live[this.#step % this.#live.length];
    if (live === undefined) return;
    const { entry, id } = live;
    const { outcome } = await this.#send('PATCH', `/entries/${id}`, { entry: { value: this.#step } });
    if (outcome === 'unknown') entry.maybe.add(this.#step);
    if (outcome !== 'acknowledged') return;
    // An unknown outcome of an earlier one stays unknown: it may still be on its way to the database.
    entry.value = this.#step;
  }

  async #remove({ id, entry }: Live): Promise<void> {
    this.#live.shift();
    entry.removed = (await this.#send('DELETE', `/entries/${id}`)).outcome;
  }

  async #send(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ outcome: Outcome; data: unknown }> {
    const { ledger, origin, token } = this.#options;
    let sent: Asked | undefined;
    let outcome: Outcome;
    try {
      const good = await token();
      sent = await ask(method, `${origin(this.#number)}/api/v1${path}`, { token: good, body, headers });
      outcome = outcomeOf(ledger, sent);
    } catch (error) {
      outcome = wasNeverSent(error) ? 'refused' : 'unknown';
    }
    ledger.count(outcome);
    if (outcome !== 'acknowledged') await delay(pause);
    return { outcome, data: sent?.data };
  }
}

export const startWriters = (options: WriterOptions): Writers => {
  let over = false;
  const running = Array.from({ length: options.writers }, (_, number) =>
    new Writer(options, number).run(() => over),
  );
  return {
    stop: async () => {
      over = true;
      await Promise.all(running);
    },
  };
};
