import { type Credentials, withFormerSecret } from '../../vault/credentials.ts';
import { defineCommand } from '../command.ts';
import { changeCredentials, credentialsEntry, openCredentials } from '../credentials.ts';
import { readSecret, UsageError } from '../io.ts';

/** The secrets that can be set, by their names. */
const settable = new Map<string, (current: Credentials, secret: string) => Credentials>([
  ['jwt_secret', (current, secret) => ({ ...current, jwt_secret: secret })],
  ['former_jwt_secret', withFormerSecret],
  ['smtp_password', (current, secret) => ({ ...current, smtp_password: secret })],
]);

/** Stores the secret of this service at a provider. */
const clientSecret = (name: string): ((current: Credentials, secret: string) => Credentials) | undefined => {
  const provider = /^providers\.([a-z][a-z0-9_-]{0,30})\.client_secret$/.exec(name)?.[1];
  if (provider === undefined) return undefined;
  return (current, secret) => ({
    ...current,
    providers: { ...current.providers, [provider]: { client_secret: secret } },
  });
};

export const command = defineCommand({
  operands: ['NAME'],
  options: {},
  description: [
    'Stores a secret, read from stdin so that it is in no process list and no shell history.',
    'One newline at its end is removed. NAME is jwt_secret, of at least 32 bytes: a new one signs all users out, and the',
    'previous one is kept to decrypt the secrets of webhooks until the service has encrypted them again.',
    'former_jwt_secret adds a previous secret: use it before you replace a JWT_SECRET of the environment.',
    'smtp_password is the password of the SMTP server, providers.NAME.client_secret the secret at an identity provider.',
  ],
  examples: ['openssl rand -hex 32 | gatewright credentials set jwt_secret'],
  async run({ operands: [name] }, io) {
    const store = settable.get(name ?? '') ?? clientSecret(name ?? '');
    if (name === undefined || store === undefined)
      throw new UsageError(
        `'${name}' cannot be set, only ${[...settable.keys(), 'providers.NAME.client_secret'].join(', ')} can`,
      );
    const vault = await openCredentials(io);
    await vault.assertWritable();
    const secret = await readSecret(io, name);
    await changeCredentials(io, vault, (current) => store(current, secret), {
      entry: credentialsEntry('credentials.set', name),
    });
    io.print(`${name} is set`);
  },
});
