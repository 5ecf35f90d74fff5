import { join } from 'node:path';
import { newSecret } from './changes.ts';
import { createOnce, readIfPresent } from './files.ts';
import { VaultError } from './vault-error.ts';

/** The secret that was kept in `dataDir/name`, undefined where none was. Throws `VaultError` where the file is damaged. */
export const keptSecret = async (dataDir: string, name: string): Promise<string | undefined> => {
  const path = join(dataDir, name);
  const bytes = await readIfPresent(path);
  if (bytes === undefined) return undefined;
  const secret = /^([0-9a-f]{64})\n?$/.exec(new TextDecoder().decode(bytes))?.[1];
  if (secret === undefined) throw new VaultError(`${path} is damaged: remove it to have a new secret made`);
  return secret;
};

/**
 * A secret (64 hex digits) made at the first call and kept in `dataDir/name` (0600) for all later ones. For use outside
 * production. Processes that start at the same moment agree on one. Throws `VaultError` where the file is damaged.
 */
export const generatedSecret = async (dataDir: string, name: string): Promise<string> => {
  let secret = await keptSecret(dataDir, name);
  while (secret === undefined) {
    await createOnce(join(dataDir, name), Buffer.from(`${newSecret()}\n`));
    secret = await keptSecret(dataDir, name);
  }
  return secret;
};
