/**
 * Measures how the service's times grow: with rows, page depth, connections and bodies. Writes figures and plots. Each
 * request comes from the next of 32 users and asks for another record or page.
 *     npm run bench:growth -- [--rows=1000000] [--out=docs/contributing/speed]
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { callerKey, callers, spread } from './callers.ts';
import { ownerOf, sqliteData, token } from './data.ts';
import { measure, median } from './measure.ts';
import { type Plot, type Series, toSvg } from './plot.ts';
import { type Running, startService } from './processes.ts';
import { numbered, request } from './request.ts';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    out: { type: 'string', default: 'docs/contributing/speed' },
  },
});

const byToken = (index: number): string => `Authorization: Bearer ${token(1 + (index % callers))}`;

/** Each path by the next caller. */
const gets = (paths: readonly string[], header = byToken): readonly string[] =>
  paths.map((path, index) => request('GET', `/api/v1/${path}`, [header(index)]));

const notesOf = (ids: readonly number[]): readonly string[] => ids.map((id) => `notes/${id}`);

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
  const response = await fetch(url, { headers: { authorization: `Bearer ${token()}` } });
  await response.text();
  const cursor = /after=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1];
  if (cursor === undefined) throw new Error(`no cursor at ${depth}: ${response.status}`);
  return cursor;
};

/** Places of pages, at a depth and up to a tenth beyond it. */
const placesAt = (depth: number): readonly number[] =>
  spread(callers, callers).map((step) => depth + Math.floor((depth * step) / (10 * callers)));

const cursorPages = async (service: Running, depth: number, size: number): Promise<readonly string[]> => {
  const paths: string[] = [];
  for (const place of placesAt(depth))
    paths.push(`notes?after=${await cursorAt(service, place)}&per_page=${size}`);
  return gets(paths);
};

const measureDepth = async (service: Running, rows: number): Promise<void> => {
  for (let depth = 10; depth <= rows / 10; depth *= 10) {
    const pages = placesAt(depth).map((place) => `notes?page=${Math.ceil(place / 10)}&per_page=10`);
    add(byDepth, 'page by number', depth, await latency(service, gets(pages)));
    add(byDepth, 'page by cursor', depth, await latency(service, await cursorPages(service, depth, 10)));
  }
};

const measureConnections = async (service: Running, rows: number): Promise<void> => {
  for (const connections of [1, 4, 16, 64, 256, 512]) {
    const requests = gets(notesOf(spread(3_200, rows)));
    const result = await measure(service, { connections, expect: 200, requests, milliseconds: 1500 });
    byConnections.push([connections, result.perSecond]);
    process.stdout.write(
      `${connections} connections: ${Math.round(result.perSecond)} req/s, p99 ${result.p99.toFixed(1)} ms\n`,
    );
  }
};

const measureBodies = async (service: Running): Promise<void> => {
  for (let bytes = 1_000; bytes <= 1_000_000; bytes *= 10) {
    const body = JSON.stringify({ note: { title: 'Note {n}', body: 'x'.repeat(bytes - 60) } });
    const posts = Array.from({ length: callers }, (_, index) =>
      numbered('POST', '/api/v1/notes', [byToken(index)], body),
    );
    const milliseconds = await latency(service, posts, 1, 201);
    byBody.push([bytes, milliseconds]);
    process.stdout.write(`create with ${bytes} bytes: ${milliseconds.toFixed(2)} ms\n`);
  }
};

/** One of many users, whose roles and permissions have to be found among all others. */
const byMember = (index: number): string => `Authorization: Bearer ${token(callers + 1 + (index % callers))}`;

const measureRows = async (service: Running, rows: number): Promise<void> => {
  const details = notesOf(spread(320, rows));
  add(byRows, 'detail, JWT', rows, await latency(service, gets(details)));
  add(byRows, 'detail, JWT, by role', rows, await latency(service, gets(details, byMember)));
  const orders = spread(100, rows / 10);
  const keyed = orders.map((id) =>
    request('GET', `/api/v1/orders/${id}`, [`X-Api-Key: ${callerKey(ownerOf(id) - 1)}`]),
  );
  add(byRows, 'detail, API key', rows, await latency(service, keyed));
  add(byRows, 'page of 20 by cursor', rows, await latency(service, await cursorPages(service, rows / 2, 20)));
};

for (const rows of sizes) {
  const data = await sqliteData({ notes: rows, crowd: rows });
  const service = await startService(data);
  try {
    await measureRows(service, rows);
    if (rows === sizes.at(-1)) {
      await measureDepth(service, rows);
      await measureConnections(service, rows);
      await measureBodies(service);
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
