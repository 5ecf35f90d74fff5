import { beforeAll, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { allOf, anyOf, equals, member, own, via } from '../../../src/model/row-rule.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type Answer, type Key, type TestUser, useService } from '../../support/service.ts';

const fields = {
  group: { name: field.string({ required: true, max: 20 }), user_id: field.owner() },
  seat: {
    group: field.reference('Group', { required: true, anyone: true }),
    role: field.enum(['viewer', 'editor'], { default: 'viewer' }),
    user_id: field.owner(),
  },
  board: {
    name: field.string({ required: true, max: 20 }),
    group: field.reference('Group', { required: true, anyone: true }),
    visibility: field.enum(['team', 'public'], { default: 'team' }),
  },
  card: {
    title: field.string({ required: true, max: 20 }),
    board: field.reference('Board', { anyone: true }),
    assignee: field.reference('User', { anyone: true }),
  },
  remark: { text: field.string({ max: 20 }), user_id: field.owner() },
} as const;

const auth = ['jwt', 'api_key', 'signature'] as const;
const inGroup = member('group_id', { of: 'Seat' });
const edits = member('group_id', { of: 'Seat', where: { role: 'editor' } });
const seen = anyOf(inGroup, equals('visibility', 'public'));

const resources = [
  defineResource('Group', {
    fields: fields.group,
    auth,
    isolation: anyOf(own(), member('id', { of: 'Seat', on: 'group_id' })),
  }),
  defineResource('Seat', { fields: fields.seat, permissions: 'all' }),
  defineResource('Board', { fields: fields.board, auth, isolation: { read: seen, write: edits } }),
  defineResource('Card', {
    fields: fields.card,
    auth,
    isolation: {
      read: anyOf(own('assignee'), via('board', seen)),
      write: via('board', allOf(edits, equals('visibility', 'team'))),
    },
  }),
  defineResource('Remark', { fields: fields.remark, auth, isolation: { read: 'everyone', write: own() } }),
  defineResource('Diary', { fields: fields.remark, auth, isolation: true, ownership: true }),
];

interface Condition {
  readonly kind: string;
  readonly words: string;
  readonly outcome: 'passed' | 'refused' | 'narrowed';
  readonly decides: boolean;
  readonly change_at: string | null;
  readonly conditions?: readonly Condition[];
}
interface Step {
  readonly rule: string;
  readonly outcome: string;
  readonly because: string;
  readonly conditions?: { readonly about: string; readonly rule: Condition };
}
interface Explanation {
  readonly status: number;
  readonly code: number;
  readonly steps: readonly Step[];
  readonly decided_by: string;
}
type Caller =
  | { readonly user_id: number; readonly token: TestUser }
  | { readonly api_key_id: number; readonly key: string }
  | { readonly app_id: string };

const everyCondition = (rule: Condition): readonly Condition[] => [
  rule,
  ...(rule.conditions ?? []).flatMap(everyCondition),
];

describeEachDatabase('GET /admin/explain of row rules', (databases) => {
  const service = useService(databases, {
    application: {
      resources,
      migrations: {
        '0001_tables': {
          up: async (db, dialect) => {
            await createTable(db, dialect, 'groups', { fields: fields.group });
            await createTable(db, dialect, 'seats', { fields: fields.seat, references: { group: 'groups' } });
            await createTable(db, dialect, 'boards', {
              fields: fields.board,
              references: { group: 'groups' },
            });
            await createTable(db, dialect, 'cards', { fields: fields.card, references: { board: 'boards' } });
            await createTable(db, dialect, 'remarks', { fields: fields.remark });
            await createTable(db, dialect, 'diaries', { fields: fields.remark });
          },
        },
      },
    },
    apps: ['shop'],
    env: { LOCALE: 'en' },
  });

  let root: TestUser;
  let ann: TestUser;
  let ben: TestUser;
  let eve: TestUser;
  let key: Key;
  let seat = 0;
  let group = 0;
  const boards: number[] = [];

  const made = async (path: string, singular: string, values: object): Promise<number> => {
    const body = { [singular]: values };
    const record = { token: root, body };
    return (await service.ok<{ id: number }>('POST', `/admin/records/${path}`, record)).id;
  };
  const asks = (query: Record<string, string | number>, token: TestUser = root) => {
    const text = Object.entries(query).map(([name, value]) => [name, String(value)]);
    return service.ok<Explanation>('GET', `/admin/explain?${new URLSearchParams(text)}`, { token });
  };
  const ofUser = (user: TestUser, method: string, path: string, asker?: TestUser) =>
    asks({ user_id: user.id, method, path: `/api/v1/${path}` }, asker);
  const rule = ({ steps }: Explanation, of = 'isolation') =>
    steps.find((step) => step.rule === of)?.conditions?.rule;
  const inShort = (condition: Condition | undefined): unknown =>
    condition && [
      `${condition.kind} ${condition.outcome}${condition.decides ? ' decides' : ''}`,
      condition.change_at,
      ...(condition.conditions ?? []).map(inShort),
    ];

  beforeAll(async () => {
    root = await service.admin();
    [ann, ben, eve] = [await service.createUser(), await service.createUser(), await service.createUser()];
    key = await service.createKey(ann);
    group = await made('groups', 'group', { name: 'red', user_id: root.id });
    await made('seats', 'seat', { group_id: group, user_id: ann.id, role: 'editor' });
    seat = await made('seats', 'seat', { group_id: group, user_id: ben.id });
    boards.push(await made('boards', 'board', { name: 'secret', group_id: group }));
    boards.push(await made('boards', 'board', { name: 'open', group_id: group, visibility: 'public' }));
  });

  it('agrees with the request itself, for every caller, method and record', async () => {
    const values: Readonly<Record<string, readonly [string, readonly object[]]>> = {
      groups: ['group', [{ name: 'x', user_id: eve.id }, { name: 'x' }]],
      boards: [
        'board',
        [
          { name: 'x', group_id: group },
          { name: 'x', group_id: group, visibility: 'public' },
        ],
      ],
      cards: [
        'card',
        [
          { title: 'x' },
          { title: 'x', board_id: boards[0] },
          { title: 'x', board_id: boards[1] },
          { title: 'x', board_id: boards[0], assignee_id: eve.id },
        ],
      ],
      remarks: ['remark', [{ user_id: ann.id }, {}]],
      diaries: ['diary', [{ text: 'x' }]],
    };
    const callers: readonly Caller[] = [
      ...[root, ann, ben, eve].map((token) => ({ user_id: token.id, token })),
      { api_key_id: key.id, key: key.key },
      { app_id: 'shop' },
    ];
    const send = (caller: Caller, method: string, path: string, body?: object): Promise<Answer> => {
      const text = body === undefined ? '' : JSON.stringify(body);
      if ('app_id' in caller)
        return service.request(method, path, {
          headers: service.sign('shop', text),
          ...(body && { body: text }),
        });
      return service.request(method, path, { ...caller, ...(body && { body }) });
    };
    const answers: Record<string, number> = {};
    for (const [path, [singular, records]] of Object.entries(values))
      for (const caller of callers)
        for (const record of records) {
          const { token: _, key: __, ...who } = { token: undefined, key: undefined, ...caller };
          const id = await made(path, singular, record);
          for (const [method, at] of [
            ['GET', `/api/v1/${path}/${id}`],
            ['GET', `/api/v1/${path}/${id + 100_000}`],
            ['PATCH', `/api/v1/${path}/${id}`],
            ['POST', `/api/v1/${path}`],
            ['GET', `/api/v1/${path}`],
            ['DELETE', `/api/v1/${path}/${id}`],
          ] as const) {
            const explained = await asks({ ...who, method, path: at });
            const body = method === 'POST' ? record : method === 'PATCH' ? {} : undefined;
            const { status, json } = await send(caller, method, at, body && { [singular]: body });
            const what = [who, method, at, record];
            const isBodys = method === 'POST' && status === 403 && explained.status === 201;
            if (isBodys)
              expect([
                ...what,
                explained.steps.find(({ conditions }) => conditions)?.conditions?.about,
              ]).toEqual([...what, 'body']);
            else expect([...what, explained.status, explained.code]).toEqual([...what, status, json.code]);
            answers[`${method} ${status}`] = (answers[`${method} ${status}`] ?? 0) + 1;
            for (const { conditions } of explained.steps) {
              if (conditions === undefined) continue;
              const all = everyCondition(conditions.rule);
              const decisive = all.filter(({ decides }) => decides);
              expect([...what, decisive.length]).toEqual([
                ...what,
                conditions.rule.outcome === 'narrowed' ? 0 : 1,
              ]);
              expect(decisive.every(({ outcome }) => outcome === conditions.rule.outcome)).toBe(true);
            }
            const read = rule(explained);
            if (read !== undefined && at.endsWith(`/${id}`))
              expect([...what, read.outcome]).toEqual([...what, status === 404 ? 'refused' : 'passed']);
            const write = rule(explained, 'record_write');
            if (write !== undefined)
              expect([...what, write.outcome]).toEqual([...what, status === 403 ? 'refused' : 'passed']);
          }
        }
    // Every answer that a rule can lead to was among them.
    expect(Object.keys(answers).sort()).toEqual([
      'DELETE 200',
      'DELETE 403',
      'DELETE 404',
      'GET 200',
      'GET 404',
      'PATCH 200',
      'PATCH 403',
      'PATCH 404',
      'POST 201',
      'POST 403',
    ]);
    // Hundreds of requests, and as many explanations.
  }, 180_000);

  it('says of each condition how it stands, which decides, and where it is changed', async () => {
    const [secret = 0, open = 0] = boards;
    const card = await made('cards', 'card', { title: 'x', board_id: secret, assignee_id: ben.id });
    const board = `/admin/records/boards/${secret}`;
    const ofBen = await ofUser(ben, 'PATCH', `cards/${card}`);
    expect([ofBen.status, ofBen.code, ofBen.decided_by]).toEqual([403, 40300, 'record_write']);
    expect(inShort(rule(ofBen))).toEqual([
      'anyOf passed',
      null,
      ['own passed decides', `/admin/records/cards/${card}`],
      [
        'via passed',
        board,
        ['anyOf passed', null, ['member passed', `/admin/records/seats/${seat}`], ['equals refused', board]],
      ],
    ]);
    expect(inShort(rule(ofBen, 'record_write'))).toEqual([
      'via refused',
      board,
      ['allOf refused', null, ['member refused decides', '/admin/records/seats'], ['equals passed', board]],
    ]);
    expect(inShort(rule(await ofUser(eve, 'GET', `boards/${secret}`)))).toEqual([
      'anyOf refused decides',
      null,
      ['member refused', '/admin/records/seats'],
      ['equals refused', board],
    ]);
    expect(rule(await ofUser(eve, 'GET', `boards/${open}`))?.conditions?.[1]).toEqual({
      kind: 'equals',
      words: 'visibility = public',
      outcome: 'passed',
      decides: true,
      model: 'Board',
      field: 'visibility',
      value: 'public',
      change_at: `/admin/records/boards/${open}`,
    });
    expect(rule(await ofUser(ann, 'DELETE', `boards/${secret}`), 'record_write')).toEqual({
      kind: 'member',
      words: 'group_id in Seat.group_id where user_id = caller and role = editor',
      outcome: 'passed',
      decides: true,
      model: 'Board',
      field: 'group_id',
      of: 'Seat',
      on: 'group_id',
      where: [{ field: 'role', values: ['editor'] }],
      change_at: expect.stringMatching(/^\/admin\/records\/seats\/\d+$/),
    });
    // A reference to nothing meets no condition: it is the card that could be changed.
    const loose = await made('cards', 'card', { title: 'x' });
    expect(inShort(rule(await ofUser(ann, 'GET', `cards/${loose}`)))).toEqual([
      'anyOf refused decides',
      null,
      ['own refused', `/admin/records/cards/${loose}`],
      [
        'via refused',
        `/admin/records/cards/${loose}`,
        ['anyOf narrowed', null, ['member narrowed', '/admin/records/seats'], ['equals narrowed', null]],
      ],
    ]);
  });

  it('leaves open what only a record or a body decides', async () => {
    const about = async (query: Record<string, string | number>) => {
      const explanation = await asks({ path: '/api/v1/boards', ...query });
      const { conditions, outcome } = explanation.steps.find((step) => step.rule === 'isolation') ?? {};
      return [explanation.status, outcome, conditions?.about, conditions?.rule.outcome];
    };
    const list = { method: 'GET' };
    const create = { method: 'POST' };
    expect(await about({ user_id: eve.id, ...list })).toEqual([200, 'narrowed', 'list', 'narrowed']);
    expect(await about({ user_id: eve.id, ...create })).toEqual([201, 'narrowed', 'body', 'narrowed']);
    const missing = { user_id: eve.id, ...list, path: '/api/v1/boards/999999' };
    expect(await about(missing)).toEqual([404, 'narrowed', 'unknown', 'narrowed']);
    expect(await about({ ...missing, path: '/api/v1/boards/abc' })).toEqual([
      404,
      'narrowed',
      'unknown',
      'narrowed',
    ]);
    // An application is a member of nothing, whatever the record.
    expect(await about({ app_id: 'shop', ...create })).toEqual([403, 'refused', 'body', 'refused']);
    expect(await about({ app_id: 'shop', ...list })).toEqual([200, 'narrowed', 'list', 'narrowed']);
    // Administrators are not asked, and what a rule does not govern has no conditions.
    expect(await about({ user_id: root.id, ...list })).toEqual([200, 'passed', undefined, undefined]);
    expect(rule(await asks({ user_id: ann.id, ...list, path: '/api/v1/users' }))).toBeUndefined();
  });

  it('tells an administrator of no record that they could not see', async () => {
    const clerk = await service.createUser(['admin']);
    const [secret = 0] = boards;
    const explained = () => ofUser(ben, 'GET', `boards/${secret}`, clerk);
    expect(inShort(rule(await explained()))).toEqual([
      'anyOf passed',
      null,
      ['member passed decides', null],
      ['equals refused', `/admin/records/boards/${secret}`],
    ]);
    await service.ok('PUT', '/admin/permissions/admin/Seat/read', { token: root });
    expect(rule(await explained())?.conditions?.[0]?.change_at).toBe(`/admin/records/seats/${seat}`);
    await service.ok('DELETE', '/admin/permissions/admin/Seat/read', { token: root });
  });

  it('says of memberships what they open, to administrators only', async () => {
    const token = root;
    const entries = await service.ok<{ model: string; opens: number }[]>('GET', '/admin/meta', { token });
    expect(entries.filter(({ opens }) => opens > 0).map(({ model, opens }) => [model, opens])).toEqual([
      ['Seat', 6],
    ]);
    const { opens } = await service.ok('GET', '/admin/meta/Seat', { token });
    const editor = [{ field: 'role', values: ['editor'] }];
    const on = 'group_id';
    expect(opens).toEqual([
      { model: 'Group', path: 'groups', access: 'read', field: 'id', on, where: [] },
      { model: 'Group', path: 'groups', access: 'write', field: 'id', on, where: [] },
      { model: 'Board', path: 'boards', access: 'read', field: 'group_id', on, where: [] },
      { model: 'Board', path: 'boards', access: 'write', field: 'group_id', on, where: editor },
      { model: 'Card', path: 'cards', access: 'read', field: null, on, where: [] },
      { model: 'Card', path: 'cards', access: 'write', field: null, on, where: editor },
    ]);
    expect(await service.ok('GET', '/admin/meta/Board', { token })).not.toHaveProperty('opens');
    expect(await service.ok('GET', '/api/v1/meta/Seat', { token })).not.toHaveProperty('opens');
  });
});
