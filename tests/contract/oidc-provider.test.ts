import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { oidc } from '../../src/accounts/oidc/provider-options.ts';
import { run } from '../../src/cli/test-io.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

const secret = 'the secret of a client';

/** A listener that is chosen once the address of the server is known. */
let listener: RequestListener = (_request, response) => response.writeHead(503).end();
const server = createServer((request, response) => listener(request, response));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Follows redirections as a browser does, one cookie jar for all; stops at an address that `until` accepts. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async request(url: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const [name = '', ...value] = pair.split('=');
      this.#cookies.set(name, value.join('='));
    }
    return response;
  }

  /** Returns the first page that is no redirection, or the first address that `until` accepts. */
  async follow(start: string, until: (url: string) => boolean): Promise<string> {
    let url = start;
    for (let hops = 0; hops < 15; hops += 1) {
      if (until(url)) return url;
      const response = await this.request(url);
      const location = response.headers.get('location');
      await response.arrayBuffer();
      if (location === null) return url;
      url = new URL(location, url).href;
    }
    throw new Error('too many redirections');
  }

  async submit(url: string, form: Readonly<Record<string, string>>): Promise<string> {
    const response = await this.request(url, form);
    await response.arrayBuffer();
    return new URL(response.headers.get('location') ?? '', url).href;
  }
}

describeDatabase('sqlite', 'sign-in with a real provider', (databases) => {
  const service = useService(databases, {
    application: {
      config: {
        providers: {
          company: oidc({
            issuer,
            client: 'gatewright',
            roles: { claim: 'groups', map: { chiefs: ['admin'] } },
          }),
        },
      },
    },
  });
  let root: TestUser;
  beforeAll(async () => {
    root = await service.admin();
    const { baseUrl } = service.server.config;
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: 'gatewright',
          client_secret: secret,
          redirect_uris: [`${baseUrl}/api/v1/auth/oidc/company/callback`],
          backchannel_logout_uri: `${baseUrl}/api/v1/auth/oidc/company/logout`,
        },
      ],
      claims: {
        openid: ['sub', 'groups'],
        profile: ['name', 'preferred_username'],
        email: ['email', 'email_verified'],
      },
      features: { backchannelLogout: { enabled: true } },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: () => ({
          sub: id,
          name: 'Ann Lee',
          preferred_username: 'ann.lee',
          email: 'ann@company.example',
          email_verified: true,
          groups: ['chiefs'],
        }),
      }),
      cookies: { keys: ['a key of the test'] },
    });
    listener = provider.callback();
    const stored = await run(['credentials', 'set', 'providers.company.client_secret'], {
      ...{ env: service.env, now: service.clock.now(), stdin: secret },
    });
    expect(stored.status).toBe(0);
    await service.server.services.applications.update((current) => current);
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });

  it('signs in, and gets the claims of ID token and user info', async () => {
    const browser = new Browser();
    const isCallback = (url: string): boolean => url.includes('/api/v1/auth/oidc/company/callback');
    const login = await browser.follow(`${service.origin}/api/v1/auth/oidc/company`, isCallback);
    expect(login).toContain(`${issuer}/interaction/`);
    const afterLogin = await browser.submit(login, { prompt: 'login', login: 'account-1', password: 'any' });
    const consent = await browser.follow(afterLogin, isCallback);
    const afterConsent = isCallback(consent) ? consent : await browser.submit(consent, { prompt: 'consent' });
    const callback = await browser.follow(afterConsent, isCallback);
    expect(new URL(callback).searchParams.get('iss')).toBe(issuer);
    const ended = await browser.request(callback);
    const fragment = new URLSearchParams(new URL(ended.headers.get('location') ?? '').hash.slice(1));
    expect(fragment.get('error')).toBe(null);
    const { status, data } = await service.post<{ token: string; user: { id: number } }>(
      '/api/v1/auth/token',
      {
        body: { code: fragment.get('code') },
        headers: {
          cookie: ended.headers
            .getSetCookie()
            .map((set) => set.split(';')[0])
            .join('; '),
        },
      },
    );
    expect(status).toBe(200);
    expect(data.user).toMatchObject({ username: 'ann.lee', email: 'ann@company.example' });
    const user = await service.ok<{ roles: string[] }>('GET', `/admin/users/${data.user.id}`, {
      token: root,
    });
    expect(user.roles).toEqual(['admin']);
  });
});
