import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { beforeAll, expect, it } from 'vitest';
import { signHttp } from '../../src/auth/http-signature.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { file, multipart, multipartType, text } from '../support/multipart.ts';
import { parseRaw, rawSocket } from '../support/raw-socket.ts';
import { type TestUser, useService } from '../support/service.ts';

const fields = { name: field.string({ max: 40 }) };
const note = defineResource('Note', {
  fields,
  auth: {
    create: ['jwt', 'api_key', 'signature'],
    update: ['jwt', 'api_key'],
    destroy: ['jwt', 'api_key'],
  },
  permissions: 'writes',
});
const leaf = defineResource('Leaf', {
  ...{ plural: 'leaves', fields },
  auth: { create: ['signature', 'http_signature'] },
});

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'notes', { fields });
      await createTable(db, dialect, 'leaves', { fields });
    },
  },
};

/** Handlers that have begun their work, or have read their body to its end. */
let begun: string[] = [];

const auth = ['bearer', 'api_key'] as const;
const endpoints = [
  defineEndpoint({
    ...{ method: 'POST', path: '/files', accepts: 'multipart', auth, input: { name: field.string() } },
    handle: () => void begun.push('files'),
  }),
  defineEndpoint({
    ...{ method: 'POST', path: '/bytes', accepts: 'bytes', auth },
    handle: async ({ bytes }) => {
      await bytes;
      begun.push('bytes');
    },
  }),
  defineEndpoint({
    ...{ method: 'POST', path: '/stream', accepts: 'bytes', auth },
    handle: async ({ stream }) => {
      await buffer(stream);
      begun.push('stream');
    },
  }),
];

const json = (path: string, body: object) => ({ path, type: 'application/json', body: JSON.stringify(body) });

/** Each way of sending a body. */
const bodies = {
  'a record': json('/api/v1/notes', { note: { name: 'late' } }),
  'a batch': json('/api/v1/notes/batch', { create: [{ name: 'one' }, { name: 'two' }] }),
  files: {
    ...{ path: '/api/v1/files', type: multipartType },
    body: multipart(text('name', 'x'), file('file', 'y'.repeat(500))).toString(),
  },
  bytes: { path: '/api/v1/bytes', type: 'application/octet-stream', body: 'z'.repeat(500) },
  'a stream': { path: '/api/v1/stream', type: 'application/octet-stream', body: 'z'.repeat(500) },
} as const;

interface Late {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

type Headers = Readonly<Record<string, string>>;

/**
 * Sends the head of a request. The service asks for the body (`100 Continue`) once the caller is authenticated, or for a
 * signed body once its head is accepted; the body ends after `meanwhile`.
 */
const sendLate = async (
  port: number,
  { path, type, body }: Late,
  credentials: Headers,
  meanwhile: () => Promise<unknown>,
): Promise<number> => {
  const socket = rawSocket(port);
  const fields = {
    ...{ Host: 'localhost', Connection: 'close', Expect: '100-continue' },
    ...{ 'Content-Type': type, 'Content-Length': String(body.length), ...credentials },
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n`);
  const proceed = 'HTTP/1.1 100 Continue\r\n\r\n';
  expect(await socket.received(proceed)).toBe(proceed);
  socket.write(body.slice(0, 10));
  await meanwhile();
  socket.write(body.slice(10));
  return parseRaw((await socket.closed()).slice(proceed.length)).status;
};

describeEachDatabase('a body that ends after a revocation', (databases) => {
  const service = useService(databases, {
    apps: ['robot'],
    application: { resources: [note, leaf], migrations, endpoints },
  });
  let root: TestUser;
  beforeAll(async () => {
    root = await service.admin();
    await service.ok('POST', '/admin/roles', { token: root, body: { role: { name: 'writer' } } });
    await service.ok('PUT', '/admin/permissions/writer/Note/create', { token: root });
  });

  const patch = (user: TestUser, change: object) =>
    service.ok('PATCH', `/admin/users/${user.id}`, { token: root, body: { user: change } });
  const count = async (table: 'notes' | 'leaves'): Promise<number> => {
    const { database } = service.server.services;
    return (await database.all({ sql: `select id from ${table}`, parameters: [] })).length;
  };
  const make = async () => {
    const user = await service.createUser(['viewer', 'writer']);
    return { user, key: await service.createKey(user) };
  };
  type Made = Awaited<ReturnType<typeof make>>;

  const credentials = {
    'a token': ({ user }: Made): Headers => ({ Authorization: `Bearer ${user.token}` }),
    'a key': ({ key }: Made): Headers => ({ 'X-API-Key': key.key }),
  } as const;
  type Credential = keyof typeof credentials;
  type BodyName = keyof typeof bodies;

  interface Revocation {
    readonly of: readonly Credential[];
    readonly revoke: (made: Made) => Promise<unknown>;
    /** Default: 401. */
    readonly status?: number;
    /** Default: every body. */
    readonly bodies?: readonly BodyName[];
  }
  const every = ['a token', 'a key'] as const;
  const revocations: Readonly<Record<string, Revocation>> = {
    'the user is disabled': { of: every, revoke: ({ user }) => patch(user, { disabled: true }) },
    'the user is deleted': {
      of: every,
      revoke: ({ user }) => service.ok('DELETE', `/admin/users/${user.id}`, { token: root }),
    },
    'the password changes': {
      of: ['a token'],
      revoke: ({ user }) => patch(user, { password: 'walnut-harbour-61 lamp' }),
    },
    'the user signs out': {
      of: ['a token'],
      revoke: ({ user }) => service.ok('POST', '/api/v1/auth/logout', { token: user, body: {} }),
    },
    'the key is deleted': {
      of: ['a key'],
      revoke: ({ user, key }) => service.ok('DELETE', `/api/v1/api_keys/${key.id}`, { token: user }),
    },
    'the role is taken': {
      of: every,
      revoke: ({ user }) => patch(user, { roles: ['viewer'] }),
      status: 403,
      bodies: ['a record', 'a batch'],
    },
  };

  const cases = Object.entries(revocations).flatMap(([way, { of, bodies: some }]) =>
    of.flatMap((credential) =>
      (some ?? (Object.keys(bodies) as BodyName[])).map((body) => [body, credential, way] as const),
    ),
  );

  it.each(cases)('%s with %s: nothing begins after %s', async (body, credential, way) => {
    begun = [];
    const before = await count('notes');
    const made = await make();
    const { revoke, status = 401 } = revocations[way] as Revocation;
    const sent = sendLate(service.port, bodies[body], credentials[credential](made), () => revoke(made));
    expect(await sent).toBe(status);
    expect([begun, (await count('notes')) - before]).toEqual([[], 0]);
  });

  it.each(Object.keys(bodies) as BodyName[])('%s is taken without one', async (body) => {
    const made = await make();
    for (const headersOf of Object.values(credentials))
      expect(await sendLate(service.port, bodies[body], headersOf(made), async () => {})).toBeLessThan(300);
  });

  const leafBody = json('/api/v1/leaves', { leaf: { name: 'late' } });
  const signedHeaders: Readonly<Record<string, () => Headers>> = {
    'the headers of the contract': () => ({ ...service.sign('robot', leafBody.body) }),
    'an HTTP message signature': () => {
      const { origin } = new URL(service.server.config.baseUrl);
      return signHttp(
        { method: 'POST', origin, target: leafBody.path },
        leafBody.body,
        { secret: service.secrets.get('robot') ?? '' },
        { keyId: 'robot', created: service.clock.unix(), nonce: randomBytes(8).toString('hex') },
      ).headers;
    },
  };

  it.each(Object.keys(signedHeaders))('%s: nothing begins after the secret is rotated', async (name) => {
    const before = await count('leaves');
    const headers = signedHeaders[name]?.() ?? {};
    const rotate = async (): Promise<void> => {
      const secret = randomBytes(32).toString('hex');
      const body = { secret, overlap: 0 };
      await service.ok('POST', '/admin/applications/robot/rotate', { token: root, body });
      service.secrets.set('robot', secret);
    };
    expect(await sendLate(service.port, leafBody, headers, rotate)).toBe(401);
    const again = signedHeaders[name]?.() ?? {};
    expect(await sendLate(service.port, leafBody, again, async () => {})).toBe(201);
    expect((await count('leaves')) - before).toBe(1);
  });
});
