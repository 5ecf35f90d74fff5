import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { rawSocket } from '../support/raw-socket.ts';
import { type Key, type Service, type TestUser, useService } from '../support/service.ts';

const shared = new URL('../../../shared/vectors/', import.meta.url);
const read = <Content>(name: string): Content | undefined => {
  const file = new URL(name, shared);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Content) : undefined;
};
const parsing = read<{ cases: Readonly<Record<string, string>> }>('json-parsing.json')?.cases ?? {};
const naughty = read<{ strings: readonly string[] }>('naughty-strings.json')?.strings ?? [];

/** JSON to the letter that is refused all the same, as the decisions say: text that holds NUL. */
const refusedText = /^y_(?:string_null_escape|object_escaped_null_in_key)/;

const application = {
  endpoints: [
    defineEndpoint({ method: 'POST', path: '/echo', auth: [], handle: ({ body }) => ({ body }) }),
    defineEndpoint({
      method: 'GET',
      path: '/echo/:one',
      auth: [],
      handle: ({ params, query }) => ({ one: params['one'] ?? null, query: query.toString() }),
    }),
  ],
};

/** Text as a header can carry it: what Node's client would refuse to send is not sent. */
const headerText = fc
  .oneof(
    fc.string({
      unit: fc
        .integer({ min: 0x20, max: 0xff })
        .filter((code) => code !== 0x7f)
        .map((code) => String.fromCharCode(code)),
      maxLength: 200,
    }),
    fc.constantFrom(
      '',
      ' ',
      ',',
      ';',
      '=',
      '"',
      '0',
      '-1',
      '1e9',
      'null',
      'Bearer',
      'Bearer a.b.c',
      '__proto__',
      '\u00e9',
      '*/*',
      'W/"1"',
      'bytes=0-',
    ),
  )
  .map((text) => text.trim());

/** Bytes that come close to JSON, so that they get further than the first character. */
const nearJson = fc.oneof(
  fc.json(),
  fc.tuple(fc.json(), fc.nat(), fc.integer({ min: 0, max: 255 })).map(([json, place, byte]) => {
    const bytes = Buffer.from(json);
    if (bytes.length > 0) bytes[place % bytes.length] = byte;
    return bytes;
  }),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc
    .object({ maxDepth: 3 })
    .map((value) => JSON.stringify({ api_key: value, user: value, role: value, ...value })),
);

const token = fc.oneof(
  headerText,
  fc
    .tuple(fc.base64String(), fc.base64String(), fc.base64String())
    .map((parts) => parts.join('.').replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_')),
  fc
    .tuple(fc.json(), fc.json())
    .map(
      ([head, claims]) =>
        `${Buffer.from(head).toString('base64url')}.${Buffer.from(claims).toString('base64url')}.${'A'.repeat(43)}`,
    ),
);

const segment = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 40 }).map((text) => encodeURIComponent(text.toWellFormed())),
    fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[^!-~]|[?#/]/g, '')),
    fc.constantFrom(
      '%',
      '%f',
      '%ff',
      '%00',
      '..',
      '.',
      '%2e%2e',
      '1',
      '0',
      '-1',
      '9007199254740993',
      'NaN',
      '__proto__',
      'constructor',
    ),
  )
  .map((text) => text || 'x');

const queryName = fc.constantFrom(
  'page',
  'per_page',
  'after',
  'sort',
  'q',
  'fields',
  'filter[id]',
  'filter[id][in]',
  'filter[username][like]',
  'filter[created_at][gt]',
  'filter[id][null]',
  'filter',
  'filter[',
  'filter[]',
  'filter[id][gt][lt]',
  'ready',
  '__proto__',
  'nothing',
);
const query = fc
  .array(
    fc.tuple(
      queryName,
      fc.oneof(
        segment,
        fc.constantFrom(
          '1',
          '-1',
          '1,2,3',
          'true',
          '2026-01-01',
          '-id',
          'id,-username',
          '%27',
          '%25',
          '_',
          '1e400',
          '',
        ),
      ),
      fc.boolean(),
    ),
    { maxLength: 4 },
  )
  .map((pairs) =>
    pairs.map(([name, value, escaped]) => `${escaped ? encodeURIComponent(name) : name}=${value}`).join('&'),
  );

const runs = { numRuns: 150 };

/** No answer of these is a failure of the service's own; `Service.request` sees to the rest. */
const expectAnswered = (status: number): void => {
  expect(status).toBeGreaterThanOrEqual(200);
  expect(status).toBeLessThan(500);
};

const alive = async (service: Service): Promise<void> => {
  expect((await service.get('/api/v1/health?ready')).status).toBe(200);
};

describeEachDatabase('hostile input', (databases) => {
  const service = useService(databases, { application, apps: ['shop'] });
  let admin: TestUser;
  let key: Key;
  beforeAll(async () => {
    admin = await service.createUser(['admin']);
    key = await service.createKey(admin);
  });

  describe.skipIf(Object.keys(parsing).length === 0)(
    'JSONTestSuite (skipped where the folder is absent)',
    () => {
      const bodies = Object.entries(parsing).map(
        ([name, base64]) => [name, Buffer.from(base64, 'base64')] as const,
      );

      it('JSONTestSuite as whole bodies: a text that is not JSON is 400, and nothing is 5xx', async () => {
        for (const [name, body] of bodies) {
          const { status, json } = await service.post('/api/v1/echo', { body });
          const expected = name.startsWith('n_') ? [400] : [200, 400];
          expect([name, expected.includes(status)]).toEqual([name, true]);
          // The value is no object, or a text that no database keeps: the only reasons to refuse JSON.
          if (name.startsWith('y_') && status === 400)
            expect([name, [40002, 40004].includes(json.code)]).toEqual([name, true]);
        }
        await alive(service);
      });

      it('JSONTestSuite as values of an object: JSON passes', async () => {
        for (const [name, bytes] of bodies) {
          const body = Buffer.concat([Buffer.from('{"a":'), bytes, Buffer.from('}')]);
          const { status } = await service.post('/api/v1/echo', { body });
          if (name.startsWith('y_'))
            expect([name, status]).toEqual([name, refusedText.test(name) ? 400 : 200]);
          else expect([name, [200, 400].includes(status)]).toEqual([name, true]);
          if (name.startsWith('n_') && !/extra|trailing|after_end|_close|}/.test(name))
            expect([name, status]).toEqual([name, 400]);
        }
      });

      it('JSONTestSuite as signed payments: each is stored or refused, never 5xx', async () => {
        for (const [name, bytes] of bodies) {
          const body = Buffer.concat([Buffer.from('{"order_no":'), bytes, Buffer.from('}')]);
          const { status } = await service.post('/api/v1/payment', {
            body,
            headers: service.sign('shop', body),
          });
          expect([name, [201, 400].includes(status)]).toEqual([name, true]);
        }
        expect((await service.get('/admin/payments', { token: admin })).status).toBe(200);
      });
    },
  );

  describe.skipIf(naughty.length === 0)('naughty strings (skipped where the folder is absent)', () => {
    it('naughty strings as names of keys come back as they are, or are refused', async () => {
      for (const name of naughty) {
        const { status, data } = await service.post('/api/v1/api_keys', {
          token: admin,
          body: { api_key: { name } },
        });
        expect([name, [201, 400, 422].includes(status)]).toEqual([name, true]);
        if (status === 201) expect(data['name']).toBe(name);
      }
    });

    it('naughty strings in filters, searches, sorts and paths never cause a 5xx', async () => {
      for (const text of naughty) {
        const value = encodeURIComponent(text.toWellFormed());
        for (const path of [
          `/admin/users?filter[username]=${value}`,
          `/admin/users?q=${value}`,
          `/admin/audit?sort=${value}`,
          `/admin/api_keys?filter[${value}]=1`,
          `/admin/users/${value}`,
          `/api/v1/echo/${value}`,
        ])
          expectAnswered((await service.get(path, { token: admin })).status);
      }
      await alive(service);
    });
  });

  describe('properties', () => {
    it('no token, key, signature, timestamp or cookie gives a 5xx or lets anybody in', async () => {
      const credentials = fc.record(
        {
          authorization: token.map((text) => `Bearer ${text}`),
          'x-api-key': headerText,
          'x-app-id': headerText,
          'x-timestamp': fc.oneof(headerText, fc.integer().map(String)),
          'x-signature': fc.oneof(headerText, fc.constant('0'.repeat(64))),
          cookie: headerText.map((text) => `gatewright_session=${text}`),
        },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(
          credentials,
          fc.constantFrom(
            'GET /api/v1/users',
            'GET /api/v1/auth/me',
            'POST /api/v1/payment',
            'GET /admin/users',
            'DELETE /admin/session',
          ),
          async (headers, request) => {
            const [method = '', path = ''] = request.split(' ');
            const { status } = await service.request(method, path, { headers });
            expect([401, 403]).toContain(status);
          },
        ),
        runs,
      );
      await alive(service);
    });

    it('no body gives a 5xx', async () => {
      const places = [
        'POST /api/v1/echo',
        'POST /api/v1/auth/login',
        'POST /api/v1/api_keys',
        'POST /admin/users',
        'POST /admin/roles',
        'POST /admin/api_keys',
        'PATCH /admin/users/1',
        'POST /admin/session',
      ];
      await fc.assert(
        fc.asyncProperty(nearJson, fc.constantFrom(...places), async (body, request) => {
          const [method = '', path = ''] = request.split(' ');
          expectAnswered((await service.request(method, path, { token: admin, body })).status);
        }),
        runs,
      );
      await alive(service);
    });

    it('no form gives a 5xx', async () => {
      const form = fc.oneof(
        fc.string({ unit: 'binary' }),
        fc
          .array(
            fc.tuple(
              fc.constantFrom(
                'api_key[name]',
                'api_key[user_id]',
                'api_key[expires_at]',
                'api_key[',
                'api_key[][]',
                'api_key[__proto__]',
              ),
              segment,
            ),
          )
          .map((pairs) => pairs.map((pair) => pair.join('=')).join('&')),
      );
      await fc.assert(
        fc.asyncProperty(form, async (body) => {
          const headers = { 'content-type': 'application/x-www-form-urlencoded' };
          expectAnswered((await service.post('/admin/api_keys', { token: admin, body, headers })).status);
        }),
        runs,
      );
    });

    it('no signed body gives a 5xx', async () => {
      await fc.assert(
        fc.asyncProperty(nearJson, async (body) => {
          expectAnswered(
            (await service.post('/api/v1/payment', { body, headers: service.sign('shop', body) })).status,
          );
        }),
        runs,
      );
    });

    it('no header gives a 5xx', async () => {
      const names = fc.constantFrom(
        'content-type',
        'content-encoding',
        'accept',
        'accept-language',
        'accept-encoding',
        'if-match',
        'if-none-match',
        'if-modified-since',
        'range',
        'origin',
        'sec-fetch-site',
        'cookie',
        'idempotency-key',
        'x-forwarded-for',
        'x-forwarded-proto',
        'forwarded',
        'user-agent',
        'x-request-id',
        'traceparent',
      );
      await fc.assert(
        fc.asyncProperty(
          fc.dictionary(names, headerText, { maxKeys: 4 }),
          fc.constantFrom(
            'GET /api/v1/users?page=1',
            'POST /api/v1/api_keys',
            'POST /admin/session',
            'GET /api/v1/health',
          ),
          async (headers, request) => {
            const [method = '', path = ''] = request.split(' ');
            const body = method === 'POST' ? { body: '{"api_key":{"name":"x"}}' } : {};
            expectAnswered(
              (await service.request(method, path, { token: admin, key: key.key, headers, ...body })).status,
            );
          },
        ),
        runs,
      );
    });

    it('404: a name with a NUL, which no database could hold', async () => {
      for (const path of ['/admin/roles/%00', '/admin/roles/a%00b', '/admin/permissions/viewer%00/Note'])
        expect((await service.delete(path, { token: admin })).status).not.toBe(500);
      expect((await service.delete('/admin/roles/%00', { token: admin })).status).toBe(404);
    });

    it('no path and no query string gives a 5xx', async () => {
      const base = fc.constantFrom(
        '/api/v1',
        '/admin',
        '/api/v1/echo',
        '/api/v1/users',
        '/api/v1/api_keys',
        '/admin/users',
        '/admin/roles',
        '/admin/permissions/viewer/Note',
        '',
      );
      await fc.assert(
        fc.asyncProperty(
          base,
          fc.array(segment, { maxLength: 2 }),
          query,
          fc.constantFrom('GET', 'DELETE', 'PUT', 'HEAD'),
          async (start, segments, asked, method) => {
            const path = [start, ...segments].join('/') || '/';
            // A role or user that happens to be named is not what this is about.
            if (method !== 'GET' && /\/(?:users\/1|api_keys\/\d)/.test(path)) return;
            expectAnswered((await service.request(method, `${path}?${asked}`, { token: admin })).status);
          },
        ),
        { numRuns: 400 },
      );
      await alive(service);
    });

    it('no list parameter gives a 5xx', async () => {
      const lists = fc.constantFrom(
        '/api/v1/users',
        '/api/v1/api_keys',
        '/admin/api_keys',
        '/admin/users',
        '/admin/roles',
        '/admin/permissions',
        '/admin/applications',
        '/admin/payments',
        '/admin/sessions',
        '/admin/audit',
      );
      await fc.assert(
        fc.asyncProperty(lists, query, async (path, asked) => {
          const { status } = await service.get(`${path}?${asked}`, { token: admin });
          expect([200, 400]).toContain(status);
        }),
        { numRuns: 400 },
      );
    });
  });

  it('two hundred callers who never finish their headers do not delay the answers of others', async () => {
    const slow = Array.from({ length: 200 }, () => rawSocket(service.port));
    for (const socket of slow) socket.write('POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    const start = performance.now();
    await alive(service);
    expect(performance.now() - start).toBeLessThan(1000);
    for (const socket of slow) socket.destroy();
  });
});
