/**
 * Changes to the content of the credentials (a new application, a rotated key, a removal), and the differences
 * between two contents.
 */

import { randomBytes } from 'node:crypto';
import { parseTimestamp, toTimestamp } from '../kernel/clock.ts';
import { type AppKey, type AppKeys, assertAppId, type Credentials, type PreviousKey } from './credentials.ts';
import { VaultError } from './vault-error.ts';

/** The differences between two contents: names, never secrets. */
export interface CredentialsChange {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly jwt_secret: boolean;
}

/** Returns the changes between two contents, by app_id in code point order. */
export const changeOf = (before: Credentials, after: Credentials): CredentialsChange => {
  const names = [...new Set([...before.apps.keys(), ...after.apps.keys()])].sort();
  const differs = (id: string): boolean =>
    JSON.stringify(before.apps.get(id)) !== JSON.stringify(after.apps.get(id));
  return {
    added: names.filter((id) => !before.apps.has(id)),
    changed: names.filter((id) => before.apps.has(id) && after.apps.has(id) && differs(id)),
    removed: names.filter((id) => !after.apps.has(id)),
    jwt_secret: before.jwt_secret !== after.jwt_secret,
  };
};

/** 32 random bytes, lowercase hex. */
export const newSecret = (): string => randomBytes(32).toString('hex');

/** True if a replaced key still signs at `now`, milliseconds since the epoch. */
export const isInGrace = (previous: Pick<PreviousKey, 'until'>, now: number): boolean =>
  now < (parseTimestamp(previous.until) ?? Number.NEGATIVE_INFINITY);

const applicationOf = (credentials: Credentials, appId: string): AppKeys => {
  const application = credentials.apps.get(appId);
  if (application === undefined) throw new VaultError(`there is no application ${JSON.stringify(appId)}`);
  return application;
};

const withApplication = (credentials: Credentials, appId: string, application: AppKeys): Credentials => ({
  ...credentials,
  apps: new Map(credentials.apps).set(appId, application),
});

/** Throws `VaultError` where the application exists or its id is invalid. */
export const addApplication = (
  credentials: Credentials,
  appId: string,
  key: AppKey,
  now: number,
): Credentials => {
  assertAppId(appId);
  if (credentials.apps.has(appId)) {
    throw new VaultError(
      `the application ${appId} exists already: "app rotate ${appId}" gives it a new secret`,
    );
  }
  return withApplication(credentials, appId, { ...key, rotated_at: toTimestamp(now) });
};

/**
 * Gives an application a new key, of either kind. With a grace period, in milliseconds, the current one signs until
 * that ends, beside earlier ones still in theirs. Without, only the new one is valid at once: the response to a leak.
 */
export const rotateAppKey = (
  credentials: Credentials,
  appId: string,
  key: AppKey,
  now: number,
  grace: number,
): Credentials => {
  const { previous = [], rotated_at: _, ...current } = applicationOf(credentials, appId);
  const rotated = { ...key, rotated_at: toTimestamp(now) };
  if (grace === 0) return withApplication(credentials, appId, rotated);
  const inGrace = previous.filter((one) => isInGrace(one, now));
  return withApplication(credentials, appId, {
    ...rotated,
    previous: [{ ...current, until: toTimestamp(now + grace) }, ...inGrace],
  });
};

export const removeApplication = (credentials: Credentials, appId: string): Credentials => {
  applicationOf(credentials, appId);
  const apps = new Map(credentials.apps);
  apps.delete(appId);
  return { ...credentials, apps };
};
