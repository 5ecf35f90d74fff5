import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Application, createApplication } from '../../src/app/application.ts';
import { readConfig } from '../../src/app/config.ts';
import { probePort } from '../../src/app/preflight.ts';
import { createServer, type Server, type ServerOptions } from '../../src/app/server.ts';
import { canonicalAccount } from '../../src/auth/account.ts';
import { signatureOf } from '../../src/auth/signature.ts';
import { run } from '../../src/cli/test-io.ts';
import type { DialectName } from '../../src/database/database.ts';
import { toQuery } from '../../src/database/statement.ts';
import { tablesOf } from '../../src/database/tables-of.ts';
import type { Peers } from '../../src/database/target.ts';
import { type MovableClock, movableClock } from './clock.ts';
import type { Conformance, Exchange } from './conformance.ts';
import { type Databases, testedServiceTables } from './databases.ts';
import { demandDescribed, describedBy } from './described.ts';
import { type Answer, type HttpClient, httpClient, type RequestOptions } from './http-client.ts';
import { isMapped, mappedApplication } from './mapped.ts';
import { commonPassword, hashOfCommonPassword, testPasswords } from './passwords.ts';
import { peersInProcess } from './peers.ts';
import { demandSound } from './sound-answer.ts';
import { withStoredNames } from './stored-names.ts';

export type { Answer, RequestOptions } from './http-client.ts';
export { commonPassword } from './passwords.ts';

export interface ServiceOptions {
  /** URL of the database; a fresh one unless given. */
  readonly url?: string;
  /** An application, or its parts. */
  readonly application?: Application | Parameters<typeof createApplication>[0];
  /** Beside what the service under test sets itself: PORT=0, DATA_DIR, DATABASE_URL, secrets, the administrator. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: MovableClock;
  /** Milliseconds that a caller may leave a long answer unread, or be slow with a long body. */
  readonly stallTimeoutMs?: number;
  /** Applications registered before the start with `gatewright app create`; their secrets are in `secrets`. */
  readonly apps?: readonly string[];
  /** Workers that take the requests in turn; as many as the databases say unless given. */
  readonly workers?: number;
  /** True if each password is hashed for as long as the service takes for it; see `testPasswords`. */
  readonly slowPasswords?: boolean;
  /** Times of jobs and webhooks that are other than the service's own. */
  readonly times?: Pick<ServerOptions, 'jobTimes' | 'webhookTimes'>;
}

/** A user whom a test made, with a token of theirs. */
export interface TestUser {
  readonly id: number;
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
}

export interface Key {
  readonly id: number;
  readonly name: string;
  readonly key: string;
  readonly expires_at: string | null;
  readonly created_at: string;
}

/** The three headers of a signed request. */
export type Signed = Readonly<Record<'x-app-id' | 'x-timestamp' | 'x-signature', string>>;

const administrator = { username: 'root', email: 'root@example.com', password: commonPassword } as const;

/** The parts of an application that has none: the service alone. */
const noApplication = {};

let users = 0;

interface Started {
  readonly server: Server;
  readonly client: HttpClient;
}

/** The real server on a database of its own, asked over HTTP. Everything is closed and removed by `close`. */
export class Service {
  readonly clock: MovableClock;
  /** Every line of the log, from level trace on. */
  readonly lines: string[] = [];
  /** Secrets of applications by app_id. */
  readonly secrets = new Map<string, string>();
  readonly dialect: DialectName;
  readonly #databases: Databases;
  readonly #options: ServiceOptions;
  readonly #others: Service[] = [];
  /** The workers. */
  #started: readonly Started[] = [];
  #requests = 0;
  #asksFirst = false;
  #admin: Promise<TestUser> | undefined;
  #description: Promise<Conformance> | undefined;
  #directory = '';
  /** The whole environment, for a second instance and for commands. */
  env: Readonly<Record<string, string>> = {};

  constructor(databases: Databases, options: ServiceOptions = {}) {
    this.dialect = databases.dialect;
    this.#databases = databases;
    this.#options = options;
    this.clock = options.clock ?? movableClock();
  }

  async start(): Promise<this> {
    this.#directory = await mkdtemp(join(tmpdir(), 'gatewright-service-'));
    const { url = await this.#freshDatabase(), env = {}, apps = [] } = this.#options;
    const directory = this.#directory;
    this.env = {
      PORT: '0',
      DATA_DIR: directory,
      DATABASE_URL: url,
      JWT_SECRET: createHash('sha256').update(url).digest('hex'),
      CREDENTIALS_FILE: join(directory, 'credentials.age'),
      CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
      ADMIN_USERNAME: administrator.username,
      ADMIN_EMAIL: administrator.email,
      ADMIN_PASSWORD: administrator.password,
      LOG_LEVEL: 'trace',
      ...env,
    };
    for (const app of apps) await this.createApp(app);
    const { workers = this.#databases.workers ?? 1 } = this.#options;
    const peers = peersInProcess();
    for (let worker = 0; worker < workers; worker += 1)
      await this.#startWorker(workers, workers > 1 ? peers() : undefined);
    return this;
  }

  /** A prepared database has the service's own tables under today's names. */
  #freshDatabase(): Promise<string> {
    const { serviceTables } = this.application.config;
    return serviceTables === undefined ? this.#databases.createForStart() : this.#databases.create();
  }

  async #startWorker(workers: number, peers: Peers | undefined): Promise<void> {
    const { stallTimeoutMs, times, slowPasswords = false } = this.#options;
    const [first] = this.#started;
    // Workers have one port. Here each has one of its own, so that a test knows which one it asks.
    const own = first && { BASE_URL: first.server.config.baseUrl };
    const server = await createServer({
      config: readConfig({ ...own, ...this.env, WORKERS: String(workers) }),
      application: this.application,
      clock: this.clock.now,
      sharedPort: first && (await probePort({ port: 0, host: first.server.config.host })),
      peers,
      passwords: slowPasswords ? undefined : testPasswords(),
      ...(stallTimeoutMs === undefined ? {} : { stallTimeoutMs }),
      ...times,
      logger: pino({ level: this.env['LOG_LEVEL'] ?? 'trace' }, { write: (line) => this.lines.push(line) }),
    });
    const { host, port } = server.config;
    const database = withStoredNames(server.services.database, testedServiceTables);
    const seen =
      testedServiceTables === undefined ? server : { ...server, services: { ...server.services, database } };
    this.#started = [...this.#started, { server: seen, client: httpClient(`http://${host}:${port}`) }];
  }

  get #source(): NonNullable<ServiceOptions['application']> {
    return this.#options.application ?? noApplication;
  }

  /** The application, with the prefix under test where it says none. */
  get application(): Application {
    const application = this.#source;
    const given = 'models' in application ? application : createApplication(application);
    const made = isMapped ? mappedApplication(given) : given;
    const { serviceTables = testedServiceTables } = made.config;
    return serviceTables === undefined ? made : { ...made, config: { ...made.config, serviceTables } };
  }

  get #running(): Started {
    const [first] = this.#started;
    if (first === undefined) throw new Error('the service has not been started');
    return first;
  }

  /** For a test that looks inside the process that it asks: until the end of its scope it asks the first worker only. */
  askFirstWorker(): Disposable {
    this.#asksFirst = true;
    return {
      [Symbol.dispose]: () => {
        this.#asksFirst = false;
      },
    };
  }

  #nextWorker(): Started {
    if (this.#asksFirst) return this.#running;
    this.#requests += 1;
    return this.#started[this.#requests % this.#started.length] ?? this.#running;
  }

  get server(): Server {
    return this.#running.server;
  }

  get port(): number {
    return this.server.config.port;
  }

  /** `http://127.0.0.1:PORT`, whatever BASE_URL says. */
  get origin(): string {
    return `http://${this.server.config.host}:${this.port}`;
  }

  /** Another instance on the same database, with the same secrets and clock; closed when this one is. */
  async secondInstance(options: Partial<ServiceOptions> = {}): Promise<Service> {
    const env = { ...this.env, ...options.env };
    const second = new Service(this.#databases, {
      ...this.#options,
      clock: this.clock,
      workers: 1,
      ...options,
      url: env['DATABASE_URL'] ?? '',
      apps: [],
      env,
    });
    this.#others.push(second);
    await second.start();
    for (const [app, secret] of this.secrets) second.secrets.set(app, secret);
    return second;
  }

  #secretTexts(): readonly string[] {
    return [this.env['JWT_SECRET'] ?? '', ...this.secrets.values()].filter((text) => text !== '');
  }

  /** Holds an answer to the API description of this service (see `demandDescribed`). */
  async demandDescribed(exchange: Exchange): Promise<void> {
    this.#description ??= describedBy(this.#source, this.application, this.server.config);
    demandDescribed(await this.#description, exchange);
  }

  /**
   * Asks, and demands of every answer what holds for all of them (see `demandSound`) and that it is as the API
   * description says.
   */
  async request<Data = Record<string, unknown>>(
    method: string,
    path: string,
    options?: RequestOptions,
  ): Promise<Answer<Data>> {
    const answer = await this.#nextWorker().client.request<Data>(method, path, options);
    const isPage = /^text\/|\/api-docs|\/account\/assets\//.test(`${answer.headers['content-type']}${path}`);
    const isPreflight = answer.status === 204 && method === 'OPTIONS';
    if (!isPage && !isPreflight) demandSound(`${method} ${path}`, answer, this.#secretTexts());
    const { status, headers, text } = answer;
    await this.demandDescribed({ method, path, status, headers, text });
    return answer;
  }

  get<Data = Record<string, unknown>>(path: string, options?: RequestOptions): Promise<Answer<Data>> {
    return this.request<Data>('GET', path, options);
  }

  post<Data = Record<string, unknown>>(path: string, options?: RequestOptions): Promise<Answer<Data>> {
    return this.request<Data>('POST', path, options);
  }

  delete(path: string, options?: RequestOptions): Promise<Answer> {
    return this.request('DELETE', path, options);
  }

  /** A request that must succeed; its data. */
  async ok<Data = Record<string, unknown>>(
    method: string,
    path: string,
    options?: RequestOptions,
  ): Promise<Data> {
    const answer = await this.request<Data>(method, path, options);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json.data as Data;
  }

  login(account: string, password: string, options: RequestOptions = {}) {
    return this.post<{ readonly token: string; readonly user: Omit<TestUser, 'password' | 'token'> }>(
      '/api/v1/auth/login',
      { ...options, body: { account, password } },
    );
  }

  /** Signs in to the administration area; returns the cookie as a browser would send it back. */
  async signIn(user: { readonly username: string; readonly password: string }): Promise<string> {
    const answer = await this.post('/admin/session', {
      body: { account: user.username, password: user.password },
    });
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    expect([answer.status, cookie]).toEqual([200, expect.stringContaining('gatewright_session=')]);
    return cookie.split(';')[0] ?? '';
  }

  /** A token like that of the login, without the price of a login. */
  async tokenOf(userId: number): Promise<string> {
    const { database, userTokens, tokens } = this.server.services;
    const user = tablesOf(database)
      .selectFrom('users')
      .select('security_stamp as stamp')
      .where('id', '=', userId);
    const row = await database.get<{ stamp: number }>(toQuery(user));
    const verified = { id: userId, securityStamp: row?.stamp ?? 0 };
    const issued = await userTokens.issue(verified, undefined, {
      principal: 'command line',
      address: null,
    });
    // A token of a disabled or missing user, which no login would return.
    return tokens.issue(userId, typeof issued === 'string' ? undefined : issued.expiry);
  }

  /** The first super_admin. */
  admin(): Promise<TestUser> {
    this.#admin ??= (async () => {
      const id = await this.server.services.users.idByAccount(administrator.username);
      if (id === undefined) throw new Error('there is no first administrator');
      // Nothing is written for it: the disk may be full.
      return { id, ...administrator, token: this.server.services.tokens.issue(id) };
    })();
    return this.#admin;
  }

  /** A user with these roles (viewer where none is given) and the common password, straight into the database. */
  async createUser(
    roles: readonly string[] = ['viewer'],
    values: { readonly username?: string; readonly email?: string; readonly name?: string } = {},
  ): Promise<TestUser> {
    users += 1;
    const { username = `user${users}`, email = `user${users}@example.com`, name = `User ${users}` } = values;
    const id = await this.server.services.users.create(
      {
        username,
        usernameCanonical: canonicalAccount(username),
        email,
        emailCanonical: canonicalAccount(email),
        name,
        passwordHash: await hashOfCommonPassword(),
        disabled: false,
        roles,
      },
      { principal: 'command line', address: null },
    );
    return { id, username, email, password: commonPassword, token: await this.tokenOf(id) };
  }

  /** A key of the user's, made through the API. `expiresAt` in ISO 8601. */
  createKey(user: TestUser, expiresAt?: string, scopes?: readonly string[]): Promise<Key> {
    const expiry = expiresAt === undefined ? {} : { expires_at: expiresAt };
    const restriction = scopes === undefined ? {} : { scopes };
    return this.ok<Key>('POST', '/api/v1/api_keys', {
      token: user,
      body: { api_key: { name: `key of ${user.username}`, ...expiry, ...restriction } },
    });
  }

  /** Runs a command of the command line in this service's environment. */
  async command(...argv: string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const { status, stdout, stderr } = await run(argv, { env: this.env, now: this.clock.now() });
    if (status !== 0) throw new Error(`gatewright ${argv.join(' ')}: ${status} ${stderr}`);
    return { stdout, stderr };
  }

  /** Registers an application as an operator does; resolves once the running service knows it. */
  async createApp(appId: string): Promise<string> {
    const { stdout } = await this.command('app', 'create', appId, '--json');
    const { api_secret: secret } = JSON.parse(stdout) as { api_secret: string };
    this.secrets.set(appId, secret);
    for (const { server } of this.#started) {
      const known = () => server.services.applications.applications().map(({ app_id }) => app_id);
      await expect.poll(known, { timeout: 5_000 }).toContain(appId);
    }
    return secret;
  }

  /** The headers of a signed request, at the service's own time unless stated otherwise. */
  sign(
    appId: string,
    body: string | Uint8Array,
    { secret = this.secrets.get(appId) ?? '', timestamp = String(this.clock.unix()) } = {},
  ): Signed {
    return {
      'x-app-id': appId,
      'x-timestamp': timestamp,
      'x-signature': signatureOf(secret, timestamp, body),
    };
  }

  async close(): Promise<void> {
    for (const other of this.#others.splice(0)) await other.close();
    const started = this.#started;
    this.#started = [];
    for (const { client, server } of started.toReversed()) {
      client.close();
      await server.close();
    }
    await rm(this.#directory, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** A service for part of a test: `await using service = await startService(databases, { … })`. */
export const startService = async (databases: Databases, options: ServiceOptions = {}): Promise<Service> => {
  const service = new Service(databases, options);
  try {
    return await service.start();
  } catch (error) {
    await service.close();
    throw error;
  }
};

/** A service for every test of a `describe`: started before the first, closed after the last. */
export const useService = (databases: Databases, options: ServiceOptions = {}): Service => {
  const service = new Service(databases, options);
  beforeAll(async () => {
    await service.start();
  });
  afterAll(() => service.close());
  return service;
};
