/** PBKDF2 in the forms of Django, Werkzeug (Flask), passlib and ASP.NET Core Identity. */

import { pbkdf2 as compute } from 'node:crypto';
import { type ForeignHash, type HashScheme, tagOfBase64, tagOfHex } from './foreign-hash.ts';

/** Most iterations of a hash, in blocks of its digest: some three seconds of one core. */
const maxIterations = 10_000_000;

const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const;

type Digest = keyof typeof digestBytes;

interface Pbkdf2Parts {
  readonly digest: Digest;
  readonly iterations: number;
  readonly salt: Uint8Array;
  readonly tag: Uint8Array | undefined;
}

const hashOf = ({ digest, iterations, salt, tag }: Pbkdf2Parts): ForeignHash | undefined => {
  if (tag === undefined || iterations < 1) return undefined;
  if (iterations * Math.ceil(tag.length / digestBytes[digest]) > maxIterations) return undefined;
  return {
    tag,
    derive: (password) =>
      new Promise((resolve, reject) => {
        compute(password, salt, iterations, tag.length, digest, (error, derived) =>
          error === null ? resolve(derived) : reject(error),
        );
      }),
  };
};

/** passlib writes `.` for `+`. */
const passlibBytes = (text: string): string => text.replaceAll('.', '+');

type ReadPbkdf2 = (...groups: readonly string[]) => Pbkdf2Parts;

/** Each form, and its parts by the groups of its expression. */
const forms: readonly (readonly [RegExp, ReadPbkdf2])[] = [
  // Django: pbkdf2_sha256$600000$SALT$BASE64
  [
    /^pbkdf2_(sha1|sha256)\$(\d{1,8})\$([^$]{1,128})\$([A-Za-z0-9+/]+=*)$/,
    (digest, iterations, salt = '', tag = '') => ({
      digest: digest as Digest,
      iterations: Number(iterations),
      salt: Buffer.from(salt),
      tag: tagOfBase64(tag),
    }),
  ],
  // Werkzeug: pbkdf2:sha256:600000$SALT$HEX
  [
    /^pbkdf2:(sha1|sha256|sha512):(\d{1,8})\$([^$]{1,128})\$([0-9a-f]+)$/,
    (digest, iterations, salt = '', tag = '') => ({
      digest: digest as Digest,
      iterations: Number(iterations),
      salt: Buffer.from(salt),
      tag: tagOfHex(tag),
    }),
  ],
  // passlib: $pbkdf2-sha256$29000$SALT$TAG
  [
    /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(\d{1,8})\$([A-Za-z0-9./]{1,128})\$([A-Za-z0-9./]+)$/,
    (digest = 'sha1', iterations, salt = '', tag = '') => ({
      digest: digest as Digest,
      iterations: Number(iterations),
      salt: Buffer.from(passlibBytes(salt), 'base64'),
      tag: tagOfBase64(passlibBytes(tag)),
    }),
  ],
];

const aspNetDigests: readonly (Digest | undefined)[] = ['sha1', 'sha256', 'sha512'];

/** ASP.NET Core Identity, version 3: base64 of 01; digest, iterations and bytes of the salt as uint32; salt; tag. */
const aspNet = (text: string): ForeignHash | undefined => {
  if (!/^AQAAAA[A-Za-z0-9+/]{40,700}={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  const [digest, iterations, saltBytes] = [1, 5, 9].map((at) => bytes.readUInt32BE(at));
  const name = aspNetDigests[digest ?? -1];
  if (name === undefined || iterations === undefined || saltBytes === undefined) return undefined;
  const start = 13 + saltBytes;
  if (start >= bytes.length) return undefined;
  const tag = tagOfBase64(bytes.subarray(start).toString('base64'));
  return hashOf({ digest: name, iterations, salt: bytes.subarray(13, start), tag });
};

export const pbkdf2: HashScheme = {
  name: 'PBKDF2',
  read: (text) => {
    for (const [form, parts] of forms) {
      const match = form.exec(text);
      if (match !== null) return hashOf(parts(...match.slice(1)));
    }
    return aspNet(text);
  },
};
