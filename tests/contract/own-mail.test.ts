import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApplication } from '../../src/app/application.ts';
import { readConfig } from '../../src/app/config.ts';
import { createServer } from '../../src/app/server.ts';
import { defineMail, type MailDefinition } from '../../src/delivery/mail.ts';
import type { OwnMail, TemplateMail } from '../../src/model/mail.ts';
import type { Scope } from '../../src/model/scope.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { testApplication } from '../../src/testing/testing.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { Mailbox } from '../support/mailbox.ts';
import { useService } from '../support/service.ts';

const mailbox = new Mailbox();

const reminder = defineMail({
  subject: { en: 'Your appointment at {clinic}', de: 'Ihr Termin bei {clinic}' },
  text: { en: 'Hello {name},\n\nsee you at {time}.', de: 'Guten Tag {name},\n\nbis {time} Uhr.' },
  html: { en: "<p title='{name}'>Hello {name}, at <b>{time}</b> {not a value}</p>" },
  sample: { clinic: 'Nord', name: 'Ann Lee', time: 9 },
});

const plain = defineMail({
  subject: 'Note',
  text: 'First <b>\nline\n\nSecond {name}',
  sample: { name: 'x' },
});

const send = (path: string, mail: boolean, how: (scope: Scope, body: object) => Promise<void>) =>
  defineEndpoint({ method: 'POST', path, mail, handle: async ({ body, ...scope }) => how(scope, body) });

const asGiven = (body: object) => body as OwnMail | TemplateMail;

const endpoints = [
  send('/mail', true, ({ mail }, body) => mail.send(asGiven(body))),
  send('/no-mail', false, ({ mail }, body) => mail.send(asGiven(body))),
  send('/system-mail', false, ({ asSystem }, body) => asSystem('reminders').mail.send(asGiven(body))),
  send('/rolled-back', true, ({ transaction }, body) =>
    transaction(async ({ mail }) => {
      await mail.send(asGiven(body));
      throw new Error('no');
    }),
  ),
  send('/committed', true, ({ transaction }, body) => transaction(({ mail }) => mail.send(asGiven(body)))),
];

const to = 'ann@example.com';
const message = { to, subject: 'Hello', text: 'Text' };

const application = { endpoints, mails: { reminder, plain }, config: { mail: mailbox.receive } };

describeEachDatabase('mail from code', (databases) => {
  const service = useService(databases, { application, env: { LOCALE: 'auto:en,de', JOBS: 'off' } });
  const waiting = async (): Promise<readonly Readonly<Record<string, unknown>>[]> =>
    (await service.server.jobs.outbox.waiting()).map(({ name, input }) => ({ name, ...input }));
  const removeAll = () =>
    service.server.services.database.execute({ sql: 'delete from gatewright_jobs', parameters: [] });
  const post = async (path: string, body: object) => {
    const { token } = await service.createUser();
    return service.post<{ errors: { field: string; rule: string }[] }>(`/api/v1${path}`, { token, body });
  };

  it('a message is one job, after a commit only', async () => {
    for (const [path, status, jobs] of [
      ['/mail', 200, 1],
      ['/system-mail', 200, 1],
      ['/committed', 200, 1],
      ['/rolled-back', 500, 0],
      ['/no-mail', 500, 0],
    ] as const) {
      const response = await post(path, { ...message, html: '<p>Text</p>', locale: 'de' });
      const stored = await waiting();
      expect([path, response.status, stored.length]).toEqual([path, status, jobs]);
      if (jobs === 1)
        expect(stored[0]).toEqual({
          name: 'application-mail',
          ...message,
          html: '<p>Text</p>',
          locale: 'de',
        });
      await removeAll();
    }
    expect(service.lines.join('')).toContain('set mail: true on the endpoint, or use asSystem(reason).mail');
  });

  it.each<[mail: object, field: string, rule: string]>([
    [{ ...message, to: 'a@example.com, b@example.com' }, 'to', 'one_address'],
    [{ ...message, to: ['a@example.com'] }, 'to', 'one_address'],
    [{ ...message, to: 'Ann <a@example.com>' }, 'to', 'one_address'],
    [{ ...message, to: 'a@example.com\r\nBcc: b@example.com' }, 'to', 'one_address'],
    [{ ...message, to: '' }, 'to', 'one_address'],
    [{ ...message, to: undefined }, 'to', 'one_address'],
    [{ ...message, subject: 'Hi\r\nBcc: b@example.com' }, 'subject', 'one_line'],
    [{ ...message, subject: 'Hi\u2028there' }, 'subject', 'one_line'],
    [{ ...message, subject: '' }, 'subject', 'required'],
    [{ ...message, subject: 'x'.repeat(251) }, 'subject', 'max_length'],
    [{ ...message, text: 'x'.repeat(200_001) }, 'text', 'max_length'],
    [{ ...message, html: 'x'.repeat(200_001) }, 'html', 'max_length'],
    [{ ...message, text: undefined }, 'text', 'required'],
    [{ ...message, text: 5 }, 'text', 'type'],
    [{ ...message, locale: 'de_AT' }, 'locale', 'language'],
  ])('mail %j is refused and stores nothing', async (mail, field, rule) => {
    const { status, data } = await post('/mail', mail);
    expect([status, data.errors]).toEqual([422, [expect.objectContaining({ field, rule })]]);
    expect(await waiting()).toEqual([]);
  });

  it.each<[mail: object, line: string]>([
    [{ ...message, bcc: 'b@example.com' }, 'there is no option \\"bcc\\"'],
    [{ to, template: 'remind', values: {} }, 'there is no file mails/remind: the nearest is \\"reminder\\"'],
    [{ to, template: 'reminder', subject: 'x' }, 'there is no option \\"subject\\"'],
    [
      { to, template: 'reminder', values: { clinic: 'N', name: 'A' } },
      'the value \\"time\\" must be a text or a number',
    ],
    [
      { to, template: 'reminder', values: { clinic: 'N', name: 'A', tim: 'x' } },
      'there is no value \\"tim\\": the nearest is \\"time\\"',
    ],
  ])('a mistake of the code in mail %j is named in the log', async (mail, line) => {
    expect((await post('/mail', mail)).status).toBe(500);
    expect(service.lines.join('')).toContain(line);
    expect(await waiting()).toEqual([]);
  });

  it('a template is in the language that the user with the address has chosen, else in the first one', async () => {
    const values = { clinic: 'Nord\r\nBcc: x', name: `<b>"O'Neil" & {time}</b>`, time: '9' };
    const user = await service.createUser();
    const change = { token: user.token, body: { user: { locale: 'de' } } };
    expect((await service.request('PATCH', '/api/v1/auth/me', change)).status).toBe(200);
    await post('/committed', { to: user.email.toUpperCase(), template: 'reminder', values });
    await post('/mail', { to, template: 'reminder', values });
    const [german, english] = await waiting();
    expect(german).toMatchObject({
      locale: 'de',
      subject: 'Ihr Termin bei Nord Bcc: x',
      template: 'reminder',
    });
    expect(english).toMatchObject({
      locale: 'en',
      subject: 'Your appointment at Nord Bcc: x',
      text: `Hello ${values.name},\n\nsee you at 9.`,
    });
    const name = '&lt;b&gt;&quot;O&#39;Neil&quot; &amp; {time}&lt;/b&gt;';
    expect(english?.['html']).toBe(`<p title='${name}'>Hello ${name}, at <b>9</b> {not a value}</p>`);
    await removeAll();
    await post('/mail', { to, template: 'plain', values: { name: '<i>' } });
    const [made] = await waiting();
    expect(String(made?.['html'])).toContain('First &lt;b&gt;<br>line</p>');
    expect(String(made?.['html'])).toContain('Second &lt;i&gt;</p>');
    await removeAll();
  });
});

describeEachDatabase('mail from code, sent', (databases) => {
  const service = useService(databases, { application });

  it('a message leaves by the configured sender', async () => {
    const { mail } = service.server.services.systemScope('test');
    await mail.send({ ...message, html: '<p>Text</p>', locale: 'en' });
    expect(await mailbox.next()).toEqual({
      ...message,
      html: '<p>Text</p>',
      locale: 'en',
      template: undefined,
    });
    await mail.send({ to, template: 'reminder', values: { clinic: 'N', name: 'A', time: 1 }, locale: 'de' });
    expect(await mailbox.next()).toMatchObject({ template: 'reminder', subject: 'Ihr Termin bei N' });
  });
});

describeEachDatabase('an application without mail', (databases) => {
  const service = useService(databases, { application: { endpoints } });

  it('refuses to send, and says which option is missing', async () => {
    const { mail } = service.server.services.systemScope('test');
    await expect(mail.send(message)).rejects.toThrow('set `mail` in gatewright.config.ts');
  });
});

it('a test reads the messages that its jobs have sent, and nothing leaves by SMTP', async () => {
  const smtp = { smtp: 'smtp://user@127.0.0.1:1', from: 'noreply@example.com' };
  await using app = await testApplication({
    application: createApplication({ ...application, config: { mail: smtp } }),
    env: { LOCALE: 'en' },
  });
  await app.as('viewer').post('/api/v1/mail', message);
  await app
    .as('viewer')
    .post('/api/v1/rolled-back', message)
    .catch(() => {});
  expect(app.mails).toEqual([]);
  await app.jobs.run();
  expect(app.mails).toEqual([{ ...message, html: undefined, locale: 'en' }]);
});

it('a test takes LOCALE from the environment', async () => {
  const before = process.env['LOCALE'];
  onTestFinished(() => {
    if (before === undefined) delete process.env['LOCALE'];
    else process.env['LOCALE'] = before;
  });
  process.env['LOCALE'] = 'en';
  await using app = await testApplication({ application: createApplication({}) });
  expect((await app.anonymous.get('/api/v1/nothing')).message).toBe('Path does not exist');
});

describe('defineMail', () => {
  const text = 'Hello';
  it.each<[definition: object, message: string]>([
    [{ text }, 'it has no subject'],
    [{ subject: 'x' }, 'it has no text'],
    [
      { subject: 'x', text: { en: 'Hello {nme}' }, sample: { name: 'A' } },
      'sample has no value for {nme}: the nearest is "name"',
    ],
    [{ subject: 'x', text, html: '<p>{name}</p>' }, 'sample has no value for {name}'],
    [{ subject: 'x', text, sample: { name: true } }, 'sample.name must be a number or a text'],
    [{ subject: 'x', texts: text }, 'there is no option "texts"'],
  ])('%j is refused', (definition, flaw) => {
    expect(() => defineMail(definition as MailDefinition)).toThrow(flaw);
  });

  it('a message of the application has no name of the service', () => {
    expect(() => createApplication({ mails: { invitation: plain } })).toThrow(
      'the service sends this message',
    );
    expect(() => createApplication({ mails: { 'a b': plain } })).toThrow('a name is a letter');
    expect(() => createApplication({ mails: { note: { subject: 'x', text } } })).toThrow(
      'not made by defineMail',
    );
  });
});

describe('the preview of messages of the application', () => {
  const open = async (env: Readonly<Record<string, string>>) => {
    const directory = await mkdtemp(join(tmpdir(), 'gatewright-mail-'));
    const server = await createServer({
      config: readConfig({
        PORT: '0',
        DATA_DIR: directory,
        DATABASE_URL: `sqlite:${join(directory, 'a.db')}`,
        JWT_SECRET: 's'.repeat(32),
        ADMIN_PASSWORD: 'tulip-anvil-47 kettle',
        LOG_LEVEL: 'silent',
        LOCALE: 'auto:en,de',
        ...env,
      }),
      application: createApplication({ mails: { reminder } }),
      development: true,
    });
    onTestFinished(async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    });
    return async (path: string) => server.inject({ method: 'GET', path });
  };

  it('shows each with its sample in each language, without `mail` too', async () => {
    const get = await open({});
    const { text: contents } = await get('/dev/mail');
    const paths = [...contents.matchAll(/href="([^"]+)"/g)].map(([, path = '']) => path);
    expect(paths).toEqual(
      ['en', 'de'].flatMap((locale) => ['html', 'text'].map((each) => `mail/reminder/${locale}/${each}`)),
    );
    expect((await get('/dev/mail/reminder/de/text')).text).toBe(
      'Ihr Termin bei Nord\n\nGuten Tag Ann Lee,\n\nbis 9 Uhr.',
    );
    expect((await get('/dev/mail/reminder/de/html')).text).toContain('Hello Ann Lee');
    for (const path of ['reminder/fr/html', 'invitation/en/html', 'reminder/en/pdf'])
      expect((await get(`/dev/mail/${path}`)).status).toBe(404);
  });

  it('does not exist in production', async () => {
    const get = await open({ NODE_ENV: 'production', CREDENTIALS_KEY: 'x'.repeat(64) });
    expect((await get('/dev/mail')).status).toBe(404);
  });
});
