import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Keyring } from './keyring.ts';

const keyFile = join(tmpdir(), 'gatewright-no-such-key', 'key');

it('a keyring has no recipient where there is no key', async () => {
  await expect(new Keyring({ keyFile, production: false }).recipient()).rejects.toThrow(
    `the key ${keyFile} is missing`,
  );
});

it('makes no key in production, and says how one is made', async () => {
  const keyring = new Keyring({ keyFile, production: true });
  await expect(keyring.seal('text')).rejects.toThrow('production never makes one');
  await expect(keyring.assertUsable()).rejects.toThrow(`age-keygen -o ${keyFile}`);
});
