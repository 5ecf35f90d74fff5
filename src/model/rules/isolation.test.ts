import { describe, expect, it } from 'vitest';
import { field } from '../../fields/define.ts';
import { defineResource } from '../define-resource.ts';
import { collectModels } from '../models.ts';
import type { ResourceModel } from '../resource.ts';
import { allOf, anyOf, equals, member, own, via } from '../row-rule.ts';

const team = defineResource('Team', { fields: { name: field.string({ max: 20 }) } });
const membership = defineResource('Membership', {
  fields: {
    team: field.reference('Team'),
    role: field.enum(['viewer', 'owner']),
    share: field.decimal({ scale: 3 }),
    user_id: field.owner(),
  },
});
const invitation = defineResource('Invitation', { fields: { team: field.reference('Team') } });
const project = defineResource('Project', {
  fields: { team: field.reference('Team'), open: field.boolean() },
});

const fields = {
  title: field.string({ max: 20 }),
  details: field.json(),
  amount: field.decimal({ scale: 2 }),
  team: field.reference('Team'),
  project: field.reference('Project'),
  assignee: field.reference('User'),
};

/** A task under a rule, as a file in JavaScript may say it. */
const task = (isolation: unknown): ResourceModel =>
  defineResource('Task', { fields, isolation: isolation as never });

const models = (isolation: unknown) =>
  collectModels([team, membership, invitation, project, task(isolation)]);

const resolved = (isolation: unknown) => models(isolation).get('Task')?.rules.isolation;

describe('conditions on rows', () => {
  it('conditions on rows come to columns, tables and values as columns keep them', () => {
    const rule = anyOf(
      own('assignee'),
      equals('amount', '12.50'),
      via(
        'project',
        allOf(equals('open', true), member('team_id', { of: membership, where: { role: 'owner' } })),
      ),
    );
    expect(resolved(rule)?.read.expression).toEqual({
      kind: 'anyOf',
      rules: [
        { kind: 'own', column: 'assignee_id' },
        { kind: 'equals', column: 'amount', value: 1250, said: '12.50' },
        {
          kind: 'via',
          column: 'project_id',
          model: 'Project',
          stored: expect.objectContaining({ name: 'projects' }),
          rule: {
            kind: 'allOf',
            rules: [
              { kind: 'equals', column: 'open', value: true, said: 'true' },
              {
                kind: 'member',
                column: 'team_id',
                model: 'Membership',
                stored: expect.objectContaining({ name: 'memberships' }),
                on: 'team_id',
                owner: 'user_id',
                where: [{ column: 'role', values: ['owner'], said: ['owner'] }],
              },
            ],
          },
        },
      ],
    });
    expect(resolved(rule)?.read.words).toBe(
      'assignee_id = caller or amount = 12.50 or (project_id names a Project with ' +
        '(open = true and (team_id in Membership.team_id where user_id = caller and role = owner)))',
    );
  });

  it('conditions on rows stand for every action where one is said', () => {
    const one = resolved(own('assignee_id'));
    for (const action of ['create', 'update', 'destroy'] as const) expect(one?.[action]).toBe(one?.read);
    expect(resolved({ read: own('assignee_id') })).toEqual(one);
    expect(resolved({ write: own('assignee_id') })).toEqual(one);
    const two = resolved({ read: 'everyone', write: own('assignee_id') });
    expect(two).toMatchObject({
      read: { user: [], others: [], words: 'every record' },
      create: { others: 'none' },
    });
    expect(two?.destroy).toBe(two?.create);
  });

  it('conditions on rows stand for single actions, and for the others that of writing, or of reading', () => {
    const [reads, writes, deletes] = [own('assignee_id'), equals('title', 'x'), equals('title', 'gone')];
    const words = (isolation: unknown) => {
      const rules = resolved(isolation);
      return rules && [rules.read, rules.create, rules.update, rules.destroy].map((rule) => rule.words);
    };
    const read = 'assignee_id = caller';
    expect(words({ read: reads, write: writes, destroy: deletes })).toEqual([
      read,
      'title = x',
      'title = x',
      'title = gone',
    ]);
    expect(words({ read: reads, create: writes })).toEqual([read, 'title = x', read, read]);
    expect(words({ write: writes, update: reads })).toEqual(['title = x', 'title = x', read, 'title = x']);
    expect(words({ read: 'everyone', create: reads, update: writes, destroy: deletes })).toEqual([
      'every record',
      read,
      'title = x',
      'title = gone',
    ]);
    const rules = resolved({ read: reads, create: writes });
    expect(rules?.destroy).toBe(rules?.read);
  });

  it('conditions on rows leave callers who are no users what asks for no caller', () => {
    const open = equals('title', 'open');
    expect(resolved(anyOf(own('assignee'), open))?.read.others).toMatchObject([
      { expression: { kind: 'equals' } },
    ]);
    expect(resolved(allOf(own('assignee'), open))?.read.others).toBe('none');
    expect(resolved(via('project', member('team_id', { of: 'Membership' })))?.read.others).toBe('none');
    expect(resolved(via('project', equals('open', true)))?.read.others).toHaveLength(1);
    expect(resolved(anyOf(own('assignee'), member('team_id', { of: membership })))?.read.others).toBe('none');
  });

  it('conditions on rows of fields are resolved alike, and hold for no record before all models are known', () => {
    const model = defineResource('Task', {
      fields,
      restricted: ['title', { fields: ['amount'], unless: own('assignee') }],
    });
    expect(model.rules.restrictedUnless).toMatchObject([
      { fields: ['amount'], condition: { others: 'none' } },
    ]);
    expect(model.rules.restrictedUnless[0]?.condition.words).toBe('no record');
    const rules = collectModels([team, membership, project, model]).get('Task')?.rules;
    expect(rules?.restrictedUnless[0]?.condition.words).toBe('assignee_id = caller');
    expect([...(rules?.restricted ?? [])]).toEqual(['title']);
    const misspelt = defineResource('Task', {
      fields,
      restricted: [{ fields: ['amount'], unless: own('asignee') as never }],
    });
    expect(() => collectModels([team, membership, project, misspelt])).toThrow(
      'Task: restricted.unless.own names the unknown field "asignee"',
    );
  });

  it('conditions on rows of views are resolved alike, and ask no record of their own model', () => {
    const viewed = (when: unknown) => defineResource('Task', { fields, views: { when } as never });
    const model = viewed([[own('assignee'), ['amount']]]);
    expect(model.rules.viewedWhen).toMatchObject([{ fields: ['amount'], condition: { words: 'no record' } }]);
    const all = (task: ReturnType<typeof viewed>) => collectModels([team, membership, project, task]);
    expect(all(model).get('Task')?.rules.viewedWhen[0]?.condition.words).toBe('assignee_id = caller');
    const misspelt = viewed([[own('asignee' as never), ['amount']]]);
    expect(() => all(misspelt)).toThrow('Task: views.when.own names the unknown field "asignee"');
    const itself = defineResource('Membership', {
      fields: { team: field.reference('Team'), user_id: field.owner() },
      views: { when: [[member('team_id', { of: 'Membership' }), ['team_id']]] },
    });
    expect(() => collectModels([team, itself])).toThrow(
      'Membership: views.when asks records of Membership itself, which its own writes change',
    );
  });

  it('conditions on rows reach nothing before all models are known', () => {
    const { rules } = task(equals('title', 'open'));
    expect(rules.isolation).toMatchObject({
      read: { user: [{ expression: { kind: 'anyOf', rules: [] } }], others: 'none' },
    });
  });

  it('conditions on rows bring the indexes that they need, on the model and on that of the memberships', () => {
    const all = models({
      read: anyOf(equals('title', 'x'), via('project', member('team_id', { of: 'Membership' }))),
      write: equals('amount', '1.00'),
    });
    const columns = (name: string) => all.get(name)?.indexes.map((index) => index.columns.join(' '));
    expect(columns('Task')).toEqual(['team_id', 'project_id', 'assignee_id', 'title']);
    expect(columns('Membership')).toEqual(['team_id', 'user_id', 'user_id team_id']);
    expect(all.get('Team')).toBe(team);
    expect(task(equals('title', 'x')).indexes).toHaveLength(3);
  });

  it.each<[string, () => unknown, string]>([
    [
      'an unknown field',
      () => own('asignee'),
      'Task: isolation.read.own names the unknown field "asignee": the nearest is "assignee_id"',
    ],
    [
      'a field that is not a reference',
      () => via('title', own()),
      'Task: isolation.read.via needs a reference, and title is none',
    ],
    ['a reference to something else', () => own('team'), 'needs a reference to User, and team_id is none'],
    [
      'a model that is not there',
      () => member('team_id', { of: 'Membershp' }),
      'Task: isolation.read.member names Membershp, which is not a model: the nearest is "Membership"',
    ],
    [
      'users',
      () => via('assignee', own()),
      'Task: isolation.read.via names User, whose records no rule asks',
    ],
    [
      'a membership without owner',
      () => member('team_id', { of: 'Invitation' }),
      'Task: isolation.read.member needs the field user_id: field.owner() in Invitation',
    ],
    [
      'an unknown field of a membership',
      () => member('team_id', { of: 'Membership', on: 'tem_id' }),
      'Task: isolation.read.member names the unknown field "tem_id" of Membership: the nearest is "team_id"',
    ],
    [
      'fields that are never equal',
      () => member('title', { of: 'Membership', on: 'team_id' }),
      'Task: isolation.read.member cannot compare title with Membership.team_id',
    ],
    [
      'ids of records of two models',
      () => member('project_id', { of: 'Membership', on: 'team_id' }),
      'Task: isolation.read.member cannot compare project_id with Membership.team_id',
    ],
    [
      'its own id with one of another model',
      () => member('id', { of: 'Membership', on: 'team_id' }),
      'Task: isolation.read.member cannot compare id with Membership.team_id',
    ],
    [
      'decimals that are kept as different whole numbers',
      () => member('amount', { of: 'Membership', on: 'share' }),
      'Task: isolation.read.member cannot compare amount with Membership.share',
    ],
    [
      'a field without equality',
      () => equals('details', 'x'),
      'isolation.read.equals needs a value that details can be equal to',
    ],
    [
      'no value',
      () => equals('title', null as never),
      'isolation.read.equals needs a value that title can be equal to',
    ],
    [
      'a value that the field never has',
      () => equals('title', 'x'.repeat(30)),
      'isolation.read.equals compares title with what breaks its rule max_length',
    ],
    [
      'a role that there is not',
      () => member('team_id', { of: 'Membership', where: { role: ['boss'] } }),
      'isolation.read.member.where.role compares role with what breaks its rule enum',
    ],
    [
      'no roles',
      () => member('team_id', { of: 'Membership', where: { role: [] } }),
      'isolation.read.member.where.role has no values',
    ],
    [
      'a mistake further in',
      () => ({ read: 'everyone', write: anyOf(own('assignee'), via('project', own('owner_id'))) }),
      'Task: isolation.write.anyOf.via.own names the unknown field "owner_id" of Project',
    ],
    [
      'the wrong model',
      () => via('project', equals('name', 'x'), { of: team }),
      'isolation.read.via says that project_id names Team, and it names Project',
    ],
    [
      'the name of the wrong model',
      () => via('project', equals('name', 'x'), { of: 'Team' }),
      'isolation.read.via says that project_id names Team, and it names Project',
    ],
    ['no condition', () => ({}), 'Task: isolation has no conditions: say read, write or both'],
    [
      'writes alone',
      () => ({ create: own('assignee'), destroy: own('assignee') }),
      'Task: isolation has no condition for reading: say read',
    ],
    [
      'everyone for the rest',
      () => ({ read: 'everyone', create: own('assignee') }),
      'Task: isolation.read is "everyone": say write, or update and destroy',
    ],
    [
      'a mistake in one action',
      () => ({ read: own('assignee'), write: own('assignee'), destroy: own('asignee') }),
      'Task: isolation.destroy.own names the unknown field "asignee"',
    ],
    ['everyone for all', () => ({ read: 'everyone' }), 'Task: isolation.read is "everyone": say who writes'],
    [
      'a misspelt direction',
      () => ({ reed: own('assignee') }),
      'Task: there is no option "isolation.reed": the nearest is "read"',
    ],
    [
      'what is no condition',
      () => ({ read: { team_id: 1 } }),
      'Task: isolation.read must be made by own, member, equals, via, anyOf or allOf',
    ],
    ['another type', () => 'yes', 'Task: isolation must be true, false, or conditions'],
  ])('conditions on rows refuse %s', (_what, rule, message) => {
    expect(() => resolved(rule())).toThrow(message);
  });

  it.each<[string, () => unknown, string]>([
    ['an empty anyOf', () => anyOf(...([] as unknown as [never])), 'anyOf has no conditions'],
    ['an empty allOf', () => allOf(...([] as unknown as [never])), 'allOf has no conditions'],
    ['an object in allOf', () => allOf({} as never), 'allOf takes conditions: each must be made by own'],
    [
      'an option that there is not',
      () => member('team_id', { of: 'Membership', wher: {} } as never),
      'there is no option "wher"',
    ],
    ['a membership of nothing', () => member('team_id', {} as never), 'member: it has no `of`'],
    ['a field that is no text', () => equals(7 as never, 'x'), 'equals: the field must be a text'],
  ])('refuses %s at once', (_what, rule, message) => {
    expect(rule).toThrow(message);
  });
});
