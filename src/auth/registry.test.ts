import { describe, expect, it } from 'vitest';
import { reservationLifetime } from './ports.ts';
import { anonymous, type Principal, takes } from './principal.ts';
import {
  apiMethodNames,
  authMethod,
  authMethods,
  credentialHeaders,
  defaultMethods,
  headersOf,
  isOfApplications,
  methodsNamed,
  offeredMethods,
  optionalMethods,
  verifiedAs,
} from './registry.ts';

const names = ['jwt', 'bearer', 'api_key', 'session', 'signature', 'http_signature'] as const;

describe('the registry', () => {
  it('knows every method by its name', () => {
    expect(authMethods.map(({ name }) => name)).toEqual(names);
    for (const name of names) expect(authMethod(name).name).toBe(name);
    expect(methodsNamed(names)).toEqual(names);
    for (const name of ['basic', 'toString', ''])
      expect(() => methodsNamed(['jwt', name])).toThrow(`there is no method of authentication ${name}`);
  });

  it('lets endpoints of applications list those of the API, and gives them the token where they say nothing', () => {
    expect(apiMethodNames).toEqual(['jwt', 'bearer', 'api_key', 'signature', 'http_signature']);
    expect(defaultMethods).toEqual(['jwt']);
  });

  it('knows which find an application, which cover the body, and what verifies the same', () => {
    const ofApplications = ['signature', 'http_signature'];
    expect(names.filter(isOfApplications)).toEqual(ofApplications);
    expect(authMethods.filter(({ coversBody }) => coversBody).map(({ name }) => name)).toEqual(
      ofApplications,
    );
    expect(names.map(verifiedAs)).toEqual(['jwt', 'jwt', 'api_key', 'session', ...ofApplications]);
  });

  it('names the headers that carry credentials, and no cookie', () => {
    expect(authMethods.map(headersOf)).toEqual([
      ['Authorization'],
      ['Authorization'],
      ['X-Api-Key'],
      [],
      ['X-App-Id', 'X-Timestamp', 'X-Signature'],
      ['Signature-Input', 'Signature', 'Content-Digest'],
    ]);
  });

  it('offers a method that endpoints have to choose only where one lists it', () => {
    const always = ['Authorization', 'X-Api-Key', 'X-App-Id', 'X-Timestamp', 'X-Signature'];
    const chosen = ['Signature-Input', 'Signature', 'Content-Digest'];
    expect(credentialHeaders(offeredMethods([]))).toEqual(always);
    expect(credentialHeaders(offeredMethods(['http_signature']))).toEqual([...always, ...chosen]);
    expect(optionalMethods(false).map(({ name }) => name)).toEqual(['jwt', 'bearer', 'api_key', 'signature']);
    expect(optionalMethods(true).map(({ name }) => name)).toEqual(['jwt', 'bearer', 'api_key']);
  });
});

it.each(names)('%s is described in both languages', (name) => {
  const { label, schemes, challenge, refusals } = authMethod(name);
  for (const texts of [label, ...Object.values(schemes).map(({ description }) => description)])
    expect(Object.values(texts).filter((text) => text !== '')).toHaveLength(2);
  expect(challenge).toMatch(/^\w+ realm="gatewright"/);
  expect(refusals[0]).toMatch(/^invalid_/);
});

describe('an endpoint with methods', () => {
  const by = (method: 'jwt' | 'bearer' | 'api_key' | 'session'): Principal => ({
    kind: 'user',
    id: 7,
    username: 'ann',
    email: 'ann@example.com',
    name: 'Ann',
    roles: [],
    granted: [],
    mustChangePassword: false,
    secondFactor: 'none',
    method,
  });
  const application: Principal = { kind: 'application', appId: 'shop', method: 'signature' };

  it.each<readonly [Parameters<typeof takes>[0], Principal, boolean]>([
    [[], anonymous, true],
    [[], application, true],
    [['jwt'], anonymous, false],
    [['jwt'], by('jwt'), true],
    // One verification under two names.
    [['bearer'], by('jwt'), true],
    [['jwt'], by('bearer'), true],
    [['api_key'], by('jwt'), false],
    [['api_key', 'jwt'], by('jwt'), true],
    [['api_key', 'signature'], by('session'), false],
    [['api_key', 'signature'], application, true],
    [['jwt', 'api_key'], application, false],
  ])('an endpoint with the methods %j takes %j: %s', (auth, principal, taken) => {
    expect(takes(auth, principal)).toBe(taken);
  });
});

it('an unsettled reservation counts for five minutes', () => {
  expect(reservationLifetime).toBe(300_000);
});
