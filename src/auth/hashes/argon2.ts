import { argon2 as compute } from 'node:crypto';
import { parsePhc } from '../phc.ts';
import type { HashScheme } from './foreign-hash.ts';

const form = /^(?:argon2(?=\$)|(?=\$argon2[id]\$))\$(argon2id|argon2i|argon2d)\$/;

/**
 * Argon2i and argon2d, and the form in which Django stores all three: `argon2$argon2id$v=19$m=…,t=…,p=…$salt$hash`.
 * Argon2id itself is the service's own scheme.
 */
export const argon2: HashScheme = {
  name: 'argon2',
  read: (text) => {
    const variant = form.exec(text)?.[1] as 'argon2id' | 'argon2i' | 'argon2d' | undefined;
    const hash = variant === undefined ? undefined : parsePhc(text.replace(form, '$argon2id$'));
    if (variant === undefined || hash === undefined) return undefined;
    const { memory, passes, parallelism, salt, tag } = hash;
    return {
      tag,
      derive: (password) =>
        new Promise((resolve, reject) => {
          const message = Buffer.from(password, 'utf8');
          const options = { message, nonce: salt, memory, passes, parallelism, tagLength: tag.length };
          compute(variant, options, (error, derived) => (error === null ? resolve(derived) : reject(error)));
        }),
    };
  },
};
