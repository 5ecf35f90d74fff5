import { defineResource, field } from 'gatewright';

export default defineResource('Task', {
  fields: {
    title: field.string({ required: true, max: 120 }),
    done: field.boolean({ required: true, default: false }),
    priority: field.enum(['low', 'normal', 'high'], { required: true, default: 'normal' }),
    user_id: field.owner(),
  },
  views: { list: ['id', 'title', 'done'] },
  isolation: true,
  ownership: true,
  restricted: ['priority'],
});
