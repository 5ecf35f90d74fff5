import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { programFile } from '../../kernel/package-files.ts';
import type { HashScheme } from './foreign-hash.ts';

/** The setting: version, cost and salt. The digest follows it. A cost of 15 takes some four seconds. */
const form = /^(?:bcrypt(_sha256)?\$)?(\$2[aby]\$(?:0[4-9]|1[0-5])\$[./A-Za-z0-9]{22})([./A-Za-z0-9]{31})$/;

const settingLength = 29;

/** The work of a thread. */
export interface BcryptWork {
  readonly password: string;
  readonly setting: string;
}

/** Hashes in a thread of its own: the library computes in JavaScript. Returns the digest. */
const digestOf = (work: BcryptWork): Promise<string> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(programFile('auth/hashes/bcrypt-thread'), { workerData: work });
    worker.once('message', (hash: string) => resolve(hash.slice(settingLength)));
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread of a bcrypt hash ended without a result')));
  });

/**
 * `$2a$`, `$2b$` and `$2y$`: Rails, Laravel, Supabase, Strapi, PocketBase. Only the first 72 bytes of a password count.
 * Django stores `bcrypt$` and a hash, or `bcrypt_sha256$` and the hash of the hexadecimal SHA-256 of the password.
 */
export const bcrypt: HashScheme = {
  name: 'bcrypt',
  read: (text) => {
    const match = form.exec(text);
    if (match === null) return undefined;
    const [, hashedBefore, setting = '', digest = ''] = match;
    return {
      tag: Buffer.from(digest),
      derive: async (password) => {
        const sent =
          hashedBefore === undefined ? password : createHash('sha256').update(password).digest('hex');
        return Buffer.from(await digestOf({ password: sent, setting: setting.replace('$2y$', '$2b$') }));
      },
    };
  },
};
