import { describe, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type Answer, type Service, startService, type TestUser, useService } from '../../support/service.ts';

const fields = {
  code: field.string({ required: true, unique: true }),
  amount: field.integer({ min: 0 }),
  user_id: field.owner(),
};

/** Open to every signed-in caller. */
const ticket = defineResource('Ticket', { fields, auth: ['jwt', 'api_key'] });

/** Everybody reaches their own only. */
const parcel = defineResource('Parcel', { fields, isolation: true, ownership: true });

/** The same, but nothing in it is unique. */
const memo = defineResource('Memo', { fields: { text: field.text() } });

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      for (const { table } of [ticket, parcel]) await createTable(db, dialect, table, { fields });
      await createTable(db, dialect, memo.table, { fields: { text: field.text() } });
    },
  },
};

const application = { resources: [ticket, parcel, memo], migrations };
const path = '/api/v1/tickets';

interface Ticket {
  readonly id: number;
  readonly code: string;
  readonly amount: number | null;
}

let codes = 0;
const newCode = (): string => `code-${++codes}`;

const create = async (service: Service, token: TestUser, code = newCode(), at = path) => {
  const key = at.endsWith('parcels') ? 'parcel' : 'ticket';
  const answer = await service.post<Ticket>(at, { token, body: { [key]: { code, amount: 1 } } });
  expect(answer.status).toBe(201);
  return { ...answer.data, tag: String(answer.headers['etag']) };
};

const statusesOf = (answers: readonly Answer<unknown>[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

describeEachDatabase('ETag, If-Match and If-None-Match', (databases) => {
  const service = useService(databases, { application });

  it('lets exactly one of 50 parallel updates with the same tag win, on two instances', async () => {
    const token = await service.createUser();
    const second = await service.secondInstance();
    const { id, tag } = await create(service, token);
    const answers = await Promise.all(
      times(50, (index) =>
        (index % 2 === 0 ? service : second).request<Ticket>('PATCH', `${path}/${id}`, {
          token,
          headers: { 'If-Match': tag },
          body: { ticket: { amount: 100 + index } },
        }),
      ),
    );
    expect(statusesOf(answers)).toEqual({ 200: 1, 412: 49 });
    const winner = answers.find(({ status }) => status === 200);
    const now = await service.get<Ticket>(`${path}/${id}`, { token });
    expect(now.data.amount).toBe(winner?.data.amount);
    expect(now.headers['etag']).toBe('"2-detail"');
  });

  it('412 writes nothing, not even the version or updated_at', async () => {
    const token = await service.createUser();
    const { id, tag } = await create(service, token);
    await service.ok('PATCH', `${path}/${id}`, { token, body: { ticket: { amount: 2 } } });
    const before = await service.get(`${path}/${id}`, { token });
    service.clock.advance(60);
    for (const header of [
      tag,
      '"7-saved"',
      'W/"2-detail"',
      '"2"',
      'nonsense',
      '""',
      '"99999999999999999-detail"',
    ]) {
      const headers = { 'If-Match': header };
      const update = { token, headers, body: { ticket: { amount: 3 } } };
      expect((await service.request('PATCH', `${path}/${id}`, update)).json.code).toBe(41200);
      expect((await service.delete(`${path}/${id}`, { token, headers })).json.code).toBe(41200);
    }
    service.clock.reset();
    const after = await service.get(`${path}/${id}`, { token });
    expect([after.text, after.headers['etag']]).toEqual([before.text, before.headers['etag']]);
  });

  it('accepts the tag of any view, one of a list, and *', async () => {
    const token = await service.createUser();
    const { id } = await create(service, token);
    const headers = ['"1-detail"', '"9-saved", "2-saved"', '*', '"4-list"'];
    for (const [index, header] of headers.entries()) {
      const answer = await service.request('PATCH', `${path}/${id}`, {
        token,
        headers: { 'If-Match': header },
        body: { ticket: { amount: index } },
      });
      expect([header, answer.status, answer.headers['etag']]).toEqual([header, 200, `"${index + 2}-saved"`]);
    }
    expect(
      (await service.delete(`${path}/${id}`, { token, headers: { 'If-Match': '"5-saved"' } })).status,
    ).toBe(200);
  });

  it('a list returns the versions that `fields` asks for, as JSON, CSV and by cursor', async () => {
    const token = await service.admin();
    const { id, tag } = await create(service, token);
    const changed = await service.request('PATCH', `${path}/${id}`, {
      token,
      body: { ticket: { amount: 2 } },
    });
    const list = `${path}?filter[id]=${id}`;
    const version = { id, version: 2 };
    for (const paging of ['', '&per_page=5', '&page=1', '&after='])
      expect((await service.get(`${list}&fields=version,id${paging}`, { token })).data).toEqual([version]);
    const csv = await service.get(`${list}&fields=id,version`, { token, headers: { Accept: 'text/csv' } });
    expect(csv.text).toBe(`id,version\r\n${id},2\r\n`);
    expect((await service.get<object[]>(list, { token })).data[0]).not.toHaveProperty('version');
    for (const query of ['sort=version', 'filter[version]=2'])
      expect((await service.get(`${path}?${query}`, { token })).status).toBe(400);
    const write = (etag: string) =>
      service.request('PATCH', `${path}/${id}`, {
        token,
        body: { ticket: { amount: 3 } },
        headers: { 'If-Match': etag },
      });
    expect(changed.headers['etag']).toBe(`"${version.version}-saved"`);
    expect((await write(tag)).status).toBe(412);
    expect((await write(`"${version.version}-list"`)).status).toBe(200);
  });

  it('412 comes after 401, 403, 400 and 404, and before 422', async () => {
    const [owner, other] = [await service.createUser(), await service.createUser()];
    const { id } = await create(service, owner, newCode(), '/api/v1/parcels');
    const stale = { 'If-Match': '"9-saved"' };
    const patch = (options: object) =>
      service.request('PATCH', `/api/v1/parcels/${id}`, { headers: stale, ...options });
    const invalid = { parcel: { amount: -1 } };
    expect((await patch({ body: invalid })).status).toBe(401);
    expect((await patch({ token: other, body: '{' })).status).toBe(400);
    expect((await patch({ token: other, body: invalid })).json.code).toBe(40400);
    expect((await patch({ token: owner, body: invalid })).json.code).toBe(41200);
    expect((await patch({ token: owner, body: invalid, headers: {} })).status).toBe(422);
    expect((await service.delete(`/api/v1/parcels/${id}`, { token: other, headers: stale })).status).toBe(
      404,
    );
  });

  it('304 without a body for a tag that is still current, 200 once it is not', async () => {
    const token = await service.createUser();
    const { id } = await create(service, token);
    const ask = (header: string) =>
      service.get(`${path}/${id}`, { token, headers: { 'If-None-Match': header } });
    const tag = String((await service.get(`${path}/${id}`, { token })).headers['etag']);
    for (const header of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const answer = await ask(header);
      expect([header, answer.status, answer.text, answer.headers['etag']]).toEqual([header, 304, '', tag]);
    }
    for (const header of ['"1-saved"', '"2-detail"', 'nonsense'])
      expect((await ask(header)).status).toBe(200);
    await service.ok('PATCH', `${path}/${id}`, { token, body: { ticket: { amount: 9 } } });
    expect((await ask(tag)).status).toBe(200);
    expect((await service.get(`${path}/999999`, { token, headers: { 'If-None-Match': '*' } })).status).toBe(
      404,
    );
  });

  it('412 for a write with If-None-Match: *, where the record is there', async () => {
    const token = await service.createUser();
    const { id } = await create(service, token);
    const headers = { 'If-None-Match': '*' };
    const body = { ticket: { amount: 3 } };
    for (const method of ['PATCH', 'PUT'] as const)
      expect((await service.request(method, `${path}/${id}`, { token, headers, body })).json.code).toBe(
        41200,
      );
    expect((await service.delete(`${path}/${id}`, { token, headers })).json.code).toBe(41200);
    const missing = await service.request('PATCH', `${path}/999999`, { token, headers, body });
    expect(missing.json.code).toBe(40400);
    expect((await service.get(`${path}/${id}`, { token })).headers['etag']).toBe('"1-detail"');
  });

  it('412 for a read with If-Match that does not name the current tag', async () => {
    const token = await service.createUser();
    const { id, tag } = await create(service, token);
    const ask = async (header: string, more = {}) =>
      (await service.get(`${path}/${id}`, { token, headers: { 'If-Match': header, ...more } })).status;
    for (const header of ['"1-detail"', '*', '"7-detail", "1-detail"']) expect(await ask(header)).toBe(200);
    for (const header of [tag, '"2-detail"', 'W/"1-detail"', 'nonsense']) expect(await ask(header)).toBe(412);
    expect(await ask('"1-detail"', { 'If-None-Match': '"1-detail"' })).toBe(304);
    expect(await ask('"2-detail"', { 'If-None-Match': '"1-detail"' })).toBe(412);
  });

  it('50 parallel updates without a tag are all written, one version each', async () => {
    const token = await service.createUser();
    const { id } = await create(service, token);
    const answers = await Promise.all(
      times(50, (amount) =>
        service.request('PATCH', `${path}/${id}`, { token, body: { ticket: { amount } } }),
      ),
    );
    expect(statusesOf(answers)).toEqual({ 200: 50 });
    expect(new Set(answers.map(({ headers }) => headers['etag'])).size).toBe(50);
    expect((await service.get(`${path}/${id}`, { token })).headers['etag']).toBe('"51-detail"');
  });

  it('50 parallel creates of one unique value make one row and 49 validation messages', async () => {
    const token = await service.createUser();
    const body = { ticket: { code: newCode() } };
    const answers = await Promise.all(times(50, () => service.post(path, { token, body })));
    expect(statusesOf(answers)).toEqual({ 201: 1, 422: 49 });
    const refused = answers.filter(({ status }) => status === 422);
    expect(new Set(refused.map(({ text }) => text)).size).toBe(1);
    expect(refused[0]?.data).toMatchObject({ errors: [{ field: 'code', rule: 'unique' }] });
  });
});

describeEachDatabase('Idempotency-Key', (databases) => {
  const service = useService(databases, { application });
  const count = async (token: TestUser, at: string, filter = ''): Promise<number> =>
    (await service.ok<unknown[]>('GET', `${at}${filter}`, { token })).length;

  describe.each([
    { what: 'a model with a unique field', at: path, body: () => ({ ticket: { code: newCode() } }) },
    { what: 'a model without one', at: '/api/v1/memos', body: () => ({ memo: { text: newCode() } }) },
  ])('on $what', ({ at, body: makeBody }) => {
    it('50 parallel requests with one key make one row and 50 equal answers, on two instances', async () => {
      const token = await service.createUser();
      const second = await service.secondInstance();
      const body = makeBody();
      const before = await count(token, at);
      const headers = { 'Idempotency-Key': newCode() };
      const answers = await Promise.all(
        times(50, (index) => (index % 2 === 0 ? service : second).post(at, { token, headers, body })),
      );
      expect(statusesOf(answers)).toEqual({ 201: 50 });
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(new Set(answers.map((answer) => answer.headers['etag']))).toEqual(new Set(['"1-saved"']));
      expect(await count(token, at)).toBe(before + 1);
    });

    it('another body under the same key is 409, also in parallel, and writes nothing', async () => {
      const token = await service.createUser();
      const headers = { 'Idempotency-Key': newCode() };
      const before = await count(token, at);
      const bodies = [makeBody(), makeBody()];
      const answers = await Promise.all(
        times(20, (index) => service.post(at, { token, headers, body: bodies[index % 2] })),
      );
      expect(statusesOf(answers)).toEqual({ 201: 10, 409: 10 });
      expect(answers.filter(({ status }) => status === 409).every(({ json }) => json.code === 40901)).toBe(
        true,
      );
      expect(await count(token, at)).toBe(before + 1);
    });
  });

  it('replays the first answer after the record was changed or deleted', async () => {
    const token = await service.createUser();
    const request = {
      token,
      headers: { 'Idempotency-Key': newCode() },
      body: { ticket: { code: newCode() } },
    };
    const first = await service.post<Ticket>(path, request);
    await service.ok('PATCH', `${path}/${first.data.id}`, { token, body: { ticket: { amount: 5 } } });
    expect((await service.post(path, request)).text).toBe(first.text);
    await service.ok('DELETE', `${path}/${first.data.id}`, { token });
    const again = await service.post(path, request);
    expect([again.status, again.text, again.headers['etag']]).toEqual([
      201,
      first.text,
      first.headers['etag'],
    ]);
    expect((await service.get(`${path}/${first.data.id}`, { token })).status).toBe(404);
  });

  it('keeps successes only: what was refused may be put right under the same key', async () => {
    const token = await service.createUser();
    const headers = { 'Idempotency-Key': newCode() };
    const code = newCode();
    const taken = await create(service, token, code);
    const refused = [{ ticket: {} }, { ticket: { code: newCode(), amount: -1 } }, { ticket: { code } }];
    for (const body of refused) expect((await service.post(path, { token, headers, body })).status).toBe(422);
    await service.ok('DELETE', `${path}/${taken.id}`, { token });
    expect((await service.post(path, { token, headers, body: { ticket: { code } } })).status).toBe(201);
  });

  it('an Idempotency-Key is the principal’s own: not another user’s, and the same by token and by key', async () => {
    const [one, other] = [await service.createUser(), await service.createUser()];
    const key = await service.createKey(one);
    const headers = { 'Idempotency-Key': newCode() };
    const body = { memo: { text: 'mine' } };
    const first = await service.post<Ticket>('/api/v1/memos', { token: one, headers, body });
    const theirs = await service.post<Ticket>('/api/v1/memos', { token: other, headers, body });
    expect([first.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.data.id).not.toBe(first.data.id);
    const signed = { ticket: { code: newCode() } };
    const byToken = await service.post<Ticket>(path, { token: one, headers, body: signed });
    const byKey = await service.post<Ticket>(path, { key: key.key, headers, body: signed });
    expect(byKey.text).toBe(byToken.text);
    expect(byToken.data.id).toEqual(expect.any(Number));
  });

  it('an Idempotency-Key is one for each path, and comes after authentication and the body’s form', async () => {
    const token = await service.createUser();
    const headers = { 'Idempotency-Key': newCode() };
    const body = { memo: { text: 'a' }, ticket: { code: newCode() } };
    const made = [
      await service.post(path, { token, headers, body }),
      await service.post('/api/v1/memos', { token, headers, body }),
    ];
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    expect((await service.post(path, { headers, body })).status).toBe(401);
    expect((await service.post(path, { token, headers, body: '{' })).status).toBe(400);
    for (const bad of ['', 'a b', 'x'.repeat(256), 'é'])
      expect((await service.post(path, { token, headers: { 'Idempotency-Key': bad }, body })).json.code).toBe(
        40006,
      );
  });

  it('forgets after 24 hours by the clock, and not before', async () => {
    const token = await service.createUser();
    const request = {
      token,
      headers: { 'Idempotency-Key': newCode() },
      body: { memo: { text: 'once a day' } },
    };
    const first = await service.post<Ticket>('/api/v1/memos', request);
    service.clock.advance(24 * 3600 - 60);
    const fresh = { ...request, token: await service.tokenOf(token.id) };
    expect((await service.post('/api/v1/memos', fresh)).text).toBe(first.text);
    service.clock.advance(120);
    const answers = await Promise.all(
      times(10, async () =>
        service.post<Ticket>('/api/v1/memos', { ...request, token: await service.tokenOf(token.id) }),
      ),
    );
    expect(statusesOf(answers)).toEqual({ 201: 10 });
    const ids = new Set(answers.map(({ data }) => data.id));
    expect(ids.size).toBe(1);
    expect(ids.has(first.data.id)).toBe(false);
    await service.server.services.idempotency.sweep();
    expect(
      (await service.post('/api/v1/memos', { ...request, token: await service.tokenOf(token.id) })).data,
    ).toMatchObject({ id: [...ids][0] });
    service.clock.reset();
  });

  it('asks the policy again: who lost the right is refused instead of answered', async () => {
    const token = await service.createUser();
    const request = { token, headers: { 'Idempotency-Key': newCode() }, body: { memo: { text: 'a' } } };
    expect((await service.post('/api/v1/memos', request)).status).toBe(201);
    const admin = await service.admin();
    await service.ok('PATCH', `/admin/users/${token.id}`, {
      token: admin,
      body: { user: { disabled: true } },
    });
    expect((await service.post('/api/v1/memos', request)).status).toBe(401);
  });

  it('survives a restart', async () => {
    await using first = await startService(databases, { application });
    const token = await first.createUser();
    const request = { token, headers: { 'Idempotency-Key': newCode() }, body: { memo: { text: 'a' } } };
    const answer = await first.post('/api/v1/memos', request);
    const second = await first.secondInstance();
    await first.server.close();
    expect((await second.post('/api/v1/memos', request)).text).toBe(answer.text);
  });
});
