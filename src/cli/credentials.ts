import { readConfig } from '../config.ts';
import { openVault, type Vault } from '../vault/vault.ts';
import type { Io } from './io.ts';

/** The encrypted credentials that the environment names. */
export const openCredentials = (io: Io): Promise<Vault> => {
  const config = readConfig(io.env);
  return openVault({
    file: config.credentialsFile,
    keyFile: config.credentialsKeyFile,
    key: config.credentialsKey,
    production: config.production,
    onError: (error) => io.warn(`gatewright: ${error.message}`),
  });
};
