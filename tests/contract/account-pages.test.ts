import { describe, expect, it } from 'vitest';
import { oidc } from '../../src/accounts/oidc/provider-options.ts';
import { defineConfig } from '../../src/app/application.ts';
import { describeDatabase, describeEachDatabase } from '../support/databases.ts';
import { linkToken, Mailbox } from '../support/mailbox.ts';
import { type Answer, type Service, startService, useService } from '../support/service.ts';

const html = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const password = 'walnut-harbour-61 lamp';
const registration = '/api/v1/auth/register';

const provider = oidc({ issuer: 'https://id.example.com', client: 'shop', label: 'Company' });

const linkOf = ({ text }: { readonly text: string }): string => /https?:\S+#\S+/.exec(text)?.[0] ?? '';

describeEachDatabase('links to pages of end users', (databases) => {
  const mailbox = new Mailbox();
  const service = useService(databases, {
    application: { config: { mail: mailbox.receive, registration: {} } },
  });

  it('mails link pages below /account, with the token in the fragment', async () => {
    const { baseUrl } = service.server.config;
    const user = await service.createUser(['viewer']);
    const root = await service.admin();
    const sent: string[] = [];
    const take = async (asked: Promise<Answer>): Promise<void> => {
      expect((await asked).status).toBeLessThan(300);
      sent.push(linkOf(await mailbox.next()));
    };
    await take(service.post(registration, { body: { email: 'ann@example.com' } }));
    await take(service.post('/api/v1/auth/password_reset', { body: { account: user.username } }));
    const change = { email: 'moved@example.com', password: user.password };
    await take(service.post('/api/v1/auth/email', { token: user, body: change }));
    await take(service.post(`/admin/users/${user.id}/invitation`, { token: root }));
    expect(sent.map((link) => link.replace(/#[\w-]{43}$/, '#TOKEN'))).toEqual([
      `${baseUrl}/account/register#TOKEN`,
      `${baseUrl}/account/password_reset#TOKEN`,
      `${baseUrl}/account/email#TOKEN`,
      `${baseUrl}/account/invitation#TOKEN`,
    ]);
  });

  it.each(['register', 'password_reset', 'email', 'invitation'])(
    'the former address of the page %s redirects a browser, and keeps the fragment by adding none',
    async (page) => {
      const { status, headers, text } = await service.get(`/admin/${page}?token=seen`, { headers: html });
      expect([status, headers.location, text]).toEqual([302, `/account/${page}`, '']);
      expect([headers['referrer-policy'], headers['cache-control']]).toEqual(['no-referrer', 'no-store']);
      const other = await service.get(`/admin/${page}`, { headers: { Accept: 'application/json' } });
      expect(other.json.code).toBeGreaterThan(0);
    },
  );

  describe('a username that is left out', () => {
    const linkFor = async (email: string): Promise<string> => {
      expect((await service.post(registration, { body: { email } })).status).toBe(200);
      return linkToken(await mailbox.next());
    };
    const confirm = (token: string, more: object = {}) =>
      service.post(`${registration}/confirm`, { body: { token, password, ...more } });
    const usernameOf = async (email: string): Promise<string> => {
      const { status, data } = await confirm(await linkFor(email));
      expect(status).toBe(201);
      return (data as unknown as { username: string }).username;
    };

    it.each([
      ['bob.hill@example.com', /^bob\.hill$/],
      ['tagged+news@example.com', /^tagged$/],
      ['+news@example.com', /^\+news$/],
      ['x@example.com', /^x$/],
      ['李雷@example.com', /^李雷$/],
      [`${'long'.repeat(20)}@example.com`, /^(long){16}$/],
      ['admin@example.com', /^admin-[\da-f]{6}$/],
      ['Support@example.com', /^Support-[\da-f]{6}$/],
    ])('a username that is left out is made from %s', async (email, expected) => {
      const username = await usernameOf(email);
      expect(username).toMatch(expected);
      expect(username).not.toContain('@');
      expect((await service.login(username, password)).status).toBe(200);
    });

    it('a made username is never the name of another user, in whatever case', async () => {
      const other = await service.createUser(['viewer'], { username: 'taken', email: 'other@example.com' });
      const made = await usernameOf('TAKEN@example.com');
      expect(made).toMatch(/^TAKEN-[\da-f]{6}$/);
      expect((await service.login('taken', other.password)).status).toBe(200);
    });

    it('gives way to the one of the registration, and that to the one of the confirmation', async () => {
      const body = { email: 'chooser@example.com', username: 'first_choice' };
      await service.post(registration, { body });
      const token = linkToken(await mailbox.next());
      expect((await confirm(token)).data).toMatchObject({ username: 'first_choice' });
      const other = await linkFor('other.chooser@example.com');
      expect((await confirm(other, { username: 'second_choice' })).data).toMatchObject({
        username: 'second_choice',
      });
    });

    it('refuses a chosen name that is taken, and keeps the link', async () => {
      await service.createUser(['viewer'], { username: 'chosen', email: 'holder@example.com' });
      const token = await linkFor('wants.it@example.com');
      expect((await confirm(token, { username: 'Chosen' })).status).toBe(422);
      expect((await confirm(token)).data).toMatchObject({ username: 'wants.it' });
    });

    it('a made username is another one for each of ten users of one name at the same time', async () => {
      const tokens: string[] = [];
      for (let index = 0; index < 10; index += 1) tokens.push(await linkFor(`same@host${index}.example.com`));
      const answers = await Promise.all(tokens.map((token) => confirm(token)));
      expect(answers.map(({ status }) => status)).toEqual(tokens.map(() => 201));
      const names = answers.map(({ data }) => (data as unknown as { username: string }).username);
      expect(new Set(names).size).toBe(10);
      expect(names.filter((name) => name === 'same')).toHaveLength(1);
    });

    it('does not excuse a password that is based on it', async () => {
      const token = await linkFor('penelope@example.com');
      expect((await confirm(token, { password: 'penelope12' })).status).toBe(422);
    });
  });
});

describeEachDatabase('an application with pages of its own', (databases) => {
  const mailbox = new Mailbox();
  const service = useService(databases, {
    env: { CORS_ORIGINS: 'https://app.example' },
    application: {
      config: {
        mail: mailbox.receive,
        registration: {},
        accounts: { home: 'https://app.example/', pages: 'https://app.example/auth/' },
      },
    },
  });

  it('gets every link, whatever the request says', async () => {
    const headers = { host: 'evil.test', 'x-forwarded-host': 'evil.test', origin: 'https://evil.test' };
    const body = { email: 'ann@example.com', home: 'https://evil.test', pages: 'https://evil.test' };
    expect((await service.post(registration, { body, headers })).status).toBe(200);
    const message = await mailbox.next();
    expect(linkOf(message)).toMatch(/^https:\/\/app\.example\/auth\/register#[\w-]{43}$/);
    expect(message.text + message.html).not.toContain('evil.test');
    const user = await service.createUser(['viewer']);
    await service.post('/api/v1/auth/password_reset', { body: { account: user.username } });
    expect(linkOf(await mailbox.next())).toMatch(/^https:\/\/app\.example\/auth\/password_reset#/);
    const system = service.server.services.systemScope('a test');
    const { url } = await system.records('User').invite(user.id);
    expect(url).toMatch(/^https:\/\/app\.example\/auth\/invitation#/);
    expect(linkOf(await mailbox.next())).toBe(url);
  });

  it('accepts an invitation from these pages, and from no others', async () => {
    const root = await service.admin();
    const user = await service.createUser(['viewer']);
    const { url } = await service.ok<{ url: string }>('POST', `/admin/users/${user.id}/invitation`, {
      token: root,
    });
    await mailbox.next();
    const token = new URL(url).hash.slice(1);
    const lookUp = (origin: string) =>
      service.post('/admin/invitation/lookup', { body: { token }, headers: { origin } });
    expect((await lookUp('https://evil.test')).json.code).toBe((await lookUp('null')).json.code);
    expect((await lookUp('https://evil.test')).status).toBe(403);
    expect((await lookUp('https://app.example:444')).status).toBe(403);
    const found = await lookUp('https://app.example');
    expect([found.status, found.headers['access-control-allow-origin']]).toEqual([
      200,
      'https://app.example',
    ]);
    const headers = { origin: 'https://app.example' };
    expect((await service.post('/admin/invitation', { body: { token, password }, headers })).status).toBe(
      200,
    );
  });

  it('leads from the pages of the service to the application', async () => {
    const { text } = await service.get('/account/register', { headers: html });
    expect(text).toContain(' data-home="https://app.example/"');
    expect(text).not.toContain('data-arrival');
  });
});

describeDatabase('sqlite', 'pages of end users', (databases) => {
  const start = (config: object, env: Record<string, string> = {}): Promise<Service> =>
    startService(databases, {
      env,
      application: { config: defineConfig(config), manifest: { name: 'shop' } },
    });

  const statuses = async (service: Service): Promise<object> => {
    const names = ['invitation', 'password_reset', 'email', 'register', 'login', 'nowhere'];
    const found = names.map(async (name) => [
      name,
      (await service.get(`/account/${name}`, { headers: html })).status,
    ]);
    return Object.fromEntries(await Promise.all(found));
  };

  it('exist where the application offers what they do', async () => {
    const plain = await start({});
    const none = {
      invitation: 200,
      password_reset: 404,
      email: 404,
      register: 404,
      login: 404,
      nowhere: 404,
    };
    expect(await statuses(plain)).toEqual(none);
    await plain.close();
    const all = await start({
      mail: async () => undefined,
      registration: {},
      providers: { company: provider },
    });
    const every = {
      invitation: 200,
      password_reset: 200,
      email: 200,
      register: 200,
      login: 200,
      nowhere: 404,
    };
    expect(await statuses(all)).toEqual(every);
    await all.close();
  });

  it('carry a policy without inline scripts, in the language of the request, and are light', async () => {
    const service = await start({ name: 'Shop & <Co>' }, { LOCALE: 'auto' });
    const page = await service.get('/account/invitation', {
      headers: { ...html, 'Accept-Language': 'en', 'Accept-Encoding': 'identity' },
    });
    expect([page.status, page.headers['content-language']]).toEqual([200, 'en']);
    expect(page.text).toContain('<html lang="en"');
    expect(page.text).toContain('data-application="Shop &amp; &lt;Co&gt;"');
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toContain('unsafe');
    expect([page.headers['referrer-policy'], page.headers['x-frame-options']]).toEqual([
      'no-referrer',
      'DENY',
    ]);
    expect(page.text).not.toMatch(/<script(?! type="module" src=)|<style| style=/);
    const german = await service.get('/account/invitation', {
      headers: { ...html, 'Accept-Language': 'zh' },
    });
    expect(german.text).toContain('<html lang="zh-CN"');
    const assets = [...page.text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path = '']) => path);
    expect(assets).toHaveLength(4);
    let bytes = 0;
    for (const path of new Set(assets)) {
      const asset = await service.get(path, { headers: { 'Accept-Encoding': 'gzip' } });
      expect([path, asset.status]).toEqual([path, 200]);
      expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      bytes += Number(asset.headers['content-length']);
    }
    expect(bytes).toBeLessThan(150_000);
    expect((await service.get('/account/assets/0000000000000000/main.js')).status).toBe(404);
    await service.close();
  });

  it.each([
    [{}, 'http://127.0.0.1:1/gw', '/gw/admin/login'],
    [{ home: 'https://service.test/shop?a=1' }, 'https://service.test', '/shop?a=1'],
    [{ home: 'https://app.example/' }, 'https://service.test', undefined],
    [{ home: 'https://service.test/api/v1/auth/oidc/company' }, 'https://service.test', undefined],
    [{ home: 'https://service.test/%61pi/v1/x' }, 'https://service.test', undefined],
  ])('hand a one-time code of a provider on: %j at %s to %s', async (accounts, baseUrl, arrival) => {
    const service = await start({ accounts, providers: { company: provider } }, { BASE_URL: baseUrl });
    const base = new URL(baseUrl).pathname.replace(/\/$/, '');
    const { text } = await service.get(`${base}/account/login`, { headers: html });
    expect(/ data-arrival="([^"]*)"/.exec(text)?.[1]).toBe(arrival);
    await service.close();
  });
});

describe('the option accounts', () => {
  it.each([
    [{ home: 'app.example' }, 'accounts.home must be an address such as https://app.example/'],
    [{ home: 'javascript:alert(1)' }, 'accounts.home must be an address'],
    [{ home: '/app' }, 'accounts.home must be an address'],
    [
      { home: 'https://ann:secret@app.example/' },
      'accounts.home must have neither a user name nor a fragment',
    ],
    [{ home: 'https://app.example/#top' }, 'accounts.home must have neither'],
    [{ pages: 'https://app.example/auth?page=' }, 'accounts.pages must have no parameters'],
    [{ pages: 'data:text/html,x' }, 'accounts.pages must be an address'],
    [{ homes: 'https://app.example/' }, 'home'],
  ])('refuses %j', (accounts, reason) => {
    expect(() => defineConfig({ accounts } as object)).toThrow(reason);
  });
});
