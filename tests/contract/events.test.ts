import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { viewEvents } from '../../src/delivery/events/event-view.ts';
import { field } from '../../src/fields/define.ts';
import type { RecordedEvent } from '../../src/ledger/event-log.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { equals, member, via } from '../../src/model/row-rule.ts';
import { apiArea } from '../../src/resources/area.ts';
import { relatedFor } from '../../src/resources/operations/area.ts';
import { forgetRecord } from '../../src/upkeep/forget.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

const teamFields = { name: field.string({ required: true, max: 20 }) };
const seatFields = {
  team: field.reference('Team', { required: true, onDelete: 'cascade' }),
  user_id: field.owner(),
};
const orderFields = {
  title: field.string({ required: true, max: 20 }),
  price: field.decimal({ scale: 2 }),
  secret: field.string({ max: 20 }),
  team: field.reference('Team', { onDelete: 'null' }),
};
const lineFields = {
  order: field.reference('Order', { required: true, onDelete: 'cascade' }),
  number: field.integer({ required: true }),
};
const noteFields = {
  text: field.string({ required: true, max: 20 }),
  public: field.boolean({ default: false }),
};

/** The change of the hook to an order of this title while it is written. */
const marked = 'marked';

const team = defineResource('Team', { fields: teamFields });
const seat = defineResource('Seat', { fields: seatFields });
const order = defineResource('Order', {
  fields: orderFields,
  views: { detail: ['id', 'title', 'price', 'team_id'] },
  auth: ['jwt', 'api_key'],
  isolation: member('team_id', { of: 'Seat' }),
  events: true,
  hooks: {
    beforeCommit: async ({ action, id, after, records, addError }) => {
      if (action === 'create' && after?.title === marked)
        await records('Order').update(id, { title: 'by hook' });
      if (after?.title === 'never') addError('title', 'Never');
    },
  },
});
const line = defineResource('Line', {
  fields: lineFields,
  isolation: via('order', member('team_id', { of: 'Seat' })),
  events: true,
});
const note = defineResource('Note', { fields: noteFields, isolation: equals('public', true), events: true });
const quiet = defineResource('Quiet', { fields: teamFields, plural: 'quiets' });

const migrations: Migrations = {
  '0001_orders': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'teams', { fields: teamFields });
      await createTable(db, dialect, 'seats', { fields: seatFields, references: { team: 'teams' } });
      await createTable(db, dialect, 'orders', { fields: orderFields, references: { team: 'teams' } });
      await createTable(db, dialect, 'lines', { fields: lineFields, references: { order: 'orders' } });
      await createTable(db, dialect, 'notes', { fields: noteFields });
      await createTable(db, dialect, 'quiets', { fields: teamFields });
    },
  },
};

type Said = readonly [string, number, string, number, readonly string[]];

describeEachDatabase('events', (databases) => {
  const service = useService(databases, {
    application: { resources: [team, seat, order, line, note, quiet], migrations },
  });

  const log = () => service.server.services.events;
  const place = async (): Promise<number> => {
    await log().settle();
    return (await log().range()).last;
  };
  /** The events behind a place. */
  const since = async (number: number): Promise<readonly RecordedEvent[]> => {
    await log().settle();
    return log().after(number, 1_000);
  };
  const said = (events: readonly RecordedEvent[]): readonly Said[] =>
    events.map(({ model, record, action, version, fields }) => [
      model,
      Number(record),
      action,
      version,
      fields,
    ]);
  /** The events as a user with a token receives them now. */
  const receivedBy = ({ id, username }: TestUser, events: readonly RecordedEvent[]) => {
    const { resources } = service.server.services;
    const models = new Map([...resources].map(([name, { model }]) => [name, model]));
    const user = { kind: 'user', id, username, email: '', name: '', roles: ['user'], granted: [] } as const;
    const principal = { ...user, mustChangePassword: false, secondFactor: 'none', method: 'jwt' } as const;
    const related = relatedFor({ models }, { principal, area: apiArea });
    return viewEvents(resources, { principal, related }, events);
  };

  const write = async <T = { id: number }>(
    by: TestUser,
    method: 'POST' | 'PATCH',
    path: string,
    body: object,
  ) => service.ok<T>(method, path, { token: by, body });
  const destroy = (by: TestUser, path: string) => service.ok('DELETE', path, { token: by });

  /** A team in which the users sit, and an order of it with two lines. */
  const world = async (...users: readonly TestUser[]) => {
    const admin = await service.admin();
    const { id: teamId } = await write(admin, 'POST', '/admin/records/teams', { team: { name: 't' } });
    const seats: number[] = [];
    for (const { id } of users) {
      const body = { seat: { team_id: teamId, user_id: id } };
      seats.push((await write(admin, 'POST', '/admin/records/seats', body)).id);
    }
    const begun = await place();
    const { id: orderId } = await write(admin, 'POST', '/admin/records/orders', {
      order: { title: 'one', team_id: teamId, secret: 's' },
    });
    const lines: number[] = [];
    for (const number of [1, 2]) {
      const body = { line: { order_id: orderId, number } };
      lines.push((await write(admin, 'POST', '/admin/records/lines', body)).id);
    }
    return { admin, teamId, seats, begun, orderId, lines };
  };

  it('leaves one of each write, with the fields that became others and with who did it', async () => {
    const ann = await service.createUser();
    const { admin, begun, orderId, lines } = await world(ann);
    const path = `/admin/records/orders/${orderId}`;
    await write(admin, 'PATCH', path, { order: { title: 'one', price: '2.50' } });
    await write(admin, 'PATCH', path, { order: { title: 'one' } });
    const { id: keyId, key } = await service.createKey(ann);
    await service.ok('PATCH', `/api/v1/orders/${orderId}`, { key, body: { order: { title: 'two' } } });
    await destroy(admin, `/admin/records/lines/${lines[0]}`);
    const events = await since(begun);
    expect(said(events)).toEqual([
      ['Order', orderId, 'create', 1, ['title', 'secret', 'team_id']],
      ['Line', lines[0], 'create', 1, ['order_id', 'number']],
      ['Line', lines[1], 'create', 1, ['order_id', 'number']],
      ['Order', orderId, 'update', 2, ['price']],
      ['Order', orderId, 'update', 3, []],
      ['Order', orderId, 'update', 4, ['title']],
      ['Line', lines[0], 'destroy', 2, []],
    ]);
    const numbers = events.map(({ number }) => number);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    const user = { kind: 'user', id: String(ann.id), name: ann.username, reason: null };
    expect(events[5]?.actor).toEqual({ ...user, key: keyId });
    expect(events[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('takes no transaction for a new record where the database writes both in one statement', async () => {
    using _first = service.askFirstWorker();
    const admin = await service.admin();
    const { database } = service.server.services;
    const written = vi.spyOn(database, 'write');
    await write(admin, 'POST', '/admin/records/notes', { note: { text: 'a' } });
    const ofNotes = written.mock.calls.filter(([, options]) => options?.table === 'notes');
    expect(ofNotes).toHaveLength(database.dialect.writeWithCte === undefined ? 1 : 0);
    written.mockRestore();
  });

  it('leaves one by every way of writing, and none of what was undone', async () => {
    const { admin, begun, orderId, teamId } = await world();
    const before = await place();
    await write(admin, 'POST', '/admin/records/orders', { order: { title: marked } });
    const refused = await service.request('POST', '/admin/records/orders', {
      token: admin,
      body: { order: { title: 'never' } },
    });
    expect(refused.status).toBe(422);
    await write(admin, 'POST', '/admin/records/notes/batch', { create: [{ text: 'a' }, { text: 'b' }] });
    const system = service.server.services.systemScope('a test');
    await expect(
      system.transaction(async (scope) => {
        await scope.records('Note').create({ text: 'undone' });
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await system.records('Note').create({ text: 'code' });
    await write(admin, 'POST', '/admin/records/quiets', { quiet: { name: 'x' } });
    expect(said(await since(before)).map(([model, , action, version]) => [model, action, version])).toEqual([
      ['Order', 'create', 1],
      ['Order', 'update', 2],
      ['Note', 'create', 1],
      ['Note', 'create', 1],
      ['Note', 'create', 1],
    ]);
    const [, , , byCode] = (await since(before)).slice(1);
    expect(byCode?.actor).toEqual({ kind: 'system', id: null, name: null, key: null, reason: 'a test' });
    const cascade = await place();
    await destroy(admin, `/admin/records/teams/${teamId}`);
    await destroy(admin, `/admin/records/orders/${orderId}`);
    expect(said(await since(cascade)).map(([model, , action, , fields]) => [model, action, fields])).toEqual([
      ['Order', 'update', ['team_id']],
      ['Order', 'destroy', []],
      ['Line', 'destroy', []],
      ['Line', 'destroy', []],
    ]);
    expect(begun).toBeLessThan(cascade);
  });

  it('reaches users who may read the record now, with the fields that they read', async () => {
    const [ann, ben] = [await service.createUser(), await service.createUser()];
    const { admin, begun, orderId, seats } = await world(ann);
    await write(admin, 'PATCH', `/admin/records/orders/${orderId}`, { order: { title: 'b', secret: 'x' } });
    const { id: noteId } = await write(admin, 'POST', '/admin/records/notes', { note: { text: 'a' } });
    const events = await since(begun);
    const received = await receivedBy(ann, events);
    expect(received.map(({ model, action, fields }) => [model, action, fields])).toEqual([
      ['Order', 'create', ['title', 'team_id']],
      ['Line', 'create', ['order_id', 'number']],
      ['Line', 'create', ['order_id', 'number']],
      ['Order', 'update', ['title']],
    ]);
    expect(received.every(({ model, id }) => model !== 'Order' || id === orderId)).toBe(true);
    expect(await receivedBy(ben, events)).toEqual([]);
    await destroy(admin, `/admin/records/seats/${seats[0]}`);
    expect(await receivedBy(ann, events)).toEqual([]);
    await write(admin, 'PATCH', `/admin/records/notes/${noteId}`, { note: { public: true } });
    // Its origin is none of ben's business; that it came within his reach is, without what it was before.
    expect(await receivedBy(ben, events)).toEqual([]);
    const shared = await receivedBy(ben, await since(begun));
    expect(shared.map(({ id, action, fields }) => [id, action, fields])).toEqual([
      [noteId, 'update', ['text', 'public']],
    ]);
  });

  it('tells of what is gone those who could read it before, also where what it hung on went along', async () => {
    const [ann, ben] = [await service.createUser(), await service.createUser()];
    const { admin, orderId, lines } = await world(ann);
    const { id: noteId } = await write(admin, 'POST', '/admin/records/notes', { note: { text: 'a' } });
    const begun = await place();
    await destroy(admin, `/admin/records/orders/${orderId}`);
    await destroy(admin, `/admin/records/notes/${noteId}`);
    const events = await since(begun);
    expect(events.map(({ model }) => model)).toEqual(['Order', 'Line', 'Line', 'Note']);
    const received = await receivedBy(ann, events);
    expect(received.map(({ model, id, action, fields }) => [model, id, action, fields])).toEqual([
      ['Order', orderId, 'destroy', []],
      ['Line', lines[0], 'destroy', []],
      ['Line', lines[1], 'destroy', []],
    ]);
    expect(await receivedBy(ben, events)).toEqual([]);
    const actor = { principal: 'command line', address: null } as const;
    const forgotten = await forgetRecord(
      service.server.services.database,
      { model: 'Order', id: orderId },
      Date.now(),
      actor,
    );
    expect(forgotten).toEqual({ versions: 0, events: 2, deliveries: 0, trash: 0 });
    const left = await receivedBy(ann, await since(begun));
    expect(left.map(({ model }) => model)).toEqual(['Line', 'Line']);
  });

  it('an event is numbered in the order of commits: a reader who has seen a number has seen all below', async () => {
    const { admin } = await world();
    const system = service.server.services.systemScope('a test');
    const begun = await place();
    const { id } = await write(admin, 'POST', '/admin/records/notes', { note: { text: 'shared' } });
    const seen: RecordedEvent[] = [];
    let writing = true;
    const read = async (): Promise<void> => {
      let number = begun;
      const look = async (): Promise<void> => {
        await turn();
        await log().settle();
        const found = await log().after(number, 100);
        seen.push(...found);
        number = found.at(-1)?.number ?? number;
      };
      while (writing) await look();
      await look();
    };
    const writer = async (name: string): Promise<void> => {
      for (let round = 0; round < 15; round += 1)
        await system.transaction(async (scope) => {
          const first = await scope.records('Note').create({ text: `${name} ${round}` });
          if (round % 3 === 0) await scope.records('Note').update(id, { text: `${name} ${round}` });
          await scope.records('Note').update(first.id, { text: `${name} ${round}!` });
        });
    };
    const reading = read();
    await Promise.all(['a', 'b', 'c', 'd'].map(writer));
    writing = false;
    await reading;
    expect(seen).toHaveLength(1 + 4 * (30 + 5));
    expect(seen.map(({ number }) => number)).toEqual((await since(begun)).map(({ number }) => number));
    for (const events of Map.groupBy(seen, ({ record }) => record).values())
      expect(events.map(({ version }) => version)).toEqual(events.map((_, index) => index + 1));
  });

  it('an event is removed after 30 days, in steps', async () => {
    const { admin } = await world();
    await write(admin, 'POST', '/admin/records/notes/batch', {
      create: Array.from({ length: 1_000 }, () => ({ text: 'x' })),
    });
    await write(admin, 'POST', '/admin/records/notes', { note: { text: 'x' } });
    const last = await place();
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses += 1;
    };
    expect(await log().purge(Date.now() - 30 * 86_400_000, pause)).toBe(0);
    expect(await log().purge(Date.now() + 60_000, pause)).toBeGreaterThan(1_000);
    expect(pauses).toBeGreaterThan(0);
    // The newest one stays: its receivers are known for good.
    expect(await log().range()).toEqual({ first: last, last });
    await write(admin, 'POST', '/admin/records/notes', { note: { text: 'later' } });
    expect(await place()).toBeGreaterThan(last);
  });
});
