/**
 * Checkouts of `examples/shop` per second, beside the same transaction by hand, in turn, in one run.
 *
 *     npm run bench:checkout -- [--database=sqlite|postgres] [--rounds=5] [--ms=1500] [--connections=32]
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { callers, spread } from './callers.ts';
import { commandLine, environment, password, root, token } from './data.ts';
import { type Measured, measure, median, middle } from './measure.ts';
import { numbers } from './place.ts';
import { durablePostgres } from './postgres.ts';
import { isPinned, type Running, start } from './processes.ts';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    rounds: { type: 'string', default: '5' },
    ms: { type: 'string', default: '1500' },
    connections: { type: 'string', default: '32' },
  },
});
const shop = join(root, 'examples/shop');
const products = 1_000;
const stock = 100_000_000;

/** Users 2 to 32 beside the first, and a customer of each with the same id. */
const rows = (flag: string, now: string): string => `
  insert into users (username, username_canonical, email, email_canonical, name, password_hash, created_at, updated_at)
    ${numbers(callers - 1)} select 'u' || i, 'u' || i, i || '@u.example', i || '@u.example', 'U', '-', ${now}, ${now} from n;
  insert into user_roles (user_id, role) select id, 'viewer' from users where id > 1;
  insert into customers (name, email, address, user_id, created_at, updated_at)
    ${numbers(callers)} select 'Ann ' || i, i || '@ann.example', i || ' Road', i, ${now}, ${now} from n;
  insert into products (sku, name, price, stock, active, created_at, updated_at)
    ${numbers(products)} select 'SKU-' || i, 'Product ' || i, 100, ${stock}, ${flag}, ${now}, ${now} from n`;

const prepare = (env: Readonly<Record<string, string>>): void => {
  const gatewright = commandLine(env, shop);
  gatewright(['migrate']);
  const user = ['--username', 'bench', '--email', 'bench@example.com', '--role', 'viewer'];
  gatewright(['user', 'create', ...user, '--password-stdin'], password);
};

interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly bare: string;
  readonly remove: () => Promise<void>;
}

const onSqlite = async (directory: string): Promise<Place> => {
  const file = join(directory, 'service', 'gatewright.db');
  mkdirSync(join(directory, 'service'));
  const env = environment(join(directory, 'service'), `sqlite:${file}`);
  prepare(env);
  const db = new DatabaseSync(file);
  db.exec(`${rows('1', "'2026-01-01T00:00:00.000Z'")}; pragma wal_checkpoint(truncate); analyze`);
  db.close();
  const bare = join(directory, 'bare.db');
  cpSync(file, bare);
  return { env, bare, remove: async () => {} };
};

const onPostgres = async (directory: string): Promise<Place> => {
  const server = await durablePostgres();
  await server.start();
  const urlOf = (name: string): string => server.url.replace(/\/postgres(?=\?|$)/, `/${name}`);
  const run = async (url: string, sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  await run(server.url, 'create database service');
  const env = environment(directory, urlOf('service'));
  prepare(env);
  await run(urlOf('service'), `${rows('true', 'now()')}; analyze`);
  await run(server.url, 'create database bare template service');
  return {
    env,
    bare: urlOf('bare'),
    remove: async () => {
      await server.stop();
      await server.remove();
    },
  };
};

/** Each by the next user, of another product. */
const requests = spread(products, products).map((product, index) => {
  const caller = 1 + (index % callers);
  const body = `{"customer":${caller},"lines":[{"product":${product},"quantity":1}]}`;
  return [
    'POST /api/v1/checkout HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: Bearer ${token(caller)}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n');
});

const load = (server: Running, milliseconds: number): Promise<Measured> =>
  measure(server, { connections: Number(options.connections), milliseconds, requests, expect: 201 });

const directory = mkdtempSync(join(tmpdir(), 'gatewright-checkout-'));
const place = await (options.database === 'postgres' ? onPostgres : onSqlite)(directory);
const started: Running[] = [];
try {
  const bare = await start('bare', ['bench/bare-checkout.ts'], {
    DATABASE: place.bare,
    JWT_SECRET: place.env['JWT_SECRET'] ?? '',
  });
  started.push(bare);
  const command = ['--max-semi-space-size=8', join(root, 'bin/gatewright.js'), 'start'];
  const service = await start('gatewright', command, place.env, shop);
  started.push(service);
  for (const server of [bare, service]) await load(server, 3_000);
  const [ours, theirs]: [Measured[], Measured[]] = [[], []];
  for (let round = 0; round < Number(options.rounds); round += 1) {
    theirs.push(await load(bare, Number(options.ms)));
    ours.push(await load(service, Number(options.ms)));
  }
  const ratios = ours.map((each, index) => each.perSecond / (theirs[index]?.perSecond ?? 1));
  const [mine, other] = [middle(ours), middle(theirs)];
  const figures = ({ perSecond, p50, p99, cpu }: typeof mine): string =>
    `${Math.round(perSecond)} checkouts/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${Math.round(cpu)} µs CPU`;
  process.stdout.write(
    [
      `${options.database}, ${options.connections} connections, ${products} products${isPinned ? '; server and load on a core each' : ''}`,
      `service: ${figures(mine)}`,
      `by hand: ${figures(other)}`,
      `ratio: ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
      '',
    ].join('\n'),
  );
} finally {
  for (const server of started) await server.stop();
  await place.remove();
  rmSync(directory, { recursive: true, force: true });
}
