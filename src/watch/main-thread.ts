import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { CodeWatch } from '../kernel/application-code.ts';
import { programFile } from '../kernel/package-files.ts';
import { RunningCode, type WatcherData } from './shared.ts';

/** Milliseconds that the main thread may stand still before the log says so. */
const limit = 10_000;

/** Milliseconds between two signs of life. */
const interval = 1_000;

/** Signs of life without any code of the application after which watching ends. */
const idleBeats = 60;

const entry = programFile('watch/watcher');

/**
 * Has the log say when the main thread stands still, and in whose code. That takes a second thread, which costs 10 MB:
 * it is there while code of the application runs, as nothing else of the service can be endless, and for a minute after
 * that. Whatever else took long is reported when it is over.
 */
export class MainThreadWatch implements CodeWatch {
  readonly #logger: Logger;
  readonly #running = new RunningCode();
  readonly #timer: NodeJS.Timeout;
  #thread: Worker | undefined;
  #idle = 0;
  #last = performance.now();

  constructor(logger: Logger) {
    this.#logger = logger;
    this.#timer = setInterval(() => this.#beat(), interval).unref();
  }

  entered(what: string): number {
    this.#idle = 0;
    this.#thread ??= this.#start();
    return this.#running.enter(what);
  }

  waits(): void {
    this.#running.hasThread(-1);
  }

  left(entry: number): void {
    this.#running.leave(entry);
  }

  close(): void {
    clearInterval(this.#timer);
    void this.#thread?.terminate();
  }

  #beat(): void {
    this.#running.goOn();
    const now = performance.now();
    const still = now - this.#last - interval;
    this.#last = now;
    if (still >= limit)
      this.#logger.error({ milliseconds: Math.round(still) }, 'the main thread stood still');
    this.#idle += 1;
    if (this.#idle < idleBeats || this.#thread === undefined) return;
    void this.#thread.terminate();
    this.#thread = undefined;
  }

  #start(): Worker {
    const workerData: WatcherData = { memory: this.#running.memory, limit };
    const thread = new Worker(entry, {
      workerData,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
    });
    thread.on('error', (error) => this.#logger.warn({ err: error }, 'the main thread is not watched'));
    thread.unref();
    return thread;
  }
}
