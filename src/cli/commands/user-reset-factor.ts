import { createSecondFactorStore } from '../../accounts/second-factors.ts';
import { createUserStore } from '../../accounts/users.ts';
import { canonicalAccount } from '../../auth/account.ts';
import { defineCommand } from '../command.ts';
import { CommandError } from '../io.ts';
import { withTables } from '../tables.ts';

export const command = defineCommand({
  operands: ['USERNAME'],
  options: {},
  description: [
    'Removes the authenticator app, the passkeys and the recovery codes of a user, and ends their sessions.',
    'Use it for a user who has lost them and has no super_admin to ask. The password stays unchanged.',
  ],
  examples: ['gatewright user reset-factor lin'],
  async run({ operands: [username = ''] }, io) {
    await withTables(io, async (context) => {
      const id = await createUserStore(context).idByAccount(canonicalAccount(username));
      if (id === undefined) throw new CommandError(`no user ${username}`);
      await createSecondFactorStore(context, false).reset(id, {
        principal: 'command line',
        address: null,
      });
    });
    io.print(`two-step verification of ${username} was reset`);
  },
});
