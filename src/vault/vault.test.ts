import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addApplication, removeApplication, rotateAppKey } from './changes.ts';
import { formatCredentials } from './credentials.ts';
import { openVault, type Vault, type VaultOptions } from './vault.ts';
import { VaultError } from './vault-error.ts';

const now = Date.parse('2026-05-01T00:00:00.000Z');
const hour = 3_600_000;
const jwtSecret = 'j'.repeat(32);

let directory: string;
let file: string;
let keyFile: string;
let errors: string[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatewright-vault-'));
  file = join(directory, 'config', 'credentials.age');
  keyFile = join(directory, 'config', 'credentials.key');
  errors = [];
});
afterEach(() => rm(directory, { recursive: true }));

const options = (changed: Partial<VaultOptions> = {}): VaultOptions => ({
  file,
  keyFile,
  production: false,
  onError: (error) => errors.push(error.message),
  ...changed,
});
const open = (changed?: Partial<VaultOptions>) => openVault(options(changed));
const add = (vault: Vault, appId: string, secret = `${appId}-secret`) =>
  vault.update((current) => addApplication(current, appId, { api_secret: secret }, now));

const sealed = async (text: string | Uint8Array, identity: string): Promise<Uint8Array> => {
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(identity));
  return encrypter.encrypt(text);
};
const identityOf = async () => (await readFile(keyFile, 'utf8')).trim().split('\n').at(-1) ?? '';

describe('openVault', () => {
  it('holds nothing where there is no file, also in production, and makes nothing', async () => {
    for (const production of [false, true]) {
      const vault = await open({ production });
      expect(vault.jwtSecret).toBeUndefined();
      expect(vault.applications()).toEqual([]);
    }
    expect(await readdir(directory)).toEqual([]);
  });

  it('reads what another one wrote', async () => {
    const writer = await open();
    await writer.update((current) => ({ ...current, jwt_secret: jwtSecret }));
    await add(writer, 'shop');
    await add(writer, 'Bar');
    const reader = await open({ production: true });
    expect(reader.jwtSecret).toBe(jwtSecret);
    expect(reader.secretsOf('shop', now)).toEqual(['shop-secret']);
    expect(reader.applications()).toEqual([
      { app_id: 'Bar', public_key: null, rotated_at: '2026-05-01T00:00:00.000Z' },
      { app_id: 'shop', public_key: null, rotated_at: '2026-05-01T00:00:00.000Z' },
    ]);
    expect(JSON.stringify(reader.applications())).not.toContain('secret');
    expect((await readdir(join(directory, 'config'))).sort()).toEqual([
      'credentials.age',
      'credentials.age.lock',
      'credentials.key',
    ]);
    for (const path of [file, keyFile]) expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('openVault never finds what Object.prototype lends', async () => {
    const vault = await open();
    await add(vault, 'shop');
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'SHOP', 'shop ']) {
      expect(vault.secretsOf(name, now)).toEqual([]);
    }
  });

  it('fails for every byte that is flipped, cut off or added', { timeout: 60_000 }, async () => {
    const vault = await open();
    await add(vault, 'a', 's');
    const good = await readFile(file);
    const fails = async (bytes: Uint8Array, what: string) => {
      await writeFile(file, bytes);
      await expect(open(), what).rejects.toThrow(
        'cannot be opened: it is damaged, or was made for another key',
      );
    };
    for (const [index, byte] of good.entries()) {
      for (const mask of [0x01, 0x20, 0x80]) {
        const bad = Buffer.from(good);
        bad[index] = byte ^ mask;
        await fails(bad, `byte ${index} ^ ${mask}`);
      }
    }
    for (const length of [0, 1, 30, good.length - 1])
      await fails(good.subarray(0, length), `cut at ${length}`);
    await fails(Buffer.concat([good, Buffer.from('x')]), 'added');
    await writeFile(file, good);
    expect((await open()).secretsOf('a', now)).toEqual(['s']);
  });

  it('fails with another key and without a key, and then makes none', async () => {
    await add(await open(), 'shop');
    const key = await generateX25519Identity();
    await expect(open({ key })).rejects.toThrow('was made for another key than CREDENTIALS_KEY');
    await rm(keyFile);
    for (const production of [true, false]) {
      await expect(open({ production })).rejects.toThrow(`cannot be opened: the key ${keyFile} is missing`);
    }
    await expect(stat(keyFile)).rejects.toThrow('ENOENT');
  });

  it('takes the key as text, with the comments that age-keygen writes', async () => {
    const key = await generateX25519Identity();
    const vault = await open({ key: `# created: today\r\n\r\n${key}\r\n`, production: true });
    await add(vault, 'shop');
    expect((await open({ key })).secretsOf('shop', now)).toEqual(['shop-secret']);
    expect(await readdir(join(directory, 'config'))).not.toContain('credentials.key');
  });

  it('shows nothing of a damaged key', async () => {
    await add(await open(), 'shop');
    const good = await identityOf();
    const last = good.endsWith('Q') ? 'P' : 'Q';
    for (const key of [
      good.slice(0, -1) + last,
      good.slice(0, -5),
      good.toLowerCase(),
      'x',
      '# only a comment',
    ]) {
      const error: unknown = await open({ key }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        name: 'VaultError',
        message: expect.stringContaining('CREDENTIALS_KEY'),
      });
      const shown = `${String(error)} ${error instanceof Error ? String(error.cause) : ''}`;
      expect(shown.toLowerCase()).not.toContain(good.slice(20, 40).toLowerCase());
      await expect(add(await open({ key, file: join(directory, 'none.age') }), 'x')).rejects.toThrow(
        'CREDENTIALS_KEY',
      );
    }
  });

  it('opens with any identity of the key file and encrypts for the first: that is how a key is replaced', async () => {
    await add(await open(), 'shop');
    const old = await identityOf();
    const fresh = await generateX25519Identity();
    await writeFile(keyFile, `${fresh}\n${old}\n`);
    await add(await open(), 'stall');
    await writeFile(keyFile, `${fresh}\n`);
    expect((await open()).applications()).toHaveLength(2);
    await expect(open({ key: old })).rejects.toThrow('made for another key');
  });

  it('refuses content that is not valid, naming the file and the place', async () => {
    await add(await open(), 'shop');
    const identity = await identityOf();
    await writeFile(file, await sealed('{"apps":{"shop":{}}}', identity));
    await expect(open()).rejects.toThrow(`${file}: apps.shop.api_secret is not text`);
    await writeFile(file, await sealed(new Uint8Array([0x22, 0xff, 0x22]), identity));
    await expect(open()).rejects.toThrow('cannot be opened');
  });
});

describe('update', () => {
  it('update in production never makes a key, and says what to do', async () => {
    const vault = await open({ production: true });
    const message = `the key ${keyFile} is missing and production never makes one: set CREDENTIALS_KEY, or run age-keygen -o ${keyFile}`;
    await expect(add(vault, 'shop')).rejects.toThrow(message);
    await expect(vault.assertWritable()).rejects.toThrow(message);
    await expect(vault.writeDraft('x')).rejects.toThrow(message);
    expect(await readdir(directory)).toEqual([]);
  });

  it('changes nothing where the change throws or is not valid', async () => {
    const vault = await open();
    await add(vault, 'shop');
    const before = await readFile(file);
    await expect(add(vault, 'shop')).rejects.toThrow('exists already');
    await expect(vault.update((current) => ({ ...current, jwt_secret: 'short' }))).rejects.toThrow(
      'jwt_secret has 5 bytes',
    );
    expect(await readFile(file)).toEqual(before);
    expect(vault.jwtSecret).toBeUndefined();
  });

  it('update never replaces a file that it cannot read', async () => {
    const vault = await open();
    await add(vault, 'shop');
    await writeFile(file, 'damaged');
    await expect(add(vault, 'stall')).rejects.toThrow('cannot be opened');
    expect(await readFile(file, 'utf8')).toBe('damaged');
  });

  it('loses nothing of writers at the same moment, in this process and in others', {
    timeout: 60_000,
  }, async () => {
    const source = `
      import { addApplication } from ${JSON.stringify(import.meta.resolve('./changes.ts'))};
      import { openVault } from ${JSON.stringify(import.meta.resolve('./vault.ts'))};
      const [, file, keyFile, name] = process.argv;
      const onError = (error) => { throw error; };
      const vault = await openVault({ file, keyFile, production: false, onError });
      for (let i = 0; i < 5; i += 1) await vault.update((c) => addApplication(c, name + i, { api_secret: 'secret' }, Date.now()));
    `;
    const run = promisify(execFile);
    const others = ['x', 'y'].map((name) =>
      run(process.execPath, ['--input-type=module', '--eval', source, file, keyFile, name]),
    );
    const vaults = await Promise.all(Array.from({ length: 6 }, () => open()));
    await Promise.all(vaults.map((vault, index) => add(vault, `own${index}`)));
    await Promise.all(others);
    expect((await open()).applications()).toHaveLength(16);
  });

  it('writes through a symbolic link', async () => {
    await add(await open(), 'shop');
    const linked = join(directory, 'linked.age');
    await symlink(file, linked);
    await add(await open({ file: linked }), 'stall');
    expect((await open()).applications()).toHaveLength(2);
    expect(await readdir(directory)).toEqual(['config', 'linked.age']);
  });
});

describe('secretsOf', () => {
  it('answers the replaced secret until its grace ends', async () => {
    const vault = await open();
    await add(vault, 'shop', 'one');
    await vault.update((current) => rotateAppKey(current, 'shop', { api_secret: 'two' }, now, hour));
    const reader = await open();
    expect(reader.secretsOf('shop', now + hour - 1)).toEqual(['two', 'one']);
    expect(reader.secretsOf('shop', now + hour)).toEqual(['two']);
  });
});

describe('reload', () => {
  it('takes over what changed and tells who listens, once', async () => {
    const writer = await open();
    const reader = await open();
    let changes = 0;
    const stop = reader.onChange(() => {
      changes += 1;
    });
    await add(writer, 'shop');
    await reader.reload();
    await reader.reload();
    expect([changes, reader.applications().length]).toEqual([1, 1]);
    await writeFile(
      file,
      await sealed(formatCredentials({ serial: 0, apps: new Map() }), await identityOf()),
    );
    await writer.reload();
    stop();
    await reader.reload();
    expect([changes, reader.applications().length, writer.applications().length]).toEqual([1, 0, 0]);
    expect(errors).toEqual([]);
  });

  it('keeps the last good content where the file cannot be read, says so once, and recovers', async () => {
    const vault = await open();
    await add(vault, 'shop');
    const good = await readFile(file);
    await writeFile(file, good.subarray(0, 100));
    await vault.reload();
    await vault.reload();
    expect(vault.secretsOf('shop', now)).toEqual(['shop-secret']);
    expect(errors).toEqual([
      `${file} cannot be opened: it is damaged, or was made for another key than ${keyFile}; the credentials read before stay in force`,
    ]);
    await writeFile(
      file,
      await sealed(formatCredentials({ serial: 0, apps: new Map() }), await identityOf()),
    );
    await vault.reload();
    expect(vault.applications()).toEqual([]);
    expect(errors).toHaveLength(1);
  });

  it('recovers when the key comes after the file', async () => {
    const vault = await open();
    await add(vault, 'shop');
    await rename(keyFile, `${keyFile}.away`);
    await vault.reload();
    expect(errors).toHaveLength(1);
    expect(vault.secretsOf('shop', now)).toHaveLength(1);
    await add(await open({ keyFile: `${keyFile}.away` }), 'stall');
    await rename(`${keyFile}.away`, keyFile);
    await vault.reload();
    expect(vault.applications()).toHaveLength(2);
  });

  it('holds nothing after the file was removed, and says so', async () => {
    const vault = await open();
    await add(vault, 'shop');
    await rm(file);
    await vault.reload();
    expect(vault.secretsOf('shop', now)).toEqual([]);
    expect(errors).toEqual([`${file} was removed: it holds nothing now`]);
  });

  it('survives a listener that throws', async () => {
    const vault = await open();
    vault.onChange(() => {
      throw 'no error object';
    });
    await add(vault, 'shop');
    expect(vault.applications()).toHaveLength(1);
    expect(errors).toEqual(['no error object']);
  });
});

describe('admission', () => {
  const write = async (serial: number): Promise<void> =>
    writeFile(file, await sealed(formatCredentials({ serial, apps: new Map() }), await identityOf()));

  it('admission is asked about the file in force and about every other before it is believed', async () => {
    const refused: string[] = [];
    const vault = await open({ onRefused: (error: Error) => refused.push(error.message) });
    await add(vault, 'shop');
    const asked: number[] = [];
    let answer: Error | undefined;
    await vault.admitBy(async ({ serial, digest }) => {
      expect(digest).toMatch(/^[0-9a-f]{64}$/);
      asked.push(serial);
      if (answer !== undefined) throw answer;
    });
    answer = new VaultError('too old');
    await write(0);
    await vault.reload();
    await vault.reload();
    expect([vault.applications().length, vault.file?.serial, asked]).toEqual([1, 1, [1, 0]]);
    expect([errors, refused]).toEqual([['too old; the credentials read before stay in force'], ['too old']]);
    answer = undefined;
    await write(2);
    await vault.reload();
    expect([vault.applications().length, vault.file?.serial, asked]).toEqual([0, 2, [1, 0, 2]]);
    await rm(file);
    await vault.reload();
    expect(vault.file).toBeUndefined();
    await vault.admitBy(() => Promise.reject(new Error('there is no file to be asked about')));
  });

  it('admission that is unavailable is asked for again, and logged once', async () => {
    const vault = await open();
    await add(vault, 'shop');
    let away = true;
    await vault.admitBy(async () => {});
    await vault.admitBy(() => (away ? Promise.reject(new Error('away')) : Promise.resolve())).catch(() => {});
    await write(2);
    await vault.reload();
    await vault.reload();
    expect(vault.applications()).toHaveLength(1);
    expect(errors).toEqual([`${file} has changed and cannot be compared with what was seen before`]);
    away = false;
    await vault.reload();
    expect([vault.applications(), errors.length]).toEqual([[], 1]);
  });

  it('the serial rises with every change, above what was seen, or to where a change raises it', async () => {
    const vault = await open();
    await add(vault, 'shop');
    await add(vault, 'stall');
    const serials = [vault.file?.serial];
    await vault.update((current) => current, 7);
    serials.push(vault.file?.serial);
    await vault.update((current) => ({ ...current, serial: 20 }));
    serials.push(vault.file?.serial);
    await vault.update((current) => ({ ...current, serial: 3 }));
    serials.push(vault.file?.serial, (await open()).file?.serial);
    expect(serials).toEqual([2, 8, 20, 21, 21]);
  });

  it('tells what changed by name', async () => {
    const vault = await open();
    const changes: unknown[] = [];
    vault.onChange((change, serial) => changes.push([serial, change]));
    await add(vault, 'shop');
    await vault.update((current) => ({
      ...rotateAppKey(current, 'shop', { api_secret: 'another-secret' }, now, 0),
      jwt_secret: 'j'.repeat(32),
    }));
    await vault.update((current) => removeApplication(current, 'shop'));
    const none = { added: [], changed: [], removed: [], jwt_secret: false };
    expect(changes).toEqual([
      [1, { ...none, added: ['shop'] }],
      [2, { ...none, changed: ['shop'], jwt_secret: true }],
      [3, { ...none, removed: ['shop'] }],
    ]);
  });
});

describe('watch', () => {
  it('sees a file in a directory that comes later, within a second or so', async () => {
    const vault = await open();
    const heard = new Promise<void>((resolve) => vault.onChange(() => resolve()));
    const started = performance.now();
    vault.watch();
    await add(await open(), 'shop');
    await heard;
    const again = new Promise<void>((resolve) => vault.onChange(() => resolve()));
    await add(await open(), 'stall');
    await again;
    vault.close();
    expect(vault.applications()).toHaveLength(2);
    expect(performance.now() - started).toBeLessThan(4000);
  });

  it('keeps no process alive', () => {
    const source = `
      import { openVault } from ${JSON.stringify(import.meta.resolve('./vault.ts'))};
      const vault = await openVault({ file: 'none.age', keyFile: 'none.key', production: false, onError() {} });
      vault.watch();
    `;
    const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
      cwd: directory,
      timeout: 10_000,
    });
    expect(status).toBe(0);
  });
});

describe('drafts', () => {
  it('drafts are kept encrypted for the same key', async () => {
    const vault = await open();
    expect(await vault.readDraft()).toBeUndefined();
    await vault.writeDraft('{ not finished');
    const bytes = await readFile(vault.draftFile);
    expect(bytes.includes('not finished')).toBe(false);
    expect(await (await open()).readDraft()).toBe('{ not finished');
    const decrypter = new Decrypter();
    decrypter.addIdentity(await identityOf());
    expect(await decrypter.decrypt(bytes, 'text')).toBe('{ not finished');
    await vault.removeDraft();
    await vault.removeDraft();
    expect(await vault.readDraft()).toBeUndefined();
  });
});

const hasAge = spawnSync('age', ['--version']).status === 0;

describe.runIf(hasAge)('the standard age command', () => {
  it('opens what this writes and writes what this opens', async () => {
    const vault = await open();
    await add(vault, 'shop');
    const opened = spawnSync('age', ['--decrypt', '--identity', keyFile, file], { encoding: 'utf8' });
    expect(opened.stdout).toBe(vault.format());
    const changed = opened.stdout.replace('shop-secret', 'other-secret');
    const recipient = await identityToRecipient(await identityOf());
    spawnSync('age', ['--recipient', recipient, '--output', file], { input: changed });
    await vault.reload();
    expect(vault.secretsOf('shop', now)).toEqual(['other-secret']);
  });
});
