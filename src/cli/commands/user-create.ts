/** `gatewright user create`: creates a user with roles and a password. */

import { createUserInput, createUserStore, newUserOf } from '../../accounts/users.ts';
import { generatePassword } from '../../app/first-admin.ts';
import { canonicalAccount } from '../../auth/account.ts';
import { createPasswords } from '../../auth/password.ts';
import { refuseInvalid } from '../../http/input.ts';
import { withoutUndefined } from '../../kernel/json.ts';
import { catalogueOf } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { CommandError, readSecret, UsageError } from '../io.ts';
import { withTables } from '../tables.ts';

export const command = defineCommand({
  operands: [],
  options: {
    username: { type: 'string', value: 'NAME', help: 'username, without @' },
    email: { type: 'string', value: 'ADDRESS', help: 'email address (a service account needs none)' },
    name: { type: 'string', value: 'NAME', help: 'display name (default: the username)' },
    role: { type: 'string', multiple: true, value: 'ROLE', help: 'a role; repeatable (default viewer)' },
    service: { type: 'boolean', help: 'a service account: no password and no sign-in, API keys only' },
    owner: { type: 'string', value: 'NAME', help: 'the person who owns the service account' },
    'password-stdin': { type: 'boolean', help: 'read the password from stdin instead of generating one' },
    'must-change-password': {
      type: 'boolean',
      help: 'the user must change the password at the first sign-in',
    },
    ...jsonOption,
  },
  description: [
    'Creates a user. A generated password is printed once and stored only as a hash.',
    'A service account has an owner, who is notified before its keys expire, and who creates, rotates and revokes them.',
  ],
  examples: [
    'gatewright user create --username lin --email lin@example.com --role admin',
    'gatewright user create --username nightly --service --owner lin --role viewer',
    'echo "$PASSWORD" | gatewright user create --username bot --email bot@example.com --password-stdin --json',
  ],
  async run({ values }, io) {
    const { username, email, service = false, owner } = values;
    if (username === undefined || (email === undefined && !service))
      throw new UsageError(service ? '--username is needed' : '--username and --email are needed');
    if (service !== (owner !== undefined))
      throw new UsageError('--service needs --owner, and --owner needs --service');
    const withPassword = values['password-stdin'] === true || values['must-change-password'] === true;
    if (service && withPassword) throw new UsageError('a service account has no password');
    const given = values['password-stdin'] === true ? await readSecret(io, 'password') : undefined;
    const password = service ? undefined : (given ?? generatePassword());
    const id = await withTables(io, async (context) => {
      const users = createUserStore(context);
      const input = createUserInput(users, catalogueOf(context.config.locale));
      const ownerId = owner === undefined ? undefined : await users.idByAccount(canonicalAccount(owner));
      if (service && ownerId === undefined) throw new CommandError(`no user ${owner}`);
      const body = withoutUndefined({
        username,
        email,
        password,
        kind: service ? 'service' : undefined,
        owner_id: ownerId,
        roles: values.role ?? ['viewer'],
        must_change_password: values['must-change-password'] === true,
        name: values.name,
      });
      try {
        const read = await input.read(body, 'create');
        refuseInvalid(read.errors);
        const passwordHash = password === undefined ? '' : await createPasswords().hash(password);
        const actor = { principal: 'command line', address: null } as const;
        return await input.save(() => users.create(newUserOf(read, passwordHash), actor));
      } catch (error) {
        if (!(error instanceof Problem) || error.errors === undefined) throw error;
        throw new CommandError(error.errors.map(({ message }) => message).join(', '), { cause: error });
      }
    });
    const shown = password === undefined || given !== undefined ? {} : { password };
    if (values.json === true) return io.print(JSON.stringify({ id, username, ...shown }));
    io.print(`created ${service ? 'service account' : 'user'} ${username} (id ${id})`);
    if ('password' in shown) io.print(`password, shown this once: ${password}`);
  },
});
