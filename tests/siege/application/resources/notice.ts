import { defineResource, field } from 'gatewright';

/** A long list that anybody may read. */
export default defineResource('Notice', {
  fields: {
    title: field.string({ required: true }),
    body: field.text(),
    published: field.boolean({ default: true }),
  },
  publicRead: { where: { published: true } },
});
