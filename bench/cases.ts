import { createHmac } from 'node:crypto';
import { callerKey, callers, type KeyKind } from './callers.ts';
import { type Data, ownerOf, password, token } from './data.ts';
import { orderPage, orderRequest } from './shop.ts';

/** Number of orders in the shop. */
export const shopOrders = 5_000;

/** Target of a ratio, by database. */
export type Target = Readonly<Partial<Record<'sqlite' | 'postgres', number>>>;

/** Requests to the service and, unless given separately, to the bare server. */
export interface Case {
  readonly name: string;
  readonly requests: readonly string[];
  /** Requests to the bare server, where they differ. */
  readonly bare?: readonly string[];
  /**
   * The other side of the comparison: the bare server, other requests to the service, or the service with other
   * settings; `nothing` where there is no equivalent.
   */
  readonly beside?: readonly string[] | 'nothing' | 'other log level';
  /** The servers of the case: those of the notes unless given. */
  readonly servers?: 'shop';
  /** Whether each request deletes a note, so that none may be sent twice. */
  readonly deletes?: boolean;
  readonly connections: number;
  readonly expect: number | readonly number[];
  /** Minimum of our requests per second divided by the other side's. */
  readonly target?: Target;
  /** Maximum of our 99th percentile of the latency divided by the other's, in the same closed loop. */
  readonly tail?: Target;
  /** The same at a steady rate, half of the other's maximum, in an open loop. */
  readonly steadyTail?: Target;
}

const both = (number: number): Target => ({ sqlite: number, postgres: number });

/** The text of a request. */
export const request = (method: string, path: string, headers: readonly string[], body = ''): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...headers,
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    body,
  ].join('\r\n');

/** Numbers from 1 to the largest one, neighbours far from each other; beyond that many they repeat. */
export const spread = (count: number, most: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => 1 + ((index * 197) % most));

/** `{n}` becomes a running number of nine digits; the length of the body accounts for them. */
export const numbered = (method: string, path: string, headers: readonly string[], body: string): string =>
  request(method, path, headers, body.replaceAll('{n}', '000000000')).replaceAll('000000000', '{n}');

const signed = ({ application }: Data): readonly string[] =>
  // A signature covers the body, so each body is signed in advance; there are enough for the run.
  Array.from({ length: 20_000 }, (_, index) => {
    const body = JSON.stringify({ order_no: `P-${process.pid}-${index}`, amount: 1, currency: 'CNY' });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', application.secret).update(`${timestamp}\n${body}`).digest('hex');
    const headers = [`X-App-Id: ${application.id}`, `X-Timestamp: ${timestamp}`, `X-Signature: ${signature}`];
    return request('POST', '/api/v1/payment', headers, body);
  });

/** Reads, and one write in ten requests. */
const withWrites = (reads: readonly string[], writes: readonly string[]): readonly string[] =>
  reads.map((read, index) => (index % 10 === 9 ? (writes[index % writes.length] ?? read) : read));

export const casesOf = (data: Data, notes: number): readonly Case[] => {
  /** Headers of the callers, by token and by key; the index wraps around. */
  const tokens = Array.from({ length: callers }, (_, index) => [`Authorization: Bearer ${token(index + 1)}`]);
  const byToken = (caller: number): readonly string[] => tokens[caller % callers] ?? [];
  const keysOf =
    (kind: KeyKind) =>
    (caller: number): readonly string[] => [`X-Api-Key: ${callerKey(caller % callers, kind)}`];
  const byKey = keysOf('plain');
  /** Each path by the next caller. */
  const gets = (paths: readonly string[], headers = byToken): readonly string[] =>
    paths.map((path, index) => request('GET', path, headers(index)));
  const details = gets(spread(3_200, notes).map((id) => `/api/v1/notes/${id}`));
  const orders = spread(notes / 10, Math.min(10_000, notes / 10));
  const ofOwners = (headers: (caller: number) => readonly string[]): readonly string[] =>
    orders.map((id) => request('GET', `/api/v1/orders/${id}`, headers(ownerOf(id) - 1)));
  const note = '{"note":{"title":"Note {n}","body":"The body of a new note, some words long"}}';
  const creates = tokens.map((headers) => numbered('POST', '/api/v1/notes', headers, note));
  const pagePaths = spread(notes / 20, notes / 20).map((page) => `/api/v1/notes?page=${page}&per_page=20`);
  const pages = gets(pagePaths);
  // Another value each time, so that no total is known from an earlier request: one row in a hundred, and one in two.
  const filteredBy = (first: number, count: number): readonly string[] =>
    gets(
      spread(count, count).map((n) => {
        const title = `Note%20${String(first + n).padStart(9, '0')}`;
        return `/api/v1/notes?page=1&per_page=20&sort=title&filter[title][gte]=${title}`;
      }),
    );
  const hundredth = Math.ceil(notes / 100);
  const updates = spread(3_200, notes).map((id, index) =>
    numbered('PATCH', `/api/v1/notes/${id}`, byToken(index), note),
  );
  const userPages = spread(callers, 4).map((page) => `/api/v1/users?page=${page}&per_page=8`);
  const [busy, few] = [
    { connections: 32, expect: 200 },
    { connections: 8, expect: 200 },
  ];
  return [
    { ...busy, name: 'health', requests: [request('GET', '/api/v1/health', [])], target: both(0.95) },
    {
      ...busy,
      name: 'detail, JWT',
      requests: details,
      target: both(1.4),
      tail: { sqlite: 1.25, postgres: 1.1 },
      steadyTail: { sqlite: 0.5, postgres: 1 },
    },
    {
      ...busy,
      name: 'detail, API key / JWT',
      requests: ofOwners(byKey),
      beside: ofOwners(byToken),
      target: both(0.95),
    },
    ...(['scoped', 'limited'] as const).map((kind) => ({
      ...busy,
      name: `detail, ${kind} key / key`,
      requests: ofOwners(keysOf(kind)),
      beside: ofOwners(byKey),
      target: both(0.97),
    })),
    {
      ...busy,
      name: 'page of 20, JWT',
      requests: pages,
      target: { postgres: 1.2 },
      tail: { sqlite: 1.25, postgres: 1.1 },
      steadyTail: { sqlite: 0.5, postgres: 1 },
    },
    {
      ...busy,
      name: 'page of 20, beside one without a count',
      requests: pages,
      bare: gets(pagePaths.map((path) => `${path}&count=no`)),
      target: { sqlite: 1.35 },
    },
    {
      ...busy,
      name: 'page of 20, one write in ten',
      requests: withWrites(pages, updates),
      target: { sqlite: 2, postgres: 1.2 },
    },
    {
      ...busy,
      name: 'page of 20, one create in ten',
      requests: withWrites(pages, creates),
      expect: [200, 201],
    },
    {
      ...few,
      name: '1,000 rows, JWT',
      requests: gets(spread(callers, 10).map((page) => `/api/v1/notes?page=${page}&per_page=1000`)),
      target: { sqlite: 2.2, postgres: 1.5 },
    },
    {
      ...few,
      name: 'filtered, sorted, 20: 1 %',
      requests: filteredBy(notes - 2 * hundredth, 2 * hundredth),
      target: { sqlite: 1.5, postgres: 1.2 },
    },
    {
      ...few,
      name: 'filtered, sorted, 20: half',
      requests: filteredBy(Math.ceil(notes / 4), Math.ceil(notes / 2)),
      target: { sqlite: 1.2, postgres: 1.2 },
    },
    {
      ...few,
      name: 'include: an order of 20 lines',
      requests: spread(3_200, shopOrders).map((order) => orderRequest(order, orderPage(order))),
      servers: 'shop',
      target: { sqlite: 1.5, postgres: 1.3 },
    },
    {
      ...busy,
      name: 'create, durable',
      requests: creates,
      expect: 201,
      target: { sqlite: 8, postgres: 1.2 },
    },
    { ...busy, name: 'update, durable', requests: updates, target: { sqlite: 6, postgres: 1.15 } },
    {
      ...busy,
      name: 'delete, durable',
      requests: tokens.map((headers) => request('DELETE', '/api/v1/notes/{id}', headers)),
      deletes: true,
      target: { sqlite: 6, postgres: 1.1 },
    },
    { ...busy, name: '90 % detail, 10 % update', requests: withWrites(details, updates) },
    {
      name: 'signed payment',
      // Created when the case starts: a signature is valid for five minutes.
      get requests() {
        return signed(data);
      },
      beside: 'nothing',
      connections: 32,
      expect: 201,
    },
    {
      name: 'list of users, API key',
      requests: gets(userPages, byKey),
      beside: gets(userPages),
      connections: 32,
      expect: 200,
      target: both(0.95),
    },
    {
      name: 'login',
      requests: [request('POST', '/api/v1/auth/login', [], JSON.stringify({ account: 'bench', password }))],
      beside: 'nothing',
      connections: 4,
      expect: 200,
    },
    {
      name: 'detail at LOG_LEVEL=info',
      requests: details,
      beside: 'other log level',
      connections: 32,
      expect: 200,
    },
  ];
};
