import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApplication, type TestUser, testApplication } from '../../src/testing/testing.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { openStream } from '../support/event-stream.ts';
import { startReceiver } from '../support/receiver.ts';

const folder = fileURLToPath(new URL('../../examples/teams', import.meta.url));

/** The help desk of examples/teams. Ann owns a company, ben is its agent, cal and dee are its customers. */
describeEachDatabase('the help desk', (databases) => {
  let app: TestApplication;

  beforeAll(async () => {
    const url = await databases.create();
    app = await testApplication({
      application: folder,
      env: { DATABASE_URL: url, LOCALE: 'en' },
    });
  });
  afterAll(() => app.close());

  const made = async (user: TestUser, path: string, key: string, values: object): Promise<number> => {
    const answer = await user.post(`/api/v1/${path}`, { [key]: values });
    expect([path, answer.status, answer.message]).toEqual([path, 201, 'Success']);
    return Number(answer.data.id);
  };
  const changed = async (user: TestUser, path: string, key: string, values: object) => {
    const answer = await user.patch(`/api/v1/${path}`, { [key]: values });
    const data = answer.status === 200 ? answer.data : undefined;
    return { status: answer.status, data, message: answer.message };
  };
  const addressOf = async ({ id }: TestUser): Promise<string> =>
    (await app.scope().records('User').find(id))?.email ?? '';

  const newTicket = (user: TestUser, company_id: number, values: object = {}) =>
    made(user, 'tickets', 'ticket', { company_id, title: 'Leak', body: 'Water in the attic', ...values });

  const company = async () => {
    const [ann, ben, cal, dee] = await Promise.all([app.user(), app.user(), app.user(), app.user()]);
    const id = await made(ann, 'companies', 'company', { name: 'Roofs', hourly_rate: '80' });
    const invite = async (user: TestUser, role: string) =>
      made(ann, 'memberships', 'membership', { company_id: id, email: await addressOf(user), role });
    const seats = { ben: await invite(ben, 'agent'), cal: await invite(cal, 'customer') };
    await invite(dee, 'customer');
    return { ann, ben, cal, dee, id, seats };
  };

  /** A company with a ticket of cal, on which ben has worked. */
  const desk = async () => {
    const { ann, ben, cal, dee, id, seats } = await company();
    const ticket = await newTicket(cal, id);
    const worked = { priority: 'high', assignee_id: ben.id, internal_note: 'pays late', hours: '1.5' };
    expect((await changed(ben, `tickets/${ticket}`, 'ticket', worked)).status).toBe(200);
    const comment = { ticket_id: ticket, body: 'he pays late', internal: true };
    const internal = await made(ben, 'comments', 'comment', comment);
    const open = await made(ben, 'comments', 'comment', { ticket_id: ticket, body: 'We come on Monday' });
    return { ann, ben, cal, dee, id, seats, ticket, internal, open };
  };

  describe('members', () => {
    it('members begin with the creator of a company, which others do not see', async () => {
      const [ann, eve] = [await app.user(), await app.user()];
      const id = await made(ann, 'companies', 'company', { name: 'Roofs', hourly_rate: '80' });
      const seats = (await ann.get(`/api/v1/memberships?filter[company_id]=${id}`)).data;
      expect(seats).toMatchObject([{ user_id: ann.id, role: 'owner', email: await addressOf(ann) }]);
      expect((await eve.get(`/api/v1/companies/${id}`)).status).toBe(404);
      expect((await eve.get('/api/v1/memberships')).data).toEqual([]);
      // A stranger cannot join, and does not learn that the company exists.
      for (const company_id of [id, 999_999]) {
        const membership = { company_id, email: await addressOf(eve), role: 'owner' };
        const seat = await eve.post('/api/v1/memberships', { membership });
        expect([seat.status, seat.data.errors]).toMatchObject([
          422,
          [{ field: 'company_id', rule: 'reference' }],
        ]);
      }
    });

    it('members are invited by owners, by an address in any spelling and not by an id', async () => {
      const { ann, ben, cal, id } = await company();
      const eve = await app.user();
      const email = await addressOf(eve);
      const invite = (by: TestUser, values: object) =>
        by.post('/api/v1/memberships', { membership: { company_id: id, ...values } });
      for (const by of [ben, cal]) expect((await invite(by, { email })).status).toBe(403);
      const counted = await invite(ann, { user_id: eve.id });
      expect([counted.status, counted.message]).toEqual([422, 'Invited address must not be blank']);
      const swapped = await invite(ann, { email: await addressOf(ben), user_id: eve.id });
      expect([swapped.status, swapped.data.errors]).toMatchObject([422, [{ rule: 'unique' }]]);
      const unknown = await invite(ann, { email: 'nobody@example.com' });
      expect(unknown.message).toBe('No user has this address');
      const seat = await invite(ann, { email: email.toUpperCase() });
      expect(seat.data).toMatchObject({ user_id: eve.id, email, role: 'customer' });
      const page = '/api/v1/memberships?page=1&include=user&sort=id';
      const names = async (who: TestUser) => (await who.get(page)).data.map(({ user }) => user);
      expect(await names(ben)).toHaveLength(5);
      expect(await names(eve)).toMatchObject([{ id: eve.id }]);
    });

    it('members leave, except for the last owner, and have no access from then on', async () => {
      const { ann, ben, cal, id, seats, ticket, open } = await desk();
      expect((await changed(cal, `memberships/${seats.cal}`, 'membership', { role: 'owner' })).status).toBe(
        403,
      );
      for (const status of [200, 404])
        expect((await cal.delete(`/api/v1/memberships/${seats.cal}`)).status).toBe(status);
      for (const path of [`tickets/${ticket}`, `comments/${open}`, `companies/${id}`])
        expect((await cal.get(`/api/v1/${path}`)).status).toBe(404);
      const staying = (await ann.get('/api/v1/memberships?sort=id')).data;
      const [first, second] = staying.map((each) => Number(each.id));
      const last = await ann.delete(`/api/v1/memberships/${first}`);
      expect([last.status, last.message]).toEqual([422, 'A company needs an owner']);
      expect((await changed(ann, `memberships/${first}`, 'membership', { role: 'agent' })).status).toBe(422);
      expect((await changed(ann, `memberships/${second}`, 'membership', { role: 'owner' })).status).toBe(200);
      expect((await ann.delete(`/api/v1/memberships/${first}`)).status).toBe(200);
      expect((await ann.get(`/api/v1/tickets/${ticket}`)).status).toBe(404);
      expect((await ben.delete(`/api/v1/companies/${id}`)).status).toBe(200);
      for (const path of [`tickets/${ticket}`, `comments/${open}`, `memberships/${second}`])
        expect((await app.as('admin').get(`/api/v1/${path}`)).status).toBe(404);
    });
  });

  it('lets owners alone change their company', async () => {
    const { ann, ben, cal, id } = await company();
    const rate = { hourly_rate: '0' };
    for (const who of [ben, cal]) {
      expect((await changed(who, `companies/${id}`, 'company', rate)).status).toBe(403);
      expect((await who.delete(`/api/v1/companies/${id}`)).status).toBe(403);
    }
    expect((await changed(await app.user(), `companies/${id}`, 'company', rate)).status).toBe(404);
    expect((await changed(ann, `companies/${id}`, 'company', rate)).data).toMatchObject({
      hourly_rate: '0.00',
    });
  });

  it('the help desk has an owner for each company, even if its last two leave at once', async () => {
    const { ann, ben, id, seats } = await company();
    await changed(ann, `memberships/${seats.ben}`, 'membership', { role: 'owner' });
    const own = (await ann.get('/api/v1/memberships')).data.find(({ user_id }) => user_id === ann.id);
    const left = await Promise.all([
      ann.delete(`/api/v1/memberships/${own?.id}`),
      ben.delete(`/api/v1/memberships/${seats.ben}`),
    ]);
    expect(left.map(({ status }) => status).sort()).toEqual([200, 422]);
    const owners = { filter: { company_id: id, role: 'owner' } };
    expect(await app.scope().records('Membership').count(owners)).toBe(1);
  });

  it('accepts API keys of its members, as far as these reach', async () => {
    const { ben, cal, id, ticket } = await desk();
    for (const [who, status] of [
      [ben, 200],
      [cal, 403],
    ] as const) {
      const { key } = (await who.post('/api/v1/api_keys', { api_key: { name: 'script' } })).data;
      const get = (path: string) => app.anonymous.get(`/api/v1/${path}`, { 'x-api-key': String(key) });
      expect((await get(`companies/${id}/report?from=2000-01-01`)).status).toBe(status);
      expect((await get(`tickets/${ticket}`)).data.internal_note).toBe(who === ben ? 'pays late' : undefined);
    }
  });

  describe('tickets', () => {
    it('tickets are out of reach of other customers, other companies and strangers, on every way', async () => {
      const { dee, id, ticket, internal, open } = await desk();
      const zoe = (await desk()).ann;
      const eve = await app.user();
      const read = [
        `tickets?filter[id]=${ticket}`,
        `tickets?filter[internal_note]=pays%20late&filter[company_id]=${id}`,
        `tickets?filter[comments.id]=${open}&page=1&include=comments`,
        `tickets?q=attic&filter[company_id]=${id}`,
        `tickets?sort=hours&filter[company_id]=${id}`,
        `tickets?trashed=true`,
        `comments?filter[ticket.company_id]=${id}`,
        `comments?filter[ticket_id]=${ticket}&page=1&include=ticket,user`,
      ];
      for (const who of [dee, zoe, eve]) {
        for (const path of read) expect([path, (await who.get(`/api/v1/${path}`)).data]).toEqual([path, []]);
        for (const path of [`tickets/${ticket}`, `comments/${internal}`, `comments/${open}`]) {
          expect((await who.get(`/api/v1/${path}`)).status).toBe(404);
          expect((await who.get(`/api/v1/${path}/history`)).status).toBe(404);
          expect((await who.delete(`/api/v1/${path}`)).status).toBe(404);
          const key = path.split('s/')[0] ?? '';
          expect((await changed(who, path, key, { body: 'mine' })).status).toBe(404);
        }
        const count = await who.get(`/api/v1/tickets/aggregate?count&sum=hours&filter[company_id]=${id}`);
        expect(count.data).toEqual([{ count: 0, sum_hours: null }]);
        const csv = await who.get(`/api/v1/tickets?filter[company_id]=${id}`, { accept: 'text/csv' });
        expect(csv.text.trim().split('\r\n')).toHaveLength(1);
        const comment = { ticket_id: ticket, body: 'Hello' };
        expect((await who.post('/api/v1/comments', { comment })).status).toBe(422);
        const batch = await who.post('/api/v1/tickets/batch', { update: [{ id: ticket, title: 'mine' }] });
        expect([batch.status, batch.data?.errors]).not.toEqual([200, undefined]);
        expect((await who.post(`/api/v1/tickets/${ticket}/restore`, {})).status).toBe(404);
      }
      for (const who of [zoe, eve]) {
        const ticket = { company_id: id, title: 'Mine', body: 'Mine' };
        expect((await who.post('/api/v1/tickets', { ticket })).status).toBe(422);
      }
      expect((await app.as('admin').get(`/api/v1/tickets/${ticket}`)).data.title).toBe('Leak');
    });

    it('tickets show their customer neither the internal note nor the hours, on any way', async () => {
      const { ann, ben, cal, ticket } = await desk();
      const read = [
        `tickets/${ticket}`,
        'tickets',
        'tickets?fields=id,internal_note,hours',
        `tickets/${ticket}?include=comments.user,assignee`,
        'tickets?sort=hours,internal_note&page=1&include=comments',
        `tickets/${ticket}/history`,
        'tickets/aggregate?group=hours&count',
        'tickets/aggregate?sum=hours&max=hours',
        'comments?page=1&include=ticket',
      ];
      for (const path of read) {
        for (const headers of [{}, { accept: 'text/csv' }]) {
          const { text } = await cal.get(`/api/v1/${path}`, headers);
          expect([path, text]).toEqual([path, expect.not.stringMatching(/pays late|1\.50/)]);
        }
        for (const agent of [ann, ben]) expect((await agent.get(`/api/v1/${path}`)).status).toBe(200);
      }
      const detail = (await cal.get(`/api/v1/tickets/${ticket}`)).data;
      expect(Object.keys(detail)).toEqual(expect.not.arrayContaining(['internal_note', 'hours']));
      expect((await ben.get(`/api/v1/tickets/${ticket}`)).data).toMatchObject({
        internal_note: 'pays late',
        hours: '1.50',
      });
      for (const query of ['filter[internal_note]=pays%20late', 'filter[hours][gt]=1', 'q=pays'])
        expect([query, (await cal.get(`/api/v1/tickets?${query}`)).data]).toEqual([query, []]);
      expect((await cal.get('/api/v1/comments?q=pays')).data).toEqual([]);
      expect((await ben.get('/api/v1/comments?q=pays')).data).toHaveLength(1);
    });

    it('tickets show the names of customer and agent to each other', async () => {
      const { ben, cal, ticket, open } = await desk();
      const names = {
        user: { id: cal.id, name: cal.username },
        assignee: { id: ben.id, name: ben.username },
      };
      for (const who of [cal, ben])
        expect((await who.get(`/api/v1/tickets/${ticket}?include=user,assignee`)).data).toMatchObject(names);
      const { data } = await cal.get(`/api/v1/comments/${open}?include=user`);
      expect(data.user).toEqual({ id: ben.id, name: ben.username });
      expect((await cal.get(`/api/v1/users`)).data).toHaveLength(1);
      const [version] = (await cal.get(`/api/v1/tickets/${ticket}/history`)).data;
      expect(version?.actor).toMatchObject({ kind: 'user', id: String(ben.id) });
    });

    it('tickets are written by customers while they are new, and prioritised and assigned by agents', async () => {
      const { ben, cal, dee, id } = await company();
      const wished = { priority: 'high', state: 'closed', internal_note: 'x', hours: '9', answered_after: 1 };
      const ticket = await newTicket(cal, id, { ...wished, assignee_id: ben.id, user_id: dee.id });
      const path = `tickets/${ticket}`;
      const initial = { state: 'new', priority: 'normal', assignee_id: null, answered_after: null };
      expect((await ben.get(`/api/v1/${path}`)).data).toMatchObject({
        ...{ ...initial, internal_note: null, hours: null, user_id: cal.id },
      });
      expect((await changed(cal, path, 'ticket', { title: 'Leak!', ...wished })).data).toMatchObject({
        ...{ ...initial, title: 'Leak!' },
      });
      const updates = [{ id: ticket, title: 'Leak!!', priority: 'high' }];
      const batch = await cal.post('/api/v1/tickets/batch', { update: updates });
      expect(batch.data.updated).toMatchObject([{ title: 'Leak!!', priority: 'normal' }]);
      for (const assignee_id of [cal.id, (await app.user()).id, 999_999])
        expect(await changed(ben, path, 'ticket', { assignee_id })).toMatchObject({
          status: 422,
          message: 'Assignee must be an agent of the company',
        });
      expect((await changed(ben, path, 'ticket', { assignee_id: ben.id, state: 'open' })).status).toBe(200);
      expect((await changed(cal, path, 'ticket', { title: 'Other' })).status).toBe(403);
      expect((await cal.delete(`/api/v1/${path}`)).status).toBe(403);
    });

    it('tickets tell forms which fields this caller writes in this ticket', async () => {
      const { ben, cal, ticket, id } = await desk();
      const fresh = await newTicket(cal, id);
      const writable = async (user: TestUser, query: string) => {
        const { fields } = (await user.get(`/api/v1/meta/Ticket${query}`)).data as unknown as {
          fields: readonly { name: string; read_only: boolean }[];
        };
        return fields.flatMap(({ name, read_only }) => (read_only ? [] : [name]));
      };
      const agents = ['title', 'body', 'state', 'priority', 'assignee_id', 'internal_note', 'hours'];
      expect(await writable(ben, `?id=${ticket}`)).toEqual(agents);
      expect(await writable(cal, `?id=${fresh}`)).toEqual(['title', 'body']);
      // Ben has answered: cal writes comments from now on.
      expect(await writable(cal, `?id=${ticket}`)).toEqual([]);
      expect((await cal.get(`/api/v1/meta/Ticket?id=${ticket}`)).text).not.toContain(
        '"internal_note","label"',
      );
      expect((await (await app.user()).get(`/api/v1/meta/Ticket?id=${ticket}`)).status).toBe(404);
    });

    it('tickets are numbered without gaps in each company, also at once', async () => {
      const [one, two] = [await company(), await company()];
      const count = 12;
      const wrong = { company_id: one.id, title: '', body: 'x' };
      await Promise.all([
        ...Array.from({ length: count }, () => [
          newTicket(one.cal, one.id),
          newTicket(two.dee, two.id),
        ]).flat(),
        ...Array.from({ length: 4 }, () => one.cal.post('/api/v1/tickets', { ticket: wrong })),
        ...Array.from({ length: 4 }, () =>
          two.cal.post('/api/v1/tickets', { ticket: { ...wrong, title: 'x' } }),
        ),
      ]);
      const year = app.clock.now().getUTCFullYear();
      const numbers = Array.from(
        { length: count },
        (_, at) => `T-${year}-${String(at + 1).padStart(4, '0')}`,
      );
      for (const { ben } of [one, two]) {
        const { data } = await ben.get('/api/v1/tickets?sort=number&fields=number');
        expect(data.map(({ number }) => number)).toEqual(numbers);
      }
    });

    it('tickets go through their states, and tell when the present one began', async () => {
      const { ben, cal, id } = await company();
      const ticket = await newTicket(cal, id);
      const path = `tickets/${ticket}`;
      const state = async () => (await cal.get(`/api/v1/${path}`)).data;
      expect((await state()).state_since).toBe((await state()).created_at);
      app.clock.advance('90m');
      await made(ben, 'comments', 'comment', { ticket_id: ticket, body: 'secret', internal: true });
      expect(await state()).toMatchObject({ state: 'new', answered_after: null });
      await made(ben, 'comments', 'comment', { ticket_id: ticket, body: 'When?' });
      const waiting = await state();
      expect(waiting).toMatchObject({ state: 'waiting', answered_after: 90 });
      expect(waiting.state_since).toBe(waiting.updated_at);
      const wrong = await changed(ben, path, 'ticket', { state: 'new' });
      expect(wrong).toMatchObject({ status: 422, message: 'A ticket cannot go from waiting to new' });
      await made(cal, 'comments', 'comment', { ticket_id: ticket, body: 'Monday' });
      expect(await state()).toMatchObject({ state: 'open', answered_after: 90 });
      expect((await changed(ben, path, 'ticket', { state: 'closed' })).status).toBe(200);
      await made(ben, 'comments', 'comment', { ticket_id: ticket, body: 'Done' });
      expect(await state()).toMatchObject({ state: 'closed' });
      await made(cal, 'comments', 'comment', { ticket_id: ticket, body: 'It leaks again' });
      expect(await state()).toMatchObject({ state: 'open', answered_after: 90 });
    });

    it('tickets come back from the trash by an owner, as they were', async () => {
      const { ann, ben, cal, ticket, internal, open } = await desk();
      await made(cal, 'comments', 'comment', { ticket_id: ticket, body: 'Monday is fine' });
      const before = (await ben.get(`/api/v1/tickets/${ticket}`)).data;
      const { number: _, ...rest } = before;
      expect(rest).toMatchObject({ state: 'open' });
      expect((await ben.delete(`/api/v1/tickets/${ticket}`)).status).toBe(200);
      for (const who of [ben, cal]) {
        expect((await who.get('/api/v1/tickets?trashed=true')).data).toEqual([]);
        expect((await who.post(`/api/v1/tickets/${ticket}/restore`, {})).status).toBe(404);
      }
      const [deleted] = (await ann.get('/api/v1/tickets?trashed=true')).data;
      expect(deleted).toMatchObject({ id: ticket, internal_note: 'pays late' });
      expect((await ann.post(`/api/v1/tickets/${ticket}/restore`, {})).status).toBe(200);
      const { updated_at: __, ...back } = (await ben.get(`/api/v1/tickets/${ticket}`)).data;
      expect(before).toMatchObject(back);
      expect((await cal.get(`/api/v1/comments/${open}`)).status).toBe(200);
      expect((await cal.get(`/api/v1/comments/${internal}`)).status).toBe(404);
    });
  });

  describe('comments', () => {
    it('comments are internal by the word of agents only', async () => {
      const { ben, cal, ticket, open } = await desk();
      const values = { ticket_id: ticket, body: 'Thanks', internal: true };
      const own = await made(cal, 'comments', 'comment', values);
      expect((await cal.get(`/api/v1/comments/${own}`)).data.internal).toBe(false);
      const hidden = await changed(cal, `comments/${own}`, 'comment', { internal: true });
      expect(hidden.data).toMatchObject({ internal: false });
      expect((await changed(cal, `comments/${open}`, 'comment', { body: 'mine' })).status).toBe(403);
      expect((await changed(ben, `comments/${own}`, 'comment', { body: 'his' })).status).toBe(403);
      for (const who of [cal, ben]) expect((await who.delete(`/api/v1/comments/${own}`)).status).toBe(403);
    });

    it('comments show nothing of what they were while they were internal', async () => {
      const { ann, ben, cal, internal } = await desk();
      const published = { internal: false, body: 'We have received your payment' };
      expect((await changed(ben, `comments/${internal}`, 'comment', published)).status).toBe(200);
      const history = await cal.get(`/api/v1/comments/${internal}/history`);
      expect(history.data).toMatchObject([{ version: 2, before: null, after: published }]);
      expect(history.text).not.toContain('pays late');
      expect((await ben.get(`/api/v1/comments/${internal}/history`)).data).toHaveLength(2);
      expect((await ann.delete(`/api/v1/comments/${internal}`)).status).toBe(200);
    });
  });

  it('sends events to the readers of the record, with the fields that they read', async () => {
    const { ben, cal, dee, id, ticket } = await desk();
    const zoe = await company();
    const follow = ({ token }: TestUser) =>
      openStream(`${app.url}/api/v1/changes?models=Ticket,Comment`, { authorization: `Bearer ${token}` });
    const streams = await Promise.all([follow(cal), follow(dee), follow(zoe.ben)]);
    const noted = { internal_note: 'paid', hours: '2', priority: 'low' };
    await changed(ben, `tickets/${ticket}`, 'ticket', noted);
    await changed(ben, `tickets/${ticket}`, 'ticket', { internal_note: 'has paid' });
    await made(ben, 'comments', 'comment', { ticket_id: ticket, body: 'secret', internal: true });
    const last = {
      cal: await newTicket(cal, id),
      dee: await newTicket(dee, id),
      zoe: await newTicket(zoe.cal, zoe.id),
    };
    const [cals = [], dees = [], zoes = []] = await Promise.all([
      streams[0]?.until(2),
      streams[1]?.until(1),
      streams[2]?.until(1),
    ]);
    for (const stream of streams) stream.close();
    expect(cals.map(({ model, id: of }) => [model, of])).toEqual([
      ['Ticket', ticket],
      ['Ticket', last.cal],
    ]);
    expect(cals[0]?.fields).toEqual(['priority']);
    expect(JSON.stringify(cals)).not.toMatch(/internal_note|hours/);
    expect([dees[0]?.id, zoes[0]?.id]).toEqual([last.dee, last.zoe]);
  });

  it('calls the webhooks of owners about tickets of their company', async () => {
    const receiver = await startReceiver();
    const withoutJobs = app;
    // Webhooks are sent where jobs run.
    const env = { DATABASE_URL: await databases.create(), LOCALE: 'en', JOBS: 'on', WEBHOOK_PRIVATE: '1' };
    app = await testApplication({ application: folder, env });
    try {
      const { ann, ben, cal, id } = await company();
      const zoe = await company();
      for (const [name, who] of Object.entries({ ann, ben, cal, zoe: zoe.ann })) {
        const webhook = { url: `${receiver.url}/${name}`, models: ['Ticket'] };
        expect((await who.post('/api/v1/webhooks', { webhook })).status).toBe(201);
      }
      const ticket = await newTicket(cal, id);
      await changed(ben, `tickets/${ticket}`, 'ticket', { internal_note: 'pays late' });
      const others = await newTicket(zoe.cal, zoe.id);
      const calls = () =>
        receiver.received.map(({ path, message: { data } }) => `${path} ${data.action} ${data.id}`).sort();
      const expected = [
        `/hook/ann create ${ticket}`,
        `/hook/ann update ${ticket}`,
        `/hook/zoe create ${others}`,
      ];
      await expect.poll(calls, { timeout: 20_000 }).toEqual(expected);
      const update = receiver.received.find(({ message: { data } }) => data.action === 'update');
      expect(update?.message.data.record).toMatchObject({ internal_note: 'pays late' });
    } finally {
      await app.close();
      app = withoutJobs;
      await receiver.close();
    }
  });

  it('publishes articles for everyone, and shows drafts to agents', async () => {
    const { ben, cal, id } = await company();
    const draft = { company_id: id, title: 'Leaks', body: 'Put a bucket under it' };
    expect((await cal.post('/api/v1/articles', { article: draft })).status).toBe(403);
    const draftId = await made(ben, 'articles', 'article', draft);
    const readers = async () => {
      const path = `/api/v1/articles?filter[company_id]=${id}&q=bucket`;
      const found = [ben, cal, app.anonymous].map(async (who) => (await who.get(path)).data.length);
      return Promise.all(found);
    };
    expect(await readers()).toEqual([1, 0, 0]);
    expect((await changed(cal, `articles/${draftId}`, 'article', { published: true })).status).toBe(404);
    expect((await changed(ben, `articles/${draftId}`, 'article', { published: true })).status).toBe(200);
    expect(await readers()).toEqual([1, 1, 1]);
    expect((await changed(cal, `articles/${draftId}`, 'article', { title: 'x' })).status).toBe(404);
  });

  it('reports to agents what their customers owe', async () => {
    const { ann, ben, cal, dee, id } = await company();
    for (const [who, hours] of [
      [cal, '0.1'],
      [cal, '0.2'],
      [dee, '1.5'],
    ] as const)
      await changed(ben, `tickets/${await newTicket(who, id)}`, 'ticket', { hours });
    const ticket = await newTicket(dee, id);
    app.clock.advance('20m');
    await made(ben, 'comments', 'comment', { ticket_id: ticket, body: 'Done' });
    const report = (who: TestUser, query: string, of: number | string = id) =>
      who.get(`/api/v1/companies/${of}/report${query}`);
    const from = '?from=2000-01-01';
    for (const who of [ann, ben])
      expect((await report(who, from)).data).toEqual({
        ...{ tickets: { new: 3, waiting: 1 }, answered_after: 20 },
        ...{ hours: '1.80', amount: '144.00' },
      });
    const none = { tickets: {}, answered_after: null, hours: '0.00', amount: '0.00' };
    expect((await report(ben, '?from=2999-01-01')).data).toEqual(none);
    expect((await report(cal, from)).status).toBe(403);
    expect((await report(await app.user(), from)).status).toBe(404);
    for (const query of ['', '?from=', '?from=2026-02-30', '?from=x', `${from}&from=2001-01-01`])
      expect([query, (await report(ben, query)).status]).toEqual([query, 400]);
    expect((await report(ben, from, '1e0')).code).toBe(40006);
  });

  it('closes tickets whose customer is silent for 14 days', async () => {
    const { ben, cal, id } = await company();
    const [silent, answered, untouched] = [
      await newTicket(cal, id),
      await newTicket(cal, id),
      await newTicket(cal, id),
    ];
    for (const ticket_id of [silent, answered])
      await made(ben, 'comments', 'comment', { ticket_id, body: 'When?' });
    app.clock.advance('13d');
    await made(cal, 'comments', 'comment', { ticket_id: answered, body: 'Monday' });
    const states = async () => {
      await app.scope().jobs.add('close-waiting');
      expect((await app.jobs.run()).failed).toEqual([]);
      const ids = [silent, answered, untouched];
      return Promise.all(ids.map(async (each) => (await ben.get(`/api/v1/tickets/${each}`)).data.state));
    };
    expect(await states()).toEqual(['waiting', 'open', 'new']);
    app.clock.advance('25h');
    expect(await states()).toEqual(['closed', 'open', 'new']);
  });
});

it('the help desk speaks German', async () => {
  await using app = await testApplication({ application: folder, env: { LOCALE: 'de' } });
  const user = await app.user();
  const { message } = await user.post('/api/v1/tickets', { ticket: {} });
  expect(message).toBe('Firma fehlt, Titel fehlt, Text fehlt');
  const labels = async (model: string, language: string) => {
    const { data } = await app.as('admin').get(`/api/v1/meta/${model}?lang=${language}`);
    const fields = data.fields as unknown as readonly { name: string; label: string }[];
    return fields.filter(({ name }) => !['id', 'created_at', 'updated_at'].includes(name));
  };
  for (const model of ['Article', 'Comment', 'Company', 'Membership', 'Ticket']) {
    const english = new Set((await labels(model, 'en')).map(({ label }) => label));
    const same = (await labels(model, 'de')).flatMap(({ label }) => (english.has(label) ? [label] : []));
    expect(['Name', 'Text', 'Ticket']).toEqual(expect.arrayContaining(same));
  }
});
