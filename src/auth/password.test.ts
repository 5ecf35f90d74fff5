import { argon2Sync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { generatePassword } from '../app/first-admin.ts';
import { createPasswords } from './password.ts';
import { passwordViolation } from './password-rules.ts';
import { formatPhc, parsePhc } from './phc.ts';

/** Any UTF-16, lone surrogates included. */
const anyText = fc.array(fc.nat(0xffff), { maxLength: 40 }).map((units) => String.fromCharCode(...units));

const passwords = createPasswords();

describe('passwords', () => {
  test('passwords are kept as argon2id with OWASP parameters and a salt each', async () => {
    const [one, two] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(two);
    expect(passwords.needsRehash(one)).toBe(false);
    expect(await passwords.verify('correct horse', one)).toBe(true);
    expect(await passwords.verify('correct horsf', one)).toBe(false);
  });

  test('every byte counts: past 72, NUL and what follows it, case', async () => {
    const long = 'x'.repeat(1023);
    const stored = await passwords.hash(`${long}a`);
    expect(await passwords.verify(`${long}a`, stored)).toBe(true);
    expect(await passwords.verify(`${long}b`, stored)).toBe(false);
    const nul = await passwords.hash('secret\0one');
    expect(await passwords.verify('secret\0two', nul)).toBe(false);
    expect(await passwords.verify('secret', nul)).toBe(false);
  });

  test('a letter is the same however it is composed', async () => {
    for (const text of ['caf\u00e9 noir', 'cafe\u0301 noir']) {
      const stored = await passwords.hash(text);
      expect(await passwords.verify('cafe\u0301 noir', stored)).toBe(true);
      expect(await passwords.verify('caf\u00e9 noir', stored)).toBe(true);
      expect(await passwords.verify('cafe noir', stored)).toBe(false);
    }
    // Canonical equivalence only.
    expect(await passwords.verify('ｃafé noir', await passwords.hash('café noir'))).toBe(false);
  });

  test('a password that an earlier version hashed as it was sent is verified as it is sent', async () => {
    const hashed: string[] = [];
    const salt = Buffer.alloc(16, 1);
    const parameters = { memory: 19_456, passes: 2, parallelism: 1 };
    const tag = argon2Sync('argon2id', {
      message: 'cafe\u0301 noir',
      nonce: salt,
      tagLength: 32,
      ...parameters,
    });
    const stored = formatPhc({ ...parameters, salt, tag });
    expect(await passwords.verify('cafe\u0301 noir', stored)).toBe(true);
    expect(await passwords.verify('caf\u00e9 noir', stored)).toBe(false);
    const observed = createPasswords(async (text) => {
      hashed.push(text);
      return Buffer.alloc(32);
    });
    for (const unknown of [undefined, stored]) {
      hashed.length = 0;
      await observed.verify('cafe\u0301', unknown);
      expect(hashed).toEqual(['cafe\u0301', 'caf\u00e9']);
    }
  });

  test('a text that is too long to be a password is not normalised', async () => {
    const hashed: number[] = [];
    const observed = createPasswords(async (text) => {
      hashed.push(text.length);
      return Buffer.alloc(32);
    });
    await observed.verify(`e${'\u0301\u0323'.repeat(500_000)}`, undefined);
    expect(hashed).toEqual([1_000_001]);
  });

  test('no password matches unknown accounts, empty and broken hashes', async () => {
    for (const stored of [
      undefined,
      '',
      'x',
      '$argon2id$v=19$m=4194304,t=2,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA',
    ]) {
      expect(await passwords.verify('', stored)).toBe(false);
    }
    expect(passwords.needsRehash('x')).toBe(true);
  });

  test('no password matches, even if its hash were guessed', async () => {
    const lucky = createPasswords(async (_, { tag }) => tag);
    for (const stored of [undefined, '', 'x']) expect(await lucky.verify('anything', stored)).toBe(false);
    const known = formatPhc({
      memory: 8,
      passes: 1,
      parallelism: 1,
      salt: Buffer.alloc(8),
      tag: Buffer.alloc(16),
    });
    expect(await lucky.verify('anything', known)).toBe(true);
  });

  test('an unknown account takes the time of a known one', async () => {
    const stored = await passwords.hash('correct horse');
    // In turn, and the least of each: whatever else the machine does, some of the rounds are left alone.
    const least = { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY };
    for (let round = 0; round < 9; round += 1) {
      for (const [name, against] of [['known', stored] as const, ['unknown', undefined] as const]) {
        const before = performance.now();
        await passwords.verify('wrong horse', against);
        least[name] = Math.min(least[name], performance.now() - before);
      }
    }
    // The times are not as far apart as "no hash at all" would be (a thousandth).
    expect(least.unknown).toBeGreaterThan(least.known / 5);
    expect(least.known).toBeGreaterThan(least.unknown / 5);
  });

  test.each([
    ['memory', { memory: 8, passes: 2, parallelism: 1 }],
    ['passes', { memory: 19_456, passes: 1, parallelism: 1 }],
    ['lanes', { memory: 19_456, passes: 2, parallelism: 2 }],
  ])(
    'a hash with other %s is verified with its own parameters, and due for a new one',
    async (_, parameters) => {
      const salt = Buffer.alloc(16, 1);
      const tag = argon2Sync('argon2id', { message: 'pw', nonce: salt, tagLength: 32, ...parameters });
      const stored = formatPhc({ ...parameters, salt, tag });
      expect(await passwords.verify('pw', stored)).toBe(true);
      expect(passwords.needsRehash(stored)).toBe(true);
    },
  );

  test('a shorter salt or tag is due for a new one', () => {
    const hash = { memory: 19_456, passes: 2, parallelism: 1, salt: Buffer.alloc(16), tag: Buffer.alloc(32) };
    expect(passwords.needsRehash(formatPhc(hash))).toBe(false);
    expect(passwords.needsRehash(formatPhc({ ...hash, salt: Buffer.alloc(8) }))).toBe(true);
    expect(passwords.needsRehash(formatPhc({ ...hash, tag: Buffer.alloc(16) }))).toBe(true);
  });
});

describe('PHC strings', () => {
  test('the reference vector of the argon2 command line is read and verified', async () => {
    // echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 24
    const tag = argon2Sync('argon2id', {
      message: 'password',
      nonce: 'somesalt',
      memory: 65_536,
      passes: 2,
      parallelism: 1,
      tagLength: 32,
    });
    expect(tag.toString('hex')).toBe('09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7');
    const stored = `$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc`;
    expect(await passwords.verify('password', stored)).toBe(true);
    expect(await passwords.verify('passwore', stored)).toBe(false);
  });

  test('what is written is read again', () => {
    const bytes = (minLength: number) => fc.uint8Array({ minLength, maxLength: 64 });
    fc.assert(
      fc.property(
        fc.integer({ min: 64, max: 131_072 }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 8 }),
        bytes(8),
        bytes(16),
        (memory, passes, parallelism, salt, tag) => {
          const read = parsePhc(formatPhc({ memory, passes, parallelism, salt, tag }));
          expect(read).toMatchObject({ memory, passes, parallelism });
          expect(Buffer.from(read?.salt ?? []).equals(salt) && Buffer.from(read?.tag ?? []).equals(tag)).toBe(
            true,
          );
        },
      ),
    );
  });

  const salt = 'AAAAAAAAAAAAAAAAAAAAAA';
  const tag = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
  test.each([
    `$argon2i$v=19$m=19456,t=2,p=1$${salt}$${tag}`,
    `$argon2id$v=16$m=19456,t=2,p=1$${salt}$${tag}`,
    `$argon2id$m=19456,t=2,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=131073,t=2,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=19456,t=11,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=19456,t=2,p=9$${salt}$${tag}`,
    `$argon2id$v=19$m=15,t=2,p=2$${salt}$${tag}`,
    `$argon2id$v=19$m=019456,t=2,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=19456,t=0,p=1$${salt}$${tag}`,
    `$argon2id$v=19$t=2,m=19456,p=1$${salt}$${tag}`,
    `$argon2id$v=19$m=19456,t=2,p=1$${salt}==$${tag}`,
    `$argon2id$v=19$m=19456,t=2,p=1$${salt.slice(0, -1)}B$${tag}`,
    `$argon2id$v=19$m=19456,t=2,p=1$AAAA$${tag}`,
    `$argon2id$v=19$m=19456,t=2,p=1$${salt}$AAAA`,
    `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${tag}\n`,
    `$argon2id$v=19$m=19456,t=2,p=1$${salt}$${tag}$`,
    '',
  ])('%s is none', (text) => {
    expect(parsePhc(text)).toBeUndefined();
  });

  const bytes = (count: number) => Buffer.alloc(count, 1).toString('base64').replaceAll('=', '');
  test('the longest salt and hash, and the greatest of the parameters, are read', () => {
    const most = (saltBytes: number, tagBytes: number) =>
      parsePhc(`$argon2id$v=19$m=131072,t=10,p=8$${bytes(saltBytes)}$${bytes(tagBytes)}`);
    expect(most(64, 64)).toMatchObject({ memory: 131_072, passes: 10, parallelism: 8 });
    expect(most(8, 16)).toMatchObject({ salt: Buffer.alloc(8, 1), tag: Buffer.alloc(16, 1) });
    expect([most(65, 64), most(64, 65), most(7, 16), most(8, 15)]).toEqual(Array(4).fill(undefined));
  });

  test('reading never throws', () => {
    fc.assert(fc.property(anyText, (text) => parsePhc(text) === undefined));
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        parsePhc(`$argon2id$v=19$m=19456,t=2,p=1$${a}$${b}`);
      }),
    );
  });
});

const nora = { username: 'n.okafor', email: 'nora@example.com', name: 'Nora Okafor' };

describe('rules', () => {
  // The first test that loads the list: later ones would not notice a change of the loading.
  test('the 3,000 commonest that are long enough are refused, and no more', async () => {
    const { dictionary } = await import('@zxcvbn-ts/language-common');
    const long = dictionary['passwords-common'].filter((word) => word.length >= 8);
    for (const word of long.slice(0, 3_000))
      expect(await passwordViolation(word, nora), word).toEqual({ rule: 'common_password' });
    expect(await passwordViolation(String(long[3_000]), nora)).toBeUndefined();
  });

  const length = { rule: 'password_length', params: { min: 8, max: 1024 } };
  test.each([
    ['', length],
    ['1234567', length],
    ['x'.repeat(1025), length],
    ['€'.repeat(342), length],
    ['😀😀', length],
    ['密码锁', length],
    ['öööö', length],
    ['o\u0308'.repeat(7), length],
    ['o\u0308'.repeat(8), undefined],
    ['😀🎉🐎🔋📎🚪🪟🧵', undefined],
    [`${'€'.repeat(341)}x`, undefined],
    ['o\u0308'.repeat(512), undefined],
    ['o\u0308'.repeat(513), length],
    [`e${'\u0301\u0323'.repeat(500_000)}`, length],
    ['x'.repeat(1024), undefined],
    ['        ', undefined],
    ['password', { rule: 'common_password' }],
    ['PassWord', { rule: 'common_password' }],
    ['1234567890', { rule: 'common_password' }],
    ['\ud800 a lone surrogate', { rule: 'pattern' }],
    ['correct horse battery staple', undefined],
  ])('%j', async (text, expected) => {
    expect(await passwordViolation(String(text), nora)).toEqual(expected);
  });

  describe('the names of the service and of the account', () => {
    const ownName = { rule: 'own_name' };
    test.each([
      ['the name of the service', 'gatewright', ownName],
      ['in other letters', 'ＧａｔｅWright', ownName],
      ['with a year', 'Gatewright-2026', ownName],
      ['twice', 'gatewrightgatewright', ownName],
      ['with a common password', 'gatewright12345678', ownName],
      ['around which a common password stands', 'passgatewrightword', ownName],
      ['the username', 'N.Okafor', ownName],
      ['the local part of the email address', 'nora-nora-nora', ownName],
      ['the words of the name', 'OkaforNora1!', ownName],
      ['all of them', 'gatewright nora okafor', ownName],
      ['a name within a password', 'nora keeps 3 llamas', undefined],
      ['the domain of the email address', 'example-brick', undefined],
      ['what is left is a password by itself', 'nora+kx7qpl2', undefined],
      ['what is left is one character too short for one', 'nora+kx7qpl', ownName],
      ['no name in it, and another length once it is folded', '㎏㎏㎏㎏㎏㎏㎏㎏', undefined],
      ['the whole address', 'nora@example.com', ownName],
      ['the whole address in other letters', 'ＮＯＲＡ@Example.COM', ownName],
      ['the whole address with a year', 'nora@example.com2026', ownName],
    ])('%s: %s', async (_, text, expected) => {
      expect(await passwordViolation(text, nora)).toEqual(expected);
    });

    test.each([
      ['a short name with its repetition', '欧阳修', '欧阳修欧阳修欧阳修', ownName],
      ['and may stand in one', '欧阳修', '欧阳修与醉翁亭之意', undefined],
      ['but not by itself several times', 'eve', 'eveeveeve', ownName],
      ['nor beside digits and signs', 'eve', 'eve-Eve-2026', ownName],
      ['a short name is no name in a longer word', 'eve', 'evening-light', undefined],
      ['enough digits are a password by themselves', 'eve', 'eve48151623', undefined],
      ['an encoding is no way around', 'zo\u00ebschmidt', 'Zoe\u0308Schmidt', ownName],
      ['nor is case, however a language writes it', 'straßenbau', 'STRASSENBAU1', ownName],
      ['a name without words has no effect', '----', '--------!', ownName],
      ['an empty name neither', '', 'walnut-anchor', undefined],
      ['a word of three letters stands there by chance', 'min', 'minute-mint-7', undefined],
      ['spaces around a name are none of it', ' Li Wei An ', 'li wei an', ownName],
    ])('%s: %s', async (_, username, text, expected) => {
      expect(await passwordViolation(text, { username, email: '', name: '' })).toEqual(expected);
    });

    test('a name within another one leaves nothing of the longer one', async () => {
      const anna = { username: 'anna', email: '', name: 'Annabella' };
      expect(await passwordViolation('annabella1234', anna)).toEqual(ownName);
    });

    test.each([
      ['quill@example.com', 'quill-quill-1'],
      ['"quill@harbour"@example.com', 'harbour-1'],
    ])('the local part of %s alone, up to its last @: %s', async (email, text) => {
      expect(await passwordViolation(text, { username: 'x', email, name: '' })).toEqual(ownName);
    });

    test('a generated password passes for every user', async () => {
      for (let round = 0; round < 200; round += 1)
        expect(await passwordViolation(generatePassword(), nora)).toBeUndefined();
    });
  });
});
