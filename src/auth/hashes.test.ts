/** Each hash of this file comes from another program: Python's hashlib, and the crypt of libxcrypt. */

import { describe, expect, it } from 'vitest';
import { foreignHash, isKnownHash } from './hashes.ts';
import { createPasswords } from './password.ts';

const passwords = createPasswords();

const password = 'lètmein';

const hashes = {
  'bcrypt of PHP': '$2y$04$If6bvum7DFjUnE9p2uDeDuDUnh7fEr6jZwMXqWMmgtHittJgr2YtO',
  bcrypt: '$2b$04$If6bvum7DFjUnE9p2uDeDuDUnh7fEr6jZwMXqWMmgtHittJgr2YtO',
  'bcrypt of Django': 'bcrypt$$2b$04$If6bvum7DFjUnE9p2uDeDuDUnh7fEr6jZwMXqWMmgtHittJgr2YtO',
  'bcrypt of a SHA-256, Django': 'bcrypt_sha256$$2b$04$If6bvum7DFjUnE9p2uDeDuM2.uno0PkyUrBWCpfmo2a1Etiiyos5G',
  'PBKDF2 of Django': 'pbkdf2_sha256$1000$seasalt$JgZryXe2Ga8ysg6XbzkLpTdyPQrHqsinbL9BnnhgX4A=',
  'PBKDF2 by SHA-1, Django': 'pbkdf2_sha1$1000$seasalt$ljleU4wBmTtz/MoG5YTwxpM0d7I=',
  'PBKDF2 of Werkzeug':
    'pbkdf2:sha512:1000$seasalt$32fa58cd16fdb7c20750ed54edc09c18f7c8f892dc15104e51b92dcbebc7997ccca063b71069f9643c45c2490e1d54f9e44973dd0733b36f853690ca523bff44',
  'PBKDF2 of passlib':
    '$pbkdf2-sha256$1000$8PHy8/T19vf4.fr7/P3./w$NLCxhEx13MijqfW7prAglClHI.JU.g8ztpZ9vKGmT6s',
  'PBKDF2 by SHA-1, passlib': '$pbkdf2$1000$MDEyMzQ1Njc4OWFiY2RlZg$fAVyzQNNkMB93BxqSKITIbIy1MI',
  'PBKDF2 of ASP.NET': 'AQAAAAIAAAPoAAAAEAABAgMEBQYHCAkKCwwNDg/BHAhUgHuiNlAlqeX94ts8K8KonEtCbWne4fygQg4EQg==',
  'scrypt of Django':
    'scrypt$1024$seasalt$8$2$ylBb6daEEOiWv715RdZjAQY2sCZyviI8Gk4Qz8egzdPcZ5baGOYhkjwKYX65XisU8LUU4Bb+tGgXztJ63qDLlQ==',
  'scrypt of Werkzeug':
    'scrypt:1024:8:1$seasalt$faa3b68d391551b3cd96789390763dea575224ab3853459089ff146d695f3b7c090cd84a3a0fa93ed0dc9224fa670d2a904bca210d4c74e35f1b1b16ae9a2236',
  'scrypt of passlib':
    '$scrypt$ln=10,r=8,p=1$MDEyMzQ1Njc4OWFiY2RlZg$oubx1FSVMdBXJUQdWbOku/j14qHXAXbtipYrE498FXY',
} as const;

describe('hashes of other systems', () => {
  it.each(Object.entries(hashes))(
    '%s is verified, and replaced at the next sign-in',
    async (_name, stored) => {
      expect(await passwords.verify(password, stored)).toBe(true);
      expect(await passwords.verify(password.normalize('NFD'), stored)).toBe(true);
      expect(await passwords.verify('letmein', stored)).toBe(false);
      expect(await passwords.verify('', stored)).toBe(false);
      expect(passwords.needsRehash(stored)).toBe(true);
      expect(isKnownHash(stored)).toBe(true);
    },
  );

  it('argon2i and argon2d are verified, and argon2id as Django stores it', async () => {
    const own = await passwords.hash(password);
    expect(foreignHash(own)).toBeUndefined();
    expect(isKnownHash(own)).toBe(true);
    expect(await passwords.verify(password, `argon2${own}`)).toBe(true);
    expect(await passwords.verify('letmein', `argon2${own}`)).toBe(false);
    for (const variant of ['argon2i', 'argon2d'] as const) {
      const other = own.replace('argon2id', variant);
      // The tag is that of argon2id.
      expect(await passwords.verify(password, other)).toBe(false);
      const tag = Buffer.from((await foreignHash(other)?.derive(password)) ?? []).toString('base64');
      const stored = other.replace(/[^$]+$/, tag.replace(/=+$/, ''));
      expect(await passwords.verify(password, stored)).toBe(true);
      expect(await passwords.verify('letmein', stored)).toBe(false);
    }
  });

  it('bcrypt reads 72 bytes of a password, as every program does', async () => {
    const stored = '$2a$04$If6bvum7DFjUnE9p2uDeDub2EGDjVtZjqoykJDTnnEiBX3ycUPhDS';
    expect(await passwords.verify('x'.repeat(72), stored)).toBe(true);
    expect(await passwords.verify('x'.repeat(100), stored)).toBe(true);
    expect(await passwords.verify('x'.repeat(71), stored)).toBe(false);
  });

  it.each([
    ['of no scheme', 'secret'],
    ['MD5', '$1$abcdefgh$irWbblnpmw.5z7wgBnprh0'],
    ['a cost of bcrypt that takes minutes', hashes.bcrypt.replace('$04$', '$16$')],
    ['the flawed bcrypt of old PHP', hashes.bcrypt.replace('$2b$', '$2x$')],
    ['a short bcrypt', hashes.bcrypt.slice(0, -1)],
    ['iterations that take minutes', hashes['PBKDF2 of Django'].replace('$1000$', '$99999999$')],
    ['no iterations', hashes['PBKDF2 of Django'].replace('$1000$', '$0$')],
    ['a tag of 15 bytes', hashes['PBKDF2 of Django'].replace(/[^$]+$/, 'AAAAAAAAAAAAAAAAAAAA')],
    ['a tag that is no canonical base64', hashes['PBKDF2 of Django'].replace(/A=$/, 'B=')],
    ['memory of gigabytes', hashes['scrypt of Django'].replace('$1024$', '$16777216$')],
    ['a cost that is no power of two', hashes['scrypt of Django'].replace('$1024$', '$1000$')],
    ['a hundred lanes', hashes['scrypt of Werkzeug'].replace(':8:1$', ':8:99$')],
    ['ASP.NET of version 2', `AAAAAAAA${hashes['PBKDF2 of ASP.NET'].slice(8)}`],
    ['ASP.NET with a salt beyond its end', hashes['PBKDF2 of ASP.NET'].replace('EAABAgM', '/wABAgM')],
    ['a text of megabytes', `${hashes['PBKDF2 of Werkzeug']}${'0'.repeat(2_000_000)}`],
  ])('%s is refused', async (_name, stored) => {
    expect(isKnownHash(stored)).toBe(false);
    expect(await passwords.verify(password, stored)).toBe(false);
  });
});
