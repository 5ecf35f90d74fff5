import { defineJob } from 'gatewright';
import ticket from '../resources/ticket.ts';

/** Every hour: closes tickets whose customer has not answered for 14 days. */
export default defineJob({
  every: '0 * * * *',
  handle: async ({ records, transaction, now }) => {
    const lt = new Date(now().getTime() - 14 * 86_400_000).toISOString();
    for (const { id, state_since } of await records(ticket).list({
      filter: { state: 'waiting', state_since: { lt } },
    }))
      await transaction(async ({ records }) => {
        const current = await records(ticket).find(id, { lock: true });
        // An answer in between wins.
        if (current?.state_since === state_since) await records(ticket).update(id, { state: 'closed' });
      });
  },
});
