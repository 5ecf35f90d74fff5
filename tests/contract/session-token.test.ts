import { expect, it } from 'vitest';
import { sessionTokenLifetime } from '../../src/auth/jwt.ts';
import { sessionIdleTime } from '../../src/auth/session.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

interface Token {
  readonly token: string;
  readonly expires_at: string;
  readonly user: { readonly username: string; readonly roles: readonly string[] };
}

describeEachDatabase('POST /admin/session/token', (databases) => {
  const service = useService(databases);
  const path = '/admin/session/token';

  const signedIn = async (roles: readonly string[] = ['admin']) => {
    const user = await service.createUser([...roles]);
    return { user, cookie: await service.signIn(user) };
  };
  const ask = (cookie: string, headers = { origin: service.origin }) =>
    service.post(path, { cookie, headers });
  const tokenOf = (cookie: string): Promise<Token> =>
    service.ok<Token>('POST', path, { cookie, headers: { origin: service.origin } });
  const works = async ({ token }: Token): Promise<number> =>
    (await service.get('/api/v1/auth/me', { token })).status;
  const payloadOf = ({ token }: Token): object =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

  it('the token of a session is good for a quarter of an hour, as the person of the session, and is in the audit log', async () => {
    const { user, cookie } = await signedIn();
    const made = await tokenOf(cookie);
    expect(made.user).toMatchObject({ username: user.username, roles: ['admin'] });
    const { exp, ...claims } = payloadOf(made) as { exp: number };
    expect(claims).toEqual({ user_id: user.id, gatewright_session: expect.any(Number) });
    expect(new Date(made.expires_at).getTime()).toBe(exp * 1000);
    expect(Math.abs(exp * 1000 - service.clock.now() - sessionTokenLifetime * 1000)).toBeLessThan(60_000);
    expect(await works(made)).toBe(200);
    expect((await service.get('/admin/users', { token: made.token })).status).toBe(200);
    await service.server.services.securityEvents.flush();
    const root = await service.admin();
    const listed = await service.get('/admin/audit?filter[action]=session.token', { token: root.token });
    expect(listed.data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ actor_name: user.username, action: 'session.token' }),
      ]),
    );
  });

  it('403 to a page of another site, and to a token, so that none prolongs itself', async () => {
    const { user, cookie } = await signedIn();
    expect((await ask(cookie, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await service.post(path, { cookie })).status).toBe(403);
    expect((await service.post(path, { token: user.token })).status).toBe(403);
    const { token } = await tokenOf(cookie);
    expect((await service.post(path, { token })).status).toBe(403);
  });

  it('ends with the session: signed out, all ended, or password changed', async () => {
    const ends: readonly ((user: TestUser, cookie: string) => Promise<{ status: number }>)[] = [
      (_user, cookie) => service.delete('/admin/session', { cookie, headers: { origin: service.origin } }),
      (_user, cookie) => service.delete('/admin/sessions', { cookie, headers: { origin: service.origin } }),
      (user) =>
        service.request('PUT', '/api/v1/auth/password', {
          token: user.token,
          body: { current_password: user.password, password: 'another good word 12' },
        }),
    ];
    for (const end of ends) {
      const { user, cookie } = await signedIn();
      const made = await tokenOf(cookie);
      expect(await works(made)).toBe(200);
      expect((await end(user, cookie)).status).toBe(200);
      expect(await works(made)).toBe(401);
    }
  });

  it('the token of another user’s session is none', async () => {
    const one = await signedIn();
    const other = await signedIn();
    const [session] = await service.server.services.database.all<{ id: number }>({
      sql: `select id from sessions where user_id = ${other.user.id}`,
      parameters: [],
    });
    const { token } = service.server.services.tokens.issueFor(one.user.id, { id: session?.id ?? 0 });
    expect((await service.get('/api/v1/auth/me', { token })).status).toBe(401);
  });

  it('hands on how its user proved who they are, where the session knows', () => {
    const { token } = service.server.services.tokens.issueFor(1, { id: 1, amr: ['pwd', 'otp'] });
    expect(payloadOf({ token } as Token)).toMatchObject({ amr: ['pwd', 'otp'] });
  });

  it('the token of a session is over after its time, and before where the session has rested too long', async () => {
    const { cookie } = await signedIn();
    const made = await tokenOf(cookie);
    service.clock.advance(sessionTokenLifetime + 1);
    expect(await works(made)).toBe(401);
    const later = await tokenOf(cookie);
    service.clock.advance(sessionIdleTime + 1);
    expect((await ask(cookie)).status).toBe(401);
    expect(await works(later)).toBe(401);
  });
});
