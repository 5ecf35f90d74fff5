/**
 * What a good engineer would write by hand in an hour: node:http, node:sqlite, prepared statements, a token checked
 * and a user looked up for every request, rows turned into JSON by JSON.stringify, a durable commit for every write.
 * The yardstick of the benchmark: it has no roles, no filters, no validation to speak of, and logs nothing.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { DatabaseSync } from 'node:sqlite';

const secret = process.env['JWT_SECRET'] ?? '';
const db = new DatabaseSync(process.env['DATABASE'] ?? '');
db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on');

const userById = db.prepare('select id, username, email, name from users where id = ? and disabled = 0');
const noteById = db.prepare('select id, title, body, created_at, updated_at from notes where id = ?');
const page = db.prepare(
  'select id, title, body, created_at, updated_at from notes order by id limit ? offset ?',
);
const count = db.prepare('select count(*) as total from notes');
const filtered = db.prepare(
  'select id, title, body, created_at, updated_at from notes where title >= ? order by title, id limit ? offset ?',
);
const filteredCount = db.prepare('select count(*) as total from notes where title >= ?');
const insert = db.prepare(
  'insert into notes (title, body, created_at, updated_at) values (?, ?, ?, ?) returning *',
);
const change = db.prepare('update notes set title = ?, updated_at = ? where id = ? returning *');
const remove = db.prepare('delete from notes where id = ?');

const authenticate = (request: IncomingMessage): unknown => {
  const header = request.headers.authorization;
  if (header === undefined || !header.startsWith('Bearer ')) return undefined;
  const [head, payload, signature] = header.slice(7).split('.');
  if (head === undefined || payload === undefined || signature === undefined) return undefined;
  const expected = createHmac('sha256', secret).update(`${head}.${payload}`).digest();
  const given = Buffer.from(signature, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { user_id: number; exp: number };
  if (claims.exp * 1000 <= Date.now()) return undefined;
  return userById.get(claims.user_id);
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

const list = (response: ServerResponse, query: URLSearchParams): void => {
  const perPage = query.get('per_page');
  if (perPage === null) {
    send(response, 200, page.all(-1, 0));
    return;
  }
  const offset = (Number(query.get('page') ?? 1) - 1) * Number(perPage);
  const from = query.get('filter[title][gte]');
  const rows =
    from === null ? page.all(Number(perPage), offset) : filtered.all(from, Number(perPage), offset);
  const total = from === null ? count.get() : filteredCount.get(from);
  send(response, 200, rows, { 'x-total-count': String(total?.['total']) });
};

const notes = async (
  request: IncomingMessage,
  response: ServerResponse,
  id: number,
  query: string,
): Promise<void> => {
  if (authenticate(request) === undefined) return send(response, 401, undefined);
  const now = new Date().toISOString();
  if (request.method === 'GET' && Number.isNaN(id)) return list(response, new URLSearchParams(query));
  if (request.method === 'GET') {
    const note = noteById.get(id);
    return note === undefined ? send(response, 404, undefined) : send(response, 200, note);
  }
  if (request.method === 'DELETE') {
    remove.run(id);
    return send(response, 200, undefined);
  }
  const { note } = await readBody(request);
  if (typeof note.title !== 'string' || note.title === '') return send(response, 422, undefined);
  if (request.method === 'POST') return send(response, 201, insert.get(note.title, note.body, now, now));
  send(response, 200, change.get(note.title, now, id));
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
