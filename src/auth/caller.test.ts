import { expect, it } from 'vitest';
import { callerOf } from './caller.ts';
import { anonymous, type UserPrincipal } from './principal.ts';

const user: UserPrincipal = {
  kind: 'user',
  id: 5,
  username: 'li',
  email: 'li@example.com',
  name: 'Li',
  roles: [],
  granted: [],
  method: 'jwt',
  mustChangePassword: false,
  secondFactor: 'none' as const,
};

it.each([
  [user, '203.0.113.9', 'user:5'],
  [{ ...user, method: 'api_key', credential: 8 } as const, '198.51.100.1', 'user:5'],
  [{ kind: 'application', appId: 'shop', method: 'signature' } as const, '203.0.113.9', 'app:shop'],
  [anonymous, '203.0.113.9', 'net:203.0.113.9'],
  [anonymous, '::ffff:203.0.113.9', 'net:203.0.113.9'],
  [anonymous, '2001:db8:0:1:2:3:4:5', 'net:2001:db8:0:1::/64'],
])('names %j at %s %s', (principal, address, caller) => {
  expect(callerOf(principal, address)).toBe(caller);
});
