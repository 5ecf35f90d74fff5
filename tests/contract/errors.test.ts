import { beforeAll, describe, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { playScenarios, type Scenario } from '../support/scenario.ts';
import { type TestUser, useService } from '../support/service.ts';

const cause = 'cause-of-the-crash-7731';

class Unprintable extends Error {
  override get message(): string {
    throw new Error(cause);
  }
}

/** Endpoints that fail in every way in which a handler can. */
const crashes: Readonly<Record<string, () => never | Promise<never>>> = {
  throw: () => {
    throw new Error(cause);
  },
  reject: () => Promise.reject(new TypeError(cause)),
  text: () => Promise.reject(cause),
  nothing: () => Promise.reject(undefined),
  null: () => Promise.reject(null),
  unprintable: () => {
    throw new Unprintable();
  },
  circular: () => {
    const error: Error & { self?: unknown } = new Error(cause);
    error.self = error;
    throw error;
  },
  status: () => Promise.reject(Object.assign(new Error(cause), { statusCode: 200, code: 'FST_ERR_BAD_URL' })),
};

const fields = { title: field.string({ required: true }) };

const application = {
  resources: [defineResource('Memo', { fields })],
  migrations: {
    '0001_memos': { up: (db, dialect) => createTable(db, dialect, 'memos', { fields }) },
  } satisfies Migrations,
  endpoints: [
    ...Object.entries(crashes).map(([name, handle]) =>
      defineEndpoint({ method: 'GET', path: `/crash/${name}`, auth: [], handle }),
    ),
    defineEndpoint({ method: 'POST', path: '/echo', auth: [], handle: ({ body }) => ({ body }) }),
    defineEndpoint({ method: 'GET', path: '/silent', auth: [], handle: () => undefined }),
    defineEndpoint({
      method: 'GET',
      path: '/unserialisable',
      auth: [],
      handle: () => ({ n: 1n as unknown as number }),
    }),
  ],
};

/** Every fixed endpoint with authentication. */
const guarded = [
  'GET /api/v1/auth/me',
  'PUT /api/v1/auth/password',
  'GET /api/v1/users',
  'GET /api/v1/api_keys',
  'POST /api/v1/api_keys',
  'DELETE /api/v1/api_keys/1',
  'POST /api/v1/payment',
  'GET /admin/session',
  'DELETE /admin/session',
  'GET /admin/sessions',
  'DELETE /admin/sessions',
  'GET /admin/api_keys',
  'POST /admin/api_keys',
  'DELETE /admin/api_keys/1',
  'GET /admin/users',
  'POST /admin/users',
  'GET /admin/users/1',
  'PATCH /admin/users/1',
  'PUT /admin/users/1',
  'DELETE /admin/users/1',
  'GET /admin/roles',
  'POST /admin/roles',
  'GET /admin/roles/viewer',
  'GET /admin/roles/viewer/users',
  'DELETE /admin/roles/viewer',
  'GET /admin/permissions',
  'PUT /admin/permissions',
  'PUT /admin/permissions/viewer/Note/create',
  'DELETE /admin/permissions/viewer/Note/create',
  'GET /admin/applications',
  'GET /admin/payments',
  'GET /admin/audit',
  'GET /admin/refusals',
] as const;

const oversized = Buffer.alloc(1_048_577, 0x20);

/** Bodies that are refused of a caller who may send them; of a stranger, none of them is looked at. */
const badBodies: readonly Pick<Scenario, 'name' | 'body' | 'chunked' | 'headers'>[] = [
  { name: 'malformed JSON', body: '{"api_key":' },
  { name: 'another media type', body: 'x', headers: { 'content-type': 'text/plain' } },
  { name: 'a media type that is none', body: 'x', headers: { 'content-type': ';;,"' } },
  { name: 'no media type', body: '{}', headers: { 'content-type': '' } },
  { name: 'a content encoding', body: 'x', headers: { 'content-encoding': 'gzip' } },
  { name: 'invalid UTF-8', body: Buffer.from([0x7b, 0xff, 0x7d]) },
  { name: 'a body over the limit', body: oversized },
  { name: 'a body over the limit, of undeclared length', body: oversized, chunked: 65_536 },
];

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const echo = 'POST /api/v1/echo';

const malformed: readonly Scenario[] = [
  { name: 'nothing', request: echo, status: 415, code: 41500 },
  { name: 'an empty body', request: echo, body: '', status: 400, code: 40001 },
  {
    name: 'half an object',
    request: echo,
    body: '{"a":1',
    status: 400,
    code: 40001,
    message: '请求体不是有效的 JSON',
  },
  { name: 'a comma too much', request: echo, body: '{"a":1,}', status: 400, code: 40001 },
  { name: 'a second value', request: echo, body: '{}{}', status: 400, code: 40001 },
  { name: 'NaN', request: echo, body: '{"a":NaN}', status: 400, code: 40001 },
  { name: 'a byte order mark', request: echo, body: '\uFEFF{}', status: 400, code: 40001 },
  { name: 'UTF-16', request: echo, body: Buffer.from('{}', 'utf16le'), status: 400 },
  { name: 'invalid UTF-8', request: echo, body: Buffer.from([0x7b, 0xff, 0x7d]), status: 400, code: 40002 },
  {
    name: 'a surrogate in UTF-8',
    request: echo,
    body: Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    status: 400,
    code: 40002,
  },
  {
    name: 'overlong UTF-8',
    request: echo,
    body: Buffer.from([0x22, 0xc0, 0x80, 0x22]),
    status: 400,
    code: 40002,
  },
  { name: 'a lone surrogate', request: echo, body: '{"a":"\\ud800"}', status: 400, code: 40002 },
  { name: 'a lone surrogate in a name', request: echo, body: '{"\\udc00":1}', status: 400, code: 40002 },
  { name: 'NUL', request: echo, body: '{"a":["\\u0000"]}', status: 400, code: 40002 },
  { name: 'NUL in a name', request: echo, body: '{"a\\u0000":1}', status: 400, code: 40002 },
  { name: 'an array', request: echo, body: '[]', status: 400, code: 40004 },
  { name: 'null', request: echo, body: 'null', status: 400, code: 40004 },
  { name: 'a text', request: echo, body: '"{}"', status: 400, code: 40004 },
  { name: '65 levels', request: echo, body: `{"a":${nested(64)}}`, status: 400, code: 40003 },
  { name: '64 levels', request: echo, body: `{"a":${nested(63)}}`, status: 200 },
  { name: '500,000 levels', request: echo, body: nested(500_000), status: 400, code: 40003 },
  {
    name: '300,000 opened, none closed',
    request: echo,
    body: '{"a":'.repeat(200_000),
    status: 400,
    code: 40003,
  },
  { name: 'brackets in a text are no levels', request: echo, body: { a: nested(200) }, status: 200 },
  {
    name: 'a pair of surrogates',
    request: echo,
    body: '{"a":"\\ud83d\\ude00"}',
    status: 200,
    contains: ['😀'],
  },
  {
    name: '__proto__ is a name like any other',
    request: echo,
    body: '{"__proto__":{"x":1}}',
    status: 200,
    contains: ['"__proto__":{"x":1}'],
  },
  { name: '1 MiB of body', request: echo, body: `{}${' '.repeat(1_048_574)}`, status: 200 },
  {
    name: '1 MiB and a byte',
    request: echo,
    body: `{}${' '.repeat(1_048_575)}`,
    status: 413,
    code: 41300,
    contains: ['1048576'],
  },
  {
    name: '1 MiB and a byte in pieces',
    request: echo,
    body: oversized,
    chunked: 65_536,
    status: 413,
    code: 41300,
  },
  {
    name: 'text/plain',
    request: echo,
    body: '{}',
    headers: { 'content-type': 'text/plain' },
    status: 415,
    code: 41500,
  },
  {
    name: 'a form',
    request: echo,
    body: 'a=1',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    status: 415,
  },
  {
    name: 'multipart',
    request: echo,
    body: '--x--',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    status: 415,
  },
  {
    name: 'application/jsonp',
    request: echo,
    body: '{}',
    headers: { 'content-type': 'application/jsonp' },
    status: 415,
  },
  {
    name: 'another charset',
    request: echo,
    body: '{}',
    headers: { 'content-type': 'application/json; charset=utf-16' },
    status: 415,
  },
  {
    name: 'a compressed body',
    request: echo,
    body: '{}',
    headers: { 'content-encoding': 'br' },
    status: 415,
  },
  {
    name: 'a media type in capitals',
    request: echo,
    body: '{}',
    headers: { 'content-type': 'APPLICATION/JSON;charset="UTF-8"' },
    status: 200,
  },
  {
    name: 'a key that is missing',
    request: 'POST /api/v1/api_keys',
    as: 'user',
    body: { name: 'x' },
    status: 400,
    code: 40005,
    message: '请求体缺少对象 api_key',
  },
  {
    name: 'a key that is no object',
    request: 'POST /api/v1/api_keys',
    as: 'user',
    body: { api_key: ['x'] },
    status: 400,
    code: 40005,
  },
  {
    name: 'a key that is null',
    request: 'POST /api/v1/api_keys',
    as: 'user',
    body: { api_key: null },
    status: 400,
    code: 40005,
  },
  {
    name: 'a key that only the prototype has',
    request: 'POST /api/v1/api_keys',
    as: 'user',
    body: '{"__proto__":{"api_key":{"name":"x"}}}',
    status: 400,
    code: 40005,
  },
  {
    name: 'a new record without the key of its model',
    request: 'POST /api/v1/memos',
    as: 'user',
    body: { title: 'x', memos: { title: 'x' } },
    status: 400,
    code: 40005,
    message: '请求体缺少对象 memo',
  },
  {
    name: 'a change of a record without the key of its model',
    request: 'PATCH /api/v1/memos/1',
    as: 'user',
    body: { title: 'x', memos: { title: 'x' } },
    status: 400,
    code: 40005,
    message: '请求体缺少对象 memo',
  },
  {
    name: 'bad media type of a caller who may',
    request: 'POST /api/v1/api_keys',
    as: 'user',
    body: 'x',
    headers: { 'content-type': ';;,"' },
    status: 415,
  },
];

const lost: readonly Scenario[] = [
  {
    name: 'an unknown path',
    request: 'GET /api/v1/nothing',
    status: 404,
    code: 40401,
    message: '路径不存在',
  },
  { name: 'the root', request: 'GET /', status: 404, code: 40401 },
  { name: 'the prefix', request: 'GET /api/v1', status: 404, code: 40401 },
  { name: 'another version', request: 'GET /api/v2/health', status: 404, code: 40401 },
  {
    name: 'an unknown path with a body',
    request: 'POST /api/v1/nothing',
    body: '{',
    status: 404,
    code: 40401,
  },
  {
    name: 'an unknown path with an oversized body',
    request: 'POST /api/v1/nothing',
    body: oversized,
    status: 404,
  },
  {
    name: 'an unknown path of the administration area',
    request: 'GET /admin/nothing',
    status: 404,
    code: 40401,
  },
  {
    name: 'a parameter of 1,000 characters',
    request: `DELETE /api/v1/api_keys/${'9'.repeat(1000)}`,
    as: 'user',
    status: 404,
  },
  { name: 'a path that cannot be decoded', request: 'GET /api/v1/%zz', status: 400, code: 40000 },
  {
    name: 'a parameter that is no UTF-8',
    request: 'DELETE /admin/roles/%ff',
    as: 'user',
    status: 400,
    code: 40000,
  },
  {
    name: 'the login does not take GET',
    request: 'GET /api/v1/auth/login',
    status: 405,
    code: 40500,
    answers: { allow: /^POST$/ },
  },
  {
    name: 'health does not take POST',
    request: 'POST /api/v1/health',
    body: {},
    status: 405,
    answers: { allow: /^GET, HEAD$/ },
  },
  {
    name: 'OPTIONS without CORS',
    request: 'OPTIONS /api/v1/users',
    status: 405,
    answers: { allow: /^GET, HEAD$/ },
  },
  {
    name: 'keys take GET and POST',
    request: 'PUT /api/v1/api_keys',
    body: '{',
    status: 405,
    answers: { allow: /^GET, HEAD, POST$/ },
  },
  {
    name: 'the password takes PUT only',
    request: 'DELETE /api/v1/auth/password',
    status: 405,
    answers: { allow: /^PUT$/ },
  },
  { name: 'a stranger with the wrong method', request: 'DELETE /api/v1/users', status: 405 },
  {
    name: 'an oversized body with the wrong method',
    request: 'POST /api/v1/users',
    body: oversized,
    status: 405,
  },
  { name: 'HEAD of what is not there', request: 'HEAD /api/v1/nothing', status: 404 },
  { name: 'HEAD of what asks who calls', request: 'HEAD /api/v1/users', status: 401 },
];

describeEachDatabase('errors', (databases) => {
  const service = useService(databases, { application, apps: ['shop'] });
  let user: TestUser;
  beforeAll(async () => {
    user = await service.createUser();
  });

  describe('401 comes before everything that could be said of a body', () => {
    for (const { name, ...bad } of badBodies)
      it(name, async () => {
        for (const endpoint of guarded) {
          const [method = '', path = ''] = endpoint.split(' ');
          const { status, json } = await service.request(method, path, bad);
          expect([endpoint, status, json]).toEqual([endpoint, 401, { code: 40100, message: '未认证' }]);
        }
      });

    it('invalid credentials are 401 before everything that could be said of a body', async () => {
      const sent = { token: 'no', key: 'no', cookie: 'gatewright_session=no', ...service.sign('shop', 'x') };
      for (const endpoint of guarded) {
        const [method = '', path = ''] = endpoint.split(' ');
        const headers = { ...service.sign('shop', 'x'), origin: service.origin };
        const { status } = await service.request(method, path, { ...sent, headers, body: '{' });
        expect([endpoint, status]).toEqual([endpoint, 401]);
      }
    });

    it('413 is for who may send: a signature that covers the whole of it cannot be checked', async () => {
      const headers = service.sign('shop', oversized);
      expect((await service.post('/api/v1/payment', { body: oversized, headers })).status).toBe(413);
    });
  });

  describe('403 comes before the body too', () => {
    for (const { name, ...bad } of badBodies)
      it(name, async () => {
        for (const path of ['/admin/api_keys', '/admin/users', '/admin/roles']) {
          const { status, json } = await service.post(path, { ...bad, token: user });
          expect([path, status, json]).toEqual([path, 403, { code: 40300, message: '无权限' }]);
        }
      });

    it('403 comes before 404', async () => {
      for (const path of ['/admin/users/999999', '/admin/users/x'])
        expect((await service.get(path, { token: user })).status).toBe(403);
    });
  });

  describe('400 comes before 404', () => {
    it('a bad body to a record that is not there is 400 before 404', async () => {
      const { status } = await service.request('PATCH', '/admin/users/999999', {
        token: await service.admin(),
        body: '{',
      });
      expect(status).toBe(400);
    });
  });

  describe('bodies', () => playScenarios(service, malformed, () => ({ user })));
  describe('paths and methods', () => playScenarios(service, lost, () => ({ user })));

  describe('records', () => {
    it('404: an id in any other spelling than its own is that of no record', async () => {
      const first = await service.ok('POST', '/api/v1/memos', {
        token: user,
        body: { memo: { title: 'first' } },
      });
      const own = `${first['id']}`;
      const spelt = [`0${own}`, `+${own}`, `-${own}`, `${own}.0`, `${own}e0`, `${own}%20`];
      const beyond = ['9999999999999999', '9223372036854775808', '99999999999999999999'];
      for (const id of ['abc', '0', ...spelt, ...beyond])
        for (const [method, sent] of [
          ['GET', {}],
          ['PATCH', { body: { memo: { title: 'changed' } } }],
          ['DELETE', {}],
        ] as const) {
          const answer = await service.request(method, `/api/v1/memos/${id}`, { token: user, ...sent });
          expect([method, id, answer.status, answer.json]).toEqual([
            ...[method, id, 404],
            { code: 40400, message: '记录不存在' },
          ]);
        }
      expect(await service.ok('GET', `/api/v1/memos/${own}`, { token: user })).toEqual(first);
    });
  });

  describe('500', () => {
    for (const name of [...Object.keys(crashes).map((one) => `crash/${one}`), 'unserialisable'])
      it(`${name}: the answer says nothing, the log says what happened`, async () => {
        const before = service.lines.length;
        const { status, json, headers, text } = await service.get(`/api/v1/${name}`);
        expect([status, json]).toEqual([500, { code: 50000, message: '服务器内部错误' }]);
        expect(text).not.toContain(cause);
        const id = headers['x-request-id'];
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/);
        const lines = service.lines.slice(before).map((line) => JSON.parse(line) as Record<string, unknown>);
        expect(lines).toContainEqual(
          expect.objectContaining({
            requestId: id,
            msg: expect.stringMatching(/^request failed/),
            level: 50,
          }),
        );
        if (/throw|reject|text|circular|status/.test(name))
          expect(service.lines.slice(before).join()).toContain(cause);
        expect((await service.get('/api/v1/health')).status).toBe(200);
      });
  });

  describe('200', () => {
    it('an endpoint that answers nothing has an envelope without data', async () => {
      expect((await service.get('/api/v1/silent')).text).toBe('{"code":0,"message":"操作成功"}');
    });

    it('a record that is made, changed and deleted: the same text; data is the record, or absent', async () => {
      const title = 'for its texts';
      const body = { memo: { title } };
      const made = await service.post('/api/v1/memos', { token: user, body });
      const record = { id: expect.any(Number), title };
      const success = { code: 0, message: '操作成功', data: expect.objectContaining(record) };
      expect([made.status, made.json]).toEqual([201, success]);
      const path = `/api/v1/memos/${made.data['id']}`;
      const changed = await service.request('PATCH', path, { token: user, body });
      expect([changed.status, changed.json]).toEqual([200, success]);
      const deleted = await service.delete(path, { token: user });
      expect([deleted.status, deleted.text]).toEqual([200, '{"code":0,"message":"操作成功"}']);
    });

    it('HEAD answers what GET would, without its body', async () => {
      const get = await service.get('/api/v1/users', { token: user });
      const head = await service.request('HEAD', '/api/v1/users', { token: user });
      expect([head.status, head.text]).toEqual([200, '']);
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
    });
  });
});
