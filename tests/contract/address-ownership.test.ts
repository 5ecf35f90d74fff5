import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/test-io.ts';
import { field } from '../../src/fields/define.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { linkToken, Mailbox } from '../support/mailbox.ts';
import { type Answer, commonPassword, type Service, type TestUser, useService } from '../support/service.ts';

const newPassword = 'walnut-harbour-61 lamp';
const registration = '/api/v1/auth/register';

const fieldsOf = ({ data }: Answer): readonly string[] =>
  (data as unknown as { errors: { field: string }[] }).errors.map(({ field }) => field);

/** Domains that look like `github.example`, with the name by which mail finds them. */
const lookAlikes = [
  ['gıthub.example', 'xn--gthub-n4a.example'],
  ['gİthub.example', 'xn--github-qyd.example'],
] as const;

const settle = async (service: Service): Promise<void> => {
  await expect
    .poll(async () =>
      service.server.services.database.all({
        sql: "select id from gatewright_jobs where state <> 'failed'",
        parameters: [],
      }),
    )
    .toEqual([]);
};

describeEachDatabase('an address counts in its own domain only', (databases) => {
  const mailbox = new Mailbox();
  const service = useService(databases, {
    application: {
      config: {
        mail: mailbox.receive,
        registration: { domains: ['GitHub.example', '例子.中国', 'weiß.example'] },
      },
      endpoints: [
        defineEndpoint({
          method: 'POST',
          path: '/find',
          auth: [],
          input: { address: field.text({ required: true }) },
          handle: async ({ values, asSystem }) => {
            const found = await asSystem('test').records('User').findByAccount(values.address);
            return { id: found?.id ?? null };
          },
        }),
      ],
    },
  });
  let root: TestUser;
  let made = 0;
  const name = (): string => {
    made += 1;
    return `mike${made}`;
  };
  beforeAll(async () => {
    root = await service.admin();
  });
  beforeEach(async () => {
    service.clock.advance(20 * 60);
    await settle(service);
    mailbox.clear();
  });
  const register = (email: string, username = name()) =>
    service.post(registration, { body: { email, username, password: newPassword } });
  const confirm = (token: string) => service.post(`${registration}/confirm`, { body: { token } });
  const create = (email: string) =>
    service.post<{ id: number; email: string }>('/admin/users', {
      token: root,
      body: { user: { username: name(), email, password: commonPassword } },
    });
  const signIn = async (account: string, password: string) =>
    (await service.post('/api/v1/auth/login', { body: { account, password } })).status;

  describe('registration', () => {
    it.each(lookAlikes)(
      'registration is refused in %s, which looks like a permitted domain',
      async (domain) => {
        expect(fieldsOf(await register(`mike@${domain}`))).toEqual(['email']);
        expect(mailbox.messages).toEqual([]);
      },
    );

    it('knows a domain by its letters and by its labels, in each spelling', async () => {
      for (const domain of [
        '例子.中国',
        'XN--FSQU00A.xn--fiqs8s',
        'WEIẞ.example',
        'xn--wei-7ka.example',
        'GITHUB.Example',
      ])
        expect([domain, (await register(`${name()}@${domain}`)).status]).toEqual([domain, 200]);
      for (const domain of ['weiss.example', 'sub.例子.中国', 'xn--github-.example'])
        expect([domain, (await register(`${name()}@${domain}`)).status]).toEqual([domain, 422]);
    });

    it('mails to the address that it stores', async () => {
      const local = name();
      expect((await register(`${local}@例子.中国`)).status).toBe(200);
      const message = await mailbox.next();
      expect(message.to).toBe(`${local}@xn--fsqu00a.xn--fiqs8s`);
      const { status, data } = await confirm(linkToken(message));
      expect([status, data]).toMatchObject([201, { email: message.to }]);
      for (const spelling of [`${local}@例子.中国`, `${local.toUpperCase()}@XN--fsqu00a.xn--fiqs8s`])
        expect(await signIn(spelling, newPassword)).toBe(200);
    });

    it('gives a local part in other letters the mailbox to which the link went', async () => {
      const local = name();
      await register(`ｍ${local.slice(1)}@github.example`);
      const message = await mailbox.next();
      expect(message.to).toBe(`${local}@github.example`);
      expect((await confirm(linkToken(message))).data).toMatchObject({ email: message.to });
    });

    it('registration of a twin tells its owner nothing, nor does it take the address away', async () => {
      const local = name();
      const { data: twin } = await create(`${local}ß@github.example`);
      expect((await register(`${local}ss@github.example`)).status).toBe(200);
      const message = await mailbox.next();
      expect(message).toMatchObject({ to: `${local}ss@github.example`, template: 'registration' });
      const { status, data } = await confirm(linkToken(message));
      expect([status, data]).toMatchObject([201, { email: `${local}ss@github.example` }]);
      expect(twin.email).toBe(`${local}ß@github.example`);
      await settle(service);
      expect(mailbox.messages).toEqual([message]);
    });
  });

  it.each(lookAlikes)('an account in %s is found by its own address only', async (domain, label) => {
    const local = name();
    const { data: twin } = await create(`${local}@${domain}`);
    expect(twin.email).toBe(`${local}@${label}`);
    const real = `${local}@github.example`;
    expect(await signIn(real, commonPassword)).toBe(401);
    expect((await service.post('/api/v1/auth/password_reset', { body: { account: real } })).status).toBe(200);
    const found = async (address: string) =>
      (await service.ok<{ id: number | null }>('POST', '/api/v1/find', { body: { address } })).id;
    expect(await found(real)).toBeNull();
    await settle(service);
    expect(mailbox.messages).toEqual([]);
    for (const own of [`${local}@${domain}`, `${local}@${label}`]) {
      expect(await signIn(own, commonPassword)).toBe(200);
      expect(await found(own)).toBe(twin.id);
    }
    expect((await register(real)).status).toBe(200);
    expect(await mailbox.next()).toMatchObject({ to: real, template: 'registration' });
    expect((await create(real)).status).toBe(201);
    expect(fieldsOf(await create(`${local}@${label.toUpperCase()}`))).toEqual(['email']);
  });

  it('a change by an administrator and a user of the command line are held to the same form', async () => {
    const user = await service.createUser(['viewer']);
    const local = name();
    const changed = await service.ok<{ email: string }>('PATCH', `/admin/users/${user.id}`, {
      token: root,
      body: { user: { email: `${local}@gıthub.example` } },
    });
    expect(changed.email).toBe(`${local}@xn--gthub-n4a.example`);
    const made = ['user', 'create', '--username', name(), '--email', `${local}@github.example`, '--json'];
    const { status, stdout } = await run(made, { env: service.env, now: service.clock.now() });
    expect(status).toBe(0);
    const { id } = JSON.parse(stdout);
    expect(await service.server.services.users.idByAccount(`${local}@github.example`)).toBe(id);
  });

  describe("a user's own change of address", () => {
    const request = (user: TestUser, email: string) =>
      service.post('/api/v1/auth/email', { token: user, body: { email, password: user.password } });

    it('stays in the domains in which users may register', async () => {
      const user = await service.createUser(['viewer']);
      for (const email of ['x@elsewhere.example', 'x@gıthub.example', 'x@sub.github.example'])
        expect([email, fieldsOf(await request(user, email))]).toEqual([email, ['email']]);
      expect(mailbox.messages).toEqual([]);
      const email = `${name()}@例子.中国`;
      expect((await request(user, email)).status).toBe(200);
      const message = await mailbox.next();
      expect(message.to).toBe(email.replace('例子.中国', 'xn--fsqu00a.xn--fiqs8s'));
      const body = { token: linkToken(message) };
      expect((await service.post('/api/v1/auth/email/confirm', { body })).status).toBe(200);
      expect(await signIn(email, user.password)).toBe(200);
    });

    it("a user's own change of address is free for administrators, who could set any address", async () => {
      const chief = await service.createUser(['admin']);
      expect((await request(chief, `${name()}@elsewhere.example`)).status).toBe(200);
      const user = await service.createUser(['viewer']);
      const email = `${name()}@elsewhere.example`;
      await service.ok('PATCH', `/admin/users/${user.id}`, { token: root, body: { user: { email } } });
    });
  });
});
