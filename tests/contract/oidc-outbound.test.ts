import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { oidc } from '../../src/accounts/oidc/provider-options.ts';
import { describeDatabase } from '../support/databases.ts';
import { OidcServer } from '../support/oidc-server.ts';
import { useService } from '../support/service.ts';

/** Requests to a provider that breaks off each of them after a while. */
let attempts = 0;
const hanging = createServer((request) => {
  attempts += 1;
  setTimeout(() => request.socket.destroy(), 500);
}).listen(0, '127.0.0.1');
await once(hanging, 'listening');
const company = await new OidcServer().start();
afterAll(async () => {
  hanging.close();
  await company.stop();
});

describeDatabase('sqlite', 'requests to a provider that strangers cause', (databases) => {
  const service = useService(databases, {
    env: { TRUST_PROXY: '127.0.0.1' },
    application: {
      config: {
        providers: {
          partner: oidc({
            issuer: `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`,
            client: 'gatewright',
          }),
          company: oidc({ issuer: company.issuer, client: company.client }),
        },
      },
    },
  });
  beforeAll(async () => {
    await service.server.services.applications.update((current) => ({
      ...current,
      providers: { company: { client_secret: company.secret }, partner: { client_secret: 'secret' } },
    }));
  });

  const networks = {
    'one network': () => '203.0.113.7',
    'many networks': (index: number) => `198.51.${index}.7`,
  };

  it.each(Object.entries(networks))(
    'requests to a provider are one for 150 sign-ins from %s',
    async (_name, addressOf) => {
      service.clock.advance(31 * 60);
      attempts = 0;
      const begin = (index: number) =>
        service.get('/api/v1/auth/oidc/partner', { headers: { 'x-forwarded-for': addressOf(index) } });
      const answers = await Promise.all(Array.from({ length: 150 }, (_, index) => begin(index)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      expect((await begin(0)).status).toBe(503);
      expect(attempts).toBe(1);
    },
  );

  it.each(Object.entries(networks))(
    'requests to a provider are two at most for 60 forged tokens from %s',
    async (_name, addressOf) => {
      service.clock.advance(31 * 60);
      const { privateKey } = await generateKeyPair('RS256');
      const before = company.keyRequests;
      const statuses = new Set<number>();
      for (let index = 0; index < 60; index += 1) {
        const token = await new SignJWT({ iss: company.issuer, aud: company.client })
          .setProtectedHeader({ alg: 'RS256', kid: `forged ${index}`, typ: 'logout+jwt' })
          .sign(privateKey);
        const { status } = await service.post('/api/v1/auth/oidc/company/logout', {
          body: new URLSearchParams({ logout_token: token }).toString(),
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            'x-forwarded-for': addressOf(index),
          },
        });
        statuses.add(status);
      }
      expect(company.keyRequests - before).toBeLessThanOrEqual(2);
      expect(statuses).toEqual(new Set(addressOf === networks['one network'] ? [400, 429] : [400]));
    },
  );
});
