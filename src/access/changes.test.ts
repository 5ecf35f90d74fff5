import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createApplication } from '../app/application.ts';
import { field } from '../fields/define.ts';
import { defineResource } from '../model/define-resource.ts';
import { allOf, anyOf, equals, member, own, via } from '../model/row-rule.ts';
import { defineEndpoint } from '../resources/application-endpoints.ts';
import { applicationPolicy } from './application-policy.ts';
import { changesBetween } from './changes.ts';
import { LockFileError, lockText, readLock } from './lock-file.ts';
import type { Policy } from './policy.ts';
import { checkOutcome } from './report.ts';

const inTeam = member('team_id', { of: 'Seat' });
const asOwner = member('team_id', { of: 'Seat', where: { role: 'owner' } });

/** An application whose tickets have these options. */
const applicationOf = (ticket: object, parts: object = {}) =>
  createApplication({
    resources: [
      defineResource('Team', { fields: { name: field.string({ required: true }) } }),
      defineResource('Seat', {
        fields: {
          team: field.reference('Team', { required: true }),
          role: field.enum(['viewer', 'owner'], { required: true }),
          user_id: field.owner(),
        },
        unique: [['user_id', 'team_id']],
      }),
      defineResource('Board', {
        fields: {
          team: field.reference('Team', { required: true }),
          open: field.boolean({ required: true }),
        },
      }),
      defineResource('Ticket', {
        fields: {
          team: field.reference('Team', { required: true }),
          board: field.reference('Board', { required: true, same: 'team' }),
          state: field.enum(['new', 'done'], { required: true }),
          price: field.decimal(),
          user_id: field.owner(),
        },
        ...ticket,
      }),
    ],
    ...parts,
  });

const policyFrom = (ticket: object, parts?: object): Policy =>
  applicationPolicy(applicationOf(ticket, parts));

/** The changes for tickets, in short: `list user wider`. The earlier policy has been written to a file and read. */
const changed = (before: Policy, after: Policy): readonly string[] =>
  changesBetween(readLock(lockText(before)), after)
    .conditions.filter((each) => each.changed)
    .map(({ subject, action, field: of, callers, judgement }) => {
      const kinds = callers.flatMap((group) => group.kinds).join('+');
      const place = [subject === 'Ticket' ? [] : subject, action, of === undefined ? [] : of.name, kinds];
      return [...place.flat(), judgement.verdict].join(' ');
    });

const rows = (before: unknown, after: unknown): readonly string[] =>
  changed(policyFrom({ isolation: before }), policyFrom({ isolation: after }));

const each = (verdict: string, actions = ['list', 'detail', 'create', 'update', 'destroy']) =>
  actions.map((action) => `${action} user ${verdict}`);

describe('changes between two policies', () => {
  it.each([
    ['narrower for a further condition', own(), allOf(own(), equals('state', 'new')), 'narrower'],
    ['wider for a further alternative', own(), anyOf(own(), equals('state', 'new')), 'wider'],
    ['different for another condition', own(), inTeam, 'differs'],
    ['equal in another order', anyOf(own(), inTeam), anyOf(inTeam, own()), 'equal'],
    ['equal for a part that another one implies', anyOf(inTeam, asOwner), inTeam, 'equal'],
    [
      'equal, where all roles are named',
      member('team_id', { of: 'Seat', where: { role: ['viewer', 'owner'] } }),
      inTeam,
      'equal',
    ],
    [
      'equal, where a member has one role only',
      allOf(asOwner, member('team_id', { of: 'Seat', where: { role: 'viewer' } })),
      allOf(own(), equals('state', 'new'), equals('state', 'done')),
      'equal',
    ],
    [
      'equal, where a reference keeps the same team',
      via('board', member('team_id', { of: 'Seat' })),
      inTeam,
      'equal',
    ],
    [
      'equal, where a board is open or not',
      anyOf(via('board', equals('open', true)), via('board', equals('open', false))),
      anyOf(equals('state', 'new'), equals('state', 'done')),
      'equal',
    ],
    ['wider where a role is not asked any more', asOwner, inTeam, 'wider'],
    [
      'narrower, where one of two values is left',
      anyOf(equals('state', 'new'), equals('state', 'done')),
      equals('state', 'new'),
      'narrower',
    ],
  ] as const)('the verdict about rows is %s', (_title, before, after, verdict) => {
    expect(rows(before, after)).toEqual(each(verdict));
  });

  it('the changes say who needs a grant from now on', () => {
    const before = policyFrom({});
    const after = policyFrom({ permissions: 'writes' });
    expect(changed(before, after)).toEqual(
      ['create', 'update', 'destroy'].map((action) => `${action} user+admin narrower`),
    );
    expect(changed(after, before)).toEqual(
      ['create', 'update', 'destroy'].map((action) => `${action} user+admin wider`),
    );
  });

  it('the changes name a method by which callers can call from now on', () => {
    const found = changesBetween(
      policyFrom({}),
      policyFrom({ auth: ['jwt', 'api_key', 'bearer'] }),
    ).conditions.filter((each) => each.changed);
    expect(found.map(({ action, callers }) => [action, callers])).toEqual(
      ['list', 'detail', 'create', 'update', 'destroy'].map((action) => [
        action,
        [{ kinds: ['user', 'admin', 'super_admin'], methods: ['api_key'] }],
      ]),
    );
  });

  it('the changes say what everybody reads from now on, and what users still read', () => {
    const before = policyFrom({ isolation: own() });
    const open = policyFrom({ isolation: own(), publicRead: { where: { state: 'done' } } });
    expect(changed(before, open).toSorted()).toEqual([
      'detail admin+super_admin narrower',
      'detail anonymous wider',
      'detail user differs',
      'list admin+super_admin narrower',
      'list anonymous wider',
      'list user differs',
    ]);
    const both = policyFrom({
      isolation: own(),
      publicRead: { where: { state: 'done' }, orOwn: true },
    });
    expect(changed(before, both).toSorted()).toEqual([
      'detail anonymous wider',
      'detail user wider',
      'list anonymous wider',
      'list user wider',
    ]);
  });

  it('the changes name single fields, as they are seen and as they are set', () => {
    const before = policyFrom({});
    const views = { when: [[own(), ['price']]] } as const;
    const seen = changed(before, policyFrom({ views: views }));
    expect(seen).toEqual(
      ['list', 'detail', 'create', 'update'].map((action) => `${action} price user narrower`),
    );
    const set = changed(before, policyFrom({ restricted: ['price'] }));
    expect(set).toEqual(['create price user narrower', 'update price user narrower']);
    const unless = policyFrom({ restricted: [{ fields: ['price'], unless: inTeam }] });
    expect(changed(before, unless)).toEqual(['create price user narrower', 'update price user narrower']);
    const none = policyFrom({ restricted: ['price'] });
    expect(changed(none, unless)).toEqual(['create price user wider', 'update price user wider']);
  });

  it('a reference to a user may name the caller, and anyone where the model says so', () => {
    const person = (anyone: boolean) =>
      policyFrom({ fields: { title: field.string(), person: field.reference('User', { anyone }) } });
    const [one, other] = [person(false), person(true)];
    expect(lockText(one)).toContain('user by jwt | writes person_id if: own(person_id)');
    expect(changed(one, other)).toEqual([
      ...['writes', 'names'].map(() => 'create person_id user wider'),
      ...['writes', 'names'].map(() => 'update person_id user wider'),
    ]);
  });

  it('a creator who becomes the owner creates fewer records than one who does not', () => {
    const before = policyFrom({});
    expect(changed(before, policyFrom({ ownership: true }))).toEqual([
      'create user+admin+super_admin narrower',
      'create user_id user+admin+super_admin narrower',
      'update user_id user+admin+super_admin narrower',
    ]);
  });

  it('the changes name deleted records, endpoints, their roles and registration', () => {
    const endpoint = (roles?: readonly string[]) =>
      defineEndpoint({ method: 'POST', path: '/close', ...(roles && { roles }), handle: () => undefined });
    const before = policyFrom({ trash: true }, { endpoints: [endpoint(['clerk'])] });
    const after = policyFrom(
      { trash: true, manage: inTeam },
      { endpoints: [endpoint()], config: { mail: 'log', registration: { roles: ['viewer'] } } },
    );
    expect(changed(before, after)).toEqual([
      'trash user wider',
      'trash admin+super_admin wider',
      'POST /api/v1/close call user+admin wider',
      'User register anonymous wider',
    ]);
  });

  it('a change shows a record and a caller for whom it is so, in the words of the model', () => {
    const before = policyFrom({ isolation: own() });
    const after = policyFrom({ isolation: anyOf(own(), asOwner) });
    const list = changesBetween(before, after).conditions.find(
      ({ subject, action, changed: isChanged }) => subject === 'Ticket' && action === 'list' && isChanged,
    );
    const { gained, lost } = list?.judgement ?? {};
    expect(lost).toBeUndefined();
    expect(gained?.record['user_id']).not.toBe(gained?.caller);
    expect(gained?.related).toEqual([
      {
        model: 'Seat',
        record: {
          id: expect.any(Number),
          user_id: gained?.caller,
          team_id: gained?.record['team_id'],
          role: 'owner',
        },
        kept: false,
      },
    ]);
  });

  it('the changes name code that is new, changed or gone, and never call it equal', () => {
    const withHook = (beforeSave: () => void) => policyFrom({ hooks: { beforeSave } });
    const [one, same, other, none] = [
      withHook(() => undefined),
      withHook(() => undefined),
      withHook(() => {
        throw new Error('no');
      }),
      policyFrom({}),
    ];
    const states = (before: Policy, after: Policy) => {
      const changes = changesBetween(readLock(lockText(before)), after);
      return [changes.code.map(({ part, state }) => `${part} ${state}`).join(), checkOutcome(changes)];
    };
    expect(states(one, same)).toEqual(['beforeSave same', 'unchanged']);
    expect(states(one, other)).toEqual(['beforeSave changed', 'undecided']);
    expect(states(none, one)).toEqual(['beforeSave added', 'undecided']);
    expect(states(one, none)).toEqual(['beforeSave removed', 'undecided']);
  });

  it('a model that is gone, and one that is new, are lost and gained as a whole', () => {
    const person = defineResource('Person', { fields: { user_id: field.owner() } });
    const noted = defineResource('Note', {
      fields: { text: field.text(), of: field.reference('Person') },
      isolation: via('of', own()),
    });
    const one = applicationPolicy(createApplication({ resources: [person, noted] }));
    const other = applicationPolicy(createApplication({ resources: [person] }));
    const verdicts = (found: readonly string[]) => new Set(found.map((text) => text.split(' ').at(-1)));
    expect(verdicts(changed(one, other))).toEqual(new Set(['narrower']));
    expect(verdicts(changed(other, one))).toEqual(new Set(['wider']));
  });
});

describe('access.lock', () => {
  const whole = () =>
    policyFrom(
      {
        isolation: { read: anyOf(own(), inTeam, equals('price', '12.50')), write: via('board', inTeam) },
        views: { when: [[asOwner, ['price']]] },
        restricted: ['state', { fields: ['board_id'], unless: own() }],
        permissions: 'writes',
        history: true,
        trash: true,
        manage: asOwner,
        hooks: { beforeSave: () => undefined },
      },
      { config: { mail: 'log', registration: { roles: ['viewer'] } } },
    );

  it('access.lock is the same text when it is read and written again', () => {
    const text = lockText(whole());
    expect(lockText(readLock(text))).toBe(text);
    expect(text).toContain('equals(price, 1250 as "12.50")');
    expect(text).toContain('unique Seat user_id, team_id');
    expect(text).toContain('field Ticket.board_id reference integer required to Board same team_id');
    expect(lockText(readLock(text.replaceAll('\n', '\r\n')))).toBe(text);
  });

  it('access.lock has each fact in a line of its own', () => {
    const [one, other] = [
      lockText(policyFrom({ isolation: own() })).split('\n'),
      lockText(policyFrom({ isolation: inTeam })).split('\n'),
    ];
    const gone = one.filter((line) => !other.includes(line));
    expect(gone.map((line) => line.split(' ')[0])).toEqual(['Ticket', 'field', 'sha256']);
  });

  it.each([
    ['a manual edit', (text: string) => text.replace('own(user_id)', 'everything'), 'edited manually'],
    ['a line that is gone', (text: string) => text.replace(/^Ticket.*\n/m, ''), 'edited manually'],
    ['no checksum', (text: string) => text.replace(/^sha256.*\n/m, ''), 'edited manually'],
    ['another version', (text: string) => text.replace('version 1', 'version 7'), 'has version 7'],
    ['no version', () => 'hello\n', 'has no version'],
    ['nothing', () => '', 'has no version'],
    ['the marks of a merge', (text: string) => `<<<<<<< HEAD\n${text}`, 'marks of a merge'],
  ])('access.lock is refused with a sentence for %s', (_title, edit, because) => {
    const text = lockText(whole());
    expect(() => readLock(edit(text))).toThrow(LockFileError);
    expect(() => readLock(edit(text))).toThrow(because);
  });

  it.each([
    'Ticket list | user by jwt',
    'Ticket nap | user by jwt | records everything',
    'Ticket list | user by jwt | records own(',
    'Ticket list | user by jwt | records equals(state, null)',
    'Ticket list | user by jwt | records everything and more',
    `Ticket list | user by jwt | records ${'anyOf('.repeat(300)}`,
    'Ticket list | user by jwt | licks state',
    'field Ticket.state',
    'field Ticket.state enum octopus required',
    'field Ticket.state enum text required values [',
    'Ticket list | role %zz by jwt | records everything',
    'code beforeSave',
    'hello',
  ])('access.lock is refused with a sentence where its checksum is right and a line is none: %s', (line) => {
    const lines = ['version 1', line];
    const digest = createHash('sha256').update(lines.join('\n')).digest('hex');
    expect(() => readLock([...lines, `sha256 ${digest}`, ''].join('\n'))).toThrow(LockFileError);
  });
});
