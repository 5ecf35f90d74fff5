import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toQuery } from '../../src/database/statement.ts';
import { tablesOf } from '../../src/database/tables-of.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { linkToken, Mailbox } from '../support/mailbox.ts';
import { useService } from '../support/service.ts';

const password = 'walnut-harbour-61 lamp';

describeEachDatabase('requests for links from many networks', (databases) => {
  const mailbox = new Mailbox();
  const service = useService(databases, {
    env: { TRUST_PROXY: '127.0.0.1' },
    application: { config: { mail: mailbox.receive, registration: {} } },
  });
  let made = 0;
  const settled = async (): Promise<void> => {
    const { database } = service.server.services;
    const jobs = tablesOf(database).selectFrom('gatewright_jobs').select('id');
    await expect
      .poll(() => database.all(toQuery(jobs.where('state', '!=', 'failed'))), { timeout: 20_000 })
      .toEqual([]);
  };
  beforeEach(async () => {
    // A job that runs while the clock moves would lose its lease.
    await settled();
    service.clock.advance(31 * 60);
    await settled();
    mailbox.clear();
  });
  afterEach(() => vi.restoreAllMocks());

  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const address = (): string => {
    made += 1;
    return `new${made}@example.com`;
  };
  const register = (network: string, email: string, more: object = {}) =>
    service.post('/api/v1/auth/register', { ...from(network), body: { email, ...more } });
  const reset = (network: string, account: string) =>
    service.post('/api/v1/auth/password_reset', { ...from(network), body: { account } });
  const signIn = (network: string, account: string, secret: string) =>
    service.login(account, secret, from(network));
  const sent = async (to: string): Promise<number> => {
    await settled();
    return mailbox.messages.filter((message) => message.to === to).length;
  };

  it('requests for links from many networks tell the owner of an address once, however many register it or move to it', async () => {
    const user = await service.createUser(['viewer']);
    for (let network = 1; network <= 60; network += 1)
      expect((await register(`198.51.100.${network}`, user.email)).status).toBe(200);
    const other = await service.createUser(['viewer']);
    const body = { email: user.email, password: other.password };
    expect((await service.post('/api/v1/auth/email', { token: other, body })).status).toBe(200);
    expect(await sent(user.email)).toBe(1);
    expect(mailbox.messages[0]?.template).toBe('address_in_use');
    service.clock.advance(31 * 60);
    await register('198.51.100.1', user.email);
    expect(await sent(user.email)).toBe(2);
  });

  it('requests for links from many networks send twenty messages to one address at most', async () => {
    const email = address();
    for (let network = 1; network <= 60; network += 1)
      expect((await register(`198.51.100.${network}`, email)).status).toBe(200);
    expect(await sent(email)).toBe(20);
    // Every link of the mailbox is one that its owner can use.
    const [first] = mailbox.messages;
    const body = { token: linkToken(first ?? { text: '' }), username: `owner${made}`, password };
    expect((await service.post('/api/v1/auth/register/confirm', { body })).status).toBe(201);
  });

  it('requests for links from many networks use up nothing of others: neither a registration, nor a reset, nor a change of address', async () => {
    const email = address();
    for (let request = 0; request < 10; request += 1) await register('198.51.100.7', email);
    await settled();
    mailbox.clear();
    await register('203.0.113.5', email);
    expect(await sent(email)).toBe(1);
    const [message] = mailbox.messages;
    const body = { token: linkToken(message ?? { text: '' }), username: `mine${made}`, password };
    expect((await service.post('/api/v1/auth/register/confirm', { body })).status).toBe(201);

    const user = await service.createUser(['viewer']);
    for (let request = 0; request < 10; request += 1) await reset('198.51.100.8', user.email);
    await settled();
    mailbox.clear();
    await reset('203.0.113.5', user.email);
    expect(await sent(user.email)).toBe(1);

    const wanted = address();
    for (let request = 0; request < 10; request += 1) await register('198.51.100.9', wanted);
    await settled();
    mailbox.clear();
    const change = { email: wanted, password: user.password };
    await service.ok('POST', '/api/v1/auth/email', { token: user, body: change });
    expect(await sent(wanted)).toBe(1);
  });

  it('requests for links from many networks do not end signing in from their network', async () => {
    const user = await service.createUser(['viewer']);
    for (let request = 0; request < 120; request += 1) await register('198.51.100.20', address());
    expect((await register('198.51.100.20', address())).status).toBe(429);
    expect((await reset('198.51.100.20', address())).status).toBe(429);
    expect((await signIn('198.51.100.20', user.username, user.password)).status).toBe(200);
  });

  describe('hash no password', () => {
    it('once their network is refused', async () => {
      const hash = vi.spyOn(service.server.services.passwords, 'hash');
      const email = address();
      for (let request = 0; request < 10; request += 1)
        expect((await register('198.51.100.30', email, { password })).status).toBe(200);
      expect(hash).toHaveBeenCalledTimes(10);
      for (let request = 0; request < 5; request += 1)
        expect((await register('198.51.100.30', email, { password })).status).toBe(429);
      expect(hash).toHaveBeenCalledTimes(10);
    });

    it('tokens that are none cause no hash of a password', async () => {
      const hash = vi.spyOn(service.server.services.passwords, 'hash');
      const paths = [
        '/api/v1/auth/register/confirm',
        '/api/v1/auth/password_reset/confirm',
        '/admin/invitation',
      ];
      for (const [index, path] of paths.entries()) {
        const network = from(`198.51.100.${40 + index}`);
        const body = { token: 'A'.repeat(43), username: 'somebody', password };
        const statuses: number[] = [];
        for (let request = 0; request < 11; request += 1)
          statuses.push((await service.post(path, { ...network, body })).status);
        expect([path, statuses.at(0), statuses.at(-1)]).toEqual([path, index === 2 ? 404 : 410, 429]);
      }
      expect(hash).not.toHaveBeenCalled();
    });
  });
});

describeEachDatabase('failed sign-ins', (databases) => {
  const service = useService(databases, { env: { TRUST_PROXY: '127.0.0.1' } });
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

  it('failed sign-ins are forgotten after a complete sign-in of the account from the network, and there only', async () => {
    const user = await service.createUser(['viewer']);
    const [here, there] = [from('203.0.113.50'), from('203.0.113.51')];
    const fail = async (options: object, account = user.username) =>
      (await service.login(account, 'wrong', options)).status;
    for (const account of [user.username, user.email.toUpperCase()])
      for (let tries = 0; tries < 9; tries += 1) expect(await fail(here, account)).toBe(401);
    for (let tries = 0; tries < 10; tries += 1) expect(await fail(there)).toBe(401);
    expect((await service.login(user.email, user.password, here)).status).toBe(200);
    for (const account of [user.username, user.email.toUpperCase()])
      for (let tries = 0; tries < 10; tries += 1) expect(await fail(here, account)).toBe(401);
    expect(await fail(here)).toBe(429);
    expect((await service.login(user.username, user.password, there)).status).toBe(429);
  });

  it('failed sign-ins stay after a session that is none yet: the password was right, the second factor is missing', async () => {
    const user = await service.createUser(['admin']);
    const { database } = service.server.services;
    const enrolled = databases.dialect === 'postgres' ? 'true' : '1';
    const run = (sql: string) => database.write((transaction) => transaction.run({ sql, parameters: [] }));
    await run(`update users set second_factor = ${enrolled} where id = ${user.id}`);
    const here = from('203.0.113.60');
    const body = { account: user.username, password: user.password };
    for (let tries = 0; tries < 9; tries += 1) {
      expect((await service.login(user.username, 'wrong', here)).status).toBe(401);
      expect((await service.post('/admin/session', { ...here, body })).json.code).toBe(40_107);
    }
    expect((await service.login(user.username, 'wrong', here)).status).toBe(401);
    expect((await service.login(user.username, 'wrong', here)).status).toBe(429);
  });
});
