/**
 * A server as a good engineer would write it by hand in an hour: node:http, a database driver, prepared statements, a
 * verified token and a look-up of the user for every request, rows serialised by JSON.stringify, a durable commit for
 * every write. The yardstick of the benchmark: it has no roles, no filters, hardly any validation, and logs nothing.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { postgresStorage, sqliteStorage } from './bare-storage.ts';
import { userIdOf } from './bare-token.ts';

const secret = process.env['JWT_SECRET'] ?? '';
const database = process.env['DATABASE'] ?? '';
const storage = database.startsWith('postgres') ? postgresStorage(database) : sqliteStorage(database);

const authenticate = (request: IncomingMessage) => {
  const { authorization, 'x-api-key': key } = request.headers;
  if (typeof key === 'string') return storage.keyOwner(createHash('sha256').update(key).digest('hex'));
  const id =
    authorization?.startsWith('Bearer ') === true ? userIdOf(secret, authorization.slice(7)) : undefined;
  return id === undefined ? undefined : storage.user(id);
};

const send = (
  response: ServerResponse,
  status: number,
  data: unknown,
  headers: Record<string, string> = {},
): void => {
  const body = JSON.stringify({ code: status < 400 ? 0 : status * 100, message: 'ok', data });
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
};

const readBody = (request: IncomingMessage): Promise<{ note: { title: string; body: string } }> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
    request.on('error', reject);
  });

const list = async (response: ServerResponse, query: URLSearchParams): Promise<void> => {
  const perPage = query.get('per_page');
  if (perPage === null) return send(response, 200, await storage.all());
  const offset = (Number(query.get('page') ?? 1) - 1) * Number(perPage);
  const from = query.get('filter[title][gte]');
  const rows =
    from === null
      ? await storage.page(Number(perPage), offset)
      : await storage.filtered(from, Number(perPage), offset);
  if (query.get('count') === 'no') return send(response, 200, rows);
  const total = from === null ? await storage.total() : await storage.filteredTotal(from);
  send(response, 200, rows, { 'x-total-count': String(total) });
};

const notes = async (
  request: IncomingMessage,
  response: ServerResponse,
  id: number,
  query: string,
): Promise<void> => {
  if ((await authenticate(request)) === undefined) return send(response, 401, undefined);
  const now = new Date().toISOString();
  if (request.method === 'GET' && Number.isNaN(id)) return list(response, new URLSearchParams(query));
  if (request.method === 'GET') {
    const note = await storage.note(id);
    return note === undefined ? send(response, 404, undefined) : send(response, 200, note);
  }
  if (request.method === 'DELETE') {
    await storage.remove(id);
    return send(response, 200, undefined);
  }
  const { note } = await readBody(request);
  if (typeof note.title !== 'string' || note.title === '') return send(response, 422, undefined);
  if (request.method === 'POST') return send(response, 201, await storage.insert(note.title, note.body, now));
  send(response, 200, await storage.change(id, note.title, now));
};

const server = createServer((request, response) => {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  if (path === '/api/v1/health') return send(response, 200, { status: 'ok' });
  const match = /^\/api\/v1\/notes(?:\/(\d+))?$/.exec(path);
  if (match === null) return send(response, 404, undefined);
  notes(request, response, match[1] === undefined ? Number.NaN : Number(match[1]), query).catch(() =>
    send(response, 500, undefined),
  );
});
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env['PORT']), '127.0.0.1', () => process.stdout.write('ready\n'));
process.on('SIGTERM', () => process.exit(0));
