import { defineResource, field } from 'gatewright';
import welcome from '../jobs/welcome.ts';

export default defineResource('Member', {
  fields: {
    email: field.email({ required: true, unique: true }),
    welcomed_at: field.datetime(),
  },
  restricted: ['welcomed_at'],
  hooks: {
    async beforeCommit({ before, after, id, jobs }) {
      if (before === undefined && after !== undefined) await jobs.add(welcome, { member: id });
    },
  },
});
