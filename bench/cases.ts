import { createHmac } from 'node:crypto';
import { callerKey, callerNames, callers, type KeyKind, spread } from './callers.ts';
import { firstMixture, laterMixture } from './crud.ts';
import { type Data, ownerOf, password, token } from './data.ts';
import { numbered, request } from './request.ts';
import { orderPage, orderRequest } from './shop.ts';

/** Number of orders in the shop. */
export const shopOrders = 5_000;

/** Target of a ratio, by database. */
export type Target = Readonly<Partial<Record<'sqlite' | 'postgres', number>>>;

/** Requests to the service and to the other side. */
export interface Case {
  readonly name: string;
  readonly requests: readonly string[];
  /**
   * The other side of the comparison: the bare server, other requests to the service, or the service with other
   * settings; `nothing` where there is no equivalent.
   */
  readonly beside?: readonly string[] | 'nothing' | 'other log level';
  /** Work that has to be done before the servers start. */
  readonly prepare?: () => void;
  /** The servers of the case: those of the notes unless given. */
  readonly servers?: 'shop' | 'items' | 'indexed items';
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

let payments = 0;

/** Signed payments: a signature covers the body, so each is made in advance. No two have the same number. */
export const signedPayments = (data: Data, count = 20_000): readonly string[] => {
  const applications = data.applications();
  return Array.from({ length: count }, (_, index) => {
    const { id = '', secret = '' } = applications[index % applications.length] ?? {};
    const body = JSON.stringify({ order_no: `P-${process.pid}-${++payments}`, amount: 1, currency: 'CNY' });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', secret).update(`${timestamp}\n${body}`).digest('hex');
    const headers = [`X-App-Id: ${id}`, `X-Timestamp: ${timestamp}`, `X-Signature: ${signature}`];
    return request('POST', '/api/v1/payment', headers, body);
  });
};

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
  const userPages = spread(3_200, 500).map((page) => `/api/v1/users?page=${page}&per_page=20`);
  // Pages of nearly 1,000 rows: with as many sizes as pages, each begins and ends at another row.
  const longPages = spread(310, notes / 1000).map(
    (page, index) => `/api/v1/notes?page=${page}&per_page=${1000 - (index % 31)}`,
  );
  const busy = { connections: 32, expect: 200 };
  const crowded = { connections: 64, expect: [200, 201] };
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
      name: 'page of 20, without a total',
      requests: gets(pagePaths.map((path) => `${path}&total=none`)),
      target: { sqlite: 1.5, postgres: 1.2 },
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
      ...busy,
      name: '1,000 rows, JWT',
      requests: gets(longPages),
      target: { sqlite: 2.2, postgres: 1.5 },
    },
    {
      ...busy,
      name: 'filtered, sorted, 20: 1 %',
      requests: filteredBy(notes - 2 * hundredth, 2 * hundredth),
      target: { sqlite: 1.5, postgres: 1.2 },
    },
    {
      ...busy,
      name: 'filtered, sorted, 20: half',
      requests: filteredBy(Math.ceil(notes / 4), Math.ceil(notes / 2)),
      target: { sqlite: 1.2, postgres: 1.2 },
    },
    {
      ...busy,
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
    { ...crowded, name: 'crud: 40 % pages with a total', requests: firstMixture(), servers: 'items' },
    {
      ...crowded,
      name: 'crud: 40 % pages with a total, category indexed',
      requests: firstMixture(),
      servers: 'indexed items',
    },
    { ...crowded, name: 'crud: 5 % pages without a total', requests: laterMixture(), servers: 'items' },
    {
      name: 'signed payment',
      prepare: () => void data.applications(),
      // Created when the case starts: a signature is valid for five minutes.
      get requests() {
        return signedPayments(data);
      },
      beside: 'nothing',
      connections: 32,
      expect: 201,
    },
    {
      ...busy,
      name: 'list of users, API key / JWT',
      requests: gets(userPages, byKey),
      beside: gets(userPages),
      target: both(0.95),
    },
    {
      ...busy,
      name: 'login',
      requests: callerNames.map((account) =>
        request('POST', '/api/v1/auth/login', [], JSON.stringify({ account, password })),
      ),
      beside: 'nothing',
    },
    { ...busy, name: 'detail at LOG_LEVEL=info', requests: details, beside: 'other log level' },
  ];
};
