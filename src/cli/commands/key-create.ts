/** `gatewright key create`: creates an API key of a user. */

import { issueKey, keyFieldDefinitions, restrictionViolations } from '../../accounts/api-keys.ts';
import { createUserStore } from '../../accounts/users.ts';
import { canonicalAccount } from '../../auth/account.ts';
import { createInput } from '../../http/input.ts';
import { type JsonObject, withoutUndefined } from '../../kernel/json.ts';
import { catalogueOf } from '../../kernel/messages.ts';
import { createCommands } from '../../ledger/command.ts';
import { keyScopesOf } from '../../resources/application-endpoints.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { CommandError, UsageError } from '../io.ts';
import { withTables } from '../tables.ts';

/** Parses `60/1m`. The checks of all values refuse any other text. */
const limitOf = (text: string): JsonObject => {
  const [max, window = ''] = text.split('/');
  return { max: Number(max), window };
};

export const command = defineCommand({
  operands: [],
  options: {
    username: { type: 'string', value: 'NAME', help: 'owner of the key' },
    name: { type: 'string', value: 'TEXT', help: 'purpose of the key' },
    'expires-at': { type: 'string', value: 'TIME', help: 'ISO 8601 (default: never expires)' },
    scope: {
      type: 'string',
      multiple: true,
      value: 'SCOPE',
      help: 'what the key may do, e.g. orders:read or "POST /checkout"; repeatable (default: everything)',
    },
    network: {
      type: 'string',
      multiple: true,
      value: 'NETWORK',
      help: 'from where it may be used, e.g. 203.0.113.0/24; repeatable (default: everywhere)',
    },
    limit: {
      type: 'string',
      value: 'MAX/WINDOW',
      help: 'requests that it may send in a window, e.g. 60/1m (default: any number)',
    },
    quota: {
      type: 'string',
      value: 'COUNT',
      help: 'requests that it may send in a calendar month (default: any number)',
    },
    ...jsonOption,
  },
  description: ['Creates an API key for a user. The key is printed once and stored only as a hash.'],
  examples: [
    'gatewright key create --username lin --name "nightly export"',
    'gatewright key create --username lin --name ci --expires-at 2030-01-01T00:00:00Z --json',
    'gatewright key create --username lin --name reader --scope articles:read --network 203.0.113.0/24',
  ],
  async run({ values }, io) {
    const { username, name, 'expires-at': expires, scope: scopes, network: networks, quota } = values;
    const limit = values.limit === undefined ? undefined : limitOf(values.limit);
    if (username === undefined || name === undefined)
      throw new UsageError('--username and --name are needed');
    const created = await withTables(io, async (context) => {
      const input = createInput(keyFieldDefinitions, catalogueOf(context.config.locale));
      const restricted = withoutUndefined({ scopes, networks, limit });
      const requests = quota === undefined ? undefined : Number(quota);
      const read = input.read(withoutUndefined({ name, expires_at: expires, quota: requests }));
      const errors = [...read.errors];
      for (const { field, ...violation } of restrictionViolations(
        restricted,
        keyScopesOf(context.application),
      ))
        errors.push(input.error(field, violation));
      if (errors.length > 0) throw new CommandError(errors.map(({ message }) => message).join(', '));
      const userId = await createUserStore(context).idByAccount(canonicalAccount(username));
      if (userId === undefined) throw new CommandError(`no user ${username}`);
      return createCommands(context)({ principal: 'command line', address: null }, (change) =>
        issueKey(change, userId, {
          name,
          expires_at: expires ?? null,
          ...restricted,
          quota: requests ?? null,
        }),
      );
    });
    if (values.json === true) return io.print(JSON.stringify(created));
    io.print(`created key ${created.name} (id ${created.id})`);
    io.print(`key, shown this once: ${created.key}`);
  },
});
