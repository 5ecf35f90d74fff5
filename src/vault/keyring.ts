/**
 * The age identities with which the credentials are opened and encrypted: their file, their kinds, and a new
 * one.
 */

import { createOnce, readIfPresent } from './credential-files.ts';
import { VaultError } from './vault-error.ts';

export interface KeyringOptions {
  readonly keyFile: string;
  /** The identity as text; if it is present, the key file is not read. */
  readonly key?: string | undefined;
  /** In production no key is generated. */
  readonly production: boolean;
}

// Loaded lazily: it takes a tenth of a second, which a start without credentials need not spend.
const age = () => import('age-encryption');

const identityPattern = /^AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]+$/;

/** The lines of an age identity file that are neither blank nor a comment. */
export const identitiesIn = (text: string, source: string): readonly string[] => {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length === 0 || !lines.every((line) => identityPattern.test(line))) {
    throw new VaultError(
      `${source} holds no age identity (a line AGE-SECRET-KEY-1…, as age-keygen writes it)`,
    );
  }
  return lines;
};

/**
 * A new identity of the same kind as another one (X25519, or post-quantum): a file cannot be encrypted for both
 * kinds.
 */
export const newIdentity = async (
  like = '',
): Promise<{ readonly identity: string; readonly recipient: string }> => {
  const { generateHybridIdentity, generateX25519Identity, identityToRecipient } = await age();
  const hybrid = like.startsWith('AGE-SECRET-KEY-PQ-');
  const identity = await (hybrid ? generateHybridIdentity() : generateX25519Identity());
  return { identity, recipient: await identityToRecipient(identity) };
};

/**
 * The age identities that open the credentials. The file may have several, one per line: each opens, the first
 * encrypts, so that a key is replaced by adding the new one at the top and writing once.
 */
export class Keyring {
  readonly #options: KeyringOptions;
  /** The name of the key in messages to the operator. */
  readonly source: string;

  constructor(options: KeyringOptions) {
    this.#options = options;
    this.source = options.key === undefined ? options.keyFile : 'CREDENTIALS_KEY';
  }

  /** Read at every call, so that a replaced key file takes effect. Undefined where there is no key. */
  async identities(): Promise<readonly string[] | undefined> {
    const { key, keyFile } = this.#options;
    if (key !== undefined) return identitiesIn(key, this.source);
    const bytes = await readIfPresent(keyFile);
    return bytes && identitiesIn(new TextDecoder().decode(bytes), this.source);
  }

  /** Throws `VaultError` where encrypting would fail: for a damaged key, or none in production. */
  async assertUsable(): Promise<void> {
    const identities = await this.identities();
    if (identities === undefined) {
      if (this.#options.production) throw new VaultError(this.#missingKeyMessage());
      return;
    }
    await this.#recipient(identities);
  }

  #missingKeyMessage(): string {
    return `the key ${this.source} is missing and production never makes one: set CREDENTIALS_KEY, or run age-keygen -o ${this.source}`;
  }

  /** The public half of the first identity. The library's own error would quote the secret half. */
  async #recipient(identities: readonly string[]): Promise<string> {
    const { identityToRecipient } = await age();
    const [first = ''] = identities;
    try {
      return await identityToRecipient(first);
    } catch {
      throw new VaultError(`the age identity in ${this.source} is damaged`);
    }
  }

  /**
   * Creates the key file (0600) where there is none, outside production. One of several concurrent processes
   * succeeds.
   */
  async #identitiesOrNew(): Promise<readonly string[]> {
    let identities = await this.identities();
    while (identities === undefined) {
      if (this.#options.production) throw new VaultError(this.#missingKeyMessage());
      const { identity, recipient } = await newIdentity();
      const text = `# public key: ${recipient}\n${identity}\n`;
      await createOnce(this.#options.keyFile, Buffer.from(text));
      identities = await this.identities();
    }
    return identities;
  }

  /** The public half of the identity that encrypts. Throws `VaultError` where there is none. */
  async recipient(): Promise<string> {
    const identities = await this.identities();
    if (identities === undefined) throw new VaultError(`the key ${this.source} is missing`);
    return this.#recipient(identities);
  }

  /** Encrypts, also for `others`; creates the key where there is none yet, outside production. */
  async seal(plain: string, others: readonly string[] = []): Promise<Uint8Array> {
    const { Encrypter } = await age();
    const recipient = await this.#recipient(await this.#identitiesOrNew());
    const encrypter = new Encrypter();
    for (const each of new Set([recipient, ...others])) encrypter.addRecipient(each);
    return encrypter.encrypt(plain);
  }

  /**
   * Decrypts the bytes of `file`. Throws `VaultError` for a missing, damaged or different key and for a changed byte.
   */
  async unseal(bytes: Uint8Array, file: string): Promise<string> {
    const identities = await this.identities();
    if (identities === undefined) {
      throw new VaultError(`${file} cannot be opened: the key ${this.source} is missing`);
    }
    const { Decrypter } = await age();
    const decrypter = new Decrypter();
    try {
      for (const identity of identities) decrypter.addIdentity(identity);
    } catch {
      throw new VaultError(`the age identity in ${this.source} is damaged`);
    }
    try {
      const plain = await decrypter.decrypt(bytes);
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain);
    } catch (cause) {
      throw new VaultError(
        `${file} cannot be opened: it is damaged, or was made for another key than ${this.source}`,
        {
          cause,
        },
      );
    }
  }
}
