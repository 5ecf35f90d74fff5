/** `testApplication`: starts an application on an empty database for one test file. */

import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUserStore, scopeOfUser, type UserStore } from '../accounts/users.ts';
import { type Application, loadApplication } from '../app/application.ts';
import { readConfig } from '../app/config.ts';
import { readableLog } from '../app/log.ts';
import { applyMigrations } from '../app/migrate.ts';
import { createServer, type Server, type ServerOptions } from '../app/server.ts';
import { canonicalAccount } from '../auth/account.ts';
import { tokenLifetime } from '../auth/jwt.ts';
import { createPasswords } from '../auth/password.ts';
import { formatPhc } from '../auth/phc.ts';
import { openDatabase } from '../database/open.ts';
import { createTemporaryDatabase, databaseTarget } from '../database/targets.ts';
import { type Clock, parseTimestamp, systemClock } from '../kernel/clock.ts';
import { durationOf } from '../kernel/duration.ts';
import { anything, checkOptions, type OptionTable } from '../kernel/options.ts';
import type { Actor } from '../ledger/audit.ts';
import type { Scope } from '../model/scope.ts';
import { builtInRoles, superAdmin } from '../policy/rule.ts';
import { clientOf } from './client.ts';
import { runDueJobs } from './run-jobs.ts';
import type {
  MakeScope,
  TestApplication,
  TestClock,
  TestJobs,
  TestMail,
  TestOptions,
  TestUser,
  UserOptions,
} from './shapes.ts';

/** Runs an application under test in this process, on a database of its own. */

export type { FailedRun, JobRun, JobRuns } from './run-jobs.ts';
export type {
  EnqueuedJob,
  MakeScope,
  TestApplication,
  TestClient,
  TestClock,
  TestData,
  TestJobs,
  TestMail,
  TestOptions,
  TestResponse,
  TestUser,
  UserOptions,
} from './shapes.ts';

const actor: Actor = { principal: 'command line', address: null };

/** A hash that no password matches: computing a real one takes longer than most tests. */
const noPassword = (): string =>
  formatPhc({ memory: 1024, passes: 1, parallelism: 1, salt: randomBytes(16), tag: randomBytes(32) });

let users = 0;

const createUser = async (
  store: UserStore,
  roles: readonly string[],
  passwordHash: string,
): Promise<{ readonly id: number; readonly username: string }> => {
  users += 1;
  const username = `${roles[0] ?? 'user'}_${users}`;
  const email = `${username}@example.com`;
  const id = await store.create(
    {
      username,
      usernameCanonical: canonicalAccount(username),
      email,
      emailCanonical: canonicalAccount(email),
      name: username,
      passwordHash,
      disabled: false,
      roles,
    },
    actor,
  );
  return { id, username };
};

/** Prepares the database with its first user, so that the start does not have to hash a password. */
const prepareDatabase = async (url: string, application: Application): Promise<void> => {
  const target = databaseTarget(url, application.config.serviceTables);
  await applyMigrations(target, application);
  const database = await openDatabase(target, { poolSize: 1 });
  try {
    await createUser(createUserStore({ database, clock: systemClock }), [superAdmin], noPassword());
  } finally {
    await database.close();
  }
};

const testOptions = { application: anything, env: anything } satisfies OptionTable<TestOptions>;
const userOptions = { roles: anything, password: anything } satisfies OptionTable<UserOptions>;

/** Starts the application; parts to be removed at the end go to the front of `removals`. */
const start = async (
  directory: string,
  loaded: Application,
  env: NonNullable<TestOptions['env']>,
  removals: (() => Promise<void>)[],
  { clock, captureMail }: Required<Pick<ServerOptions, 'clock' | 'captureMail'>>,
): Promise<Server> => {
  const testConfig = readConfig({
    LOG_LEVEL: 'error',
    LOCALE: process.env['LOCALE'],
    JOBS: 'off',
    PORT: '0',
    DATA_DIR: directory,
    JWT_SECRET: randomBytes(32).toString('hex'),
    CREDENTIALS_FILE: join(directory, 'credentials.age'),
    CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
    ...env,
  });
  const database = await createTemporaryDatabase(testConfig.databaseUrl, directory);
  removals.unshift(database.remove);
  const config = { ...testConfig, databaseUrl: database.url };
  await prepareDatabase(config.databaseUrl, loaded);
  const print = (line: string): void => void process.stderr.write(`${line}\n`);
  const logger = readableLog(config.logLevel, print);
  return createServer({ config, application: loaded, clock, captureMail, logger });
};

/** A clock that a test moves, and the one by which the service reads it. */
interface MovedClock {
  readonly clock: TestClock;
  readonly read: Clock;
  /** Milliseconds by which it was moved. */
  readonly moved: () => number;
}

const movedClock = (): MovedClock => {
  let offset = 0;
  const read = (): number => systemClock() + offset;
  const durationIn = (text: string): number => {
    const duration = durationOf(text);
    if (duration === undefined)
      throw new TypeError(`"${text}" is not a duration such as "30s", "10m", "1h" or "7d"`);
    return duration;
  };
  const instantIn = (time: Date | string): number => {
    const parsed = time instanceof Date ? time.getTime() : parseTimestamp(time);
    if (parsed === undefined || Number.isNaN(parsed))
      throw new TypeError(`"${time}" is not a time such as "2026-01-31T12:00:00Z"`);
    return parsed;
  };
  const clock: TestClock = {
    now: () => new Date(read()),
    advance: (duration) => {
      offset += durationIn(duration);
    },
    set: (time) => {
      const by = instantIn(time) - read();
      if (by < 0) throw new RangeError('the clock of a test only moves forward');
      offset += by;
    },
  };
  return { clock, read, moved: () => offset };
};

/**
 * The recurring jobs of the application tick when a test has moved the clock, not with the time that the test takes: a
 * test would else find other jobs at the full hour.
 */
const tickerOf = async (
  { jobs, config, logger }: Server,
  application: Application,
  { moved, read }: MovedClock,
): Promise<() => Promise<void>> => {
  const names = new Set(application.jobs.keys());
  let ticked = moved();
  // Workers tick by themselves.
  if (config.jobs !== 'off') return async () => {};
  const ticks = jobs.ticks(logger);
  await ticks.register();
  return async () => {
    if (moved() === ticked) return;
    ticked = moved();
    await ticks.addDueAt(read(), names);
  };
};

const jobsOf = (
  { services, jobs: { outbox, names, perform } }: Server,
  clock: Clock,
  tick: () => Promise<void>,
): TestJobs => ({
  run: async ({ all = false } = {}) => {
    await tick();
    const performing = perform({ systemScope: services.systemScope, watch: undefined });
    return runDueJobs(outbox, new Set(names), performing, clock, all);
  },
  enqueued: async () => {
    await tick();
    const waiting = await outbox.waiting();
    return waiting.map(({ id, name, input, at, key }) => ({ id, name, values: input, at, key }));
  },
});

const scopeFor = async ({ services }: Server, { id }: Pick<TestUser, 'id'>): Promise<Scope> => {
  const scope = await scopeOfUser(services, id);
  if (scope === undefined) throw new Error(`there is no enabled user with the id ${id}`);
  return scope;
};

const scopesOf = (server: Server): MakeScope => {
  const { systemScope } = server.services;
  // One function for both overloads: the result depends on whether there is a user.
  const make = (user?: Pick<TestUser, 'id'>) =>
    user === undefined ? systemScope('test') : scopeFor(server, user);
  return make as MakeScope;
};

const joinTo = (
  server: Server,
  { clock, read }: MovedClock,
  mails: readonly TestMail[],
  tick: () => Promise<void>,
  close: () => Promise<void>,
): TestApplication => {
  const { services, config } = server;
  const ensureRole = async (role: string): Promise<void> => {
    const builtIn = builtInRoles.some((name) => name === role);
    if (!builtIn && !(await services.roles.exists(role))) await services.roles.create(role, actor);
  };
  const create = async (
    options: UserOptions = {},
  ): Promise<{ readonly user: TestUser; readonly token: () => Promise<string> }> => {
    const { roles: given = [], password } = checkOptions('user', options, userOptions);
    const roles = given.length === 0 ? ['viewer'] : given;
    for (const role of roles) await ensureRole(role);
    const hash = password === undefined ? noPassword() : await createPasswords().hash(password);
    const made = await createUser(services.users, roles, hash);
    const issue = () => ({ text: services.tokens.issue(made.id), until: read() + tokenLifetime * 1000 });
    let current = issue();
    const user = { ...made, token: current.text };
    // A clock that was moved on has ended the token: the user signs in again.
    const token = async (): Promise<string> => {
      if (read() >= current.until) current = issue();
      return current.text;
    };
    return { user: { ...user, ...clientOf(server, token) }, token };
  };
  const byRole = new Map<string, ReturnType<typeof create>>();
  const ofRole = (role: string): ReturnType<typeof create> => {
    const known = byRole.get(role) ?? create({ roles: [role] });
    byRole.set(role, known);
    return known;
  };
  return {
    as: (role) => clientOf(server, async () => (await ofRole(role)).token()),
    anonymous: clientOf(server, async () => undefined),
    user: async (options) => (await create(options)).user,
    grant: async (role, model, action) => {
      await ensureRole(role);
      await services.roles.grant({ role, model, action }, actor);
    },
    jobs: jobsOf(server, read, tick),
    mails,
    clock,
    scope: scopesOf(server),
    server,
    url: config.baseUrl,
    close,
    [Symbol.asyncDispose]: close,
  };
};

/**
 * Starts the application on an empty database of its own, which `close` removes.
 *     const app = await testApplication();
 *     const created = await app.as('viewer').post('/api/v1/notes', { note: { title: 'Hello' } });
 *     assert.equal(created.status, 201);
 */
export const testApplication = async (options: TestOptions = {}): Promise<TestApplication> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-test-'));
  const removeAtExit = (): void => rmSync(directory, { recursive: true, force: true });
  process.once('exit', removeAtExit);
  const removals: (() => Promise<void>)[] = [
    async () => {
      process.off('exit', removeAtExit);
      await rm(directory, { recursive: true, force: true });
    },
  ];
  const remove = async (): Promise<void> => {
    for (const step of removals.splice(0)) await step();
  };
  try {
    const moved = movedClock();
    const { application = '.', env = {} } = checkOptions('testApplication', options, testOptions);
    const loaded = typeof application === 'string' ? await loadApplication(application) : application;
    const mails: TestMail[] = [];
    const captureMail: ServerOptions['captureMail'] = ({ to, subject, text, html, locale }) =>
      void mails.push({ to, subject, text, html, locale });
    const server = await start(directory, loaded, env, removals, { clock: moved.read, captureMail });
    const tick = await tickerOf(server, loaded, moved);
    const close = async (): Promise<void> => {
      await server.close();
      await remove();
    };
    return joinTo(server, moved, mails, tick, close);
  } catch (error) {
    await remove();
    throw error;
  }
};
