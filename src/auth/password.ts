/** Hashing and verification of passwords by argon2id, off the main thread and a few at a time. */

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { type ForeignHash, foreignHash } from './hashes.ts';
import { type Argon2Hash, formatPhc, parsePhc } from './phc.ts';
import { createWorkQueue, type Ticket } from './work-queue.ts';

/**
 * OWASP's Password Storage Cheat Sheet, argon2id: 19 MiB, two passes, one lane. Of the equally strong settings of
 * that list it needs the least memory: a hash takes some 40 ms of one core, and three at a time hold 57 MiB, so a
 * flood of logins starves neither the machine nor the rest of the service.
 */
const parameters = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const saltBytes = 16;
const tagBytes = 32;

/**
 * Hashes at a time: one core stays free for requests, and one of libuv's four threads for files and name look-ups,
 * which would otherwise wait behind the hashes.
 */
const concurrency = Math.max(1, Math.min(3, availableParallelism() - 1));

/** Hashes that may wait: some 40 s of work on one core. `FairQueue` says who is refused beyond that. */
const maxWaiting = 1_000;

/**
 * Length in UTF-16 units from which a text is not normalised: sorting a megabyte of combining marks would block the
 * process for minutes. The decomposed form of the longest password is shorter.
 */
const maxNormalised = 4_096;

/** The form in which a password is hashed: NFC, as keyboards and systems compose letters in different ways. */
export const normalPassword = (password: string): string =>
  password.length > maxNormalised ? password : password.normalize('NFC');

export interface Passwords {
  /**
   * A new PHC string for the NFC form of this password. Every byte of it counts. Throws the problem `overloaded`, and
   * `bad_request` where the caller hung up before its turn.
   */
  hash(password: string, ticket?: Ticket): Promise<string>;
  /**
   * True if the password matches the stored hash, as it was sent or in its NFC form: an earlier version has hashed
   * passwords as they were sent, and so have other systems. Without a hash (unknown account, or a text of no known
   * scheme) it returns false after the work of an own hash. Throws as `hash` does.
   */
  verify(password: string, stored: string | undefined, ticket?: Ticket): Promise<boolean>;
  /** True if a stored hash has another scheme or other parameters than the current ones. */
  needsRehash(stored: string): boolean;
}

/** The argon2id of a password, with the salt and the parameters of a hash. */
export const argon2id = (password: string, hash: Argon2Hash): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const { memory, passes, parallelism, salt, tag } = hash;
    const message = Buffer.from(password, 'utf8');
    argon2(
      'argon2id',
      { message, nonce: salt, memory, passes, parallelism, tagLength: tag.length },
      (error, derived) => (error === null ? resolve(derived) : reject(error)),
    );
  });

/** A salt, and random bytes in place of the hash: no known password matches it. */
const blank = (): Argon2Hash => ({
  ...parameters,
  salt: randomBytes(saltBytes),
  tag: randomBytes(tagBytes),
});

/** The ticket of work that no client requested: the first administrator, a command. */
const internalTicket: Ticket = { line: '' };

/** Computes the tag of a hash. */
export type ComputeHash = typeof argon2id;

/**
 * Hashes passwords off the main thread, a few at a time, with fair turns. One for the whole process.
 * @param derive argon2id, unless a test observes what is hashed and when
 */
export const createPasswords = (derive: ComputeHash = argon2id): Passwords => {
  const queue = createWorkQueue(concurrency, maxWaiting);
  const derived = (hash: Argon2Hash): ForeignHash => ({
    tag: hash.tag,
    derive: (password) => derive(password, hash),
  });
  const ownHash = (stored: string): ForeignHash | undefined => {
    const parsed = parsePhc(stored);
    return parsed === undefined ? undefined : derived(parsed);
  };
  const decoy = derived(blank());
  return {
    async hash(password, ticket = internalTicket) {
      const fresh = blank();
      const normal = normalPassword(password);
      return formatPhc({ ...fresh, tag: await queue.run(ticket, () => derive(normal, fresh)) });
    },
    async verify(password, stored, ticket = internalTicket) {
      const known = stored === undefined ? undefined : (ownHash(stored) ?? foreignHash(stored));
      const reference = known ?? decoy;
      const matches = async (text: string): Promise<boolean> =>
        timingSafeEqual(await queue.run(ticket, () => reference.derive(text)), reference.tag);
      const normal = normalPassword(password);
      const good = (await matches(password)) || (normal !== password && (await matches(normal)));
      return good && known !== undefined;
    },
    needsRehash(stored) {
      const parsed = parsePhc(stored);
      return (
        parsed === undefined ||
        parsed.memory !== parameters.memory ||
        parsed.passes !== parameters.passes ||
        parsed.parallelism !== parameters.parallelism ||
        parsed.salt.length !== saltBytes ||
        parsed.tag.length !== tagBytes
      );
    },
  };
};
