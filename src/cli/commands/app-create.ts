import { addApplication } from '../../vault/changes.ts';
import { newAppKey, printAppKey, publicKeyOption } from '../application-key.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { applicationEntry, changeCredentials, openCredentials } from '../credentials.ts';

export const command = defineCommand({
  operands: ['ID'],
  options: { ...publicKeyOption, ...jsonOption },
  description: [
    'Registers an application that signs its requests, and prints its secret. The secret cannot be shown again.',
    'With --public-key, it has no secret: it signs HTTP messages (RFC 9421) with the private key that belongs to it.',
    'ID is 1 to 64 of A-Z a-z 0-9 . _ -, beginning with a letter or digit. A running service accepts it within a second.',
  ],
  examples: [
    'gatewright app create shop',
    'gatewright app create shop --json | jq -r .api_secret',
    'gatewright app create bank --public-key bank.pem',
  ],
  async run({ values, operands: [appId = ''] }, io) {
    const vault = await openCredentials(io);
    const key = await newAppKey(io, values['public-key']);
    await changeCredentials(io, vault, (current) => addApplication(current, appId, key, io.clock()), {
      entry: applicationEntry('app.create', appId),
    });
    printAppKey(io, appId, key, values.json);
  },
});
