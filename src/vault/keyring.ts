import { createOnce, readIfPresent } from './files.ts';
import { VaultError } from './vault-error.ts';

export interface KeyringOptions {
  readonly keyFile: string;
  /** The identity as text; the key file is not looked at then. */
  readonly key?: string | undefined;
  /** In production a key is never made. */
  readonly production: boolean;
}

// A tenth of a second that a service without credentials need not spend at its start.
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

/** A new identity of the kind of another one (X25519, or post-quantum): a file is never encrypted for both kinds. */
export const newIdentity = async (
  like = '',
): Promise<{ readonly identity: string; readonly recipient: string }> => {
  const { generateHybridIdentity, generateX25519Identity, identityToRecipient } = await age();
  const hybrid = like.startsWith('AGE-SECRET-KEY-PQ-');
  const identity = await (hybrid ? generateHybridIdentity() : generateX25519Identity());
  return { identity, recipient: await identityToRecipient(identity) };
};

/**
 * The age identities that open the credentials. Several may stand in the file, one a line: each opens, the first
 * encrypts, so that a key is replaced by putting the new one on top and writing once.
 */
export class Keyring {
  readonly #options: KeyringOptions;
  /** The name by which the operator knows the key, for messages. */
  readonly source: string;

  constructor(options: KeyringOptions) {
    this.#options = options;
    this.source = options.key === undefined ? options.keyFile : 'CREDENTIALS_KEY';
  }

  /** Read afresh every time, so that a replaced key file is taken over. Undefined where there is no key. */
  async identities(): Promise<readonly string[] | undefined> {
    const { key, keyFile } = this.#options;
    if (key !== undefined) return identitiesIn(key, this.source);
    const bytes = await readIfPresent(keyFile);
    return bytes && identitiesIn(new TextDecoder().decode(bytes), this.source);
  }

  /** Throws `VaultError` where nothing could be encrypted: a damaged key, or none in production. */
  async assertUsable(): Promise<void> {
    const identities = await this.identities();
    if (identities === undefined) {
      if (this.#options.production) throw new VaultError(this.#missing());
      return;
    }
    await this.#recipient(identities);
  }

  #missing(): string {
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

  /** Makes the key file (0600) where there is none, outside production. Of several processes that do, one wins. */
  async #identitiesOrNew(): Promise<readonly string[]> {
    let identities = await this.identities();
    while (identities === undefined) {
      if (this.#options.production) throw new VaultError(this.#missing());
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

  /** Encrypts, also for `others`; makes the key where there is none yet, outside production. */
  async seal(plain: string, others: readonly string[] = []): Promise<Uint8Array> {
    const { Encrypter } = await age();
    const recipient = await this.#recipient(await this.#identitiesOrNew());
    const encrypter = new Encrypter();
    for (const each of new Set([recipient, ...others])) encrypter.addRecipient(each);
    return encrypter.encrypt(plain);
  }

  /** Decrypts what was read from `file`. Throws `VaultError` for a missing, damaged or other key and for a changed byte. */
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
