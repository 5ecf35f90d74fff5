import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApplication } from '../../src/app/application.ts';
import { readConfig } from '../../src/app/config.ts';
import { createServer } from '../../src/app/server.ts';
import { createSecretBox } from '../../src/auth/secret-box.ts';
import type { MailOption, OutgoingMail } from '../../src/delivery/mail/mail-options.ts';
import { senderOf } from '../../src/delivery/mail/mail-options.ts';
import { mailTemplates } from '../../src/delivery/mail/mail-queue.ts';
import { createMailSender } from '../../src/delivery/mail/sender.ts';
import { standardTexts } from '../../src/delivery/mail/templates.ts';
import { locales } from '../../src/kernel/messages/catalogue.ts';
import { headersOf, plainTextOf, receiveMail } from '../support/smtp.ts';

const secrets = createSecretBox('s'.repeat(32), 'mail');
const baseUrl = 'https://api.example.com/base';
const token = 'T'.repeat(43);

const now = Date.parse('2026-05-01T00:00:00.000Z');

const sendWith = (mail: MailOption, password?: string) =>
  createMailSender({
    ...{
      mail,
      service: 'Shop',
      linkPlace: { baseUrl, pages: undefined },
      secrets,
      clock: () => now,
      password: () => password,
    },
    logger: { info: () => {} } as never,
  }).send;

const message = {
  template: 'password_reset',
  to: 'ann@example.com',
  locale: 'en',
  username: 'ann',
  name: 'Ann',
  path: '/account/password_reset',
  sealed_token: secrets.seal(token),
  expires_at: '2026-05-01T00:30:00.000Z',
} as const;

const from = 'The Service <service@example.com>';

describe('mail by SMTP', () => {
  it('mail by SMTP is delivered with both texts, to the one recipient', async () => {
    const { port, received } = await receiveMail();
    await sendWith({ smtp: `smtp://127.0.0.1:${port}`, from })(message, 7);
    const [mail] = received;
    if (mail === undefined) throw new Error('nothing was received');
    expect(mail).toMatchObject({ from: 'service@example.com', to: ['ann@example.com'] });
    const headers = headersOf(mail);
    expect(headers.get('from')).toEqual(['The Service <service@example.com>']);
    expect(headers.get('to')).toEqual(['ann@example.com']);
    expect(headers.get('message-id')).toEqual(['<gatewright-7@api.example.com>']);
    expect(headers.get('auto-submitted')).toEqual(['auto-generated']);
    expect(plainTextOf(mail)).toContain(`${baseUrl}/account/password_reset#${token}`);
    expect(mail.raw).toContain('text/html');
  });

  it('mail by SMTP is authenticated with the credential, and waits while there is none', async () => {
    const { port, received, connections } = await receiveMail({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        password === 'p@ss word' ? done(null, { user: String(username) }) : done(new Error('refused')),
    });
    const options = { smtp: `smtp://mailer%40example.com@127.0.0.1:${port}`, from };
    await expect(sendWith(options)(message, 1)).rejects.toThrow('smtp_password');
    expect(connections()).toBe(0);
    await expect(sendWith(options, 'wrong')(message, 1)).rejects.toThrow();
    await sendWith(options, 'p@ss word')(message, 1);
    expect(received.map(({ user }) => user)).toEqual(['mailer@example.com']);
  });

  it('mail by SMTP is not sent without encryption to another machine, unless that is permitted', async () => {
    const { port, received } = await receiveMail();
    // Resolves to this machine, and is not one of its names.
    const smtp = `smtp://0.0.0.0:${port}`;
    await expect(sendWith({ smtp, from })(message, 1)).rejects.toThrow(/TLS/);
    expect(received).toEqual([]);
    await sendWith({ smtp, from, tls: false })(message, 1);
    expect(received).toHaveLength(1);
  });

  it.each(['smtp', 'smtps'])(
    'mail is not sent by %s to a server with a certificate of its own',
    async (scheme) => {
      const { port, received } = await receiveMail({ disabledCommands: [], secure: scheme === 'smtps' });
      await expect(sendWith({ smtp: `${scheme}://0.0.0.0:${port}`, from })(message, 1)).rejects.toThrow(
        /self.signed|certificate/i,
      );
      expect(received).toEqual([]);
    },
  );

  it('fails for a refused recipient and a server that is gone', async () => {
    const { port } = await receiveMail({
      onRcptTo: (_address, _session, done) => done(new Error('no such mailbox')),
    });
    await expect(sendWith({ smtp: `smtp://127.0.0.1:${port}`, from })(message, 1)).rejects.toThrow(
      'no such mailbox',
    );
    await expect(sendWith({ smtp: 'smtp://127.0.0.1:1', from })(message, 1)).rejects.toThrow('ECONNREFUSED');
  });

  it.each([
    ['a name with a line break', { name: 'Ann\r\nBcc: eve@evil.test' }],
    ['a username with a line break', { username: 'ann\nBcc: eve@evil.test\n\nbody' }],
    ['a separator of Unicode', { name: 'Ann\u2028Bcc: eve@evil.test' }],
    ['markup', { name: '<script>alert(1)</script>', username: '"><img src=x>' }],
  ])('contains %s as text', async (_name, values) => {
    const { port, received } = await receiveMail();
    const template = (given: Parameters<typeof standardTexts>[0]) => {
      const texts = standardTexts(given);
      return { ...texts, subject: `${texts.subject} ${given.name} ${given.username}` };
    };
    const options = { smtp: `smtp://127.0.0.1:${port}`, from, templates: { password_reset: template } };
    await sendWith(options)({ ...message, ...values }, 1);
    const [mail] = received;
    if (mail === undefined) throw new Error('nothing was received');
    expect(mail.to).toEqual(['ann@example.com']);
    expect(headersOf(mail).get('bcc')).toBeUndefined();
    expect(headersOf(mail).get('to')).toEqual(['ann@example.com']);
    expect(mail.raw.slice(mail.raw.indexOf('text/html'))).not.toMatch(/<script>|<img/);
  });

  it.each([
    'ann,eve@evil.test',
    'ann;eve@evil.test',
    '"ann"@example.com',
    'ann(eve)@example.com',
    'Ann <ann@example.com',
    'ann>@example.com',
    'ann\\@example.com',
    'ann，eve@evil.test',
    'ann@example.com\r\nRCPT TO:<eve@evil.test>',
    'ann@[127.0.0.1]',
  ])('mail does not go to %j, which a mail server could read as another address', async (to) => {
    const { port, received } = await receiveMail();
    const sent = sendWith({ smtp: `smtp://127.0.0.1:${port}`, from })({ ...message, to }, 1);
    await expect(sent).rejects.toThrow('not one to which mail can be sent');
    expect(received).toEqual([]);
  });

  it.each(['ann+tag@example.com', "o'hara@example.com", 'a.b_c%d=e@example.com', '=?utf-8?q?a?=@x.test'])(
    'goes to %j',
    async (to) => {
      const { port, received } = await receiveMail();
      await sendWith({ smtp: `smtp://127.0.0.1:${port}`, from })({ ...message, to }, 1);
      expect(received.map((mail) => mail.to)).toEqual([[to]]);
    },
  );
});

describe('mail', () => {
  it('mail has texts of its own in every language, without and with a link', () => {
    for (const template of mailTemplates)
      for (const locale of locales) {
        const facts = { change: 'key_created', changed: 'Deployment', keys: 2, linkedAccounts: 1 } as const;
        const values = { template, locale, service: 'api.example.com', name: '', username: 'ann', ...facts };
        const {
          subject,
          text,
          html = '',
        } = standardTexts({ ...values, url: 'https://x/#t', token: 't', validity: '1' });
        expect(subject).toContain('api.example.com');
        for (const part of [text, html])
          expect([template, part.includes('https://x/#t')]).toEqual([template, true]);
        expect(standardTexts({ ...values, url: '', token: '', validity: '' }).html).not.toContain('<a ');
      }
  });

  it('uses the templates of the application', async () => {
    const received: OutgoingMail[] = [];
    const { port, received: byServer } = await receiveMail();
    const templates = {
      password_reset: ({ url, locale }: { readonly url: string; readonly locale: string }) => ({
        subject: `Own ${locale}`,
        text: `Open ${url}`,
      }),
    };
    await sendWith({ smtp: `smtp://127.0.0.1:${port}`, from, templates })(message, 1);
    expect(headersOf(byServer[0] ?? { raw: '', from: '', to: [], user: undefined }).get('subject')).toEqual([
      'Own en',
    ]);
    await sendWith((mail) => received.push(mail))(message, 1);
    expect(received).toEqual([
      expect.objectContaining({ to: 'ann@example.com', template: 'password_reset' }),
    ]);
  });

  it('mail is not sent once its link has expired, or cannot be decrypted', async () => {
    const received: OutgoingMail[] = [];
    const send = sendWith((mail) => received.push(mail));
    await expect(send({ ...message, expires_at: '2026-05-01T00:00:00.000Z' }, 1)).rejects.toThrow('expired');
    const sealed = createSecretBox('o'.repeat(32), 'mail').seal(token);
    await expect(send({ ...message, sealed_token: sealed }, 1)).rejects.toThrow('server secret');
    expect(received).toEqual([]);
  });
});

describe('options of mail and registration', () => {
  const flawOf = (config: object): string => {
    try {
      createApplication({ config });
    } catch (error) {
      return String(error);
    }
    return '';
  };
  const smtp = 'smtps://mailer@mail.example.com';

  it.each([
    [{ mail: { smtp, from } }, ''],
    [{ mail: 'log' }, ''],
    [{ mail: () => {}, registration: { roles: ['editor'], domains: ['example.com'], verified: true } }, ''],
    [{ mail: 'smtp' }, "mail must be 'log', { smtp, from } or a function"],
    [{ mail: { smtp } }, 'mail needs smtp and from'],
    [{ mail: { smtp: 'smtps://mailer:secret@mail.example.com', from } }, 'must not contain the password'],
    [{ mail: { smtp: 'https://mail.example.com', from } }, 'mail.smtp must be smtp://user@host'],
    [{ mail: { smtp: `${smtp}?tls=off`, from } }, 'mail.smtp has no path and no parameters'],
    [{ mail: { smtp, from: 'Service' } }, 'mail.from must be'],
    [{ mail: { smtp, from: 'a@example.com\r\nBcc: b@example.com' } }, 'mail.from must be'],
    [{ mail: { smtp, from, tls: true } }, 'mail.tls must be false'],
    [{ mail: { smtp, from, templates: { welcome: () => {} } } }, 'there is no message "welcome"'],
    [{ mail: { smtp, from, form: '' } }, 'there is no option "mail.form"'],
    [{ registration: {} }, 'registration verifies addresses by mail: set mail too'],
    [{ mail: 'log', registration: true }, 'registration must be an object'],
    [{ mail: 'log', registration: { roles: ['admin'] } }, 'users cannot register as admin'],
    [{ mail: 'log', registration: { roles: [] } }, 'registration.roles must have at least one entry'],
    [{ mail: 'log', registration: { domains: [] } }, 'no address could register'],
    [
      { mail: 'log', registration: { domains: ['@example.com'] } },
      'registration.domains[0] must be a domain',
    ],
    [{ mail: 'log', registration: { verified: false } }, 'registration.verified must be true'],
  ])('options of mail and registration are checked: %j: %s', (config, flaw) => {
    if (flaw === '') expect(flawOf(config)).toBe('');
    else expect(flawOf(config)).toContain(flaw);
  });

  it.each([
    ['a@example.com', { name: '', address: 'a@example.com' }],
    ['A B <a@example.com>', { name: 'A B', address: 'a@example.com' }],
    ['<a@example.com>', { name: '', address: 'a@example.com' }],
    ['A B a@example.com', undefined],
    ['a@example.com>', undefined],
    ['A, B <a@example.com>, c@example.com', undefined],
  ])('the sender is read from %j', (text, sender) => {
    expect(senderOf(text)).toEqual(sender);
  });
});

describe('the preview of gatewright dev', () => {
  const open = async (options: object) => {
    const directory = await mkdtemp(join(tmpdir(), 'gatewright-mail-'));
    const server = await createServer({
      config: readConfig({
        ...{
          PORT: '0',
          DATA_DIR: directory,
          DATABASE_URL: `sqlite:${join(directory, 'a.db')}`,
          JWT_SECRET: 's'.repeat(32),
        },
        ...{ ADMIN_PASSWORD: 'tulip-anvil-47 kettle', LOG_LEVEL: 'silent' },
      }),
      application: createApplication({ config: { mail: 'log' } }),
      ...options,
    });
    onTestFinished(async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    });
    return async (path: string) => server.inject({ method: 'GET', path });
  };

  it('shows every message in both languages and both forms, and runs nothing of them', async () => {
    const get = await open({ development: true });
    const { text: contents, headers } = await get('/dev/mail');
    expect(headers['content-security-policy']).toContain('sandbox');
    const paths = [...contents.matchAll(/href="([^"]+)"/g)].map(([, path = '']) => path);
    expect(paths).toHaveLength(mailTemplates.length * 4);
    for (const path of paths) {
      const { status, text } = await get(`/dev/${path}`);
      expect([path, status]).toEqual([path, 200]);
      expect(text.length).toBeGreaterThan(50);
    }
    expect((await get('/dev/mail/registration/zh-CN/html')).text).toContain('#sample-token');
    for (const path of ['nothing/en/html', 'registration/de/html', 'registration/en/pdf'])
      expect((await get(`/dev/mail/${path}`)).status).toBe(404);
  });

  it('the preview of mail does not exist outside of gatewright dev', async () => {
    const get = await open({});
    expect((await get('/dev/mail')).status).toBe(404);
  });
});
