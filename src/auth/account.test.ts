import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalAccount, emailViolation, foldText, usernameViolation } from './account.ts';
import { networkOf } from './client-network.ts';

/** Any UTF-16, lone surrogates included. */
const anyText = fc.array(fc.nat(0xffff), { maxLength: 40 }).map((units) => String.fromCharCode(...units));

describe('canonicalAccount', () => {
  test.each([
    ['Ann', 'ann'],
    ['ＡＮＮ', 'ann'],
    ['ANN@EXAMPLE.COM', 'ann@example.com'],
    ['Straße', 'STRASSE'],
    ['ẞ', 'ß'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδος', 'οδοσ'],
    ['ı', 'I'],
    ['ſ', 'S'],
    ['\u212a', 'k'],
    ['ﬁ', 'FI'],
    ['e\u0301', 'É'],
  ])('%s is %s', (one, other) => {
    expect(canonicalAccount(one)).toBe(canonicalAccount(other));
  });

  test.each([
    ['ann', 'anna'],
    [' ann', 'ann'],
    ['ann ', 'ann'],
    ['é', 'e'],
    ['а', 'a'],
  ])('"%s" is not "%s"', (one, other) => {
    expect(canonicalAccount(one)).not.toBe(canonicalAccount(other));
  });

  test('the canonical form of an account is its own canonical form, and that of the text in capitals', () => {
    const text = fc.oneof(
      anyText,
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom(...'ΣςσßẞıİiIſK\u0345\u0307\u0323αᾳǰŉㅤ') }),
    );
    fc.assert(
      fc.property(text, (account) => {
        const once = canonicalAccount(account);
        expect(canonicalAccount(once)).toBe(once);
        expect(once).toBe(once.normalize('NFKC'));
        if (!once.includes('@')) expect(once).toBe(canonicalAccount(once.toUpperCase()));
      }),
      { numRuns: 2000 },
    );
  });

  test('every single character has a form of its own', () => {
    for (let point = 1; point < 0x110000; point += 1) {
      if (point >= 0xd800 && point < 0xe000) continue;
      const character = String.fromCodePoint(point);
      // By itself it is neither a username nor an address.
      if (character.normalize('NFKC') === '@') continue;
      const once = canonicalAccount(character);
      if (once === '' || canonicalAccount(once) !== once) expect.fail(point.toString(16));
    }
  });

  test('the canonical form of an account is in small letters, with one sigma', () => {
    expect(['Ann', 'ΟΔΟΣ', 'Straße', 'ＡＮＮ'].map(canonicalAccount)).toEqual([
      'ann',
      'οδοσ',
      'strasse',
      'ann',
    ]);
    expect(['Ann', 'ΟΔΟΣ', 'Straße', 'ＡＮＮ'].map(foldText)).toEqual(['ann', 'οδοσ', 'strasse', 'ann']);
    expect(foldText('ﬁ\u0301x')).toBe(foldText('FI\u0301X'));
  });

  test('a text too long to be an account is none, and costs nothing', () => {
    expect(canonicalAccount('x'.repeat(512))).toHaveLength(512);
    expect(canonicalAccount('x'.repeat(513))).toBe('');
    expect(canonicalAccount('\ufdfa'.repeat(100))).toBe('');
    expect(canonicalAccount(`a${'\u0301\u0323'.repeat(500_000)}`)).toBe('');
  });
});

describe('usernames', () => {
  test.each(['a', 'ann', 'Ann.Lee-2_x', '李雷', 'é', '😀', 'x'.repeat(64), '😀'.repeat(64)])(
    '%s is one',
    (name) => {
      expect(usernameViolation(name)).toBeUndefined();
    },
  );

  test('usernames are neither empty nor long', () => {
    expect(usernameViolation('')).toEqual({ rule: 'required' });
    expect(usernameViolation('x'.repeat(65))).toEqual({ rule: 'max_length', params: { max: 64 } });
  });

  test.each([
    'a@b',
    'a＠b',
    'a b',
    ' ',
    'a\u00a0',
    'a\u200bb',
    'a\0',
    'a\nb',
    '\u202eabc',
    '\ufeffx',
    '\u3164',
    '\u2800',
    'a\u00ad',
    'a\u00a8',
    '\ud800',
    '\ue000',
    '\u{e0041}',
    '\ufdfa'.repeat(64),
  ])('%j is none', (name) => {
    expect(usernameViolation(name)).toEqual({ rule: 'pattern' });
  });
});

describe('emails', () => {
  test.each(['a@b', 'ann@example.com', "o'neil+x@sub.example.com", '李@例子.中国'])('%s is one', (email) => {
    expect(emailViolation(email)).toBeUndefined();
  });

  test('emails are neither empty nor long', () => {
    expect(emailViolation('')).toEqual({ rule: 'required' });
    expect(emailViolation(`${'x'.repeat(250)}@b.c`)).toBeUndefined();
    expect(emailViolation(`${'x'.repeat(251)}@b.c`)).toEqual({ rule: 'max_length', params: { max: 254 } });
  });

  test.each([
    'ann',
    '@b',
    'a@',
    'a@b@c',
    'a＠b@c',
    'a@b..c',
    'a@.b',
    'a@b.',
    'a b@c',
    'a@b c',
    'a\u200b@c',
    'a@b\n',
    '@',
  ])('%j is none', (email) => {
    expect(emailViolation(email)).toEqual({ rule: 'email' });
  });

  test('no text is a username and an email, in whatever form', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '@', '＠', '﹫', '.', 'B') }), (text) => {
        const isEmail = emailViolation(text) === undefined;
        const isName = usernameViolation(text) === undefined;
        expect(isEmail && isName).toBe(false);
        if (isName) expect(canonicalAccount(text)).not.toContain('@');
        if (isEmail) expect(canonicalAccount(text).split('@')).toHaveLength(2);
      }),
    );
  });
});

describe('networkOf', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::ffff:255.254.253.252', '255.254.253.252'],
    ['::FFFF:c000:0207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
    ['2001:0db8:0000:0000::', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
    ['1:2:3:4:5:6:192.0.2.7', '1:2:3:4::/64'],
    ['::', '0:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['::192.0.2.7', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['fe80::2%25lo', 'fe80:0:0:0::/64'],
    ['', ''],
    ['unix', 'unix'],
  ])('%s is of %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  test('addresses of a /64 are one, others are not', () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.ipV6(), (one, other) => {
        const groups = (address: string): string => new URL(`http://[${address}]`).hostname;
        expect(networkOf(one)).toBe(networkOf(groups(one).slice(1, -1)));
        if (groups(one) === groups(other)) expect(networkOf(one)).toBe(networkOf(other));
      }),
    );
    fc.assert(fc.property(anyText, (text) => typeof networkOf(text) === 'string'));
  });
});
