import { describe, expect, it } from 'vitest';
import { isPublicAddress, isWebhookUrl } from './address.ts';

describe('public addresses', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '168.63.129.15',
    '168.63.129.17',
    '198.20.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:830::200e',
    '2001:4860:4860::8888',
  ])('%s', (address) => expect(isPublicAddress(address)).toBe(true));
});

describe('addresses that are not public', () => {
  it.each([
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.9.9.9'],
    ...['168.63.129.16', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254', '192.31.196.1', '192.52.193.1'],
    ...['192.175.48.1', '2620:4f:8000::1', '64:ff9b::a83f:8110', '2001:4:112::1', '2001:20::1', '2001:2::1'],
    ...['169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.0.192', '192.0.2.1'],
    ...['192.88.99.1', '192.168.1.1', '198.18.0.1', '198.19.255.255', '198.51.100.7', '203.0.113.9'],
    ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...[
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '::ffff:8.8.8.8',
      '::ffff:0:127.0.0.1',
      '::127.0.0.1',
    ],
    ...['fc00::1', 'fd12:3456::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '100::1'],
    ...['64:ff9b::7f00:1', '64:ff9b:1::a00:1', '2001::1', '2001:0:7f00:1::', '2001:db8::1', '2001:10::1'],
    ...['2002:7f00:1::', '2002:a00:1::', '3fff::1', '5f00::1', '4000::1', 'localhost', '', '127.1'],
  ])('%s', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('URLs of webhooks', () => {
  it.each([
    ['https://example.com/hook?x=1', true, true],
    ['https://example.com:8443/', true, true],
    ['https://1.1.1.1/', true, true],
    ['http://example.com/', false, true],
    // As URLs spell them: all of them are 127.0.0.1, or this machine.
    ['https://127.0.0.1/', false, true],
    ['https://127.1/', false, true],
    ['https://2130706433/', false, true],
    ['https://0x7f000001/', false, true],
    ['https://0177.0.0.1/', false, true],
    ['https://127.0.0.1./', false, true],
    ['https://１２７.0.0.1/', false, true],
    ['https://[::1]/', false, true],
    ['https://[::ffff:127.0.0.1]/', false, true],
    ['https://169.254.169.254/latest/meta-data', false, true],
    ['https://user:secret@example.com/', false, false],
    ['https://user@example.com/', false, false],
    ['https://example.com/#part', false, false],
    ['ftp://example.com/', false, false],
    ['file:///etc/passwd', false, false],
    ['example.com', false, false],
    ['', false, false],
    [`https://example.com/${'x'.repeat(2_000)}`, false, false],
  ])('%s', (url, publicly, privately) => {
    expect([isWebhookUrl(url, false), isWebhookUrl(url, true)]).toEqual([publicly, privately]);
  });
});
