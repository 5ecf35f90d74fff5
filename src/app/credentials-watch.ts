/** Refuses a credentials file that is older than the last one seen, and records other changes in the audit log. */

import type { SeenCredentialsStore } from '../accounts/applications.ts';
import type { SecurityEvents } from '../auth/security-events.ts';
import type { Found } from '../database/migrations.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { CredentialsChange } from '../vault/changes.ts';
import type { CredentialsFile, Vault } from '../vault/vault.ts';
import { VaultError } from '../vault/vault-error.ts';

const detailOf = ({ jwt_secret, ...names }: CredentialsChange): JsonObject => {
  const changed = Object.fromEntries(Object.entries(names).filter(([, ids]) => ids.length > 0));
  return jwt_secret ? { ...changed, jwt_secret } : changed;
};

/** The error about an older file, in one line with the remedy. */
export const olderCredentials = (file: string, serial: number, seen: number): VaultError =>
  new VaultError(
    `${file} has serial ${serial}, and ${seen} was seen before: restore the newer file, or raise its serial above ` +
      `${seen} with \`gatewright credentials edit\` if the older one is meant`,
  );

/**
 * Refuses to migrate with a credentials file older than the last one seen. Without pending migrations this is left to
 * `watchCredentials`, which records it in the audit log.
 * @throws VaultError
 */
export const assertNotOlder = async (
  vault: Vault,
  path: string,
  { tables, ask, applied, names }: Found,
): Promise<void> => {
  const { file } = vault;
  if (file === undefined || !tables.has('gatewright_seen_credentials')) return;
  if (applied.every(({ pending }) => pending.length === 0)) return;
  const [row] = await ask<{ serial: number }>(
    `select serial from ${names.written('gatewright_seen_credentials')}`,
  );
  const seen = Number(row?.serial ?? 0);
  if (seen > file.serial) throw olderCredentials(path, file.serial, seen);
};

/**
 * Refuses credentials older than the last that any instance saw, and records every other change. A file with the same
 * serial and other content is accepted and recorded as such: an edit with `age` results in one.
 * @throws VaultError where the current file is older; the service must not start then
 */
export const watchCredentials = async (
  vault: Vault,
  path: string,
  seen: SeenCredentialsStore,
  events: SecurityEvents,
): Promise<void> => {
  let started = false;
  let altered = false;
  const tell = (serial: number, change: JsonObject): void => {
    const detail = altered ? { serial, same_serial: true, ...change } : { serial, ...change };
    events.record({ action: 'credentials.reload', address: null, detail });
  };

  const admit = async (file: CredentialsFile): Promise<void> => {
    const before = await seen.see(file);
    if (before !== undefined && before.serial > file.serial)
      throw olderCredentials(path, file.serial, before.serial);
    altered = before?.serial === file.serial && before.digest !== file.digest;
    if (!started && before !== undefined && before.digest !== file.digest) tell(file.serial, {});
  };

  vault.onChange((change, serial) => tell(serial, detailOf(change)));
  try {
    await vault.admitBy(admit);
  } catch (error) {
    if (error instanceof VaultError) recordRefusedFile(events, error);
    throw error;
  }
  started = true;
};

/** Records a file that was refused because it is older than one already seen, or damaged. */
export const recordRefusedFile = (events: SecurityEvents, { message }: Error): void =>
  events.record({ action: 'credentials.refused', address: null, detail: { reason: message } });
