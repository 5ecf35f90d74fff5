import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ask } from './ask.ts';

/** The target of an instance's log: nowhere, an unread pipe, or a disk that is full. */
export type LogSink = 'nowhere' | 'stalled pipe' | 'full disk';

const program = fileURLToPath(new URL('../../bin/gatewright.js', import.meta.url));
const application = fileURLToPath(new URL('./application', import.meta.url));
const clock = new URL('./children/clock.ts', import.meta.url).href;

/** Milliseconds that a start, and a stop, may take on a busy machine. */
const startTimeoutMs = 30_000;

const sinks: Readonly<Record<LogSink, () => 'ignore' | 'pipe' | number>> = {
  nowhere: () => 'ignore',
  'stalled pipe': () => 'pipe',
  'full disk': () => openSync('/dev/full', 'w'),
};

/** A service in a process of its own, started as its users start it: by the command, from what is built. */
export class Instance {
  readonly port: number;
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #errors = '';

  constructor(port: number, env: Readonly<Record<string, string>>) {
    this.port = port;
    this.#env = { ...env, PORT: String(port) };
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('the service does not run');
    return pid;
  }

  /** Standard error of the run before, or of this one so far. */
  get errors(): string {
    return this.#errors;
  }

  /** Resident memory in MB. */
  get resident(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1000;
  }

  /** Files and connections that it has open. */
  get descriptors(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  /**
   * Resolves once it is ready. Throws with its output where it ends instead. `descriptors`: how many files and
   * connections the system lets it open.
   */
  async start(log: LogSink = 'nowhere', descriptors = 10_000): Promise<void> {
    this.#errors = '';
    const limit = `--nofile=${descriptors}:${descriptors}`;
    const command = [limit, process.execPath, '--max-old-space-size=256', program, 'start'];
    const child = spawn('prlimit', command, {
      cwd: application,
      env: { PATH: process.env['PATH'], NODE_OPTIONS: `--import=${clock}`, ...this.#env },
      stdio: ['ignore', sinks[log](), 'pipe', 'ipc'],
    });
    child.stderr?.on('data', (text) => {
      this.#errors = `${this.#errors}${text}`.slice(-4_000);
    });
    this.#child = child;
    const until = Date.now() + startTimeoutMs;
    while (!(await this.healthy())) {
      if (this.ended) throw new Error(`the service ended with ${child.exitCode}: ${this.#errors}`);
      if (Date.now() > until) throw new Error('the service did not start in time');
      await delay(50);
    }
  }

  get ended(): boolean {
    return this.#child === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async healthy(query = ''): Promise<boolean> {
    const url = `${this.origin}/api/v1/health${query}`;
    return ask('GET', url, { timeoutMs: 5_000 }).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  /** Sends a signal and waits for the end: the exit code, or null where the signal ended it. Throws after 30 s. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || this.ended) return child?.exitCode ?? null;
    const late = new AbortController();
    const closed = once(child, 'exit', { signal: late.signal });
    const timer = setTimeout(
      () => late.abort(new Error(`the service did not end after ${signal}`)),
      startTimeoutMs,
    );
    child.kill(signal);
    const [code] = (await closed.finally(() => clearTimeout(timer))) as [number | null];
    return code;
  }

  /** Moves the clock of the process, in milliseconds from the machine's time. */
  shiftClock(offset: number): void {
    this.#child?.send({ offset });
  }

  /** Bounds the size of the files it writes, in bytes: what a full disk looks like. Undefined lifts it. */
  boundFiles(bytes: number | undefined): void {
    // The soft limit only, so that it can be lifted again.
    execFileSync('prlimit', ['--pid', String(this.pid), `--fsize=${bytes ?? 'unlimited'}:`]);
  }
}
