import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateHybridIdentity, generateX25519Identity } from 'age-encryption';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addApplication } from './changes.ts';
import { openVault, type Vault, type VaultOptions } from './vault.ts';

const now = Date.parse('2026-05-01T00:00:00.000Z');

let directory: string;
let file: string;
let keyFile: string;
let newKeyFile: string;
let errors: string[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatewright-rekey-'));
  file = join(directory, 'credentials.age');
  keyFile = join(directory, 'credentials.key');
  newKeyFile = join(directory, 'new.key');
  errors = [];
});
afterEach(() => rm(directory, { recursive: true }));

const open = (changed: Partial<VaultOptions> = {}): Promise<Vault> =>
  openVault({ file, keyFile, production: true, onError: (error) => errors.push(error.message), ...changed });
const add = (vault: Vault, appId: string) =>
  vault.update((current) => addApplication(current, appId, { api_secret: `${appId}-secret` }, now));
const names = (vault: Vault): readonly string[] => vault.applications().map(({ app_id }) => app_id);
const keyIn = (path: string): Promise<string> => readFile(path, 'utf8');

/** Credentials with an application and an edit that could not be saved. */
const begin = async (identity?: string): Promise<string> => {
  await writeFile(keyFile, `${identity ?? (await generateX25519Identity())}\n`, { mode: 0o600 });
  const vault = await open();
  await add(vault, 'shop');
  await vault.writeDraft('{ unfinished');
  return keyIn(keyFile);
};

describe('rekey at once', () => {
  it('leaves one new key, private, that opens everything, and an old one that opens nothing', async () => {
    const old = await begin();
    const running = await open();
    await (await open()).rekey({ kind: 'at once' });
    const key = await keyIn(keyFile);
    expect(key).toMatch(/^# public key: age1[0-9a-z]+\nAGE-SECRET-KEY-1[0-9A-Z]+\n$/);
    expect(key).not.toContain(old.trim());
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    const opened = await open();
    expect([names(opened), await opened.readDraft(), opened.file?.serial]).toEqual([
      ['shop'],
      '{ unfinished',
      2,
    ]);
    await expect(open({ key: old })).rejects.toThrow('made for another key');
    await expect(
      (await open({ key: old, file: join(directory, 'none') })).readDraft(),
    ).resolves.toBeUndefined();
    await running.reload();
    await add(opened, 'stall');
    await running.reload();
    expect([names(running), errors]).toEqual([['shop', 'stall'], []]);
  });

  it('goes on where a call before was cut off, with the key of that call', async () => {
    const old = await begin();
    const fresh = await generateX25519Identity();
    const mark = '# A change of the key has begun: "gatewright credentials rekey" completes it.';
    await writeFile(keyFile, `${mark}\n${fresh}\n${old}`);
    await writeFile(join(directory, '.credentials.key.0123456789abcdef.tmp'), 'left');
    await (await open()).rekey({ kind: 'at once' });
    expect(await keyIn(keyFile)).toContain(`\n${fresh}\n`);
    expect((await readdir(directory)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    // Two keys that somebody put there are both replaced.
    await writeFile(keyFile, `${fresh}\n${old}`);
    await (await open()).rekey({ kind: 'at once' });
    expect(await keyIn(keyFile)).not.toContain(fresh);
    expect(names(await open())).toEqual(['shop']);
  });

  it('takes no key away from two calls at once, nor from a change between them', async () => {
    await begin();
    const vaults = await Promise.all([open(), open(), open()]);
    const [first, second, third] = vaults;
    await Promise.all([
      first?.rekey({ kind: 'at once' }),
      third && add(third, 'stall'),
      second?.rekey({ kind: 'at once' }),
    ]);
    expect(names(await open())).toEqual(['shop', 'stall']);
  });

  it('stays with the kind of the key', async () => {
    await begin(await generateHybridIdentity());
    await (await open()).rekey({ kind: 'at once' });
    expect(await keyIn(keyFile)).toContain('\nAGE-SECRET-KEY-PQ-1');
    expect(names(await open())).toEqual(['shop']);
  });

  it('refuses where there is nothing to encrypt, or no file for the key', async () => {
    const identity = await generateX25519Identity();
    await expect((await open({ key: identity })).rekey({ kind: 'at once' })).rejects.toThrow('is not there');
    const key = await begin();
    await expect((await open({ key })).rekey({ kind: 'at once' })).rejects.toThrow('--key-out FILE');
    await expect((await open()).rekey({ kind: 'drop old' })).rejects.toThrow('no new key was given out');
    expect(await keyIn(keyFile)).toBe(key);
  });
});

describe('rekey in two steps', () => {
  it('opens with either key, also what is written between the steps by either, then with the new one', async () => {
    const old = await begin();
    const holder = await open({ key: old });
    await holder.rekey({ kind: 'give out', newKeyFile });
    const fresh = await keyIn(newKeyFile);
    expect((await stat(newKeyFile)).mode & 0o777).toBe(0o600);
    const [byOld, byNew] = [await open({ key: old }), await open({ key: fresh })];
    await add(byOld, 'stall');
    await byNew.reload();
    await add(byNew, 'tent');
    await byOld.reload();
    for (const key of [old, fresh]) {
      const vault = await open({ key });
      expect([names(vault), await vault.readDraft()]).toEqual([['shop', 'stall', 'tent'], '{ unfinished']);
    }
    await expect(byOld.rekey({ kind: 'drop old' })).rejects.toThrow(
      'CREDENTIALS_KEY still holds the old key',
    );
    await byNew.rekey({ kind: 'drop old' });
    await expect(open({ key: old })).rejects.toThrow('made for another key');
    expect(names(await open({ key: fresh }))).toEqual(['shop', 'stall', 'tent']);
    // A service that runs with the old key keeps what it read.
    await byOld.reload();
    expect([names(byOld), errors]).toEqual([
      ['shop', 'stall', 'tent'],
      [expect.stringContaining('the credentials read before stay in force')],
    ]);
  });

  it('rekey in two steps is begun again with the key that is there, or with another one where that was lost', async () => {
    const old = await begin();
    await (await open()).rekey({ kind: 'give out', newKeyFile });
    const fresh = await keyIn(newKeyFile);
    await (await open()).rekey({ kind: 'give out', newKeyFile });
    expect(await keyIn(newKeyFile)).toBe(fresh);
    expect(names(await open({ key: fresh }))).toEqual(['shop']);
    await expect((await open()).rekey({ kind: 'at once' })).rejects.toThrow('--finish drops the old one');
    await expect((await open()).rekey({ kind: 'give out', newKeyFile: keyFile })).rejects.toThrow(
      'no new key',
    );
    const other = join(directory, 'other.key');
    await (await open()).rekey({ kind: 'give out', newKeyFile: other });
    await expect(open({ key: fresh })).rejects.toThrow('made for another key');
    await writeFile(keyFile, `${await keyIn(other)}${old}`);
    await (await open()).rekey({ kind: 'drop old' });
    expect(await keyIn(keyFile)).toBe(await keyIn(other));
    expect(names(await open())).toEqual(['shop']);
  });
});

const hasAge = spawnSync('age', ['--version']).status === 0;

it.runIf(hasAge || process.env['CI'] !== undefined)('the age program opens all of them', async () => {
  const old = await begin();
  const shown = (key: string): string =>
    spawnSync('age', ['--decrypt', '--identity', key, file], { encoding: 'utf8' }).stdout;
  await (await open()).rekey({ kind: 'at once' });
  expect(shown(keyFile)).toContain('shop-secret');
  await writeFile(join(directory, 'old.key'), old);
  expect(shown(join(directory, 'old.key'))).toBe('');
  await (await open()).rekey({ kind: 'give out', newKeyFile });
  expect(shown(keyFile)).toContain('shop-secret');
  expect(shown(newKeyFile)).toBe(shown(keyFile));
});
