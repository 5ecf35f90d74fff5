import { describe, expect, it } from 'vitest';
import { field } from '../fields/define.ts';
import { defineResource } from './define-resource.ts';
import { type Access, describeModel } from './describe.ts';
import { collectModels } from './models.ts';
import type { ResourceModel } from './resource.ts';
import { allOf, anyOf, equals, member, own, via } from './row-rule.ts';
import { everyName, rowSentence, rowTree } from './row-sentences.ts';

const team = defineResource('Team', { fields: { name: field.string({ max: 20 }) } });
const membership = defineResource('Membership', {
  label: { 'zh-CN': '成员', en: 'Member' },
  fields: {
    team: field.reference('Team', { label: { 'zh-CN': '团队', en: 'Team' } }),
    role: field.enum(['viewer', 'editor', 'owner'], {
      labels: { editor: { 'zh-CN': '编辑', en: 'Writer' } },
    }),
    user_id: field.owner(),
  },
  views: { detail: ['id', 'team_id'] },
});
const project = defineResource('Project', {
  fields: { team: field.reference('Team'), open: field.boolean() },
});

const fields = {
  title: field.string({ max: 20, label: { 'zh-CN': '标题', en: 'Heading' } }),
  amount: field.decimal({ scale: 2 }),
  places: field.integer(),
  team: field.reference('Team'),
  project: field.reference('Project'),
  assignee: field.reference('User', { label: { 'zh-CN': '负责人', en: 'Assignee' } }),
};

const task = (isolation: unknown): ResourceModel =>
  defineResource('Task', {
    fields,
    views: { detail: ['id', 'title', 'team_id', 'project_id'] },
    isolation: isolation as never,
  });

const modelsWith = (isolation: unknown) => {
  const models = collectModels([team, membership, project, task(isolation)]);
  const model = models.get('Task');
  const rule = model?.rules.isolation;
  if (model === undefined || rule === undefined) throw new Error('no rule');
  return { model, models, expression: rule.read.expression };
};

const say = (isolation: unknown): readonly string[] => {
  const { model, models, expression } = modelsWith(isolation);
  return (['en', 'zh-CN'] as const).map((locale) =>
    rowSentence(expression, model, everyName(models), locale),
  );
};

describe('rules in words', () => {
  it.each([
    [
      own('assignee'),
      'Records where `assignee_id` is the caller',
      '满足以下条件的记录：负责人 `assignee_id` 是调用者',
    ],
    [equals('title', 'x'), 'Records where Heading `title` is `x`', '满足以下条件的记录：标题 `title` 为 `x`'],
    [
      member('team_id', { of: 'Membership', where: { role: ['editor', 'owner'] } }),
      'Records where the caller owns a record of Member `Membership` where `team_id` is the record’s `team_id` and `role` is `editor` (Writer) or `owner`',
      '满足以下条件的记录：调用者拥有一条成员 `Membership` 记录，其团队 `team_id` 等于该记录的 `team_id`，且 `role` 为 `editor`（编辑）或 `owner`',
    ],
    [
      anyOf(
        own('assignee'),
        via('project', anyOf(equals('open', true), member('team_id', { of: membership }))),
      ),
      'Records where `assignee_id` is the caller, or (`project_id` names a record of `Project` where (`open` is `true`, or (the caller owns a record of Member `Membership` where `team_id` is that `Project`’s `team_id`)))',
      '满足以下条件的记录：负责人 `assignee_id` 是调用者，或者（`project_id` 指向的 `Project` 满足：（`open` 为 `true`，或者（调用者拥有一条成员 `Membership` 记录，其团队 `team_id` 等于该 `Project` 的 `team_id`）））',
    ],
    [
      allOf(equals('places', 3), anyOf(own('assignee'), equals('amount', '1.50'))),
      'Records where `places` is `3`, and (`assignee_id` is the caller, or `amount` is `1.50`)',
      '满足以下条件的记录：`places` 为 `3`，并且（负责人 `assignee_id` 是调用者，或者 `amount` 为 `1.50`）',
    ],
    [anyOf(own('assignee')), 'Records where `assignee_id` is the caller', undefined],
    [{ read: 'everyone', write: own('assignee') }, 'Every record', '全部记录'],
  ])('rules in words say which records meet them (%#)', (rule, en, zh) => {
    const [english, chinese] = say(rule);
    expect(english).toBe(en);
    if (zh !== undefined) expect(chinese).toBe(zh);
  });

  it('rules in words are written as a tree of names', () => {
    const { model, models, expression } = modelsWith(
      anyOf(
        own('assignee'),
        equals('places', 3),
        equals('amount', '1.50'),
        via('team', member('id', { of: 'Membership', on: 'team_id', where: { role: 'owner' } })),
      ),
    );
    expect(rowTree(expression, model, everyName(models))).toEqual({
      kind: 'anyOf',
      rules: [
        { kind: 'own', field: 'assignee_id' },
        { kind: 'equals', field: 'places', value: 3 },
        { kind: 'equals', field: 'amount', value: '1.50' },
        {
          kind: 'via',
          field: 'team_id',
          to: 'Team',
          rule: {
            kind: 'member',
            field: 'id',
            of: 'Membership',
            on: 'team_id',
            where: [{ field: 'role', values: ['owner'] }],
          },
        },
      ],
    });
  });
});

describe('metadata of a model under a rule', () => {
  const nothing: ReadonlySet<string> = new Set();
  const read = (model: ResourceModel) => ({ readable: model.views.detail, writable: nothing });
  const access = (model: ResourceModel): Access => ({
    list: read(model),
    detail: read(model),
    create: undefined,
    update: undefined,
    destroy: undefined,
  });

  it('says which records are read and written, and names nothing that the caller sees nowhere', () => {
    const { model, models } = modelsWith({
      read: member('team_id', { of: 'Membership', where: { role: 'editor' } }),
      write: allOf(own('assignee'), equals('amount', '1.50')),
    });
    const { isolation } = describeModel(model, access(model), [], 'en', models);
    expect(isolation).toEqual({
      read: 'Records where the caller owns a record of Member `Membership` where `team_id` is the record’s `team_id` and a field that is not shown is a certain value',
      write:
        'Records where a field that is not shown is the caller, and a field that is not shown is a certain value',
      rules: {
        read: { kind: 'member', field: 'team_id', of: 'Membership', on: 'team_id', where: [{}] },
        write: { kind: 'allOf', rules: [{ kind: 'own' }, { kind: 'equals' }] },
      },
    });
    expect(JSON.stringify(isolation)).not.toMatch(/assignee|amount|150|1\.50|editor|role/);
  });

  it('says nothing where there is no rule', () => {
    const { models } = modelsWith(own('assignee'));
    expect(describeModel(project, access(project), [], 'en', models)).not.toHaveProperty('isolation');
  });
});
