import { defineJob, field } from 'gatewright';

export default defineJob({
  input: { member: field.integer({ required: true }) },
  handle: ({ values, transaction, now }) =>
    transaction(async ({ records }) => {
      const member = await records('Member').find(values.member, { lock: true });
      // Gone meanwhile, or welcomed by an earlier run.
      if (member === undefined || member['welcomed_at'] !== null) return;
      await records('Letter').create({ text: `Welcome, ${member['email']}` });
      await records('Member').update(values.member, { welcomed_at: now().toISOString() });
    }),
});
