import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { unescapeFormulas } from '../../src/kernel/formulas.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { parseCsv } from '../support/csv.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

const fields = {
  title: field.string(),
  body: field.text(),
  amount: field.integer(),
  ratio: field.number(),
  price: field.decimal(),
  live: field.boolean(),
  at: field.datetime(),
  data: field.json(),
};
const entry = defineResource('Entry', { fields, plural: 'entries' });
const heap = defineResource('Heap', { fields });

const migrations = {
  '0001_tables': {
    up: async (db: Parameters<typeof createTable>[0], dialect: Parameters<typeof createTable>[1]) => {
      for (const table of ['entries', 'heaps']) await createTable(db, dialect, table, { fields });
    },
  },
};

const csv = { accept: 'text/csv' };

/** The cell of a value of the JSON answer; a field of JSON becomes its text. */
const cellOf = (value: unknown, name = ''): string | null => {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' || name === 'data' ? JSON.stringify(value) : String(value);
};

type Row = Readonly<Record<string, unknown>>;

const tableOf = (rows: readonly Row[], names: readonly string[]): (string | null)[][] => [
  [...names],
  ...rows.map((row) => names.map((name) => cellOf(row[name], name))),
];

const readBack = (text: string): (string | null)[][] =>
  parseCsv(text).map((row) => row.map((cell) => cell && unescapeFormulas(cell)));

const hard = [
  { title: '=1+1', body: '@SUM(A1)', amount: -5, price: '-12.50', ratio: -1e-7, live: false },
  { title: 'a,b', body: 'say "hello"', data: { a: [1, -5, '=x'] }, at: '2026-11-21T08:00:00Z' },
  { title: '', body: ' blanks ', data: '1' },
  { title: 'semi;=2', body: 'line\r\n+cmd|calc', data: '=text' },
  { title: '＝1＋1', body: "it's 日本語 😀", data: [] },
  { title: "'=kept", body: '-3', data: 'text' },
  {},
];

describeEachDatabase('CSV', (databases) => {
  const service = useService(databases, {
    application: { resources: [entry, heap], migrations },
    env: { LOG_LEVEL: 'warn' },
  });

  beforeAll(async () => {
    const token = await service.admin();
    for (const values of hard)
      await service.ok('POST', '/api/v1/entries', { token, body: { entry: values } });
    await service.createKey(token);
    await service.createUser(['admin'], { name: '=HYPERLINK("http://evil.example")' });
    await service.signIn(token);
  });

  const ask = async (path: string, headers: Readonly<Record<string, string>> = csv) =>
    service.get(path, { token: await service.admin(), headers });

  it('CSV is what RFC 4180 says, and no cell of it is a formula', async () => {
    const { text, status, headers } = await ask(
      '/api/v1/entries?fields=title,body,amount,ratio,price,live,data',
    );
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    expect(text).toBe(
      [
        'title,body,amount,ratio,price,live,data',
        "'=1+1,'@SUM(A1),-5,-1e-7,-12.50,false,",
        '"a,b","say ""hello""",,,,,"{""a"":[1,-5,""=x""]}"',
        '""," blanks ",,,,,"""1"""',
        `"semi;'=2","line\r\n'+cmd|calc",,,,,"'""=text"""`,
        "'＝1＋1,it's 日本語 😀,,,,,[]",
        `''=kept,-3,,,,,"""text"""`,
        ',,,,,,',
        '',
      ].join('\r\n'),
    );
  });

  it.each([
    '',
    '?page=1&per_page=2',
    '?per_page=3&sort=-id',
    '?after=&per_page=2&sort=title',
    '?filter[amount]=-5',
    '?filter[amount]=7',
    '?q=blank&fields=id,body',
    '?fields=title',
    '?page=9',
  ])('answers the rows and headers of JSON: entries%s', async (query) => {
    const json = await ask(`/api/v1/entries${query}`, { accept: 'application/json' });
    const answer = await ask(`/api/v1/entries${query}`);
    const rows = json.data as never as Row[];
    const chosen = /fields=([\w,]+)/.exec(query)?.[1]?.split(',');
    const names = chosen ?? ['id', ...Object.keys(fields), 'created_at', 'updated_at'];
    const table = tableOf(rows, names);
    // One empty cell alone would be an empty line.
    const read = names.length === 1 ? table.map((row) => row.map((cell) => cell ?? '')) : table;
    expect(readBack(answer.text)).toEqual(read);
    for (const name of ['link', 'x-total-count', 'vary'])
      expect([name, answer.headers[name]]).toEqual([name, json.headers[name]]);
    expect(answer.headers['vary']).toBe('Accept');
  });

  it('CSV is available from every list that is described, in the words of its JSON', async () => {
    const { text } = await service.get('/api-docs/openapi.json?area=all');
    const { paths } = JSON.parse(text) as {
      paths: Record<string, { get?: { description?: string; 'x-gatewright': { csv?: boolean } } }>;
    };
    const lists = Object.entries(paths).filter(
      ([, { get }]) => get?.['x-gatewright'].csv === true && get.description?.includes('text/csv'),
    );
    const seen: string[] = [];
    for (const [path] of lists) {
      const filled = path.replace('{name}', 'viewer');
      const asked = path.endsWith('/aggregate') ? `${filled}?group=title&count&avg=id` : filled;
      const { data } = await ask(asked, {});
      const answer = await ask(asked);
      expect([path, answer.status]).toEqual([path, 200]);
      const rows = data as never as Row[];
      const [names = []] = parseCsv(answer.text);
      // The audit log changes between the two requests.
      if (rows.length > 0) expect(names).toEqual(Object.keys(rows[0] ?? {}));
      expect(readBack(answer.text)).toEqual(tableOf(rows, names as string[]));
      seen.push(path);
    }
    expect(seen).toEqual(
      expect.arrayContaining([
        ...['/api/v1/users', '/api/v1/api_keys', '/api/v1/entries', '/api/v1/entries/aggregate'],
        ...['/admin/users', '/admin/api_keys', '/admin/roles', '/admin/permissions', '/admin/applications'],
        ...['/admin/payments', '/admin/sessions', '/admin/audit', '/admin/jobs', '/admin/meta'],
        ...['/admin/records/entries', '/admin/records/entries/aggregate'],
      ]),
    );
  });

  it.each([
    ['*/*', 'application/json'],
    ['application/json, text/plain, */*', 'application/json'],
    ['text/csv;q=0.5, application/json', 'application/json'],
    ['text/csv;q=0', 'application/json'],
    ['image/png', 'application/json'],
    ['text/csv, */*;q=0.1', 'text/csv'],
    ['application/json;q=0.2, text/*', 'text/csv'],
  ])('goes by %s: %s', async (accept, type) => {
    const answer = await ask('/api/v1/entries?fields=id', { accept });
    expect(answer.headers['content-type']).toMatch(new RegExp(`^${type}; charset=utf-8`));
    expect(answer.headers['vary']).toBe('Accept');
  });

  it('leaves errors in the envelope, and single records too', async () => {
    for (const [path, options, status] of [
      ['/api/v1/entries', { headers: csv }, 401],
      ['/api/v1/entries?sort=nothing', { headers: csv, token: await service.admin() }, 400],
      ['/admin/users', { headers: csv, token: await service.createUser() }, 403],
      ['/api/v1/entries/1', { headers: csv, token: await service.admin() }, 200],
      ['/api/v1/entries/999', { headers: csv, token: await service.admin() }, 404],
    ] as const) {
      const answer = await service.get(path, options);
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.json.code === 0).toBe(status === 200);
    }
  });

  it('answers HEAD like GET, without the body', async () => {
    const options = { token: await service.admin(), headers: csv };
    const answer = await service.request('HEAD', '/api/v1/entries?page=1', options);
    expect([
      answer.status,
      answer.text,
      answer.headers['content-type'],
      answer.headers['x-total-count'],
    ]).toEqual([200, '', 'text/csv; charset=utf-8; header=present', String(hard.length)]);
  });

  describe('of more than one piece', () => {
    const count = 40_000;
    beforeAll(async () => {
      const body = 'x'.repeat(200);
      const { database } = service.server.services;
      const at = '2026-01-01T00:00:00.000Z';
      for (let start = 0; start < count; start += 1_000) {
        const rows = Array.from(
          { length: 1_000 },
          (_, index) => `('=${start + index}', '${body}', ${start + index}, '${at}', '${at}')`,
        );
        await database.execute({
          sql: `insert into heaps (title, body, amount, created_at, updated_at) values ${rows.join(', ')}`,
          parameters: [],
        });
      }
    });

    const breakStreams = async (): Promise<void> => {
      const { database } = service.server.services;
      if (databases.dialect === 'sqlite') database.interrupt();
      else
        await database.execute({
          sql: `select pg_terminate_backend(pid) from pg_stat_activity where query like 'fetch%' and datname = current_database()`,
          parameters: [],
        });
    };

    it('CSV of more than one piece is whole, streamed from one snapshot', async () => {
      const answer = await ask('/api/v1/heaps?sort=id');
      expect(answer.headers['transfer-encoding']).toBe('chunked');
      const [head, ...rows] = parseCsv(answer.text);
      expect(head?.slice(0, 4)).toEqual(['id', 'title', 'body', 'amount']);
      expect(rows).toHaveLength(count);
      expect(rows.every((row, index) => row[1] === `'=${index}` && row[3] === String(index))).toBe(true);
    });

    it('CSV of more than one piece does not look whole where it breaks half-way', async () => {
      const { token } = await service.admin();
      const socket = connect(service.port, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
      });
      socket.write(
        `GET /api/v1/heaps HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nAccept: text/csv\r\n\r\n`,
      );
      await once(socket, 'data');
      // Nothing is read, so that it cannot end before it breaks.
      socket.pause();
      await breakStreams();
      socket.resume();
      await once(socket, 'close');
      expect(text).toMatch(/^HTTP\/1\.1 200 OK/);
      expect(text.endsWith('\r\n0\r\n\r\n')).toBe(false);
    });
  });
});
