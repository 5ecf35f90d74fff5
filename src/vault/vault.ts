import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type CredentialsChange, changeOf, isInGrace } from './changes.ts';
import {
  type Credentials,
  formatCredentials,
  noCredentials,
  parseCredentials,
  withFormerSecret,
} from './credentials.ts';
import { fingerprint, readIfPresent, settledPath, writeAtomically } from './files.ts';
import { Keyring, type KeyringOptions } from './keyring.ts';
import { withLock } from './lock.ts';
import { type Rekeyed, type RekeyStep, rekey } from './rekey.ts';
import { VaultError } from './vault-error.ts';

export interface VaultOptions extends KeyringOptions {
  /** The age file. An absent one holds nothing. */
  readonly file: string;
  /** Called after a reload that failed, when a file vanished and when a listener threw. For the log. */
  onError(error: Error): void;
  /** Called in addition when a file was refused. */
  onRefused?(error: Error): void;
}

/** The public part of an application: never its secret. */
export interface ApplicationSummary {
  readonly app_id: string;
  readonly rotated_at: string;
}

/** One reading of the file. */
export interface CredentialsFile {
  readonly serial: number;
  /** SHA-256 of the encrypted bytes, lowercase hex: tells one file from another and nothing of its content. */
  readonly digest: string;
}

/**
 * Asked before a file is believed. A `VaultError` refuses it for good; whatever else is thrown means that nobody can
 * know now, and the file is asked about again at the next look.
 */
export type FileAdmission = (file: CredentialsFile) => Promise<void>;

type Listener = (change: CredentialsChange, serial: number) => void;

interface Reading extends CredentialsFile {
  readonly credentials: Credentials;
}

const pollMilliseconds = 500;

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A replaced `jwt_secret` still opens what was sealed under it, such as the secrets of webhooks. */
const keepingFormer = (before: Credentials, after: Credentials): Credentials =>
  before.jwt_secret === undefined || before.jwt_secret === after.jwt_secret
    ? after
    : withFormerSecret(after, before.jwt_secret);

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/**
 * The encrypted credentials: what the server asks (`secretsOf`, `jwtSecret`) is answered from memory, what the commands
 * change (`update`) is written to the disk before it is believed.
 */
export class Vault {
  readonly #options: VaultOptions;
  readonly #keyring: Keyring;
  readonly #listeners = new Set<Listener>();
  #credentials: Credentials = noCredentials;
  #file: CredentialsFile | undefined;
  #admission: FileAdmission | undefined;
  #unanswered = false;
  /** Fingerprints of the files that were read last, be it without success: an error is reported once for each. */
  #seen = '';
  #timer: NodeJS.Timeout | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  /** Use `openVault`. */
  constructor(options: VaultOptions) {
    this.#options = options;
    this.#keyring = new Keyring(options);
  }

  /** Throws `VaultError` where the file is there and cannot be read as a whole. */
  async load(): Promise<void> {
    this.#seen = await this.#fingerprint();
    this.#adopt(
      await this.#read().catch(async (error: unknown) => {
        // The file and its key are two: between the reading of one and the other both may have been replaced.
        const now = await this.#fingerprint();
        if (now === this.#seen) throw error;
        this.#seen = now;
        return this.#read();
      }),
    );
  }

  /** The file whose content is in force; undefined where there is none. */
  get file(): CredentialsFile | undefined {
    return this.#file;
  }

  /** Has the file in force admitted, and from now on every other before it is believed. Throws what refuses this one. */
  async admitBy(admission: FileAdmission): Promise<void> {
    this.#admission = admission;
    await this.#oneByOne(async () => {
      if (this.#file !== undefined) await admission(this.#file);
    });
  }

  get jwtSecret(): string | undefined {
    return this.#credentials.jwt_secret;
  }

  /** Secrets that were replaced: for opening what was sealed under them, and for nothing else. */
  get formerJwtSecrets(): readonly string[] {
    return this.#credentials.former_jwt_secrets ?? [];
  }

  /** All secrets that sign for this application at `now` (milliseconds since the epoch), the current one first. */
  secretsOf(appId: string, now: number): readonly string[] {
    const application = this.#credentials.apps.get(appId);
    if (application === undefined) return [];
    const previous = application.previous?.filter((one) => isInGrace(one, now)) ?? [];
    return [application.api_secret, ...previous.map((one) => one.api_secret)];
  }

  /** By app_id, in code point order. */
  applications(): readonly ApplicationSummary[] {
    const summaries = [...this.#credentials.apps].map(([app_id, { rotated_at }]) => ({ app_id, rotated_at }));
    return summaries.sort((a, b) => (a.app_id < b.app_id ? -1 : 1));
  }

  /** The whole content as text, for `credentials edit`. */
  format(): string {
    return formatCredentials(this.#credentials);
  }

  /** Calls `listener` after every change of the content; returns a function that ends that. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Looks at the file, and at the key's, twice a second and takes over what changed. Looking by name survives every
   * way to replace a file, a directory that comes later, and volumes that send no events. Keeps no process alive.
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

  /** Takes the file over if it changed since it was read. Where it cannot be read, the last good content stays. */
  reload(): Promise<void> {
    return this.#oneByOne(async () => {
      const seen = await this.#fingerprint();
      if (seen === this.#seen) return;
      const was = this.#file;
      try {
        const reading = await this.#read();
        if (reading !== undefined && !(await this.#admits(reading))) return;
        this.#seen = seen;
        this.#adopt(reading);
      } catch (thrown) {
        this.#seen = seen;
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
   * Changes the file. What `change` is given was read under the lock of all writers, so nothing of theirs is lost; what
   * it answers is validated, written and on the disk when this resolves. What it throws, changes nothing. The serial
   * rises by one, or to what `change` raises it to; always above `seen`, the highest that was seen anywhere.
   */
  update(change: (current: Credentials) => Credentials, seen = 0): Promise<void> {
    return this.#locked(async (file) => {
      const current = (await this.#read())?.credentials ?? noCredentials;
      await this.#write(file, keepingFormer(current, change(current)), Math.max(current.serial, seen) + 1);
    });
  }

  /**
   * Replaces the key, or takes one step of that; see `rekey`. Whenever it is cut off, the file opens with the key
   * that lies there, and the same call goes on.
   * @throws VaultError where there is nothing to encrypt, or the step is not the one that is due
   */
  rekey(step: RekeyStep, seen = 0): Promise<Rekeyed> {
    return this.#locked(async (file) => {
      const current = (await this.#read())?.credentials;
      if (current === undefined)
        throw new VaultError(`${file} is not there: there is nothing to encrypt again`);
      return rekey(step, {
        ...{ file, draftFile: this.draftFile, keyring: this.#keyring, current },
        keyFile: this.#options.key === undefined ? this.#options.keyFile : undefined,
        write: (credentials) => this.#write(file, credentials, Math.max(current.serial, seen) + 1),
      });
    });
  }

  /** Throws `VaultError` where `update` would for want of a key. To be asked before somebody types much. */
  assertWritable(): Promise<void> {
    return this.#keyring.assertUsable();
  }

  /** Where an edit that could not be saved is kept, encrypted like the credentials. */
  get draftFile(): string {
    return `${this.#options.file}.draft`;
  }

  writeDraft(text: string): Promise<void> {
    return this.#locked(async () => {
      const current = (await this.#read())?.credentials;
      await writeAtomically(this.draftFile, await this.#keyring.seal(text, current?.recipients));
    });
  }

  /** Undefined where none is kept. */
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

  /** Runs what writes, alone among all processes. */
  #locked<T>(task: (file: string) => Promise<T>): Promise<T> {
    return this.#oneByOne(async () => {
      await this.#keyring.assertUsable();
      const file = await settledPath(this.#options.file);
      return withLock(`${file}.lock`, () => task(file));
    });
  }

  /** Checks, encrypts, writes and believes. The serial is at least `least`. */
  async #write(file: string, changed: Credentials, least: number): Promise<void> {
    const serial = Math.max(changed.serial, least);
    const content = formatCredentials({ ...changed, serial });
    const credentials = parseCredentials(content);
    const bytes = await this.#keyring.seal(content, credentials.recipients);
    await writeAtomically(file, bytes);
    this.#seen = await this.#fingerprint();
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

  /** Returns false while it is unknown; throws the `VaultError` of a refusal. Either is reported once. */
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

  /** One reload or update after the other, so that an older reading never replaces a newer one. */
  #oneByOne<T>(task: () => Promise<T>): Promise<T> {
    const run = this.#queue.then(task);
    this.#queue = run.catch(() => undefined);
    return run;
  }
}

/** Reads the credentials. Throws `VaultError` for a wrong or missing key, a changed byte, or content that is not valid. */
export const openVault = async (options: VaultOptions): Promise<Vault> => {
  const vault = new Vault(options);
  await vault.load();
  return vault;
};
