import { addApplication, newSecret } from '../../vault/changes.ts';
import { printSecret } from '../application-secret.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { applicationEntry, changeCredentials, openCredentials } from '../credentials.ts';

export const command = defineCommand({
  operands: ['ID'],
  options: jsonOption,
  description: [
    'Registers an application that signs its requests, and prints its secret. The secret cannot be shown again.',
    'ID is 1 to 64 of A-Z a-z 0-9 . _ -, beginning with a letter or digit. A running service accepts it within a second.',
  ],
  examples: ['gatewright app create shop', 'gatewright app create shop --json | jq -r .api_secret'],
  async run({ values, operands: [appId = ''] }, io) {
    const vault = await openCredentials(io);
    const secret = newSecret();
    await changeCredentials(io, vault, (current) => addApplication(current, appId, secret, io.clock()), {
      entry: applicationEntry('app.create', appId),
    });
    printSecret(io, appId, secret, values.json);
  },
});
