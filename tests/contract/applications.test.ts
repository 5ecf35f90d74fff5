import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { openVault } from '../../src/vault/vault.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

const hour = 3_600;
const newSecret = (): string => randomBytes(32).toString('hex');

describeEachDatabase('POST /admin/applications/:app_id/rotate', (databases) => {
  const service = useService(databases, { apps: ['shop', 'till'], env: { LOCALE: 'en' } });
  let root: TestUser;
  beforeAll(async () => {
    root = await service.admin();
  });

  const rotate = (app: string, body: object, by: { token?: TestUser } = { token: root }) =>
    service.post(`/admin/applications/${app}/rotate`, { ...by, body });
  let orders = 0;
  /** Status of a payment that is signed with this secret. */
  const pays = async (app: string, secret: string): Promise<number> => {
    orders += 1;
    const body = JSON.stringify({ order_no: `A-${orders}`, amount: 1 });
    const headers = service.sign(app, body, { secret });
    return (await service.post('/api/v1/payment', { body, headers })).status;
  };
  const audit = () =>
    service.ok<Record<string, unknown>[]>('GET', '/admin/audit?filter[action]=app.rotate', { token: root });

  it('lets both secrets sign for the overlap, and only the new one afterwards', async () => {
    const [old, secret] = [service.secrets.get('shop') ?? '', newSecret()];
    const encrypted = await readFile(service.env['CREDENTIALS_FILE'] ?? '');
    const answer = await rotate('shop', { secret, overlap: hour });
    expect([answer.status, answer.json.data]).toEqual([200, undefined]);
    expect([await pays('shop', old), await pays('shop', secret)]).toEqual([201, 201]);
    try {
      service.clock.advance(hour);
      expect([await pays('shop', old), await pays('shop', secret)]).toEqual([401, 201]);
    } finally {
      service.clock.reset();
    }
    // The file was changed as the command line does it, and the command line goes on from there.
    expect(await readFile(service.env['CREDENTIALS_FILE'] ?? '')).not.toEqual(encrypted);
    await service.command('app', 'rotate', 'till');
    const second = await service.secondInstance();
    expect(second.server.services.applications.applications().map(({ app_id }) => app_id)).toEqual([
      'shop',
      'till',
    ]);
    const [line] = (await audit()).filter(({ actor_name }) => actor_name === 'root');
    expect(line).toMatchObject({
      target_kind: 'application',
      target_id: 'shop',
      detail: { serial: expect.any(Number), grace_seconds: hour },
    });
    const written = [JSON.stringify(await audit()), ...service.lines].join('\n');
    expect([written.includes(secret), written.includes(old)]).toEqual([false, false]);
  });

  it('ends the secret before at once where no overlap is wanted', async () => {
    const [first, second] = [newSecret(), newSecret()];
    expect((await rotate('shop', { secret: first, overlap: 0 })).status).toBe(200);
    expect((await rotate('shop', { secret: second, overlap: 0 })).status).toBe(200);
    expect([await pays('shop', first), await pays('shop', second)]).toEqual([401, 201]);
  });

  it('leaves all else in the file as it is: the JWT secret, other applications', async () => {
    const { CREDENTIALS_FILE: file = '', CREDENTIALS_KEY_FILE: keyFile = '' } = service.env;
    const open = () => openVault({ file, keyFile, production: false, onError: () => {} });
    const secrets = { jwt_secret: newSecret(), smtp_password: 'x' };
    await (await open()).update((current) => ({ ...current, ...secrets }));
    const contents = async () => {
      const { apps, ...rest } = JSON.parse((await open()).format()) as { apps: Record<string, object> };
      const { shop, ...others } = apps;
      return { shop, others: { ...rest, serial: 0, apps: others } };
    };
    const before = await contents();
    expect(before.others).toMatchObject({ ...secrets, apps: { till: { api_secret: expect.any(String) } } });
    expect((await rotate('shop', { secret: newSecret() })).status).toBe(200);
    const after = await contents();
    expect(after.shop).not.toEqual(before.shop);
    expect(after.others).toEqual(before.others);
  });

  it("the rotation of an application's secret is for a super_admin", async () => {
    const body = { secret: newSecret(), overlap: 0 };
    const before = (await audit()).length;
    const [viewer, admin] = [await service.createUser(), await service.createUser(['admin'])];
    const statuses = [];
    for (const by of [{}, { token: viewer }, { token: admin }])
      statuses.push((await rotate('shop', body, by)).status);
    expect(statuses).toEqual([401, 403, 403]);
    expect(await pays('shop', body.secret)).toBe(401);
    expect((await audit()).length).toBe(before);
  });

  it('takes 32 bytes in lowercase hex, an overlap of 30 days at most, and applications that exist', async () => {
    const secret = newSecret();
    for (const body of [
      {},
      { secret: 'short' },
      { secret: secret.toUpperCase() },
      { secret: `${secret}0` },
      { secret, overlap: -1 },
      { secret, overlap: 30 * 86_400 + 1 },
    ]) {
      const { status, text } = await rotate('shop', body);
      expect([status, text.includes(secret)]).toEqual([422, false]);
    }
    expect((await rotate('nowhere', { secret })).status).toBe(404);
    expect(await pays('shop', secret)).toBe(401);
  });

  it('changes and records nothing where the file cannot be written', async () => {
    const lock = `${service.env['CREDENTIALS_FILE']}.lock`;
    await rm(lock, { force: true });
    await mkdir(lock);
    const before = (await audit()).length;
    const secret = newSecret();
    try {
      const { status, json } = await rotate('shop', { secret });
      expect([status, json.code]).toEqual([409, 40913]);
    } finally {
      await rm(lock, { recursive: true });
    }
    expect([await pays('shop', secret), (await audit()).length]).toEqual([401, before]);
    expect((await rotate('shop', { secret })).status).toBe(200);
  });
});
