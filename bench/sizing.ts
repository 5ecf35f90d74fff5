/**
 * Measures the memory of a process of the service: after the start, under load, with idle connections, and with a
 * limited heap; and its throughput with that heap.
 *     npm run bench:sizing
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { callers, spread } from './callers.ts';
import { type Data, sqliteData, token } from './data.ts';
import { measure } from './measure.ts';
import { type Running, start } from './processes.ts';

const notes = 100_000;

/** Limits of the heap in megabytes; 0 is none. */
const heaps = [0, 512, 256, 128, 64];

const requestOf = (path: string, user: number): string =>
  [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: Bearer ${token(user)}`, '', ''].join('\r\n');

const details = spread(1_600, notes).map((id, index) =>
  requestOf(`/api/v1/notes/${id}`, 1 + (index % callers)),
);
const lists = spread(callers, notes / 1000).map((page, index) =>
  requestOf(`/api/v1/notes?page=${page}&per_page=1000`, 1 + index),
);

const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0);
const line = (cells: readonly (string | number)[]): void =>
  void process.stdout.write(`| ${cells.join(' | ')} |\n`);

const startWith = (data: Data, heap: number): Promise<Running> =>
  start(
    'gatewright',
    [
      ...(heap === 0 ? [] : [`--max-old-space-size=${heap}`]),
      ...['--max-semi-space-size=8', 'bin/gatewright.js', 'start'],
    ],
    data.service,
  );

const load = (server: Running, requests: readonly string[], connections: number) =>
  measure(server, { connections, expect: 200, requests, milliseconds: 5_000 });

/** Opens connections that send one request each and then stay idle. */
const idleConnections = async (port: number, count: number): Promise<readonly Socket[]> => {
  const sockets: Socket[] = [];
  for (let opened = 0; opened < count; opened += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.write(details[0] ?? '');
    await once(socket, 'data');
    sockets.push(socket);
  }
  return sockets;
};

const measureHeap = async (data: Data, heap: number): Promise<void> => {
  const server = await startWith(data, heap);
  try {
    await delay(2_000);
    const idle = server.memory();
    await load(server, details, 32);
    const shown = await load(server, details, 32);
    const afterDetails = server.memory();
    await load(server, lists, 32);
    const listed = await load(server, lists, 32);
    const afterLists = server.memory();
    line([
      ...[heap === 0 ? 'none' : `${heap} MB`, megabytes(idle)],
      ...[megabytes(afterDetails), shown.perSecond.toFixed(0), shown.p99.toFixed(1)],
      ...[megabytes(afterLists), listed.perSecond.toFixed(0), listed.p99.toFixed(0)],
    ]);
  } catch (error) {
    line([`${heap} MB`, error instanceof Error ? error.message : String(error)]);
  } finally {
    await server.stop();
  }
};

const measureConnections = async (data: Data): Promise<void> => {
  const server = await startWith(data, 0);
  try {
    await load(server, details, 32);
    await delay(1_000);
    const before = server.memory();
    line(['connections', 'MB', 'KB each']);
    line(['---', '---', '---']);
    const sockets: Socket[] = [];
    for (const count of [1_000, 5_000, 9_000]) {
      sockets.push(...(await idleConnections(server.port, count - sockets.length)));
      const memory = server.memory();
      line([count, megabytes(memory), ((memory - before) / 1024 / count).toFixed(1)]);
    }
    for (const socket of sockets) socket.destroy();
  } finally {
    await server.stop();
  }
};

const data = await sqliteData({ notes });
try {
  line(['heap', 'started, MB', 'details, MB', 'req/s', 'p99 ms', '1,000 rows, MB', 'req/s', 'p99 ms']);
  line(Array.from({ length: 8 }, () => '---'));
  for (const heap of heaps) await measureHeap(data, heap);
  process.stdout.write('\n');
  await measureConnections(data);
} finally {
  await data.remove();
}
