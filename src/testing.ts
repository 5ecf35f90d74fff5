import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Application, loadApplication } from './application.ts';
import { canonicalAccount } from './auth/account.ts';
import { identifiedUser } from './auth/identified-user.ts';
import { createPasswords } from './auth/password.ts';
import { formatPhc } from './auth/phc.ts';
import { readConfig } from './config.ts';
import { apiArea } from './endpoints/resources/area.ts';
import { checkedModels } from './endpoints/shared.ts';
import type { HttpMethod } from './http/endpoint.ts';
import { type JobRuns, runByHand } from './jobs/by-hand.ts';
import { systemClock } from './kernel/clock.ts';
import type { Json, JsonObject } from './kernel/json.ts';
import { anything, known, type OptionTable } from './kernel/options.ts';
import { applyMigrations } from './migrate.ts';
import type { Scope } from './model/scope.ts';
import { builtInRoles, superAdmin } from './policy/rule.ts';
import { createServer, type Server } from './server.ts';
import { databaseTarget } from './store/dialects/targets.ts';
import { openDatabase } from './store/open.ts';
import type { Actor } from './store/tables/audit.ts';
import { createUserStore, type UserStore } from './store/tables/users.ts';

/** For the tests of an application: the application itself, in this process, on a database of its own. */

export interface TestOptions {
  /** Folder of the application, or the application itself; the current folder unless given. */
  readonly application?: string | Application;
  /** Variables of the configuration beside those that the test sets itself (DATA_DIR, secrets, LOG_LEVEL, PORT). */
  readonly env?: Readonly<Record<string, string>>;
}

/** An answer. `data`, `message` and `code` are those of the envelope. */
export interface TestResponse {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly text: string;
  readonly code: number;
  readonly message: string;
  readonly data: TestData;
}

/** The payload, to be looked into without a type: a test that reads what is not there fails. */
export type TestData = Json & { readonly [key: string]: TestData } & readonly TestData[];

/** Sends a body as JSON; a text or bytes as they are, whose type a header may name. */
type Send = (
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<TestResponse>;

/** Somebody who calls the API. */
export interface TestClient {
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<TestResponse>;
  readonly post: Send;
  readonly patch: Send;
  readonly put: Send;
  readonly delete: (path: string, headers?: Readonly<Record<string, string>>) => Promise<TestResponse>;
}

/** A user of the service, who calls with a token of theirs. */
export interface TestUser extends TestClient {
  readonly id: number;
  readonly username: string;
  readonly token: string;
}

/** @public */
export type { FailedRun, JobRun, JobRuns } from './jobs/by-hand.ts';

/** A job that waits. */
export interface EnqueuedJob {
  readonly id: number;
  readonly name: string;
  readonly values: JsonObject;
  /** From when on it runs. */
  readonly at: string;
  readonly key: string | null;
}

/** The application's jobs, which run when the test says so (unless `env` says `JOBS: 'on'`). */
export interface TestJobs {
  /**
   * Runs everything that is due, and what it enqueues, to its end; with `all` also what waits for later when this is
   * called. No job runs twice in a call; what failed waits for its next attempt, which `all` runs.
   */
  readonly run: (options?: { readonly all?: boolean }) => Promise<JobRuns>;
  /** What waits, the first to run first. */
  readonly enqueued: () => Promise<readonly EnqueuedJob[]>;
}

export interface UserOptions {
  /** `viewer` unless given. One that is not there is made. */
  readonly roles?: readonly string[];
  /** What they sign in with; without one they cannot, which no other call needs. */
  readonly password?: string;
}

/** Makes scopes, by which a test works with the application's data as its own code does. */
export interface MakeScope {
  /** Acts for the system, as a job does: no permissions, all rows and fields; the reason in the audit list is `test`. */
  (): Scope<'all'>;
  /**
   * Acts for a user, as an endpoint does whom they call with a token. Roles and grants are those of now, as a request
   * would read them: make another one behind a `grant`.
   * @throws Error for a user who is not there any more, or is disabled
   */
  (user: Pick<TestUser, 'id'>): Promise<Scope>;
}

export interface TestApplication {
  /** Calls as a user with this role; always the same user for the same role. A role that is not there is made. */
  readonly as: (role: string) => TestClient;
  /** Calls without any credentials. */
  readonly anonymous: TestClient;
  /** Makes one more user, with these roles. */
  readonly user: (options?: UserOptions) => Promise<TestUser>;
  /** Grants a role an action (`create`, `update`, `destroy`, `read`) on a model, as an administrator does. */
  readonly grant: (role: string, model: string, action: string) => Promise<void>;
  readonly jobs: TestJobs;
  readonly scope: MakeScope;
  readonly server: Server;
  /** Address that it answers on, for whatever needs a connection. */
  readonly url: string;
  readonly close: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

const actor: Actor = { principal: 'command line', address: null };

/** A hash of no password at all: computing a real one takes longer than most tests. */
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

const responseOf = ({ status, headers, text }: Awaited<ReturnType<Server['inject']>>): TestResponse => {
  const envelope = (): { code: number; message: string; data: TestData } => {
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new Error(`${status} with a body that is no JSON: ${text.slice(0, 200)}`, { cause });
    }
  };
  return {
    status,
    headers,
    text,
    get code() {
      return envelope().code;
    },
    get message() {
      return envelope().message;
    },
    get data() {
      const { data, message } = envelope();
      if (data === undefined) throw new Error(`${status} without data: ${message}`);
      return data;
    },
  };
};

/** A text or bytes are sent as they are; name their type in a header where it is not JSON. */
const isWritten = (body: unknown): body is string | Uint8Array =>
  typeof body === 'string' || body instanceof Uint8Array;

/** Sends requests through the whole service, with the token that the promise brings. */
const clientOf = (server: Server, token: () => Promise<string | undefined>): TestClient => {
  const send = async (
    method: HttpMethod,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestResponse> => {
    const bearer = await token();
    const answer = await server.inject({
      method,
      path,
      headers: {
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isWritten(body) ? body : JSON.stringify(body) }),
    });
    return responseOf(answer);
  };
  return {
    get: (path, headers) => send('GET', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    patch: (path, body, headers) => send('PATCH', path, body, headers),
    put: (path, body, headers) => send('PUT', path, body, headers),
    delete: (path, headers) => send('DELETE', path, undefined, headers),
  };
};

/** The database with its first user, so that the start does not have to hash a password for one. */
const prepareDatabase = async (url: string, application: Application): Promise<void> => {
  const target = databaseTarget(url);
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

const start = async (directory: string, options: TestOptions): Promise<Server> => {
  const { application = '.', env = {} } = known('testApplication', options, testOptions);
  const loaded = typeof application === 'string' ? await loadApplication(application) : application;
  const config = readConfig({
    LOG_LEVEL: 'silent',
    JOBS: 'off',
    PORT: '0',
    DATA_DIR: directory,
    JWT_SECRET: randomBytes(32).toString('hex'),
    CREDENTIALS_FILE: join(directory, 'credentials.age'),
    CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
    ...env,
  });
  await prepareDatabase(config.databaseUrl, loaded);
  return createServer({ config, application: loaded, logger: pino({ level: config.logLevel }) });
};

const jobsOf = ({ services, jobs: { outbox, names, perform } }: Server): TestJobs => ({
  run: ({ all = false } = {}) =>
    runByHand(outbox, new Set(names), perform({ systemScope: services.systemScope, watch: undefined }), all),
  enqueued: async () =>
    (await outbox.waiting()).map(({ id, name, input, at, key }) => ({ id, name, values: input, at, key })),
});

const scopeFor = async ({ services }: Server, { id }: Pick<TestUser, 'id'>): Promise<Scope> => {
  const models = checkedModels([...services.resources.values()].map(({ model }) => model));
  const identity = await services.identities.byUserId(id, models);
  if (identity === undefined) throw new Error(`there is no enabled user with the id ${id}`);
  const principal = identifiedUser(identity, 'jwt');
  return services.scopeOf({
    principal,
    area: apiArea,
    actor: () => ({ principal, address: null }),
    depth: 0,
  });
};

const scopesOf = (server: Server): MakeScope => {
  const { systemScope } = server.services;
  // One function for both overloads: what it answers follows from whether there is a user.
  const make = (user?: Pick<TestUser, 'id'>) =>
    user === undefined ? systemScope('test') : scopeFor(server, user);
  return make as MakeScope;
};

const joinTo = (server: Server, close: () => Promise<void>): TestApplication => {
  const { services, config } = server;
  const ensureRole = async (role: string): Promise<void> => {
    const builtIn = builtInRoles.some((name) => name === role);
    if (!builtIn && !(await services.roles.exists(role))) await services.roles.create(role, actor);
  };
  const user: TestApplication['user'] = async (options = {}) => {
    const { roles = ['viewer'], password } = known('user', options, userOptions);
    for (const role of roles) await ensureRole(role);
    const hash = password === undefined ? noPassword() : await createPasswords().hash(password);
    const made = await createUser(services.users, roles, hash);
    const token = services.tokens.issue(made.id);
    return { ...made, token, ...clientOf(server, async () => token) };
  };
  const byRole = new Map<string, Promise<TestUser>>();
  const ofRole = (role: string): Promise<TestUser> => {
    const known = byRole.get(role) ?? user({ roles: [role] });
    byRole.set(role, known);
    return known;
  };
  return {
    as: (role) => clientOf(server, async () => (await ofRole(role)).token),
    anonymous: clientOf(server, async () => undefined),
    user,
    grant: async (role, model, action) => {
      await ensureRole(role);
      await services.roles.grant({ role, model, action }, actor);
    },
    jobs: jobsOf(server),
    scope: scopesOf(server),
    server,
    url: config.baseUrl,
    close,
    [Symbol.asyncDispose]: close,
  };
};

/**
 * Starts the application on an empty database of its own, which is gone after `close`.
 *
 *     const app = await testApplication();
 *     const created = await app.as('viewer').post('/api/v1/notes', { note: { title: 'Hello' } });
 *     assert.equal(created.status, 201);
 */
export const testApplication = async (options: TestOptions = {}): Promise<TestApplication> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-test-'));
  const removeAtExit = (): void => rmSync(directory, { recursive: true, force: true });
  process.once('exit', removeAtExit);
  const remove = async (): Promise<void> => {
    process.off('exit', removeAtExit);
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const server = await start(directory, options);
    const close = async (): Promise<void> => {
      await server.close();
      await remove();
    };
    return joinTo(server, close);
  } catch (error) {
    await remove();
    throw error;
  }
};
