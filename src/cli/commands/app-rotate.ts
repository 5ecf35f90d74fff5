import { newSecret, rotateSecret } from '../../vault/changes.ts';
import { printSecret } from '../application-secret.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { openCredentials } from '../credentials.ts';
import { parseDuration } from '../duration.ts';

export const command = defineCommand({
  operands: ['ID'],
  options: {
    grace: {
      type: 'string',
      value: 'DURATION',
      default: '0',
      help: 'how long the present secret signs too: 30s, 10m, 1h, 7d (default 0)',
    },
    ...jsonOption,
  },
  description: [
    'Gives an application a new secret and prints it: now and never again.',
    'With a grace, the secrets that sign now go on until theirs ends. Without, only the new one signs, at once.',
  ],
  examples: ['gatewright app rotate shop --grace 1h', 'gatewright app rotate shop --json'],
  async run({ values, operands: [appId = ''] }, io) {
    const grace = parseDuration(values.grace, 'grace');
    const vault = await openCredentials(io);
    const secret = newSecret();
    await vault.update((current) => rotateSecret(current, appId, secret, io.clock(), grace));
    printSecret(io, appId, secret, values.json);
  },
});
