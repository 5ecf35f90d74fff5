import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anonymous, type Principal, type UserPrincipal } from '../auth/principal.ts';
import { field } from '../fields/define.ts';
import { en } from '../kernel/messages/en.ts';
import { reasonText } from '../kernel/messages/reason.ts';
import { defineResource } from '../model/define-resource.ts';
import { type Action, actions, type ResourceModel } from '../model/resource.ts';
import { decide, reason, writableFields } from './decide.ts';
import type { Grant } from './grant.ts';
import { MintedGrant } from './mint.ts';
import type { Rule } from './rule.ts';
import { systemGrant } from './system-grant.ts';
import { testUser } from './test-user.ts';

/** `granted`: actions on every model of these tests. */
const user = (roles: readonly string[], granted: readonly string[] = []): UserPrincipal =>
  testUser(
    roles,
    granted.flatMap((action) => ['Plain', 'Guarded', 'Published'].map((model) => `${model}.${action}`)),
  );

const application: Principal = { kind: 'application', appId: 'shop', method: 'signature' };
const viewer = user(['viewer']);
const admin = user(['admin']);
const root = user(['super_admin']);

const fields = {
  title: field.string({ required: true }),
  note: field.text(),
  published: field.boolean({ default: false }),
  user_id: field.owner(),
};
const plain = defineResource('Plain', { fields });
const guarded = defineResource('Guarded', {
  fields,
  views: { list: ['id', 'title'], detail: ['id', 'title', 'note'], saved: ['id'] },
  permissions: 'all',
  isolation: true,
  ownership: true,
  restricted: ['note'],
});
const published = defineResource('Published', {
  fields,
  permissions: 'all',
  isolation: true,
  publicRead: { where: { published: true } },
});

const resource = (model: ResourceModel, action: Action, area: 'api' | 'admin' = 'api'): Rule => ({
  kind: 'resource',
  model,
  action,
  area,
});

/** The decision in short: each step with its outcome, and what the grant allows. */
const weighed = (rule: Rule, principal: Principal) => {
  const decision = decide(rule, principal);
  const steps = decision.steps.map((step) => `${step.rule} ${step.outcome}: ${reasonText(en, step.because)}`);
  if (!decision.allowed) return { steps, problem: decision.problem.problem };
  const { rows, readable, writable, owner } = decision.grant;
  return { steps, rows, readable, writable: [...writable], owner };
};

describe('rules of fixed endpoints', () => {
  const own = { rows: [{ column: 'user_id', value: 7 }] };
  const every = { rows: [] };
  const forbidden = { problem: 'forbidden' };
  const table: readonly (readonly [Rule, readonly [Principal, object][]])[] = [
    [
      { kind: 'open' },
      [
        [anonymous, every],
        [application, every],
        [viewer, every],
      ],
    ],
    [
      { kind: 'identified' },
      [
        [anonymous, forbidden],
        [application, every],
        [viewer, every],
      ],
    ],
    [
      { kind: 'user' },
      [
        [anonymous, forbidden],
        [application, forbidden],
        [viewer, every],
        [root, every],
      ],
    ],
    [
      { kind: 'user', own: 'user_id' },
      [
        [application, forbidden],
        [viewer, own],
        [admin, own],
        [root, own],
      ],
    ],
    [
      { kind: 'isolated', own: 'user_id', readable: ['id'] },
      [
        [anonymous, forbidden],
        [application, forbidden],
        [viewer, own],
        [admin, every],
        [root, every],
      ],
    ],
    [
      { kind: 'administrator' },
      [
        [anonymous, forbidden],
        [application, forbidden],
        [viewer, forbidden],
        [user(['Admin', 'admins']), forbidden],
        [admin, every],
        [root, every],
      ],
    ],
    [
      { kind: 'administrator', own: 'user_id' },
      [
        [viewer, forbidden],
        [admin, own],
        [root, own],
      ],
    ],
    [
      { kind: 'roles', roles: ['clerk'] },
      [
        [anonymous, forbidden],
        [application, forbidden],
        [viewer, forbidden],
        [admin, forbidden],
        [root, every],
        [user(['viewer', 'clerk']), every],
      ],
    ],
    [
      { kind: 'roles', roles: [] },
      [
        [admin, forbidden],
        [root, every],
      ],
    ],
  ];

  for (const [rule, cases] of table)
    for (const [principal, outcome] of cases) {
      const who = principal.kind === 'user' ? principal.roles.join('+') : principal.kind;
      it(`decides the rule ${JSON.stringify(rule)} for ${who}`, () =>
        expect(weighed(rule, principal)).toMatchObject(outcome));
    }

  it('rules of fixed endpoints name the fields that may be read, and let none be written', () => {
    for (const rule of [
      { kind: 'user', readable: ['id'] },
      { kind: 'isolated', own: 'id', readable: ['id'] },
      { kind: 'administrator', readable: ['id'] },
    ] satisfies Rule[])
      expect(weighed(rule, admin)).toMatchObject({ readable: ['id'], writable: [] });
  });
});

describe('rules of a resource', () => {
  it('rules of a resource without options let every principal do everything but set what is the server’s', () => {
    for (const principal of [viewer, admin, application])
      for (const action of actions)
        expect(weighed(resource(plain, action), principal)).toEqual({
          steps: [
            'permission off: not checked',
            'isolation off: every record',
            'ownership off: not set',
            'restricted_fields off: none',
          ],
          rows: [],
          readable: [...plain.fields.keys()],
          writable: ['list', 'detail'].includes(action) ? [] : ['title', 'note', 'published', 'user_id'],
          owner: undefined,
        });
  });

  it('rules of a resource are asked in their order, and the first refusal ends it', () => {
    expect(weighed(resource(guarded, 'create'), user(['viewer', 'clerk'], ['create']))).toEqual({
      steps: [
        'permission passed: viewer, clerk: Guarded create',
        'isolation passed: a new record',
        'ownership passed: user_id = 7',
        'restricted_fields narrowed: note',
      ],
      rows: [],
      readable: ['id'],
      writable: ['title', 'published'],
      owner: 7,
    });
    expect(weighed(resource(guarded, 'update'), user(['viewer'], ['create', 'destroy', 'read']))).toEqual({
      steps: ['permission refused: viewer: Guarded update'],
      problem: 'forbidden',
    });
    expect(weighed(resource(guarded, 'update'), user(['viewer'], ['update']))).toMatchObject({
      rows: [{ column: 'user_id', value: 7 }],
      owner: undefined,
    });
  });

  it('rules of a resource give only super_admin the bypass of the permission table', () => {
    for (const action of actions) {
      expect(weighed(resource(guarded, action), root)).toMatchObject({ rows: [] });
      expect(weighed(resource(guarded, action), admin)).toMatchObject({ problem: 'forbidden' });
      expect(weighed(resource(guarded, action), application)).toMatchObject({ problem: 'forbidden' });
    }
    const granted = user(['admin'], ['create', 'read']);
    expect(weighed(resource(guarded, 'create'), granted)).toMatchObject({
      writable: ['title', 'note', 'published'],
      owner: 7,
    });
    expect(weighed(resource(guarded, 'detail'), granted)).toMatchObject({
      rows: [],
      readable: ['id', 'title', 'note'],
    });
  });

  it('rules of a resource take a grant on one model for none on another', () => {
    const elsewhere = {
      ...viewer,
      granted: ['Plain.create', 'Published.create', 'Guarded.update', 'create'],
    };
    expect(weighed(resource(guarded, 'create'), elsewhere)).toMatchObject({ problem: 'forbidden' });
    expect(weighed(resource(guarded, 'create'), { ...elsewhere, granted: ['Guarded.create'] })).toMatchObject(
      { owner: 7 },
    );
  });

  it('rules of a resource show an application no isolated record, and never those without an owner', () => {
    const isolated = defineResource('Isolated', { fields, isolation: true, ownership: true });
    for (const action of ['list', 'detail', 'update', 'destroy'] as const)
      expect(weighed(resource(isolated, action), application)).toMatchObject({ rows: 'none' });
    expect(weighed(resource(isolated, 'create'), application)).toMatchObject({ rows: [], owner: null });
  });

  it('rules of a resource show everybody the published records, and administrators all of them in their own area only', () => {
    const where = [{ column: 'published', value: true }];
    for (const principal of [anonymous, application, viewer, root])
      for (const action of ['list', 'detail'] as const)
        expect(weighed(resource(published, action), principal)).toMatchObject({ rows: where, writable: [] });
    for (const action of ['create', 'update', 'destroy'] as const)
      expect(weighed(resource(published, action), viewer)).toMatchObject({ problem: 'forbidden' });
    expect(weighed(resource(published, 'list', 'admin'), root)).toMatchObject({ rows: [] });
  });

  it('rules of the administration area let in administrators only, with every field, after the permission check', () => {
    for (const principal of [
      anonymous,
      application,
      viewer,
      user(['viewer'], ['create', 'read', 'update', 'destroy']),
    ])
      for (const action of actions)
        expect(weighed(resource(guarded, action, 'admin'), principal)).toMatchObject({
          steps: [expect.stringMatching(/^administrator refused/)],
          problem: 'forbidden',
        });
    expect(weighed(resource(guarded, 'update', 'admin'), admin)).toMatchObject({ problem: 'forbidden' });
    expect(weighed(resource(guarded, 'update', 'admin'), root)).toMatchObject({
      rows: [],
      readable: [...guarded.fields.keys()],
      writable: ['title', 'note', 'published', 'user_id'],
    });
  });

  it('rules of a resource never let the owner be taken from a body under ownership, except in the administration area', () => {
    for (const isolation of [true, false]) {
      const model = defineResource('Owned', { fields, isolation, ownership: true });
      for (const principal of [viewer, admin, root, application])
        expect(writableFields(model, principal, 'api').has('user_id')).toBe(false);
      expect(writableFields(model, admin, 'admin').has('user_id')).toBe(true);
    }
    const isolated = defineResource('Isolated', { fields, isolation: true });
    for (const model of [plain, isolated])
      expect(writableFields(model, viewer, 'api').has('user_id')).toBe(true);
  });
});

describe('a decision', () => {
  const roles = fc.subarray(['super_admin', 'admin', 'viewer', 'clerk']);
  const grants = fc.subarray(['create', 'update', 'destroy', 'read']);
  const anybody: fc.Arbitrary<Principal> = fc.oneof(
    fc.constantFrom<Principal>(anonymous, application),
    fc.tuple(roles, grants).map(([held, granted]) => user(held, granted)),
  );
  const anyRule: fc.Arbitrary<Rule> = fc.oneof(
    fc.constantFrom<Rule>(
      { kind: 'open' },
      { kind: 'identified' },
      { kind: 'user', own: 'user_id' },
      { kind: 'isolated', own: 'id', readable: [] },
      { kind: 'administrator' },
      { kind: 'roles', roles: ['clerk'] },
    ),
    fc
      .tuple(
        fc.constantFrom(plain, guarded, published),
        fc.constantFrom(...actions),
        fc.constantFrom('api' as const, 'admin' as const),
      )
      .map(([model, action, area]) => resource(model, action, area)),
  );

  it('a decision is refused exactly when its last step, and no other, refused', () => {
    fc.assert(
      fc.property(anyRule, anybody, (rule, principal) => {
        const { allowed, steps } = decide(rule, principal);
        const refused = steps.map(({ outcome }) => outcome === 'refused');
        expect(refused.lastIndexOf(true)).toBe(allowed ? -1 : steps.length - 1);
        expect(refused.filter(Boolean).length).toBe(allowed ? 0 : 1);
      }),
    );
  });

  it('a decision is the same for the same question, and more grants never take anything away', () => {
    fc.assert(
      fc.property(anyRule, anybody, (rule, principal) => {
        expect(weighed(rule, principal)).toEqual(weighed(rule, principal));
        if (principal.kind !== 'user' || !decide(rule, principal).allowed) return;
        const more = user(principal.roles, ['create', 'update', 'destroy', 'read']);
        expect(decide(rule, more).allowed).toBe(true);
      }),
    );
  });

  it('carries the principal in a grant that cannot be changed or forged', () => {
    const decision = decide(resource(plain, 'create'), viewer);
    if (!decision.allowed) throw new Error('refused');
    expect(decision.grant.principal).toBe(viewer);
    expect(Object.isFrozen(decision.grant)).toBe(true);
    expect(MintedGrant.made(decision.grant)).toBe(true);
    expect(MintedGrant.made(systemGrant(['id']))).toBe(true);
    const forged = { principal: root, rows: [], readable: [], writable: new Set<string>(), owner: undefined };
    expect(MintedGrant.made(forged)).toBe(false);
    expect(MintedGrant.made(Object.create(MintedGrant.prototype) as object)).toBe(false);
    // @ts-expect-error an object of the same shape is no grant
    const grant: Grant = forged;
    expect(grant).toBe(forged);
  });

  it('a decision of the system reaches every row and the named fields', () => {
    const grant = systemGrant(['id'], ['title']);
    expect([grant.rows, grant.readable, [...grant.writable], grant.principal]).toEqual([
      [],
      ['id'],
      ['title'],
      anonymous,
    ]);
  });
});

describe('a password that must be changed', () => {
  const due = { ...root, mustChangePassword: true };
  const everyRule: readonly Rule[] = [
    { kind: 'open' },
    { kind: 'identified' },
    { kind: 'user' },
    { kind: 'user', own: 'user_id', readable: ['id'] },
    { kind: 'isolated', own: 'id', readable: ['id'] },
    { kind: 'administrator' },
    { kind: 'roles', roles: ['viewer'] },
    ...actions.flatMap((action) =>
      [plain, guarded, published].flatMap((model) => [
        resource(model, action),
        resource(model, action, 'admin'),
      ]),
    ),
  ];

  it.each(everyRule.map((rule) => [JSON.stringify(rule).slice(0, 60), rule] as const))(
    'refuses before any other step: %s',
    (_, rule) => {
      expect(decide(rule, due)).toMatchObject({
        allowed: false,
        steps: [
          {
            rule: 'password_change',
            outcome: 'refused',
            because: reason('must_change_password', { user: 'ann' }),
          },
        ],
        problem: { code: 40302, status: 403 },
      });
      // The other steps of the rule stay as they are without it.
      expect(decide(rule, root).steps.map((step) => step.rule)).not.toContain('password_change');
    },
  );

  it('lets through where the rule says so, and only that far', () => {
    const rule: Rule = { kind: 'administrator', beforePasswordChange: true };
    expect(decide(rule, due)).toMatchObject({
      allowed: true,
      steps: [
        { rule: 'password_change', outcome: 'passed' },
        { rule: 'administrator', outcome: 'passed' },
      ],
    });
    expect(decide(rule, { ...viewer, mustChangePassword: true })).toMatchObject({
      allowed: false,
      problem: { code: 40300 },
    });
  });

  it('concerns neither applications nor strangers', () => {
    expect(decide({ kind: 'identified' }, application).allowed).toBe(true);
    expect(decide({ kind: 'open' }, anonymous).allowed).toBe(true);
  });
});

describe('the second factor of the administration area', () => {
  const ofArea: readonly Rule[] = [
    { kind: 'administrator' },
    { kind: 'administrator', own: 'user_id', readable: ['id'], beforePasswordChange: true },
    ...actions.map((action) => resource(plain, action, 'admin')),
  ];
  const ofApi: readonly Rule[] = [
    { kind: 'open' },
    { kind: 'user' },
    { kind: 'isolated', own: 'id', readable: ['id'] },
    { kind: 'roles', roles: ['viewer'] },
    ...actions.map((action) => resource(plain, action)),
  ];
  const stepsOf = (rule: Rule, principal: Principal): readonly string[] =>
    decide(rule, principal).steps.map((step) => step.rule);

  it.each([
    ['missing', 40_304],
    ['due', 40_303],
  ] as const)(
    '%s: refuses in the area before any other step, and nothing in the API',
    (secondFactor, code) => {
      for (const rule of ofArea)
        expect(decide(rule, { ...root, secondFactor })).toMatchObject({
          allowed: false,
          steps: [{ rule: 'second_factor', outcome: 'refused' }],
          problem: { code, status: 403 },
        });
      for (const rule of ofApi)
        expect(decide(rule, { ...root, secondFactor })).toMatchObject({
          allowed: decide(rule, root).allowed,
          steps: decide(rule, root).steps,
        });
    },
  );

  it('due: leaves what sets one up; missing: leaves nothing', () => {
    const rule: Rule = { kind: 'administrator', beforeSecondFactor: true };
    expect(decide(rule, { ...root, secondFactor: 'due' }).allowed).toBe(true);
    expect(decide(rule, { ...root, secondFactor: 'missing' }).allowed).toBe(false);
  });

  it('given: is said, and none is not; a caller who is no administrator is refused as such', () => {
    for (const rule of ofArea) {
      expect(stepsOf(rule, { ...root, secondFactor: 'given' })[0]).toBe('second_factor');
      expect(stepsOf(rule, root)).not.toContain('second_factor');
      expect(decide(rule, { ...viewer, secondFactor: 'missing' })).toMatchObject({
        problem: { code: 40_300 },
      });
    }
  });

  it('comes after the change of a password', () => {
    const both = { ...root, mustChangePassword: true, secondFactor: 'due' } as const;
    expect(decide({ kind: 'administrator' }, both)).toMatchObject({ problem: { code: 40_302 } });
    expect(
      stepsOf({ kind: 'administrator', beforePasswordChange: true, beforeSecondFactor: true }, both),
    ).toEqual(['password_change', 'second_factor', 'administrator']);
  });
});
