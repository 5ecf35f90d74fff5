import { createHmac } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestApplication, type TestUser, testApplication } from '../../src/testing/testing.ts';
import { describeEachDatabase } from '../support/databases.ts';

const folder = fileURLToPath(new URL('../../examples/shop', import.meta.url));

/** The smallest PNG that there is. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);

describeEachDatabase('the shop', (databases) => {
  let app: TestApplication;
  let place: string;
  let tea: number;

  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'shop-'));
    Object.assign(process.env, {
      PAY_SECRET: 'between the two of us',
      MAIL_DIR: join(place, 'mail'),
      IMAGES_DIR: join(place, 'images'),
      REPORT_TO: 'owner@example.com',
    });
    const url = await databases.create();
    app = await testApplication({ application: folder, env: { DATABASE_URL: url, LOCALE: 'en' } });
    await app.grant('keeper', 'Product', 'create');
    await app.grant('keeper', 'Product', 'update');
    await app.grant('keeper', 'Order', 'update');
    tea = await addProduct('TEA', 1250, 25);
  });

  afterAll(async () => {
    await app.close();
    await rm(place, { recursive: true, force: true });
    for (const name of ['PAY_SECRET', 'MAIL_DIR', 'IMAGES_DIR', 'REPORT_TO']) delete process.env[name];
  });

  const addProduct = async (sku: string, price: number, stock: number): Promise<number> => {
    const product = { sku, name: `The ${sku}`, price, stock };
    return Number((await app.as('keeper').post('/api/v1/products', { product })).data.id);
  };

  const stockOf = async (id: number): Promise<unknown> =>
    (await app.anonymous.get(`/api/v1/products/${id}`)).data.stock;

  /** A customer with an address. */
  const shopper = async (): Promise<{ readonly user: TestUser; readonly customer: number }> => {
    const user = await app.user();
    const customer = { name: 'Ann', email: 'ann@example.com', address: '1 Road' };
    return { user, customer: Number((await user.post('/api/v1/customers', { customer })).data.id) };
  };

  const order = async (product: number, quantity: number) => {
    const { user, customer } = await shopper();
    const made = await user.post('/api/v1/checkout', { customer, lines: [{ product, quantity }] });
    return { user, made, id: Number(made.data.id) };
  };

  const pay = async (id: number, amount: number, secret = 'between the two of us') => {
    const body = new URLSearchParams({ order: String(id), amount: String(amount) }).toString();
    return fetch(`${app.url}/api/v1/payment-callback`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        'X-Pay-Signature': createHmac('sha256', secret).update(body).digest('hex'),
      },
      body,
    });
  };

  it('sells: the order, its lines and the stock are written in one transaction', async () => {
    const before = Number(await stockOf(tea));
    const { user, made, id } = await order(tea, 2);
    expect([made.status, made.data.status, made.data.total]).toEqual([201, 'pending', 2500]);
    expect(await stockOf(tea)).toBe(before - 2);
    expect((await user.get(`/api/v1/orders/${id}/receipt`)).data).toEqual({
      id,
      status: 'pending',
      total: 2500,
      lines: [{ name: 'The TEA', quantity: 2, price: 1250 }],
    });
    const other = await app.user();
    expect((await other.get(`/api/v1/orders/${id}/receipt`)).status).toBe(404);
    expect((await other.get('/api/v1/order_lines')).data).toEqual([]);
    const line = { order_id: id, product_id: tea, quantity: 1, price: 0 };
    expect((await user.post('/api/v1/order_lines', { order_line: line })).status).toBe(403);
  });

  it('shows an order page in one request, to its customer', async () => {
    const cup = await addProduct('CUP', 800, 5);
    const { user, customer } = await shopper();
    const lines = [tea, cup].map((product) => ({ product, quantity: 1 }));
    const { data: made } = await user.post('/api/v1/checkout', { customer, lines });
    const page = `/api/v1/orders/${String(made.id)}?include=customer,lines.product&fields[lines.product]=name`;
    expect((await user.get(page)).data).toMatchObject({
      customer: { name: 'Ann' },
      lines: [
        { product_id: tea, product: { name: 'The TEA' } },
        { product_id: cup, product: { name: 'The CUP' } },
      ],
    });
    // A product that is no longer sold cannot be read.
    await app.as('keeper').patch(`/api/v1/products/${cup}`, { product: { active: false } });
    expect((await user.get(page)).data).toMatchObject({ lines: [{}, { product_id: cup, product: null }] });
    const bought = (query: string, by = user) => by.get(`/api/v1/orders?${query}`);
    expect((await bought(`filter[lines.product_id]=${cup}&sort=-customer.name`)).data).toMatchObject([
      { id: made.id },
    ]);
    const other = await app.user();
    expect((await other.get(page)).status).toBe(404);
    expect((await bought(`filter[lines.product_id]=${cup}`, other)).data).toEqual([]);
  });

  it('sells nothing to somebody else’s address, and nothing that is not there', async () => {
    const { customer } = await shopper();
    const thief = await app.user();
    const lines = [{ product: tea, quantity: 1 }];
    expect((await thief.post('/api/v1/checkout', { customer, lines })).status).toBe(404);
    const { user, customer: own } = await shopper();
    const many = await user.post('/api/v1/checkout', {
      customer: own,
      lines: [{ product: tea, quantity: 999 }],
    });
    expect([many.status, many.code, many.message]).toEqual([
      409,
      40950,
      expect.stringMatching(/^Only \d+ of The TEA left$/),
    ]);
    for (const wrong of [
      [],
      'tea',
      [{ product: tea }],
      [...lines, ...lines],
      [{ product: tea, quantity: 1.5 }],
    ]) {
      const answer = await user.post('/api/v1/checkout', { customer: own, lines: wrong });
      expect([answer.status, answer.code]).toEqual([422, 42250]);
    }
    const gone = await user.post('/api/v1/checkout', {
      customer: own,
      lines: [...lines, { product: 999_999, quantity: 1 }],
    });
    expect(gone.status).toBe(404);
    expect((await user.get('/api/v1/orders')).data).toEqual([]);
  });

  it('sells twenty-five of twenty-five to forty who come at once', async () => {
    const scarce = await addProduct('SCARCE', 100, 25);
    const { user, customer } = await shopper();
    const answers = await Promise.all(
      Array.from({ length: 40 }, () =>
        user.post('/api/v1/checkout', { customer, lines: [{ product: scarce, quantity: 1 }] }),
      ),
    );
    const statuses = Map.groupBy(answers, ({ status }) => status);
    expect([statuses.get(201)?.length, statuses.get(409)?.length]).toEqual([25, 15]);
    expect(await stockOf(scarce)).toBe(0);
    expect((await user.get('/api/v1/orders')).data).toHaveLength(25);
  });

  it('takes the word of the payment provider only, once or many times', async () => {
    const { user, id } = await order(tea, 1);
    expect((await pay(id, 1250, 'somebody else')).status).toBe(403);
    expect((await pay(id, 1)).status).toBe(409);
    expect((await pay(999_999, 1250)).status).toBe(404);
    expect((await user.get(`/api/v1/orders/${id}`)).data.status).toBe('pending');
    for (const _ of ['first', 'again']) {
      const answer = await pay(id, 1250);
      expect([answer.status, await answer.text()]).toEqual([200, 'success']);
    }
    expect((await user.get(`/api/v1/orders/${id}`)).data.status).toBe('paid');
    const queued = await app.jobs.enqueued();
    expect(queued.filter(({ values }) => values['subject'] === `Order ${id}: paid`)).toHaveLength(1);
    await app.jobs.run();
    const mails = await readdir(join(place, 'mail'));
    const texts = await Promise.all(mails.map((name) => readFile(join(place, 'mail', name), 'utf8')));
    expect(texts).toContain(
      `To: ann@example.com\nSubject: Order ${id}: paid\n\nDear Ann,\n\nyour order ${id} is paid.\n`,
    );
  });

  it('lets one of payment and cancellation win, and gives cancelled goods back', async () => {
    const before = Number(await stockOf(tea));
    const { user, id } = await order(tea, 3);
    const [paid, cancelled] = await Promise.all([
      pay(id, 3750),
      user.post(`/api/v1/orders/${id}/cancel`, {}),
    ]);
    const { data } = await user.get(`/api/v1/orders/${id}`);
    // A paid order may still be cancelled; a cancelled one is never paid.
    expect(cancelled.status).toBe(200);
    expect([data.status, [200, 409].includes(paid.status)]).toEqual(['cancelled', true]);
    expect(await stockOf(tea)).toBe(before);
    expect((await pay(id, 3750)).status).toBe(409);
    // A second time it changes nothing, and gives nothing back.
    expect((await user.post(`/api/v1/orders/${id}/cancel`, {})).status).toBe(200);
    expect(await stockOf(tea)).toBe(before);
  });

  it('ships a paid order, with the permission', async () => {
    const { user, id } = await order(tea, 1);
    const ship = (client: typeof user | ReturnType<TestApplication['as']>) =>
      client.patch(`/api/v1/orders/${id}`, { order: { status: 'shipped' } });
    expect((await ship(user)).status).toBe(403);
    const admin = app.as('super_admin');
    expect((await ship(admin)).code).toBe(40951);
    await pay(id, 1250);
    expect((await ship(admin)).status).toBe(200);
  });

  it('keeps pictures of products, and shows them to anybody', async () => {
    const upload = async (bytes: Buffer, role: string) => {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), '../../tea.png');
      const { token } = await app.user({ roles: [role] });
      return fetch(`${app.url}/api/v1/products/${tea}/image`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}` },
        body: form,
      });
    };
    expect((await app.anonymous.get(`/api/v1/products/${tea}/image`)).status).toBe(404);
    expect((await upload(png, 'viewer')).status).toBe(403);
    expect((await upload(Buffer.from('<script>'), 'keeper')).status).toBe(415);
    expect((await upload(png, 'keeper')).status).toBe(200);
    const shown = await fetch(`${app.url}/api/v1/products/${tea}/image`);
    expect([shown.headers.get('content-type'), Buffer.from(await shown.arrayBuffer())]).toEqual([
      'image/png',
      png,
    ]);
    expect(await readdir(join(place, 'images'))).toHaveLength(1);
  });

  it('shows no file outside of the folder of pictures, whatever a product names', async () => {
    const secret = join(place, 'passport.jpg');
    await writeFile(secret, 'private');
    const product = await addProduct('PASSPORT', 1, 1);
    const get = () => app.anonymous.get(`/api/v1/products/${product}/image`);
    for (const image of ['../passport.jpg', secret, 'sub/../../passport.jpg']) {
      for (const role of ['keeper', 'super_admin'])
        await app.as(role).patch(`/api/v1/products/${product}`, { product: { image } });
      expect((await app.anonymous.get(`/api/v1/products/${product}`)).data.image).toBeNull();
      expect((await get()).status).toBe(404);
      await app.scope().records('Product').update(product, { image });
      expect((await get()).status).toBe(404);
      await app.scope().records('Product').update(product, { image: null });
    }
  });

  it('reports the night’s orders', async () => {
    const report = app.server.services.systemScope('test');
    await report.jobs.add('nightly-report');
    await app.jobs.run();
    const mails = await readdir(join(place, 'mail'));
    const texts = await Promise.all(mails.map((name) => readFile(join(place, 'mail', name), 'utf8')));
    expect(texts.find((text) => text.includes('Subject: Yesterday'))).toMatch(/^cancelled: \d+ orders, /m);
  });
});
