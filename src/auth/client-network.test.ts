import { describe, expect, test } from 'vitest';
import { isNetwork as isNetworkOfPage } from '../../admin/src/keys/network.ts';
import { isNetwork, networksOf } from './client-network.ts';

const valid = [
  '203.0.113.0/24',
  '10.0.0.1',
  '10.0.0.1/32',
  '0.0.0.0/0',
  '2001:db8::/32',
  '2001:db8::1',
  '::/0',
  '::1/128',
  '::ffff:203.0.113.0/120',
  '::ffff:cb00:7100/120',
  '::ffff:203.0.113.7',
  '::ffff:0.0.0.0/96',
  'fe80::/10',
  '1:2:3:4:5:6:7:8',
];

const invalid = [
  '203.0.113.5/24',
  '10.0.0.1/8',
  '203.0.113.0/33',
  '2001:db8::1/32',
  '::1/64',
  '::1/0',
  '2001:db8::/129',
  '::ffff:203.0.113.0/24',
  '::ffff:0:0/95',
  '::ffff:0.0.0.0/0',
  '::ffff:203.0.113.5/120',
  '128.0.0.0/0',
  '',
  'example.com',
  '10.0.0.0/8 ',
  '10.0.0.0/',
  '/8',
  '::ffff:203.0.113.0/-1',
  'fe80::1%eth0',
  '1.2.3',
];

describe('a network', () => {
  test.each(valid)('%s is one', (text) => {
    expect([isNetwork(text), isNetworkOfPage(text)]).toEqual([true, true]);
  });

  test.each(invalid)('%j is none, and contains no address', (text) => {
    expect([isNetwork(text), isNetworkOfPage(text)]).toEqual([false, false]);
    const networks = networksOf([text]);
    for (const address of [
      '203.0.113.5',
      '198.51.100.7',
      '10.0.0.1',
      '::1',
      '::ffff:203.0.113.5',
      '2001:db8::1',
    ])
      expect([address, networks.has(address)]).toEqual([address, false]);
  });
});

describe('networks contain', () => {
  test.each([
    ['::/0', '198.51.100.7', false],
    ['::/0', '::ffff:198.51.100.7', false],
    ['::/0', '2001:db8::1', true],
    ['0.0.0.0/0', '198.51.100.7', true],
    ['0.0.0.0/0', '::ffff:198.51.100.7', true],
    ['0.0.0.0/0', '::c633:6407', false],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::ffff:203.0.113.0/120', '203.0.113.9', true],
    ['::ffff:203.0.113.0/120', '::ffff:203.0.113.9', true],
    ['::ffff:203.0.113.0/120', '203.0.114.9', false],
    ['::ffff:0.0.0.0/96', '198.51.100.7', true],
    ['::ffff:0.0.0.0/96', '::1', false],
    ['203.0.113.0/24', '::203.0.113.9', false],
    ['203.0.113.0/24', '64:ff9b::203.0.113.9', false],
    ['2001:db8::/32', '2001:0DB8:ffff::1%eth0', true],
    ['::1', '::1', true],
    ['::/0', 'unix', false],
    ['::/0', '', false],
  ])('%s, %s: %s', (network, address, contained) => {
    expect(networksOf([network]).has(address)).toBe(contained);
  });

  test('every address of a list, and those of its networks that are none', () => {
    const networks = networksOf(['::1/64', '203.0.113.0/24', '2001:db8::/32']);
    expect(['203.0.113.1', '2001:db8::1', '198.51.100.7', '::2'].map(networks.has)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
