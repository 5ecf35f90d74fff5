/** Measures the service beside the bare server, in turn, in one run, and prints one table. `--json` for machines. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Job, Result } from './load.ts';
import { benchToken, onCore, pinned, prepareData, type Running, startBare, startService } from './servers.ts';

const run = promisify(execFile);

const options = {
  json: process.argv.includes('--json'),
  rounds: Number(process.env['BENCH_ROUNDS'] ?? 5),
  milliseconds: Number(process.env['BENCH_MS'] ?? 1500),
  only: process.argv.find((argument) => argument.startsWith('--only='))?.slice(7),
};

const notes = 10_000;
const data = prepareData(notes);
const token = benchToken();

const request = (method: string, path: string, headers: readonly string[], body = ''): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...headers,
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    body,
  ].join('\r\n');

const jwt = [`Authorization: Bearer ${token}`];
const key = [`X-Api-Key: ${data.key}`];

interface Case {
  readonly name: string;
  readonly service: readonly string[];
  readonly connections: number;
  readonly expect: number;
  /** Ratio to the bare server that design.md asks for. */
  readonly target?: number;
  /** Compared with these requests to the service itself instead of the bare server. */
  readonly beside?: readonly string[];
}

const orders = Array.from({ length: 50 }, (_, index) => `/api/v1/orders/${1 + ((index * 197) % 1000)}`);
const details = Array.from({ length: 50 }, (_, index) => `/api/v1/notes/${1 + ((index * 197) % notes)}`);
const get = (path: string, headers = jwt): readonly string[] => [request('GET', path, headers)];
const body = '{"note":{"title":"Note {n}","body":"The body of a new note, some words long"}}';
const sized = (method: string, path: string): readonly string[] => [
  request(method, path, jwt, body.replace('{n}', '000000000')).replace('Note 000000000', 'Note {n}'),
];

const cases: readonly Case[] = [
  { name: 'health', service: get('/api/v1/health', []), connections: 32, expect: 200, target: 0.9 },
  {
    name: 'detail, JWT',
    service: details.flatMap((path) => get(path)),
    connections: 32,
    expect: 200,
    target: 1.15,
  },
  {
    name: 'order by API key / JWT',
    service: orders.map((path) => request('GET', path, key)),
    beside: orders.flatMap((path) => get(path)),
    connections: 32,
    expect: 200,
    target: 0.9,
  },
  {
    name: 'page of 20, JWT',
    service: get('/api/v1/notes?page=3&per_page=20'),
    connections: 32,
    expect: 200,
    target: 1.35,
  },
  {
    name: '1,000 rows, JWT',
    service: get('/api/v1/notes?page=2&per_page=1000'),
    connections: 8,
    expect: 200,
    target: 1.5,
  },
  {
    name: 'filtered, sorted, 20',
    service: get(`/api/v1/notes?page=1&per_page=20&sort=title&filter[title][gte]=Note%20000009900`),
    connections: 8,
    expect: 200,
  },
  {
    name: 'create, durable',
    service: sized('POST', '/api/v1/notes'),
    connections: 32,
    expect: 201,
    target: 8,
  },
  { name: 'update, durable', service: sized('PATCH', '/api/v1/notes/77'), connections: 32, expect: 200 },
];

interface Measured extends Result {
  readonly perSecond: number;
  /** Microseconds of the server's CPU per request. */
  readonly cpu: number;
}

const measure = async (
  server: Running,
  requests: readonly string[],
  one: Case,
  milliseconds: number,
): Promise<Measured> => {
  const job: Job = {
    port: server.port,
    connections: one.connections,
    milliseconds,
    requests,
    expect: one.expect,
  };
  const [command, args] = onCore(1, process.execPath, ['bench/load.ts', JSON.stringify(job)]);
  const before = server.cpu();
  const { stdout } = await run(command, args, { maxBuffer: 1 << 26 });
  const result = JSON.parse(stdout) as Result;
  if (result.failures > 0)
    throw new Error(`${one.name} on ${server.name}: ${result.failures} unexpected answers`);
  const cpu = ((server.cpu() - before) / result.requests) * 1e6;
  return { ...result, perSecond: result.requests / result.seconds, cpu };
};

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

interface Row {
  readonly name: string;
  readonly service: { perSecond: number; p50: number; p99: number; cpu: number };
  readonly bare: { perSecond: number; p50: number; p99: number; cpu: number };
  readonly ratio: number;
  readonly cpuRatio: number;
  readonly target: number | undefined;
  readonly held: boolean | undefined;
}

const middle = (results: readonly Measured[]) => ({
  perSecond: median(results.map((result) => result.perSecond)),
  p50: median(results.map((result) => result.p50)),
  p99: median(results.map((result) => result.p99)),
  cpu: median(results.map((result) => result.cpu)),
});

const compare = async (bare: Running, service: Running, one: Case): Promise<Row> => {
  const found = { bare: [] as Measured[], service: [] as Measured[] };
  for (let round = -1; round < options.rounds; round++) {
    const milliseconds = round < 0 ? 400 : options.milliseconds;
    const [server, requests] = one.beside === undefined ? [bare, one.service] : [service, one.beside];
    const bareResult = await measure(server, requests, one, milliseconds);
    const serviceResult = await measure(service, one.service, one, milliseconds);
    if (round < 0) continue;
    found.bare.push(bareResult);
    found.service.push(serviceResult);
  }
  const [own, other] = [middle(found.service), middle(found.bare)];
  const ratio = median(
    found.service.map((result, index) => result.perSecond / (found.bare[index]?.perSecond ?? 1)),
  );
  return {
    name: one.name,
    service: own,
    bare: other,
    ratio,
    cpuRatio: other.cpu / own.cpu,
    target: one.target,
    held: one.target === undefined ? undefined : ratio >= one.target,
  };
};

const number = (value: number, digits = 0): string =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

const print = (row: Row): void => {
  const { service, bare } = row;
  const held = row.held === undefined ? '' : row.held ? 'held' : 'NOT HELD';
  process.stdout.write(
    `| ${row.name.padEnd(22)} | ${number(service.perSecond).padStart(8)} | ${number(bare.perSecond).padStart(8)} | ${number(service.p50, 2)} / ${number(service.p99, 2)} | ${number(service.cpu).padStart(5)} | ${number(bare.cpu).padStart(5)} | ${number(row.ratio, 2)} | ${number(row.cpuRatio, 2)} | ${row.target ?? ''} | ${held} |\n`,
  );
};

const bare = await startBare(data);
const service = await startService(data);
const rows: Row[] = [];
try {
  if (!options.json)
    process.stdout.write(
      `${pinned ? 'server and load on a core each' : 'not pinned: taskset is missing'}; ${options.rounds} rounds of ${options.milliseconds} ms; resident ${number(service.memory() / 1e6)} MB\n\n| case | req/s | bare | p50 / p99 ms | CPU µs | bare | ratio | CPU ratio | target | |\n|---|---|---|---|---|---|---|---|---|---|\n`,
    );
  for (const one of cases) {
    if (options.only !== undefined && !one.name.includes(options.only)) continue;
    const row = await compare(bare, service, one);
    rows.push(row);
    if (!options.json) print(row);
  }
  if (options.json) process.stdout.write(`${JSON.stringify({ pinned, rounds: options.rounds, rows })}\n`);
} finally {
  await Promise.all([bare.stop(), service.stop()]);
  data.remove();
}
