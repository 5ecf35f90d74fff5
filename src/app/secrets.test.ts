import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ThrottleStore } from '../auth/ports.ts';
import { openVault } from '../vault/vault.ts';
import { readConfig } from './config.ts';
import { createKeyed } from './secrets.ts';

const now = Date.parse('2026-11-22T00:00:00.000Z');
const first = '1'.repeat(32);
const second = '2'.repeat(32);

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatewright-secrets-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** Tokens, cookies and login counters under the secret of a credentials file, and the keys of the counters. */
const setUp = async (env: Readonly<Record<string, string>> = {}) => {
  const file = join(directory, 'credentials.age');
  const keyFile = join(directory, 'credentials.key');
  const vault = await openVault({ file, keyFile, production: false, onError: () => {} });
  const store = (jwt_secret: string | undefined) =>
    vault.update(({ serial, apps }) => ({ serial, apps, ...(jwt_secret && { jwt_secret }) }));
  await store(first);
  const counterKeys: string[] = [];
  const attempts: ThrottleStore = {
    reserve: async (key) => {
      counterKeys.push(key);
      return 'granted';
    },
    settle: async () => {},
    forget: async () => {},
  };
  const keyed = await createKeyed(readConfig({ DATA_DIR: directory, ...env }), vault, attempts, () => now);
  return { keyed, store, counterKeys };
};

it('a new secret in the credentials ends tokens, also those that were verified, and sessions', async () => {
  const { keyed, store } = await setUp();
  const token = keyed.tokens.issue(7);
  const { id, hash } = keyed.cookies.create();
  expect(keyed.tokens.verify(token)).toMatchObject({ userId: 7 });
  expect(keyed.cookies.hash(id)).toBe(hash);
  await store(second);
  expect(keyed.tokens.verify(token)).toBeUndefined();
  expect(keyed.cookies.hash(id)).not.toBe(hash);
  expect(keyed.tokens.verify(keyed.tokens.issue(7))).toMatchObject({ userId: 7 });
});

it('a new secret in the credentials renames the counters of failed logins', async () => {
  const { keyed, store, counterKeys } = await setUp();
  const tryLogin = () => keyed.throttle.runCode('ann', async () => true);
  await tryLogin();
  await tryLogin();
  await store(second);
  await tryLogin();
  expect(new Set(counterKeys.slice(0, 2)).size).toBe(1);
  expect(counterKeys[2]).not.toBe(counterKeys[0]);
});

it('a secret that vanishes stays in force, and that of the environment stands above the file’s', async () => {
  const { keyed, store } = await setUp();
  const token = keyed.tokens.issue(7);
  await store(undefined);
  expect(keyed.tokens.verify(token)).toMatchObject({ userId: 7 });
  const fixed = await setUp({ JWT_SECRET: first });
  await fixed.store(second);
  expect(fixed.keyed.tokens.verify(token)).toMatchObject({ userId: 7 });
});
