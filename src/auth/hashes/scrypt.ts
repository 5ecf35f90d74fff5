/** scrypt in the forms of Django, Werkzeug (Flask) and passlib. */

import { scrypt as compute } from 'node:crypto';
import { type ForeignHash, type HashScheme, tagOfBase64, tagOfHex } from './foreign-hash.ts';

/** Most memory of a hash, and most work by it: the usual settings need 16 to 64 MiB. */
const maxBytes = 128 * 1024 * 1024;
const maxLanes = 16;

interface ScryptParts {
  /** A power of two. */
  readonly cost: number;
  readonly blockSize: number;
  readonly parallelization: number;
  readonly salt: Uint8Array;
  readonly tag: Uint8Array | undefined;
}

const hashOf = ({ cost, blockSize, parallelization, salt, tag }: ScryptParts): ForeignHash | undefined => {
  const isPower = cost > 1 && Number.isInteger(Math.log2(cost));
  const bytes = 128 * cost * blockSize;
  if (tag === undefined || !isPower || blockSize < 1 || bytes > maxBytes) return undefined;
  if (parallelization < 1 || parallelization > maxLanes) return undefined;
  const options = { cost, blockSize, parallelization, maxmem: 2 * maxBytes };
  return {
    tag,
    derive: (password) =>
      new Promise((resolve, reject) => {
        compute(password, salt, tag.length, options, (error, derived) =>
          error === null ? resolve(derived) : reject(error),
        );
      }),
  };
};

type ReadScrypt = (...groups: readonly string[]) => ScryptParts;

/** Each form, and its parts by the groups of its expression. */
const forms: readonly (readonly [RegExp, ReadScrypt])[] = [
  // Django: scrypt$16384$SALT$8$1$BASE64
  [
    /^scrypt\$(\d{1,8})\$([^$]{1,128})\$(\d{1,2})\$(\d{1,2})\$([A-Za-z0-9+/]+=*)$/,
    (cost, salt = '', blockSize, parallelization, tag = '') => ({
      cost: Number(cost),
      blockSize: Number(blockSize),
      parallelization: Number(parallelization),
      salt: Buffer.from(salt),
      tag: tagOfBase64(tag),
    }),
  ],
  // Werkzeug: scrypt:32768:8:1$SALT$HEX
  [
    /^scrypt:(\d{1,8}):(\d{1,2}):(\d{1,2})\$([^$]{1,128})\$([0-9a-f]+)$/,
    (cost, blockSize, parallelization, salt = '', tag = '') => ({
      cost: Number(cost),
      blockSize: Number(blockSize),
      parallelization: Number(parallelization),
      salt: Buffer.from(salt),
      tag: tagOfHex(tag),
    }),
  ],
  // passlib: $scrypt$ln=16,r=8,p=1$SALT$TAG
  [
    /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{1,128})\$([A-Za-z0-9+/]+)$/,
    (logarithm, blockSize, parallelization, salt = '', tag = '') => ({
      cost: 2 ** Number(logarithm),
      blockSize: Number(blockSize),
      parallelization: Number(parallelization),
      salt: Buffer.from(salt, 'base64'),
      tag: tagOfBase64(tag),
    }),
  ],
];

export const scrypt: HashScheme = {
  name: 'scrypt',
  read: (text) => {
    for (const [form, parts] of forms) {
      const match = form.exec(text);
      if (match !== null) return hashOf(parts(...match.slice(1)));
    }
    return undefined;
  },
};
