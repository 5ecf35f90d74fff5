import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import type { AggregatorRegistry as Aggregator, Registry } from 'prom-client';
import type { Figure } from '../kernel/figure.ts';
import { addFigure, type Readings } from './exported.ts';
import { listenForScrapes, type MetricsListener } from './listener.ts';
import { processRegistry } from './process-registry.ts';

/**
 * Several processes behind one port are one service to whoever scrapes it: workers do not listen, and the primary
 * answers with what all of them together have to tell. The clusters of prom-client do the same, but forget what a worker
 * had counted when it goes, whereupon sums fall and rates leap, and fail where one worker does not answer.
 */

const question = 'gatewright:metrics';
const reply = 'gatewright:metrics-read';

/** What prom-client makes no sum of: that of the primary is told. */
const startTime = 'process_start_time_seconds';

/** Milliseconds that a scrape waits for a worker that is busy; it is told of with what it said last. */
const patience = 1_500;

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

/** Answers the questions of the primary; the answer ends that. */
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

/** What only grows: what a process that is gone has counted stays counted. */
const grows = ({ type }: Readings[number]): boolean =>
  String(type) === 'counter' || String(type) === 'histogram';

/** Asks all workers, and remembers what each has said last. */
class WorkerReadings {
  readonly #last = new Map<number, Readings>();
  /** Of workers that are gone. */
  #gone: Readings = [];
  #number = 0;

  /** @param own figures of the primary */
  async read(own: readonly Figure[]): Promise<Registry> {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    const asked = workers.filter((worker) => worker.isConnected());
    const answered = await Promise.all(asked.map((worker) => this.#ask(worker)));
    for (const [id, readings] of this.#last)
      if (cluster.workers?.[id] === undefined) await this.#forget(id, readings);
    const registry = await aggregate([await readingsOf(own), this.#gone, ...this.#last.values()]);
    const start = (await processRegistry()).getSingleMetric(startTime);
    if (start !== undefined) registry.registerMetric(start);
    const answering = answered.filter(Boolean).length;
    addFigure(registry, {
      name: 'workers',
      help: 'Worker processes by whether they have answered this scrape.',
      ...{ type: 'gauge', across: 'sum' },
      samples: [
        { labels: { state: 'answering' }, value: answering },
        { labels: { state: 'silent' }, value: workers.length - answering },
      ],
    });
    return registry;
  }

  /** Whether it has answered. */
  #ask(worker: Worker): Promise<boolean> {
    this.#number += 1;
    const number = this.#number;
    return new Promise((resolve) => {
      const settle = (answered: boolean): void => {
        clearTimeout(timer);
        worker.off('message', onMessage);
        resolve(answered);
      };
      const onMessage = (message: unknown): void => {
        if (typeOf(message) !== reply || (message as Reply).number !== number) return;
        const { readings } = message as Reply;
        if (readings !== undefined) this.#last.set(worker.id, readings);
        settle(readings !== undefined);
      };
      const timer = setTimeout(() => settle(false), patience).unref();
      worker.on('message', onMessage);
      worker.send({ type: question, number } satisfies Question, (error) => {
        if (error !== null) settle(false);
      });
    });
  }

  async #forget(id: number, readings: Readings): Promise<void> {
    this.#last.delete(id);
    const registry = await aggregate([this.#gone, readings.filter(grows)]);
    this.#gone = await registry.getMetricsAsJSON();
  }
}

/**
 * Called by the primary before it forks; `port` is METRICS_PORT. What it answers is closed after the last worker is gone.
 * @throws Error where the port is taken
 */
export const serveMetricsOfWorkers = (parts: {
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
  readonly logger: Logger;
  /** What the primary adds of its own. */
  readonly figures: () => readonly Figure[];
}): Promise<MetricsListener> => {
  const readings = new WorkerReadings();
  return listenForScrapes({ ...parts, text: async () => (await readings.read(parts.figures())).metrics() });
};
