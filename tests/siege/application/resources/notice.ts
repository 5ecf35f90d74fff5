import { defineResource, field } from 'gatewright';

/** A long list for every caller. */
export default defineResource('Notice', {
  fields: {
    title: field.string({ required: true }),
    body: field.text(),
    published: field.boolean({ default: true }),
  },
  publicRead: { where: { published: true } },
});
