import { expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineProblem } from '../../src/model/define-problem.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { Mailbox } from '../support/mailbox.ts';
import { exchange } from '../support/raw-socket.ts';
import { useService } from '../support/service.ts';

const closed = defineProblem({
  status: 409,
  number: 50,
  message: { 'zh-CN': '{shop} 已打烊', en: '{shop} is closed' },
});

const fields = {
  name: field.string({ required: true, max: 5, label: { 'zh-CN': '品名', en: 'Title' } }),
  state: field.enum(['new', 'old'], { labels: { new: { 'zh-CN': '新', en: 'Fresh' } } }),
  amount: field.integer({ min: 1 }),
  code: field.string(),
  place: field.string(),
};

const ware = defineResource('Ware', {
  label: { 'zh-CN': '商品', en: 'Ware' },
  fields,
  unique: [['code', 'place']],
  hooks: {
    beforeSave: ({ values, addError }) => {
      if (values.name === 'no') addError('name', { 'zh-CN': '不行', en: 'not this' });
    },
  },
});

const endpoints = [
  defineEndpoint({
    method: 'GET',
    path: '/language',
    auth: [],
    handle: ({ language }) => ({ language }),
  }),
  defineEndpoint({
    method: 'GET',
    path: '/closed',
    auth: [],
    problems: [closed],
    handle: () => {
      throw closed({ shop: 'A' });
    },
  }),
];

const mailbox = new Mailbox();

const application = {
  resources: [ware],
  endpoints,
  migrations: {
    '0001_wares': {
      up: (db: Parameters<typeof createTable>[0], dialect: Parameters<typeof createTable>[1]) =>
        createTable(db, dialect, 'wares', { fields }),
    },
  },
  config: { mail: mailbox.receive },
};

const inLanguage = (language: string) => ({ 'accept-language': language });

describeEachDatabase('LOCALE=auto', (databases) => {
  const service = useService(databases, { application, env: { LOCALE: 'auto' } });

  it.each<[header: string | undefined, language: string]>([
    [undefined, 'zh-CN'],
    ['', 'zh-CN'],
    ['en', 'en'],
    ['en-AU, fr;q=0.9', 'en'],
    ['zh-TW, en;q=0.5', 'zh-CN'],
    ['fr', 'zh-CN'],
    ['*', 'zh-CN'],
    ['zh;q=0, *;q=0.5', 'en'],
    ['en;q=0', 'zh-CN'],
    ['en;q=9, <script>', 'zh-CN'],
    [`${'fr,'.repeat(31)}en`, 'en'],
    [`${'fr,'.repeat(4_000)}en`, 'zh-CN'],
  ])('responds to Accept-Language: %s in %s', async (header, language) => {
    const headers = header === undefined ? {} : inLanguage(header);
    const success = await service.get('/api/v1/health', { headers });
    const failure = await service.get('/api/v1/wares', { headers });
    const unknown = await service.get('/api/v1/nothing', { headers });
    for (const answer of [success, failure, unknown]) {
      expect(answer.headers['content-language']).toBe(language);
      expect(String(answer.headers['vary']).split(', ')).toContain('Accept-Language');
    }
    const texts = [success, failure, unknown].map(({ json }) => json.message);
    expect(texts).toEqual(
      language === 'en'
        ? ['Success', 'Not authenticated', 'Path does not exist']
        : ['操作成功', '未认证', '路径不存在'],
    );
  });

  it('translates validation errors, with labels, types, sets and nested places', async () => {
    const { token } = await service.admin();
    const ask = async (language: string, ware: object) => {
      const { status, json, data } = await service.post<{ errors: { message: string }[] }>('/api/v1/wares', {
        token,
        body: { ware },
        headers: inLanguage(language),
      });
      expect(status).toBe(422);
      expect(data.errors.map((error) => error.message).join(', ')).toBe(json.message);
      return json.message;
    };
    const wrong = { name: 'too long', state: 'x', amount: 'x' };
    expect(await ask('en', wrong)).toBe(
      'Title must have at most 5 characters, State must be one of: new, old, Amount must be a whole number',
    );
    expect(await ask('zh', wrong)).toBe(
      '品名最多 5 个字符, State 必须是以下之一：new, old, Amount 类型应为整数',
    );
    await service.post('/api/v1/wares', { token, body: { ware: { name: 'a', code: 'c', place: 'p' } } });
    const taken = { name: 'a', code: 'c', place: 'p' };
    expect(await ask('en', taken)).toBe(
      'Code is already taken in combination with Place, Place is already taken in combination with Code',
    );
    expect(await ask('zh', taken)).toBe('Code 与 Place 的组合已被使用, Place 与 Code 的组合已被使用');
    expect([await ask('en', { name: 'no' }), await ask('zh', { name: 'no' })]).toEqual(['not this', '不行']);
  });

  it('translates errors of batches and imports', async () => {
    const { token } = await service.admin();
    const texts = async (path: string, body: object) => {
      const ask = (language: string) => service.post(path, { token, body, headers: inLanguage(language) });
      const [chinese, english] = [await ask('zh-CN'), await ask('en')];
      return [chinese.text, english.text];
    };
    const batch = await texts('/api/v1/wares/batch', { create: [{ name: '' }] });
    expect(batch[0]).toContain('品名不能为空');
    expect(batch[1]).toContain('Title must not be blank');
    const cookie = await service.signIn(await service.admin());
    const lines = { lines: [{ line: 1, values: { name: '' } }], preview: true };
    for (const [language, text] of [
      ['zh', '品名不能为空'],
      ['en', 'Title must not be blank'],
    ] as const) {
      const { text: said } = await service.post('/admin/records/wares/import', {
        cookie,
        body: lines,
        headers: { ...inLanguage(language), 'sec-fetch-site': 'same-origin' },
      });
      expect(said).toContain(text);
    }
  });

  it('translates problems and endpoints of the application', async () => {
    const ask = (path: string, language: string) => service.get(path, { headers: inLanguage(language) });
    expect((await ask('/api/v1/closed', 'en')).json.message).toBe('A is closed');
    expect((await ask('/api/v1/closed', 'zh')).json.message).toBe('A 已打烊');
    expect((await ask('/api/v1/language', 'en-GB')).data).toEqual({ language: 'en' });
  });

  it('LOCALE=auto does not mix languages by entity tags, and compares versions across them', async () => {
    const { token } = await service.admin();
    const created = await service.post<{ id: number }>('/api/v1/wares', {
      token,
      body: { ware: { name: 'tag' } },
      headers: inLanguage('en'),
    });
    const path = `/api/v1/wares/${created.data.id}`;
    const show = (headers: Record<string, string>) => service.get(path, { token, headers });
    const english = await show(inLanguage('en'));
    const tag = String(english.headers['etag']);
    expect(tag).toBe('"1-detail.en"');
    expect(created.headers['etag']).toBe('"1-saved.en"');
    const same = await show({ ...inLanguage('en'), 'if-none-match': tag });
    expect([same.status, same.headers['etag'], same.headers['content-language']]).toEqual([304, tag, 'en']);
    const other = await show({ ...inLanguage('zh'), 'if-none-match': tag });
    expect([other.status, other.json.message, other.headers['etag']]).toEqual([
      200,
      '操作成功',
      '"1-detail.zh-CN"',
    ]);
    const patch = (version: string) =>
      service.request('PATCH', path, {
        token,
        body: { ware: { amount: 2 } },
        headers: { ...inLanguage('zh'), 'if-match': version },
      });
    expect((await patch(tag)).status).toBe(200);
    expect((await patch(tag)).status).toBe(412);
  });

  it('replays an Idempotency-Key in the language of each request', async () => {
    const { token } = await service.admin();
    const post = (language: string) =>
      service.post('/api/v1/wares', {
        token,
        body: { ware: { name: 'once' } },
        headers: { ...inLanguage(language), 'idempotency-key': 'languages-1' },
      });
    const [first, again] = [await post('en'), await post('zh')];
    expect([first.json.message, again.json.message]).toEqual(['Success', '操作成功']);
    expect(again.data).toEqual(first.data);
    expect(again.headers['etag']).toBe('"1-saved.zh-CN"');
  });

  it('describes models, lists and the API in the language of the request, and by ?lang= in another', async () => {
    const { token } = await service.admin();
    const meta = (language: string, query = '') =>
      service.get<{ label: string }>(`/api/v1/meta/Ware${query}`, { token, headers: inLanguage(language) });
    expect((await meta('en')).data.label).toBe('Ware');
    expect((await meta('zh')).data.label).toBe('商品');
    const chosen = await meta('en', '?lang=zh-CN');
    expect([chosen.data.label, chosen.json.message, chosen.headers['content-language']]).toEqual([
      ...['商品', '操作成功', 'zh-CN'],
    ]);
    expect((await meta('en', '?lang=xx')).status).toBe(400);
    const cookie = await service.signIn(await service.admin());
    for (const [language, label] of [
      ['zh', '商品'],
      ['en', 'Ware'],
    ] as const) {
      const { data } = await service.get<{ label: string }[]>('/admin/meta', {
        cookie,
        headers: inLanguage(language),
      });
      expect(data).toEqual([expect.objectContaining({ label })]);
      const { headers, text } = await service.get('/api-docs/openapi.json', {
        headers: inLanguage(language),
      });
      expect(JSON.parse(text).components.schemas.Ware.title).toBe(label);
      expect(headers['content-language']).toBe(language === 'zh' ? 'zh-CN' : 'en');
      expect(headers['vary']).toBe('Accept-Language, Accept-Encoding');
      const again = await service.get('/api-docs/openapi.json', {
        headers: { ...inLanguage(language), 'if-none-match': String(headers['etag']) },
      });
      expect(again.status).toBe(304);
      const page = await service.get('/api-docs', { headers: inLanguage(language) });
      expect(page.text).toContain(`data-service-locale="${language === 'zh' ? 'zh-CN' : 'en'}"`);
    }
  });

  it('sends mail in the language of the request that causes it', async () => {
    const { email, username } = await service.createUser();
    for (const [language, subject] of [
      ['en', /^Reset your password/],
      ['zh', /^重置 .* 的密码$/],
    ] as const) {
      await service.post('/api/v1/auth/password_reset', {
        body: { account: username },
        headers: inLanguage(language),
      });
      const message = await mailbox.next();
      expect(message).toMatchObject({ to: email, subject: expect.stringMatching(subject) });
    }
  });

  it('gives CSV and files of pages no language', async () => {
    const { token } = await service.admin();
    const { headers } = await service.get('/api/v1/wares', { token, headers: { accept: 'text/csv' } });
    expect(headers['content-type']).toMatch(/^text\/csv/);
    expect(headers['content-language']).toBeUndefined();
  });

  it('refuses broken requests in the first language', async () => {
    const text = await exchange(service.port, 'GET / HTTP/9.9\r\nHost: x\r\n\r\n');
    expect(text).toMatch(/content-language: zh-CN/i);
  });
});

describeEachDatabase('a fixed language', (databases) => {
  const service = useService(databases, { application });

  it('adds no header and changes no text or tag', async () => {
    const { token } = await service.admin();
    const { data } = await service.post<{ id: number }>('/api/v1/wares', {
      token,
      body: { ware: { name: 'one' } },
    });
    for (const path of [
      '/api/v1/health',
      `/api/v1/wares/${data.id}`,
      '/api/v1/meta/Ware',
      '/api/v1/nothing',
    ]) {
      const { headers, json } = await service.get(path, { token, headers: inLanguage('en') });
      expect(json.message).toBe(path.endsWith('nothing') ? '路径不存在' : '操作成功');
      const vary = path.includes('/meta/') ? 'Accept-Encoding' : undefined;
      expect([headers['content-language'], headers['vary']]).toEqual([undefined, vary]);
      if (path.includes('wares')) expect(headers['etag']).toBe('"1-detail"');
    }
    const { text } = await service.get('/api-docs/openapi.json?area=all');
    expect(text).not.toContain('Content-Language');
  });
});
