import { createHmac } from 'node:crypto';
import { type Data, password, token } from './data.ts';

/** One row of the table: the same requests to the service and to the bare server, unless it says otherwise. */
export interface Case {
  readonly name: string;
  readonly requests: readonly string[];
  /**
   * What the row is compared with: the bare server, other requests to the service itself, or the service with other
   * settings. Nothing: there is nothing like it.
   */
  readonly beside?: readonly string[] | 'nothing' | 'other log level';
  /** Whether each request takes a note away for good, so that none may be sent twice. */
  readonly deletes?: boolean;
  readonly connections: number;
  readonly expect: number;
  /** Ratio to be reached on SQLite. */
  readonly target?: number;
}

const request = (method: string, path: string, headers: readonly string[], body = ''): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...headers,
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    body,
  ].join('\r\n');

const spread = (count: number, most: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => 1 + ((index * 197) % most));

/** `{n}` becomes a running number of nine digits; the length of the body counts it so. */
const numbered = (method: string, path: string, headers: readonly string[], body: string): string =>
  request(method, path, headers, body.replaceAll('{n}', '000000000')).replaceAll('000000000', '{n}');

const signed = ({ application }: Data): readonly string[] =>
  // A signature covers the body, so each body is signed beforehand; together they are new ones for a while.
  Array.from({ length: 20_000 }, (_, index) => {
    const body = JSON.stringify({ order_no: `P-${process.pid}-${index}`, amount: 1, currency: 'CNY' });
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', application.secret).update(`${timestamp}\n${body}`).digest('hex');
    const headers = [`X-App-Id: ${application.id}`, `X-Timestamp: ${timestamp}`, `X-Signature: ${signature}`];
    return request('POST', '/api/v1/payment', headers, body);
  });

export const casesOf = (data: Data, notes: number): readonly Case[] => {
  const jwt = [`Authorization: Bearer ${token()}`];
  const key = [`X-Api-Key: ${data.key}`];
  const get = (path: string, headers = jwt): string => request('GET', path, headers);
  const details = spread(50, notes).map((id) => get(`/api/v1/notes/${id}`));
  const orders = spread(50, Math.min(10_000, notes / 10)).map((id) => `/api/v1/orders/${id}`);
  const note = '{"note":{"title":"Note {n}","body":"The body of a new note, some words long"}}';
  const create = numbered('POST', '/api/v1/notes', jwt, note);
  const last = String(notes - 100).padStart(9, '0');
  return [
    { name: 'health', requests: [get('/api/v1/health', [])], connections: 32, expect: 200, target: 0.9 },
    { name: 'detail, JWT', requests: details, connections: 32, expect: 200, target: 1.15 },
    {
      name: 'detail, API key / JWT',
      requests: orders.map((path) => get(path, key)),
      beside: orders.map((path) => get(path)),
      connections: 32,
      expect: 200,
      target: 0.9,
    },
    {
      name: 'page of 20, JWT',
      requests: [get('/api/v1/notes?page=3&per_page=20')],
      connections: 32,
      expect: 200,
      target: 1.35,
    },
    {
      name: '1,000 rows, JWT',
      requests: [get('/api/v1/notes?page=2&per_page=1000')],
      connections: 8,
      expect: 200,
      target: 1.5,
    },
    {
      name: 'filtered, sorted, 20',
      requests: [get(`/api/v1/notes?page=1&per_page=20&sort=title&filter[title][gte]=Note%20${last}`)],
      connections: 8,
      expect: 200,
    },
    { name: 'create, durable', requests: [create], connections: 32, expect: 201, target: 8 },
    {
      name: 'update, durable',
      requests: spread(50, notes).map((id) => numbered('PATCH', `/api/v1/notes/${id}`, jwt, note)),
      connections: 32,
      expect: 200,
    },
    {
      name: 'delete, durable',
      requests: [request('DELETE', '/api/v1/notes/{id}', jwt)],
      deletes: true,
      connections: 32,
      expect: 200,
    },
    { name: '90 % detail, 10 % update', requests: mixed(details, jwt, note), connections: 32, expect: 200 },
    { name: 'signed payment', requests: signed(data), beside: 'nothing', connections: 32, expect: 201 },
    {
      name: 'list of users, API key',
      requests: [get('/api/v1/users', key)],
      beside: [get('/api/v1/users')],
      connections: 32,
      expect: 200,
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

const mixed = (details: readonly string[], jwt: readonly string[], note: string): readonly string[] =>
  details.map((detail, index) =>
    index % 10 === 9 ? numbered('PATCH', `/api/v1/notes/${index}`, jwt, note) : detail,
  );
