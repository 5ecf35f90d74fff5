import { readFile } from 'node:fs/promises';
import { newSecret } from '../vault/changes.ts';
import type { AppKey } from '../vault/credentials.ts';
import { readPublicKey } from '../vault/public-key.ts';
import { type Io, readAll } from './io.ts';

/** The option by which an application gets a public key instead of a secret. */
export const publicKeyOption = {
  'public-key': {
    type: 'string',
    value: 'FILE',
    help: 'an Ed25519 public key in PEM, instead of a secret; - is stdin',
  },
} as const;

/** The new key of an application: the file's public key, or a secret. @throws VaultError for a file without a key */
export const newAppKey = async (io: Io, file: string | undefined): Promise<AppKey> => {
  if (file === undefined) return { api_secret: newSecret() };
  const bytes = file === '-' ? await readAll(io) : await readFile(file);
  return { public_key: readPublicKey(Buffer.from(bytes).toString()) };
};

/** Prints the key of an application. A secret is never shown again. */
export const printAppKey = (io: Io, appId: string, key: AppKey, json: boolean | undefined): void => {
  if (json === true) {
    io.print(JSON.stringify({ app_id: appId, ...key }));
    return;
  }
  io.print(`app_id:     ${appId}`);
  for (const [name, value] of Object.entries(key)) io.print(`${name}: ${value}`);
  if ('api_secret' in key) io.warn('Store the secret now: it is not shown again.');
};
