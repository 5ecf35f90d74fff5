/** Thread that runs reads, and the messages between it and the main thread. */

import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { programFile } from '../../kernel/package-files.ts';
import { databaseUnavailable } from '../problems.ts';
import type { ReaderCommand, ReaderReply, ReaderRequest, WorkerData } from './protocol.ts';

const entry = programFile('database/sqlite/worker');

/** A scan that gathers more than this, in MiB, ends its thread, not the service. */
const heapLimit = 256;

/** How long the end of a thread is waited for, in milliseconds. */
const terminationWait = 2_000;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread with its own reading connections. It keeps the process alive only while a statement runs. */
export class ReaderThread {
  readonly #worker: Worker;
  readonly #toError: (error: unknown) => unknown;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #failure: unknown;
  #ending = false;

  constructor(path: string, toError: (error: unknown) => unknown, onExit: (thread: ReaderThread) => void) {
    this.#toError = toError;
    const workerData: WorkerData = { path };
    this.#worker = new Worker(entry, {
      workerData,
      // The environment may hold secrets; flags of a test runner's or a user's process are not for this thread.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapLimit },
    });
    this.#worker.unref();
    this.#worker.on('message', (reply: ReaderReply) => this.#settle(reply));
    this.#worker.on('error', (error) => {
      this.#failure = error;
    });
    this.#worker.on('exit', () => {
      this.#ending = true;
      this.#refuseAll();
      onExit(this);
    });
  }

  /** True if it takes further requests. */
  get usable(): boolean {
    return !this.#ending;
  }

  /** Returns the request's id with the promise of its reply, so that a stream can be named by it. */
  ask<T>(command: ReaderCommand): { readonly id: number; readonly reply: Promise<T> } {
    this.#lastId += 1;
    const request: ReaderRequest = { ...command, id: this.#lastId };
    const reply = new Promise<unknown>((resolve, reject) => {
      if (this.#ending) return reject(this.#lost());
      if (this.#waiting.size === 0) this.#worker.ref();
      this.#waiting.set(request.id, { resolve, reject });
      this.#worker.postMessage(request);
    });
    return { id: request.id, reply: reply as Promise<T> };
  }

  /**
   * Ends the thread as soon as SQLite gives the next row; does not wait longer than two seconds for that.
   * Returns whether it has ended.
   */
  async terminate(): Promise<boolean> {
    this.#ending = true;
    const timer = new AbortController();
    // Keeps the process alive for as long: an idle thread does not, and closing has further steps.
    const late = delay(terminationWait, false, { signal: timer.signal }).catch(() => false);
    const ended = await Promise.race([this.#worker.terminate().then(() => true), late]);
    timer.abort();
    return ended;
  }

  /** Ends the thread as `terminate` does, and refuses the requests that wait for it. */
  refuse(): Promise<boolean> {
    const ended = this.terminate();
    this.#refuseAll();
    return ended;
  }

  #settle(reply: ReaderReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if ('value' in reply) waiting?.resolve(reply.value);
    else waiting?.reject(this.#rebuild(reply.error));
  }

  #rebuild({ message, errcode }: { message: string; errcode: number | undefined }): unknown {
    const error = new Error(message);
    return this.#toError(errcode === undefined ? error : Object.assign(error, { errcode }));
  }

  #refuseAll(): void {
    this.#worker.unref();
    for (const { reject } of this.#waiting.values()) reject(this.#lost());
    this.#waiting.clear();
  }

  #lost(): unknown {
    return databaseUnavailable(this.#failure ?? new Error('The reader thread has ended'));
  }
}
