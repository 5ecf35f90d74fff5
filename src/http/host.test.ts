import { describe, expect, it } from 'vitest';
import { isHost } from './request.ts';

describe('a Host header', () => {
  it.each([
    'example.com',
    'example.com:8080',
    'EXAMPLE.com.',
    '127.0.0.1:3000',
    '[::1]',
    '[2001:db8::1]:443',
    '[::ffff:1.2.3.4]',
    'x_y~z',
    'caf%C3%A9.example',
    'host:',
    '',
  ])('accepts the Host header %s', (value) => {
    expect([isHost(value), isHost(value)]).toEqual([true, true]);
  });

  it.each([
    'a, b',
    'a b',
    'a/b',
    'http://a',
    'user@a',
    'a:b',
    'a:80:80',
    '[::1',
    '[::g]',
    '[1.2.3.4]',
    '::1',
    'a%2',
    'a#b',
    'a?b',
    '"a"',
    'é',
    '<x>',
  ])('a Host header is refused: %s', (value) => {
    expect(isHost(value)).toBe(false);
  });

  it('a Host header is judged again behind a good one', () => {
    expect(['example.com', 'example.com, a', 'example.com'].map(isHost)).toEqual([true, false, true]);
  });
});
