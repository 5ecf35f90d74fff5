import { beforeAll, describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { exchange, parseRaw, type RawAnswer, rawSocket } from '../support/raw-socket.ts';
import { type Key, type TestUser, useService } from '../support/service.ts';

const crlf = (...lines: readonly string[]): string => lines.join('\r\n');

/** The rules of every answer of the API hold for those to malformed HTTP, too. */
const expectEnvelope = ({ status, headers, body }: RawAnswer): void => {
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  const { code, message, ...rest } = JSON.parse(body) as Record<string, unknown>;
  expect([Math.floor(Number(code) / 100), typeof message, rest]).toEqual([status, 'string', {}]);
};

/** Spellings of guarded paths that a check by text might miss. */
const spellings = [
  '//api/v1/users',
  '/api//v1/users',
  '/api/v1//users',
  '/api/v1/users/',
  '/api/v1/users//',
  '/API/v1/users',
  '/api/v1/Users',
  '/api/v1/users;x=1',
  '/api/v1;x/users',
  '/api/v1/users%2f',
  '/api/v1%2fusers',
  '/api%2fv1%2fusers',
  '/api/v1/%75sers',
  '/api/v1/users%00',
  '/api/v1/users%20',
  '/api/v1/users%3fready',
  '/api/v1/./users',
  '/api/v1/%2e/users',
  '/api/v1/health/../users',
  '/api/v1/health/%2e%2e/users',
  '/api/v1/health/..%2fusers',
  '/api/v1/health/..;/users',
  '/api/v1\\users',
  '/api/v1/health%2f..%2fusers',
  '/./api/v1/users',
  '/../api/v1/users',
  '/api/v1/users.json',
  '/api/v1/users/.',
  '/api/v1/users#x',
  '/api/v1/users?',
  '/api/v1/users??',
  '/api/v1/users&',
  '/admin//users',
  '/Admin/users',
  '/admin/users/',
  '/admin/%75sers',
  '/admin/users/1/',
  '/admin/users/%31',
  '/admin/users/1%2f',
  '/admin/users/1;',
  '/admin/x/../users',
  'http://127.0.0.1/api/v1/users',
  'http://evil.example/admin/users',
  'http:///api/v1/users',
];

describeEachDatabase('HTTP at its edges', (databases) => {
  const service = useService(databases);
  let admin: TestUser;
  let key: Key;
  beforeAll(async () => {
    admin = await service.createUser(['admin']);
    key = await service.createKey(admin);
  });
  const send = async (...lines: readonly string[]): Promise<RawAnswer> => {
    const answer = parseRaw(await exchange(service.port, crlf(...lines)));
    const [, method = '', path = ''] = /^([A-Z]+) (\S+) HTTP\/1\.[01]$/.exec(lines[0] ?? '') ?? [];
    const { status, body: text } = answer;
    await service.demandDescribed({
      method,
      path,
      status,
      headers: Object.fromEntries(answer.headers),
      text,
    });
    return answer;
  };
  const closing = ['Host: x', 'Connection: close'];

  describe('spellings of a path never evade a check', () => {
    it.each(spellings)('a spelling of a path does not evade a check: %s', async (path) => {
      const stranger = await send(`GET ${path} HTTP/1.1`, ...closing, '', '');
      expect([400, 401, 404]).toContain(stranger.status);
      expectEnvelope(stranger);
      const viewer = await service.createUser();
      const other = await send(
        `GET ${path} HTTP/1.1`,
        ...closing,
        `Authorization: Bearer ${viewer.token}`,
        '',
        '',
      );
      expect(other.body).not.toContain(`"${admin.username}"`);
      expect([200, 400, 403, 404]).toContain(other.status);
      if (other.status === 200) expect(JSON.parse(other.body)).toMatchObject({ data: [{ id: viewer.id }] });
      else expectEnvelope(other);
    });

    it('a host in the request line is not repeated in the answer', async () => {
      for (const origin of ['http://evil.example', 'https://evil.example:8443', 'http://user@evil.example']) {
        const { status, headers } = await send(
          `GET ${origin}/api/v1/users?page=1&per_page=1 HTTP/1.1`,
          'Host: evil.example',
          'Connection: close',
          `Authorization: Bearer ${admin.token}`,
          '',
          '',
        );
        if (status === 200) expect(headers.get('link')).toMatch(`<${service.origin}/api/v1/users?`);
        expect([200, 400, 404]).toContain(status);
      }
    });

    it('an override of method or path in a header does not evade a check', async () => {
      for (const header of [
        'X-HTTP-Method-Override: GET',
        'X-Original-URL: /api/v1/health',
        'X-Rewrite-URL: /api/v1/health',
        'X-Forwarded-Prefix: /x',
        'X-Method-Override: GET',
      ])
        expect((await send('DELETE /admin/users/1 HTTP/1.1', ...closing, header, '', '')).status).toBe(401);
    });
  });

  describe('400: what is no HTTP', () => {
    const garbage: Readonly<Record<string, string | Uint8Array>> = {
      'a word': 'hello\r\n\r\n',
      TLS: Buffer.from('16030100f5010000f10303', 'hex'),
      zeros: Buffer.alloc(64),
      'a bad header': crlf('GET /api/v1/health HTTP/1.1', 'Host: x', 'Bad Header: x', '', ''),
      'a header without a colon': crlf('GET /api/v1/health HTTP/1.1', 'Host: x', 'nothing', '', ''),
      'a control character in a header': crlf(
        'GET /api/v1/health HTTP/1.1',
        'Host: x',
        'X-Api-Key: \x01',
        '',
        '',
      ),
      'a method that is none': crlf('L@@K(it) /api/v1/health HTTP/1.1', 'Host: x', '', ''),
      'a length that is no number': crlf(
        'POST /api/v1/auth/login HTTP/1.1',
        'Host: x',
        'Content-Length: ten',
        '',
        '{}',
      ),
      'a negative length': crlf(
        'POST /api/v1/auth/login HTTP/1.1',
        'Host: x',
        'Content-Length: -1',
        '',
        '{}',
      ),
      'two lengths': crlf(
        'POST /api/v1/auth/login HTTP/1.1',
        'Host: x',
        'Content-Length: 2',
        'Content-Length: 3',
        '',
        '{}',
      ),
      'a length and chunks': crlf(
        'POST /api/v1/auth/login HTTP/1.1',
        'Host: x',
        'Content-Length: 2',
        'Transfer-Encoding: chunked',
        '',
        '0',
        '',
        '',
      ),
      'an unknown coding': crlf(
        'POST /api/v1/auth/login HTTP/1.1',
        'Host: x',
        'Transfer-Encoding: gzip, x',
        '',
        '{}',
      ),
      'a chunk that is none': crlf(
        'POST /api/v1/auth/login HTTP/1.1',
        'Host: x',
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
        '',
        'zz',
        '{}',
        '0',
        '',
        '',
      ),
      'a folded header': crlf(
        'GET /api/v1/users HTTP/1.1',
        'Host: x',
        'X-Api-Key: a',
        ' b',
        'Connection: close',
        '',
        '',
      ),
    };
    for (const [name, bytes] of Object.entries(garbage))
      it(name, async () => {
        const socket = rawSocket(service.port);
        socket.write(bytes);
        const answer = parseRaw(await socket.received('}'));
        socket.destroy();
        expect([400, 401]).toContain(answer.status);
        expectEnvelope(answer);
      });

    it('a text that is no HTTP is 400 with the standard reason phrase', async () => {
      expect(await exchange(service.port, 'hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    });

    it('a request without Host', async () => {
      const answer = await send('GET /api/v1/health HTTP/1.1', 'Connection: close', '', '');
      expect(answer.status).toBe(400);
      expectEnvelope(answer);
      expect((await send('GET /api/v1/health HTTP/1.0', '', '')).status).toBe(200);
    });

    it.each([
      ['two Host headers', ['Host: x', 'Host: y']],
      ['the same Host twice', ['Host: x', 'Host: x']],
      ['a Host that is none', ['Host: x/y']],
      ['a Host with a user', ['Host: me@x']],
      ['two Hosts in one', ['Host: x, y']],
    ])('a text that is no HTTP is 400: %s', async (_name, hosts) => {
      for (const version of ['1.1', '1.0']) {
        const answer = await send(
          `GET /api/v1/health HTTP/${version}`,
          ...hosts,
          'Connection: close',
          '',
          '',
        );
        expect(answer.status).toBe(400);
        expectEnvelope(answer);
      }
    });

    it('the process goes on', async () => {
      expect((await service.get('/api/v1/health?ready')).status).toBe(200);
    });
  });

  describe('refused by the parts of its head', () => {
    const post = (...headers: readonly string[]) =>
      crlf('POST /api/v1/payment HTTP/1.1', 'Host: x', ...headers, '', '2', '{}', '0', '', '');
    const get = (line: string) => crlf(line, 'Host: x', '', '');
    const next = get('GET /api/v1/health HTTP/1.1');
    it.each<readonly [status: number, what: string, bytes: string]>([
      [501, 'a transfer coding beside chunked', post('Transfer-Encoding: gzip, chunked')],
      [501, 'one in two headers', post('Transfer-Encoding: gzip', 'Transfer-Encoding: chunked')],
      [400, 'a transfer coding with HTTP/1.0', post('Transfer-Encoding: chunked').replace('1.1', '1.0')],
      [505, 'HTTP/2.0', get('GET /api/v1/health HTTP/2.0')],
      [505, 'the preface of HTTP/2', crlf('PRI * HTTP/2.0', '', 'SM', '', '')],
      [505, 'HTTP/3.0', get('GET /api/v1/health HTTP/3.0')],
      [505, 'HTTP/0.9 by name', get('GET /api/v1/health HTTP/0.9')],
      [505, 'HTTP/0.9 as a line', 'GET /api/v1/health\r\n\r\n'],
      [414, 'a target of 20,000 bytes', get(`GET /api/v1/${'x'.repeat(20_000)} HTTP/1.1`)],
      [431, 'a header of 20,000 bytes', get(`GET /api/v1/health HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}`)],
      [405, 'a method that is not known', get('FOO /api/v1/health HTTP/1.1')],
      [405, 'a method in lower case', get('get /api/v1/health HTTP/1.1')],
      [404, 'such a method for a path that is not there', get('FOO /api/v1/nothing HTTP/1.1')],
    ])('a request is refused by the parts of its head, %i: %s', async (status, _what, bytes) => {
      const text = await exchange(service.port, bytes + next);
      const answer = parseRaw(text);
      expect([answer.status, answer.headers.get('connection')]).toEqual([status, 'close']);
      // The bytes that follow on the connection are no request any more.
      expect(text.match(/HTTP\/1\.1 \d+ /g)).toHaveLength(1);
      expectEnvelope(answer);
      if (status === 405) expect(answer.headers.get('allow')).toBe('GET, HEAD');
    });

    it('OPTIONS * is 204 with Allow', async () => {
      const { status, headers, body } = await send('OPTIONS * HTTP/1.1', ...closing, '', '');
      expect([status, headers.get('allow'), body]).toEqual([
        204,
        'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
        '',
      ]);
      expect((await send('GET * HTTP/1.1', ...closing, '', '')).status).toBe(404);
    });
  });

  it('431: 20,000 bytes of headers', async () => {
    const answer = await send(
      'GET /api/v1/health HTTP/1.1',
      ...closing,
      `X-Long: ${'x'.repeat(20_000)}`,
      '',
      '',
    );
    expect(answer.status).toBe(431);
    expectEnvelope(answer);
  });

  it('a thousand small headers hide no credentials', async () => {
    const many = Array.from({ length: 1000 }, (_, index) => `h${index}: 1`);
    const answer = await send(
      'GET /api/v1/users HTTP/1.1',
      ...closing,
      ...many,
      `X-Api-Key: ${key.key}`,
      'Authorization: Bearer x',
      '',
      '',
    );
    expect([200, 431]).toContain(answer.status);
  });

  describe('a method that a path does not take', () => {
    const methods = [
      'TRACE',
      'QUERY',
      'OPTIONS',
      'PROPFIND',
      'PURGE',
      'M-SEARCH',
      'SOURCE',
      'LINK',
      'REPORT',
    ];
    it.each(methods)('a method that a path does not take is 405 with Allow: %s', async (method) => {
      for (const [path, allow] of [
        ['/api/v1/users', 'GET, HEAD'],
        ['/api/v1/api_keys', 'GET, HEAD, POST'],
        ['/api/v1/api_keys/1', 'DELETE'],
        ['/admin/users/1', 'GET, HEAD, PUT, PATCH, DELETE'],
      ] as const) {
        const answer = await send(`${method} ${path} HTTP/1.1`, ...closing, '', '');
        expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, 405, allow]);
        expectEnvelope(answer);
      }
      const missing = await send(`${method} /api/v1/nothing HTTP/1.1`, ...closing, '', '');
      expect(missing.status).toBe(404);
      expectEnvelope(missing);
    });
  });

  it('404: an empty parameter of a path, whatever the method', async () => {
    for (const [method, path] of [
      ['GET', '/admin/users/'],
      ['DELETE', '/api/v1/api_keys/'],
      ['GET', '/api/v1/api_keys/'],
      ['TRACE', '/admin/users/'],
      ['GET', '/api/v1/meta/'],
    ] as const) {
      const answer = await send(
        `${method} ${path} HTTP/1.1`,
        ...closing,
        `Authorization: Bearer ${admin.token}`,
        '',
        '',
      );
      expect([method, path, answer.status]).toEqual([method, path, 404]);
      expect(JSON.parse(answer.body)).toMatchObject({ code: 40401 });
    }
  });

  describe('a header sent twice is refused', () => {
    it('Authorization, whichever of them is good', async () => {
      const good = `Authorization: Bearer ${admin.token}`;
      for (const [one, two] of [
        [good, 'Authorization: Bearer x'],
        ['Authorization: Bearer x', good],
        [good, good],
        [good, 'authorization: '],
      ] as const)
        expect((await send('GET /api/v1/auth/me HTTP/1.1', ...closing, one, two, '', '')).status).toBe(401);
      expect((await send('GET /api/v1/auth/me HTTP/1.1', ...closing, good, '', '')).status).toBe(200);
    });

    it('X-Api-Key is refused when it is sent twice', async () => {
      const good = `X-Api-Key: ${key.key}`;
      for (const [one, two] of [
        [good, 'X-Api-Key: y'],
        ['X-Api-Key: y', good],
        [good, good],
      ] as const)
        expect((await send('GET /api/v1/users HTTP/1.1', ...closing, one, two, '', '')).status).toBe(401);
      expect((await send('GET /api/v1/users HTTP/1.1', ...closing, good, '', '')).status).toBe(200);
    });
  });

  describe('lengths that do not fit', () => {
    const head = (length: number) =>
      crlf(
        'POST /api/v1/auth/login HTTP/1.1',
        'Host: x',
        'Content-Type: application/json',
        `Content-Length: ${length}`,
        '',
        '',
      );

    it('a body that ends early is answered nothing as if it were whole', async () => {
      const socket = rawSocket(service.port);
      socket.write(`${head(500)}{"account":"a"`);
      socket.destroy();
      expect((await service.get('/api/v1/health')).status).toBe(200);
    });

    it('what follows a body is the next request, and no part of the first', async () => {
      const body = '{"account":1}';
      const next = crlf('GET /api/v1/users HTTP/1.1', 'Host: x', 'Connection: close', '', '');
      const text = await exchange(service.port, head(body.length) + body + next);
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 422', 'HTTP/1.1 401']);
    });

    it('Expect: 100-continue is answered, then the body is read', async () => {
      const socket = rawSocket(service.port);
      socket.write(
        crlf(
          'POST /api/v1/auth/login HTTP/1.1',
          ...closing,
          'Content-Type: application/json',
          'Content-Length: 2',
          'Expect: 100-continue',
          '',
          '',
        ),
      );
      await socket.received('100 Continue');
      socket.write('{}');
      expect(await socket.closed()).toContain('HTTP/1.1 422');
    });

    it('a caller who may not send a body is not asked for it', async () => {
      const text = await exchange(
        service.port,
        crlf(
          'POST /api/v1/api_keys HTTP/1.1',
          'Host: x',
          'Content-Length: 9',
          'Expect: 100-continue',
          '',
          '',
        ),
      );
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401']);
    });

    it('another expectation is no reason to refuse', async () => {
      const answer = await send('GET /api/v1/health HTTP/1.1', ...closing, 'Expect: wonders', '', '');
      expect(answer.status).toBe(200);
    });

    it('an oversized body is refused before all of it is there', async () => {
      const socket = rawSocket(service.port);
      socket.write(head(100_000_000));
      const chunk = Buffer.alloc(1_048_576, 0x20);
      for (let sent = 0; sent < 12; sent += 1) socket.write(chunk);
      const answer = parseRaw(await socket.received('}'));
      socket.destroy();
      expect([answer.status, answer.headers.get('connection')]).toEqual([413, 'close']);
    });
  });

  describe('requests one behind the other', () => {
    const ask = (token: string) =>
      crlf('GET /api/v1/auth/me HTTP/1.1', 'Host: x', `Authorization: Bearer ${token}`, '', '');

    it('requests one behind the other are answered in their order, each to its own caller', async () => {
      const viewer = await service.createUser();
      const text = await exchange(
        service.port,
        ask(admin.token) +
          ask('x') +
          ask(viewer.token) +
          crlf('GET /api/v1/auth/me HTTP/1.1', ...closing, '', ''),
      );
      expect(text.match(/HTTP\/1\.1 \d+|"username":"[^"]+"/g)).toEqual([
        'HTTP/1.1 200',
        `"username":"${admin.username}"`,
        'HTTP/1.1 401',
        'HTTP/1.1 200',
        `"username":"${viewer.username}"`,
        'HTTP/1.1 401',
      ]);
    });

    it('requests one behind the other are answered before what the parser refuses behind them, in one packet', async () => {
      const head = (method: string, path: string, ...more: string[]): string =>
        crlf(`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...more, '', '');
      const body = JSON.stringify({ account: admin.username, password: admin.password });
      const login = head(
        'POST',
        '/api/v1/auth/login',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      );
      const text = await exchange(
        service.port,
        `${login}${body}${head('GET', '/api/v1/users', `Authorization: Bearer ${admin.token}`)}NO REQUEST AT ALL\r\n\r\n`,
      );
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
      expect(statuses).toEqual([200, 200, 400]);
      // A body that is broken is the last request's own fault.
      const chunked = head(
        'POST',
        '/api/v1/auth/login',
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
      );
      const other = await exchange(service.port, `${login}${body}${chunked}no length\r\n`);
      expect([...other.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))).toEqual([
        200, 400,
      ]);
    });

    it('requests one behind the other are answered by the hundred', async () => {
      const last = crlf('GET /api/v1/health HTTP/1.1', ...closing, '', '');
      const text = await exchange(service.port, ask(admin.token).repeat(100) + last);
      expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(101);
    });

    it('requests without an end cut their own connection, and no other', async () => {
      const flood = rawSocket(service.port);
      const other = rawSocket(service.port);
      flood.write(ask(admin.token).repeat(5_000));
      other.write(ask(admin.token));
      expect((await flood.closed()).match(/HTTP\/1\.1/g)?.length ?? 0).toBeLessThan(5_000);
      expect(await other.received('"username"')).toContain(`"username":"${admin.username}"`);
      other.destroy();
    });
  });
});
