import { sql } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import { always, computed, defineEntity } from '../../records/entity.ts';

export const viewEntity = defineEntity('views', {
  title: 'SavedView',
  from: sql`"gatewright_views"`,
  fields: {
    id: field.integer(always),
    user_id: computed(field.integer(always), { hidden: true }),
    resource: computed(field.string(always), { note: '`records/orders`, `users`, `audit` …' }),
    name: field.string(always),
    query: computed(field.json(always), { comparable: false }),
    created_at: field.datetime(always),
    updated_at: field.datetime(always),
  },
  indexed: ['user_id'],
  list: {
    operation: 'listViews',
    path: '/admin/views',
    own: 'user_id',
    summary: { 'zh-CN': '我的列表视图', en: 'My views of lists' },
    description: {
      'zh-CN': '当前管理员保存的列表视图；他人的视图不可见。',
      en: 'Views of lists that the calling administrator has saved. Other users do not see them.',
    },
  },
});
