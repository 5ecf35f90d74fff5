import { describe, expect, it } from 'vitest';
import { defineConfig } from '../../src/app/application.ts';
import { hmacSha256, signatureOf } from '../../src/auth/signature.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Service, useService } from '../support/service.ts';

const path = '/api/v1/payment';

interface Receipt {
  readonly id: number;
  readonly app_id: string;
  readonly order_no: unknown;
  readonly amount: unknown;
  readonly currency: unknown;
  readonly status: string;
  readonly created_at: string;
}

const rows = async (service: Service): Promise<number> => {
  const [row] = await service.server.services.database.all<{ n: number }>({
    sql: 'select count(*) as n from payments',
    parameters: [],
  });
  return Number(row?.n);
};

let orders = 0;
/** A body that was never sent before. */
const order = (more: object = {}): string => {
  orders += 1;
  return JSON.stringify({ order_no: `N-${orders}`, amount: 100, currency: 'CNY', ...more });
};

const hooked: { appId: string; fingerprint: string }[] = [];

const application = {
  endpoints: [
    defineEndpoint({
      method: 'GET',
      path: '/callback',
      auth: ['signature'],
      handle: ({ principal }) => (principal.kind === 'application' ? principal.appId : null),
    }),
    defineEndpoint({
      method: 'DELETE',
      path: '/callback',
      auth: ['signature'],
      handle: ({ bytes }) => bytes.length,
    }),
  ],
  config: {
    onPayment: async ({
      appId,
      body,
      fingerprint,
    }: {
      appId: string;
      body: { readonly [key: string]: unknown };
      fingerprint: string;
    }) => {
      hooked.push({ appId, fingerprint });
      if (body['order_no'] === 'refused') throw new Error('the application says no: hook-cause-31');
    },
  },
};

describeEachDatabase('POST /api/v1/payment', (databases) => {
  const service = useService(databases, { apps: ['shop', 'other'], application });
  const pay = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}, app = 'shop') =>
    service.post<Receipt>(path, { body, headers: { ...service.sign(app, body), ...headers } });

  describe('201', () => {
    it('a receipt with what the body had', async () => {
      const body = order({ amount: '12.50', note: '备注' });
      const { status, data } = await pay(body);
      expect([status, data]).toEqual([
        201,
        {
          id: expect.any(Number),
          app_id: 'shop',
          order_no: JSON.parse(body).order_no,
          amount: '12.50',
          currency: 'CNY',
          status: 'received',
          created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      ]);
    });

    it('any object will do', async () => {
      const { status, data } = await pay('{}');
      expect([status, data]).toMatchObject([201, { order_no: null, amount: null, currency: null }]);
      expect(
        (await pay(order({ order_no: { a: [1] }, amount: null, status: 'paid', id: 7, app_id: 'other' })))
          .data,
      ).toMatchObject({ app_id: 'shop', order_no: { a: [1] }, amount: null, status: 'received' });
    });

    it('the signature is over the bytes, whatever they mean', async () => {
      for (const body of [
        ' { "a" : 1 }\n',
        '{"a":"é","a":"\\u00e9"}',
        '{"__proto__":{"b":1}}',
        '{"n":1.50e+2}',
        `{"n":${'9'.repeat(30)}}`,
      ])
        expect((await pay(body)).status).toBe(201);
    });

    it('400, and nothing stored, with a number that would be stored as another', async () => {
      const before = await rows(service);
      for (const number of ['1e400', '-1e400'])
        for (const body of [`{"amount":${number}}`, `{"lines":[{"price":${number}}]}`]) {
          const { status, json } = await pay(body);
          expect([body, status, json.code]).toEqual([body, 400, 40009]);
        }
      expect(await rows(service)).toBe(before);
    });

    it('a payment is accepted with a timestamp 300 seconds off, either side', async () => {
      for (const off of [-300, 300]) {
        const body = order();
        const headers = service.sign('shop', body, { timestamp: String(service.clock.unix() + off) });
        // The second may turn between the two clocks: that can only push the older one out.
        const { status, json } = await service.post(path, { body, headers });
        expect([off, status === 201 || (off < 0 && json.code === 40104)]).toEqual([off, true]);
      }
    });

    it('a hook that runs once, and the key of a repetition', async () => {
      hooked.length = 0;
      const body = order();
      const headers = service.sign('shop', body);
      for (const _ of [1, 2]) await service.post(path, { body, headers });
      expect(hooked).toEqual([{ appId: 'shop', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    });

    it('both secrets sign after a rotation with grace, and only the new one without', async () => {
      const secret = await service.createApp('rotating');
      const rotate = async (...options: string[]): Promise<string> => {
        const { stdout } = await service.command('app', 'rotate', 'rotating', ...options, '--json');
        const next = (JSON.parse(stdout) as { api_secret: string }).api_secret;
        const signs = async () =>
          (await pay(order(), service.sign('rotating', '', { secret: next }), 'rotating')).json.code;
        await expect.poll(signs, { timeout: 5_000 }).toBe(40103);
        const works = async () => {
          const body = order();
          return (
            await service.post(path, { body, headers: service.sign('rotating', body, { secret: next }) })
          ).status;
        };
        await expect.poll(works, { timeout: 5_000 }).toBe(201);
        return next;
      };
      const statusWith = async (used: string): Promise<number> => {
        const body = order();
        return (await service.post(path, { body, headers: service.sign('rotating', body, { secret: used }) }))
          .status;
      };
      const next = await rotate('--grace', '1h');
      expect([await statusWith(secret), await statusWith(next)]).toEqual([201, 201]);
      try {
        service.clock.advance(3601);
        expect([await statusWith(secret), await statusWith(next)]).toEqual([401, 201]);
      } finally {
        service.clock.reset();
      }
      const last = await rotate();
      expect([await statusWith(next), await statusWith(last)]).toEqual([401, 201]);
    });
  });

  describe('401', () => {
    const changes: Readonly<
      Record<string, (signed: Record<string, string>, body: string) => [Record<string, string>, number]>
    > = {
      'no app_id': ({ 'x-app-id': _, ...rest }) => [rest, 40103],
      'no timestamp': ({ 'x-timestamp': _, ...rest }) => [rest, 40103],
      'no signature': ({ 'x-signature': _, ...rest }) => [rest, 40103],
      'no header at all': () => [{}, 40100],
      'a stale timestamp and no app_id': ({ 'x-app-id': _, ...rest }) => [
        { ...rest, 'x-timestamp': '1' },
        40103,
      ],
      'a stale timestamp and no signature': ({ 'x-signature': _, ...rest }) => [
        { ...rest, 'x-timestamp': '1' },
        40103,
      ],
      'a stale timestamp and an unknown app_id': (signed) => [
        { ...signed, 'x-timestamp': '1', 'x-app-id': 'nobody' },
        40104,
      ],
      'a stale timestamp and a signature with junk': (signed) => [
        { ...signed, 'x-timestamp': '1', 'x-signature': 'zz' },
        40104,
      ],
      'an unknown app_id': (signed) => [{ ...signed, 'x-app-id': 'nobody' }, 40103],
      'an app_id of the prototype': (signed) => [{ ...signed, 'x-app-id': '__proto__' }, 40103],
      'an empty app_id': (signed) => [{ ...signed, 'x-app-id': '' }, 40103],
      'another application’s name': (signed) => [{ ...signed, 'x-app-id': 'other' }, 40103],
      'an app_id in capitals': (signed) => [{ ...signed, 'x-app-id': 'SHOP' }, 40103],
      'a signature in capitals': (signed) => [
        { ...signed, 'x-signature': String(signed['x-signature']).toUpperCase() },
        40103,
      ],
      'a signature with a tail': (signed) => [
        { ...signed, 'x-signature': `${signed['x-signature']}00` },
        40103,
      ],
      'a signature with junk': (signed) => [
        { ...signed, 'x-signature': `${String(signed['x-signature']).slice(0, 62)}zz` },
        40103,
      ],
      'half a signature': (signed) => [
        { ...signed, 'x-signature': String(signed['x-signature']).slice(0, 32) },
        40103,
      ],
      'an empty signature': (signed) => [{ ...signed, 'x-signature': '' }, 40103],
      'a signature in base64': (signed) => [
        { ...signed, 'x-signature': Buffer.from(String(signed['x-signature']), 'hex').toString('base64') },
        40103,
      ],
      'two signatures': (signed) => [
        { ...signed, 'x-signature': `${signed['x-signature']}, ${signed['x-signature']}` },
        40103,
      ],
      'another timestamp than was signed': (signed) => [
        { ...signed, 'x-timestamp': String(Number(signed['x-timestamp']) - 1) },
        40103,
      ],
      'a signature without a line feed': (signed, body) => [
        {
          ...signed,
          'x-signature': hmacSha256(service.secrets.get('shop') ?? '', `${signed['x-timestamp']}${body}`),
        },
        40103,
      ],
      'a signature of the body alone': (signed, body) => [
        { ...signed, 'x-signature': signatureOf(service.secrets.get('shop') ?? '', '', body) },
        40103,
      ],
      'a signature of an empty body': (signed) => [
        {
          ...signed,
          'x-signature': signatureOf(service.secrets.get('shop') ?? '', String(signed['x-timestamp']), ''),
        },
        40103,
      ],
      'the secret itself': (signed) => [
        { ...signed, 'x-signature': service.secrets.get('shop') ?? '' },
        40103,
      ],
      'an empty secret': (signed, body) => [
        { ...signed, 'x-signature': signatureOf('', String(signed['x-timestamp']), body) },
        40103,
      ],
    };
    for (const [name, change] of Object.entries(changes))
      it(name, async () => {
        const body = order();
        const [headers, code] = change({ ...service.sign('shop', body) }, body);
        const answer = await service.post(path, { body, headers });
        expect([answer.status, answer.json.code]).toEqual([401, code]);
        expect(answer.headers['www-authenticate']).toBe(
          'Signature realm="gatewright", headers="X-App-Id X-Timestamp X-Signature"',
        );
        expect(answer.text).not.toContain('shop');
      });

    it('every other form of a timestamp, although it is signed', async () => {
      const now = service.clock.unix();
      for (const timestamp of [
        String(now - 302),
        String(now + 302),
        `${now}.0`,
        `0${now}`,
        `+${now}`,
        `-${now}`,
        `${now}000`,
        `${now} 0`,
        `0x${now.toString(16)}`,
        now.toExponential(12),
        new Date(now * 1000).toISOString(),
        'NaN',
        '',
        '0',
        '9'.repeat(400),
        '１７',
        `${now}, ${now}`,
      ]) {
        const body = order();
        const headers = {
          ...service.sign('shop', body, { timestamp }),
          'x-timestamp': Buffer.from(timestamp).toString('latin1'),
        };
        const { status, json } = await service.post(path, { body, headers });
        expect([timestamp, status, json]).toEqual([
          timestamp,
          401,
          { code: 40104, message: '时间戳无效或超出允许范围' },
        ]);
      }
    });

    it('a body changed by a byte', async () => {
      const body = order();
      for (const sent of [`${body} `, body.replace('100', '101'), body.slice(0, -1), ''])
        expect((await service.post(path, { body: sent, headers: service.sign('shop', body) })).status).toBe(
          401,
        );
    });

    it('a token, a key or a cookie does not authenticate a payment', async () => {
      const admin = await service.admin();
      const { key } = await service.createKey(admin);
      const cookie = await service.signIn(admin);
      for (const sent of [{ token: admin }, { key }, { cookie, headers: { origin: service.origin } }])
        expect((await service.post(path, { ...sent, body: order() })).json.code).toBe(40100);
    });

    it('refused payments stored nothing', async () => {
      const before = await rows(service);
      await service.post(path, { body: order(), headers: service.sign('nobody', 'x', { secret: 'x' }) });
      expect(await rows(service)).toBe(before);
    });
  });

  describe('400 and 415, although it is signed', () => {
    it.each(['', '[]', 'null', '1', '{"a":1', '{"a":"\\ud800"}', '{"a":"\\u0000"}'])(
      'a signed payment with the body %s is 400, and 415 as text',
      async (body) => {
        const before = await rows(service);
        expect((await pay(body)).status).toBe(400);
        expect((await pay(body || 'x', { 'content-type': 'text/plain' })).status).toBe(415);
        expect(await rows(service)).toBe(before);
      },
    );
  });

  describe('the same signed request again', () => {
    it('the same signed request again is 201 with the first receipt, word for word; stored once', async () => {
      const before = await rows(service);
      const body = order();
      const headers = service.sign('shop', body);
      const first = await service.post<Receipt>(path, { body, headers });
      const second = await service.post<Receipt>(path, { body, headers });
      expect([second.status, second.text]).toEqual([201, first.text]);
      expect(await rows(service)).toBe(before + 1);
    });

    it('another timestamp or another application makes another payment', async () => {
      const before = await rows(service);
      const body = order();
      const earlier = String(service.clock.unix() - 5);
      const receipts = [
        await pay(body, service.sign('shop', body, { timestamp: earlier })),
        await pay(body),
        await pay(body, {}, 'other'),
      ];
      expect(new Set(receipts.map(({ data }) => data.id)).size).toBe(3);
      expect(await rows(service)).toBe(before + 3);
    });

    it('fifty at once store one row and have one receipt', async () => {
      const before = await rows(service);
      const body = order();
      const headers = service.sign('shop', body);
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => service.post(path, { body, headers })),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(201);
      expect(await rows(service)).toBe(before + 1);
    });

    it('fifty same signed requests at once on two instances store one payment', async () => {
      const second = await service.secondInstance();
      const before = await rows(service);
      const body = order();
      const headers = { ...service.sign('shop', body), 'idempotency-key': 'two-instances' };
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          (index % 2 ? service : second).post(path, { body, headers }),
        ),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(await rows(service)).toBe(before + 1);
    });
  });

  describe('Idempotency-Key', () => {
    const signedAt = (body: string, off: number, key: string) => ({
      ...service.sign('shop', body, { timestamp: String(service.clock.unix() - off) }),
      'idempotency-key': key,
    });

    it('201: the same body, signed again, has the first receipt', async () => {
      const before = await rows(service);
      const body = order();
      const answers = [];
      for (const off of [0, 1, 2])
        answers.push(await service.post(path, { body, headers: signedAt(body, off, 'k-1') }));
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(await rows(service)).toBe(before + 1);
    });

    it('201: fifty at once, each signed at another time, store one row', async () => {
      const before = await rows(service);
      const body = order();
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, off) =>
          service.post(path, { body, headers: signedAt(body, off, 'k-50') }),
        ),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(await rows(service)).toBe(before + 1);
    });

    it('an Idempotency-Key with another body is 409', async () => {
      const [body, other] = [order(), order()];
      await service.post(path, { body, headers: signedAt(body, 0, 'k-2') });
      const before = await rows(service);
      const { status, json } = await service.post(path, { body: other, headers: signedAt(other, 0, 'k-2') });
      expect([status, json]).toEqual([409, { code: 40901, message: '该 Idempotency-Key 已用于另一请求' }]);
      expect(await rows(service)).toBe(before);
    });

    it('201: another application’s key of the same name is another key', async () => {
      const body = order();
      const first = await service.post<Receipt>(path, { body, headers: signedAt(body, 0, 'k-3') });
      const other = await pay(body, { 'idempotency-key': 'k-3' }, 'other');
      expect([other.status, other.data.id === first.data.id]).toEqual([201, false]);
    });

    it('an Idempotency-Key is forgotten after 24 hours: 201', async () => {
      const body = order();
      const first = await service.post<Receipt>(path, { body, headers: signedAt(body, 0, 'k-4') });
      try {
        service.clock.advance(24 * 3600 + 1);
        const second = await service.post<Receipt>(path, { body, headers: signedAt(body, 0, 'k-4') });
        expect(second.data.id).toBeGreaterThan(first.data.id);
      } finally {
        service.clock.reset();
      }
    });

    it('409: another body, after the key came with a request that was received without one', async () => {
      const body = order();
      const headers = service.sign('shop', body);
      const first = await service.post<Receipt>(path, { body, headers });
      const keyed = { ...headers, 'idempotency-key': 'k-6' };
      expect((await service.post(path, { body, headers: keyed })).text).toBe(first.text);
      const before = await rows(service);
      const other = order();
      expect((await service.post(path, { body: other, headers: signedAt(other, 0, 'k-6') })).status).toBe(
        409,
      );
      // The key stands for that body from now on, signed at whatever time.
      expect((await service.post(path, { body, headers: signedAt(body, 7, 'k-6') })).text).toBe(first.text);
      expect(await rows(service)).toBe(before);
    });

    it('401 comes before a kept answer', async () => {
      const body = order();
      await service.post(path, { body, headers: signedAt(body, 0, 'k-5') });
      expect(
        (
          await service.post(path, {
            body,
            headers: { ...signedAt(body, 0, 'k-5'), 'x-signature': '0'.repeat(64) },
          })
        ).status,
      ).toBe(401);
    });

    it.each(['', 'a b', 'é', 'x'.repeat(256), '\t'])('400: %j is no key', async (key) => {
      const body = order();
      expect((await pay(body, { 'idempotency-key': key })).json.code).toBe(40006);
    });
  });

  describe('500', () => {
    it('the hook throws: nothing is stored, the log says why, and it may be sent again', async () => {
      const before = await rows(service);
      const body = '{"order_no":"refused"}';
      const headers = { ...service.sign('shop', body), 'idempotency-key': 'refused' };
      for (const _ of [1, 2]) {
        const { status, json } = await service.post(path, { body, headers });
        expect([status, json]).toEqual([500, { code: 50000, message: '服务器内部错误' }]);
      }
      expect(await rows(service)).toBe(before);
      expect(service.lines.join()).toContain('hook-cause-31');
    });
  });

  describe('an endpoint of the application’s own that takes signatures', () => {
    it('200: a request without a body is signed over the timestamp and a line feed', async () => {
      expect((await service.get('/api/v1/callback', { headers: service.sign('shop', '') })).data).toBe(
        'shop',
      );
      expect((await service.delete('/api/v1/callback', { headers: service.sign('shop', '') })).status).toBe(
        200,
      );
      expect((await service.get('/api/v1/callback', { headers: service.sign('shop', '{}') })).status).toBe(
        401,
      );
    });
  });
});

describeEachDatabase('an application without payments', (databases) => {
  const service = useService(databases, { apps: ['shop'], application: { config: { payment: false } } });

  it('an application without payments has no endpoint of payments, also in its description', async () => {
    const body = order();
    const { status, json } = await service.post(path, { body, headers: service.sign('shop', body) });
    expect([status, json.code]).toEqual([404, 40401]);
    const { text } = await service.get('/api-docs/openapi.json');
    expect(text).not.toContain(path);
    expect(await service.ok('GET', '/admin/payments', { token: await service.admin() })).toEqual([]);
  });

  it('an application without payments does not start with a hook of payments', () => {
    expect(() => defineConfig({ payment: false, onPayment: () => {} })).toThrow(
      'onPayment is never called where payment is false',
    );
  });
});
