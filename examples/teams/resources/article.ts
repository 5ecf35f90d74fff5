import { defineResource, field } from 'gatewright';
import { isAgent } from '../rules.ts';
import company from './company.ts';

/** Help for everyone once it is published; before, for the agents of its company, who write it. */
export default defineResource('Article', {
  label: { 'zh-CN': '帮助文章', en: 'Help article' },
  icon: 'article',
  fields: {
    company: field.reference(() => company, {
      required: true,
      onDelete: 'cascade',
      label: { 'zh-CN': '公司', en: 'Company' },
    }),
    title: field.string({ required: true, max: 120, label: { 'zh-CN': '标题', en: 'Title' } }),
    body: field.text({ required: true, max: 50_000, label: { 'zh-CN': '内容', en: 'Text' } }),
    published: field.boolean({
      required: true,
      default: false,
      index: true,
      label: { 'zh-CN': '已发布', en: 'Published' },
    }),
  },
  auth: ['jwt', 'api_key'],
  isolation: isAgent,
  publicRead: { where: { published: true }, orOwn: true },
  search: ['title', 'body'],
});
