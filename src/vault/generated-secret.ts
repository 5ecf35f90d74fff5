import { join } from 'node:path';
import { newSecret } from './changes.ts';
import { createOnce, readIfPresent } from './credential-files.ts';
import { VaultError } from './vault-error.ts';

/** The secret in `dataDir/name`, undefined where there is none. Throws `VaultError` where the file is damaged. */
export const storedSecret = async (dataDir: string, name: string): Promise<string | undefined> => {
  const path = join(dataDir, name);
  const bytes = await readIfPresent(path);
  if (bytes === undefined) return undefined;
  const secret = /^([0-9a-f]{64})\n?$/.exec(new TextDecoder().decode(bytes))?.[1];
  if (secret === undefined) throw new VaultError(`${path} is damaged: remove it to have a new secret made`);
  return secret;
};

/**
 * A secret (64 hex digits) that the first call generates and stores in `dataDir/name` (0600) for all later ones. For
 * use outside production. Processes that start at the same moment agree on one. Throws `VaultError` where the file is
 * damaged.
 */
export const generatedSecret = async (dataDir: string, name: string): Promise<string> => {
  let secret = await storedSecret(dataDir, name);
  while (secret === undefined) {
    await createOnce(join(dataDir, name), Buffer.from(`${newSecret()}\n`));
    secret = await storedSecret(dataDir, name);
  }
  return secret;
};
