import { defineResource, field } from 'gatewright';

/** The records that are written while one release replaces the other. */
export default defineResource('Item', {
  fields: {
    title: field.string({ required: true, max: 100, index: true }),
    amount: field.integer({ default: 0 }),
  },
  auth: ['jwt', 'api_key'],
  history: true,
  events: true,
  trash: true,
  hooks: {
    async beforeCommit({ before, id, jobs }) {
      if (before === undefined) await jobs.add('note', { item: id });
    },
  },
});
