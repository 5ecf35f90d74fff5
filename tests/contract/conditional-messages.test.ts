import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { equals, member } from '../../src/model/row-rule.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type EventStream, openStream } from '../support/event-stream.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { type TestUser, useService } from '../support/service.ts';

/**
 * Fields of `views: { when }` in webhooks and streams: neither the value nor the name of a field reaches a reader from
 * whom the record hides it.
 */

const fields = {
  team: { name: field.string({ max: 20 }) },
  seat: { team: field.reference('Team', { required: true }), user_id: field.owner() },
  ticket: {
    title: field.string({ max: 20 }),
    open: field.boolean({ default: false }),
    note: field.string({ max: 20 }),
    hint: field.string({ max: 20 }),
    team: field.reference('Team', { anyone: true }),
  },
  memo: {
    title: field.string({ max: 20 }),
    note: field.string({ max: 20 }),
    team: field.reference('Team', { anyone: true }),
  },
} as const;

const ticket = defineResource('Ticket', {
  fields: fields.ticket,
  events: true,
  trash: true,
  manage: equals('title', 'shared'),
  views: {
    detail: ['id', 'title', 'open', 'team_id'],
    when: [
      [member('team_id', { of: 'Seat' }), ['note']],
      [equals('open', true), ['hint']],
    ],
  },
});

/** Every field of it is in its views. */
const memo = defineResource('Memo', {
  fields: fields.memo,
  events: true,
  views: { when: [[member('team_id', { of: 'Seat' }), ['note']]] },
});

const migrations: Migrations = {
  '0001_tickets': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'teams', { fields: fields.team });
      await createTable(db, dialect, 'seats', { fields: fields.seat, references: { team: 'teams' } });
      await createTable(db, dialect, 'tickets', { fields: fields.ticket, references: { team: 'teams' } });
      await createTable(db, dialect, 'memos', { fields: fields.memo, references: { team: 'teams' } });
    },
  },
};

interface Row {
  readonly id: number;
}

/** The parts of a message that depend on its reader. */
type Seen = readonly [action: string, fields: readonly string[], record: object | null];

describeEachDatabase('conditional fields in messages', (databases) => {
  const service = useService(databases, {
    application: {
      resources: [
        defineResource('Team', { fields: fields.team }),
        defineResource('Seat', { fields: fields.seat }),
        ticket,
        memo,
      ],
      migrations,
    },
    env: { WEBHOOK_PRIVATE: '1', LOCALE: 'en' },
    times: { jobTimes: { poll: 100 }, webhookTimes: { poll: 100 } },
  });
  let root: TestUser;
  let [staff, guest]: TestUser[] = [];
  const receivers = new Map<string, Receiver>();
  const streams = new Map<string, EventStream>();

  const admin = <Data = Row>(method: string, path: string, body?: object) =>
    service.ok<Data>(method, `/admin${path}`, { token: root, ...(body && { body }) });
  const receiverOf = async (name: string): Promise<string> => {
    const receiver = await startReceiver();
    receivers.set(name, receiver);
    return receiver.url;
  };
  const messages = (name: string): Seen[] =>
    (receivers.get(name)?.received ?? []).map(({ message: { data } }) => [
      data.action,
      data.fields,
      data.record,
    ]);
  const streamed = (name: string) =>
    (streams.get(name)?.events ?? []).map(({ action, fields: names }) => [action, names]);

  beforeAll(async () => {
    root = await service.admin();
    [staff, guest] = [await service.createUser(), await service.createUser()];
    const team = await admin('POST', '/records/teams', { team: { name: 'one' } });
    await admin('POST', '/records/seats', { seat: { team_id: team.id, user_id: staff.id } });
    for (const [name, user] of [
      ['staff', staff],
      ['guest', guest],
    ] as const) {
      const models = ['Ticket'];
      const url = await receiverOf(name);
      await admin('POST', '/webhooks', { webhook: { url, models, user_id: user.id } });
      const own = { url: await receiverOf(`${name}’s own`), models };
      await service.ok('POST', '/api/v1/webhooks', { token: user, body: { webhook: own } });
      const headers = { authorization: `Bearer ${user.token}` };
      streams.set(name, await openStream(`${service.origin}/api/v1/changes?models=Ticket`, headers));
    }
    /** A message shows the record as it is when it is sent: the next write waits for it. */
    const settle = async (ofStaffs: number, ofGuests: number) => {
      for (const [name, count] of [
        ['staff', ofStaffs],
        ['staff’s own', ofStaffs],
        ['guest', ofGuests],
        ['guest’s own', ofGuests],
      ] as const)
        await vi.waitFor(() => expect(messages(name)).toHaveLength(count), { timeout: 10_000 });
      await streams.get('staff')?.until(ofStaffs);
      await streams.get('guest')?.until(ofGuests);
    };
    const values = { title: 'shared', note: 'zq-note', hint: 'zq-hint', team_id: team.id };
    const { id } = await admin('POST', '/records/tickets', { ticket: values });
    await settle(1, 1);
    const changes = [
      [{ note: 'zq-second' }, 1],
      [{ note: 'zq-third', hint: 'zq-new' }, 1],
      [{ open: true }, 2],
      [{ hint: 'zq-shown' }, 3],
      [{ hint: 'zq-last', note: 'zq-fourth' }, 4],
      [{ open: false }, 5],
    ] as const;
    for (const [index, [each, ofGuests]] of changes.entries()) {
      await admin('PATCH', `/records/tickets/${id}`, { ticket: each });
      await settle(index + 2, ofGuests);
    }
    await admin('DELETE', `/records/tickets/${id}`);
    await settle(8, 6);
  }, 60_000);
  afterAll(async () => {
    for (const stream of streams.values()) stream.close();
    for (const receiver of receivers.values()) await receiver.close();
  });

  const plain = { id: expect.any(Number), title: 'shared', team_id: expect.any(Number) };
  const ofGuest: readonly Seen[] = [
    ['create', ['title', 'open', 'team_id'], { ...plain, open: false }],
    ['update', ['open', 'hint'], { ...plain, open: true, hint: 'zq-new' }],
    ['update', ['hint'], { ...plain, open: true, hint: 'zq-shown' }],
    ['update', ['hint'], { ...plain, open: true, hint: 'zq-last' }],
    ['update', ['open', 'hint'], { ...plain, open: false }],
    ['destroy', [], null],
  ];
  const ofStaff: readonly Seen[] = [
    ['create', ['title', 'open', 'note', 'team_id'], { ...plain, open: false, note: 'zq-note' }],
    ['update', ['note'], { ...plain, open: false, note: 'zq-second' }],
    ['update', ['note'], { ...plain, open: false, note: 'zq-third' }],
    ['update', ['open', 'hint'], { ...plain, open: true, note: 'zq-third', hint: 'zq-new' }],
    ['update', ['hint'], { ...plain, open: true, note: 'zq-third', hint: 'zq-shown' }],
    ['update', ['note', 'hint'], { ...plain, open: true, note: 'zq-fourth', hint: 'zq-last' }],
    ['update', ['open', 'hint'], { ...plain, open: false, note: 'zq-fourth' }],
    ['destroy', [], null],
  ];
  const inAnyOrder = (seen: readonly (readonly [string, readonly string[], ...unknown[]])[]) =>
    seen.map(([action, names, ...rest]) => [action, [...names].sort(), ...rest]);

  it.each([
    ['staff', ofStaff],
    ['staff’s own', ofStaff],
    ['guest', ofGuest],
    ['guest’s own', ofGuest],
  ])('a webhook of the %s tells what its user sees', (name, expected) => {
    expect(inAnyOrder(messages(name))).toEqual(inAnyOrder(expected));
  });

  it.each([
    ['staff', ofStaff],
    ['guest', ofGuest],
  ])('a stream of the %s tells what its user sees', (name, expected) => {
    const short = expected.map(([action, names]) => [action, names] as const);
    expect(inAnyOrder(streamed(name) as [string, string[]][])).toEqual(inAnyOrder(short));
  });

  it('hide an update of what is hidden from readers of every other field', async () => {
    const open = (user: TestUser | undefined) =>
      openStream(`${service.origin}/api/v1/changes?models=Memo`, { authorization: `Bearer ${user?.token}` });
    // An administrator, who sees every field, reads one event before the others do.
    const ofRoot = await open(root);
    await admin('POST', '/records/memos', { memo: { title: 'before', team_id: 1 } });
    await ofRoot.until(1);
    const [ofStaff, ofGuest] = [await open(staff), await open(guest)];
    const { id } = await admin('POST', '/records/memos', { memo: { title: 'a', note: 'x', team_id: 1 } });
    await ofStaff.until(1);
    await admin('PATCH', `/records/memos/${id}`, { memo: { note: 'y' } });
    await admin('PATCH', `/records/memos/${id}`, { memo: { title: 'b' } });
    const reported = (stream: EventStream) =>
      stream.events.map(({ action, fields: names }) => [action, names]);
    await ofStaff.until(3);
    await ofGuest.until(2);
    expect(reported(ofStaff).slice(1)).toEqual([
      ['update', ['note']],
      ['update', ['title']],
    ]);
    expect(reported(ofGuest)).toEqual([
      ['create', ['title', 'team_id']],
      ['update', ['title']],
    ]);
    for (const stream of [ofRoot, ofStaff, ofGuest]) stream.close();
  });

  it('conditional fields in messages never name what a record hides, however it is written', () => {
    for (const name of ['guest', 'guest’s own'])
      expect(
        receivers
          .get(name)
          ?.received.map(({ body }) => body)
          .join(),
      ).not.toMatch(/note|zq-(?:note|second|third|fourth|hint)/);
    expect(JSON.stringify(streams.get('guest')?.events)).not.toMatch(/note/);
  });
});
