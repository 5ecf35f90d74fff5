import { describe, expect, it } from 'vitest';
import { callerAddress } from './request.ts';

const proxy = '10.0.0.1';
const trusted = (address: string): boolean => address.startsWith('10.');
const behind =
  (hops: number) =>
  (_address: string, hop: number): boolean =>
    hop < hops;

describe('the address of a caller', () => {
  it.each([
    ['203.0.113.10', '203.0.113.10'],
    ['203.0.113.10:40001', '203.0.113.10'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['1.1.1.1, 203.0.113.10:40001', '203.0.113.10'],
    ['1.1.1.1:7, 203.0.113.10:40001 , 10.0.0.7:80,', '203.0.113.10'],
    ['10.0.0.9:80', '10.0.0.9'],
  ])('the address of a caller comes from X-Forwarded-For: %s', (header, address) => {
    expect(callerAddress(proxy, header, trusted)).toBe(address);
  });

  it.each([
    'unknown',
    '_hidden',
    'example.com',
    '203.0.113.10:',
    '203.0.113.10:123456',
    '203.0.113.256',
    '203.0.113.10:4:5',
    '[203.0.113.10]:4',
    '[2001:db8::1',
    '[2001:db8::1]x',
    '[]',
    '[x]:1',
    '2001:db8::1]:443',
    ':80',
    '1.1.1.1, unknown',
    '1.1.1.1, unknown, 10.0.0.7',
    ',',
  ])('what is no address counts as the socket’s: %s', (header) => {
    expect(callerAddress(proxy, header, trusted)).toBe(proxy);
  });

  it('the address of a caller is the socket’s where no proxy is trusted, or nothing was forwarded', () => {
    expect(callerAddress('203.0.113.1', '1.1.1.1', trusted)).toBe('203.0.113.1');
    expect(callerAddress(proxy, undefined, trusted)).toBe(proxy);
  });

  it('the address of a caller is so many hops away', () => {
    const header = '1.1.1.1, 2.2.2.2:22, [2001:db8::3]:3';
    const addresses = [0, 1, 2, 3, 4].map((hops) => callerAddress(proxy, header, behind(hops)));
    expect(addresses).toEqual([proxy, '2001:db8::3', '2.2.2.2', '1.1.1.1', '1.1.1.1']);
  });
});
