import { newSecret, rotateSecret } from '../../vault/changes.ts';
import type { Credentials } from '../../vault/credentials.ts';
import { printSecret } from '../application-secret.ts';
import { defineCommand, jsonOption } from '../command.ts';
import { applicationEntry, changeCredentials, openCredentials } from '../credentials.ts';
import { parseDuration } from '../duration.ts';

export const command = defineCommand({
  operands: ['ID'],
  options: {
    grace: {
      type: 'string',
      value: 'DURATION',
      default: '0',
      help: 'how long the current secret stays valid: 30s, 10m, 1h, 7d (default 0)',
    },
    ...jsonOption,
  },
  description: [
    'Creates a new secret for an application and prints it. The secret cannot be shown again.',
    'With a grace, the current secrets stay valid until it ends. Without, only the new one is valid, immediately.',
  ],
  examples: ['gatewright app rotate shop --grace 1h', 'gatewright app rotate shop --json'],
  async run({ values, operands: [appId = ''] }, io) {
    const grace = parseDuration(values.grace, 'grace');
    const vault = await openCredentials(io);
    const secret = newSecret();
    const rotate = (current: Credentials) => rotateSecret(current, appId, secret, io.clock(), grace);
    await changeCredentials(io, vault, rotate, {
      entry: applicationEntry('app.rotate', appId, { grace_seconds: Math.floor(grace / 1000) }),
    });
    printSecret(io, appId, secret, values.json);
  },
});
