import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadApplication } from '../../src/app/application.ts';
import { Authenticator } from '../support/authenticator.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { Mailbox } from '../support/mailbox.ts';
import { asking, codeOf, enrol, firstStep, openBrowser } from '../support/second-factor.ts';
import { commonPassword, type Service, startService, type TestUser } from '../support/service.ts';
import { makeFirstRecords, unreachable } from './sample-data.ts';
import { samplesOf, sendSample, withReal } from './sample-page.ts';

/**
 * Samples of the administration area, sent as the documentation page shows them. A page neither knows a password nor what
 * an authenticator, a link or the service has shown: the test puts real values in the place of these fields, and of
 * nothing else.
 */

interface Reader {
  readonly service: Service;
  readonly user: TestUser;
  /** Signed in in a browser. */
  readonly sent: { readonly cookie: string; readonly headers: Readonly<Record<string, string>> };
}

interface Real {
  readonly body?: object;
  readonly values?: Readonly<Record<string, string>>;
  /** Sends instead of the first one. */
  readonly cookie?: string;
}

const newPassword = 'walnut-harbour-61 lamp';
const publicKey = (): string =>
  String(generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }));
const ownPassword = (): Real => ({ body: { password: commonPassword } });
const factor = '/admin/second-factor';

const made = async ({ service, sent }: Reader, path: string, body: object) => {
  const { id } = await service.ok<{ id: number }>('POST', path, { ...sent, body });
  return { values: { id: String(id) } };
};

/** The token in the link of an invitation. */
const invited = async ({ service, sent }: Reader): Promise<string> => {
  const { id } = await service.createUser();
  const path = `/admin/users/${id}/invitation`;
  const { url } = await service.ok<{ url: string }>('POST', path, { ...sent, body: {} });
  return new URL(url).hash.slice(1);
};

const withTotp = async ({ service }: Reader) => {
  const { browser, user, secret } = await enrol(service, ['super_admin']);
  return { browser, user, code: () => codeOf(secret, service.clock.now()) };
};

const ofTotp = async (reader: Reader): Promise<Real> => ({
  body: { password: commonPassword },
  cookie: (await withTotp(reader)).browser.cookie,
});

/** A browser that has asked for a new passkey, and the authenticator's response. */
const passkeyBegun = async ({ service }: Reader) => {
  const browser = await openBrowser(service, await service.createUser(['super_admin']));
  const path = `${factor}/passkeys/options`;
  const { challenge } = await browser.ok<{ challenge: string }>('POST', path, browser.password);
  return { browser, response: new Authenticator().create(asking(service, challenge)) };
};

/** Values of an operation beside its sample. */
const real: Readonly<Record<string, (reader: Reader) => Real | Promise<Real>>> = {
  createSession: ({ user }) => ({ body: { account: user.username, password: commonPassword } }),
  giveSecondFactor: async (reader) => {
    const { user, code } = await withTotp(reader);
    const { ticket } = await firstStep(reader.service, user);
    return { body: { ticket, code: code() } };
  },
  beginTotp: ownPassword,
  removeTotp: ofTotp,
  renewRecoveryCodes: ofTotp,
  beginPasskey: ownPassword,
  addPasskey: async (reader) => {
    const { browser, response } = await passkeyBegun(reader);
    return { body: { response }, cookie: browser.cookie };
  },
  removePasskey: async (reader) => {
    const { browser, response } = await passkeyBegun(reader);
    const { id } = await browser.ok<{ id: number }>('POST', `${factor}/passkeys`, { name: 'key', response });
    return { body: { password: commonPassword }, values: { id: String(id) }, cookie: browser.cookie };
  },
  confirmTotp: async ({ service }) => {
    const browser = await openBrowser(service, await service.createUser(['super_admin']));
    const { secret } = await browser.ok<{ secret: string }>('POST', `${factor}/totp`, browser.password);
    return { body: { code: codeOf(secret, service.clock.now()) }, cookie: browser.cookie };
  },
  adminChangePassword: () => ({ body: { current_password: commonPassword, password: newPassword } }),
  lookAtInvitation: async (reader) => ({ body: { token: await invited(reader) } }),
  useInvitation: async (reader) => ({ body: { token: await invited(reader), password: newPassword } }),
  adminFindApiKey: async ({ service, user }) => ({ body: { key: (await service.createKey(user)).key } }),
  // The sample has the name of the user whom the sample before it has created.
  adminUpdateUser: async ({ service, sent }) => {
    const [user] = await service.ok<{ id: number }[]>('GET', '/admin/users?filter[username]=AB1234', sent);
    return { values: { id: String(user?.id) } };
  },
  adminUpdateApiKey: async ({ service, user }) => ({
    values: { id: String((await service.createKey(user)).id) },
  }),
  adminRotateApiKey: async ({ service, user }) => ({
    values: { id: String((await service.createKey(user)).id) },
  }),
  rotateApplicationSecret: () => ({ values: { app_id: 'shop' }, body: { secret: '0f'.repeat(32) } }),
  replaceApplicationPublicKey: () => ({
    values: { app_id: 'signer' },
    body: { public_key: publicKey().split('\n')[1] ?? '' },
  }),
  adminCreateUser: () => ({ body: { user: { password: newPassword } } }),
  adminRestoreProduct: async (reader) => {
    const product = await made(reader, '/admin/records/products', {
      product: { sku: 'GONE', name: 'Gone', price: 1, stock: 1 },
    });
    await reader.service.request('DELETE', `/admin/records/products/${product.values.id}`, reader.sent);
    return product;
  },
  updateView: (reader) =>
    made(reader, '/admin/views', { view: { resource: 'orders', name: 'all', query: { filter: {} } } }),
  updateWebhook: (reader) => made(reader, '/admin/webhooks', webhook),
  rotateWebhookSecret: (reader) => made(reader, '/admin/webhooks', webhook),
};

const webhook = { webhook: { url: unreachable, user_id: 1, models: ['Order'] } };

const mailbox = new Mailbox();

describeEachDatabase('samples of the administration area, as they are shown', (databases) => {
  let service: Service;
  let root: TestUser;
  beforeAll(async () => {
    const url = await databases.create();
    const application = await loadApplication(fileURLToPath(new URL('../../examples/shop', import.meta.url)));
    // Passkeys are bound to a host name.
    const env = { LOCALE: 'en', BASE_URL: 'http://localhost:3000', WEBHOOK_PRIVATE: '1' };
    service = await startService(databases, { url, application, apps: ['shop'], env });
    const directory = await mkdtemp(join(tmpdir(), 'gatewright-samples-'));
    await writeFile(join(directory, 'key.pem'), publicKey());
    await service.command('app', 'create', 'signer', '--public-key', join(directory, 'key.pem'));
    await rm(directory, { recursive: true });
    root = await service.createUser(['super_admin'], { username: 'root_of_shop' });
    await makeFirstRecords('shop', { service, mailbox, root });
  });
  afterAll(() => service.close());

  it('samples of the administration area are accepted by every operation that has one', async () => {
    const place = { service, mailbox, root };
    const newReader = async (): Promise<Reader> => {
      const user = await service.createUser(['super_admin']);
      const cookie = await service.signIn(user);
      return { service, user, sent: { cookie, headers: { 'sec-fetch-site': 'same-origin' } } };
    };
    const usual = await newReader();
    const refused: string[] = [];
    for (const { operation, form, request } of await samplesOf(place, '/api-docs/openapi.json?area=admin')) {
      const { id } = operation;
      // Some samples change or end what their reader has.
      const reader = real[id] === undefined ? usual : await newReader();
      const { body: given, values, cookie = reader.sent.cookie } = (await real[id]?.(reader)) ?? {};
      Object.assign(form.values, { id: '1' }, values);
      if (given !== undefined)
        form.body = JSON.stringify(withReal(JSON.parse(form.body), JSON.parse(JSON.stringify(given))));
      const refusal = await sendSample(place, operation, request(), { ...reader.sent.headers, cookie });
      if (refusal !== undefined) refused.push(refusal);
    }
    expect(refused).toEqual([]);
  }, 60_000);
});
