import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openVault } from '../../vault/vault.ts';
import { type RunOptions, run } from '../test-io.ts';

const secret = 'j'.repeat(32);

let directory: string;
let env: Record<string, string>;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatewright-cli-'));
  env = {
    // The folder is not the checkout's own, where somebody may have tried the service.
    DATA_DIR: join(directory, 'data'),
    CREDENTIALS_FILE: join(directory, 'c.age'),
    CREDENTIALS_KEY_FILE: join(directory, 'c.key'),
  };
});
afterEach(() => rm(directory, { recursive: true }));

const credentials = (args: readonly string[], options: RunOptions = {}) =>
  run(['credentials', ...args], { env, ...options });
const set = (stdin: string | Uint8Array, options: RunOptions = {}) =>
  credentials(['set', 'jwt_secret'], { stdin, ...options });
const vault = () =>
  openVault({
    file: join(directory, 'c.age'),
    keyFile: join(directory, 'c.key'),
    production: false,
    onError: (error) => {
      throw error;
    },
  });

describe('credentials set', () => {
  it('stores a secret from stdin without its line end', async () => {
    expect(await set(`${secret}\n`)).toEqual({ status: 0, stdout: 'jwt_secret is set\n', stderr: '' });
    expect((await vault()).jwtSecret).toBe(secret);
    await set(` ${secret}\n\n`, { interactive: true });
    expect((await vault()).jwtSecret).toBe(` ${secret}\n`);
  });

  it.each([
    ['', 'no jwt_secret on stdin'],
    ['\n', 'no jwt_secret on stdin'],
    ['short', 'jwt_secret has 5 bytes, at least 32 are needed'],
    [new Uint8Array(40).fill(0xff), 'the jwt_secret on stdin is not UTF-8'],
  ])('credentials set refuses the secret %j', async (stdin, message) => {
    expect(await set(stdin)).toEqual({ status: 1, stdout: '', stderr: `gatewright: ${message}\n` });
  });

  it('keeps the former secrets, the last first, for opening only', async () => {
    for (const letter of ['a', 'b', 'b', 'c']) await set(letter.repeat(32));
    await credentials(['set', 'former_jwt_secret'], { stdin: 'd'.repeat(32) });
    const { jwtSecret, formerJwtSecrets } = await vault();
    expect([jwtSecret ?? '', ...formerJwtSecrets].map((text) => text.slice(0, 1)).join('')).toBe('cdba');
  });

  it('knows no other name', async () => {
    expect(await credentials(['set', 'apps'], { stdin: secret })).toMatchObject({ status: 2 });
  });
});

describe('credentials rekey', () => {
  it('says the public half only, and what to do next', async () => {
    await set(secret);
    const key = () => readFile(join(directory, 'c.key'), 'utf8');
    const old = await key();
    const { status, stdout } = await credentials(['rekey']);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/for a new key.*: age1[0-9a-z]{58}\n$/)]);
    expect(await key()).not.toBe(old);
    const out = await credentials(['rekey', '--key-out', join(directory, 'new.key')]);
    expect(out).toMatchObject({ status: 0, stdout: expect.stringContaining('rekey --finish\n') });
    expect(out.stdout).not.toContain('AGE-SECRET-KEY');
    expect(await credentials(['rekey', '--finish'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('still holds the old key'),
    });
    const fresh = await readFile(join(directory, 'new.key'), 'utf8');
    const finished = await credentials(['rekey', '--finish'], { env: { ...env, CREDENTIALS_KEY: fresh } });
    expect(finished).toMatchObject({ status: 0, stderr: '' });
    await writeFile(join(directory, 'c.key'), fresh);
    expect((await vault()).jwtSecret).toBe(secret);
    expect((await vault()).file?.serial).toBe(4);
  });

  it('takes one step at a time', async () => {
    expect(await credentials(['rekey', '--finish', '--key-out', 'x'])).toMatchObject({ status: 2 });
    expect(await credentials(['rekey'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('there is nothing to encrypt again'),
    });
  });
});

/** An editor that does what the shell script says; `$1` is the file. */
const edit = async (script: string, ...options: string[]) => {
  const editor = join(directory, 'editor.sh');
  await writeFile(editor, script);
  return credentials(['edit', ...options], { env: { ...env, VISUAL: `sh ${editor}`, EDITOR: 'false' } });
};

/** Keeps a copy of what the editor sees, and of where. */
const look = () => `ls -ld "$(dirname "$1")" "$1" | cut -c1-10 > ${directory}/modes
dirname "$1" > ${directory}/where; cp "$1" ${directory}/seen`;
const seen = () => readFile(join(directory, 'seen'), 'utf8');

describe('credentials edit', () => {
  it('shows the content in a private file, saves what was written and removes the file', async () => {
    await set(secret);
    const result = await edit(`${look()}\nsed -i s/jjjj/kkkk/ "$1"`);
    expect(result).toEqual({ status: 0, stdout: 'saved\n', stderr: '' });
    expect((await vault()).jwtSecret).toBe(`kkkk${secret.slice(4)}`);
    expect(await seen()).toBe(`{\n  "serial": 1,\n  "jwt_secret": "${secret}",\n  "apps": {}\n}\n`);
    expect(await readFile(join(directory, 'modes'), 'utf8')).toBe('drwx------\n-rw-------\n');
    await expect(readdir((await readFile(join(directory, 'where'), 'utf8')).trim())).rejects.toThrow(
      'ENOENT',
    );
  });

  it('writes nothing where nothing was changed or the editor failed', async () => {
    expect(await edit('true')).toMatchObject({ status: 0, stdout: 'nothing was changed\n' });
    expect(await edit(`${look()}\necho x > "$1"; exit 3`)).toEqual({
      status: 1,
      stdout: '',
      stderr: 'gatewright: the editor ended with status 3\n',
    });
    await expect(readdir((await readFile(join(directory, 'where'), 'utf8')).trim())).rejects.toThrow(
      'ENOENT',
    );
    expect((await readdir(directory)).filter((name) => name.startsWith('c.'))).toEqual([]);
  });

  it('says what is missing: an editor, or in production a key', async () => {
    expect(await credentials(['edit'])).toMatchObject({
      status: 1,
      stderr: 'gatewright: set VISUAL or EDITOR to your editor\n',
    });
    env = { ...env, NODE_ENV: 'production' };
    expect(await edit(look())).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('production never makes'),
    });
    await expect(seen()).rejects.toThrow('ENOENT');
  });

  it('keeps an invalid edit, encrypted, and goes on with it', async () => {
    const { status, stderr } = await edit(`${look()}\nprintf '{"jwt_secret": "%s" oops' ${secret} > "$1"`);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /^gatewright: not saved: the content is not valid JSON at line 1, column 51; your text is kept, encrypted, in .*c\.age\.draft: gatewright credentials edit --resume\n$/,
    );
    expect((await readFile(join(directory, 'c.age.draft'))).includes('oops')).toBe(false);
    await expect(readdir((await readFile(join(directory, 'where'), 'utf8')).trim())).rejects.toThrow(
      'ENOENT',
    );

    expect(await edit('true')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('--resume opens it'),
    });
    expect(await edit(`${look()}\nsed -i 's/oops/}/' "$1"`, '--resume')).toMatchObject({
      status: 0,
      stdout: 'saved\n',
    });
    expect(await seen()).toBe(`{"jwt_secret": "${secret}" oops`);
    expect((await vault()).jwtSecret).toBe(secret);
    expect(await readdir(directory)).not.toContain('c.age.draft');
    expect(await edit('true', '--resume')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('no kept edit'),
    });
  });

  it('drops a kept edit on request', async () => {
    await edit('echo oops > "$1"');
    expect(await edit(look(), '--discard')).toMatchObject({ status: 0, stdout: 'nothing was changed\n' });
    expect(await seen()).toBe('{\n  "apps": {}\n}\n');
  });

  it('credentials edit does not overwrite what another command wrote meanwhile', async () => {
    await set(secret);
    const other = vault();
    const editing = edit(`while [ ! -e ${directory}/go ]; do :; done; echo '{"apps":{}}' > "$1"`);
    await (await other).update((current) => ({ ...current, jwt_secret: 'k'.repeat(32) }));
    await writeFile(join(directory, 'go'), '');
    const { status, stderr } = await editing;
    expect(status).toBe(1);
    expect(stderr).toContain('another command changed the credentials meanwhile');
    expect((await vault()).jwtSecret).toBe('k'.repeat(32));
    expect(await edit(look(), '--resume')).toMatchObject({ status: 0 });
    expect(await seen()).toBe('{"apps":{}}\n');
  });
});
