/** Tenants by the row rules that name their members: names, ambiguity, and what counts as a membership. */
import { describe, expect, it } from 'vitest';
import { field } from '../fields/define.ts';
import { defineResource } from './define-resource.ts';
import { collectModels } from './models.ts';
import { anyOf, member, own, type RowRule, via } from './row-rule.ts';
import { findTenancy } from './tenancy.ts';

const clinic = field.reference('Clinic', { required: true });
const memberships = { clinic, role: field.enum(['guest', 'doctor', 'owner']), user_id: field.owner() };

/** Models with clinics, their staff, and patients for whom a rule decides. */
const modelsWith = (
  rule: RowRule,
  options: object = {},
  extra: Readonly<Record<string, Parameters<typeof defineResource>[1]['fields']>> = {},
) =>
  collectModels([
    defineResource('Clinic', { fields: { name: field.string(), user_id: field.owner() } }),
    defineResource('Staff', { fields: memberships, plural: 'staff_members', singular: 'staff_member' }),
    defineResource('Visitor', { fields: memberships }),
    defineResource('Patient', {
      fields: { clinic, name: field.string(), user_id: field.owner() },
      isolation: rule as never,
      ...options,
    }),
    ...Object.entries(extra).map(([name, fields]) => defineResource(name, { fields })),
  ]);

const ofStaff = (role?: string | readonly string[]) =>
  member('clinic_id', role === undefined ? { of: 'Staff' } : { of: 'Staff', where: { role } });
const ofVisitors = member('clinic_id', { of: 'Visitor' });
const find = (models: ReturnType<typeof modelsWith>, name = 'clinic') =>
  findTenancy(models, name, 'limits.a.per');

describe('the name of a tenant', () => {
  it.each(['clinic', 'clinic_id', 'Staff.clinic', 'Staff.clinic_id'])(
    'the name %s finds the tenant',
    (name) => {
      expect(find(modelsWith(ofStaff()), name)).toMatchObject({
        model: 'Staff',
        stored: expect.objectContaining({ name: 'staff_members' }),
        owner: 'user_id',
        on: 'clinic_id',
        tenant: 'Clinic',
        demands: [],
      });
    },
  );

  it('a name that several models of memberships have needs that of the model', () => {
    const models = modelsWith(anyOf(ofStaff(), ofVisitors));
    expect(() => find(models)).toThrow(
      'configuration: limits.a.per may mean "Staff.clinic" or "Visitor.clinic": name one of them',
    );
    expect(find(models, 'Visitor.clinic')).toMatchObject({ model: 'Visitor', on: 'clinic_id' });
    expect(() => find(models, 'klinik')).toThrow(
      'limits.a.per must be "caller", "network" or a tenant, "Staff.clinic" or "Visitor.clinic", not "klinik"',
    );
  });

  it('no reference is a tenant where no rule names members', () => {
    expect(() => find(modelsWith(own()))).toThrow(
      'limits.a.per must be "caller" or "network", not "clinic": no row rule names the members of a tenant',
    );
  });

  it('members without a reference to a model have no tenant', () => {
    const friends = { friend: field.reference('User'), code: field.string(), user_id: field.owner() };
    const byUser = member('user_id', { of: 'Friend', on: 'friend_id' });
    const byText = member('name', { of: 'Friend', on: 'code' });
    const models = modelsWith(anyOf(byUser, byText), {}, { Friend: friends });
    for (const name of ['friend', 'code', 'user'])
      expect(() => find(models, name)).toThrow('no row rule names the members of a tenant');
  });
});

describe('what counts as a membership', () => {
  const demanded = (models: ReturnType<typeof modelsWith>) =>
    find(models).demands.map((demand) => demand.map(({ column, values }) => [column, ...values]));

  it('a membership counts if it meets one of the rules', () => {
    expect(
      demanded(modelsWith(anyOf(ofStaff('owner'), ofStaff(['doctor', 'owner']), ofStaff('owner')))),
    ).toEqual([[['role', 'owner']], [['role', 'doctor', 'owner']]]);
  });

  it('every membership counts where a rule demands nothing', () => {
    expect(demanded(modelsWith(anyOf(ofStaff('owner'), ofStaff())))).toEqual([]);
  });

  it.each<[string, object]>([
    ['manage', { trash: true, manage: ofStaff('owner') }],
    ['restricted', { restricted: [{ fields: ['name'], unless: ofStaff('owner') }] }],
    ['views', { views: { when: [[ofStaff('owner'), ['name']]] } }],
    ['one action', { isolation: { read: 'everyone', write: own(), destroy: ofStaff('owner') } }],
    [
      'a rule behind a reference',
      { isolation: via('clinic', member('id', { of: 'Staff', on: 'clinic_id', where: { role: 'owner' } })) },
    ],
  ])('memberships follow the rules in %s', (_, options) => {
    expect(demanded(modelsWith(own(), options))).toEqual([[['role', 'owner']]]);
  });
});
