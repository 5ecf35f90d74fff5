import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openVault } from '../../vault/vault.ts';
import { type RunOptions, run } from '../test-io.ts';

const now = Date.parse('2026-05-01T00:00:00.000Z');
const hour = 3_600_000;

let directory: string;
let env: Record<string, string>;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatewright-cli-'));
  env = { CREDENTIALS_FILE: join(directory, 'c.age'), CREDENTIALS_KEY_FILE: join(directory, 'c.key') };
});
afterEach(() => rm(directory, { recursive: true }));

const app = (line: string, options: RunOptions = {}) =>
  run(['app', ...line.split(' ')], { env, now, ...options });
const vault = () =>
  openVault({
    file: join(directory, 'c.age'),
    keyFile: join(directory, 'c.key'),
    production: false,
    onError: (error) => {
      throw error;
    },
  });
const secretIn = (json: string): string => JSON.parse(json.trim()).api_secret;

describe('app create', () => {
  it('prints the secret as the documented line of JSON and stores it encrypted only', async () => {
    const { status, stdout, stderr } = await app('create shop --json');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^\{"app_id":"shop","api_secret":"[0-9a-f]{64}"\}\n$/);
    expect((await vault()).secretsOf('shop', now)).toEqual([secretIn(stdout)]);
    expect((await readFile(env['CREDENTIALS_FILE'] ?? '')).includes(secretIn(stdout))).toBe(false);
  });

  it('prints it for people', async () => {
    const { stdout, stderr } = await app('create shop');
    expect(stdout).toMatch(/^app_id: {5}shop\napi_secret: [0-9a-f]{64}\n$/);
    expect(stderr).toContain('not shown again');
  });

  it('refuses one that exists, an id that is none, and production without a key', async () => {
    await app('create shop');
    expect(await app('create shop')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'gatewright: the application shop exists already: "app rotate shop" gives it a new secret\n',
    });
    expect(await app('create __proto__')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/not an app_id/),
    });
    const elsewhere = {
      ...env,
      CREDENTIALS_FILE: join(directory, 'x.age'),
      CREDENTIALS_KEY_FILE: join(directory, 'x.key'),
    };
    const production = { ...elsewhere, NODE_ENV: 'production' };
    const { status, stdout, stderr } = await app('create shop', { env: production });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^gatewright: the key .* is missing and production never makes one.*\n$/);
  });
});

describe('app rotate', () => {
  it('lets both secrets sign until the grace ends', async () => {
    const old = secretIn((await app('create shop --json')).stdout);
    const { stdout } = await app('rotate shop --grace 1h --json');
    expect(stdout).toMatch(/^\{"app_id":"shop","api_secret":"[0-9a-f]{64}"\}\n$/);
    const open = await vault();
    expect(open.secretsOf('shop', now + hour - 1)).toEqual([secretIn(stdout), old]);
    expect(open.secretsOf('shop', now + hour)).toEqual([secretIn(stdout)]);
  });

  it('ends the old secret at once without a grace, and needs an application', async () => {
    await app('create shop');
    const fresh = secretIn((await app('rotate shop --json')).stdout);
    expect((await vault()).secretsOf('shop', now)).toEqual([fresh]);
    expect(await app('rotate stall')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'gatewright: there is no application "stall"\n',
    });
  });
});

describe('an application with a public key', () => {
  const pem = (): [pem: string, line: string] => {
    const { publicKey } = generateKeyPairSync('ed25519');
    return [
      String(publicKey.export({ format: 'pem', type: 'spki' })),
      publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    ];
  };

  it('an application with a public key has no secret, and its key is shown whenever it is asked for', async () => {
    const [text, line] = pem();
    const file = join(directory, 'bank.pem');
    await writeFile(file, text);
    const made = await app(`create bank --public-key ${file} --json`);
    expect(made).toEqual({
      status: 0,
      stdout: `{"app_id":"bank","public_key":"${line}"}\n`,
      stderr: '',
    });
    const open = await vault();
    expect([open.secretsOf('bank', now), open.publicKeysOf('bank', now)]).toEqual([[], [line]]);
    expect((await app('list')).stdout).toBe(`bank  2026-05-01T00:00:00.000Z  ${line}\n`);
  });

  it('gets another one, or a secret, and both sign until the grace ends', async () => {
    const [first, firstLine] = pem();
    const [second, secondLine] = pem();
    await app('create bank --public-key -', { stdin: first });
    await app('rotate bank --public-key - --grace 1h', { stdin: second });
    const secret = secretIn((await app('rotate bank --grace 2h --json')).stdout);
    const open = await vault();
    const keysAt = (at: number) => [open.secretsOf('bank', at), open.publicKeysOf('bank', at)];
    expect(keysAt(now)).toEqual([[secret], [secondLine, firstLine]]);
    expect(keysAt(now + hour)).toEqual([[secret], [secondLine]]);
    expect(keysAt(now + 2 * hour)).toEqual([[secret], []]);
    await app('rotate bank --public-key -', { stdin: first });
    expect([(await vault()).secretsOf('bank', now), (await vault()).publicKeysOf('bank', now)]).toEqual([
      [],
      [firstLine],
    ]);
  });

  it('an application is not made with a private key, which appears nowhere', async () => {
    const stdin = String(generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const { status, stdout, stderr } = await app('create bank --public-key -', { stdin });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('this is a private key');
    expect(stderr).not.toContain(stdin.split('\n')[1]);
    expect((await app('list --json')).stdout).toBe('[]\n');
  });
});

describe('app list and app remove', () => {
  it('app list and app remove show what there is, without secrets', async () => {
    expect(await app('list')).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(await app('list --json')).toEqual({ status: 0, stdout: '[]\n', stderr: '' });
    await app('create shop');
    await app('create a');
    expect((await app('list')).stdout).toBe(
      'a     2026-05-01T00:00:00.000Z\nshop  2026-05-01T00:00:00.000Z\n',
    );
    expect((await app('remove a --json')).stdout).toBe('{"app_id":"a"}\n');
    expect((await app('list --json')).stdout).toBe(
      '[{"app_id":"shop","public_key":null,"rotated_at":"2026-05-01T00:00:00.000Z"}]\n',
    );
    expect(await app('remove a')).toMatchObject({ status: 1, stdout: '' });
    expect((await app('remove shop')).stdout).toBe('removed shop\n');
  });
});
