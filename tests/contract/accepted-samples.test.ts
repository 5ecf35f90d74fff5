import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestApplication, type TestUser, testApplication } from '../../src/testing/testing.ts';
import { describeEachDatabase } from '../support/databases.ts';

type Schema = Readonly<Record<string, unknown>>;

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly parameters?: readonly Schema[];
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Schema>>>>;
}

/** Makes the samples of the documentation page; it is plain JavaScript of that page. */
const page = (await import(new URL('../../docs-page/description.js', import.meta.url).href)) as {
  readonly sampleOf: (schema: Schema, resolve: (part: Schema) => Schema) => unknown;
};

/** Samples that no page can complete, with the reason. */
const exempt: Readonly<Record<string, string>> = {
  login: 'the password is for the reader to type',
  createSession: 'the password is for the reader to type',
  changePassword: 'the passwords are for the reader to type',
  useInvitation: 'the token stands in a link',
  lookAtInvitation: 'the token stands in a link',
  createPayment: 'the page signs it for an application',
};

const folderOf = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

describeEachDatabase('samples of the documentation page, as they are shown', (databases) => {
  let app: TestApplication;
  let root: TestUser;

  beforeAll(async () => {
    app = await testApplication({
      application: folderOf('shop'),
      env: { DATABASE_URL: await databases.create(), LOCALE: 'en' },
    });
    root = await app.user({ roles: ['super_admin'] });
    // The records that required references of samples name.
    const add = async (path: string, body: object): Promise<void> => {
      const { status, data } = await root.post(path, { ...body });
      expect([path, status, data]).toEqual([path, 201, expect.anything()]);
    };
    await add('/api/v1/products', { product: { sku: 'TEA', name: 'Tea', price: 100, stock: 100 } });
    await add('/api/v1/customers', {
      customer: { name: 'Ann', email: 'ann@example.com', address: '1 Road' },
    });
    await add('/api/v1/checkout', { customer: 1, lines: [{ product: 1, quantity: 1 }] });
  });
  afterAll(() => app.close());

  it('are accepted by every endpoint that takes a JSON body', async () => {
    const document = (await (await fetch(`${app.url}/api-docs/openapi.json`)).json()) as Description;
    const resolve = (part: Schema): Schema => {
      const { $ref: reference } = part;
      if (typeof reference !== 'string') return part;
      const [kind = '', name = ''] = reference.split('/').slice(-2);
      return document.components[kind]?.[name] ?? {};
    };
    const refused: string[] = [];
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(methods)) {
        const schema = operation.requestBody?.content['application/json']?.schema;
        if (schema === undefined || exempt[operation.operationId] !== undefined) continue;
        const sample = page.sampleOf(schema, resolve);
        // Some of them end the sessions of their caller.
        const caller = await app.user({ roles: ['super_admin'] });
        const { token } = caller;
        // Keys are changed by their owner, everything else by an administrator.
        const own = path.includes('/api_keys/')
          ? Number((await caller.post('/api/v1/api_keys', { api_key: { name: 'mine' } })).data.id)
          : 1;
        const response = await fetch(app.url + path.replaceAll(/\{\w+\}/g, String(own)), {
          method: method.toUpperCase(),
          headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
          body: JSON.stringify(sample),
        });
        const text = await response.text();
        // Another endpoint has made the same record with its sample.
        const errors = [...text.matchAll(/"rule":"(\w+)"/g)].map(([, rule]) => rule);
        if (response.ok || (errors.length > 0 && errors.every((rule) => rule === 'unique'))) continue;
        refused.push(`${operation.operationId} ${JSON.stringify(sample)}: ${text}`);
      }
    expect(refused).toEqual([]);
  });

  it('group by a field where groups are asked for', async () => {
    const document = (await (await fetch(`${app.url}/api-docs/openapi.json`)).json()) as Description;
    const aggregates = Object.entries(document.paths).filter(([path]) => path.endsWith('/aggregate'));
    expect(aggregates.length).toBeGreaterThan(0);
    const { token } = await app.user({ roles: ['super_admin'] });
    for (const [path, { get }] of aggregates) {
      const given = (get?.parameters ?? []).flatMap(({ name, example }) =>
        example === undefined ? [] : [`${String(name)}=${String(example)}`],
      );
      const response = await fetch(`${app.url}${path}?${given.join('&')}`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      expect([path, response.status]).toEqual([path, 200]);
    }
  });
});
