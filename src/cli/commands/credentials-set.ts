import { defineCommand } from '../command.ts';
import { changeCredentials, credentialsEntry, openCredentials } from '../credentials.ts';
import { readSecret, UsageError } from '../io.ts';

export const command = defineCommand({
  operands: ['NAME'],
  options: {},
  description: [
    'Stores a secret, read from stdin so that it shows in no process list and no shell history.',
    'NAME is jwt_secret: at least 32 bytes; one line end at its end is dropped. A new one signs everybody out.',
  ],
  examples: ['openssl rand -hex 32 | gatewright credentials set jwt_secret'],
  async run({ operands: [name] }, io) {
    if (name !== 'jwt_secret') throw new UsageError(`'${name}' cannot be set, only jwt_secret can`);
    const vault = await openCredentials(io);
    await vault.assertWritable();
    const secret = await readSecret(io, name);
    await changeCredentials(io, vault, (current) => ({ ...current, jwt_secret: secret }), {
      entry: credentialsEntry('credentials.set', name),
    });
    io.print('jwt_secret is set');
  },
});
