import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import type { Query } from '../../../src/database/database.ts';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { anyOf, equals, member, own, via } from '../../../src/model/row-rule.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { openStream } from '../../support/event-stream.ts';
import { startReceiver } from '../../support/receiver.ts';
import { type TestUser, useService } from '../../support/service.ts';

/** Actors whom a membership names: its readers see its user in records of the same tenant, and in no others. */

const clinic = field.reference('Clinic', { required: true, onDelete: 'cascade' });
const note = field.string({ max: 20 });
const fields = {
  clinic: { name: field.string({ max: 20 }) },
  seat: {
    clinic,
    role: field.enum(['reception', 'owner', 'chief'], { required: true }),
    secret: field.boolean({ required: true, default: false }),
    user_id: field.owner({ shows: ['name'] }),
  },
  ofClinic: { clinic, note },
  report: { visit: field.reference('Visit', { required: true, onDelete: 'cascade' }), note },
  page: { folder: field.reference('Folder', { required: true, onDelete: 'cascade' }), note },
  guest: { clinic, user_id: field.owner() },
  memo: { note, user_id: field.owner() },
} as const;

const isStaff = member('clinic_id', { of: 'Seat' });
const isLead = member('clinic_id', { of: 'Seat', where: { role: ['owner', 'chief'] } });
const isChief = member('clinic_id', { of: 'Seat', where: { role: 'chief' } });

const kept = { history: true, events: true, auth: ['jwt', 'api_key'] } as const;
const ofClinic = { ...kept, fields: fields.ofClinic } as const;
const resources = [
  defineResource('Clinic', {
    ...kept,
    fields: fields.clinic,
    isolation: member('id', { of: 'Seat', on: 'clinic_id' }),
  }),
  // Whose a secret seat is, no caller sees.
  defineResource('Seat', {
    ...kept,
    fields: fields.seat,
    isolation: { read: anyOf(own(), isLead), write: isLead },
    views: { when: [[equals('secret', false), ['user_id']]] },
    trash: true,
  }),
  defineResource('Visit', { ...ofClinic, isolation: isStaff, trash: true, manage: isLead }),
  // Every caller reads it: its tenant decides about writes only.
  defineResource('Desk', { ...ofClinic, isolation: { read: 'everyone', write: isStaff } }),
  // Chiefs alone see its clinic.
  defineResource('Folder', { ...ofClinic, isolation: isStaff, views: { when: [[isChief, ['clinic_id']]] } }),
  // Behind another record: the visit's clinic, the clinic itself, and one that chiefs alone see.
  defineResource('Report', { ...kept, fields: fields.report, isolation: via('visit', isStaff) }),
  defineResource('Letter', {
    ...ofClinic,
    isolation: via('clinic', member('id', { of: 'Seat', on: 'clinic_id' })),
  }),
  defineResource('Page', { ...kept, fields: fields.page, isolation: via('folder', isStaff) }),
  // Memberships whose owner field shows nothing: everyone reads them, and they name no user.
  defineResource('Guest', { ...kept, fields: fields.guest }),
  defineResource('Room', { ...ofClinic, isolation: member('clinic_id', { of: 'Guest' }) }),
  defineResource('Memo', { ...kept, fields: fields.memo, ownership: true, isolation: own() }),
];

const migrations: Migrations = {
  '0001_tables': {
    up: async (db, dialect) => {
      const references = { clinic: 'clinics' };
      await createTable(db, dialect, 'clinics', { fields: fields.clinic });
      await createTable(db, dialect, 'seats', { fields: fields.seat, references });
      for (const table of ['visits', 'desks', 'folders', 'letters', 'rooms'])
        await createTable(db, dialect, table, { fields: fields.ofClinic, references });
      await createTable(db, dialect, 'reports', { fields: fields.report, references: { visit: 'visits' } });
      await createTable(db, dialect, 'pages', { fields: fields.page, references: { folder: 'folders' } });
      await createTable(db, dialect, 'guests', { fields: fields.guest, references });
      await createTable(db, dialect, 'memos', { fields: fields.memo });
    },
  },
};

interface Actor {
  readonly kind: string;
  readonly id: string | null;
  readonly name: string | null;
  readonly key: number | null;
}
interface Version {
  readonly actor: Actor;
}
interface Deleted {
  readonly id: number;
  readonly deleted_by: Actor;
}

const singular: Readonly<Record<string, string>> = {
  clinics: 'clinic',
  seats: 'seat',
  visits: 'visit',
  desks: 'desk',
  folders: 'folder',
  reports: 'report',
  letters: 'letter',
  pages: 'page',
  guests: 'guest',
  rooms: 'room',
  memos: 'memo',
};
const unseen = null;

describeEachDatabase('members whom a reader sees', (databases) => {
  const service = useService(databases, {
    application: { resources, migrations },
    env: { LOCALE: 'en', WEBHOOK_PRIVATE: '1' },
    times: { jobTimes: { poll: 100 }, webhookTimes: { poll: 100 } },
  });
  let root: TestUser;
  /** Owners of clinic A, of both, of B; chief of A; reception of A. */
  let [olga, bob, owen, cara, rita, rolf]: TestUser[] = [];
  let [a, b] = [0, 0];
  const undo: (() => Promise<unknown>)[] = [];

  const make = async (by: TestUser | undefined, path: string, values: object): Promise<number> => {
    const body = { [singular[path] ?? '']: values };
    return (await service.ok<{ id: number }>('POST', `/api/v1/${path}`, { token: by, body })).id;
  };
  const change = (by: TestUser | undefined, path: string, id: number, values: object) =>
    service.ok('PATCH', `/api/v1/${path}/${id}`, { token: by, body: { [singular[path] ?? '']: values } });
  const drop = (by: TestUser | undefined, path: string, id: number) =>
    service.ok('DELETE', `/api/v1/${path}/${id}`, { token: by });
  /** Makes a user a member; returns the function that ends it, at the latest after the test. */
  const join = async (user: TestUser | undefined, clinic_id: number, role = 'reception') => {
    const id = await make(root, 'seats', { clinic_id, user_id: user?.id, role });
    let sits = true;
    const leave = async () => {
      if (sits) await drop(root, 'seats', id);
      sits = false;
    };
    undo.push(leave);
    return leave;
  };

  const actorsOf = async (path: string, id: number, reader: TestUser | undefined) =>
    (await service.ok<Version[]>('GET', `/api/v1/${path}/${id}/history`, { token: reader })).map(
      ({ actor }) => actor,
    );
  /** Names of the actors of a record, the latest first; null for one whom the reader does not see. */
  const namesOf = async (path: string, id: number, reader: TestUser | undefined) =>
    (await actorsOf(path, id, reader)).map(({ name }) => name);

  beforeAll(async () => {
    root = await service.admin();
    const person = (name: string) => service.createUser(['viewer'], { name });
    [olga, bob, owen] = [await person('Olga O.'), await person('Bob B.'), await person('Owen W.')];
    [cara, rita, rolf] = [await person('Cara C.'), await person('Rita R.'), await person('Rolf F.')];
    a = await make(root, 'clinics', { name: 'A' });
    b = await make(root, 'clinics', { name: 'B' });
    for (const [user, clinic_id, role] of [
      [olga, a, 'owner'],
      [bob, a, 'owner'],
      [bob, b, 'owner'],
      [owen, b, 'owner'],
      [cara, a, 'chief'],
      [rita, a, 'reception'],
      [rolf, a, 'reception'],
    ] as const)
      await make(root, 'seats', { clinic_id, user_id: user?.id, role });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    for (const each of undo.splice(0)) await each();
  });

  it('members whom a reader sees are the actors of records of their tenant, under the name that the membership shows', async () => {
    const id = await make(rita, 'visits', { clinic_id: a, note: '1' });
    await change(root, 'visits', id, { note: '2' });
    await change(olga, 'visits', id, { note: '3' });
    const shown = { kind: 'user', id: String(rita?.id), name: 'Rita R.', key: null, reason: null };
    const hidden = { kind: 'user', id: null, name: null, key: null, reason: null };
    const [own, other, first] = await actorsOf('visits', id, olga);
    expect([own?.name, other, first]).toEqual([olga?.username, hidden, shown]);
    expect(await namesOf('visits', id, cara)).toEqual(['Olga O.', unseen, 'Rita R.']);
    // The reception reads no membership but its own.
    expect(await namesOf('visits', id, rolf)).toEqual([unseen, unseen, unseen]);
    expect(await namesOf('visits', id, rita)).toEqual([unseen, unseen, rita?.username]);
    expect(await namesOf('visits', id, root)).toEqual([olga?.username, root.username, rita?.username]);
    // The tenant itself, its memberships, and a record that everyone reads.
    await change(rita, 'clinics', a, { name: 'Park' });
    expect(await namesOf('clinics', a, olga)).toEqual(['Rita R.', unseen]);
    const desk = await make(rita, 'desks', { clinic_id: a, note: '1' });
    expect(await namesOf('desks', desk, olga)).toEqual(['Rita R.']);
    for (const reader of [rolf, owen]) expect(await namesOf('desks', desk, reader)).toEqual([unseen]);
    const leave = await join(owen, a);
    const [seat] = await service.ok<{ id: number }[]>(
      'GET',
      `/api/v1/seats?filter[user_id]=${owen?.id}&filter[clinic_id]=${a}`,
      { token: olga },
    );
    await change(olga, 'seats', seat?.id ?? 0, { role: 'chief' });
    expect(await namesOf('seats', seat?.id ?? 0, cara)).toEqual(['Olga O.', unseen]);
    await leave();
  });

  it('members whom a reader sees in one tenant have no name in records of another, nor after they left', async () => {
    const leave = await join(rita, b);
    const ofA = await make(rita, 'visits', { clinic_id: a, note: 'a' });
    const ofB = await make(rita, 'visits', { clinic_id: b, note: 'b' });
    for (const reader of [bob, owen]) expect(await namesOf('visits', ofB, reader)).toEqual(['Rita R.']);
    await leave();
    // Bob reads Rita's membership in A all the same.
    expect(await namesOf('visits', ofA, bob)).toEqual(['Rita R.']);
    for (const reader of [bob, owen]) expect(await namesOf('visits', ofB, reader)).toEqual([unseen]);
    const hidden = await service.get(`/api/v1/visits/${ofB}/history`, { token: olga });
    expect(hidden.status).toBe(404);
    await join(rita, b);
    for (const reader of [bob, owen]) expect(await namesOf('visits', ofB, reader)).toEqual(['Rita R.']);
  });

  it('members whom a reader sees are named by the tenant of the side that the reader sees', async () => {
    const leaveB = await join(rita, b);
    const id = await make(rita, 'visits', { clinic_id: a, note: 'moves' });
    await change(rita, 'visits', id, { clinic_id: b });
    await leaveB();
    // Bob sees both sides of the move, Owen only the one in B.
    expect(await namesOf('visits', id, bob)).toEqual(['Rita R.', 'Rita R.']);
    expect(await namesOf('visits', id, owen)).toEqual([unseen]);
    const inA = await service.ok<{ id: number }[]>('GET', `/api/v1/seats?filter[user_id]=${rita?.id}`, {
      token: olga,
    });
    await drop(root, 'seats', inA[0]?.id ?? 0);
    await join(rita, b);
    expect(await namesOf('visits', id, bob)).toEqual(['Rita R.', unseen]);
    expect(await namesOf('visits', id, owen)).toEqual(['Rita R.']);
    await make(root, 'seats', { clinic_id: a, user_id: rita?.id, role: 'reception' });
  });

  it('members whom a reader sees have no name where the reader sees neither the tenant nor whose the membership is', async () => {
    const folder = await make(rita, 'folders', { clinic_id: a, note: '1' });
    expect(await namesOf('folders', folder, olga)).toEqual([unseen]);
    expect(await namesOf('folders', folder, cara)).toEqual(['Rita R.']);
    const visit = await make(rita, 'visits', { clinic_id: a, note: '1' });
    const [seat] = await service.ok<{ id: number }[]>('GET', `/api/v1/seats?filter[user_id]=${rita?.id}`, {
      token: olga,
    });
    await change(olga, 'seats', seat?.id ?? 0, { secret: true });
    for (const [path, id] of [
      ['visits', visit],
      ['folders', folder],
    ] as const)
      for (const reader of [olga, cara]) expect(await namesOf(path, id, reader)).toEqual([unseen]);
    await change(olga, 'seats', seat?.id ?? 0, { secret: false });
    expect(await namesOf('visits', visit, olga)).toEqual(['Rita R.']);
  });

  it('members whom a reader sees are named in records behind which the tenant is', async () => {
    const leave = await join(rita, b);
    const [ofA, ofB] = [
      await make(rita, 'visits', { clinic_id: a, note: 'a' }),
      await make(rita, 'visits', { clinic_id: b, note: 'b' }),
    ];
    const reports = [
      await make(rita, 'reports', { visit_id: ofA }),
      await make(rita, 'reports', { visit_id: ofB }),
    ];
    const letter = await make(rita, 'letters', { clinic_id: b, note: '1' });
    const namesIn = async (reader: TestUser | undefined) => [
      ...(await namesOf('reports', reports[1] ?? 0, reader)),
      ...(await namesOf('letters', letter, reader)),
    ];
    for (const reader of [bob, owen]) expect(await namesIn(reader)).toEqual(['Rita R.', 'Rita R.']);
    await leave();
    for (const reader of [bob, owen]) expect(await namesIn(reader)).toEqual([unseen, unseen]);
    for (const reader of [olga, bob, cara])
      expect(await namesOf('reports', reports[0] ?? 0, reader)).toEqual(['Rita R.']);
    expect(await namesOf('reports', reports[0] ?? 0, rolf)).toEqual([unseen]);
    // Read as it is now: the visit is in B, of which Rita is no member.
    await change(bob, 'visits', ofA, { clinic_id: b });
    expect(await namesOf('reports', reports[0] ?? 0, bob)).toEqual([unseen]);
    const page = await make(rita, 'pages', {
      folder_id: await make(rita, 'folders', { clinic_id: a, note: '1' }),
      note: '1',
    });
    expect(await namesOf('pages', page, olga)).toEqual([unseen]);
    expect(await namesOf('pages', page, cara)).toEqual(['Rita R.']);
    // Nor to a key without the scope of the records that lead to the tenant.
    const namesBy = async (...scopes: string[]) => {
      const { key } = await service.createKey(cara as TestUser, undefined, scopes);
      const versions = await service.ok<Version[]>('GET', `/api/v1/pages/${page}/history`, { key });
      return versions.map(({ actor }) => actor.name);
    };
    expect(await namesBy('pages:read', 'seats:read')).toEqual([unseen]);
    expect(await namesBy('pages:read', 'seats:read', 'folders:read')).toEqual(['Rita R.']);
  });

  it('members whom a reader sees have no name by memberships that show none', async () => {
    for (const user of [olga, rita]) await make(root, 'guests', { clinic_id: a, user_id: user?.id });
    const room = await make(rita, 'rooms', { clinic_id: a, note: '1' });
    expect(await actorsOf('rooms', room, olga)).toEqual([
      { kind: 'user', id: null, name: null, key: null, reason: null },
    ]);
    expect(await namesOf('rooms', room, rita)).toEqual([rita?.username]);
  });

  it('members whom a reader sees need the scope of the memberships, too', async () => {
    const visit = await make(rita, 'visits', { clinic_id: a, note: '1' });
    const namesBy = async (scopes: readonly string[]) => {
      const { key } = await service.createKey(olga as TestUser, undefined, scopes);
      const versions = await service.ok<Version[]>('GET', `/api/v1/visits/${visit}/history`, { key });
      return versions.map(({ actor }) => actor.name);
    };
    expect(await namesBy(['visits:read'])).toEqual([unseen]);
    expect(await namesBy(['visits:read', 'seats:read'])).toEqual(['Rita R.']);
  });

  it('members whom a reader sees are named in the trash', async () => {
    const leave = await join(rita, b);
    const ofA = await make(rita, 'visits', { clinic_id: a, note: 'a' });
    const ofB = await make(rita, 'visits', { clinic_id: b, note: 'b' });
    await drop(rita, 'visits', ofA);
    await drop(rita, 'visits', ofB);
    const deletedBy = async (id: number, reader: TestUser | undefined) => {
      const list = await service.ok<Deleted[]>('GET', '/api/v1/visits?trashed=true', { token: reader });
      return list.find((each) => each.id === id)?.deleted_by.name;
    };
    expect([await deletedBy(ofB, bob), await deletedBy(ofB, owen)]).toEqual(['Rita R.', 'Rita R.']);
    await leave();
    expect([await deletedBy(ofA, olga), await deletedBy(ofA, bob)]).toEqual(['Rita R.', 'Rita R.']);
    expect([await deletedBy(ofB, bob), await deletedBy(ofB, owen)]).toEqual([unseen, unseen]);
  });

  it('members whom a reader sees are named in streams, each reader by their own memberships', async () => {
    const { events } = service.server.services;
    const follow = (reader: TestUser | undefined, models: string, after?: number) =>
      openStream(`${service.origin}/api/v1/changes?models=${models}`, {
        authorization: `Bearer ${reader?.token}`,
        ...(after === undefined ? {} : { 'last-event-id': String(after) }),
      });
    const names = async (stream: Awaited<ReturnType<typeof follow>>, count: number) => {
      const found = await stream.until(count);
      return found.map(({ actor }) => actor['name']);
    };
    const leave = await join(rita, b);
    // Everyone reads desks, so that these readers share the events.
    const live = await Promise.all([olga, rolf, owen].map((reader) => follow(reader, 'Desk')));
    const seen = (count: number) => Promise.all(live.map((stream) => names(stream, count)));
    const desk = await make(rita, 'desks', { clinic_id: a, note: '1' });
    await seen(1);
    await change(rita, 'desks', desk, { note: '2' });
    await seen(2);
    await drop(rita, 'desks', desk);
    expect(await seen(3)).toEqual([Array(3).fill('Rita R.'), Array(3).fill(unseen), Array(3).fill(unseen)]);
    // The tenant itself, and a record behind which it is.
    const atHead = await Promise.all([olga, rolf].map((reader) => follow(reader, 'Clinic,Report')));
    await change(rita, 'clinics', a, { name: 'Lake' });
    const visit = await make(rita, 'visits', { clinic_id: a, note: 'v' });
    const report = await make(rita, 'reports', { visit_id: visit, note: 'r' });
    // A stream reports a deleted record's deletion only.
    for (const stream of atHead) await stream.until(2);
    await drop(rita, 'reports', report);
    const heard = await Promise.all(atHead.map((stream) => names(stream, 3)));
    expect(heard).toEqual([Array(3).fill('Rita R.'), Array(3).fill(unseen)]);
    await drop(root, 'visits', visit);
    await events.settle();
    const { last: before } = await events.range();
    const visits = [
      await make(rita, 'visits', { clinic_id: a, note: 'a' }),
      await make(rita, 'visits', { clinic_id: b, note: 'b' }),
    ];
    for (const id of visits) await change(rita, 'visits', id, { note: 'c' });
    for (const clinic_id of [a, b])
      await drop(rita, 'visits', await make(rita, 'visits', { clinic_id, note: 'gone' }));
    await leave();
    // Events of deleted records are those of their deletions.
    const late = await Promise.all([
      follow(bob, 'Visit', before),
      follow(owen, 'Visit', before),
      follow(olga, 'Visit', before),
    ]);
    const [ofBob, ofOwen, ofOlga] = await Promise.all(
      late.map((stream, at) => names(stream, [6, 3, 3][at] ?? 0)),
    );
    expect(ofBob).toEqual(['Rita R.', unseen, 'Rita R.', unseen, 'Rita R.', unseen]);
    expect(ofOwen).toEqual([unseen, unseen, unseen]);
    expect(ofOlga).toEqual(Array(3).fill('Rita R.'));
    for (const stream of [...live, ...atHead, ...late]) stream.close();
  });

  it('members whom a reader sees are named in the messages of webhooks', async () => {
    const receiver = await startReceiver();
    undo.push(() => receiver.close());
    const webhook = { url: receiver.url, models: ['Visit'] };
    const hooks = [olga, owen].map((token) =>
      service.ok<{ id: number }>('POST', '/api/v1/webhooks', { token, body: { webhook } }),
    );
    for (const { id } of await Promise.all(hooks))
      undo.push(() => service.request('DELETE', `/admin/webhooks/${id}`, { token: root }));
    const messages = () =>
      receiver.received
        .map(({ message: { type, data } }) => `${type} ${data.id} ${data.actor['name']}`)
        .toSorted();
    const ofA = await make(rita, 'visits', { clinic_id: a, note: 'a' });
    const ofB = await make(bob, 'visits', { clinic_id: b, note: 'b' });
    const asRoot = await make(root, 'visits', { clinic_id: b, note: 'c' });
    const made = [`Visit.create ${ofA} Rita R.`, `Visit.create ${ofB} Bob B.`, `Visit.create ${asRoot} null`];
    await expect.poll(messages, { timeout: 10_000 }).toEqual(made.toSorted());
    await drop(rita, 'visits', ofA);
    const all = [...made, `Visit.destroy ${ofA} Rita R.`].toSorted();
    await expect.poll(messages, { timeout: 10_000 }).toEqual(all);
  });

  it('members whom a reader sees cost one statement, and none where there is nothing to look up', async () => {
    const visit = await make(rita, 'visits', { clinic_id: a, note: '0' });
    const memo = await make(rita, 'memos', { note: '0' });
    const mine = await make(olga, 'visits', { clinic_id: a, note: '0' });
    for (const text of ['1', '2', '3']) {
      await change(rita, 'visits', visit, { note: text });
      await change(cara, 'visits', visit, { note: `${text}!` });
      await change(root, 'memos', memo, { note: text });
    }
    using _first = service.askFirstWorker();
    const { database } = service.server.services;
    const statements: string[] = [];
    const all = database.all.bind(database);
    vi.spyOn(database, 'all').mockImplementation((query: Query) => {
      statements.push(query.sql);
      return all(query) as Promise<never>;
    });
    const lookUps = async (path: string, id: number, reader: TestUser | undefined) => {
      statements.length = 0;
      await namesOf(path, id, reader);
      return statements.filter((each) => each.includes('_asked')).length;
    };
    expect(await lookUps('visits', visit, olga)).toBe(1);
    expect(await lookUps('visits', visit, root)).toBe(0);
    expect(await lookUps('visits', mine, olga)).toBe(0);
    expect(await lookUps('memos', memo, rita)).toBe(0);
    const report = await make(rita, 'reports', { visit_id: visit, note: '0' });
    for (const by of [cara, rita]) await change(by, 'reports', report, { note: `by ${by?.id}` });
    expect(await lookUps('reports', report, olga)).toBe(1);
  });
});
