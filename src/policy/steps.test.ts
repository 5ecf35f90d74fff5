import { describe, expect, it } from 'vitest';
import { anonymous, type Principal } from '../auth/principal.ts';
import { field } from '../fields/define.ts';
import { en } from '../kernel/messages/en.ts';
import { reasonText } from '../kernel/messages/reason.ts';
import { defineResource } from '../model/define-resource.ts';
import { collectModels } from '../model/models.ts';
import type { Action, ResourceModel } from '../model/resource.ts';
import { equals, own as ownRecord } from '../model/row-rule.ts';
import { decide, modelsOfGrants } from './decide.ts';
import type { Grant } from './grant.ts';
import type { ResourceRule, Rule } from './rule.ts';
import { systemGrant } from './system-grant.ts';
import { testUser } from './test-user.ts';

const application: Principal = { kind: 'application', appId: 'shop', method: 'signature' };
const viewer = testUser(['viewer', 'clerk'], ['Memo.read', 'Memo.update']);
const admin = testUser(['viewer', 'admin']);
const root = testUser(['super_admin', 'clerk']);

const fields = {
  title: field.string(),
  state: field.string(),
  cost: field.integer(),
  margin: field.integer(),
  user_id: field.owner(),
};
const memo = defineResource('Memo', {
  fields,
  permissions: 'all',
  isolation: true,
  ownership: true,
  restricted: ['cost', 'margin'],
});
const notice = defineResource('Notice', {
  fields,
  permissions: 'writes',
  publicRead: { where: { state: 'live', cost: 0 } },
});
const ruled = collectModels([
  defineResource('Ruled', {
    fields,
    restricted: [
      'cost',
      { fields: ['margin'], unless: ownRecord() },
      { fields: ['state'], unless: equals('title', 'open') },
    ],
  }),
]).get('Ruled');
const free = defineResource('Free', { fields: { title: field.string() } });

const on = (model: ResourceModel, action: Action, area: 'api' | 'admin' = 'api'): ResourceRule => ({
  kind: 'resource',
  model,
  action,
  area,
});

/** Each step in words, as a person reads them. */
const wordsOf = (rule: Rule, principal: Principal): readonly string[] =>
  decide(rule, principal).steps.map(
    (step) => `${step.rule} ${step.outcome}: ${reasonText(en, step.because)}`,
  );

const grantOf = (rule: Rule, principal: Principal): Grant => {
  const decision = decide(rule, principal);
  if (!decision.allowed) throw new Error('refused');
  return decision.grant;
};

const user = 'user passed: user';
const own = 'isolation narrowed: user_id = 7';

describe('what a decision says of itself', () => {
  it.each<readonly [string, Rule, Principal, readonly string[]]>([
    ['open', { kind: 'open' }, anonymous, ['open passed: anybody']],
    ['identified', { kind: 'identified' }, anonymous, ['user refused: nobody']],
    ['identified, an application', { kind: 'identified' }, application, ['user passed: application']],
    ['identified, a user', { kind: 'identified' }, viewer, [user]],
    ['user', { kind: 'user' }, application, ['user refused: application']],
    ['user, one', { kind: 'user' }, viewer, ['user passed: ann']],
    ['user, own rows', { kind: 'user', own: 'user_id' }, viewer, ['user passed: ann', own]],
    [
      'isolated, an administrator',
      { kind: 'isolated', own: 'user_id', readable: ['id'] },
      admin,
      ['isolation passed: viewer, admin'],
    ],
    [
      'isolated',
      { kind: 'isolated', own: 'user_id', readable: ['id'] },
      viewer,
      ['user passed: ann', 'isolation narrowed: user_id = 7'],
    ],
    ['administrator', { kind: 'administrator' }, viewer, ['administrator refused: viewer, clerk']],
    ['administrator, one', { kind: 'administrator' }, admin, ['administrator passed: viewer, admin']],
    [
      'administrator, own rows',
      { kind: 'administrator', own: 'user_id' },
      root,
      ['administrator passed: super_admin, clerk', 'user passed: ann', own],
    ],
    [
      'roles',
      { kind: 'roles', roles: ['auditor', 'chief'] },
      viewer,
      ['role refused: viewer, clerk: one of auditor, chief'],
    ],
    [
      'roles, a holder',
      { kind: 'roles', roles: ['auditor', 'clerk'] },
      viewer,
      ['role passed: viewer, clerk: one of auditor, clerk'],
    ],
  ])('the steps of a decision say its outcome: %s', (_, rule, principal, steps) => {
    expect(wordsOf(rule, principal)).toEqual(steps);
  });

  const off = ['permission off: not checked', 'isolation off: every record', 'ownership off: not set'];
  const none = 'restricted_fields off: none';

  it.each<readonly [string, Rule, Principal, readonly string[]]>([
    [
      'a stranger reads what is published',
      on(notice, 'detail'),
      anonymous,
      ['public_read passed: state = live, cost = 0'],
    ],
    [
      'in the administration area the same is asked for',
      on(notice, 'list', 'admin'),
      root,
      ['administrator passed: super_admin, clerk', ...off, none],
    ],
    ['the area refuses a user', on(memo, 'list', 'admin'), viewer, ['administrator refused: viewer, clerk']],
    [
      'the area refuses an application',
      on(memo, 'list', 'admin'),
      application,
      ['administrator refused: application'],
    ],
    [
      'writes are checked where reads are not',
      on(notice, 'update'),
      viewer,
      ['permission refused: viewer, clerk: Notice update'],
    ],
    [
      'an application has no role',
      on(memo, 'list'),
      application,
      ['permission refused: application has no role'],
    ],
    [
      'a list asks for the entry to read, and own rows are left',
      on(memo, 'list'),
      viewer,
      ['permission passed: viewer, clerk: Memo read', own, 'ownership off: not set', none],
    ],
    [
      'an update keeps restricted fields',
      on(memo, 'update'),
      viewer,
      [
        'permission passed: viewer, clerk: Memo update',
        own,
        'ownership off: not set',
        'restricted_fields narrowed: cost, margin',
      ],
    ],
    [
      'a destroy asks for its own entry',
      on(memo, 'destroy'),
      viewer,
      ['permission refused: viewer, clerk: Memo destroy'],
    ],
    [
      'a super_admin creates for themselves, restricted fields included',
      on(memo, 'create'),
      root,
      [
        'permission passed: super_admin',
        'isolation passed: a new record',
        'ownership passed: user_id = 7',
        'restricted_fields passed: cost, margin',
      ],
    ],
    [
      'an administrator sees every record',
      on(memo, 'update'),
      testUser(['viewer', 'admin'], ['Memo.update']),
      [
        'permission passed: viewer, admin: Memo update',
        'isolation passed: viewer, admin',
        'ownership off: not set',
        'restricted_fields passed: cost, margin',
      ],
    ],
    ['nothing is asked where nothing was declared', on(free, 'create'), anonymous, [...off, none]],
  ])('the steps of a decision say its outcome: %s', (_, rule, principal, steps) => {
    expect(wordsOf(rule, principal)).toEqual(steps);
  });

  it('an application owns no record', () => {
    const kept = defineResource('Kept', { fields, isolation: true, ownership: true });
    expect(wordsOf(on(kept, 'detail'), application)).toEqual([
      'permission off: not checked',
      'isolation narrowed: application owns no record',
      'ownership off: not set',
      none,
    ]);
    expect(wordsOf(on(kept, 'create'), application)).toContain('ownership passed: user_id = null');
  });
});

describe('what a decision grants', () => {
  it('no field where the rule names none, and the named ones where it does', () => {
    for (const rule of [{ kind: 'open' }, { kind: 'user' }, { kind: 'administrator' }] as const)
      expect(grantOf(rule, root).readable).toEqual([]);
    const readable = ['id', 'title'];
    expect(grantOf({ kind: 'administrator', own: 'user_id', readable }, admin)).toMatchObject({
      readable,
      rows: [{ column: 'user_id', value: 7 }],
    });
  });

  it('a decision in the administration area grants every field, whatever the views show', () => {
    const narrow = defineResource('Narrow', { fields, views: { list: ['id'] } });
    expect(grantOf(on(narrow, 'list'), admin).readable).toEqual(['id']);
    expect(grantOf(on(narrow, 'list', 'admin'), admin).readable).toEqual([...narrow.fields.keys()]);
  });

  it('one of several roles is enough to be an administrator, and others are none', () => {
    expect(decide({ kind: 'administrator' }, testUser(['admin', 'clerk'])).allowed).toBe(true);
    expect(decide({ kind: 'administrator' }, testUser(['administrator', 'admins'])).allowed).toBe(false);
  });

  it('references as any that exist where the rule names none, and where each is met by every record', () => {
    expect(grantOf(on(free, 'create'), viewer).references).toBeUndefined();
    const open: ResourceRule = { ...on(free, 'detail') };
    const references = new Map([['free_id', { auth: [], policy: open }]]);
    expect(grantOf({ ...on(free, 'create'), references }, viewer).references).toBeUndefined();
  });

  it('a decision grants nothing to a caller who is refused, whatever the references may name', () => {
    const references = new Map([['free_id', { auth: [], policy: on(free, 'detail') }]]);
    expect(decide({ ...on(memo, 'create'), references }, viewer)).toMatchObject({
      allowed: false,
      problem: { problem: 'forbidden' },
    });
  });

  it('a decision grants the service itself what it was given, and nothing to write unless stated', () => {
    expect([...systemGrant(['id']).writable]).toEqual([]);
    expect([...systemGrant(['id'], ['title']).writable]).toEqual(['title']);
  });

  it('a decision grants nothing to write before the password is changed but where the rule says so', () => {
    const due = { ...root, mustChangePassword: true };
    expect(decide({ kind: 'user' }, due).allowed).toBe(false);
    expect(decide({ kind: 'user', beforePasswordChange: true }, due).allowed).toBe(true);
  });
});

it('a write asks for the grants of the model whose detail shows what may stay', () => {
  const shown = { auth: ['jwt'], policy: on(memo, 'detail') } as const;
  expect(modelsOfGrants({ ...on(free, 'update'), shown })).toEqual(['Memo']);
  expect(modelsOfGrants(on(notice, 'list'))).toEqual([]);
  expect(modelsOfGrants(on(notice, 'list', 'admin'))).toEqual([]);
  expect(modelsOfGrants(on(notice, 'create'))).toEqual(['Notice']);
});

describe('fields whose restriction depends on the record', () => {
  if (ruled === undefined) throw new Error('no model');
  const rest = ['title', 'user_id'];
  const words = (action: Action, principal: Principal): string | undefined =>
    wordsOf(on(ruled, action), principal).at(-1);

  it('fields whose restriction depends on the record are writable, each under its condition, for callers who can meet it', () => {
    const { writable, held } = grantOf(on(ruled, 'update'), viewer);
    expect([...writable].sort()).toEqual(['margin', 'state', ...rest].sort());
    expect(held).toMatchObject([
      { fields: ['margin'], rows: [{ column: 'user_id', value: viewer.id }] },
      { fields: ['state'], rows: [{ column: 'title', value: 'open' }] },
    ]);
    expect(words('update', viewer)).toBe('restricted_fields narrowed: cost, margin, state');
    const byApplication = grantOf(on(ruled, 'create'), application);
    expect([...byApplication.writable].sort()).toEqual(['state', ...rest].sort());
    expect(byApplication.held).toMatchObject([{ fields: ['state'] }]);
    expect(words('create', application)).toBe('restricted_fields narrowed: cost, margin, state');
  });

  it('fields whose restriction depends on the record are no question for administrators, for reads and for deletions', () => {
    const { writable, held } = grantOf(on(ruled, 'update'), admin);
    expect([writable.size, held]).toEqual([5, undefined]);
    expect(words('update', admin)).toBe('restricted_fields passed: cost, margin, state');
    for (const action of ['list', 'detail', 'destroy'] as const)
      expect(grantOf(on(ruled, action), viewer).held).toBeUndefined();
    expect(grantOf(on(memo, 'update'), viewer).held).toBeUndefined();
  });

  it('fields whose restriction depends on the record are settled for one record: what it meets is bound to the write, the rest cannot be written', () => {
    const grant = grantOf(on(ruled, 'update'), viewer);
    const [margin, state] = grant.held ?? [];
    if (margin === undefined || state === undefined) throw new Error('nothing is held');
    const settled = grant.settled([margin], [state]);
    expect([...settled.writable].sort()).toEqual(['margin', ...rest].sort());
    expect([settled.held, settled.settledRows]).toEqual([undefined, margin.rows]);
    expect(grant.settled([], [margin, state]).settledRows).toBeUndefined();
  });
});
