import { type Credentials, withFormerSecret } from '../../vault/credentials.ts';
import { defineCommand } from '../command.ts';
import { changeCredentials, credentialsEntry, openCredentials } from '../credentials.ts';
import { readSecret, UsageError } from '../io.ts';

export const command = defineCommand({
  operands: ['NAME'],
  options: {},
  description: [
    'Stores a secret, read from stdin so that it is in no process list and no shell history.',
    'NAME is jwt_secret: at least 32 bytes; one newline at its end is removed. A new one signs all users out. The',
    'previous one is kept to decrypt the secrets of webhooks until the service has encrypted them again.',
    'former_jwt_secret adds a previous secret: use it before you replace a JWT_SECRET of the environment.',
  ],
  examples: ['openssl rand -hex 32 | gatewright credentials set jwt_secret'],
  async run({ operands: [name] }, io) {
    if (name !== 'jwt_secret' && name !== 'former_jwt_secret')
      throw new UsageError(`'${name}' cannot be set, only jwt_secret and former_jwt_secret can`);
    const vault = await openCredentials(io);
    await vault.assertWritable();
    const secret = await readSecret(io, name);
    const change = (current: Credentials): Credentials =>
      name === 'jwt_secret' ? { ...current, jwt_secret: secret } : withFormerSecret(current, secret);
    await changeCredentials(io, vault, change, { entry: credentialsEntry('credentials.set', name) });
    io.print(`${name} is set`);
  },
});
