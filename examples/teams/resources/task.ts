import { allOf, anyOf, defineResource, field, own, via } from 'gatewright';
import { editsTeam, inTeam, readable } from '../rules.ts';
import project from './project.ts';

export default defineResource('Task', {
  label: { 'zh-CN': '任务', en: 'Task' },
  fields: {
    title: field.string({ required: true, max: 120, label: { 'zh-CN': '标题', en: 'Title' } }),
    done: field.boolean({ required: true, default: false, label: { 'zh-CN': '已完成', en: 'Done' } }),
    project: field.reference('Project', {
      required: true,
      onDelete: 'cascade',
      label: { 'zh-CN': '项目', en: 'Project' },
    }),
    assignee: field.reference('User', { anyone: true, label: { 'zh-CN': '负责人', en: 'Assignee' } }),
  },
  isolation: {
    read: via('project', readable, { of: project }),
    // Editors write every task, viewers those that are assigned to them.
    write: anyOf(via('project', editsTeam, { of: project }), allOf(own('assignee'), via('project', inTeam))),
  },
});
