import { describe, expect, it } from 'vitest';
import { describeDatabase } from '../support/databases.ts';
import { Mailbox } from '../support/mailbox.ts';
import { startService, useService } from '../support/service.ts';

const html = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const mailbox = new Mailbox();

interface Description {
  readonly info: { readonly title: string };
  readonly 'x-gatewright': object;
}

const descriptionIn = ({ text }: { readonly text: string }): Description => JSON.parse(text);

describeDatabase('sqlite', 'the name of an application', (databases) => {
  const service = useService(databases, {
    application: {
      config: {
        name: 'Tea "& Cups" <script>',
        environment: 'staging',
        colour: '#e0567a',
        mail: mailbox.receive,
      },
      manifest: { name: 'tea', version: '1.4.2' },
    },
    env: { LOCALE: 'en' },
  });
  const shown = 'Tea &quot;&amp; Cups&quot; &lt;script&gt;';

  it('the administration pages carry it as text, whatever characters it has', async () => {
    const { text } = await service.get('/admin', { headers: html });
    expect(text).toContain(`data-application="${shown}"`);
    expect(text).toContain(' data-environment="staging" data-colour="#e0567a" data-ink="#000000"');
    expect(text).toContain(`<title>${shown} (staging)</title>`);
    expect(text).not.toContain('Cups" <');
  });

  it('the documentation page and the description carry it, with the version of the application', async () => {
    expect((await service.get('/api-docs')).text).toContain(`<title>${shown} (staging) API</title>`);
    const { info, 'x-gatewright': extension } = descriptionIn(await service.get('/api-docs/openapi.json'));
    expect(info).toMatchObject({ title: 'Tea "& Cups" <script> (staging) API', version: '1.4.2' });
    expect(extension).toMatchObject({
      software: { name: 'Gatewright' },
      application: {
        name: 'Tea "& Cups" <script>',
        version: '1.4.2',
        environment: { label: 'staging', colour: '#e0567a', ink: '#000000' },
      },
    });
  });

  it('mails name the application and its environment, and no host', async () => {
    const root = await service.admin();
    mailbox.clear();
    await service.ok('POST', '/api/v1/auth/password_reset', { body: { account: root.username } });
    const { subject, text } = await mailbox.next();
    expect(subject).toBe('Reset your password for Tea "& Cups" <script> (staging)');
    expect(text.replaceAll(/https?:\S+/g, '')).not.toContain('127.0.0.1');
  });

  it('administrators see it beside the version of the software', async () => {
    const { token } = await service.admin();
    const about = await service.ok<{ readonly version: string; readonly application: unknown }>(
      'GET',
      '/admin/service',
      { token },
    );
    expect(about.application).toEqual({
      name: 'Tea "& Cups" <script>',
      version: '1.4.2',
      environment: 'staging',
    });
    expect(about.version).not.toBe('1.4.2');
  });

  it('an authenticator application shows it', async () => {
    const root = await service.admin();
    const cookie = await service.signIn(root);
    const begun = await service.post<{ readonly url: string }>('/admin/second-factor/totp', {
      headers: { Cookie: cookie, Origin: service.origin },
      body: { password: root.password },
    });
    expect(begun.status).toBe(201);
    expect(new URL(begun.json.data?.url ?? '').searchParams.get('issuer')).toBe(
      'Tea "& Cups" <script> (staging) 127.0.0.1',
    );
  });
});

describeDatabase('sqlite', 'an application without a name', (databases) => {
  describe('without a configuration and a package.json', () => {
    it('pages show the name of the software, and no environment', async () => {
      await using service = await startService(databases);
      const { text } = await service.get('/admin', { headers: html });
      expect(text).toContain('<title>Gatewright</title>');
      expect(text).toContain('data-application="Gatewright"');
      expect(text).not.toContain('data-environment');
      expect(descriptionIn(await service.get('/api-docs/openapi.json')).info.title).toBe('Gatewright API');
    });

    it('production is not mentioned in titles', async () => {
      await using service = await startService(databases, {
        application: { config: { name: 'Shop', environment: 'production' } },
      });
      const { text } = await service.get('/admin', { headers: html });
      expect(text).toContain('<title>Shop</title>');
      expect(text).toContain('data-environment="production" data-colour="#2a7d86"');
    });
  });
});
