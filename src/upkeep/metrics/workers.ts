/** Collects the metrics of all workers in the primary process, over messages between them. */

import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import type { AggregatorRegistry as Aggregator, Registry } from 'prom-client';
import type { Figure } from '../../kernel/figure.ts';
import { addFigure, type Readings } from './exported.ts';
import { listenForScrapes, type MetricsListener } from './listener.ts';
import { processRegistry } from './process-registry.ts';

/**
 * Protocol by which several processes on one port appear as one service to a scraper: workers do not listen, and the
 * primary responds with the sum of all. The cluster support of prom-client does the same, but loses the counts of a
 * worker that exits, so that sums fall and rates jump, and fails if one worker does not respond.
 */

const question = 'gatewright:metrics';
const reply = 'gatewright:metrics-read';

/** A metric that prom-client does not aggregate: the value of the primary is used. */
const startTime = 'process_start_time_seconds';

/** Milliseconds that a scrape waits for a busy worker; after that its last readings are used. */
const replyTimeoutMs = 1_500;

interface Question {
  readonly type: typeof question;
  readonly number: number;
}

interface Reply {
  readonly type: typeof reply;
  readonly number: number;
  /** Undefined where they could not be read. */
  readonly readings: Readings | undefined;
}

const typeOf = (message: unknown): unknown =>
  typeof message === 'object' && message !== null && 'type' in message ? message.type : undefined;

/** Replies to requests of the primary; returns a function that ends it. */
export const answerPrimary = (registry: () => Promise<Registry>): (() => void) => {
  const answer = async (message: unknown): Promise<void> => {
    if (typeOf(message) !== question) return;
    const { number } = message as Question;
    const readings = await registry()
      .then((read) => read.getMetricsAsJSON())
      .catch(() => undefined);
    if (process.connected) process.send?.({ type: reply, number, readings } satisfies Reply);
  };
  const onMessage = (message: unknown): void => void answer(message);
  process.on('message', onMessage);
  return () => void process.off('message', onMessage);
};

const aggregate = async (
  readings: readonly Readings[],
): Promise<Aggregator<'text/plain; version=0.0.4; charset=utf-8'>> => {
  const { AggregatorRegistry } = await import('prom-client');
  return AggregatorRegistry.aggregate([...readings]) as never;
};

const readingsOf = async (figures: readonly Figure[]): Promise<Readings> => {
  const { Registry } = await import('prom-client');
  const registry = new Registry();
  for (const figure of figures) addFigure(registry, figure);
  return registry.getMetricsAsJSON();
};

/** True if a metric only grows: the counts of a process that has exited are kept. */
const isCumulative = ({ type }: Readings[number]): boolean =>
  String(type) === 'counter' || String(type) === 'histogram';

/** Reads the metrics of all workers, and keeps the last readings of each. */
class WorkerReadings {
  readonly #last = new Map<number, Readings>();
  /** Sum of workers that have exited. */
  #exited: Readings = [];
  #number = 0;

  /** @param own figures of the primary */
  async read(own: readonly Figure[]): Promise<Registry> {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    const connected = workers.filter((worker) => worker.isConnected());
    const replies = await Promise.all(connected.map((worker) => this.#request(worker)));
    for (const [id, readings] of this.#last)
      if (cluster.workers?.[id] === undefined) await this.#forget(id, readings);
    const registry = await aggregate([await readingsOf(own), this.#exited, ...this.#last.values()]);
    const start = (await processRegistry()).getSingleMetric(startTime);
    if (start !== undefined) registry.registerMetric(start);
    const answering = replies.filter(Boolean).length;
    addFigure(registry, {
      name: 'workers',
      help: 'Worker processes by whether they have replied to this scrape.',
      type: 'gauge',
      across: 'sum',
      samples: [
        { labels: { state: 'answering' }, value: answering },
        { labels: { state: 'silent' }, value: workers.length - answering },
      ],
    });
    return registry;
  }

  /** Resolves to whether the worker has replied. */
  #request(worker: Worker): Promise<boolean> {
    this.#number += 1;
    const number = this.#number;
    return new Promise((resolve) => {
      const settle = (hasReplied: boolean): void => {
        clearTimeout(timer);
        worker.off('message', onMessage);
        resolve(hasReplied);
      };
      const onMessage = (message: unknown): void => {
        if (typeOf(message) !== reply || (message as Reply).number !== number) return;
        const { readings } = message as Reply;
        if (readings !== undefined) this.#last.set(worker.id, readings);
        settle(readings !== undefined);
      };
      const timer = setTimeout(() => settle(false), replyTimeoutMs).unref();
      worker.on('message', onMessage);
      worker.send({ type: question, number } satisfies Question, (error) => {
        if (error !== null) settle(false);
      });
    });
  }

  async #forget(id: number, readings: Readings): Promise<void> {
    this.#last.delete(id);
    const registry = await aggregate([this.#exited, readings.filter(isCumulative)]);
    this.#exited = await registry.getMetricsAsJSON();
  }
}

/**
 * Called by the primary before it forks; `port` is METRICS_PORT. The listener is to be closed after the last worker.
 * @throws Error where the port is taken
 */
export const serveMetricsOfWorkers = (parts: {
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
  readonly logger: Logger;
  /** Figures of the primary. */
  readonly figures: () => readonly Figure[];
}): Promise<MetricsListener> => {
  const readings = new WorkerReadings();
  return listenForScrapes({ ...parts, text: async () => (await readings.read(parts.figures())).metrics() });
};
