import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { type Argon2Hash, formatPhc, parsePhc } from './phc.ts';
import { createWorkQueue, type Ticket } from './work-queue.ts';

/**
 * OWASP's Password Storage Cheat Sheet, argon2id: 19 MiB, two passes, one lane. It is the setting of that list with
 * the least memory that is as strong as the others: a hash takes some 40 ms of one core, and three at a time hold
 * 57 MiB, so a flood of logins neither starves the machine nor the rest of the service.
 */
const parameters = { memory: 19_456, passes: 2, parallelism: 1 } as const;
const saltBytes = 16;
const tagBytes = 32;

/**
 * Hashes at a time: a core stays free for requests, and of libuv's four threads one stays free for files and name
 * look-ups, which would wait behind the hashes otherwise.
 */
const concurrency = Math.max(1, Math.min(3, availableParallelism() - 1));

/** Hashes that may wait: some 40 s of work on one core. See `FairQueue` for who is refused beyond. */
const maxWaiting = 1_000;

export interface Passwords {
  /**
   * A new PHC string for this password. Every byte counts. Throws the problem `overloaded`, and `bad_request` where the
   * caller was gone before its turn.
   */
  hash(password: string, ticket?: Ticket): Promise<string>;
  /**
   * Whether the password is the stored one's. Where there is none (unknown account, or a text that is no PHC string)
   * the answer is no, after the same work. Throws as `hash` does.
   */
  verify(password: string, stored: string | undefined, ticket?: Ticket): Promise<boolean>;
  /** Whether a stored hash was made with other parameters than are used now. */
  needsRehash(stored: string): boolean;
}

const compute = (password: string, hash: Argon2Hash): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const { memory, passes, parallelism, salt, tag } = hash;
    const message = Buffer.from(password, 'utf8');
    argon2(
      'argon2id',
      { message, nonce: salt, memory, passes, parallelism, tagLength: tag.length },
      (error, derived) => (error === null ? resolve(derived) : reject(error)),
    );
  });

/** A salt, and random bytes in the place of the hash: no password is known for it. */
const blank = (): Argon2Hash => ({
  ...parameters,
  salt: randomBytes(saltBytes),
  tag: randomBytes(tagBytes),
});

/** The ticket of what no network asks for: the first administrator, a command. */
const unasked: Ticket = { line: '' };

/** Computes the tag of a hash. */
export type ComputeHash = typeof compute;

/**
 * Hashes passwords off the main thread, a few at a time; lines take turns. One for the whole process.
 * @param derive argon2id, unless a test wants to see what is hashed and when
 */
export const createPasswords = (derive: ComputeHash = compute): Passwords => {
  const queue = createWorkQueue(concurrency, maxWaiting);
  const nobodys = blank();
  return {
    async hash(password, ticket = unasked) {
      const fresh = blank();
      return formatPhc({ ...fresh, tag: await queue.run(ticket, () => derive(password, fresh)) });
    },
    async verify(password, stored, ticket = unasked) {
      const known = stored === undefined ? undefined : parsePhc(stored);
      const against = known ?? nobodys;
      const derived = await queue.run(ticket, () => derive(password, against));
      return timingSafeEqual(derived, against.tag) && known !== undefined;
    },
    needsRehash(stored) {
      const known = parsePhc(stored);
      return (
        known === undefined ||
        known.memory !== parameters.memory ||
        known.passes !== parameters.passes ||
        known.parallelism !== parameters.parallelism ||
        known.salt.length !== saltBytes ||
        known.tag.length !== tagBytes
      );
    },
  };
};
