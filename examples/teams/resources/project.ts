import { defineResource, field } from 'gatewright';
import { editsTeam, readable } from '../rules.ts';

export default defineResource('Project', {
  label: { 'zh-CN': '项目', en: 'Project' },
  fields: {
    name: field.string({ required: true, max: 60, label: { 'zh-CN': '名称', en: 'Name' } }),
    team: field.reference('Team', {
      required: true,
      onDelete: 'cascade',
      label: { 'zh-CN': '团队', en: 'Team' },
    }),
    visibility: field.enum(['team', 'public'], {
      required: true,
      default: 'team',
      label: { 'zh-CN': '可见性', en: 'Visibility' },
      labels: {
        team: { 'zh-CN': '团队', en: 'its team' },
        public: { 'zh-CN': '所有人', en: 'everyone' },
      },
    }),
  },
  isolation: { read: readable, write: editsTeam },
});
