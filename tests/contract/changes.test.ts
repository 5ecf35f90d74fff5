import { connect } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Query } from '../../src/database/database.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { join, literal, sql, statement } from '../../src/database/statement.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { equals, member } from '../../src/model/row-rule.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type EventStream, openStream } from '../support/event-stream.ts';
import { type Service, type TestUser, useService } from '../support/service.ts';

const noteFields = { text: field.string({ required: true, max: 20 }), user_id: field.owner() };
const taskFields = { title: field.string({ required: true, max: 20 }), hidden: field.string({ max: 20 }) };
const openFields = {
  name: field.string({ required: true, max: 20 }),
  shown: field.boolean({ default: true }),
};
const plainFields = { name: field.string({ required: true, max: 20 }) };
const seatFields = { team: field.reference('Plain', { required: true }), user_id: field.owner() };
const teamFields = {
  title: field.string({ required: true, max: 20 }),
  team: field.reference('Plain', { required: true }),
};

/** Own rows by its owner. */
const note = defineResource('Note', {
  fields: noteFields,
  ownership: true,
  auth: ['jwt', 'api_key'],
  isolation: true,
  events: true,
});
/** Rows of every permitted caller. */
const task = defineResource('Task', {
  fields: taskFields,
  views: { detail: ['id', 'title'] },
  auth: ['jwt', 'api_key'],
  permissions: 'all',
  events: true,
});
const sheet = defineResource('Sheet', {
  fields: teamFields,
  auth: ['jwt', 'api_key'],
  isolation: member('team_id', { of: 'Seat' }),
  events: true,
});
const open = defineResource('Open', {
  fields: openFields,
  plural: 'opens',
  auth: ['jwt', 'api_key'],
  isolation: equals('shown', true),
  events: true,
});
const plain = defineResource('Plain', { fields: plainFields });
const seat = defineResource('Seat', { fields: seatFields });

const migrations: Migrations = {
  '0001_changes': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'plains', { fields: plainFields });
      await createTable(db, dialect, 'seats', {
        fields: seatFields,
        references: { team: 'plains' },
        indexes: [['user_id', 'team_id']],
      });
      await createTable(db, dialect, 'notes', { fields: noteFields });
      await createTable(db, dialect, 'tasks', { fields: taskFields });
      await createTable(db, dialect, 'sheets', { fields: teamFields, references: { team: 'plains' } });
      await createTable(db, dialect, 'opens', { fields: openFields, indexes: [['shown']] });
    },
  },
};

const application = { resources: [plain, seat, note, task, sheet, open], migrations };

const bearer = ({ token }: { readonly token: string }) => ({ authorization: `Bearer ${token}` });

describeEachDatabase('changes', (databases) => {
  const service = useService(databases, { application });
  const streams: EventStream[] = [];
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
    service.clock.reset();
  });

  const follow = async (
    headers: Readonly<Record<string, string>>,
    {
      models = 'Open',
      path = '/api/v1/changes',
      after,
      of = service,
    }: {
      models?: string;
      path?: string;
      after?: number | string | undefined;
      of?: Service;
    } = {},
  ): Promise<EventStream> => {
    const resumed = after === undefined ? {} : { 'last-event-id': String(after) };
    const stream = await openStream(`${of.origin}${path}?models=${models}`, { ...headers, ...resumed });
    streams.push(stream);
    return stream;
  };
  const create = async (path: string, values: object): Promise<number> => {
    const body = { [path.slice(0, -1)]: values };
    return (
      await service.ok<{ id: number }>('POST', `/admin/records/${path}`, {
        token: await service.admin(),
        body,
      })
    ).id;
  };
  const change = async (path: string, id: number, values: object): Promise<unknown> =>
    service.ok('PATCH', `/admin/records/${path}/${id}`, {
      token: await service.admin(),
      body: { [path.slice(0, -1)]: values },
    });
  const names = ({ events }: EventStream) => events.map(({ model, id, action }) => [model, id, action]);

  /** Writes events of a record past the service, as many as a day may leave. */
  const pour = async (record: number, count: number): Promise<void> => {
    const { database } = service.server.services;
    const { dialect } = database;
    const values = join([
      ...[literal('Open'), literal(record), literal(2), literal('update')],
      dialect.cast(literal(new Date().toISOString()), 'timestamp'),
      ...[literal('nobody'), dialect.cast(literal('[]'), 'json')],
    ]);
    const insert = statement(
      dialect,
      () => sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${literal(count)})
        insert into gatewright_events (model, record_id, version, action, at, actor_kind, fields) select ${values} from n`,
    );
    await database.write((transaction) => transaction.run(insert({})));
  };

  /** Most reads of the log that one turn of the event loop saw meanwhile. */
  const readsInATurn = async (work: () => Promise<unknown>): Promise<number> => {
    const { events } = service.server.services;
    const after = events.after.bind(events);
    let [reads, most] = [0, 0];
    const spied = vi.spyOn(events, 'after').mockImplementation((...place) => {
      reads += 1;
      most = Math.max(most, reads);
      return after(...place);
    });
    let counting = setImmediate(function count() {
      reads = 0;
      counting = setImmediate(count);
    });
    try {
      await work();
      expect(spied.mock.calls.length).toBeGreaterThan(10);
      return most;
    } finally {
      clearImmediate(counting);
      spied.mockRestore();
    }
  };

  /** Four of streams, some of webhooks; sixty where nothing gave requests their turn. */
  const mostReads = 8;
  const poured = 6_000;

  it('leaves requests their turn, however much there is to read', async () => {
    const ann = await service.createUser();
    const id = await create('opens', { name: 'a' });
    const head = await follow(bearer(ann));
    const begun = head.place();
    const webhook = { url: 'https://example.com/', models: ['Task'], user_id: ann.id };
    await service.ok('POST', '/admin/webhooks', { token: await service.admin(), body: { webhook } });
    const atHead = async (): Promise<void> => {
      await pour(id, poured);
      await change('opens', id, { name: 'b' });
      await head.until(poured + 1, 60_000);
    };
    expect(await readsInATurn(atHead)).toBeLessThanOrEqual(mostReads);
    const behind = async (): Promise<void> => {
      await (await follow(bearer(ann), { after: begun })).until(poured + 1, 60_000);
    };
    expect(await readsInATurn(behind)).toBeLessThanOrEqual(mostReads);
    const forWebhook = async (): Promise<void> => {
      await pour(id, poured);
      // The log is read again after a signal, which follows the write in the next turn of the event loop.
      await change('opens', id, { name: 'c' });
      await nextTurn();
      await service.server.services.webhooks.look();
    };
    expect(await readsInATurn(forWebhook)).toBeLessThanOrEqual(mostReads);
  }, 180_000);

  it('tells what happens, from the moment on at which it begins', async () => {
    const ann = await service.createUser();
    await create('opens', { name: 'before' });
    const stream = await follow(bearer(ann));
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(stream.headers['content-encoding']).toBeUndefined();
    const id = await create('opens', { name: 'a' });
    await change('opens', id, { name: 'b' });
    // The stream reports only the deletion of a deleted record.
    await stream.until(2);
    await service.ok('DELETE', `/admin/records/opens/${id}`, { token: await service.admin() });
    const [first, second, third] = await stream.until(3);
    expect(first).toEqual({
      number: expect.any(Number),
      model: 'Open',
      id,
      action: 'create',
      at: expect.stringMatching(/Z$/),
      actor: { kind: 'user', id: null, name: null, key: null, reason: null },
      version: 1,
      fields: ['name', 'shown'],
    });
    expect([second?.action, second?.fields, third?.action]).toEqual(['update', ['name'], 'destroy']);
    expect(stream.text()).toMatch(
      new RegExp(`^retry: \\d+\\nid: \\d+\\n\\nid: ${first?.number}\\ndata: \\{"number":${first?.number},`),
    );
    expect(stream.text()).not.toContain('event:');
    const { status, headers } = stream;
    const path = '/api/v1/changes?models=Open';
    await service.demandDescribed({ method: 'GET', path, status, headers, text: stream.text() });
  });

  it('goes on behind the event that was sent last, without a gap or a repetition', async () => {
    const ann = await service.createUser();
    const first = await follow(bearer(ann));
    await first.settled(() => first.place() !== undefined);
    const begun = first.place();
    const ids = [];
    for (const name of ['a', 'b', 'c']) ids.push(await create('opens', { name }));
    await first.until(3);
    first.close();
    ids.push(await create('opens', { name: 'd' }));
    const resumed = await follow(bearer(ann), { after: first.events[1]?.number });
    const all = await follow(bearer(ann), { after: begun });
    ids.push(await create('opens', { name: 'e' }));
    await resumed.until(3);
    await all.until(5);
    expect(resumed.events.map(({ id }) => id)).toEqual(ids.slice(2));
    expect(all.events.map(({ id }) => id)).toEqual(ids);
    expect([...first.events.slice(0, 2), ...resumed.events]).toEqual(all.events);
  });

  it('reads on where there is more than one part of the log behind its place', async () => {
    const ann = await service.createUser();
    const { last } = await service.server.services.events.range();
    const admin = await service.admin();
    for (let round = 0; round < 3; round += 1)
      await service.ok('POST', '/admin/records/opens/batch', {
        token: admin,
        body: {
          create: Array.from({ length: 250 }, (_, index) => ({
            name: `${round}-${index}`,
            shown: index % 2 === 0,
          })),
        },
      });
    const stream = await follow(bearer(ann), { after: last });
    const { id } = await service.ok<{ id: number }>('POST', '/admin/records/opens', {
      token: admin,
      body: { open: { name: 'last' } },
    });
    await stream.settled(() => stream.events.at(-1)?.id === id);
    expect(stream.events).toHaveLength(376);
    const numbers = stream.events.map(({ number }) => number);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  });

  it.each([
    ['no models', '', 400, 'invalid_parameter'],
    ['an empty list', '?models=', 400, 'invalid_parameter'],
    ['an unknown model', '?models=Open,Nothing', 400, 'invalid_parameter'],
    ['a model without events', '?models=Plain', 400, 'invalid_parameter'],
    ['models twice', '?models=Open&models=Note', 400, 'invalid_parameter'],
    ['another parameter', '?models=Open&after=5', 400, 'invalid_parameter'],
    ['a model that the caller may not read at all', '?models=Task', 403, 'forbidden'],
  ])('the stream of changes refuses %s', async (_, query, status) => {
    const answer = await service.get(`/api/v1/changes${query}`, { token: await service.createUser() });
    expect([answer.status, answer.json.code]).toEqual([status, status === 400 ? 40006 : 40300]);
  });

  it('refuses a number that is none, that was never given, and behind which not everything is kept', async () => {
    const ann = await service.createUser();
    const log = service.server.services.events;
    await create('opens', { name: 'a' });
    await create('opens', { name: 'b' });
    await log.settle();
    const { first, last } = await log.range();
    const asked = async (after: string) => {
      const answer = await service.get('/api/v1/changes?models=Open', {
        token: ann,
        headers: { 'last-event-id': after },
      });
      return [answer.status, answer.json.code];
    };
    for (const bad of ['x', '-1', '1.5', '01', '1e3', '99999999999999999'])
      expect(await asked(bad)).toEqual([400, 40006]);
    expect(await asked(String(last + 1))).toEqual([410, 41000]);
    expect(await asked(String(Number.MAX_SAFE_INTEGER).slice(0, 15))).toEqual([410, 41000]);
    await log.purge(Date.now() + 60_000, async () => {});
    expect(await log.range()).toEqual({ first: last, last });
    if (first < last - 1) expect(await asked(String(first))).toEqual([410, 41000]);
    expect(await asked(String(Math.max(0, last - 2)))).toEqual([410, 41000]);
    const stream = await follow(bearer(ann), { after: last });
    const id = await create('opens', { name: 'c' });
    expect((await stream.until(1)).map((event) => event.id)).toEqual([id]);
  });

  it('asks who it is: a token, a key, nothing else', async () => {
    const ann = await service.createUser();
    const { key } = await service.createKey(ann);
    const byKey = await follow({ 'x-api-key': key });
    expect(byKey.status).toBe(200);
    for (const headers of [
      {},
      { authorization: 'Bearer nonsense' },
      { cookie: await service.signIn(await service.admin()) },
    ])
      expect((await follow(headers)).status).toBe(401);
  });

  it('tells each caller what they may read then, and what they read of it', async () => {
    const [ann, ben] = [await service.createUser(), await service.createUser()];
    const team = await create('plains', { name: 't' });
    const place = await create('seats', { team_id: team, user_id: ann.id });
    const models = 'Note,Sheet,Open';
    const [ofAnn, ofBen] = [await follow(bearer(ann), { models }), await follow(bearer(ben), { models })];
    const ofAdmin = await follow(bearer(await service.admin()), { models });
    const writeNote = async (token: TestUser): Promise<number> =>
      (await service.ok<{ id: number }>('POST', '/api/v1/notes', { token, body: { note: { text: 'a' } } }))
        .id;
    const [own, bens] = [await writeNote(ann), await writeNote(ben)];
    const written = await create('sheets', { title: 's', team_id: team });
    const last = await create('opens', { name: 'end' });
    await Promise.all([ofAnn.until(3), ofBen.until(2), ofAdmin.until(4)]);
    expect(names(ofAnn)).toEqual([
      ['Note', own, 'create'],
      ['Sheet', written, 'create'],
      ['Open', last, 'create'],
    ]);
    expect(names(ofBen)).toEqual([
      ['Note', bens, 'create'],
      ['Open', last, 'create'],
    ]);
    await service.ok('DELETE', `/admin/records/seats/${place}`, { token: await service.admin() });
    await change('sheets', written, { title: 't' });
    const end = await create('opens', { name: 'end' });
    await ofAnn.settled(() => ofAnn.events.at(-1)?.id === end);
    expect(ofAnn.events).toHaveLength(4);
  });

  it('asks about few records where many follow their own, and tells each of theirs, of deletions as well', async () => {
    const users: TestUser[] = [];
    for (let index = 0; index < 20; index += 1) users.push(await service.createUser());
    const followed = await Promise.all(
      users.map(async (user) => ({ user, stream: await follow(bearer(user), { models: 'Note,Open' }) })),
    );
    const { database } = service.server.services;
    const asked = vi.spyOn(database, 'all');
    onTestFinished(() => asked.mockRestore());
    const admin = await service.admin();
    const ids: number[] = [];
    for (const user of users.slice(0, 3)) {
      const body = { note: { text: 'a' } };
      ids.push((await service.ok<{ id: number }>('POST', '/api/v1/notes', { token: user, body })).id);
    }
    await Promise.all(followed.slice(0, 3).map(({ stream }) => stream.until(1)));
    await service.ok('DELETE', `/admin/records/notes/${ids[0]}`, { token: admin });
    await followed[0]?.stream.until(2);
    const end = await create('opens', { name: 'end' });
    await Promise.all(followed.map(({ stream }) => stream.settled(() => stream.events.at(-1)?.id === end)));
    expect(
      followed.map(({ stream }) => stream.events.map(({ model, action }) => `${model} ${action}`)),
    ).toEqual([
      ['Note create', 'Note destroy', 'Open create'],
      ...[1, 2].map(() => ['Note create', 'Open create']),
      ...users.slice(3).map(() => ['Open create']),
    ]);
    const ofNotes = asked.mock.calls.filter(([{ sql }]) => /from "notes"/.test(sql));
    // Each batch asks once for its first event, its records, and their owners.
    expect(ofNotes.length).toBeLessThan(12);
  });

  it('the stream of changes is followed in the administration area by its session and its rules', async () => {
    const admin = await service.admin();
    const cookie = await service.signIn(admin);
    const viewer = await service.createUser();
    const path = '/admin/changes';
    const stream = await follow({ cookie }, { models: 'Task,Note', path });
    expect(stream.status).toBe(200);
    const id = await create('tasks', { title: 'a', hidden: 'h' });
    expect((await stream.until(1))[0]).toMatchObject({ model: 'Task', id, fields: ['title', 'hidden'] });
    expect((await follow({}, { path })).status).toBe(401);
    expect((await follow(bearer(viewer), { path })).status).toBe(403);
    expect((await follow(bearer(admin), { path })).status).toBe(200);
  });

  it('answers HEAD with the headers, and a client of HTTP/1.0', async () => {
    const ann = await service.createUser();
    const head = await openStream(`${service.origin}/api/v1/changes?models=Open`, bearer(ann), {
      method: 'HEAD',
    });
    expect([head.status, head.headers['content-type']]).toEqual([200, 'text/event-stream']);
    await head.ended;
    expect(service.server.services.changes.size).toBe(0);
    const socket = connect(service.port, '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8').on('data', (piece) => {
      text += String(piece);
    });
    socket.write(`GET /api/v1/changes?models=Open HTTP/1.0\r\nAuthorization: Bearer ${ann.token}\r\n\r\n`);
    await expect.poll(() => text).toContain('retry: ');
    const id = await create('opens', { name: 'old' });
    await expect.poll(() => text).toContain(`"id":${id},`);
    expect(text).toMatch(/^HTTP\/1\.1 200 .*connection: close/is);
    expect(text).not.toMatch(/chunked/i);
    socket.destroy();
    await expect.poll(() => service.server.services.changes.size).toBe(0);
  });

  describe('access that is withdrawn ends it within five seconds', () => {
    const withdrawals: Record<string, (user: TestUser, key: { id: number }) => Promise<unknown>> = {
      'by a user who is disabled': async ({ id }) =>
        service.ok('PATCH', `/admin/users/${id}`, {
          token: await service.admin(),
          body: { user: { disabled: true } },
        }),
      'by a user who has to change the password': async ({ id }) =>
        service.ok('PATCH', `/admin/users/${id}`, {
          token: await service.admin(),
          body: { user: { must_change_password: true } },
        }),
      'by a key that is deleted': async (user, { id }) =>
        service.ok('DELETE', `/api/v1/api_keys/${id}`, { token: user }),
    };
    it.each(Object.keys(withdrawals))(
      'the stream of changes ends within five seconds %s',
      async (name) => {
        const user = await service.createUser();
        const key = await service.createKey(user);
        const stream = await follow({ 'x-api-key': key.key });
        expect(stream.status).toBe(200);
        const begun = performance.now();
        await withdrawals[name]?.(user, key);
        await stream.ended;
        expect(performance.now() - begun).toBeLessThan(5_500);
      },
      15_000,
    );

    it('the stream of changes ends when a token, a key or a session runs out', async () => {
      const user = await service.createUser();
      const admin = await service.admin();
      const soon = new Date(service.clock.now() + 3_600_000).toISOString();
      const key = await service.ok<{ key: string }>('POST', '/api/v1/api_keys', {
        token: user,
        body: { api_key: { name: 'k', expires_at: soon } },
      });
      const cookie = await service.signIn(admin);
      const opened = await Promise.all([
        follow({ 'x-api-key': key.key }),
        follow(bearer(user)),
        follow({ cookie }, { path: '/admin/changes' }),
      ]);
      expect(opened.map(({ status }) => status)).toEqual([200, 200, 200]);
      service.clock.advance(25 * 3_600);
      const begun = performance.now();
      await Promise.all(opened.map(({ ended }) => ended));
      expect(performance.now() - begun).toBeLessThan(5_500);
    }, 15_000);

    it('a permission of one model of several that is taken away silences that model in the stream only', async () => {
      const role = `r${performance.now()}`.replace('.', '');
      const admin = await service.admin();
      await service.ok('POST', '/admin/roles', { token: admin, body: { role: { name: role } } });
      const entry = (method: string) =>
        service.ok(method, `/admin/permissions/${role}/Task/read`, { token: admin });
      await entry('PUT');
      const user = await service.createUser([role]);
      const both = await follow(bearer(user), { models: 'Task,Open' });
      const one = await follow(bearer(user), { models: 'Task' });
      expect([both.status, one.status]).toEqual([200, 200]);
      await create('tasks', { title: 'a' });
      await both.until(1);
      await one.until(1);
      await entry('DELETE');
      await one.ended;
      await create('tasks', { title: 'b' });
      const id = await create('opens', { name: 'x' });
      await both.settled(() => both.events.some(({ model, id: other }) => model === 'Open' && other === id));
      expect(both.events.map(({ model }) => model)).toEqual(['Task', 'Open']);
    }, 15_000);
  });

  it('goes on where it was when the database was away, which ends no stream', async () => {
    const stream = await follow(bearer(await service.createUser()));
    await stream.settled(() => stream.place() !== undefined);
    const { database } = service.server.services;
    let failures = 0;
    // Only statements of streams fail: the watch over the database would else say that it is gone for good.
    const asked = (['get', 'all', 'execute'] as const).map((name) => {
      const original = database[name].bind(database) as (query: Query) => Promise<never>;
      return vi.spyOn(database, name).mockImplementation((query: Query) => {
        if (!isAway || !/from users u|gatewright_event/.test(query.sql)) return original(query);
        failures += 1;
        return Promise.reject(new Error('away'));
      });
    });
    let isAway = false;
    onTestFinished(() => {
      for (const spy of asked) spy.mockRestore();
    });
    const system = service.server.services.systemScope('a test');
    const first = await system.records('Open').create({ name: 'a' });
    await stream.until(1);
    isAway = true;
    service.server.services.eventSignal.onCommit();
    const began = performance.now();
    await expect.poll(() => failures, { timeout: 15_000 }).toBeGreaterThan(4);
    // Twice a second, for the log and for the credentials.
    expect(failures).toBeLessThan(8 * ((performance.now() - began) / 1_000 + 1));
    isAway = false;
    const second = await system.records('Open').create({ name: 'b' });
    expect((await stream.until(2)).map(({ id }) => id)).toEqual([first['id'], second['id']]);
    expect(service.lines.some((line) => line.includes('events could not be streamed'))).toBe(true);
  }, 20_000);

  it('counts looks at credentials as no use of them', async () => {
    const user = await service.createUser();
    const { key, id } = await service.createKey(user);
    const stream = await follow({ 'x-api-key': key });
    const uses: number[] = [];
    expect(stream.status).toBe(200);
    service.clock.advance(60);
    await delay(4_200);
    await service.ok('GET', '/api/v1/auth/me', { token: user });
    const listed = await service.ok<{ id: number; last_used_at: string | null }[]>(
      'GET',
      '/api/v1/api_keys',
      { token: user },
    );
    const used = listed.find((each) => each.id === id)?.last_used_at;
    uses.push(used === null || used === undefined ? 0 : Date.parse(used));
    expect(uses[0]).toBeLessThan(service.clock.now() - 30_000);
  }, 15_000);

  it('the stream of changes has a limit for a caller', async () => {
    const user = await service.createUser();
    const all = await Promise.all(Array.from({ length: 100 }, () => follow(bearer(user))));
    expect(all.every(({ status }) => status === 200)).toBe(true);
    const answer = await service.get('/api/v1/changes?models=Open', { token: user });
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '5']);
    all[0]?.close();
    await expect.poll(() => service.server.services.changes.size).toBe(99);
    expect((await follow(bearer(user))).status).toBe(200);
  });
});
