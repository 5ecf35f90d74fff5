/**
 * Measures how the service's times grow: with rows, page depth, connections and bodies. Writes figures and plots.
 *     npm run bench:growth -- [--rows=1000000] [--out=docs/contributing/speed]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { callerKey, callers } from './callers.ts';
import { ownerOf, sqliteData, token } from './data.ts';
import { measure, median } from './measure.ts';
import { type Plot, type Series, toSvg } from './plot.ts';
import { type Running, startService } from './processes.ts';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    out: { type: 'string', default: 'docs/contributing/speed' },
  },
});

const jwt = `Authorization: Bearer ${token()}`;
const get = (path: string, header = jwt): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${header}\r\n\r\n`;

/** Median latency in milliseconds of one request at a time, over three short rounds. */
const latency = async (
  service: Running,
  requests: readonly string[],
  connections = 1,
  expect = 200,
): Promise<number> => {
  const job = { connections, expect, requests, milliseconds: 600 };
  await measure(service, job);
  const rounds = [await measure(service, job), await measure(service, job), await measure(service, job)];
  return median(rounds.map(({ p50 }) => p50));
};

const sizes = [1_000, 10_000, 100_000, 1_000_000].filter((rows) => rows <= Number(options.rows));
const byRows: Record<string, [number, number][]> = {};
const byDepth: Record<string, [number, number][]> = {};
const byConnections: [number, number][] = [];
const byBody: [number, number][] = [];

const add = (into: Record<string, [number, number][]>, name: string, at: number, value: number): void => {
  into[name] ??= [];
  into[name].push([at, value]);
  process.stdout.write(`${name} at ${at.toLocaleString('en')}: ${value.toFixed(3)} ms\n`);
};

/** The cursor of the last row before a depth, as the service returns it. */
const cursorAt = async (service: Running, depth: number): Promise<string> => {
  const url = `http://127.0.0.1:${service.port}/api/v1/notes?per_page=1&filter[id][gte]=${depth}`;
  const response = await fetch(url, { headers: { authorization: jwt.slice(15) } });
  await response.text();
  const cursor = /after=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1];
  if (cursor === undefined) throw new Error(`no cursor at ${depth}: ${response.status}`);
  return cursor;
};

const measureDepth = async (service: Running, rows: number): Promise<void> => {
  for (let depth = 10; depth <= rows / 10; depth *= 10) {
    const page = get(`/api/v1/notes?page=${depth / 10}&per_page=10`);
    add(byDepth, 'page by number', depth, await latency(service, [page]));
    const cursor = await cursorAt(service, depth);
    add(
      byDepth,
      'page by cursor',
      depth,
      await latency(service, [get(`/api/v1/notes?after=${cursor}&per_page=10`)]),
    );
  }
};

const measureLoad = async (service: Running): Promise<void> => {
  for (const connections of [1, 4, 16, 64, 256, 512]) {
    const result = await measure(service, {
      connections,
      expect: 200,
      requests: [get('/api/v1/notes/7')],
      milliseconds: 1500,
    });
    byConnections.push([connections, result.perSecond]);
    process.stdout.write(
      `${connections} connections: ${Math.round(result.perSecond)} req/s, p99 ${result.p99.toFixed(1)} ms\n`,
    );
  }
  for (let bytes = 1_000; bytes <= 1_000_000; bytes *= 10) {
    const body = JSON.stringify({ note: { title: 'A long note', body: 'x'.repeat(bytes - 60) } });
    const post = `POST /api/v1/notes HTTP/1.1\r\nHost: 127.0.0.1\r\n${jwt}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const milliseconds = await latency(service, [post], 1, 201);
    byBody.push([bytes, milliseconds]);
    process.stdout.write(`create with ${bytes} bytes: ${milliseconds.toFixed(2)} ms\n`);
  }
};

for (const rows of sizes) {
  const data = await sqliteData({ notes: rows, crowd: rows });
  const service = await startService(data);
  try {
    const ids = Array.from({ length: 50 }, (_, index) => 1 + ((index * 7919) % rows));
    add(
      byRows,
      'detail, JWT',
      rows,
      await latency(
        service,
        ids.map((id) => get(`/api/v1/notes/${id}`)),
      ),
    );
    // One of many users, whose roles and permissions have to be found among all others.
    const member = `Authorization: Bearer ${token(callers + 1)}`;
    add(
      byRows,
      'detail, JWT, by role',
      rows,
      await latency(
        service,
        ids.map((id) => get(`/api/v1/notes/${id}`, member)),
      ),
    );
    const keyed = Array.from({ length: 50 }, (_, index) =>
      get(`/api/v1/orders/${1 + index}`, `X-Api-Key: ${callerKey(ownerOf(1 + index) - 1)}`),
    );
    add(byRows, 'detail, API key', rows, await latency(service, keyed));
    add(
      byRows,
      'page of 20 by cursor',
      rows,
      await latency(service, [get(`/api/v1/notes?after=${await cursorAt(service, rows / 2)}&per_page=20`)]),
    );
    if (rows === sizes.at(-1)) {
      await measureDepth(service, rows);
      await measureLoad(service);
    }
  } finally {
    await service.stop();
    await data.remove();
  }
}

const seriesOf = (figures: Readonly<Record<string, [number, number][]>>): Series[] =>
  Object.entries(figures).map(([name, points]) => ({ name, points }));

const plots: Readonly<Record<string, Plot>> = {
  rows: {
    title: 'Median time by rows, users, keys and permissions',
    x: 'of each',
    y: 'milliseconds',
    series: seriesOf(byRows),
  },
  depth: {
    title: 'Median time of a page of 10 by depth',
    x: 'rows before the page',
    y: 'milliseconds',
    series: seriesOf(byDepth),
  },
  connections: {
    title: 'Requests per second by connections',
    x: 'connections',
    y: 'requests per second',
    series: [{ name: 'detail, JWT', points: byConnections }],
  },
  body: {
    title: 'Median time of a durable create by body',
    x: 'bytes',
    y: 'milliseconds',
    series: [{ name: 'create', points: byBody }],
  },
};
mkdirSync(options.out, { recursive: true });
for (const [name, plot] of Object.entries(plots))
  writeFileSync(join(options.out, `${name}.svg`), toSvg(plot));
writeFileSync(
  join(options.out, 'growth.json'),
  `${JSON.stringify({ byRows, byDepth, byConnections, byBody }, null, 2)}\n`,
);
