import { generateKeyPair } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { oidc, type RoleMapping } from '../../src/accounts/oidc/provider-options.ts';
import { mappedRoles } from '../../src/accounts/oidc/role-mapping.ts';
import { run } from '../../src/cli/test-io.ts';
import { toQuery } from '../../src/database/statement.ts';
import { tablesOf } from '../../src/database/tables-of.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { Browser, fragmentOf } from '../support/oidc-browser.ts';
import { type Account, OidcServer } from '../support/oidc-server.ts';
import { type Answer, commonPassword, type Service, type TestUser, useService } from '../support/service.ts';

const company = await new OidcServer().start();
const other = await new OidcServer().start();
afterAll(async () => {
  await company.stop();
  await other.stop();
});

const base = '/api/v1/auth/oidc';
const roles = {
  claim: 'groups',
  map: { staff: ['editor'], chiefs: ['admin', 'editor'], root: ['super_admin'], lost: ['nowhere'] },
};

describeEachDatabase('sign-in with a provider', (databases) => {
  const service = useService(databases, {
    application: {
      config: {
        providers: {
          company: oidc({ issuer: company.issuer, client: company.client, label: 'Company', roles }),
          other: oidc({ issuer: other.issuer, client: other.client, create: false }),
          strict: oidc({
            issuer: company.issuer,
            client: company.client,
            secondFactor: { claim: 'amr', values: ['mfa'] },
          }),
        },
      },
    },
  });
  let root: TestUser;
  let made = 0;
  const someone = (claims: object = {}): Account => {
    made += 1;
    return { sub: `subject-${made}`, preferred_username: `person${made}`, name: `Person ${made}`, ...claims };
  };

  const storeSecret = async (name: string): Promise<void> => {
    const { status, stderr } = await run(['credentials', 'set', name], {
      ...{ env: service.env, now: service.clock.now(), stdin: company.secret },
    });
    expect([status, stderr]).toEqual([0, stderr]);
  };

  beforeAll(async () => {
    root = await service.admin();
    for (const name of ['company', 'other', 'strict']) await storeSecret(`providers.${name}.client_secret`);
    await service.server.services.applications.update((current) => current);
    await service.ok('POST', '/admin/roles', { token: root, body: { role: { name: 'editor' } } });
  });
  beforeEach(() => {
    company.forgery = {};
    company.discovery = {};
    company.userinfo = {};
    // The failures of one test are no obstacle for the next one.
    service.clock.advance(16 * 60);
    root = { ...root, token: service.server.services.tokens.issue(root.id) };
  });

  /** The browser in which the last sign-in was completed. */
  let last = new Browser(service);
  const exchange = (code: string | null, otp?: string, { cookie } = last) =>
    service.post<{ token: string; user: { id: number; username: string; email: string | null } }>(
      '/api/v1/auth/token',
      {
        body: { code, ...(otp === undefined ? {} : { otp }) },
        headers: { cookie },
      },
    );
  /** Signs in, and returns the response of the callback. */
  const arrive = async (
    account: Account,
    provider = 'company',
    browser = new Browser(service),
  ): Promise<Answer> => {
    const server = provider === 'other' ? other : company;
    last = browser;
    return browser.finish(server.approve(await browser.start(provider), account), provider);
  };
  const signIn = async (account: Account, provider = 'company') => {
    const answer = await arrive(account, provider);
    expect(fragmentOf(answer, 'error')).toBe(null);
    const exchanged = await exchange(fragmentOf(answer, 'code'));
    expect(exchanged.status).toBe(200);
    return exchanged.data;
  };
  const refused = async (account: Account = someone(), provider = 'company'): Promise<string | null> => {
    const answer = await arrive(account, provider);
    expect(fragmentOf(answer, 'code')).toBe(null);
    return fragmentOf(answer, 'error');
  };
  const shown = (id: number) =>
    service.ok<{ roles: string[]; email: string; username: string; disabled: boolean }>(
      'GET',
      `/admin/users/${id}`,
      {
        token: root,
      },
    );
  const reasons = () =>
    service.lines.flatMap((line) => (JSON.parse(line) as { reason?: string }).reason ?? []);

  it('makes a user at the first sign-in, and finds it at the next', async () => {
    const account = someone({
      groups: ['staff', 'unknown'],
      email: 'person@example.com',
      email_verified: true,
    });
    const { token, user } = await signIn(account);
    expect(user).toMatchObject({ username: account['preferred_username'], email: 'person@example.com' });
    expect((await service.get('/api/v1/auth/me', { token })).status).toBe(200);
    expect((await shown(user.id)).roles).toEqual(['editor']);
    expect((await signIn(account)).user.id).toBe(user.id);
    const entries = await service.ok<{ action: string }[]>(
      'GET',
      `/admin/audit?filter[target_id]=${user.id}&filter[target_kind]=user&sort=id`,
      { token: root },
    );
    expect(entries.map(({ action }) => action)).toEqual([
      'user.create',
      'identity.link',
      'sign_in',
      'sign_in',
    ]);
  });

  it('sends PKCE, state, nonce and the address of BASE_URL, whatever Host says', async () => {
    const { headers } = await service.request('GET', `${base}/company`, {
      headers: { host: 'evil.test', 'x-forwarded-host': 'evil.test' },
    });
    const { searchParams: asked, origin } = new URL(headers.location ?? '');
    expect(origin).toBe(company.issuer);
    expect(asked.get('redirect_uri')).toBe(`${service.server.config.baseUrl}${base}/company/callback`);
    expect(asked.get('code_challenge_method')).toBe('S256');
    expect(asked.get('response_type')).toBe('code');
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(asked.get(name)?.length).toBeGreaterThan(40);
    expect(String(headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Lax/);
  });

  it('lists the providers', async () => {
    const { data } = await service.get<unknown>('/api/v1/auth/providers');
    expect(data).toEqual([
      { name: 'company', label: 'Company', url: `${service.server.config.baseUrl}${base}/company` },
      { name: 'other', label: 'other', url: `${service.server.config.baseUrl}${base}/other` },
      { name: 'strict', label: 'strict', url: `${service.server.config.baseUrl}${base}/strict` },
    ]);
    expect((await service.get(`${base}/unknown`)).json.code).toBe(40401);
  });

  describe('refuses', () => {
    const now = () => Math.floor(Date.now() / 1000);

    it.each<[string, () => OidcServer['forgery'] | Promise<OidcServer['forgery']>]>([
      ['another issuer', () => ({ claims: { iss: 'https://evil.test' } })],
      ['another audience', () => ({ claims: { aud: 'another client' } })],
      ['several audiences without the authorized party', () => ({ claims: { aud: [company.client, 'b'] } })],
      ['another nonce', () => ({ claims: { nonce: 'x'.repeat(43) } })],
      ['no nonce', () => ({ claims: { nonce: undefined } as never })],
      ['an expired token', () => ({ claims: { exp: now() - 600, iat: now() - 900 } })],
      ['no subject', () => ({ claims: { sub: undefined } as never })],
      ['another key', async () => ({ key: (await generateKeyPair('RS256')).privateKey })],
      [
        'an unknown key id',
        async () => ({ key: (await generateKeyPair('RS256')).privateKey, header: { kid: 'k2' } }),
      ],
      [
        'the public key as the secret of HS256',
        async () => ({
          header: { alg: 'HS256' },
          key: Buffer.from(JSON.stringify(await company.publicJwk())),
        }),
      ],
      [
        'HS256 by the secret of the client',
        () => ({ header: { alg: 'HS256' }, key: Buffer.from(company.secret.padEnd(32)) }),
      ],
      [
        'the algorithm none',
        () => ({
          token: (token) =>
            `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${token.split('.')[1]}.`,
        }),
      ],
      ['a cut signature', () => ({ token: (token) => token.slice(0, -8) })],
      [
        'a changed payload',
        () => ({ token: (token) => token.replace(/\.(.)/, (_, first) => `.${first === 'e' ? 'f' : 'e'}`) }),
      ],
      ['no ID token', () => ({ tokenResponse: { access_token: 'a', token_type: 'Bearer' } })],
      ['a response of more than 1 MB', () => ({ claims: { picture: 'x'.repeat(2 ** 20) } })],
      ['an error of the token endpoint', () => ({ tokenResponse: { error: 'server_error' } })],
    ])('a sign-in is refused for %s', async (_name, forge) => {
      company.forgery = await forge();
      expect(await refused()).toBe('40110');
      company.forgery = {};
      expect((await signIn(someone())).user.id).toBeGreaterThan(0);
    });

    it('a state that was used, of another browser, of another provider, or unknown', async () => {
      const browser = new Browser(service);
      const query = company.approve(await browser.start(), someone());
      const thief = new Browser(service);
      expect((await thief.finish(query)).json.code).toBe(40110);
      await thief.start();
      expect((await thief.finish(query)).json.code).toBe(40110);
      thief.cookie = `gatewright_sign_in_${query.get('state')?.slice(0, 8)}=${'A'.repeat(400)}`;
      expect((await thief.finish(query)).json.code).toBe(40110);
      expect((await browser.finish(query, 'strict')).json.code).toBe(40110);
      const unknown = new URLSearchParams({ ...Object.fromEntries(query), state: 'x' });
      expect((await browser.finish(unknown)).json.code).toBe(40110);
      const { cookie } = browser;
      expect(fragmentOf(await browser.finish(query), 'code')).not.toBe(null);
      expect((await browser.finish(query)).json.code).toBe(40110);
      browser.cookie = cookie;
      expect((await browser.finish(query)).json.code).toBe(40110);
    });

    it('a cookie of another sign-in, a changed one, and one of another server secret', async () => {
      const browser = new Browser(service);
      const query = company.approve(await browser.start(), someone());
      const name = `gatewright_sign_in_${query.get('state')?.slice(0, 8)}`;
      const own = browser.cookie.split('=').slice(1).join('=');
      const stranger = new Browser(service);
      await stranger.start();
      const others = stranger.cookie.split('=').slice(1).join('=');
      for (const value of [others, `${own.slice(0, -4)}AAAA`, own.slice(4), '', 'x']) {
        const forged = new Browser(service);
        forged.cookie = `${name}=${value}`;
        expect([value, (await forged.finish(query)).json.code]).toEqual([value, 40110]);
      }
      expect(fragmentOf(await browser.finish(query), 'code')).not.toBe(null);
    });

    it('stores nothing for sign-ins that never end, and lets two tabs sign in at the same time', async () => {
      const { database } = service.server.services;
      const rows = async () =>
        (
          await database.all(
            toQuery(tablesOf(database).selectFrom('gatewright_sign_in_codes').select('code_hash')),
          )
        ).length +
        (await database.all(toQuery(tablesOf(database).selectFrom('gatewright_nonces').select('nonce'))))
          .length;
      const before = await rows();
      const browser = new Browser(service);
      const queries = [];
      for (let tab = 0; tab < 3; tab += 1) queries.push(company.approve(await browser.start(), someone()));
      expect(await rows()).toBe(before);
      for (const query of queries) expect(fragmentOf(await browser.finish(query), 'code')).not.toBe(null);
    });

    it('a state that is older than ten minutes', async () => {
      const browser = new Browser(service);
      const query = company.approve(await browser.start(), someone());
      service.clock.advance(601);
      expect((await browser.finish(query)).json.code).toBe(40110);
    });

    it('refuses the code of one provider at another: mixed up', async () => {
      const browser = new Browser(service);
      const query = other.approve(await browser.start('company'), someone());
      expect(fragmentOf(await browser.finish(query), 'error')).toBe('40110');
      expect(reasons().at(-1)).toMatch(/iss/);
    });

    it('a response without the issuer that the provider promises, or with another', async () => {
      for (const iss of [null, 'https://evil.test']) {
        const browser = new Browser(service);
        const query = company.approve(await browser.start(), someone());
        if (iss === null) query.delete('iss');
        else query.set('iss', iss);
        expect(fragmentOf(await browser.finish(query), 'error')).toBe('40110');
      }
    });

    it('an error of the provider with control characters, which the log keeps in one line', async () => {
      for (const error of ['%00', 'x%0D%0Ay', '%ED%A0%80']) {
        const browser = new Browser(service);
        const state = new URL(await browser.start()).searchParams.get('state') ?? '';
        const query = new URLSearchParams(`state=${state}&error=denied&error_description=${error}`);
        expect(fragmentOf(await browser.finish(query), 'error')).toBe('40110');
      }
      expect(reasons().filter((reason) => /\p{Cc}/u.test(reason))).toEqual([]);
    });

    it('a code of the provider that was used, and an error of the provider', async () => {
      const browser = new Browser(service);
      const first = company.approve(await browser.start(), someone());
      await browser.finish(first);
      const second = new URL(await browser.start()).searchParams.get('state') ?? '';
      first.set('state', second);
      expect(fragmentOf(await browser.finish(first), 'error')).toBe('40110');
      const third = new URL(await browser.start()).searchParams.get('state') ?? '';
      const denied = new URLSearchParams({ error: 'access_denied', state: third, iss: company.issuer });
      expect(fragmentOf(await browser.finish(denied), 'error')).toBe('40110');
    });

    it.each([
      '/api/v1/auth/oidc/other',
      '/app/%2e%2e/API/v1/x',
      '//evil.test',
      '/\\evil.test',
      'https://evil.test',
      'javascript:alert(1)',
      '/a#b',
      '/a b',
      '',
      '/ü',
    ])('refuses to return to %j', async (path) => {
      const { json } = await service.get(`${base}/company?return=${encodeURIComponent(path)}`);
      expect(json.code).toBe(40006);
    });

    it('many failures of one network', async () => {
      for (let tries = 0; tries < 10; tries += 1)
        await new Browser(service).finish(new URLSearchParams({ state: 'x' }));
      expect((await new Browser(service).finish(new URLSearchParams({ state: 'x' }))).status).toBe(429);
    });
  });

  it('returns to a page of the service only', async () => {
    const browser = new Browser(service);
    const query = company.approve(await browser.start('company', '?return=/app/welcome%3Fa=1'), someone());
    const { headers } = await browser.finish(query);
    const { origin, pathname, search } = new URL(headers.location ?? '');
    expect(origin + pathname + search).toBe(
      `${new URL(service.server.config.baseUrl).origin}/app/welcome?a=1`,
    );
  });

  describe('an account', () => {
    it('an account of a provider is issuer and subject, never an address', async () => {
      const victim = await service.createUser(['admin']);
      const { user } = await signIn(someone({ email: victim.email, email_verified: true }));
      expect(user.id).not.toBe(victim.id);
      expect(user.email).toBeNull();
      const named = await signIn(someone({ preferred_username: victim.username }));
      expect(named.user.id).not.toBe(victim.id);
      expect(named.user.username).toMatch(new RegExp(`^${victim.username}-`));
      const mine = await signIn(someone({ email: 'shared@example.com', email_verified: true }));
      const theirs = await signIn(someone({ email: 'shared@example.com', email_verified: true }));
      expect(theirs.user.id).not.toBe(mine.user.id);
      expect([mine.user, theirs.user]).toMatchObject([
        { email: 'shared@example.com' },
        { email: null, email_taken: true },
      ]);
      expect(mine.user).not.toHaveProperty('email_taken');
    });

    it('an account of a provider whose address belongs to another user has none, and says so', async () => {
      const owner = await service.createUser(['viewer']);
      const { token, user } = await signIn(
        someone({ email: owner.email.toUpperCase(), email_verified: true }),
      );
      const me = await service.ok('GET', '/api/v1/auth/me', { token });
      expect(me).toMatchObject({ id: user.id, email: null, email_taken: true });
      const [listed] = await service.ok<object[]>('GET', '/api/v1/users', { token });
      expect(listed).toMatchObject({ id: user.id, email: null });
      const without = await service.ok<{ id: number }[]>(
        'GET',
        '/admin/users?filter[email][null]=true&per_page=100',
        {
          token: root,
        },
      );
      expect(without.map(({ id }) => id)).toContain(user.id);
      expect(without.map(({ id }) => id)).not.toContain(owner.id);
      const sorted = await service.ok<{ email: string | null }[]>(
        'GET',
        '/admin/users?sort=email&per_page=1',
        {
          token: root,
        },
      );
      expect(sorted).toHaveLength(1);
      await service.ok('PATCH', `/admin/users/${user.id}`, {
        token: root,
        body: { user: { name: 'Renamed' } },
      });
      await service.ok('POST', `/admin/users/${user.id}/invitation`, { token: root });
      const email = `own${user.id}@example.com`;
      await service.ok('PATCH', `/admin/users/${user.id}`, { token: root, body: { user: { email } } });
      const later = await service.ok('GET', '/api/v1/auth/me', { token });
      expect(later).toMatchObject({ email });
      expect(later).not.toHaveProperty('email_taken');
      const { user: again } = await signIn(someone({ email: 'other@example.com', email_verified: true }));
      expect(again.email).toBe('other@example.com');
    });

    it('an account of a provider has the address that the provider has verified, not one that looks like it', async () => {
      const owner = await service.createUser(['viewer']);
      const exact = owner.email.replace('example.com', '例子.example');
      expect((await signIn(someone({ email: exact, email_verified: true }))).user.email).toBe(
        owner.email.replace('example.com', 'xn--fsqu00a.example'),
      );
      for (const email of [`ｕ${owner.email.slice(1)}x`, owner.email.replace('example', 'ｅxample')]) {
        const { user } = await signIn(someone({ email, email_verified: true }));
        expect(user.email).toBeNull();
        expect(user).not.toHaveProperty('email_taken');
      }
    });

    it.each([
      ['sub', 'sub\0ject'],
      ['sub', 'sub\r\nject'],
      ['sub', 'sub\ud800ject'],
      ['sid', 'ses\0sion'],
      ['name', 'Per\0son'],
      ['preferred_username', 'per\0son'],
      ['email', 'per\0son@example.com'],
      ['groups', ['staff', 'sta\0ff']],
      ['groups', 'staff\n'],
    ])('an account of a provider with the claim %s, %j, is refused', async (name, value) => {
      const account = someone({ [name]: value });
      expect(await refused(name === 'sub' ? { ...account, sub: `${value}${made}` } : account)).toBe('40110');
      expect(reasons().at(-1)).toMatch(new RegExp(`the claim ${name} has a control character`));
    });

    it('an account of a provider has a name of one line, and no username with control characters', async () => {
      const odd = { name: ' Mal\r\nBcc: x\u0085\u2028 Ory\u001b[0m', preferred_username: 'mal\r\nory' };
      const { user } = await signIn(someone({ ...odd, email: 'mal\r\n@example.com', email_verified: true }));
      expect(user).toMatchObject({ name: 'Mal Bcc: x  Ory [0m', email: null });
      expect(user.username).toMatch(/^subject-/);
      const long = await signIn(someone({ name: '😀'.repeat(300) }));
      expect(long.user).toMatchObject({ name: '😀'.repeat(200) });
    });

    it('an account of a provider with an unverified address has none', async () => {
      for (const email_verified of [false, undefined, 'true', 1]) {
        const { user } = await signIn(someone({ email: `free${made}@example.com`, email_verified }));
        expect(user.email).toBeNull();
        expect(user).not.toHaveProperty('email_taken');
      }
    });

    it('an account with the same subject at another issuer is another one', async () => {
      const account = someone();
      await signIn(account);
      expect(await refused(account, 'other')).toBe('40110');
    });

    it('an account is not created where the provider creates none', async () => {
      const before = await service.server.services.users.any();
      expect(before).toBe(true);
      expect(await refused(someone(), 'other')).toBe('40110');
    });

    it.each([
      ['a name with an @', { preferred_username: 'x@y' }],
      ['no name', { preferred_username: undefined, name: undefined }],
      ['a long name', { preferred_username: 'x'.repeat(500), name: 'y'.repeat(500) }],
      ['invisible characters', { preferred_username: 'a\u200bb', name: 'a' }],
      ['names of other types', { preferred_username: 7, name: ['a'], email: {} }],
    ])('an account of a provider with %s makes a user', async (_name, claims) => {
      expect((await signIn(someone(claims))).user.username).toMatch(/\S/);
    });
  });

  describe('roles', () => {
    it('roles follow the groups at each sign-in; those that the mapping does not know stay', async () => {
      const account = someone({ groups: ['staff'] });
      const { user } = await signIn(account);
      await service.ok('POST', '/admin/roles', { token: root, body: { role: { name: `own${user.id}` } } });
      await service.ok('PATCH', `/admin/users/${user.id}`, {
        token: root,
        body: { user: { roles: ['editor', `own${user.id}`] } },
      });
      for (const [groups, expected] of [
        [['chiefs'], ['admin', 'editor', `own${user.id}`]],
        [[], [`own${user.id}`, 'viewer']],
        ['staff', ['editor', `own${user.id}`]],
        [undefined, [`own${user.id}`, 'viewer']],
        [
          ['__proto__', 'constructor', 7, null],
          [`own${user.id}`, 'viewer'],
        ],
      ] as const) {
        await signIn({ ...account, groups });
        expect([groups, (await shown(user.id)).roles.sort()]).toEqual([groups, [...expected].sort()]);
      }
    });

    it('roles include super_admin only by the mapping', async () => {
      const { user } = await signIn(someone({ groups: ['super_admin'], roles: ['super_admin'] }));
      expect((await shown(user.id)).roles).toEqual(['viewer']);
      const chief = await signIn(someone({ groups: ['root'] }));
      expect((await shown(chief.user.id)).roles).toEqual(['super_admin']);
    });

    it('roles are read from the user info if the ID token has none, and from within objects', async () => {
      const account = someone();
      company.userinfo = { sub: account.sub, groups: ['staff'] };
      expect((await shown((await signIn(account)).user.id)).roles).toEqual(['editor']);
      company.userinfo = { sub: 'somebody else', groups: ['root'] };
      expect(await refused(someone())).toBe('40110');
    });

    it('roles that are too many for the token refuse the sign-in', async () => {
      expect(await refused(someone({ _claim_names: { groups: 'src1' }, _claim_sources: {} }))).toBe('40110');
      expect(reasons().at(-1)).toContain('too many');
    });

    it('roles that do not exist refuse the sign-in', async () => {
      expect(await refused(someone({ groups: ['lost'] }))).toBe('40110');
      expect(reasons().at(-1)).toContain('the role nowhere does not exist');
    });

    it('roles of a provider are explained: claim, mapping, role', async () => {
      interface Explained {
        readonly user: { id: number; name: string } | null;
        readonly allowed: boolean;
        readonly code: number;
        readonly claim: { source: string; values: readonly { value: string; roles: readonly string[] }[] };
        readonly roles: readonly { role: string; origin: string; values: readonly string[]; held: boolean }[];
        readonly lost_roles: readonly string[];
        readonly steps: readonly { rule: string; outcome: string; because: string }[];
        readonly decided_by: string | null;
      }
      const explain = (query: string): Promise<Explained> =>
        service.ok('GET', `/admin/explain/sign_in?${query}`, { token: root });
      const account = someone({ groups: ['chiefs', 'everyone'] });
      const { user } = await signIn(account);
      await service.ok('POST', '/admin/roles', { token: root, body: { role: { name: `kept${user.id}` } } });
      await service.ok('PATCH', `/admin/users/${user.id}`, {
        token: root,
        body: { user: { roles: ['admin', 'editor', `kept${user.id}`] } },
      });
      const last = await explain(`provider=company&user_id=${user.id}`);
      expect(last).toMatchObject({
        ...{ provider: 'company', subject: account.sub, allowed: true, code: 0, lost_roles: [] },
        ...{
          user: { id: user.id, name: user.username },
          last_sign_in_at: expect.stringMatching(/^2\d{3}-.*Z$/),
        },
        claim: {
          ...{ name: 'groups', source: 'last_sign_in' },
          values: [
            { value: 'chiefs', roles: ['admin', 'editor'] },
            { value: 'everyone', roles: [] },
          ],
        },
        roles: [
          { role: `kept${user.id}`, origin: 'kept', values: [], held: true },
          { role: 'admin', origin: 'claim', values: ['chiefs'], held: true },
          { role: 'editor', origin: 'claim', values: ['chiefs'], held: true },
        ],
        decided_by: null,
      });
      expect(last.steps.map(({ rule, outcome }) => [rule, outcome])).toEqual([
        ['authentication', 'passed'],
        ['role', 'passed'],
        ['second_factor', 'off'],
      ]);

      // It predicts the next sign-in, for other values too, and changes nothing.
      for (const groups of [['staff'], ['nothing'], ['staff', 'chiefs'], ['root']]) {
        const query = groups.map((value) => `&value=${value}`).join('');
        const predicted = await explain(`provider=company&subject=${account.sub}${query}`);
        expect(predicted.claim.source).toBe('query');
        const before = (await shown(user.id)).roles;
        expect(predicted.roles.filter(({ held }) => held).map(({ role }) => role)).toEqual(
          predicted.roles.map(({ role }) => role).filter((role) => before.includes(role)),
        );
        await signIn({ ...account, groups });
        const after = (await shown(user.id)).roles;
        expect(predicted.roles.map(({ role }) => role).sort()).toEqual([...after].sort());
        expect([...predicted.lost_roles].sort()).toEqual(
          before.filter((role) => !after.includes(role)).sort(),
        );
      }

      const first = await explain('provider=company&value=staff');
      expect(first).toMatchObject({ user: null, subject: null, allowed: true });
      expect(first.roles).toEqual([{ role: 'editor', origin: 'claim', values: ['staff'], held: false }]);
      expect(await explain('provider=company&value=lost')).toMatchObject({
        ...{ allowed: false, code: 40110, decided_by: 'role' },
      });
      expect(await explain('provider=other&subject=unknown')).toMatchObject({
        ...{ allowed: false, code: 40110, decided_by: 'authentication', claim: null },
      });
      expect(await explain('provider=strict')).toMatchObject({
        roles: [{ role: 'viewer', origin: 'default' }],
        steps: [{}, { rule: 'role', outcome: 'off' }, { rule: 'second_factor', outcome: 'narrowed' }],
      });
      const plain = await service.createUser(['editor']);
      expect(await explain(`provider=company&user_id=${plain.id}`)).toMatchObject({
        ...{ allowed: false, decided_by: 'authentication' },
      });
      await service.ok('PATCH', `/admin/users/${user.id}`, {
        token: root,
        body: { user: { disabled: true } },
      });
      const disabled = await explain(`provider=company&user_id=${user.id}`);
      expect(disabled.steps[0]?.because).toContain('已停用');

      for (const [query, status] of [
        ['', 400],
        ['provider=unknown', 400],
        ['provider=__proto__', 400],
        ['provider=company&provider=company', 400],
        ['provider=company&user_id=0', 400],
        ['provider=company&user_id=1&subject=a', 400],
        ['provider=company&roles=admin', 400],
        ['provider=company&user_id=999999', 404],
      ] as const)
        expect([
          query,
          (await service.request('GET', `/admin/explain/sign_in?${query}`, { token: root })).status,
        ]).toEqual([query, status]);
      expect(
        (await service.request('GET', '/admin/explain/sign_in?provider=company', { token: plain })).status,
      ).toBe(403);
    });

    it('map by the values of a claim', () => {
      expect(mappedRoles(roles, ['staff'], ['x', 'admin'])).toEqual(['x', 'editor']);
      expect(mappedRoles(roles, [], ['admin', 'x'])).toEqual(['x', 'viewer']);
      expect(mappedRoles(roles, ['nothing'], [])).toEqual(['viewer']);
    });
  });

  describe('the one-time code', () => {
    it('the one-time code is valid once, within two minutes', async () => {
      const code = fragmentOf(await arrive(someone()), 'code');
      expect((await exchange(code)).status).toBe(200);
      expect((await exchange(code)).json.code).toBe(40105);
      const late = fragmentOf(await arrive(someone()), 'code');
      service.clock.advance(121);
      expect((await exchange(late)).json.code).toBe(40105);
      expect((await exchange('x')).json.code).toBe(40105);
    });

    it('the one-time code is refused in any browser but the one that began, and works there afterwards', async () => {
      const account = someone({ groups: ['chiefs'] });
      const code = fragmentOf(await arrive(account), 'code');
      const own = last;
      const stranger = new Browser(service);
      await arrive(someone(), 'company', stranger);
      for (const browser of [new Browser(service), stranger]) {
        expect((await exchange(code, undefined, browser)).json.code).toBe(40105);
        const headers = { cookie: browser.cookie, 'sec-fetch-site': 'same-origin' };
        const opened = await service.post('/admin/session/code', { body: { code }, headers });
        expect([opened.json.code, opened.headers['set-cookie']]).toEqual([40105, undefined]);
      }
      expect((await exchange(code, undefined, own)).status).toBe(200);
    });

    it('the one-time code is bound by a cookie that no page reads and no other site sends', async () => {
      const { headers } = await arrive(someone());
      expect(headers['set-cookie']?.filter((set) => /_code_/.test(set))).toEqual([
        expect.stringMatching(/; Max-Age=120; Path=\/; HttpOnly; SameSite=Strict$/),
      ]);
    });

    it('gives one token for ten exchanges at the same time, on two instances', async () => {
      const second = await service.secondInstance();
      const code = fragmentOf(await arrive(someone()), 'code');
      const statuses = await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const instance = index % 2 === 0 ? service : second;
          const headers = { cookie: last.cookie };
          return (await instance.post('/api/v1/auth/token', { body: { code }, headers })).status;
        }),
      );
      expect(statuses.sort()).toEqual([200, ...Array.from({ length: 9 }, () => 401)]);
    });

    it('ends a sign-in that began at another instance', async () => {
      const second = await service.secondInstance({
        env: { BASE_URL: service.server.config.baseUrl },
      });
      const browser = new Browser(service);
      const query = company.approve(await browser.start(), someone());
      const there = new Browser(second);
      there.cookie = browser.cookie;
      const code = fragmentOf(await there.finish(query), 'code');
      expect((await exchange(code, undefined, there)).status).toBe(200);
    });

    it('the one-time code is void once the user is disabled, and a disabled user gets none', async () => {
      const account = someone();
      const { user } = await signIn(account);
      const code = fragmentOf(await arrive(account), 'code');
      const set = (disabled: boolean) =>
        service.ok('PATCH', `/admin/users/${user.id}`, { token: root, body: { user: { disabled } } });
      await set(true);
      expect((await exchange(code)).json.code).toBe(40105);
      expect(await refused(account)).toBe('40110');
      await set(false);
      expect((await exchange(code)).json.code).toBe(40105);
      expect((await signIn(account)).user.id).toBe(user.id);
    });

    it('asks for the second factor of the service, unless that of the provider counts', async () => {
      const account = someone();
      const { user } = await signIn(account);
      const { database } = service.server.services;
      await database.write((transaction) =>
        transaction.run(
          toQuery(
            tablesOf(database)
              .updateTable('users')
              .set({ second_factor: sql`true` })
              .where('id', '=', user.id),
          ),
        ),
      );
      const codeOf = async (claims: object, provider: string) =>
        fragmentOf(await arrive({ ...account, ...claims }, provider), 'code');
      const asked = await codeOf({ amr: ['mfa'] }, 'company');
      expect((await exchange(asked)).json.code).toBe(40107);
      expect((await exchange(asked, '123456')).json.code).toBe(40108);
      expect((await exchange(await codeOf({ amr: ['pwd'] }, 'strict'))).json.code).toBe(40107);
      expect((await exchange(await codeOf({ amr: ['pwd', 'mfa'] }, 'strict'))).status).toBe(200);
    });
  });

  describe('the administration area', () => {
    const open = (code: string | null, headers = {}) =>
      service.post<{ username: string }>('/admin/session/code', {
        body: { code },
        headers: { cookie: last.cookie, 'sec-fetch-site': 'same-origin', ...headers },
      });

    it('begins a session of an administrator, once', async () => {
      const account = someone({ groups: ['chiefs'] });
      const code = fragmentOf(await arrive(account), 'code');
      const { status, headers } = await open(code);
      expect(status).toBe(200);
      const [cookie = ''] = String(headers['set-cookie']).split(';');
      expect((await service.get('/admin/session', { headers: { cookie } })).status).toBe(200);
      expect((await open(code)).json.code).toBe(40105);
      expect((await exchange(code)).json.code).toBe(40105);
    });

    it('refuses users who are no administrators, other pages and unknown codes', async () => {
      const code = fragmentOf(await arrive(someone({ groups: ['staff'] })), 'code');
      expect((await open(code)).json.code).toBe(40300);
      expect((await open('x')).json.code).toBe(40105);
      const evil = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' };
      expect((await open(code, evil)).json.code).toBe(40301);
    });

    it('asks for the second factor, unless that of the provider counts', async () => {
      const account = someone({ groups: ['chiefs'] });
      const { user } = await signIn(account);
      const { database } = service.server.services;
      await database.write((transaction) =>
        transaction.run(
          toQuery(
            tablesOf(database)
              .updateTable('users')
              .set({ second_factor: sql`true` })
              .where('id', '=', user.id),
          ),
        ),
      );
      const asked = await open(fragmentOf(await arrive(account), 'code'));
      expect(asked.json.code).toBe(40107);
      const proved = fragmentOf(await arrive({ ...account, amr: ['mfa'] }, 'strict'), 'code');
      expect((await open(proved)).status).toBe(200);
    });
  });

  it('makes one user of two first sign-ins at the same time', async () => {
    const account = someone();
    const browsers = [new Browser(service), new Browser(service), new Browser(service)];
    const answers = await Promise.all(browsers.map((browser) => arrive(account, 'company', browser)));
    const users = await Promise.all(
      answers.map(
        async (answer, index) =>
          (await exchange(fragmentOf(answer, 'code'), undefined, browsers[index])).data.user.id,
      ),
    );
    expect(new Set(users).size).toBe(1);
  });

  describe('linking', () => {
    const begin = async (user: TestUser, password = user.password, browser = new Browser(service)) => {
      const answer = await service.post<{ url: string }>(`${base}/other/link`, {
        token: user,
        body: { password },
      });
      browser.keep(answer);
      return { answer, browser };
    };
    const identities = (user: { token: string }) =>
      service.ok<{ id: number; provider: string; subject: string }[]>('GET', '/api/v1/auth/identities', {
        token: user,
      });

    it('needs the password, and lets the account sign in', async () => {
      const user = await service.createUser(['viewer']);
      expect((await begin(user, 'wrong')).answer.json.code).toBe(40105);
      const account = someone();
      const { answer, browser } = await begin(user);
      const ended = await browser.finish(other.approve(answer.data.url, account), 'other');
      expect(fragmentOf(ended, 'linked')).toBe('1');
      expect(await identities(user)).toMatchObject([{ provider: 'other', subject: account.sub }]);
      expect((await signIn(account, 'other')).user.id).toBe(user.id);
      expect((await service.post(`${base}/other/link`, { body: { password: commonPassword } })).status).toBe(
        401,
      );
    });

    it('linking is of the browser that began it, and refuses an account of another user', async () => {
      const [one, two] = [await service.createUser(['viewer']), await service.createUser(['viewer'])];
      const account = someone();
      const first = await begin(one);
      const query = other.approve(first.answer.data.url, account);
      expect((await new Browser(service).finish(query, 'other')).json.code).toBe(40110);
      await first.browser.finish(query, 'other');
      const second = await begin(two);
      const taken = await second.browser.finish(other.approve(second.answer.data.url, account), 'other');
      expect(fragmentOf(taken, 'error')).toBe('40916');
      expect(await identities(two)).toEqual([]);
    });

    it('linking is undone, but never the last way to sign in, nor for another user', async () => {
      const { token, user } = await signIn(someone());
      const [mine] = await identities({ token });
      expect((await service.delete(`/api/v1/auth/identities/${mine?.id}`, { token })).json.code).toBe(40917);
      const stranger = await service.createUser(['viewer']);
      expect((await service.delete(`/api/v1/auth/identities/${mine?.id}`, { token: stranger })).status).toBe(
        404,
      );
      await service.ok('PATCH', `/admin/users/${user.id}`, {
        token: root,
        body: { user: { password: 'walnut-lamp-61 x' } },
      });
      const { data } = await service.post<{ token: string }>('/api/v1/auth/login', {
        body: { account: user.username, password: 'walnut-lamp-61 x' },
      });
      expect(
        (await service.delete(`/api/v1/auth/identities/${mine?.id}`, { token: data.token })).status,
      ).toBe(200);
    });
  });

  describe('linked accounts of a user, for administrators', () => {
    const pathOf = (id: number) => `/admin/users/${id}/identities`;
    const ofUser = (id: number, token: TestUser | string = root) =>
      service.ok<{ id: number; provider: string; subject: string }[]>('GET', pathOf(id), { token });
    /** A user who was created by a provider, and has a password too. */
    const linkedUser = async (roles: readonly string[]) => {
      const account = someone();
      const { user } = await signIn(account);
      const password = 'walnut-lamp-61 x';
      const body = { user: { password, roles } };
      await service.ok('PATCH', `/admin/users/${user.id}`, { token: root, body });
      const { token } = await service.ok<{ token: string }>('POST', '/api/v1/auth/login', {
        body: { account: user.username, password },
      });
      return { ...user, account, token };
    };

    it('linked accounts of a user are listed for administrators as for the user, and removed', async () => {
      const admin = await service.createUser(['admin']);
      const user = await linkedUser(['viewer']);
      const [linked, ...more] = await ofUser(user.id, admin);
      expect(more).toEqual([]);
      expect(linked).toMatchObject({
        provider: 'company',
        issuer: company.issuer,
        subject: user.account.sub,
      });
      const { token } = user;
      expect(await service.ok('GET', '/api/v1/auth/identities', { token })).toEqual([linked]);
      const path = `${pathOf(user.id)}/${linked?.id}`;
      await service.ok('DELETE', path, { token: admin });
      expect(await ofUser(user.id, admin)).toEqual([]);
      expect((await service.delete(path, { token: admin })).status).toBe(404);
      const [entry] = await service.ok<object[]>(
        'GET',
        `/admin/audit?filter[action]=identity.unlink&filter[target_id]=${user.id}`,
        { token: root },
      );
      expect(entry).toMatchObject({
        ...{ actor_name: admin.username, target_kind: 'user', target_name: user.username },
        detail: { provider: 'company', issuer: company.issuer },
      });
    });

    it('linked accounts of a super_admin are left to another one', async () => {
      const admin = await service.createUser(['admin']);
      const chief = await linkedUser(['super_admin']);
      const [linked] = await ofUser(chief.id, admin);
      const path = `${pathOf(chief.id)}/${linked?.id}`;
      expect((await service.delete(path, { token: admin })).status).toBe(403);
      expect(await ofUser(chief.id)).toHaveLength(1);
      await service.ok('DELETE', path, { token: root });
      expect(await ofUser(chief.id)).toEqual([]);
    });

    it('linked accounts of a user stay if they are the last way to sign in', async () => {
      const { user } = await signIn(someone());
      const [linked] = await ofUser(user.id);
      const refusal = await service.delete(`${pathOf(user.id)}/${linked?.id}`, { token: root });
      expect([refusal.status, refusal.json.code]).toEqual([409, 40917]);
      expect(await ofUser(user.id)).toHaveLength(1);
    });

    it('linked accounts are not found by the path of another user, and for no user', async () => {
      const [one, two] = [await linkedUser(['viewer']), await linkedUser(['viewer'])];
      const [linked] = await ofUser(one.id);
      for (const path of [
        ...[`${pathOf(two.id)}/${linked?.id}`, `${pathOf(999_999)}/${linked?.id}`],
        ...[`${pathOf(one.id)}/999999`, `${pathOf(one.id)}/x`, `${pathOf(999_999)}/1`],
      ])
        expect([path, (await service.delete(path, { token: root })).status]).toEqual([path, 404]);
      for (const id of [999_999, 'x'])
        expect((await service.get(`/admin/users/${id}/identities`, { token: root })).status).toBe(404);
      expect(await ofUser(one.id)).toHaveLength(1);
    });

    it('linked accounts of a user are refused to everybody else', async () => {
      const user = await linkedUser(['viewer']);
      const [linked] = await ofUser(user.id);
      const { token } = user;
      expect((await service.get(pathOf(user.id), { token })).status).toBe(403);
      expect((await service.delete(`${pathOf(user.id)}/${linked?.id}`, { token })).status).toBe(403);
      expect((await service.get(pathOf(user.id))).status).toBe(401);
    });
  });

  describe('back-channel logout', () => {
    const event = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const tokenOf = (claims: object) => {
      made += 1;
      const now = Math.floor(Date.now() / 1000);
      const all = {
        iss: company.issuer,
        aud: company.client,
        iat: now,
        jti: `j${made}`,
        events: event,
        ...claims,
      };
      return company.sign(all, 'logout+jwt');
    };
    const send = (token: string, provider = 'company') =>
      service.request('POST', `${base}/${provider}/logout`, {
        body: new URLSearchParams({ logout_token: token }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const me = async (token: string) => (await service.get('/api/v1/auth/me', { token })).status;

    it('ends the tokens of the user, by subject or by session, once', async () => {
      const account = someone({ sid: 'session-7' });
      for (const claims of [{ sub: account.sub }, { sid: 'session-7' }]) {
        const { token } = await signIn(account);
        expect(await me(token)).toBe(200);
        const sent = await tokenOf(claims);
        expect((await send(sent)).status).toBe(200);
        expect(await me(token)).toBe(401);
        const again = await signIn(account);
        expect((await send(sent)).status).toBe(400);
        expect(await me(again.token)).toBe(200);
      }
    });

    it.each<[string, object]>([
      ['another issuer', { iss: 'https://evil.test' }],
      ['another audience', { aud: 'another' }],
      ['an old token', { iat: Math.floor(Date.now() / 1000) - 900 }],
      ['no id', { jti: undefined }],
      ['a nonce', { nonce: 'n' }],
      ['no event', { events: {} }],
      ['an event that is no object', { events: { 'http://schemas.openid.net/event/backchannel-logout': 1 } }],
      ['neither subject nor session', { sub: undefined, sid: undefined }],
    ])('back-channel logout refuses %s', async (_name, claims) => {
      const account = someone();
      const { token } = await signIn(account);
      expect((await send(await tokenOf({ sub: account.sub, ...claims }))).status).toBe(400);
      expect(await me(token)).toBe(200);
    });

    it('back-channel logout is never refused because of forged tokens from the same network', async () => {
      const account = someone();
      const { token } = await signIn(account);
      const forged: number[] = [];
      for (let tries = 0; tries < 15; tries += 1) forged.push((await send(`x${tries}`)).status);
      expect([forged[0], forged.at(-1)]).toEqual([400, 429]);
      expect((await send(await tokenOf({ sub: account.sub }))).status).toBe(200);
      expect(await me(token)).toBe(401);
      // A sign-in is refused as well.
      expect((await signIn(account)).user.username).toBe(account['preferred_username']);
    });

    it('refuses another key, HS256 and an ID token', async () => {
      const account = someone();
      const { token } = await signIn(account);
      company.forgery = { key: (await generateKeyPair('RS256')).privateKey };
      expect((await send(await tokenOf({ sub: account.sub }))).status).toBe(400);
      company.forgery = { header: { alg: 'HS256' }, key: Buffer.from(company.secret.padEnd(32)) };
      expect((await send(await tokenOf({ sub: account.sub }))).status).toBe(400);
      company.forgery = {};
      expect((await send(await tokenOf({ sub: account.sub, events: undefined }))).status).toBe(400);
      expect((await send('x')).status).toBe(400);
      expect(await me(token)).toBe(200);
    });
  });

  it('refuses the metadata of another issuer', async () => {
    const liar = await new OidcServer().start();
    try {
      liar.discovery = { issuer: company.issuer };
      const misled = await service.secondInstance({
        application: { config: { providers: { company: oidc({ issuer: liar.issuer, client: 'x' }) } } },
      });
      expect((await misled.get(`${base}/company`)).json.code).toBe(50307);
      liar.discovery = {};
      misled.clock.advance(60);
      expect((await misled.get(`${base}/company`)).status).toBe(302);
    } finally {
      await liar.stop();
    }
  });

  it('says that a provider does not respond', async () => {
    const gone = await new OidcServer().start();
    const { issuer } = gone;
    await gone.stop();
    const lost = await service.secondInstance({
      application: { config: { providers: { company: oidc({ issuer, client: 'x' }) } } },
    });
    expect((await lost.get(`${base}/company`)).json.code).toBe(50307);
    const shownBy = async (instance: Service) =>
      (
        await instance.ok<{ providers: { name: string; issuer: string; error: string | null }[] }>(
          'GET',
          '/admin/service',
          { token: root },
        )
      ).providers;
    expect(await shownBy(lost)).toEqual([{ name: 'company', issuer, error: expect.stringMatching(/./) }]);
    expect((await shownBy(service)).map(({ error }) => error)).toEqual([null, null, null]);
    expect((await lost.get('/api/v1/health?ready')).status).toBe(200);
  });
});

/** Discovery documents and claims as the products send them, shortened to the members that matter. */
const products: Readonly<
  Record<
    string,
    {
      readonly discovery: object;
      readonly claims: object;
      readonly roles?: RoleMapping;
      readonly userinfo?: object;
      readonly expected: {
        readonly username: string;
        readonly email: string | null;
        readonly roles: readonly string[];
      };
    }
  >
> = {
  Keycloak: {
    discovery: {
      token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_basic', 'client_secret_post'],
      id_token_signing_alg_values_supported: [
        'PS384',
        'RS384',
        'EdDSA',
        'ES384',
        'HS256',
        'HS512',
        'ES256',
        'RS256',
      ],
      backchannel_logout_supported: true,
    },
    claims: {
      typ: 'ID',
      azp: 'gatewright',
      sid: '2a3d5c1e-0000-4000-8000-000000000001',
      acr: '1',
      email_verified: true,
      realm_access: { roles: ['default-roles-company', 'chiefs'] },
      preferred_username: 'kc.user',
      name: 'Kay Cee',
      email: 'kc.user@example.com',
    },
    roles: { claim: 'realm_access.roles', map: { chiefs: ['admin'] } },
    expected: { username: 'kc.user', email: 'kc.user@example.com', roles: ['admin'] },
  },
  Authentik: {
    discovery: { token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'] },
    claims: {
      acr: 'goauthentik.io/providers/oauth2/default',
      amr: ['pwd', 'mfa'],
      sid: 'f'.repeat(64),
      uid: 'u1',
      email: 'au.user@example.com',
      email_verified: true,
      preferred_username: 'au.user',
      nickname: 'au.user',
      groups: ['authentik Admins', 'chiefs'],
    },
    roles: { claim: 'groups', map: { 'authentik Admins': ['admin'] } },
    expected: { username: 'au.user', email: 'au.user@example.com', roles: ['admin'] },
  },
  Entra: {
    discovery: {
      token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt'],
      authorization_response_iss_parameter_supported: undefined,
      tenant_region_scope: 'EU',
    },
    claims: {
      aio: 'A',
      oid: '00000000-0000-4000-8000-000000000002',
      tid: '00000000-0000-4000-8000-000000000003',
      preferred_username: 'en.user@example.com',
      email: 'en.user@example.com',
      roles: ['Chief'],
      ver: '2.0',
    },
    roles: { claim: 'roles', map: { Chief: ['admin'] } },
    // The address of an Entra account can be anything: it is no proof.
    expected: { username: 'en.user', email: null, roles: ['admin'] },
  },
  Google: {
    discovery: {
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      authorization_response_iss_parameter_supported: true,
    },
    claims: {
      azp: 'gatewright',
      hd: 'example.com',
      email: 'go.user@example.com',
      email_verified: true,
      at_hash: undefined,
      name: 'Gee Oh',
      picture: 'https://example.com/picture',
    },
    expected: { username: 'go.user', email: 'go.user@example.com', roles: ['viewer'] },
  },
  GitLab: {
    discovery: {
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      authorization_response_iss_parameter_supported: undefined,
    },
    claims: {
      auth_time: 1_700_000_000,
      sub_legacy: 'a'.repeat(64),
      groups_direct: ['company', 'company/chiefs'],
    },
    userinfo: {
      nickname: 'gl.user',
      preferred_username: 'gl.user',
      email: 'gl.user@example.com',
      email_verified: true,
    },
    roles: { claim: 'groups_direct', map: { 'company/chiefs': ['admin'] } },
    expected: { username: 'gl.user', email: 'gl.user@example.com', roles: ['admin'] },
  },
};

describeEachDatabase('the shapes of products', (databases) => {
  const service = useService(databases);

  it.each(Object.entries(products))(
    'a sign-in works with the shapes of %s',
    async (name, { discovery, claims, roles: mapping, userinfo = {}, expected }) => {
      const product = await new OidcServer().start();
      try {
        product.discovery = discovery;
        product.userinfo = userinfo;
        const { issuer, client } = product;
        const options = { issuer, client, ...(mapping === undefined ? {} : { roles: mapping }) };
        const instance = await service.secondInstance({
          application: { config: { providers: { company: oidc(options) } } },
        });
        const stored = await run(['credentials', 'set', 'providers.company.client_secret'], {
          ...{ env: instance.env, now: service.clock.now(), stdin: product.secret },
        });
        expect(stored.status).toBe(0);
        await instance.server.services.applications.update((current) => current);
        const browser = new Browser(instance);
        const query = product.approve(await browser.start(), { sub: `subject at ${name}`, ...claims });
        if ('authorization_response_iss_parameter_supported' in discovery && name !== 'Google')
          query.delete('iss');
        const answer = await browser.finish(query);
        expect([name, fragmentOf(answer, 'error')]).toEqual([name, null]);
        const { data } = await instance.post<{
          user: { id: number; username: string; email: string | null };
        }>('/api/v1/auth/token', {
          body: { code: fragmentOf(answer, 'code') },
          headers: { cookie: browser.cookie },
        });
        expect(data.user.username).toBe(expected.username);
        expect(data.user.email).toBe(expected.email);
        const root = await service.admin();
        const shown = await service.ok<{ roles: string[] }>('GET', `/admin/users/${data.user.id}`, {
          token: root,
        });
        expect(shown.roles).toEqual(expected.roles);
      } finally {
        await product.stop();
      }
    },
  );
});

describeEachDatabase('an application without providers', (databases) => {
  const service = useService(databases);

  it('an application without providers has none of the paths', async () => {
    for (const path of [
      ...['/api/v1/auth/providers', `${base}/company`, '/api/v1/auth/identities'],
      '/admin/users/1/identities',
    ])
      expect((await service.get(path)).json.code).toBe(40401);
    expect((await service.post('/api/v1/auth/token', { body: { code: 'x' } })).json.code).toBe(40401);
  });
});

describe('the options of a provider', () => {
  it.each([
    [{ issuer: 'http://example.com', client: 'a' }, 'issuer must be an https URL'],
    [{ issuer: 'https://example.com' }, 'it has no client'],
    [{ issuer: 'https://example.com', client: 'a', secret: 'x' }, 'there is no option "secret"'],
    [
      { issuer: 'https://example.com', client: 'a', roles: { claim: 'g', map: { a: 'b' } } },
      'must be a list',
    ],
    [
      { issuer: 'https://example.com', client: 'a', roles: { claim: 'g', map: {}, default: [] } },
      'roles.default must have at least one entry',
    ],
  ])('refuses the options of a provider %j', (options, flaw) => {
    expect(() => oidc(options as never)).toThrow(flaw);
  });
});
