import { generatePassword } from '../../app/first-admin.ts';
import { createPasswords } from '../../auth/password.ts';
import { createUserInput } from '../../endpoints/admin/user-input.ts';
import { createUserStore, TakenError } from '../../service/users/users.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { CommandError, readSecret, UsageError } from '../io.ts';
import { withTables } from '../tables.ts';

export const command = defineCommand({
  operands: [],
  options: {
    username: { type: 'string', value: 'NAME', help: 'username, without @' },
    email: { type: 'string', value: 'ADDRESS', help: 'email address' },
    name: { type: 'string', value: 'NAME', help: 'display name (default: the username)' },
    role: { type: 'string', multiple: true, value: 'ROLE', help: 'a role; repeatable (default viewer)' },
    'password-stdin': { type: 'boolean', help: 'read the password from stdin instead of generating one' },
    'must-change-password': {
      type: 'boolean',
      help: 'the user must change the password at the first sign-in',
    },
    ...jsonOption,
  },
  description: ['Creates a user. A generated password is printed once and stored only as a hash.'],
  examples: [
    'gatewright user create --username lin --email lin@example.com --role admin',
    'echo "$PASSWORD" | gatewright user create --username bot --email bot@example.com --password-stdin --json',
  ],
  async run({ values }, io) {
    const { username, email } = values;
    if (username === undefined || email === undefined)
      throw new UsageError('--username and --email are needed');
    const given = values['password-stdin'] === true ? await readSecret(io, 'password') : undefined;
    const password = given ?? generatePassword();
    const id = await withTables(io, async (context) => {
      const users = createUserStore(context);
      const input = createUserInput(users, context.config.locale);
      const body = {
        username,
        email,
        password,
        roles: values.role ?? ['viewer'],
        must_change_password: values['must-change-password'] === true,
        ...(values.name === undefined ? {} : { name: values.name }),
      };
      const { change, errors } = await input.read(body, 'create');
      if (errors.length > 0) throw new CommandError(errors.map(({ message }) => message).join(', '));
      const { usernameCanonical = '', emailCanonical = '', roles = [], mustChangePassword = false } = change;
      const passwordHash = await createPasswords().hash(password);
      const names = { username, usernameCanonical, email, emailCanonical };
      const user = { ...names, passwordHash, roles, mustChangePassword };
      try {
        return await users.create(
          { ...user, name: change.name ?? username, disabled: false },
          { principal: 'command line', address: null },
        );
      } catch (error) {
        if (error instanceof TakenError)
          throw new CommandError(error.fields.map((field) => input.taken(field).message).join(', '));
        throw error;
      }
    });
    const shown = given === undefined ? { password } : {};
    if (values.json === true) return io.print(JSON.stringify({ id, username, ...shown }));
    io.print(`created user ${username} (id ${id})`);
    if (given === undefined) io.print(`password, shown this once: ${password}`);
  },
});
