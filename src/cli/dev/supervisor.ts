/** The parent process of `gatewright dev`: it replaces the running process at each change. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { programFile } from '../../kernel/package-files.ts';
import type { MigratedElsewhere, Outcome, Shown, Start } from './child-messages.ts';

/** Milliseconds that a run gets to end by itself; all its writes are durable at every moment. */
const grace = 150;

/** The same for an application with work to do at its end. */
const longGrace = 2_000;

const program = fileURLToPath(programFile('cli/dev/child'));

/** The process of a run: it loads the service, then waits for the message to start. */
const spawnRun = (env: Readonly<Record<string, string | undefined>>): ChildProcess =>
  spawn(process.execPath, ['--enable-source-maps', program], {
    env: { ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });

const isAlive = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

const end = async (child: ChildProcess, signal: NodeJS.Signals, limit = grace): Promise<void> => {
  if (!isAlive(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), limit);
  await ended;
  clearTimeout(timer);
};

/**
 * Runs the application, one process per run, and always keeps one more process ready, so that a change is served
 * without waiting for the service to load. All these processes end with this one.
 */
export class Supervisor {
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #ended: () => void;
  #running: ChildProcess | undefined;
  /** Milliseconds that it gets to end. */
  #grace = grace;
  #waiting: ChildProcess;
  #first = true;
  #routes: readonly string[] = [];
  #shown: Shown | undefined;
  #agreed = false;
  /** Restarts run one after the other; several that arrive meanwhile are merged into one. */
  #restarting: Promise<void> | undefined;
  #again = false;
  #closed = false;

  /** @param ended called when a run ended by itself */
  constructor(folder: string, env: Readonly<Record<string, string | undefined>>, ended: () => void) {
    this.#folder = folder;
    this.#env = env;
    this.#ended = ended;
    this.#waiting = spawnRun(env);
  }

  /** Ends the current run and starts another. Resolves when the new run serves, or has reported its failure. */
  restart(): Promise<void> {
    this.#again = true;
    this.#restarting ??= this.#restartAll().finally(() => {
      this.#restarting = undefined;
    });
    return this.#restarting;
  }

  /** Applies the migrations that were shown; does nothing if none wait. */
  agree(): void {
    if (Object.keys(this.#shown ?? {}).length === 0) return;
    this.#agreed = true;
    void this.restart();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const running = this.#running;
    await Promise.all([
      end(this.#waiting, 'SIGKILL'),
      running === undefined ? undefined : end(running, 'SIGTERM', this.#grace),
    ]);
    await this.#restarting;
  }

  async #restartAll(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      await this.#restartOnce();
    }
  }

  async #restartOnce(): Promise<void> {
    const before = this.#running;
    this.#running = undefined;
    if (before !== undefined) await end(before, 'SIGTERM', this.#grace);
    // Closed meanwhile: nothing would end a run that began now, and it would keep this process from ending.
    if (this.#closed) return;
    const run = isAlive(this.#waiting) ? this.#waiting : spawnRun(this.#env);
    this.#running = run;
    run.once('exit', () => {
      if (this.#running === run && !this.#closed) this.#ended();
    });
    run.on('message', ({ kind }: Outcome | MigratedElsewhere) => {
      if (kind === 'migrated' && this.#running === run) void this.restart();
    });
    const outcome = this.#outcomeOf(run);
    run.send({
      folder: this.#folder,
      first: this.#first,
      routes: this.#routes,
      shown: this.#shown,
      agreed: this.#agreed,
    } satisfies Start);
    this.#agreed = false;
    const result = await outcome;
    this.#shown = result.kind === 'held' ? result.shown : {};
    if (result.kind === 'started') {
      this.#first = false;
      this.#routes = result.routes;
      this.#grace = result.ends ? longGrace : grace;
    }
    if (!this.#closed) this.#waiting = spawnRun(this.#env);
  }

  #outcomeOf(run: ChildProcess): Promise<Outcome> {
    return new Promise((resolve) => {
      run.once('message', (message) => resolve(message as Outcome));
      run.once('exit', () => resolve({ kind: 'failed' }));
    });
  }
}
