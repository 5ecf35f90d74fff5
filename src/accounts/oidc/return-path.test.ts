import { describe, expect, it } from 'vitest';
import { returnPathOf } from './return-path.ts';

const paths: readonly (readonly [string, string | undefined])[] = [
  ['/', '/'],
  ['/admin/login', '/admin/login'],
  ['/app/welcome?a=/api/v1', '/app/welcome?a=/api/v1'],
  ['/api-docs', '/api-docs'],
  ['/api/v10', '/api/v10'],
  ['/a/../b', '/b'],
  ['', undefined],
  ['app', undefined],
  ['//evil.test', undefined],
  ['/\\evil.test', undefined],
  ['/a\\..\\api/v1/x', undefined],
  ['/%5cevil.test', undefined],
  ['/..//evil.test', undefined],
  ['/a/..//evil.test', undefined],
  ['https://evil.test', undefined],
  ['javascript:alert(1)', undefined],
  ['/a#b', undefined],
  ['/a b', undefined],
  ['/ü', undefined],
  ['/%zz', undefined],
  ['/api/v1', undefined],
  ['/api/v1/', undefined],
  ['/api/v1?x', undefined],
  ['/api/v1/auth/oidc/partner', undefined],
  ['/API/V1/auth/oidc/partner', undefined],
  ['/api/v1/anything', undefined],
  ['/app/../api/v1/auth/oidc/partner', undefined],
  ['/app/%2e%2e/api/v1/auth/oidc/partner', undefined],
  ['/app/%252e%252e/api/v1/auth/oidc/partner', undefined],
  ['/./api/./v1/x', undefined],
  ['/api//v1/x', undefined],
  ['/%61pi/v1/x', undefined],
  ['/%2561pi/v1/x', undefined],
  ['/api%2fv1%2fx', undefined],
  ['/api%252fv1%252fx', undefined],
  ['/app/..%2fapi/v1/x', undefined],
  ['/app/..%2f..%2fapi%2fv1', undefined],
  ['/a%255c..%255capi/v1', undefined],
];

describe('the path to which a sign-in with a provider returns', () => {
  it.each(paths)('a sign-in with a provider returns to a path of %j', (text, expected) => {
    expect(returnPathOf(text, 'https://service.test')).toBe(expected);
  });

  it.each([
    '/gw/api/v1/auth/oidc/partner',
    '/api/v1/x',
    '/gw/x/%2e%2e/api/v1',
    '/GW/api/v1/x',
    '/gw//api/v1/x',
  ])('below a base path: %j is none', (text) => {
    expect(returnPathOf(text, 'https://service.test/gw/')).toBe(undefined);
    expect(returnPathOf('/gw/admin/login', 'https://service.test/gw/')).toBe('/gw/admin/login');
  });
});
