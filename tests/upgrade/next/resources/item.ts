import { defineResource, field } from 'gatewright';

/** The same with a column more, and with a job that the application of before does not have. */
export default defineResource('Item', {
  fields: {
    title: field.string({ required: true, max: 100, index: true }),
    amount: field.integer({ default: 0 }),
    remark: field.string({ max: 100 }),
  },
  auth: ['jwt', 'api_key'],
  history: true,
  events: true,
  trash: true,
  hooks: {
    async beforeCommit({ before, id, jobs }) {
      if (before !== undefined) return;
      await jobs.add('note', { item: id });
      if (id % 10 === 0) await jobs.add('later', { item: id }, { at: new Date(Date.now() + 86_400_000) });
    },
  },
});
