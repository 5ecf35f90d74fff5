import { type Check, hasStatus, same } from '../check.ts';

export const check: Check = async ({ place, add, holds }) => {
  await add();
  const service = await place.start();
  try {
    const user = await service.user();
    const made = await user.post('/api/v1/invoices', {
      invoice: { number: 'A1', net: 1_005, rate: 19, gross: 1 },
    });
    const path = `/api/v1/invoices/${made.data?.id}`;
    await holds('the total is computed when an invoice is created, and not taken from the body', async () => {
      hasStatus(made, 201);
      same((await user.get(path)).data.gross, 1_196, 'gross');
    });
    await holds('the total follows each change of a part', async () => {
      hasStatus(await user.patch(path, { invoice: { rate: 0 } }), 200);
      same((await user.get(path)).data.gross, 1_005, 'gross without tax');
      hasStatus(await user.patch(path, { invoice: { net: 200, gross: 7 } }), 200);
      same((await user.get(path)).data.gross, 200, 'gross of another net');
    });
    await holds('a number is unique', async () => {
      hasStatus(await user.post('/api/v1/invoices', { invoice: { number: 'A1', net: 1, rate: 0 } }), 422);
    });
    await holds('a sent invoice does not change, for administrators either', async () => {
      hasStatus(await user.patch(path, { invoice: { sent: true } }), 200);
      for (const caller of [user, service.admin]) {
        const refused = await caller.patch(path, { invoice: { net: 5 } });
        hasStatus(refused, 422);
        same(refused.data?.errors?.[0]?.field, 'sent', 'the field of the error');
      }
      hasStatus(await user.patch(path, { invoice: { sent: false } }), 422);
      same((await user.get(path)).data.net, 200, 'net');
    });
  } finally {
    await service.stop();
  }
};
