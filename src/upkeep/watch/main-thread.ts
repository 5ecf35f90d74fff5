/** Detects a blocked main thread from a second thread, and names the application code that blocks it. */

import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { CodeWatch } from '../../kernel/application-code.ts';
import { programFile } from '../../kernel/package-files.ts';
import { RunningCode, type WatcherData } from './shared.ts';

/** Milliseconds that the main thread may be blocked before the log reports it. */
const limitMs = 10_000;

/** Milliseconds between two heartbeats. */
const heartbeatMs = 1_000;

/** Heartbeats without any code of the application after which watching ends. */
const idleBeats = 60;

const entry = programFile('upkeep/watch/watcher');

/**
 * Logs when the main thread is blocked, and by whose code, and ends a blocked process whose parent is gone. That needs
 * a second thread, which takes 10 MB of memory: it runs while code of the application runs, since nothing else in the
 * service can run for ever, and for a minute after. Other delays are reported when they are over.
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
    this.#timer = setInterval(() => this.#beat(), heartbeatMs).unref();
  }

  enter(name: string): number {
    this.#idle = 0;
    this.#thread ??= this.#start();
    return this.#running.enter(name);
  }

  suspend(): void {
    this.#running.setRunning(-1);
  }

  leave(entry: number): void {
    this.#running.leave(entry);
  }

  close(): void {
    clearInterval(this.#timer);
    void this.#thread?.terminate();
  }

  #beat(): void {
    this.#running.goOn();
    const now = performance.now();
    const still = now - this.#last - heartbeatMs;
    this.#last = now;
    if (still >= limitMs) this.#logger.error({ milliseconds: Math.round(still) }, 'event loop blocked');
    this.#idle += 1;
    if (this.#idle < idleBeats || this.#thread === undefined) return;
    void this.#thread.terminate();
    this.#thread = undefined;
  }

  #start(): Worker {
    const workerData: WatcherData = {
      memory: this.#running.memory,
      limit: limitMs,
      // A process with a channel belongs to the one at its other end, and reads from it that this one is gone.
      parent: process.channel == null ? undefined : process.ppid,
    };
    const thread = new Worker(entry, {
      workerData,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
    });
    thread.on('error', (error) => this.#logger.warn({ err: error }, 'the event loop is not monitored'));
    thread.unref();
    return thread;
  }
}
