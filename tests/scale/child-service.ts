import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChildOptions, startChild } from '../support/child.ts';
import type { LoopReport } from './children/loop-watch.ts';
import type { ServeOptions } from './children/serve.ts';

/** The service in a process of its own. */
export interface ChildService {
  readonly port: number;
  /** The token of the first administrator. */
  readonly token: string;
  /** Restarts the measurement of the service's main thread and its memory. */
  reset(): Promise<void>;
  report(): Promise<LoopReport>;
  /** Stops the service; resolves with the exit code of its process. */
  end(): Promise<number | null>;
}

export interface ChildServiceOptions extends ChildOptions {
  /** Notes in the database before the service starts on it; none unless given. */
  readonly rows?: number;
  /** Milliseconds after which a caller that reads nothing is cut. */
  readonly stallTimeoutMs?: number;
}

/** Starts the service on an empty database; with notes, as it starts on what an application has gathered. */
export const startChildService = async (
  url: string,
  { rows = 0, stallTimeoutMs = 30_000, ...options }: ChildServiceOptions = {},
): Promise<ChildService> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-child-'));
  const serve: ServeOptions = {
    stallTimeoutMs,
    env: {
      PORT: '0',
      DATA_DIR: directory,
      DATABASE_URL: url,
      JWT_SECRET: createHash('sha256').update(url).digest('hex'),
      CREDENTIALS_FILE: join(directory, 'credentials.age'),
      CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
      ADMIN_USERNAME: 'root',
      ADMIN_PASSWORD: 'tulip-anvil-47 kettle',
    },
  };
  const start = () => startChild('scale/children/serve.ts', [JSON.stringify(serve)], options);
  if (rows > 0) {
    const seeding = start();
    seeding.process.stdin?.end(`seed ${rows}\n`);
    if ((await seeding.exited) !== 0) throw new Error('the notes were not written');
  }
  const child = start();
  const next = async <T>(): Promise<T> => {
    const { value, done } = await child.lines.next();
    if (done === true) throw new Error(`the service ended with ${await child.exited}`);
    return JSON.parse(value) as T;
  };
  const ask = <T>(line: string): Promise<T> => {
    child.process.stdin?.write(`${line}\n`);
    return next<T>();
  };
  const { port, token } = await next<{ readonly port: number; readonly token: string }>();
  return {
    port,
    token,
    reset: () => ask('reset'),
    report: () => ask<LoopReport>('report'),
    end: async () => {
      child.process.stdin?.end();
      const code = await child.exited;
      await rm(directory, { recursive: true, force: true });
      return code;
    },
  };
};
