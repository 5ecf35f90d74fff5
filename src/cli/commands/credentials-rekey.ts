import { resolve } from 'node:path';
import type { RekeyStep } from '../../vault/rekey.ts';
import { defineCommand } from '../command.ts';
import { credentialsEntry, openCredentials, workOnCredentials } from '../credentials.ts';
import { UsageError } from '../io.ts';

const stepLabels: Readonly<Record<RekeyStep['kind'], string>> = {
  'at once': 'the credentials are encrypted for a new key, and the old one opens nothing any more',
  'give out': 'the credentials are encrypted for both keys',
  'drop old': 'the old key opens nothing any more',
};

const next = (file: string): string =>
  `Put the key in ${file} in place of the old one everywhere, then run: gatewright credentials rekey --finish`;

export const command = defineCommand({
  operands: [],
  options: {
    'key-out': {
      type: 'string',
      value: 'FILE',
      help: 'write the new key here; the old one still works',
    },
    finish: { type: 'boolean', help: 'end the old key, once the new one is in place everywhere' },
  },
  description: [
    'Replaces the key of the encrypted credentials. Without an option it replaces the key file immediately, for a service',
    'that reads that file; the service keeps running. If it is interrupted, run the same command again.',
    'If the key is in CREDENTIALS_KEY, or copied to other machines: use --key-out, distribute the new key, then --finish.',
    'The keys themselves are never printed.',
  ],
  examples: [
    'gatewright credentials rekey',
    'gatewright credentials rekey --key-out new.key',
    'CREDENTIALS_KEY="$(cat new.key)" gatewright credentials rekey --finish',
  ],
  async run({ values }, io) {
    const { 'key-out': keyOut, finish } = values;
    if (keyOut !== undefined && finish === true) throw new UsageError('--key-out and --finish are two steps');
    const step: RekeyStep =
      keyOut === undefined
        ? { kind: finish === true ? 'drop old' : 'at once' }
        : { kind: 'give out', newKeyFile: resolve(keyOut) };
    const vault = await openCredentials(io);
    const { recipient } = await workOnCredentials(io, vault, (seen) => vault.rekey(step, seen), {
      entry: credentialsEntry('credentials.rekey', null, { step: step.kind }),
    });
    io.print(`${stepLabels[step.kind]}: ${recipient}`);
    if (keyOut !== undefined) io.print(next(keyOut));
  },
});
