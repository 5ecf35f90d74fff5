import { defineResource, field } from 'gatewright';

const writers = ['jwt', 'api_key'] as const;

/** Published articles are public; authors write their own. */
export default defineResource('Article', {
  label: { 'zh-CN': '文章', en: 'Article' },
  icon: 'article',
  menu: { 'zh-CN': '内容', en: 'Content' },
  fields: {
    title: field.string({ required: true, max: 200, label: { 'zh-CN': '标题', en: 'Title' } }),
    body: field.text({ label: { 'zh-CN': '正文', en: 'Body' } }),
    published: field.boolean({ default: false, index: true, label: { 'zh-CN': '已发布', en: 'Published' } }),
    user_id: field.owner({ label: { 'zh-CN': '作者', en: 'Author' } }),
  },
  publicRead: { where: { published: true } },
  auth: { create: writers, update: writers, destroy: writers },
  permissions: 'writes',
  isolation: true,
  ownership: true,
  views: {
    list: ['id', 'title', 'published', 'created_at'],
    detail: ['id', 'title', 'published', 'created_at', 'body', 'user_id', 'updated_at'],
  },
});
