import { canonicalAccount } from '../../auth/account.ts';
import { createInput } from '../../endpoints/input.ts';
import { issueKey, keyFieldDefinitions } from '../../service/api-keys/commands.ts';
import { createCommands } from '../../service/command.ts';
import { createUserStore } from '../../service/users/users.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { CommandError, UsageError } from '../io.ts';
import { withTables } from '../tables.ts';

export const command = defineCommand({
  operands: [],
  options: {
    username: { type: 'string', value: 'NAME', help: 'owner of the key' },
    name: { type: 'string', value: 'TEXT', help: 'purpose of the key' },
    'expires-at': { type: 'string', value: 'TIME', help: 'ISO 8601 (default: never expires)' },
    ...jsonOption,
  },
  description: ['Creates an API key for a user. The key is printed once and stored only as a hash.'],
  examples: [
    'gatewright key create --username lin --name "nightly export"',
    'gatewright key create --username lin --name ci --expires-at 2030-01-01T00:00:00Z --json',
  ],
  async run({ values }, io) {
    const { username, name, 'expires-at': expires } = values;
    if (username === undefined || name === undefined)
      throw new UsageError('--username and --name are needed');
    const created = await withTables(io, async (context) => {
      const input = createInput(keyFieldDefinitions, context.config.locale);
      const { errors } = input.read({ name, ...(expires === undefined ? {} : { expires_at: expires }) });
      if (errors.length > 0) throw new CommandError(errors.map(({ message }) => message).join(', '));
      const userId = await createUserStore(context).idByUsername(canonicalAccount(username));
      if (userId === undefined) throw new CommandError(`no user ${username}`);
      return createCommands(context)({ principal: 'command line', address: null }, (change) =>
        issueKey(change, userId, { name, expires_at: expires ?? null }),
      );
    });
    if (values.json === true) return io.print(JSON.stringify(created));
    io.print(`created key ${created.name} (id ${created.id})`);
    io.print(`key, shown this once: ${created.key}`);
  },
});
