import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalAccount, emailViolation } from './account.ts';
import { addressOf, domainName, isExactAddress } from './address.ts';

/** Domains that look like `github.example` or `weiss.example`, and are others. */
const lookAlikes = [
  ['gıthub.example', 'xn--gthub-n4a.example'],
  ['weiß.example', 'xn--wei-7ka.example'],
  ['GİTHUB.EXAMPLE', 'xn--github-qyd.example'],
  ['gιthub.example', domainName('gιthub.example')],
  ['οδος.example', domainName('οδος.example')],
] as const;

describe('a domain', () => {
  test.each([
    ['Example.COM', 'example.com'],
    ['例子.中国', 'xn--fsqu00a.xn--fiqs8s'],
    ['XN--FSQU00A.xn--fiqs8s', 'xn--fsqu00a.xn--fiqs8s'],
    ['Ünï.example', 'xn--n-nga1b.example'],
    ['ｇｉｔｈｕｂ.example', 'github.example'],
    ['例子。中国', 'xn--fsqu00a.xn--fiqs8s'],
    ['a_b.example', 'a_b.example'],
    ['10.0.0.1', '10.0.0.1'],
  ])('%s is %s', (text, name) => {
    expect(domainName(text)).toBe(name);
  });

  test.each(lookAlikes)('%s is not the domain that it looks like', (text, name) => {
    expect(domainName(text)).toBe(name);
    expect(['github.example', 'weiss.example', 'οδοσ.example']).not.toContain(name);
    expect(name).toMatch(/^xn--/);
  });

  test('a domain with a final sigma is another one than with the common one', () => {
    expect(domainName('οδος.example')).not.toBe(domainName('οδοσ.example'));
  });

  test.each([
    '',
    '１.２',
    'ｎ/a.example',
    'ö%2e.example',
    'ö:80',
    'ö..example',
    'ö.example.',
    '１２７.１',
    'x\u200b.ö:',
  ])('%j is none', (text) => {
    expect(domainName(text)).toBeUndefined();
  });
});

describe('an address', () => {
  test.each([
    ['Ann@Example.com', 'Ann@Example.com', 'ann@example.com'],
    ['李@例子.中国', '李@xn--fsqu00a.xn--fiqs8s', '李@xn--fsqu00a.xn--fiqs8s'],
    ['ａｎｎ＠ｅxample.com', 'ann@example.com', 'ann@example.com'],
    ['mike@gıthub.example', 'mike@xn--gthub-n4a.example', 'mike@xn--gthub-n4a.example'],
    ['mıke@github.example', 'mıke@github.example', 'mıke@github.example'],
    ['STRAUẞ@example.com', 'STRAUẞ@example.com', 'strauß@example.com'],
    ['U\u0308nï@example.com', 'Ünï@example.com', 'ünï@example.com'],
  ])('%s is stored as %s and compared as %s', (typed, stored, compared) => {
    expect(addressOf(typed)).toBe(stored);
    expect(canonicalAccount(typed)).toBe(compared);
  });

  test('an address is mailed to in the form in which it is compared, but for case', () => {
    const letters = 'aAiIıİßẞſsςσΣｉＩ\u212a\u0307\u0301éöＡ例.。-';
    const text = fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(text, text, (local, domain) => {
        const typed = `${local}@${domain}`;
        fc.pre(emailViolation(typed) === undefined);
        const stored = addressOf(typed) ?? '';
        expect(canonicalAccount(stored)).toBe(canonicalAccount(typed));
        expect(canonicalAccount(canonicalAccount(typed))).toBe(canonicalAccount(typed));
        const [used = '', name = ''] = stored.split('@');
        expect(name).toMatch(/^[\x21-\x7e]+$/);
        expect(canonicalAccount(typed)).toBe(
          `${used.toLowerCase().normalize('NFKC').toLowerCase().normalize('NFKC')}@${name.toLowerCase()}`,
        );
      }),
      { numRuns: 2000 },
    );
  });

  test('two that look alike are two', () => {
    for (const [typed, name] of lookAlikes) {
      expect(canonicalAccount(`mike@${typed}`)).toBe(`mike@${name}`);
      expect(canonicalAccount(`mike@${typed}`)).not.toBe('mike@github.example');
    }
    expect(canonicalAccount('strauß@example.com')).not.toBe(canonicalAccount('strauss@example.com'));
  });

  test.each([
    ['Ann@Example.com', true],
    ['李@例子.中国', true],
    ['李@xn--fsqu00a.xn--fiqs8s', true],
    ['mike@GıTHUB.example', true],
    ['u\u0308@example.com', true],
    ['ｍike@example.com', false],
    ['mike@ｇithub.example', false],
    ['mike@例子。中国', false],
    ['miſ@example.com', false],
    ['mike', false],
  ])('%s as somebody else has verified it: %s', (text, exact) => {
    expect(isExactAddress(text)).toBe(exact);
  });

  test('an address is as short as it is when it is written by its labels', () => {
    const long = `${'x'.repeat(40)}@${'ö'.repeat(50)}.${'ö'.repeat(50)}.${'ö'.repeat(50)}.example`;
    expect(addressOf(long)?.length).toBeGreaterThan(200);
    expect(emailViolation(`${'x'.repeat(120)}@${long.split('@')[1]}`)?.rule).toBe(
      addressOf(`${'x'.repeat(120)}@${long.split('@')[1]}`) === undefined ? 'email' : 'max_length',
    );
  });
});
