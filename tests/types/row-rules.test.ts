import { describe, expect, it } from 'vitest';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { allOf, anyOf, equals, member, own, via } from '../../src/model/row-rule.ts';

const membership = defineResource('Membership', {
  fields: { team: field.reference('Team'), role: field.enum(['viewer', 'owner']), user_id: field.owner() },
});
const project = defineResource('Project', {
  fields: { team: field.reference('Team'), open: field.boolean(), lead: field.reference('User') },
});

const fields = {
  title: field.string({ max: 20 }),
  state: field.enum(['draft', 'public']),
  done: field.boolean({ required: true }),
  team: field.reference('Team'),
  project: field.reference('Project'),
  assignee: field.reference('User'),
  user_id: field.owner(),
} as const;

describe('types of row rules', () => {
  it('types of row rules take what the model has', () => {
    defineResource('Task', { fields, isolation: true });
    defineResource('Task', { fields, isolation: own() });
    defineResource('Task', { fields, isolation: { read: 'everyone', write: own('assignee') } });
    defineResource('Task', {
      fields,
      isolation: {
        read: 'everyone',
        write: own(),
        create: equals('state', 'draft'),
        destroy: own('assignee'),
      },
    });
    const rule = anyOf(
      own('assignee_id'),
      equals('state', 'public'),
      equals('done', true),
      member('team_id', { of: 'Membership', on: 'team_id', where: { role: ['owner'] } }),
      member('id', { of: membership, on: 'team_id', where: { role: 'owner' } }),
      via('project', allOf(equals('open', true), own('lead'))),
      via('project_id', member('team_id', { of: membership }), { of: project }),
      via('project', own('lead'), { of: 'Project' }),
    );
    const { saidIsolation } = defineResource('Task', { fields, isolation: { read: rule, write: rule } });
    expect(saidIsolation?.read).toBe(saidIsolation?.write);
  });

  it('types of row rules refuse fields that the model has not, and values that a field never has', () => {
    // @ts-expect-error: no such field
    defineResource('Task', { fields, isolation: own('asignee') });
    // @ts-expect-error: no reference to a user
    defineResource('Task', { fields, isolation: own('team') });
    // @ts-expect-error: no such field
    defineResource('Task', { fields, isolation: equals('stat', 'public') });
    // @ts-expect-error: no such value
    defineResource('Task', { fields, isolation: equals('state', 'open') });
    // @ts-expect-error: a value of another type
    defineResource('Task', { fields, isolation: equals('done', 'true') });
    // @ts-expect-error: no such field
    defineResource('Task', { fields, isolation: member('tem_id', { of: 'Membership' }) });
    // @ts-expect-error: no reference
    defineResource('Task', { fields, isolation: via('title', own()) });
    // @ts-expect-error: a mistake in one of several
    defineResource('Task', { fields, isolation: { read: anyOf(own(), equals('stat', 'public')) } });
    // @ts-expect-error: a mistake in one action
    defineResource('Task', { fields, isolation: { read: own(), destroy: own('title') } });
    // @ts-expect-error: a mistake on one side
    defineResource('Task', { fields, isolation: { read: own(), write: own('title') } });
    const define = {
      // @ts-expect-error: who writes everywhere needs no rule
      everyone: () => defineResource('Task', { fields, isolation: { read: own(), write: 'everyone' } }),
      // @ts-expect-error: there is no such direction
      reed: () => defineResource('Task', { fields, isolation: { reed: own() } }),
    };
    expect(define.everyone).toThrow('isolation.write must be made by own');
    expect(define.reed).toThrow('isolation.reed');
  });

  it('types of row rules hold the fields and the condition of a restriction to the model', () => {
    defineResource('Task', {
      fields,
      restricted: ['title', { fields: ['done', 'assignee', 'project_id'], unless: own('assignee') }],
    });
    const unknown = () =>
      // @ts-expect-error: no such field
      defineResource('Task', { fields, restricted: [{ fields: ['don'], unless: own() }] });
    expect(unknown).toThrow('restricted names the unknown field "don"');
    // @ts-expect-error: a condition on a field that the model has not
    defineResource('Task', { fields, restricted: [{ fields: ['done'], unless: own('asignee') }] });
  });

  it('types of row rules hold what is said of another model to that model, where it is given', () => {
    // @ts-expect-error: no such field
    member('team_id', { of: membership, on: 'tem_id' });
    // @ts-expect-error: no such value
    member('team_id', { of: membership, where: { role: 'boss' } });
    // @ts-expect-error: no such field in a condition
    member('team_id', { of: membership, where: { rank: 'owner' } });
    // @ts-expect-error: the condition is none on projects
    via('project', equals('state', 'public'), { of: project });
    // @ts-expect-error: no such option
    expect(() => member('team_id', { of: membership, wher: {} })).toThrow('wher');
    expect(() => allOf(own())).not.toThrow();
  });
});
