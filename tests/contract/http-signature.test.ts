import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createHttpSigner } from '../../client/sign.ts';
import { type SigningKey, signHttp } from '../../src/auth/http-signature.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Service, startService, useService } from '../support/service.ts';

const fields = { label: field.string({ required: true }) };
const parcel = defineResource('Parcel', {
  fields,
  auth: ['http_signature', 'jwt'],
});

const application = {
  resources: [parcel],
  migrations: {
    '0001_parcels': {
      up: (db, dialect) => createTable(db, dialect, 'parcels', { fields }),
    },
  } satisfies Migrations,
  endpoints: [
    ...(['GET', 'POST', 'PUT', 'DELETE'] as const).map((method) =>
      defineEndpoint({
        method,
        path: '/signed',
        auth: ['http_signature'],
        handle: ({ principal }) => (principal.kind === 'application' ? principal.appId : principal.kind),
      }),
    ),
    defineEndpoint({
      method: 'GET',
      path: '/either',
      auth: ['signature', 'http_signature'],
      handle: ({ principal }) => (principal.kind === 'nobody' ? 'nobody' : principal.method),
    }),
    defineEndpoint({ method: 'GET', path: '/open', auth: [], handle: ({ principal }) => principal.kind }),
  ],
};

let nonces = 0;

interface Signing {
  readonly method?: string;
  readonly body?: string;
  readonly nonce?: string;
  readonly created?: number;
  readonly origin?: string;
}

const pairOf = () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { privateKey, pem: String(publicKey.export({ format: 'pem', type: 'spki' })) };
};

const signed = (
  service: Service,
  appId: string,
  path: string,
  { method = 'GET', body = '', nonce = `n${++nonces}`, created = service.clock.unix(), origin }: Signing = {},
  key: SigningKey = { secret: service.secrets.get(appId) ?? '' },
) =>
  signHttp(
    { method, origin: origin ?? new URL(service.server.config.baseUrl).origin, target: path },
    body,
    key,
    { keyId: appId, created, nonce },
  ).headers;

const codes = { signature: 40103, timestamp: 40104 };

/** Registers an application with a public key as an operator does; resolves once the service knows it. */
const createKeyed = async (service: Service, appId: string, pem: string): Promise<void> => {
  const file = join(service.env['DATA_DIR'] ?? '', `${appId}.pem`);
  await writeFile(file, pem);
  await service.command('app', 'create', appId, '--public-key', file);
  const known = () => service.server.services.applications.publicKeysOf(appId, service.clock.now());
  await vi.waitFor(() => expect(known()).toHaveLength(1), { timeout: 5_000 });
};

describeEachDatabase('HTTP message signatures', (databases) => {
  const service = useService(databases, { application, apps: ['shop'] });
  let bank: KeyObject;
  beforeAll(async () => {
    const pair = pairOf();
    bank = pair.privateKey;
    await createKeyed(service, 'bank', pair.pem);
  });

  const ask = async (method: string, path: string, headers: object, body?: string) => {
    const answer = await service.request(method, path, {
      headers: { ...headers } as Record<string, string>,
      ...(body === undefined ? {} : { body }),
    });
    return [answer.status, answer.json.code === 0 ? answer.json.data : answer.json.code];
  };
  const path = '/api/v1/signed?a=b%20c&d';

  it.each(['GET', 'POST', 'PUT', 'DELETE'])(
    'authenticate an application by secret and by key: %s',
    async (method) => {
      const body = method === 'POST' || method === 'PUT' ? '{"a":"é"}' : undefined;
      const given = { method, body: body ?? '' };
      expect(await ask(method, path, signed(service, 'shop', path, given), body)).toEqual([200, 'shop']);
      const byKey = signed(service, 'bank', path, given, { privateKey: bank });
      expect(await ask(method, path, byKey, body)).toEqual([200, 'bank']);
    },
  );

  it('HTTP message signatures are those of the client, by secret, by PEM and by CryptoKey', async () => {
    const pem = String(bank.export({ format: 'pem', type: 'pkcs8' }));
    const key = await crypto.subtle.importKey(
      'pkcs8',
      bank.export({ format: 'der', type: 'pkcs8' }),
      'Ed25519',
      false,
      ['sign'],
    );
    const now = () => service.clock.now();
    for (const [appId, given] of [
      ['shop', { apiSecret: service.secrets.get('shop') ?? '' }],
      ['bank', { privateKey: pem }],
      ['bank', { privateKey: key }],
    ] as const) {
      const signer = createHttpSigner({ appId, now, ...given });
      const url = `${service.origin}${path}#part`;
      const got = await signer.fetch(url, {
        method: 'POST',
        body: '{"a":1}',
        headers: { 'content-type': 'application/json' },
      });
      expect(await got.json()).toMatchObject({ data: appId });
      expect(await (await signer.fetch(new URL(url))).json()).toMatchObject({ data: appId });
    }
  });

  it('HTTP message signatures are those of gatewright sign --http', async () => {
    const url = `${service.origin}${path}`;
    const time = ['--timestamp', String(service.clock.unix())];
    const { stdout } = await service.command(
      'sign',
      '--http',
      '--app',
      'shop',
      '--body',
      '',
      '--json',
      ...time,
      'GET',
      url,
    );
    expect(await ask('GET', path, JSON.parse(stdout))).toEqual([200, 'shop']);
  });

  it('HTTP message signatures open a model that lists them, and no endpoint that does not', async () => {
    const parcels = '/api/v1/parcels';
    const body = JSON.stringify({ parcel: { label: 'A' } });
    const create = signed(service, 'shop', parcels, { method: 'POST', body });
    expect((await ask('POST', parcels, create, body))[0]).toBe(201);
    expect((await ask('GET', parcels, signed(service, 'shop', parcels)))[0]).toBe(200);
    for (const [other, status] of [
      ['/api/v1/users', 401],
      ['/api/v1/auth/me', 401],
      ['/admin/users', 401],
    ] as const)
      expect((await ask('GET', other, signed(service, 'shop', other)))[0]).toBe(status);
    const payment = signed(service, 'shop', '/api/v1/payment', { method: 'POST', body: '{}' });
    expect(await ask('POST', '/api/v1/payment', payment, '{}')).toEqual([401, 40100]);
    // An open endpoint does not look at them, so it uses no nonce up.
    const open = signed(service, 'shop', '/api/v1/open', { nonce: 'open' });
    expect(await ask('GET', '/api/v1/open', open)).toEqual([200, 'nobody']);
    expect(await ask('GET', path, signed(service, 'shop', path, { nonce: 'open' }))).toEqual([200, 'shop']);
  });

  it('HTTP message signatures stand beside the signature of the contract, each with its own headers', async () => {
    expect(await ask('GET', '/api/v1/either', service.sign('shop', ''))).toEqual([200, 'signature']);
    const headers = signed(service, 'shop', '/api/v1/either');
    expect(await ask('GET', '/api/v1/either', headers)).toEqual([200, 'http_signature']);
    expect(await ask('GET', path, service.sign('shop', ''))).toEqual([401, 40100]);
  });

  it('HTTP message signatures are accepted once, of a nonce of an application', async () => {
    const once = signed(service, 'shop', path, { nonce: 'once' });
    expect(await ask('GET', path, once)).toEqual([200, 'shop']);
    expect(await ask('GET', path, once)).toEqual([401, codes.signature]);
    const again = signed(service, 'shop', path, { nonce: 'once', method: 'DELETE' });
    expect(await ask('DELETE', path, again)).toEqual([401, codes.signature]);
    const other = signed(service, 'bank', path, { nonce: 'once' }, { privateKey: bank });
    expect(await ask('GET', path, other)).toEqual([200, 'bank']);
  });

  it('HTTP message signatures are accepted once of many at the same moment, on two instances', async () => {
    const second = await service.secondInstance();
    const baseUrl = { origin: new URL(service.server.config.baseUrl).origin };
    const headers = signed(service, 'shop', path, { nonce: 'both', ...baseUrl });
    // The second instance is known by another port: it is asked at the address of the first.
    const through = await service.secondInstance({ env: { BASE_URL: service.server.config.baseUrl } });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? service : through).get(path, { headers })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 401),
    ]);
    const elsewhere = await second.get(path, { headers: signed(service, 'shop', path, baseUrl) });
    expect([elsewhere.status, elsewhere.json.code]).toEqual([401, codes.signature]);
  });

  it('HTTP message signatures keep their nonces until they would be refused, and no longer', async () => {
    const { nonces: store, database } = service.server.services;
    const rows = async () =>
      (
        await database.all<{ nonce: string }>({
          sql: "select nonce from gatewright_nonces where nonce like 'kept%' order by nonce",
          parameters: [],
        })
      ).map(({ nonce }) => nonce);
    try {
      await ask(
        'GET',
        path,
        signed(service, 'shop', path, { nonce: 'kept1', created: service.clock.unix() - 299 }),
      );
      await ask(
        'GET',
        path,
        signed(service, 'shop', path, { nonce: 'kept2', created: service.clock.unix() + 299 }),
      );
      service.clock.advance(590);
      await store.sweep(service.clock.now());
      expect(await rows()).toEqual(['kept2']);
      const replay = signed(service, 'shop', path, { nonce: 'kept2', created: service.clock.unix() });
      expect(await ask('GET', path, replay)).toEqual([401, codes.signature]);
      service.clock.advance(400);
      await store.sweep(service.clock.now());
      expect(await rows()).toEqual([]);
    } finally {
      service.clock.reset();
    }
  });

  it('HTTP message signatures name the address by which the service is known, whatever Host says', async () => {
    const headers = signed(service, 'shop', path);
    expect(await ask('GET', path, { ...headers, host: 'evil.example' })).toEqual([200, 'shop']);
    for (const origin of ['http://evil.example', service.origin.replace('http:', 'https:')]) {
      const foreign = signed(service, 'shop', path, { origin });
      const forwarded = {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
      };
      expect(await ask('GET', path, { ...foreign, ...forwarded })).toEqual([401, codes.signature]);
    }
  });

  describe('are refused', () => {
    it.each<readonly [string, () => Promise<unknown[]>, number]>([
      ['with another method', () => ask('DELETE', path, signed(service, 'shop', path)), codes.signature],
      [
        'with another path',
        () => ask('GET', path, signed(service, 'shop', '/api/v1/either')),
        codes.signature,
      ],
      ['with another query', () => ask('GET', `${path}x`, signed(service, 'shop', path)), codes.signature],
      [
        'with another body',
        () =>
          ask('POST', path, signed(service, 'shop', path, { method: 'POST', body: '{"a":1}' }), '{"a":2}'),
        codes.signature,
      ],
      [
        'with a body where none was signed',
        () => ask('POST', path, signed(service, 'shop', path, { method: 'POST' }), '{}'),
        codes.signature,
      ],
      [
        'with the digest of another body',
        () => {
          const headers = signed(service, 'shop', path, { method: 'POST', body: '{"a":1}' });
          const other = signed(service, 'shop', path, { method: 'POST', body: '{"a":2}' });
          return ask('POST', path, { ...headers, 'Content-Digest': other['Content-Digest'] }, '{"a":2}');
        },
        codes.signature,
      ],
      [
        'with another nonce, time or id than was signed',
        () => {
          const { 'Signature-Input': input = '', ...headers } = signed(service, 'shop', path, {
            nonce: 'was',
          });
          return ask('GET', path, { ...headers, 'Signature-Input': input.replace('"was"', '"is"') });
        },
        codes.signature,
      ],
      [
        'from the past',
        () => ask('GET', path, signed(service, 'shop', path, { created: service.clock.unix() - 302 })),
        codes.timestamp,
      ],
      [
        'from the future',
        () => ask('GET', path, signed(service, 'shop', path, { created: service.clock.unix() + 302 })),
        codes.timestamp,
      ],
      ['of an unknown application', () => ask('GET', path, signed(service, 'nobody', path)), codes.signature],
      [
        'of an application with a public key, by its secret',
        () => ask('GET', path, signed(service, 'bank', path)),
        codes.signature,
      ],
    ])('an HTTP message signature is refused: %s', async (_, send, code) => {
      expect(await send()).toEqual([401, code]);
    });

    it('refused signatures get headers that ask for one, and only where it would be accepted', async () => {
      const answer = await service.get(path);
      expect([answer.status, answer.json.code]).toEqual([401, 40100]);
      expect(answer.headers).toMatchObject({
        'www-authenticate': 'HttpSignature realm="gatewright"',
        'accept-signature': 'sig=("@method" "@target-uri" "content-digest");created;tag="gatewright"',
      });
      expect((await service.get('/api/v1/users')).headers).not.toHaveProperty('accept-signature');
    });
  });

  it('HTTP message signatures end with the key: replaced without an overlap, or with one', async () => {
    const { pem, privateKey } = pairOf();
    const next = pairOf();
    await createKeyed(service, 'depot', pem);
    const asks = async (key: KeyObject) =>
      (await ask('GET', path, signed(service, 'depot', path, {}, { privateKey: key })))[0];
    const line = (text: string) => text.split('\n')[1] ?? '';
    const token = await service.admin();
    const replace = (body: object) => service.post('/admin/applications/depot/public_key', { token, body });
    expect((await replace({ public_key: line(next.pem), overlap: 3_600 })).status).toBe(200);
    expect([await asks(privateKey), await asks(next.privateKey)]).toEqual([200, 200]);
    const list = await service.ok<Record<string, unknown>[]>('GET', '/admin/applications', { token });
    expect(list.map(({ app_id, public_key }) => [app_id, public_key])).toEqual([
      ['bank', expect.stringMatching(/^MCow/)],
      ['depot', line(next.pem)],
      ['shop', null],
    ]);
    try {
      service.clock.advance(3_600);
      expect([await asks(privateKey), await asks(next.privateKey)]).toEqual([401, 200]);
    } finally {
      service.clock.reset();
    }
    expect((await replace({ public_key: line(pem), overlap: 0 })).status).toBe(200);
    expect([await asks(privateKey), await asks(next.privateKey)]).toEqual([200, 401]);
    for (const text of ['', 'x', pem, line(pem).toLowerCase()])
      expect((await replace({ public_key: text })).status).toBe(422);
    const viewer = await service.createUser(['admin']);
    const denied = await service.post('/admin/applications/depot/public_key', {
      token: viewer,
      body: { public_key: line(next.pem) },
    });
    expect(denied.status).toBe(403);
    const audit = await service.ok<{ target_id: string; detail: object }[]>(
      'GET',
      '/admin/audit?filter[action]=app.rotate&sort=-id',
      { token },
    );
    expect(audit.filter(({ target_id }) => target_id === 'depot').map(({ detail }) => detail)).toEqual([
      expect.objectContaining({ key: 'public_key', grace_seconds: 0 }),
      expect.objectContaining({ key: 'public_key', grace_seconds: 3_600 }),
    ]);
    await service.command('app', 'remove', 'depot');
    await expect.poll(() => asks(privateKey), { timeout: 5_000 }).toBe(401);
  });

  it('HTTP message signatures are explained: an application has a key for them, or not', async () => {
    const token = await service.admin();
    const explain = (app: string, target: string) =>
      service.ok<{ allowed: boolean; steps: { rule: string; because: string }[] }>(
        'GET',
        `/admin/explain?app_id=${app}&method=GET&path=${encodeURIComponent(target)}`,
        { token },
      );
    for (const app of ['shop', 'bank']) {
      const { steps } = await explain(app, '/api/v1/signed');
      expect(steps.find(({ rule }) => rule === 'authentication')).toMatchObject({
        because: 'http_signature',
      });
    }
    const either = await Promise.all(['shop', 'bank'].map((app) => explain(app, '/api/v1/either')));
    expect(either.map(({ steps }) => steps.find(({ rule }) => rule === 'authentication')?.because)).toEqual([
      'signature',
      'http_signature',
    ]);
  });

  it('HTTP message signatures are described where an endpoint lists them, and nowhere else', async () => {
    const of = async (each: Service) => (await each.get<never>('/api-docs/openapi.json')).text;
    const text = await of(service);
    const { paths, components } = JSON.parse(text);
    expect(paths['/api/v1/signed'].get.security).toEqual([
      { signatureInput: [], httpSignature: [], contentDigest: [] },
    ]);
    expect(components.securitySchemes).toMatchObject({
      signatureInput: { type: 'apiKey', in: 'header', name: 'Signature-Input' },
      httpSignature: { type: 'apiKey', in: 'header', name: 'Signature' },
      contentDigest: { type: 'apiKey', in: 'header', name: 'Content-Digest' },
    });
    const meta = await service.ok<{ endpoints: object[] }>('GET', '/api/v1/meta/Parcel', {
      token: await service.admin(),
    });
    expect(JSON.stringify(meta.endpoints)).toContain('http_signature');
    await using plain = await startService(databases, {});
    const without = await of(plain);
    for (const word of ['RFC 9421', 'Content-Digest', 'http_signature'])
      expect([text.includes(word), without.includes(word)]).toEqual([true, false]);
  });

  it('HTTP message signatures are asked for across origins where an endpoint lists them, and nowhere else', async () => {
    const env = { CORS_ORIGINS: 'https://app.example.com' };
    const allowed = async (each: Service) => {
      const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'GET' };
      const answer = await each.request('OPTIONS', '/api/v1/health', { headers });
      return String(answer.headers['access-control-allow-headers']);
    };
    await using with9421 = await startService(databases, { application, env });
    await using without = await startService(databases, { env });
    expect(await allowed(with9421)).toContain(', X-Signature, Signature-Input, Signature, Content-Digest, ');
    expect(await allowed(without)).not.toContain('Signature-Input');
  });

  it('HTTP message signatures are the same behind a path prefix and a proxy', async () => {
    const env = { BASE_URL: 'https://api.example.com/shop', TRUST_PROXY: '1' };
    await using behind = await startService(databases, { application, apps: ['till'], env });
    const target = `/shop${path}`;
    const headers = signed(behind, 'till', target);
    const { status, json } = await behind.get<never>(target, {
      headers: { ...headers, host: '10.0.0.7:3000', 'x-forwarded-host': 'other.example' },
    });
    expect([status, json.data]).toEqual([200, 'till']);
  });
});
