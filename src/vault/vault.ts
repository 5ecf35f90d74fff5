/**
 * The vault of a running service: decrypts the credentials, follows changes of their file, and writes new
 * versions.
 */

import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type CredentialsChange, changeOf, isInGrace } from './changes.ts';
import { fingerprint, readIfPresent, settledPath, writeAtomically } from './credential-files.ts';
import {
  type AppKey,
  type Credentials,
  formatCredentials,
  noCredentials,
  parseCredentials,
  withFormerSecret,
} from './credentials.ts';
import { Keyring, type KeyringOptions } from './keyring.ts';
import { withLock } from './lock.ts';
import { type Rekeyed, type RekeyStep, rekey } from './rekey.ts';
import { VaultError } from './vault-error.ts';

export interface VaultOptions extends KeyringOptions {
  /** The age file. A missing one has no content. */
  readonly file: string;
  /** Logs an error: a failed reload, a removed file, or an error of a listener. */
  onError(error: Error): void;
  /** Called as well when a file was refused. */
  onRefused?(error: Error): void;
}

/** The public part of an application: never its secret. */
export interface ApplicationSummary {
  readonly app_id: string;
  /** SPKI in base64; null where the application signs with a secret. */
  readonly public_key: string | null;
  readonly rotated_at: string;
}

/** One version of the file. */
export interface CredentialsFile {
  readonly serial: number;
  /** SHA-256 of the encrypted bytes, lowercase hex: identifies the file without revealing its content. */
  readonly digest: string;
}

/**
 * Decides whether a file is accepted. A `VaultError` refuses it for good; after any other error the decision is
 * unknown, and the next check asks again.
 */
export type FileAdmission = (file: CredentialsFile) => Promise<void>;

type Listener = (change: CredentialsChange, serial: number) => void;

interface Reading extends CredentialsFile {
  readonly credentials: Credentials;
}

const pollMilliseconds = 500;

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Keeps a replaced `jwt_secret`, which still opens values that were sealed under it, such as secrets of webhooks. */
const withReplacedSecret = (before: Credentials, after: Credentials): Credentials =>
  before.jwt_secret === undefined || before.jwt_secret === after.jwt_secret
    ? after
    : withFormerSecret(after, before.jwt_secret);

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/**
 * The encrypted credentials: reads (`secretsOf`, `jwtSecret`) are served from memory, changes (`update`) take effect
 * after they have been written to the disk.
 */
export class Vault {
  readonly #options: VaultOptions;
  readonly #keyring: Keyring;
  readonly #listeners = new Set<Listener>();
  #credentials: Credentials = noCredentials;
  #file: CredentialsFile | undefined;
  #admission: FileAdmission | undefined;
  #unanswered = false;
  /** Fingerprints of the files at the last reading, even if that failed: an error is reported once for each. */
  #fingerprintRead = '';
  #timer: NodeJS.Timeout | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  /** Use `openVault`. */
  constructor(options: VaultOptions) {
    this.#options = options;
    this.#keyring = new Keyring(options);
  }

  /** Throws `VaultError` where the file exists and cannot be read completely. */
  async load(): Promise<void> {
    this.#fingerprintRead = await this.#fingerprint();
    this.#adopt(
      await this.#read().catch(async (error: unknown) => {
        // The file and its key are two files: both may have been replaced between the two readings.
        const now = await this.#fingerprint();
        if (now === this.#fingerprintRead) throw error;
        this.#fingerprintRead = now;
        return this.#read();
      }),
    );
  }

  /** The file whose content is in effect; undefined where there is none. */
  get file(): CredentialsFile | undefined {
    return this.#file;
  }

  /**
   * Admits the current file, and from now on every other one before it takes effect. Throws the refusal of the
   * current one.
   */
  async admitBy(admission: FileAdmission): Promise<void> {
    this.#admission = admission;
    await this.#serialise(async () => {
      if (this.#file !== undefined) await admission(this.#file);
    });
  }

  get jwtSecret(): string | undefined {
    return this.#credentials.jwt_secret;
  }

  /** Replaced secrets: for opening values that were sealed under them, and for nothing else. */
  get formerJwtSecrets(): readonly string[] {
    return this.#credentials.former_jwt_secrets ?? [];
  }

  /** The secret of this service at an identity provider. */
  clientSecretOf(provider: string): string | undefined {
    const { providers = {} } = this.#credentials;
    return Object.hasOwn(providers, provider) ? providers[provider]?.client_secret : undefined;
  }

  get smtpPassword(): string | undefined {
    return this.#credentials.smtp_password;
  }

  /**
   * The secrets with which this application may sign at `now` (milliseconds since the epoch), the current one first.
   */
  secretsOf(appId: string, now: number): readonly string[] {
    return this.#keysOf(appId, now).flatMap((key) => ('api_secret' in key ? key.api_secret : []));
  }

  /** The same of its public keys. */
  publicKeysOf(appId: string, now: number): readonly string[] {
    return this.#keysOf(appId, now).flatMap((key) => ('public_key' in key ? key.public_key : []));
  }

  #keysOf(appId: string, now: number): readonly AppKey[] {
    const application = this.#credentials.apps.get(appId);
    if (application === undefined) return [];
    return [application, ...(application.previous?.filter((one) => isInGrace(one, now)) ?? [])];
  }

  /** The applications, sorted by app_id in code point order. */
  applications(): readonly ApplicationSummary[] {
    const summaries = [...this.#credentials.apps].map(([app_id, application]) => ({
      app_id,
      public_key: 'public_key' in application ? application.public_key : null,
      rotated_at: application.rotated_at,
    }));
    return summaries.sort((a, b) => (a.app_id < b.app_id ? -1 : 1));
  }

  /** The whole content as text, for `credentials edit`. */
  format(): string {
    return formatCredentials(this.#credentials);
  }

  /** Calls `listener` after every change of the content; returns a function that ends it. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Checks the file and the key file twice a second, and applies changes. Polling by name copes with every way to
   * replace a file, with directories that are created later, and with volumes without events. Keeps no process alive.
   */
  watch(): void {
    this.close();
    const timer = setTimeout(async () => {
      await this.reload();
      if (this.#timer === timer) this.watch();
    }, pollMilliseconds);
    this.#timer = timer.unref();
  }

  /** Ends the watch. The credentials stay readable. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Reads the file again if it has changed. If it cannot be read, the last valid content stays in effect. */
  reload(): Promise<void> {
    return this.#serialise(async () => {
      const current = await this.#fingerprint();
      if (current === this.#fingerprintRead) return;
      const was = this.#file;
      try {
        const reading = await this.#read();
        if (reading !== undefined && !(await this.#admits(reading))) return;
        this.#fingerprintRead = current;
        this.#adopt(reading);
      } catch (thrown) {
        this.#fingerprintRead = current;
        const error = asError(thrown);
        this.#options.onError(
          new VaultError(`${error.message}; the credentials read before stay in force`, { cause: thrown }),
        );
        this.#options.onRefused?.(error);
        return;
      }
      if (was !== undefined && this.#file === undefined) {
        this.#options.onError(new VaultError(`${this.#options.file} was removed: it holds nothing now`));
      }
    });
  }

  /**
   * Changes the file. The argument of `change` is read under the lock of all writers, so no change of theirs is lost;
   * its result is validated, written and on the disk when this resolves. If it throws, nothing is changed. The serial
   * rises by one, or to the value that `change` sets; always above `seen`, the highest one that was seen anywhere.
   */
  update(change: (current: Credentials) => Credentials, seen = 0): Promise<void> {
    return this.#runLocked(async (file) => {
      const current = (await this.#read())?.credentials ?? noCredentials;
      await this.#write(
        file,
        withReplacedSecret(current, change(current)),
        Math.max(current.serial, seen) + 1,
      );
    });
  }

  /**
   * Replaces the key, or takes one step of that; see `rekey`. Whenever it is interrupted, the file opens with the
   * current key, and the same call continues.
   * @throws VaultError where there is nothing to encrypt, or another step is due
   */
  rekey(step: RekeyStep, seen = 0): Promise<Rekeyed> {
    return this.#runLocked(async (file) => {
      const current = (await this.#read())?.credentials;
      if (current === undefined)
        throw new VaultError(`${file} is not there: there is nothing to encrypt again`);
      return rekey(step, {
        file,
        draftFile: this.draftFile,
        keyring: this.#keyring,
        current,
        keyFile: this.#options.key === undefined ? this.#options.keyFile : undefined,
        write: (credentials) => this.#write(file, credentials, Math.max(current.serial, seen) + 1),
      });
    });
  }

  /** Throws `VaultError` where `update` would for lack of a key. For a check before a user starts an edit. */
  assertWritable(): Promise<void> {
    return this.#keyring.assertUsable();
  }

  /** Path of an edit that could not be saved, encrypted like the credentials. */
  get draftFile(): string {
    return `${this.#options.file}.draft`;
  }

  writeDraft(text: string): Promise<void> {
    return this.#runLocked(async () => {
      const current = (await this.#read())?.credentials;
      await writeAtomically(this.draftFile, await this.#keyring.seal(text, current?.recipients));
    });
  }

  /** Undefined where there is no draft. */
  async readDraft(): Promise<string | undefined> {
    const bytes = await readIfPresent(this.draftFile);
    return bytes && (await this.#keyring.unseal(bytes, this.draftFile));
  }

  removeDraft(): Promise<void> {
    return rm(this.draftFile, { force: true });
  }

  async #fingerprint(): Promise<string> {
    const { file, key, keyFile } = this.#options;
    return `${await fingerprint(file)} ${key === undefined ? await fingerprint(keyFile) : ''}`;
  }

  /** Runs a writer under the lock of all processes. */
  #runLocked<T>(task: (file: string) => Promise<T>): Promise<T> {
    return this.#serialise(async () => {
      await this.#keyring.assertUsable();
      const file = await settledPath(this.#options.file);
      return withLock(`${file}.lock`, () => task(file));
    });
  }

  /** Validates, encrypts, writes and applies. The serial is at least `least`. */
  async #write(file: string, changed: Credentials, least: number): Promise<void> {
    const serial = Math.max(changed.serial, least);
    const content = formatCredentials({ ...changed, serial });
    const credentials = parseCredentials(content);
    const bytes = await this.#keyring.seal(content, credentials.recipients);
    await writeAtomically(file, bytes);
    this.#fingerprintRead = await this.#fingerprint();
    this.#adopt({ credentials, serial, digest: digestOf(bytes) });
  }

  /** Undefined where there is no file. */
  async #read(): Promise<Reading | undefined> {
    const { file } = this.#options;
    const bytes = await readIfPresent(file);
    if (bytes === undefined) return undefined;
    const text = await this.#keyring.unseal(bytes, file);
    try {
      const credentials = parseCredentials(text);
      return { credentials, serial: credentials.serial, digest: digestOf(bytes) };
    } catch (cause) {
      throw new VaultError(`${file}: ${asError(cause).message}`, { cause });
    }
  }

  /** Returns false while the decision is unknown; throws the `VaultError` of a refusal. Either is reported once. */
  async #admits({ serial, digest }: Reading): Promise<boolean> {
    try {
      await this.#admission?.({ serial, digest });
      this.#unanswered = false;
      return true;
    } catch (thrown) {
      if (thrown instanceof VaultError) throw thrown;
      const message = `${this.#options.file} has changed and cannot be compared with what was seen before`;
      if (!this.#unanswered) this.#options.onError(new VaultError(message, { cause: thrown }));
      this.#unanswered = true;
      return false;
    }
  }

  #adopt(reading: Reading | undefined): void {
    const before = this.#credentials;
    const next = reading?.credentials ?? noCredentials;
    this.#file = reading === undefined ? undefined : { serial: reading.serial, digest: reading.digest };
    this.#credentials = next;
    if (formatCredentials(next) === formatCredentials(before)) return;
    const change = changeOf(before, next);
    for (const listener of this.#listeners) {
      try {
        listener(change, next.serial);
      } catch (thrown) {
        this.#options.onError(asError(thrown));
      }
    }
  }

  /** Runs reloads and updates one after the other, so that an older reading never replaces a newer one. */
  #serialise<T>(task: () => Promise<T>): Promise<T> {
    const run = this.#queue.then(task);
    this.#queue = run.catch(() => undefined);
    return run;
  }
}

/** Opens the credentials. Throws `VaultError` for a wrong or missing key, a changed byte, or invalid content. */
export const openVault = async (options: VaultOptions): Promise<Vault> => {
  const vault = new Vault(options);
  await vault.load();
  return vault;
};
