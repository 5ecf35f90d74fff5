import { expect, it } from 'vitest';
import type { Auth } from '../../client/index.ts';
import { createClient, etagOf, GatewrightError, resource } from '../../client/index.ts';
import { createSigner } from '../../client/sign.ts';
import type note from '../../examples/newsroom/resources/note.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { commonPassword, type Service, useService } from '../support/service.ts';
import { newsroom, resources } from './applications.ts';

const refusal = async (call: Promise<unknown>): Promise<GatewrightError> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof GatewrightError) return error;
  throw new Error('expected a GatewrightError', { cause: error });
};

const clientOf = (service: Service, auth?: Auth) =>
  createClient({ baseUrl: service.origin, auth, resources });

describeEachDatabase('the client and the service', (databases) => {
  const service = useService(databases, {
    application: newsroom,
    env: { LOCALE: 'en' },
    apps: ['shop'],
  });
  const asAdmin = async () =>
    clientOf(service, { account: 'root', password: (await service.admin()).password });

  it('signs in when it is needed, once for calls at the same time', async () => {
    const user = await service.createUser();
    const logins: string[] = [];
    const client = createClient({
      baseUrl: `${service.origin}/`,
      auth: { account: user.email, password: commonPassword },
      fetch: (input, init) => {
        if (String(input).endsWith('/login')) logins.push(String(input));
        return fetch(input, init);
      },
    });
    expect(logins).toEqual([]);
    const [me, users] = await Promise.all([client.auth.me(), client.users.list()]);
    expect(me).toEqual({
      id: user.id,
      username: user.username,
      email: user.email,
      name: expect.any(String),
      roles: ['viewer'],
    });
    expect(users.items).toEqual([me]);
    expect(logins).toHaveLength(1);
  });

  it('signs in again by itself when the token has run out, and sends the call once more', async () => {
    const client = await asAdmin();
    await client.auth.me();
    service.clock.advance(25 * 3600);
    const saved = await client.notes.create({ title: 'after a day' });
    expect((await client.notes.list({ filter: { title: 'after a day' } })).items).toEqual([
      expect.objectContaining({ id: saved.id }),
    ]);
  });

  it('the client does not try a wrong password again, and takes the right one', async () => {
    const user = await service.createUser();
    let logins = 0;
    const client = createClient({
      baseUrl: service.origin,
      auth: { account: user.username, password: 'not this one' },
      fetch: (input, init) => {
        if (String(input).endsWith('/login')) logins += 1;
        return fetch(input, init);
      },
    });
    for (let round = 0; round < 3; round += 1)
      expect(await refusal(client.auth.me())).toMatchObject({ status: 401, code: 40105 });
    expect(logins).toBe(1);
    const session = await client.auth.login({ account: user.username, password: commonPassword });
    expect(session.user.id).toBe(user.id);
    expect((await client.auth.me()).id).toBe(user.id);
    await client.auth.logout();
    expect(await refusal(client.auth.me())).toMatchObject({ status: 401, code: 40100 });
    expect((await service.get('/api/v1/auth/me', { token: session.token })).json.code).toBe(40101);
  });

  it('calls with a token of its caller, asked for each time, and does not renew it', async () => {
    const user = await service.createUser();
    let token: string | undefined;
    const client = clientOf(service, { token: async () => token });
    expect((await refusal(client.auth.me())).code).toBe(40100);
    token = user.token;
    expect((await client.auth.me()).id).toBe(user.id);
    token = `${user.token}x`;
    expect((await refusal(client.auth.me())).code).toBe(40101);
    expect((await clientOf(service, { token: user.token }).auth.me()).id).toBe(user.id);
  });

  it('makes, lists and deletes API keys, and calls with one', async () => {
    const user = await service.createUser();
    const client = clientOf(service, { token: user.token });
    const made = await client.apiKeys.create({ name: 'script', expires_at: '2099-01-01T00:00:00Z' });
    expect(made).toMatchObject({
      key: expect.stringMatching(/^[0-9a-f]{64}$/),
      expires_at: '2099-01-01T00:00:00.000Z',
    });
    const keyed = clientOf(service, { key: made.key });
    expect((await keyed.users.list()).items.map(({ id }) => id)).toEqual([user.id]);
    const { items } = await client.apiKeys.list({ filter: { status: 'active' }, sort: '-created_at' });
    expect(items).toMatchObject([{ id: made.id, key: `${made.key.slice(0, 8)}****` }]);
    await client.apiKeys.delete(made.id);
    expect((await refusal(keyed.users.list())).code).toBe(40102);
    expect((await refusal(client.apiKeys.delete(made.id))).status).toBe(404);
  });

  it('changes the password', async () => {
    const user = await service.createUser();
    const client = clientOf(service, { account: user.username, password: commonPassword });
    const wrong = client.auth.password({ current_password: 'no such thing', password: 'walnut-4 anchor' });
    expect(await refusal(wrong)).toMatchObject({ status: 401, code: 40105 });
    await client.auth.password({ current_password: commonPassword, password: 'walnut-4 anchor' });
    await client.auth.login({ account: user.username, password: 'walnut-4 anchor' });
  });

  it('creates, reads, changes and deletes records, held to their version', async () => {
    const { orders } = await asAdmin();
    const saved = await orders.create({ number: 'A-1', amount: 1250, internal_note: 'gift' });
    expect(saved).toEqual({ id: saved.id, number: 'A-1', status: 'pending' });
    const read = await orders.get(saved.id);
    expect(read).toMatchObject({ amount: 1250, internal_note: 'gift', updated_at: expect.any(String) });
    const etag = etagOf(read);
    expect(etag).toMatch(/^"1-detail"$/);
    expect(JSON.stringify(read)).not.toContain('etag');

    const paid = await orders.update(saved.id, { status: 'paid' }, { etag });
    expect(etagOf(paid)).toBe('"2-saved"');
    expect(await refusal(orders.update(saved.id, { amount: 1 }, { etag }))).toMatchObject({
      status: 412,
      code: 41200,
    });
    expect((await refusal(orders.delete(saved.id, { etag }))).status).toBe(412);
    await orders.delete(saved.id, { etag: etagOf(paid) });
    expect(await refusal(orders.get(saved.id))).toMatchObject({
      status: 404,
      code: 40400,
      message: 'Record does not exist',
    });
  });

  it('writes many records at once, or none', async () => {
    const { orders } = await asAdmin();
    const old = await orders.create({ number: 'B-0', amount: 1, internal_note: 'x' });
    const work = { create: [{ number: 'B-1', amount: 2, internal_note: 'x' }], delete: [old.id] };
    const failing = { ...work, update: [{ id: 999_999, amount: 5 }] };
    expect((await refusal(orders.batch(failing))).errors).toMatchObject([{ field: 'update.0.id' }]);
    expect((await orders.get(old.id)).number).toBe('B-0');
    const { created, updated, deleted } = await orders.batch(work);
    expect([created.map(({ number }) => number), updated, deleted]).toEqual([['B-1'], [], 1]);
    expect((await refusal(orders.get(old.id))).status).toBe(404);
  });

  it('throws what is wrong with each field', async () => {
    const { orders } = await asAdmin();
    await orders.create({ number: 'taken', amount: 1 });
    const error = await refusal(orders.create({ number: 'taken', amount: -1 }));
    expect(error).toMatchObject({ name: 'GatewrightError', status: 422, code: 42200 });
    expect(error.fields).toEqual({
      amount: ['Amount must be at least 0'],
      number: ['Number is already taken'],
    });
    expect(error.message).toBe(error.errors.map(({ message }) => message).join(', '));
  });

  it('filters, sorts, searches, narrows and pages', async () => {
    const { orders } = await asAdmin();
    for (let index = 1; index <= 7; index += 1)
      await orders.create({
        number: `list-${index}`,
        amount: index * 10,
        status: index % 2 === 0 ? 'paid' : 'pending',
      });
    const mine = { number: { starts_with: 'list-' } };
    const numbers = (items: readonly { number: string }[]) =>
      items.map(({ number }) => number.slice(5)).join('');

    expect(numbers((await orders.list({ filter: { ...mine, amount: { gte: 30, lt: 60 } } })).items)).toBe(
      '345',
    );
    expect(
      numbers((await orders.list({ filter: { ...mine, status: 'paid' }, sort: ['-amount'] })).items),
    ).toBe('642');
    expect(
      numbers(
        (await orders.list({ filter: { ...mine, status: { ne: 'paid' }, id: { null: false } } })).items,
      ),
    ).toBe('1357');
    expect(
      numbers((await orders.list({ filter: { number: { in: ['list-2', 'list-5', 'a,b', '\\'] } } })).items),
    ).toBe('25');
    expect(numbers((await orders.list({ q: 'LIST-3' })).items)).toBe('3');
    expect((await orders.list({ q: 'list-3', fields: ['number'] })).items).toEqual([{ number: 'list-3' }]);

    const second = await orders.list({ filter: mine, page: 2, per_page: 3 });
    expect([numbers(second.items), second.total, second.next]).toEqual(['456', 7, undefined]);
    const first = await orders.list({ filter: mine, per_page: 3, sort: ['-amount', 'id'] });
    expect([numbers(first.items), first.total]).toEqual(['765', 7]);
    const next = await orders.list({ filter: mine, per_page: 3, sort: ['-amount', 'id'], after: first.next });
    expect([numbers(next.items), next.total]).toEqual(['432', undefined]);
    expect(await orders.list({ filter: { number: 'nothing' } })).toEqual({
      items: [],
      total: 0,
      atLeast: false,
      more: false,
      next: undefined,
    });
    for (const [page, total, found] of [
      [1, 'none', [undefined, false, true]],
      [3, 'none', [undefined, false, false]],
      [2, 'estimate', [7, false, true]],
      [2, 'exact', [7, false, true]],
    ] as const) {
      const counted = await orders.list({ filter: mine, page, per_page: 3, total });
      expect([counted.total, counted.atLeast, counted.more]).toEqual(found);
    }
  });

  it('counts and sums up by group', async () => {
    const { orders } = await asAdmin();
    for (const [index, status] of (['paid', 'pending', 'paid'] as const).entries())
      await orders.create({ number: `group-${index}`, amount: 100 + index, status });
    const filter = { number: { starts_with: 'group-' } };
    const page = await orders.aggregate({
      group: ['status', 'created_at:year'],
      count: true,
      sum: ['amount'],
      avg: ['amount'],
      max: ['number'],
      sort: '-sum_amount',
      offset: '+08:00',
      filter,
      per_page: 1,
    });
    const year = new Date(service.clock.now() + 8 * 3_600_000).toISOString().slice(0, 4);
    expect(page).toEqual({
      items: [
        {
          status: 'paid',
          created_at_year: year,
          count: 2,
          sum_amount: 202,
          avg_amount: 101,
          max_number: 'group-2',
        },
      ],
      total: 2,
      atLeast: false,
      more: true,
      next: undefined,
    });
    const zoned = await orders.aggregate({ group: ['created_at:year'], zone: 'Asia/Shanghai', filter });
    expect(zoned.items).toEqual([{ created_at_year: year }]);
    expect(await orders.aggregate({ min: ['amount'], filter })).toEqual({
      items: [{ min_amount: 100 }],
      total: 1,
      atLeast: false,
      more: false,
      next: undefined,
    });
    expect((await refusal(orders.aggregate({ group: ['status'], per_page: 0, filter }))).code).toBe(40006);
  });

  it('goes through all pages by cursor', async () => {
    const { notes } = await asAdmin();
    for (let index = 0; index < 5; index += 1)
      await notes.create({ title: `turn, ${index}`, body: index < 2 ? null : 'x' });
    const query = {
      filter: { title: { starts_with: 'turn, ' } },
      sort: '-title',
      per_page: 2,
      fields: ['title'],
    } as const;
    const sizes: number[] = [];
    for await (const page of notes.pages(query)) sizes.push(page.length);
    expect(sizes).toEqual([2, 2, 1]);
    const titles: string[] = [];
    for await (const { title } of notes.each(query)) {
      titles.push(title.slice(6));
      if (titles.length === 3) break;
    }
    expect(titles).toEqual(['4', '3', '2']);
    // An order without cursors, by a text of any length, goes by numbers.
    const bodies: (number | undefined)[] = [];
    for await (const page of notes.pages({ ...query, sort: ['body', '-title'] })) bodies.push(page.length);
    expect(bodies).toEqual([2, 2, 1]);
    const none: unknown[] = [];
    for await (const page of notes.pages({ filter: { title: 'nothing' } })) none.push(page);
    expect(none).toEqual([]);
  });

  it('reads public records with no credentials at all', async () => {
    const admin = await asAdmin();
    const { id } = await admin.articles.create({ title: 'out', published: true });
    const hidden = await admin.articles.create({ title: 'in' });
    const stranger = clientOf(service);
    expect((await stranger.articles.get(id)).title).toBe('out');
    expect((await refusal(stranger.articles.get(hidden.id))).status).toBe(404);
    expect((await refusal(stranger.articles.create({ title: 'no' }))).status).toBe(401);
  });

  it('repeats a creation under its Idempotency-Key', async () => {
    const { notes } = await asAdmin();
    const options = { idempotencyKey: `once-${service.dialect}` };
    const first = await notes.create({ title: 'once' }, options);
    expect(await notes.create({ title: 'once' }, options)).toEqual(first);
    expect((await notes.create({ title: 'once' })).id).not.toBe(first.id);
    expect((await refusal(notes.create({ title: 'other' }, options))).code).toBe(40901);
  });

  it('pays with the fetch of a signer', async () => {
    const signer = createSigner({
      appId: 'shop',
      apiSecret: service.secrets.get('shop') ?? '',
      now: service.clock.now,
    });
    const client = createClient({ baseUrl: service.origin, fetch: signer.fetch });
    const receipt = await client.payment({ order_no: '订单 1 🧾', amount: 5 });
    expect(receipt).toMatchObject({
      app_id: 'shop',
      order_no: '订单 1 🧾',
      amount: 5,
      currency: null,
      status: 'received',
    });
    service.clock.advance(2);
    const key = { idempotencyKey: `pay-${service.dialect}` };
    const paid = await client.payment({ order_no: 'A2' }, key);
    service.clock.advance(2);
    expect(await client.payment({ order_no: 'A2' }, key)).toEqual(paid);
    const thief = createSigner({ appId: 'shop', apiSecret: 'guess', now: service.clock.now });
    const stolen = createClient({ baseUrl: service.origin, fetch: thief.fetch });
    expect((await refusal(stolen.payment({}))).code).toBe(40103);
  });

  it('asks for health, metadata and any other endpoint', async () => {
    const admin = await asAdmin();
    expect(await admin.health()).toEqual({ status: 'ok' });
    expect(await admin.health({ ready: true })).toEqual({ status: 'ok' });
    const metadata = await admin.meta('Order');
    expect(metadata.fields.find(({ name }) => name === 'status')).toMatchObject({
      choices: [{ value: 'pending', label: expect.any(String) }, {}, {}],
      operators: ['eq', 'ne', 'in', 'null'],
    });
    const { data, status } = await admin.sendRequest<{ roles: string[] }>('GET', '/api/v1/auth/me');
    expect([data.roles, status]).toEqual([['super_admin'], 200]);
  });

  it('goes under the path of a service that has one', async () => {
    const second = await service.secondInstance({ env: { BASE_URL: 'http://127.0.0.1/inner/api' } });
    const client = createClient({
      baseUrl: `${second.origin}/inner/api/`,
      auth: { account: 'root', password: commonPassword },
      resources: { notes: resource<typeof note>('note') },
    });
    await client.notes.create({ title: 'p1' });
    await client.notes.create({ title: 'p2' });
    const seen: string[] = [];
    for await (const { title } of client.notes.each({ per_page: 1, filter: { title: { like: 'P' } } }))
      seen.push(title);
    expect(seen).toEqual(expect.arrayContaining(['p1', 'p2']));
  });
});
