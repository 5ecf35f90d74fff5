/**
 * A server as a good engineer would write it by hand in an hour: node:http, a database driver, prepared statements, a
 * verified token and a look-up of the user for every request, rows serialised by JSON.stringify, a durable commit for
 * every write. The yardstick of the benchmark: it has no roles, hardly any validation, and logs nothing.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { bearerOf, readBody, send, serve } from './bare-http.ts';
import { postgresStorage, sqliteStorage } from './bare-storage.ts';

interface Body {
  readonly note: { readonly title: string; readonly body: string };
}

const database = process.env['DATABASE'] ?? '';
const storage = database.startsWith('postgres') ? postgresStorage(database) : sqliteStorage(database);

const authenticate = (request: IncomingMessage) => {
  const key = request.headers['x-api-key'];
  if (typeof key === 'string') return storage.keyOwner(createHash('sha256').update(key).digest('hex'));
  const id = bearerOf(request);
  return id === undefined ? undefined : storage.user(id);
};

/** A page by number, with the total of its rows unless the query has `total=none`. */
const list = async (response: ServerResponse, query: URLSearchParams): Promise<void> => {
  const perPage = Number(query.get('per_page') ?? 20);
  const offset = (Number(query.get('page') ?? 1) - 1) * perPage;
  const from = query.get('filter[title][gte]');
  if (query.get('total') === 'none') return send(response, 200, await storage.uncountedPage(perPage, offset));
  const { rows, total } = await (from === null
    ? storage.page(perPage, offset)
    : storage.filteredPage(from, perPage, offset));
  send(response, 200, rows, { 'x-total-count': String(total) });
};

const write = async (request: IncomingMessage, response: ServerResponse, id: number): Promise<void> => {
  const { note } = await readBody<Body>(request);
  if (typeof note.title !== 'string' || note.title === '') return send(response, 422);
  const now = new Date().toISOString();
  if (request.method === 'POST') return send(response, 201, await storage.insert(note.title, note.body, now));
  const changed = await storage.change(id, note.title, note.body, now);
  send(response, changed === undefined ? 404 : 200, changed);
};

const notes = async (
  request: IncomingMessage,
  response: ServerResponse,
  id: string | undefined,
  query: string,
): Promise<void> => {
  if ((await authenticate(request)) === undefined) return send(response, 401);
  if (request.method === 'POST' || request.method === 'PATCH') return write(request, response, Number(id));
  if (id === undefined) return list(response, new URLSearchParams(query));
  if (request.method === 'DELETE') {
    await storage.remove(Number(id));
    return send(response, 200);
  }
  const note = await storage.note(Number(id));
  send(response, note === undefined ? 404 : 200, note);
};

serve((request, response) => {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  if (path === '/api/v1/health') return void send(response, 200, { status: 'ok' });
  const match = /^\/api\/v1\/notes(?:\/(\d+))?$/.exec(path);
  if (match === null) return void send(response, 404);
  return notes(request, response, match[1], query);
});
