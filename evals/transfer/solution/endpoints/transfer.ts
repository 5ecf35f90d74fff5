import { defineEndpoint, defineProblem, field } from 'gatewright';
import account from '../resources/account.ts';

const tooSmall = defineProblem({ status: 409, number: 50, message: 'The balance is too small' });

export default defineEndpoint({
  method: 'POST',
  path: '/transfers',
  input: {
    from: field.integer({ required: true }),
    to: field.integer({ required: true }),
    amount: field.integer({ required: true, min: 1 }),
  },
  output: account,
  problems: [tooSmall, 'record_not_found'],
  handle: ({ values: { from, to, amount }, transaction }) =>
    transaction(async ({ asSystem }) => {
      const accounts = asSystem('transfer').records(account);
      // In the order of ids, so that two opposite transfers do not wait for each other.
      for (const id of [from, to].sort((one, other) => one - other)) await accounts.get(id, { lock: true });
      const { balance } = await accounts.get(from);
      if (balance < amount) throw tooSmall();
      await accounts.update(from, { balance: balance - amount });
      const { balance: other } = await accounts.get(to);
      await accounts.update(to, { balance: other + amount });
      return accounts.get(from);
    }),
});
