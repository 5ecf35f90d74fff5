/** The primary process of several workers: starts, replaces and stops them, and forwards connections and output. */

import cluster, { type Worker } from 'node:cluster';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../app/config.ts';
import { droppedFigure } from '../../app/log.ts';
import type { Io } from '../io.ts';
import { endAfterFailure, endNow, type StopSignal, stopLimit } from '../stop-signal.ts';
import { logUncaught } from '../uncaught.ts';
import { returnUnconfirmed } from './handed-over.ts';
import { isNotice, type Notice, type Stop, type WorkerStarted, workerVariable } from './worker-messages.ts';

/** Maximum size in bytes of an incomplete line that is buffered; a longer one is forwarded in pieces. */
const maxLineBytes = 1_048_576;

const newline = 10;

/**
 * Forwards the output of a worker in whole lines: a pipe would mix the output of processes that write at once.
 * Resolves at the end of the output.
 */
export const relayLines = (from: Readable, write: (text: string) => void): Promise<void> =>
  new Promise((resolve) => {
    let parts: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer): void => {
      if (chunk.length === 0) return;
      parts.push(chunk);
      length += chunk.length;
    };
    const flush = (end = ''): void => {
      if (length > 0) write(Buffer.concat(parts).toString() + end);
      parts = [];
      length = 0;
    };
    from.on('data', (chunk: Buffer) => {
      const end = chunk.lastIndexOf(newline) + 1;
      take(chunk.subarray(0, end));
      if (end > 0) flush();
      take(chunk.subarray(end));
      if (length > maxLineBytes) flush('\n');
    });
    // The worker was killed in the middle of a line.
    from.on('close', () => resolve(flush('\n')));
    from.on('error', () => {});
  });

/** Milliseconds after which a listening worker counts as settled. */
export const settleTimeoutMs = 10_000;

/** First and longest time until an unsettled worker is replaced, in milliseconds. */
const firstPauseMs = 200;
const maxPauseMs = 30_000;

/** Number of consecutive unsettled workers that may end. */
const maxFailures = 5;

/** Decides when an ended worker is replaced: a settled one at once, others with increasing delays. */
export class Restarts {
  #failures = 0;

  /** Records that a worker has settled. */
  recordSettled(): void {
    this.#failures = 0;
  }

  /**
   * Milliseconds until the next start after a worker has ended; undefined if no worker is started.
   * @param settled whether the worker had settled
   * @param others whether any other worker has settled
   */
  pauseAfter(settled: boolean, others: boolean): number | undefined {
    if (settled) return 0;
    this.#failures += 1;
    if (this.#failures >= maxFailures && !others) return undefined;
    return Math.min(firstPauseMs * 2 ** (this.#failures - 1), maxPauseMs);
  }
}

/** Milliseconds beyond the stop time of a worker after which it is killed. */
const killReserveMs = 500;

/** Milliseconds to wait for the output of ended workers. */
const lastOutputMs = 500;

export interface PrimaryOptions {
  readonly config: Pick<Config, 'workers' | 'drain' | 'host' | 'metricsPort' | 'metricsToken'>;
  readonly logger: Logger;
  readonly io: Pick<Io, 'write' | 'show'>;
  readonly stopped: Promise<StopSignal>;
}

/** A worker, as the primary process sees it. */
interface Known {
  readonly worker: Worker;
  /** Time at which it reported that it listens, by the monotonic clock; undefined before. */
  startedAt: number | undefined;
}

const isStarted = (message: unknown): message is WorkerStarted =>
  typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'started';

const hasSettled = ({ startedAt }: Known): boolean =>
  startedAt !== undefined && performance.now() - startedAt >= settleTimeoutMs;

/**
 * The primary process: starts the workers and replaces ended ones, hands each connection to the next worker, and
 * writes their output. The workers do everything else. The first one prepares the database and prints the
 * greeting; the others start after it.
 */
class Workers {
  readonly #options: PrimaryOptions;
  readonly #known = new Map<number, Known>();
  readonly #restarts = new Restarts();
  readonly #waiting = new Set<NodeJS.Timeout>();
  readonly #relays = new Set<Promise<void>>();
  readonly #ended: (status: number) => void;
  /** Resolves with the exit status when no worker is left and none is to be started. */
  readonly ended: Promise<number>;
  /** The port, once the first worker listens. */
  #port: number | undefined;
  /** The exit status; undefined until an end is requested. */
  #status: number | undefined;

  constructor(options: PrimaryOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<number>();
    this.ended = promise;
    this.#ended = resolve;
  }

  fork(): void {
    const role = this.#port === undefined ? 'first' : String(this.#port);
    const worker = cluster.fork({ [workerVariable]: role });
    const known: Known = { worker, startedAt: undefined };
    this.#known.set(worker.id, known);
    returnUnconfirmed(worker, () => this.#othersListen(known));
    const { io } = this.#options;
    const { stdout, stderr } = worker.process;
    if (stdout !== null) this.#relay(relayLines(stdout, io.write));
    if (stderr !== null) this.#relay(relayLines(stderr, io.show));
    worker.on('message', (message: unknown) => {
      if (isStarted(message)) this.#onStart(known, message.port);
      else if (isNotice(message)) this.#forward(known, message);
    });
    let over = false;
    const onExit = (code: number | null, signal: string | null): void => {
      if (over) return;
      over = true;
      this.#known.delete(worker.id);
      this.#onExit(known, code, signal);
    };
    worker.on('exit', onExit);
    // The worker could not start or receive a message: it has ended or is about to.
    worker.on('error', (error) => {
      if (worker.process.pid !== undefined) return;
      this.#options.logger.error({ err: error }, 'a worker could not be started');
      onExit(null, null);
    });
  }

  #othersListen(known: Known): boolean {
    return [...this.#known.values()].some((each) => each !== known && each.startedAt !== undefined);
  }

  /** Stops every worker as by this signal, and starts no others. */
  stop(signal: StopSignal, status = 0): void {
    if (this.#status !== undefined) return;
    this.#status = status;
    for (const timer of this.#waiting) clearTimeout(timer);
    for (const { worker } of this.#known.values())
      worker.send({ kind: 'stop', signal } satisfies Stop, () => {});
    const drain = signal === 'SIGINT' ? 0 : this.#options.config.drain;
    setTimeout(() => this.#cut(), drain * 1000 + stopLimit + killReserveMs).unref();
    this.#endIfOver();
  }

  /** Forwards a message to the other workers. One that is not there yet reads the database when it starts. */
  #forward(from: Known, message: Notice): void {
    for (const known of this.#known.values())
      if (known !== from && known.worker.isConnected()) known.worker.send(message, () => {});
  }

  /** Forwards a signal to workers that listen for it by now. */
  pass(signal: NodeJS.Signals): void {
    for (const { worker, startedAt } of this.#known.values())
      if (startedAt !== undefined) worker.process.kill(signal);
  }

  kill(): void {
    for (const { worker } of this.#known.values()) worker.process.kill('SIGKILL');
  }

  /** Resolves when all output of the workers is written, or after a moment. */
  async outputWritten(): Promise<void> {
    await Promise.race([Promise.all(this.#relays), delay(lastOutputMs)]);
  }

  #relay(ended: Promise<void>): void {
    this.#relays.add(ended);
    void ended.then(() => this.#relays.delete(ended));
  }

  #onStart(known: Known, port: number): void {
    known.startedAt = performance.now();
    setTimeout(() => {
      if (this.#known.has(known.worker.id)) this.#restarts.recordSettled();
    }, settleTimeoutMs).unref();
    if (this.#port !== undefined) return;
    this.#port = port;
    if (this.#status !== undefined) return;
    for (let more = 1; more < this.#options.config.workers; more += 1) this.fork();
  }

  #onExit(known: Known, code: number | null, signal: string | null): void {
    const { pid } = known.worker.process;
    if (this.#status !== undefined) {
      if (code !== 0)
        this.#options.logger.warn({ worker: pid, code, signal }, 'a worker did not stop by itself');
      this.#endIfOver();
    } else if (this.#port === undefined) this.#onFailedStart(pid, code, signal);
    else this.#replace(known, { worker: pid, code, signal });
  }

  /** The first worker could not start, and has reported the reason unless it was killed. */
  #onFailedStart(pid: number | undefined, code: number | null, signal: string | null): void {
    if (code === null)
      this.#options.logger.fatal({ worker: pid, code, signal }, 'the first worker exited during its start');
    this.#status = code ?? 1;
    this.#endIfOver();
  }

  #replace(known: Known, line: Readonly<Record<string, unknown>>): void {
    const { logger } = this.#options;
    const others = [...this.#known.values()].some(hasSettled);
    const pause = this.#restarts.pauseAfter(hasSettled(known), others);
    if (pause === undefined) {
      logger.fatal(line, 'workers keep exiting right after their start: the service exits');
      this.stop('SIGTERM', 1);
      return;
    }
    // The worker was asked to stop.
    if (line['code'] === 0) logger.info({ ...line, pause }, 'a worker has stopped and is replaced');
    else logger.error({ ...line, pause }, 'a worker exited and is replaced');
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      this.fork();
    }, pause);
    this.#waiting.add(timer);
  }

  #cut(): void {
    const workers = [...this.#known.values()].map(({ worker }) => worker.process.pid);
    if (workers.length > 0)
      this.#options.logger.warn({ workers }, 'workers that did not stop in time were killed');
    this.kill();
  }

  #endIfOver(): void {
    if (this.#status !== undefined && this.#known.size === 0) this.#ended(this.#status);
  }
}

/** Serves the metrics of all workers if METRICS_PORT is set; returns a function that stops it. */
const answerScrapes = async ({ config, logger }: PrimaryOptions): Promise<() => Promise<void>> => {
  const { host, metricsPort: port, metricsToken: token } = config;
  if (port === undefined) return async () => {};
  const { serveMetricsOfWorkers } = await import('../../upkeep/metrics.ts');
  try {
    const listener = await serveMetricsOfWorkers({
      host,
      port,
      token,
      logger,
      figures: () => [droppedFigure()],
    });
    return () => listener.close();
  } catch (error) {
    logger.fatal({ err: error }, 'the service does not start');
    throw error;
  }
};

/** Runs the workers until they are stopped, and ends the process when none is left. */
export const superviseWorkers = async (options: PrimaryOptions): Promise<never> => {
  // Connections are distributed in turn: the system's own distribution prefers workers that were fast last.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  const endScrapes = await answerScrapes(options);
  const workers = new Workers(options);
  // Without this process the workers stop by themselves, and complete their requests.
  logUncaught(options.logger, () => void endAfterFailure(undefined));
  process.on('SIGUSR2', () => workers.pass('SIGUSR2'));
  let stopping = false;
  void options.stopped.then((signal) => {
    stopping = true;
    workers.stop(signal);
  });
  // The second signal ends all processes at once.
  process.on('exit', () => {
    if (stopping) workers.kill();
  });
  workers.fork();
  const status = await workers.ended;
  await workers.outputWritten();
  await endScrapes();
  return endNow(status);
};
