import { defineResource, field } from 'gatewright';

export default defineResource('Note', {
  fields: {
    title: field.string({ required: true }),
    pinned: field.boolean({ default: false }),
    user_id: field.owner(),
  },
  isolation: true,
  ownership: true,
  restricted: ['pinned'],
});
