import { describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

describe('TRUST_PROXY', () => {
  it.each([
    ['1', 1],
    ['off', false],
    ['loopback, 203.0.113.0/24', ['loopback', '203.0.113.0/24']],
    ['linklocal,uniquelocal,2001:db8::1', ['linklocal', 'uniquelocal', '2001:db8::1']],
    ['::ffff:203.0.113.0/120', ['::ffff:203.0.113.0/120']],
  ])('TRUST_PROXY=%s sets the trusted proxies', (text, trusted) => {
    expect(readConfig({ TRUST_PROXY: text }).trustProxy).toEqual(trusted);
  });

  it.each(['::ffff:203.0.113.0/24', '203.0.113.5/24', '::1/64', 'loopback,10.0.0.1/8', 'constructor', '100'])(
    '%s refuses the start',
    (text) => {
      expect(() => readConfig({ TRUST_PROXY: text })).toThrow(/TRUST_PROXY.*behind the prefix/);
    },
  );
});
