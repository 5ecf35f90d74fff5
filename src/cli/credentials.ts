/** Changes of the credentials from the command line, each with its line in the audit log. */

import { createSeenCredentials } from '../accounts/applications.ts';
import { type Config, readConfig } from '../app/config.ts';
import { olderCredentials } from '../app/credentials-watch.ts';
import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open.ts';
import { databaseTarget } from '../database/targets.ts';
import { errorMessage } from '../kernel/error-message.ts';
import { type AuditEntry, recordAudit } from '../ledger/audit.ts';
import type { Credentials } from '../vault/credentials.ts';
import { openVault, type Vault } from '../vault/vault.ts';
import { configuredTables } from './application.ts';
import type { Io } from './io.ts';

/** Milliseconds that a command waits for a database that does not respond. */
const databaseTimeoutMs = 5_000;

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

/**
 * The database with the audit log; undefined if none was created yet, or it does not respond, which is printed. A
 * service that never started has none, and none is created for the audit log.
 */
const openAuditList = async ({ databaseUrl }: Config): Promise<Database | undefined> => {
  const target = databaseTarget(databaseUrl, await configuredTables());
  return target.isEmpty() ? undefined : openDatabase(target, { poolSize: 1 });
};

const withTimeout = async <T>(work: Promise<T>): Promise<T> => {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('the database does not answer')), databaseTimeoutMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
};

export interface ChangeOptions {
  /** The line for the audit log; never a secret. */
  readonly entry: AuditEntry;
  /** True if a file older than the last seen one may be changed: an edit of the whole content. */
  readonly older?: boolean;
}

/** The work of a command on the vault; `seen` is the highest serial that any process has seen. */
type VaultWork<T> = (seen: number | undefined) => Promise<T>;

/** Changes the credentials under the rules of `workOnCredentials`. */
export const changeCredentials = (
  io: Io,
  vault: Vault,
  change: (current: Credentials) => Credentials,
  options: ChangeOptions,
): Promise<void> => workOnCredentials(io, vault, (seen) => vault.update(change, seen), options);

/**
 * Changes the credentials, with a line in the audit log and a serial above all serials seen before. A database that
 * does not respond is reported and does not block the change, since a leaked secret must be replaceable without it.
 * @throws VaultError if the file is older than one that was seen
 */
export const workOnCredentials = async <T>(
  io: Io,
  vault: Vault,
  work: VaultWork<T>,
  { entry, older = false }: ChangeOptions,
): Promise<T> => {
  const config = readConfig(io.env);
  const warnUnlisted = (error: unknown): undefined => {
    const reason = errorMessage(error);
    io.warn(`gatewright: this change is not in the audit log: ${reason}`);
  };
  const database = await openAuditList(config).catch(warnUnlisted);
  try {
    const seen = database && createSeenCredentials({ database, clock: io.clock });
    const last = await (seen && withTimeout(seen.last()).catch(warnUnlisted));
    if (!older && last !== undefined && vault.file !== undefined && vault.file.serial < last.serial)
      throw olderCredentials(config.credentialsFile, vault.file.serial, last.serial);
    const result = await work(last?.serial);
    const { file } = vault;
    if (database === undefined || seen === undefined || file === undefined) return result;
    const written = database.write(async (transaction) => {
      const { action, target, detail } = entry;
      const actor = { principal: 'command line', address: null } as const;
      const line = { action, target, detail: { serial: file.serial, ...detail } };
      await recordAudit(transaction, database.dialect, io.clock(), actor, line);
      await transaction.run(seen.put(file));
    });
    await withTimeout(written).catch(warnUnlisted);
    return result;
  } finally {
    await (database && withTimeout(database.close()).catch(warnUnlisted));
  }
};

/** The line of the audit log about an application. */
export const applicationEntry = (
  action: `app.${string}`,
  appId: string,
  detail: AuditEntry['detail'] = {},
): AuditEntry => ({ action, target: { kind: 'application', id: appId, name: appId }, detail });

/** The line of the audit log about the credentials themselves. */
export const credentialsEntry = (
  action: `credentials.${string}`,
  name: string | null,
  detail: AuditEntry['detail'] = {},
): AuditEntry => ({ action, target: { kind: 'credentials', id: null, name }, detail });
