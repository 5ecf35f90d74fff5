import { expect, it } from 'vitest';
import { readConfig } from '../../src/app/config.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { defineJob } from '../../src/delivery/jobs.ts';
import { field } from '../../src/fields/define.ts';
import { type Label, labelText } from '../../src/kernel/messages.ts';
import { defineProblem } from '../../src/model/define-problem.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { linkToken, Mailbox } from '../support/mailbox.ts';
import { useService } from '../support/service.ts';

/** Languages of `LOCALE=auto:de,en,fr`: the texts below have German, or French alone. */
const fields = {
  title: field.string({ required: true, max: 5, label: { de: 'Titel', fr: 'Titre' } }),
  state: field.enum(['new', 'old'], {
    label: { de: 'Zustand' },
    group: { fr: 'Détails' },
    labels: { new: { de: 'neu' }, old: 'old' },
  }),
};

const ware = defineResource('Ware', {
  label: { de: 'Ware' },
  menu: { fr: 'Boutique' },
  fields,
  hooks: {
    beforeSave: ({ values, addError }) => {
      if (values.title === 'no') addError('title', { de: 'nicht so', fr: 'pas ainsi' });
    },
  },
});

const closed = defineProblem({
  status: 409,
  number: 50,
  message: { de: '{shop} ist zu', fr: '{shop} est fermé' },
});

const endpoints = [
  defineEndpoint({
    method: 'POST',
    path: '/closed',
    auth: [],
    summary: { de: 'Schließt' },
    input: { place: field.string({ required: true, label: { de: 'Ort' } }) },
    problems: [closed],
    handle: ({ values }) => {
      throw closed({ shop: values.place });
    },
  }),
];

const spoken: string[] = [];
const jobs = {
  speak: defineJob({
    handle: ({ language }) => {
      spoken.push(language);
    },
  }),
};

const mailbox = new Mailbox();

const application = {
  resources: [ware],
  endpoints,
  jobs,
  migrations: {
    '0001_wares': {
      up: (db: Parameters<typeof createTable>[0], dialect: Parameters<typeof createTable>[1]) =>
        createTable(db, dialect, 'wares', { fields }),
    },
  },
  config: { mail: mailbox.receive, registration: {} },
};

const inLanguage = (language: string) => ({ 'accept-language': language });

describeEachDatabase('LOCALE=auto:de,en,fr', (databases) => {
  const service = useService(databases, { application, env: { LOCALE: 'auto:de,en,fr' } });

  it.each([
    [undefined, 'de'],
    ['en', 'en'],
    ['fr-CH, en;q=0.5', 'fr'],
    ['zh-CN', 'de'],
    ['zh-CN, en;q=0.1', 'en'],
    ['*', 'de'],
  ])('responds to Accept-Language: %s in %s, of the declared languages only', async (header, language) => {
    const headers = header === undefined ? {} : inLanguage(header);
    const { json, headers: sent } = await service.get('/api/v1/nothing', { headers });
    // The service has its own texts in English here.
    expect([sent['content-language'], json.message]).toEqual([language, 'Path does not exist']);
  });

  it('a text without the language of the request is in the first language, then in any', async () => {
    const { token } = await service.admin();
    const message = async (language: string, title: string) => {
      const sent = { token, body: { ware: { title } }, headers: inLanguage(language) };
      return (await service.post('/api/v1/wares', sent)).json.message;
    };
    expect(await message('de', 'no')).toBe('nicht so');
    expect(await message('fr', 'no')).toBe('pas ainsi');
    expect(await message('en', 'no')).toBe('nicht so');
    expect(await message('fr', 'too long')).toBe('Titre must have at most 5 characters');
    expect(await message('en', 'too long')).toBe('Titel must have at most 5 characters');
    const problem = async (language: string, place: string) =>
      (await service.post('/api/v1/closed', { body: { place }, headers: inLanguage(language) })).json.message;
    expect([await problem('en', 'A'), await problem('fr', 'A')]).toEqual(['A ist zu', 'A est fermé']);
    expect(await problem('fr', '')).toBe('Ort must not be blank');
  });

  it('describes models and endpoints with the same texts', async () => {
    const { token } = await service.admin();
    type Described = {
      label: string;
      menu: string;
      fields: { name: string; group?: string; choices?: object }[];
    };
    const meta = async (query: string) =>
      (await service.get<Described>(`/api/v1/meta/Ware${query}`, { token })).data;
    const french = await meta('?lang=fr');
    expect(french).toMatchObject({ label: 'Ware', menu: 'Boutique' });
    expect(french.fields.find(({ name }) => name === 'state')).toMatchObject({
      label: 'Zustand',
      group: 'Détails',
      choices: [
        { value: 'new', label: 'neu' },
        { value: 'old', label: 'old' },
      ],
    });
    expect((await meta('?lang=zh-CN')).label).toBe('Ware');
    const { text } = await service.get('/api-docs/openapi.json', { headers: inLanguage('fr') });
    expect(JSON.parse(text).paths['/api/v1/closed'].post.summary).toBe('Schließt');
  });

  it('jobs run in the first language', async () => {
    await service.server.services.systemScope('test').jobs.add('speak', {});
    await expect.poll(() => spoken.at(-1), { timeout: 10_000 }).toBe('de');
  });

  it('a user keeps the language of the registration, and chooses another one for later mail', async () => {
    const body = { email: 'anne@example.com', username: 'anne', password: 'kettle-lamp-4-anvil' };
    await service.post('/api/v1/auth/register', { body, headers: inLanguage('fr') });
    const token = linkToken(await mailbox.next());
    await service.post('/api/v1/auth/register/confirm', { body: { token } });
    const login = { account: 'anne', password: body.password };
    const { data } = await service.post<{ token: string }>('/api/v1/auth/login', { body: login });
    const me = async () => (await service.get('/api/v1/auth/me', { token: data.token })).data;
    expect(await me()).toMatchObject({ username: 'anne', locale: 'fr' });
    const sendReset = async (): Promise<string> => {
      await service.post('/api/v1/auth/password_reset', {
        body: { account: 'anne' },
        headers: inLanguage('en'),
      });
      return (await mailbox.next()).locale;
    };
    expect(await sendReset()).toBe('fr');

    const change = (user: object) =>
      service.request('PATCH', '/api/v1/auth/me', { token: data.token, body: { user } });
    expect((await change({ locale: 'de' })).data).toMatchObject({ username: 'anne', locale: 'de' });
    expect(await sendReset()).toBe('de');
    for (const locale of ['zh-CN', 'it', 'de-AT', '', 5]) {
      const refused = await change({ locale });
      expect([refused.status, (await me())['locale']]).toEqual([422, 'de']);
    }
    expect((await change({})).data['locale']).toBe('de');
    expect((await change({ locale: null })).data['locale']).toBe(null);
    expect(await sendReset()).toBe('en');
  });

  it('a language that the service no longer has is not that of mail', async () => {
    const { id, email } = await service.createUser();
    const { users } = service.server.services;
    await users.update(id, { locale: 'zh-CN' }, { principal: 'service', address: null });
    await service.post('/api/v1/auth/password_reset', {
      body: { account: email },
      headers: inLanguage('en'),
    });
    expect((await mailbox.next()).locale).toBe('en');
  });
});

describeEachDatabase('LOCALE=auto:en,de with accounts.rename', (databases) => {
  const service = useService(databases, {
    application: { config: { accounts: { rename: true } } },
    env: { LOCALE: 'auto:en,de' },
  });

  it('users change their name and their language in one request, or neither', async () => {
    const { id, token } = await service.createUser();
    const change = (user: object) => service.request('PATCH', '/api/v1/auth/me', { token, body: { user } });
    const me = async () => {
      const { name, locale } = (await service.get('/api/v1/auth/me', { token })).data;
      return [name, locale];
    };
    expect((await change({ name: 'Anne', locale: 'de' })).data).toMatchObject({ name: 'Anne', locale: 'de' });
    expect(await me()).toEqual(['Anne', 'de']);
    for (const user of [
      { name: '', locale: 'en' },
      { name: 'Other', locale: 'fr' },
    ])
      expect((await change(user)).status).toBe(422);
    expect(await me()).toEqual(['Anne', 'de']);
    expect((await change({ name: 'Ann' })).data).toMatchObject({ name: 'Ann', locale: 'de' });
    expect((await change({ locale: null })).data).toMatchObject({ name: 'Ann', locale: null });
    const { token: admin } = await service.admin();
    const path = `/admin/audit?filter[target_id]=${id}&filter[action]=user.update&sort=id`;
    const { data } = await service.get<{ detail: object }[]>(path, { token: admin });
    const written = [['name', 'locale'], ['name'], ['locale']].map((fields) => ({ fields }));
    expect(data.map(({ detail }) => detail)).toEqual(written);
  });
});

describeEachDatabase('LOCALE=auto', (databases) => {
  const service = useService(databases, {
    application: { config: application.config },
    env: { LOCALE: 'auto' },
  });

  it('no user has a language, nor can they choose one', async () => {
    const { token } = await service.createUser();
    expect((await service.get('/api/v1/auth/me', { token })).data).not.toHaveProperty('locale');
    const { status } = await service.request('PATCH', '/api/v1/auth/me', {
      token,
      body: { user: { locale: 'en' } },
    });
    expect(status).toBe(405);
  });

  it('sends mail in the language of each request', async () => {
    const body = { email: 'anne@example.com', username: 'anne', password: 'kettle-lamp-4-anvil' };
    await service.post('/api/v1/auth/register', { body, headers: inLanguage('en') });
    const token = linkToken(await mailbox.next());
    await service.post('/api/v1/auth/register/confirm', { body: { token } });
    await service.post('/api/v1/auth/password_reset', {
      body: { account: 'anne' },
      headers: inLanguage('zh-CN'),
    });
    expect((await mailbox.next()).locale).toBe('zh-CN');
  });
});

it.each([
  ['auto:en,de', { locale: 'en', negotiated: true, declared: ['en', 'de'] }],
  ['auto: pt-BR , en', { locale: 'pt-BR', negotiated: true, declared: ['pt-BR', 'en'] }],
  ['auto', { locale: 'zh-CN', negotiated: true, declared: undefined }],
  ['en', { locale: 'en', negotiated: false, declared: undefined }],
])('LOCALE=%s is read', (LOCALE, { locale, negotiated, declared }) => {
  const config = readConfig({ LOCALE });
  expect([config.locale, config.negotiated, config.declared]).toEqual([locale, negotiated, declared]);
});

it.each(['auto:', 'auto:en,', 'auto:en,en', 'auto:en_US', 'auto:en;de', 'en,de'])(
  'LOCALE=%s is refused',
  (LOCALE) => {
    expect(() => readConfig({ LOCALE })).toThrow('LOCALE: expected');
  },
);

it.each<[label: object, message: string]>([
  [{ lable: 'x' }, 'there is no option "label.lable": a text per language is named by language'],
  [{ de_AT: 'x' }, 'there is no option "label.de_AT"'],
  [{ DE: 'x' }, 'there is no option "label.DE"'],
  [{}, 'label has no text in any language'],
  [{ de: '' }, 'label.de must be a text'],
  [{ de: 5 }, 'label.de must be a text'],
])('a label %j is refused by name', (label, message) => {
  expect(() => defineResource('Ware', { label: label as Label, fields: {} })).toThrow(message);
});

it('a text in a wider language stands for that of a narrower one', () => {
  const texts = { fr: 'Article', pt: 'Artigo' };
  expect(['pt-BR', 'pt', 'de'].map((locale) => labelText(texts, locale))).toEqual([
    'Artigo',
    'Artigo',
    'Article',
  ]);
});
