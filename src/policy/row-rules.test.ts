import { describe, expect, it } from 'vitest';
import { anonymous, type Principal } from '../auth/principal.ts';
import { field } from '../fields/define.ts';
import { en } from '../kernel/messages/en.ts';
import { reasonText } from '../kernel/messages/reason.ts';
import { defineResource } from '../model/define-resource.ts';
import { collectModels } from '../model/models.ts';
import type { Action, ResourceModel } from '../model/resource.ts';
import { allOf, anyOf, equals, member, own, via } from '../model/row-rule.ts';
import { admit, decide, isHeldToRule, named, readsOwn, reason } from './decide.ts';
import type { ResourceRule } from './rule.ts';
import { testUser } from './test-user.ts';

/** Row rules in decisions: the rule of each action, and those beside public reads. */

const fields = {
  state: field.string({ max: 20 }),
  agent: field.reference('User'),
  parent: field.reference('Ticket'),
  user_id: field.owner(),
};
const isNew = equals('state', 'new');
const models = collectModels([
  defineResource('Ticket', {
    fields,
    isolation: { read: anyOf(own(), isNew), write: allOf(own(), isNew), update: own('agent') },
  }),
  defineResource('Same', {
    fields,
    isolation: via('parent', member('id', { of: 'Ticket', on: 'parent_id' })),
  }),
  defineResource('Destroyed', { fields, isolation: { read: own(), destroy: isNew } }),
  defineResource('Owned', { fields, isolation: true }),
  defineResource('Free', { fields }),
  defineResource('Story', {
    fields,
    permissions: 'all',
    isolation: own('agent'),
    publicRead: { where: { state: 'live' }, orOwn: true },
    views: { when: [[own('agent'), ['parent_id']]] },
    trash: true,
    manage: own('agent'),
  }),
  defineResource('Case', {
    fields,
    isolation: own(),
    permissions: 'all',
    trash: true,
    manage: equals('state', 'live'),
  }),
]);
const model = (name: string): ResourceModel => {
  const found = models.get(name);
  if (found === undefined) throw new Error(name);
  return found;
};

const application: Principal = { kind: 'application', appId: 'shop', method: 'signature' };
const viewer = testUser(['viewer'], ['Story.read']);
const admin = testUser(['admin'], ['Story.read']);
const writes = ['create', 'update', 'destroy'] as const;

const decided = (name: string, action: Action, principal: Principal) => {
  const decision = decide({ kind: 'resource', model: model(name), action, area: 'api' }, principal);
  if (!decision.allowed) throw new Error('refused');
  const { rows, writes: held, readable, mask } = decision.grant;
  return { rows, writes: held, readable, mask, steps: decision.steps };
};
const isolationOf = (name: string, action: Action, principal: Principal) => {
  const step = decided(name, action, principal).steps.find(({ rule }) => rule === 'isolation');
  return `${step?.outcome}: ${step && reasonText(en, step.because)}`;
};

describe('the rule of an action', () => {
  it('holds beside that of reading, by which a record is reached', () => {
    const reached = [{ rule: { expression: { kind: 'anyOf' } }, caller: viewer.id }];
    const owner = { column: 'user_id', value: viewer.id };
    const written = { column: 'state', value: 'new' };
    expect(decided('Ticket', 'create', viewer)).toMatchObject({ rows: [], writes: [owner, written] });
    expect(decided('Ticket', 'update', viewer)).toMatchObject({
      rows: reached,
      writes: [{ column: 'agent_id', value: viewer.id }],
    });
    expect(decided('Ticket', 'destroy', viewer)).toMatchObject({ rows: reached, writes: [owner, written] });
    for (const action of ['list', 'detail'] as const) {
      expect(decided('Ticket', action, viewer)).toMatchObject({ rows: reached });
      expect(decided('Ticket', action, viewer).writes).toBeUndefined();
    }
    expect(isolationOf('Ticket', 'create', viewer)).toBe('narrowed: user_id = caller and state = new');
    expect(isolationOf('Ticket', 'update', viewer)).toBe('narrowed: user_id = caller or state = new');
  });

  it('leaves applications the conditions that ask for no caller, and binds no administrator', () => {
    const open = [{ column: 'state', value: 'new' }];
    expect(decided('Ticket', 'detail', application)).toMatchObject({ rows: open });
    expect(decided('Ticket', 'update', application)).toMatchObject({ rows: open, writes: 'none' });
    expect(decided('Same', 'create', application)).toMatchObject({ rows: [], writes: 'none' });
    for (const action of writes) expect(decided('Ticket', action, admin)).toMatchObject({ rows: [] });
    expect(isolationOf('Ticket', 'update', admin)).toBe('passed: admin');
  });

  it('the rule of an action is asked of a write unless reading says the same already', () => {
    const held = (name: string) => writes.filter((action) => isHeldToRule(model(name), action));
    expect(held('Ticket')).toEqual([...writes]);
    expect(held('Same')).toEqual(['create', 'update']);
    expect(held('Destroyed')).toEqual([...writes]);
    for (const name of ['Owned', 'Free']) expect(held(name)).toEqual([]);
    for (const action of ['list', 'detail'] as const)
      expect(isHeldToRule(model('Ticket'), action)).toBe(false);
    const reached = decided('Same', 'destroy', viewer);
    expect(reached).toMatchObject({ rows: [{ rule: { expression: { kind: 'via' } }, caller: viewer.id }] });
    expect(reached.writes).toBeUndefined();
  });
});

describe('records beside published ones', () => {
  const live = [{ column: 'state', value: 'live', said: 'live' }];
  const steps = (principal: Principal) =>
    decided('Story', 'list', principal).steps.map(
      (step) => `${step.rule} ${step.outcome}: ${reasonText(en, step.because)}`,
    );
  const published = 'public_read passed: state = live';

  it('records beside published ones are those that isolation grants to callers who may read them', () => {
    expect(decided('Story', 'list', viewer)).toMatchObject({
      rows: [{ rule: { expression: { kind: 'anyOf' } }, caller: viewer.id }],
    });
    expect(steps(viewer)).toEqual([
      published,
      'permission passed: viewer: Story read',
      'isolation narrowed: state = live or agent_id = caller',
    ]);
    expect(decided('Story', 'list', admin)).toMatchObject({ rows: [] });
    expect(steps(admin)).toEqual([
      published,
      'permission passed: admin: Story read',
      'isolation passed: admin',
    ]);
  });

  it('records beside published ones are none without a grant, without the scope, by another method, and for anonymous callers', () => {
    const ungranted = testUser(['viewer', 'clerk']);
    expect(steps(ungranted)).toEqual([published, 'permission narrowed: viewer, clerk: Story read']);
    const scoped = { ...viewer, scopes: new Set(['tickets:read', 'frees:read']) };
    expect(steps(scoped)).toEqual([published, 'key_scope narrowed: tickets:read, frees:read']);
    expect(steps({ ...viewer, scopes: new Set(['stories:read']) })).toHaveLength(3);
    for (const principal of [ungranted, scoped, anonymous, application])
      expect(decided('Story', 'list', principal)).toMatchObject({ rows: live });
    for (const principal of [anonymous, application]) expect(steps(principal)).toEqual([published]);
  });

  it('records beside published ones show their fields as to anybody where the caller reads no more than anybody', () => {
    const shown = (principal: Principal) => {
      const { mask, readable } = decided('Story', 'list', principal);
      return [mask?.key, readable.includes('parent_id')];
    };
    expect(shown(viewer)).toEqual(['user', true]);
    expect(shown({ ...viewer, scopes: new Set(['stories:read']) })).toEqual(['user', true]);
    expect(shown(admin)).toEqual([undefined, true]);
    const ungranted = testUser(['viewer']);
    const scoped = { ...viewer, scopes: new Set(['frees:read']) };
    const byKey = { ...viewer, method: 'api_key' } as const;
    for (const principal of [ungranted, scoped, byKey, anonymous, application])
      expect(shown(principal)).toEqual(['others', false]);
  });

  it('records beside published ones are read by a rule that differs from other reads', () => {
    const rule = (name: string, action: Action) =>
      readsOwn({ kind: 'resource', model: model(name), action, area: 'api' });
    expect(rule('Story', 'list')).toBe(true);
    expect([rule('Story', 'update'), rule('Ticket', 'list'), readsOwn({ kind: 'open' })]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('the scopes of a key', () => {
  const scoped = { ...viewer, scopes: new Set(['frees:read', 'frees:update']) };

  it('the scopes of a key are asked before every other rule', () => {
    expect(decided('Free', 'list', scoped).steps[0]).toEqual({
      rule: 'key_scope',
      outcome: 'passed',
      because: named('frees:read: frees:read, frees:update'),
    });
    const refused = decide({ kind: 'resource', model: model('Free'), action: 'create', area: 'api' }, scoped);
    expect(refused).toMatchObject({
      allowed: false,
      steps: [
        { rule: 'key_scope', outcome: 'refused', because: named('frees:create: frees:read, frees:update') },
      ],
      problem: { code: 40305 },
    });
    expect(refused.steps).toHaveLength(1);
    expect(decide({ kind: 'user' }, scoped)).toMatchObject({
      allowed: false,
      steps: [{ because: reason('no_scope', { held: ['frees:read', 'frees:update'] }) }],
    });
  });

  it('the scopes of a key are not asked for what is open to everyone', () => {
    const open = decide({ kind: 'open', readable: ['id', 'name'] }, scoped);
    expect(open).toMatchObject({ allowed: true, grant: { rows: [], readable: ['id', 'name'] } });
    expect(open.steps).toHaveLength(1);
    expect(decided('Story', 'list', scoped).steps[0]?.rule).toBe('public_read');
  });
});

describe('the rule for deleted records', () => {
  const managedIn = (name: string, action: 'list' | 'create'): ResourceRule => {
    const rule = { kind: 'resource', model: model(name), area: 'api' } as const;
    return {
      ...rule,
      action,
      managed: { auth: ['jwt', 'signature'], policy: { ...rule, action: 'detail' } },
    };
  };
  const managing = (action: 'list' | 'create', principal: Principal, name = 'Case') =>
    decide(managedIn(name, action), principal);
  const entries = ['Case.read', 'Case.create'];
  const manager = testUser(['viewer'], entries);
  const rowsFor = (action: 'list' | 'create', principal: Principal) => {
    const decision = managing(action, principal);
    return decision.allowed ? decision.grant.rows : decision.problem.code;
  };

  it('admits records that the caller reads and manages, for a list and for a create', () => {
    const rows = [
      { column: 'user_id', value: 7 },
      { column: 'state', value: 'live' },
    ];
    for (const action of ['list', 'create'] as const) expect(rowsFor(action, manager)).toEqual(rows);
    expect(managing('list', manager).steps.at(-1)).toEqual({
      rule: 'manage',
      outcome: 'narrowed',
      because: named('state = live'),
    });
    expect(rowsFor('create', testUser(['admin'], entries))).toEqual([]);
  });

  it('admits none where the caller reads none, and refuses without the permission', () => {
    expect(rowsFor('create', testUser(['viewer'], ['Case.create']))).toBe('none');
    expect(rowsFor('create', testUser(['viewer'], ['Case.read']))).toBe(40300);
    expect(rowsFor('list', application)).toBe(40300);
  });

  it('asks for the scope of a key, also where published records need none', () => {
    const keyWith = (...scopes: string[]): Principal => ({ ...viewer, scopes: new Set(scopes) });
    const refused = managing('list', keyWith('frees:read'), 'Story');
    expect(refused).toMatchObject({ allowed: false, problem: { code: 40305 } });
    expect(managing('list', keyWith('stories:read'), 'Story').allowed).toBe(true);
  });

  it('counts the scope of reading among those that a restoring key uses', () => {
    const uses = new Set<string>();
    expect(admit(managedIn('Case', 'create'), { ...manager, uses }).allowed).toBe(true);
    expect([...uses]).toEqual(['cases:create', 'cases:read']);
  });

  it('refuses a method that the action does not take, and a model without such a rule', () => {
    expect(rowsFor('list', { ...manager, method: 'api_key' })).toBe(40300);
    expect(managing('list', testUser(['viewer']), 'Free').allowed).toBe(false);
  });
});
