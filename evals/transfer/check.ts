import { type Check, hasStatus, same } from '../check.ts';

export const check: Check = async ({ place, add, holds }) => {
  await add();
  const service = await place.start();
  try {
    const user = await service.user();
    const open = async (name: string, balance: number): Promise<number> => {
      const made = await service.admin.post('/api/v1/accounts', { account: { name, balance } });
      hasStatus(made, 201);
      return made.data.id;
    };
    const balances = async (...ids: number[]) =>
      Promise.all(ids.map(async (id) => (await user.get(`/api/v1/accounts/${id}`)).data?.balance));
    const transfer = (from: number, to: number, amount: unknown) =>
      user.post('/api/v1/transfers', { from, to, amount });
    const [one, other] = [await open('one', 100), await open('other', 0)];
    await holds('a transfer moves the amount, and returns the account', async () => {
      const moved = await transfer(one, other, 30);
      hasStatus(moved, 200);
      same([moved.data?.id, moved.data?.balance], [one, 70], 'the returned account');
      same(await balances(one, other), [70, 30], 'the balances');
    });
    await holds('a refused transfer changes nothing', async () => {
      hasStatus(await transfer(one, other, 71), 409);
      hasStatus(await transfer(one, 999, 1), 404);
      hasStatus(await transfer(one, other, 0), 422);
      hasStatus(await transfer(one, other, 'all'), 422);
      hasStatus(await service.anonymous.post('/api/v1/transfers', { from: one, to: other, amount: 1 }), 401);
      same(await balances(one, other), [70, 30], 'the balances');
    });
    await holds('users do not write accounts themselves', async () => {
      hasStatus(await user.patch(`/api/v1/accounts/${one}`, { account: { balance: 1_000 } }), 403);
    });
    await holds('twenty transfers at once neither overdraw nor lose anything', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => transfer(one, other, 7)));
      same(answers.filter(({ status }) => status === 200).length, 10, 'the number of transfers');
      same(answers.filter(({ status }) => status === 409).length, 10, 'the number of refusals');
      same(await balances(one, other), [0, 100], 'the balances');
    });
  } finally {
    await service.stop();
  }
};
