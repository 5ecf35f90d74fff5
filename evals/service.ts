/** Runs a solution as a service of its own, and calls it as different people. */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const command = join(root, 'bin/gatewright.js');
const password = 'tulip-anvil-47 kettle';

/** Milliseconds for one command, and for a start. */
const commandLimit = 60_000;

// biome-ignore lint/suspicious/noExplicitAny: checks read responses of any shape, and a wrong shape fails the check.
type Data = any;

export interface Response {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data: Data;
}

/** Sends requests as one caller. */
export interface Caller {
  get(path: string): Promise<Response>;
  post(path: string, body?: object): Promise<Response>;
  put(path: string, body?: object): Promise<Response>;
  patch(path: string, body?: object): Promise<Response>;
  delete(path: string): Promise<Response>;
}

export interface User extends Caller {
  readonly id: number;
  readonly email: string;
}

/** A service that runs, and its callers. */
export interface Service {
  readonly admin: Caller;
  readonly anonymous: Caller;
  user(roles?: readonly string[]): Promise<User>;
  /** Grants the role `viewer` an action on a model. */
  grant(model: string, action: string): Promise<void>;
  stop(): Promise<void>;
}

/** A folder with a solution, where the package is installed. */
export interface Workplace {
  readonly folder: string;
  /** Copies files over those of the folder. */
  add(from: string): Promise<void>;
  /** Runs a program in the folder. Returns its status and everything that it printed. */
  run(
    program: string,
    args: readonly string[],
  ): Promise<{ readonly status: number; readonly output: string }>;
  /** Migrates the database and starts the service. @throws Error with what it printed, where it does not start */
  start(env?: Readonly<Record<string, string>>): Promise<Service>;
  remove(): Promise<void>;
}

const callerOf = (origin: string, token: string | undefined): Caller => {
  const send = async (method: string, path: string, body?: object): Promise<Response> => {
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    const answer = await fetch(origin + path, { method, headers, body: body ? JSON.stringify(body) : null });
    const text = await answer.text();
    const envelope = text.startsWith('{') ? JSON.parse(text) : {};
    return { status: answer.status, code: envelope.code, message: envelope.message, data: envelope.data };
  };
  return {
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, body),
    put: (path, body) => send('PUT', path, body),
    patch: (path, body) => send('PATCH', path, body),
    delete: (path) => send('DELETE', path),
  };
};

const signIn = async (origin: string, account: string): Promise<string> => {
  const { status, data } = await callerOf(origin, undefined).post('/api/v1/auth/login', {
    account,
    password,
  });
  if (status !== 200) throw new Error(`${account} cannot sign in: ${status}`);
  return data.token;
};

const serviceAt = async (origin: string, stop: () => Promise<void>): Promise<Service> => {
  const admin = callerOf(origin, await signIn(origin, 'admin'));
  let users = 0;
  return {
    admin,
    anonymous: callerOf(origin, undefined),
    user: async (roles = ['viewer']) => {
      users += 1;
      const username = `user${users}_${Date.now()}`;
      const email = `${username}@example.com`;
      const user = { username, email, name: username, password, roles };
      const { status, data, message } = await admin.post('/admin/users', { user });
      if (status !== 201) throw new Error(`no user could be made: ${status} ${message}`);
      return { ...callerOf(origin, await signIn(origin, username)), id: data.id, email };
    },
    grant: async (model, action) => {
      const { status, message } = await admin.put(`/admin/permissions/viewer/${model}/${action}`);
      if (status !== 200) throw new Error(`no permission ${action} on ${model}: ${status} ${message}`);
    },
    stop,
  };
};

/** Makes a folder in which solutions run, with a database and credentials of its own. */
export const makeWorkplace = async (): Promise<Workplace> => {
  const base = await mkdtemp(join(tmpdir(), 'gatewright-eval-'));
  const folder = join(base, 'application');
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  await symlink(root, join(folder, 'node_modules/gatewright'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    LOCALE: 'en',
    LOG_LEVEL: 'warn',
    DATA_DIR: join(base, 'data'),
    CREDENTIALS_FILE: join(base, 'credentials.age'),
    CREDENTIALS_KEY_FILE: join(base, 'credentials.key'),
    ADMIN_PASSWORD: password,
  };
  const run: Workplace['run'] = (program, args) =>
    new Promise((resolve) => {
      execFile(program, args, { cwd: folder, env, timeout: commandLimit }, (error, stdout, stderr) => {
        const status = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ status, output: stdout + stderr });
      });
    });
  return {
    folder,
    run,
    add: (from) => cp(from, folder, { recursive: true }),
    start: async (more = {}) => {
      const migrated = await run(process.execPath, [command, 'migrate']);
      if (migrated.status !== 0) throw new Error(`gatewright migrate: ${migrated.output.trim()}`);
      const child = spawn(process.execPath, [command, 'start'], {
        cwd: folder,
        env: { ...env, PORT: '0', ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const closed = once(child, 'close');
      const timer = setTimeout(() => child.kill('SIGKILL'), commandLimit);
      let errors = '';
      child.stderr.on('data', (data) => {
        errors += data;
      });
      const stop = async (): Promise<void> => {
        clearTimeout(timer);
        child.kill('SIGTERM');
        await closed;
      };
      for await (const line of createInterface({ input: child.stdout })) {
        const [, origin] = /Gatewright answers on (\S+)/.exec(line) ?? [];
        if (origin === undefined) continue;
        child.stdout.resume();
        return serviceAt(origin, stop);
      }
      await stop();
      throw new Error(`gatewright start: ${errors.trim()}`);
    },
    remove: () => rm(base, { recursive: true, force: true }),
  };
};
