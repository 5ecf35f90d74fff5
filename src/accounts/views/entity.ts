import { sql, tableName } from '../../database/statement.ts';
import { field } from '../../fields/define.ts';
import { always, computed, defineEntity } from '../../records/entity.ts';

export const viewEntity = defineEntity('views', {
  title: 'SavedView',
  // A row for each user who sees the view: its own user, and for a shared one everyone else.
  from: sql`(select v.*, v."user_id" as "reader_id", o."username" as "owner"
    from ${tableName('gatewright_views')} v join ${tableName('users')} o on o."id" = v."user_id"
    union all
    select v.*, u."id", o."username"
    from ${tableName('gatewright_views')} v join ${tableName('users')} o on o."id" = v."user_id" join ${tableName('users')} u on u."id" <> v."user_id"
    where v."shared")`,
  fields: {
    id: field.integer(always),
    reader_id: computed(field.integer(always), { hidden: true }),
    user_id: computed(field.integer(always), { hidden: true }),
    mine: computed(field.boolean(always), {
      value: sql`(t."reader_id" = t."user_id")`,
      note: 'whether it is a view of the caller, who alone can change it',
    }),
    owner: field.string(always),
    shared: field.boolean(always),
    resource: computed(field.string(always), { note: '`records/orders`, `users`, `audit` …' }),
    name: field.string(always),
    query: computed(field.json(always), { comparable: false }),
    created_at: field.datetime(always),
    updated_at: field.datetime(always),
  },
  indexed: ['reader_id', 'user_id'],
  list: {
    operation: 'listViews',
    path: '/admin/views',
    own: 'reader_id',
    summary: { 'zh-CN': '列表视图', en: 'List the views of lists' },
    description: {
      'zh-CN': '当前管理员保存的列表视图，以及其他管理员共享的视图（`mine` 为 false）。',
      en: 'Views of lists that the calling administrator has saved, and those that others share (`mine` is false).',
    },
  },
});
