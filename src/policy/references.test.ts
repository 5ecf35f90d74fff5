import { describe, expect, it } from 'vitest';
import { anonymous, type Principal } from '../auth/principal.ts';
import { field } from '../fields/define.ts';
import { defineResource } from '../model/define-resource.ts';
import { collectModels } from '../model/models.ts';
import type { ResourceModel } from '../model/resource.ts';
import { equals, own as ownRecords } from '../model/row-rule.ts';
import { decide, modelsOfGrants } from './decide.ts';
import type { ResourceRule, Showing } from './rule.ts';
import { testUser } from './test-user.ts';

const application: Principal = { kind: 'application', appId: 'shop', method: 'signature' };
const viewer = testUser(['viewer']);

const fields = { title: field.string(), published: field.boolean(), user_id: field.owner() };
const open = defineResource('Open', { fields });
const isolated = defineResource('Isolated', { fields, isolation: true });
const checked = defineResource('Checked', { fields, permissions: 'all' });
const published = defineResource('Published', {
  fields,
  permissions: 'all',
  isolation: true,
  publicRead: { where: { published: true } },
});

const showing = (model: ResourceModel): Showing => ({
  auth: model.rules.publicRead === undefined ? ['jwt'] : [],
  policy: { kind: 'resource', model, action: 'detail', area: 'api' },
});
const users: Showing = { auth: ['bearer'], policy: { kind: 'isolated', own: 'id', readable: ['id'] } };

const pointerFields = {
  open: field.reference('Open'),
  isolated: field.reference('Isolated'),
  checked: field.reference('Checked'),
  published: field.reference('Published'),
  person: field.reference('User'),
};
const references = new Map([
  ['open_id', showing(open)],
  ['isolated_id', showing(isolated)],
  ['checked_id', showing(checked)],
  ['published_id', showing(published)],
  ['person_id', users],
]);
const pointer = defineResource('Pointer', {
  fields: pointerFields,
  views: { detail: ['id', 'isolated_id', 'checked_id'], saved: ['id', 'checked_id'] },
});

const creating: ResourceRule = {
  kind: 'resource',
  model: pointer,
  action: 'create',
  area: 'api',
  references,
};
const updating: ResourceRule = { ...creating, action: 'update', shown: showing(pointer) };

const named = (rule: ResourceRule, principal: Principal) => {
  const decision = decide(rule, principal);
  if (!decision.allowed) throw new Error('refused');
  return Object.fromEntries(decision.grant.references ?? []);
};

const own = (column: string) => [{ column, value: 7 }];
const live = [{ column: 'published', value: true, said: 'true' }];

describe('what a reference may name', () => {
  it('a reference may name what the endpoint that shows it would show this caller', () => {
    expect(named(creating, viewer)).toEqual({
      isolated_id: { rows: own('user_id'), kept: 'none' },
      checked_id: { rows: 'none', kept: 'none' },
      published_id: { rows: live, kept: 'none' },
      person_id: { rows: own('id'), kept: 'none' },
    });
    expect(named(creating, testUser(['clerk'], ['Checked.read']))).not.toHaveProperty('checked_id');
    expect(named(creating, testUser(['super_admin']))).toEqual({
      published_id: { rows: live, kept: 'none' },
    });
    expect(named(creating, testUser(['admin']))).toEqual({
      checked_id: { rows: 'none', kept: 'none' },
      published_id: { rows: live, kept: 'none' },
    });
  });

  it('a reference may name nothing where that endpoint does not take the method by which the caller came', () => {
    const none = { rows: 'none', kept: 'none' };
    const byKey = { open_id: none, isolated_id: none, checked_id: none, person_id: none };
    for (const principal of [application, { ...testUser(['super_admin']), method: 'api_key' } as const])
      expect(named(creating, principal)).toEqual({ ...byKey, published_id: { rows: live, kept: 'none' } });
    expect(named(creating, { ...testUser(['super_admin']), method: 'bearer' })).toEqual({
      published_id: { rows: live, kept: 'none' },
    });
  });

  it('a reference may stay on update where the caller reads it: in this answer, or in the detail', () => {
    expect(named(updating, viewer)).toMatchObject({
      isolated_id: { kept: [] },
      checked_id: { kept: [] },
      published_id: { kept: 'none' },
      person_id: { kept: 'none' },
    });
    // An application sees no detail of a model that takes tokens only.
    expect(named(updating, application)).toMatchObject({
      isolated_id: { kept: 'none' },
      checked_id: { kept: [] },
    });
  });

  it('a reference may stay only in records that show it to the caller, where it depends on the record', () => {
    const veiled = defineResource('Veiled', {
      fields: {
        isolated: field.reference('Isolated'),
        checked: field.reference('Checked'),
        state: field.string(),
        user_id: field.owner(),
      },
      auth: ['jwt', 'signature'],
      views: {
        when: [
          [ownRecords(), ['isolated_id']],
          [equals('state', 'open'), ['checked_id']],
        ],
      },
    });
    const model = collectModels([veiled, isolated, checked]).get('Veiled');
    if (model === undefined) throw new Error('Veiled');
    const rule: ResourceRule = {
      kind: 'resource',
      model,
      action: 'update',
      area: 'api',
      references: new Map([...references].filter(([name]) => model.fields.has(name))),
      shown: {
        auth: ['jwt', 'signature'],
        policy: { kind: 'resource', model, action: 'detail', area: 'api' },
      },
    };
    const open = { column: 'state', value: 'open' };
    expect(named(rule, viewer)).toEqual({
      isolated_id: { rows: own('user_id'), kept: own('user_id') },
      checked_id: { rows: 'none', kept: [open] },
    });
    // Applications own no record.
    expect(named(rule, application)).toEqual({
      isolated_id: { rows: 'none', kept: 'none' },
      checked_id: { rows: 'none', kept: [open] },
    });
    expect(named(rule, testUser(['admin']))).toEqual({ checked_id: { rows: 'none', kept: [] } });
  });

  it('a reference may name whatever exists where the rule names no reference', () => {
    const { references: _, ...free } = creating;
    for (const principal of [anonymous, application, viewer]) expect(named(free, principal)).toEqual({});
  });
});

describe('the grants that a decision asks about', () => {
  const plain = (model: ResourceModel, action: ResourceRule['action']): ResourceRule => ({
    kind: 'resource',
    model,
    action,
    area: 'api',
  });

  it('a decision asks about the grants of the models whose permission entries it looks at, and no other', () => {
    expect(modelsOfGrants({ kind: 'open' })).toEqual([]);
    expect(modelsOfGrants(plain(open, 'detail'))).toEqual([]);
    expect(modelsOfGrants(plain(checked, 'detail'))).toEqual(['Checked']);
    expect(modelsOfGrants(plain(published, 'detail'))).toEqual([]);
    expect(modelsOfGrants({ ...plain(published, 'detail'), area: 'admin' })).toEqual(['Published']);
    expect(modelsOfGrants(plain(published, 'update'))).toEqual(['Published']);
    expect(modelsOfGrants(creating)).toEqual(['Checked']);
    const guarded = defineResource('Guarded', { fields: pointerFields, permissions: 'all' });
    const update: ResourceRule = { ...updating, model: guarded, shown: showing(guarded) };
    expect(modelsOfGrants(update)).toEqual(['Guarded', 'Checked']);
  });
});
