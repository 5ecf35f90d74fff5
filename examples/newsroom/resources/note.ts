import { defineResource, field } from 'gatewright';

/** No options: five endpoints for any authenticated caller, every field, every record. */
export default defineResource('Note', {
  label: { 'zh-CN': '便签', en: 'Note' },
  fields: {
    title: field.string({ required: true, max: 200, label: { 'zh-CN': '标题', en: 'Title' } }),
    body: field.text({ label: { 'zh-CN': '正文', en: 'Body' } }),
  },
});
