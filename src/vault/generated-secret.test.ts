import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { generatedSecret } from './generated-secret.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatewright-secret-'));
});
afterEach(() => rm(directory, { recursive: true }));

it('makes a secret once and keeps it for its owner', async () => {
  const data = join(directory, 'data');
  const secret = await generatedSecret(data, 'jwt_secret');
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  expect(await generatedSecret(data, 'jwt_secret')).toBe(secret);
  expect(await generatedSecret(data, 'other')).not.toBe(secret);
  expect((await stat(join(data, 'jwt_secret'))).mode & 0o777).toBe(0o600);
});

it('agrees on one secret however many start at once', async () => {
  const secrets = await Promise.all(
    Array.from({ length: 20 }, () => generatedSecret(directory, 'jwt_secret')),
  );
  expect(new Set(secrets).size).toBe(1);
  expect(await readdir(directory)).toEqual(['jwt_secret']);
});

it.each(['', 'short\n', `${'A'.repeat(64)}\n`, `${'a'.repeat(64)}\n\n`])(
  'refuses a damaged file: %j',
  async (text) => {
    await writeFile(join(directory, 'jwt_secret'), text);
    await expect(generatedSecret(directory, 'jwt_secret')).rejects.toThrow(
      'jwt_secret is damaged: remove it',
    );
  },
);

it.runIf(process.getuid?.() !== 0)('throws where the directory cannot be written', async () => {
  await chmod(directory, 0o500);
  await expect(generatedSecret(directory, 'jwt_secret')).rejects.toThrow('EACCES');
});
