import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { Network } from '../support/network.ts';
import {
  createPostgres,
  createPostgresDatabase,
  freePort,
  type PostgresServer,
} from '../support/postgres.ts';
import { ask } from './ask.ts';
import { Instance } from './instance.ts';
import type { Stored } from './ledger.ts';

export type DatabaseName = 'sqlite' | 'postgres';

const password = 'tulip-anvil-47 kettle';

/** Seeds a long public list: more than the system takes into the buffers of connections that are not read. */
const seed = `insert into notices (title, body, published, created_at, updated_at)
with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 6000)
select 'notice', :body, :yes, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from numbers`;

const seedSql = (yes: string): string => seed.replace(':body', `'${'x'.repeat(2_000)}'`).replace(':yes', yes);

/** The parts beneath the service: to be inspected, and to be broken. */
export interface Beneath {
  run(sql: string): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** The file beside the service, opened for each look: what is asked about is what lies on the disk. */
const beneathSqlite = (path: string): Beneath => ({
  run: async (sql) => {
    const database = new DatabaseSync(path, { timeout: 10_000 });
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  },
  close: async () => {},
});

const beneathPostgres = (url: string): Beneath => ({
  run: async (sql) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  },
  close: async () => {},
});

/** The service under siege: on SQLite one instance, on PostgreSQL two, of which the first is reached through a proxy. */
export class World {
  readonly database: DatabaseName;
  readonly directory: string;
  readonly instances: readonly Instance[];
  readonly beneath: Beneath;
  readonly postgres: PostgresServer | undefined;
  readonly network: Network | undefined;
  #token: Promise<string> | undefined;

  constructor(
    parts: Pick<World, 'database' | 'directory' | 'instances' | 'beneath' | 'postgres' | 'network'>,
  ) {
    this.database = parts.database;
    this.directory = parts.directory;
    this.instances = parts.instances;
    this.beneath = parts.beneath;
    this.postgres = parts.postgres;
    this.network = parts.network;
  }

  /** The instance that most scenarios attack. */
  get first(): Instance {
    const [first] = this.instances;
    if (first === undefined) throw new Error('a world without an instance');
    return first;
  }

  get file(): string {
    return join(this.directory, 'gatewright.db');
  }

  /** A token of the administrator's; requested again after `forgetToken`. */
  token(): Promise<string> {
    this.#token ??= this.login().catch((error: unknown) => {
      this.#token = undefined;
      throw error;
    });
    return this.#token;
  }

  forgetToken(): void {
    this.#token = undefined;
  }

  /** Signs in at the first instance that responds. */
  async login(timeoutMs = 20_000): Promise<string> {
    const origin = (this.instances.find(({ ended }) => !ended) ?? this.first).origin;
    const { status, data } = await ask('POST', `${origin}/api/v1/auth/login`, {
      body: { account: 'root', password },
      timeoutMs,
    });
    if (status !== 200) throw new Error(`the sign-in was answered ${status}`);
    return (data as { token: string }).token;
  }

  async stored(): Promise<readonly Stored[]> {
    const rows = await this.beneath.run('select mark, value from entries');
    return rows.map(({ mark, value }) => ({ mark: String(mark), value: Number(value) }));
  }

  async end(): Promise<void> {
    for (const instance of this.instances) await instance.end('SIGKILL');
    await this.beneath.close();
    await this.network?.close();
    await this.postgres?.remove();
    await rm(this.directory, { recursive: true, force: true });
  }
}

const environment = (directory: string, url: string): Record<string, string> => ({
  DATA_DIR: directory,
  DATABASE_URL: url,
  CREDENTIALS_FILE: join(directory, 'credentials.age'),
  CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
  JWT_SECRET: randomBytes(32).toString('hex'),
  ADMIN_USERNAME: 'root',
  ADMIN_PASSWORD: password,
  HANDLER_TIMEOUT: '2',
  // Strangers come from many networks: the siege speaks as the proxy in front of the service would.
  TRUST_PROXY: 'loopback',
});

const overSqlite = async (directory: string): Promise<World> => {
  const path = join(directory, 'gatewright.db');
  const instances = [new Instance(await freePort(), environment(directory, `sqlite:${path}`))];
  const beneath = beneathSqlite(path);
  return new World({
    database: 'sqlite',
    directory,
    instances,
    beneath,
    postgres: undefined,
    network: undefined,
  });
};

const overPostgres = async (directory: string): Promise<World> => {
  // Unlike in other tests, what is acknowledged here has to survive the server's end.
  const postgres = await createPostgres(['synchronous_commit=on', 'max_connections=60']);
  await postgres.start();
  const url = await createPostgresDatabase(postgres.url);
  const network = await Network.before(url);
  const env = environment(directory, network.url);
  const instances = [
    new Instance(await freePort(), env),
    new Instance(await freePort(), { ...env, DATABASE_URL: url }),
  ];
  return new World({
    database: 'postgres',
    directory,
    instances,
    beneath: beneathPostgres(url),
    postgres,
    network,
  });
};

/** Builds a world with its data and starts its instances. */
export const createWorld = async (database: DatabaseName): Promise<World> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-siege-'));
  const world = await (database === 'sqlite' ? overSqlite(directory) : overPostgres(directory));
  try {
    for (const instance of world.instances) await instance.start('stalled pipe');
    await world.beneath.run(seedSql(database === 'sqlite' ? '1' : 'true'));
    return world;
  } catch (error) {
    await world.end();
    throw error;
  }
};
