import { rotateAppKey } from '../../vault/changes.ts';
import type { Credentials } from '../../vault/credentials.ts';
import { newAppKey, printAppKey, publicKeyOption } from '../application-key.ts';
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
      help: 'how long the current key stays valid: 30s, 10m, 1h, 7d (default 0)',
    },
    ...publicKeyOption,
    ...jsonOption,
  },
  description: [
    'Creates a new secret for an application and prints it. The secret cannot be shown again.',
    'With --public-key, the application gets this key instead, whatever it had before.',
    'With a grace, the current keys stay valid until it ends. Without, only the new one is valid, immediately.',
  ],
  examples: [
    'gatewright app rotate shop --grace 1h',
    'gatewright app rotate shop --json',
    'gatewright app rotate bank --public-key next.pem --grace 7d',
  ],
  async run({ values, operands: [appId = ''] }, io) {
    const grace = parseDuration(values.grace, 'grace');
    const vault = await openCredentials(io);
    const key = await newAppKey(io, values['public-key']);
    const rotate = (current: Credentials) => rotateAppKey(current, appId, key, io.clock(), grace);
    await changeCredentials(io, vault, rotate, {
      entry: applicationEntry('app.rotate', appId, { grace_seconds: Math.floor(grace / 1000) }),
    });
    printAppKey(io, appId, key, values.json);
  },
});
