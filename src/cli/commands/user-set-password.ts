import { createUserInput, createUserStore } from '../../accounts/users.ts';
import { canonicalAccount } from '../../auth/account.ts';
import { createPasswords } from '../../auth/password.ts';
import { refuseInvalid } from '../../http/input.ts';
import { catalogueOf } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { defineCommand } from '../command.ts';
import { CommandError, type Io, readSecret, UsageError } from '../io.ts';
import { withTables } from '../tables.ts';

/** Asks twice, as the text is not shown. */
const typedPassword = async (io: Io): Promise<string> => {
  if (!io.interactive)
    throw new UsageError('stdin is not a terminal: send the password with --password-stdin');
  const password = await io.ask('new password: ');
  if ((await io.ask('the same again: ')) !== password) throw new CommandError('the two passwords differ');
  return password;
};

export const command = defineCommand({
  operands: ['NAME'],
  options: {
    'password-stdin': { type: 'boolean', help: 'read the password from stdin instead of asking for it' },
    'must-change-password': {
      type: 'boolean',
      help: 'the user must change the password at the next sign-in',
    },
  },
  description: [
    'Sets the password of a user, by username or email address, and ends all their sessions and tokens.',
    'Use it for a user who has lost the password and has no administrator to ask. Two-step verification stays.',
  ],
  examples: [
    'gatewright user set-password admin',
    'echo "$PASSWORD" | gatewright user set-password lin@example.com --password-stdin --must-change-password',
  ],
  async run({ values, operands: [name = ''] }, io) {
    await withTables(io, async (context) => {
      const users = createUserStore(context);
      const id = await users.idByAccount(canonicalAccount(name));
      const stored = id === undefined ? undefined : await users.factsOf(id);
      if (stored === undefined) throw new CommandError(`no user ${name}`);
      const password =
        values['password-stdin'] === true ? await readSecret(io, 'password') : await typedPassword(io);
      const input = createUserInput(users, catalogueOf(context.config.locale));
      const body = { password, must_change_password: values['must-change-password'] === true };
      try {
        const { change, errors } = await input.read(body, 'update', stored);
        refuseInvalid(errors);
        const passwordHash = await createPasswords().hash(password);
        const actor = { principal: 'command line', address: null } as const;
        await users.update(stored.id, { ...change, passwordHash }, actor);
      } catch (error) {
        if (!(error instanceof Problem) || error.errors === undefined) throw error;
        throw new CommandError(error.errors.map(({ message }) => message).join(', '), { cause: error });
      }
    });
    io.print(`the password of ${name} was set; all sessions and tokens of the user have ended`);
  },
});
