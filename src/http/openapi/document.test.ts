import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { createApplication } from '../../app/application.ts';
import { readConfig } from '../../app/config.ts';
import { describeApplication } from '../../app/describe.ts';
import { field } from '../../fields/define.ts';
import { isJsonObject, type JsonObject } from '../../kernel/json.ts';
import { type Locale, locales } from '../../kernel/messages/catalogue.ts';
import { defineResource } from '../../model/define-resource.ts';
import { anyOf, equals, own } from '../../model/row-rule.ts';
import { defineEndpoint } from '../../resources/application/define-endpoint.ts';
import { type DescriptionArea, descriptionAreas } from './description-area.ts';

const plain = defineResource('Note', { fields: { title: field.string({ required: true }) } });

const guarded = defineResource('BlogPost', {
  label: { 'zh-CN': '文章', en: 'Post' },
  fields: {
    title: field.string({ required: true }),
    body: field.text(),
    price: field.decimal(),
    extra: field.json(),
    status: field.enum(['draft', 'live'], {
      default: 'draft',
      labels: { draft: { 'zh-CN': '草稿', en: 'Draft' } },
    }),
    internal_note: field.text(),
    user_id: field.owner(),
  },
  views: { list: ['id', 'title', 'status'], saved: ['id', 'title'] },
  auth: ['jwt', 'bearer', 'api_key', 'signature'],
  permissions: 'all',
  isolation: true,
  ownership: true,
  restricted: ['internal_note'],
});

const open = defineResource('Page', {
  fields: { title: field.string(), live: field.boolean() },
  publicRead: { where: { live: true } },
});

const sheetFields = { state: field.enum(['open', 'shut']), user_id: field.owner() };
const shared = defineResource('Sheet', {
  fields: sheetFields,
  unique: [['user_id', 'state']],
  isolation: { read: anyOf(own(), equals('state', 'open')), write: own() },
});
const kept = defineResource('Draft', { fields: sheetFields, isolation: own() });

const report = defineEndpoint({
  method: 'POST',
  path: '/reports/:day',
  auth: ['signature'],
  roles: ['admin'],
  input: { title: field.string({ required: true }) },
  output: { type: 'object', properties: { total: { type: 'integer' } }, required: ['total'] },
  problems: ['conflict'],
  handle: () => ({ total: 0 }),
});

const probe = defineEndpoint({ method: 'GET', path: '/probe', auth: [], handle: () => null });

const newest = defineEndpoint({
  method: 'GET',
  path: '/newest',
  output: guarded,
  handle: () => {
    throw new Error('described, never run');
  },
});

const post = { method: 'POST', handle: () => null } as const;

const bodies = [
  defineEndpoint({ ...post, path: '/form', accepts: 'form', input: { title: field.string() } }),
  defineEndpoint({
    ...post,
    path: '/files',
    accepts: 'multipart',
    input: { title: field.string({ required: true }) },
    limits: { file: 5_000, files: 2 },
  }),
  defineEndpoint({ ...post, path: '/bytes', accepts: 'bytes' }),
  defineEndpoint({ method: 'GET', path: '/picture', media: 'image/png', handle: () => null }),
  defineEndpoint({
    method: 'GET',
    path: '/feed',
    media: 'application/feed+json',
    output: { type: 'object', properties: { version: { type: 'string' } }, required: ['version'] },
    handle: () => null,
  }),
];

const application = createApplication({
  resources: [plain, guarded, open, shared, kept],
  endpoints: [report, probe, newest, ...bodies],
});

const describeIn = (
  locale: Locale,
  env: Record<string, string> = {},
  area?: DescriptionArea,
): Promise<JsonObject> =>
  describeApplication(
    application,
    readConfig({ BASE_URL: 'https://api.shop.test/shop', ...env }),
    locale,
    area,
  );

/** A member of a member; the test fails where there is none. */
const at = (value: unknown, ...names: readonly string[]): JsonObject =>
  names.reduce<JsonObject>((inner, name) => {
    const found = inner[name];
    if (!isJsonObject(found)) throw new Error(`there is no ${name}`);
    return found;
  }, value as JsonObject);

const operation = (document: JsonObject, method: string, path: string): JsonObject =>
  at(document, 'paths', path, method);

const names = (document: JsonObject, method: string, path: string): readonly string[] =>
  ((operation(document, method, path)['parameters'] ?? []) as readonly JsonObject[]).map(({ name, $ref }) => {
    const shared = String($ref).replace('#/components/parameters/', '');
    return String(name ?? at(document, 'components', 'parameters', shared)['name']);
  });

const statuses = (document: JsonObject, method: string, path: string): readonly string[] =>
  Object.keys(at(operation(document, method, path), 'responses'));

describe('describeApi', () => {
  const descriptions = locales.flatMap((locale) => descriptionAreas.map((area) => ({ locale, area })));

  it.each(descriptions)('makes a description that two validators accept ($locale, $area)', async (each) => {
    const text = JSON.stringify(await describeIn(each.locale, {}, each.area));
    const { valid, errors } = await new Validator().validate(JSON.parse(text) as Record<string, unknown>);
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        // The demands of a stock lint of another tool (`spectral:oas`): contact, and something to read of everything.
        'info-contact': 'error',
        'operation-description': 'error',
        'tag-description': 'error',
        'operation-operationId-url-safe': 'error',
      },
    });
    const problems = await lintFromString({ source: text, absoluteRef: '/openapi.json', config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('gives whole paths, with what stands before them as the server', async () => {
    const document = await describeIn('en');
    expect(document['servers']).toEqual([{ url: 'https://api.shop.test/shop' }]);
    const paths = Object.keys(at(document, 'paths'));
    expect(paths).toContain('/api/v1/blog_posts/{id}');
    expect(paths.filter((path) => !/^\/(api\/v1|admin|api-docs)(\/|$)/.test(path))).toEqual([]);
  });

  it('gives every operation an id of its own and one tag that is declared', async () => {
    const document = await describeIn('en');
    const operations = Object.values(at(document, 'paths')).flatMap((item) => Object.values(at(item)));
    const ids = operations.map((each) => at(each)['operationId']);
    expect(new Set(ids).size).toBe(ids.length);
    const declared = (document['tags'] as readonly JsonObject[]).map(({ name }) => name);
    for (const each of operations)
      expect(declared).toEqual(expect.arrayContaining(at(each)['tags'] as string[]));
    expect(declared).toEqual(expect.arrayContaining(['Note', 'BlogPost', 'Page']));
  });

  it('states authentication: alternatives, three headers at once, or none', async () => {
    const document = await describeIn('en');
    const signed = { appId: [], timestamp: [], signature: [] };
    expect(operation(document, 'post', '/api/v1/payment')['security']).toEqual([signed]);
    expect(operation(document, 'get', '/api/v1/health')['security']).toEqual([]);
    expect(operation(document, 'get', '/api/v1/blog_posts')['security']).toEqual([
      { jwt: [] },
      { bearer: [] },
      { apiKey: [] },
      signed,
    ]);
    expect(Object.keys(at(document, 'components', 'securitySchemes')).sort()).toEqual(
      ['apiKey', 'appId', 'bearer', 'jwt', 'session', 'signature', 'timestamp'].sort(),
    );
  });

  it('names the statuses that follow from what an endpoint is', async () => {
    const document = await describeIn('en');
    const notes = '/api/v1/notes';
    expect(statuses(document, 'get', notes)).toEqual(['200', '400', '401', '403', '500', '503']);
    expect(statuses(document, 'get', '/api/v1/pages')).toEqual(['200', '400', '500', '503']);
    // Every user may have to change the password first; no permission is asked for here.
    const refusal = (path: string) => at(document, 'paths', path, 'get', 'responses', '403')['$ref'];
    expect(refusal(notes)).toBe('#/components/responses/E403C2');
    expect(refusal('/api/v1/blog_posts')).toBe('#/components/responses/E403C0C2C5Limited');
    expect(statuses(document, 'post', notes)).toEqual(
      expect.arrayContaining(['201', '400', '401', '409', '413', '415', '422']),
    );
    expect(statuses(document, 'post', '/api/v1/payment')).not.toContain('403');
    expect(statuses(document, 'get', `${notes}/{id}`)).toEqual(expect.arrayContaining(['200', '304', '404']));
    expect(statuses(document, 'patch', `${notes}/{id}`)).toEqual(
      expect.arrayContaining(['404', '412', '422']),
    );
    expect(statuses(document, 'post', '/api/v1/payment')).not.toContain('422');
    expect(statuses(document, 'post', '/api/v1/reports/{day}')).toEqual(
      expect.arrayContaining(['403', '422']),
    );
  });

  it('names parameters of lists and of conditions', async () => {
    const document = await describeIn('en');
    const list = names(document, 'get', '/api/v1/blog_posts');
    expect(list).toEqual(expect.arrayContaining(['page', 'per_page', 'after', 'sort', 'q', 'fields']));
    expect(list).toEqual(expect.arrayContaining(['filter[id]', 'filter[title]', 'filter[status]']));
    // `filter[status]=draft`, or `filter[status][in]=draft,live`, as clients write a deep object.
    expect(at(document, 'components', 'parameters', 'filterBlogPostStatus')).toMatchObject({
      name: 'filter[status]',
      style: 'deepObject',
      explode: true,
      schema: { $ref: '#/components/schemas/BlogPostStatusFilter' },
    });
    expect(at(document, 'components', 'schemas', 'BlogPostStatusFilter')['anyOf']).toMatchObject([
      { enum: ['draft', 'live'] },
      { properties: { eq: {}, ne: {}, in: { type: 'string' }, null: { type: 'boolean' } } },
    ]);
    // Only what the list shows can be filtered by.
    expect(list.filter((name) => name.includes('internal_note') || name.includes('user_id'))).toEqual([]);
    expect(names(document, 'post', '/api/v1/notes')).toEqual(['Idempotency-Key', 'Prefer']);
    expect(names(document, 'patch', '/api/v1/notes/{id}')).toEqual(['id', 'If-Match', 'Prefer']);
    expect(names(document, 'get', '/api/v1/notes/{id}')).toEqual(['id', 'If-None-Match', 'If-Match']);
  });

  it('gives each view its own schema, and the body what somebody may write', async () => {
    const document = await describeIn('en');
    const fieldsOf = (name: string) => Object.keys(at(document, 'components', 'schemas', name, 'properties'));
    expect(fieldsOf('BlogPostListItem')).toEqual(['id', 'title', 'status', 'version', 'user']);
    expect(fieldsOf('BlogPostSaved')).toEqual(['id', 'title', 'user']);
    expect(fieldsOf('BlogPost')).toContain('user_id');
    expect(fieldsOf('BlogPostCreate')).toContain('internal_note');
    expect(fieldsOf('BlogPostCreate')).not.toContain('user_id');
    // The detail and saved views of a plain resource are one schema; `fields` chooses what a list has.
    expect(Object.keys(at(document, 'components', 'schemas')).filter((name) => /^Note/.test(name))).toEqual([
      'Note',
      'NoteListItem',
      'NoteGroup',
      'NoteCreate',
      'NoteUpdate',
    ]);
  });

  it('says what an endpoint of the application answers, and where nothing is known that it may be anything', async () => {
    const document = await describeIn('en');
    const success = (method: string, path: string): JsonObject => {
      const found = at(operation(document, method, path), 'responses', '200');
      const name = String(found['$ref'] ?? '').replace('#/components/responses/', '');
      const response = name === '' ? found : at(document, 'components', 'responses', name);
      return at(response, 'content', 'application/json', 'schema');
    };
    const reported = success('post', '/api/v1/reports/{day}');
    expect(at(reported, 'properties')['data']).toEqual({ $ref: '#/components/schemas/PostReportsDayData' });
    expect(reported['required']).toContain('data');
    expect(statuses(document, 'post', '/api/v1/reports/{day}')).toContain('409');
    const probed = success('get', '/api/v1/probe');
    expect(at(probed, 'properties')['data']).toEqual({});
    expect(probed['required']).toEqual(['code', 'message']);
  });

  it('a model as output is described as the detail endpoint of that model describes it', async () => {
    const document = await describeIn('en');
    const data = (path: string): unknown =>
      at(
        operation(document, 'get', path),
        'responses',
        '200',
        'content',
        'application/json',
        'schema',
        'properties',
      )['data'];
    expect(data('/api/v1/newest')).toEqual({ $ref: '#/components/schemas/BlogPost' });
    expect(data('/api/v1/newest')).toEqual(data('/api/v1/blog_posts/{id}'));
  });

  it('says what bodies may be, and what goes without an envelope', async () => {
    const document = await describeIn('en');
    const content = (path: string): JsonObject =>
      at(operation(document, 'post', path), 'requestBody', 'content');
    const form = content('/api/v1/form');
    expect(form).toEqual({
      'application/x-www-form-urlencoded': { schema: { $ref: '#/components/schemas/PostFormInput' } },
    });
    const files = at(content('/api/v1/files'), 'multipart/form-data', 'schema');
    expect(files).toMatchObject({
      required: ['title'],
      properties: { title: { type: 'string' } },
      additionalProperties: {
        type: 'string',
        format: 'binary',
        description: 'Files under any name: at most 2, each of at most 5000 bytes',
      },
    });
    expect(content('/api/v1/bytes')).toEqual({ '*/*': { schema: {} } });
    expect(statuses(document, 'post', '/api/v1/files')).toEqual(
      expect.arrayContaining(['408', '413', '415']),
    );
    expect(statuses(document, 'post', '/api/v1/bytes')).not.toContain('415');
    const answered = (path: string): JsonObject =>
      at(operation(document, 'get', path), 'responses', '200', 'content');
    expect(answered('/api/v1/picture')).toEqual({
      'image/png': { schema: { type: 'string', format: 'binary' } },
    });
    expect(answered('/api/v1/feed')).toEqual({
      'application/feed+json': { schema: { $ref: '#/components/schemas/GetFeedData' } },
    });
    expect(statuses(document, 'get', '/api/v1/picture')).toEqual(expect.arrayContaining(['500', '503']));
  });

  it('gives errors as this operation answers them: of its own fields, key and parameters', async () => {
    const document = await describeIn('en');
    const examples = (method: string, path: string, status: string): JsonObject => {
      const { $ref } = at(operation(document, method, path), 'responses', status);
      const name = String($ref).replace('#/components/responses/', '');
      return at(document, 'components', 'responses', name, 'content', 'application/json', 'examples');
    };
    for (const [path, item] of Object.entries(at(document, 'paths')))
      for (const [method, each] of Object.entries(at(item))) {
        if (at(each, 'responses')['422'] === undefined) continue;
        const [error] = at(examples(method, path, '422'), 'invalid_record', 'value', 'data')[
          'errors'
        ] as readonly JsonObject[];
        // Without a body it is a rule of what stands there already.
        if (at(each)['requestBody'] === undefined || path.endsWith('/bytes')) continue;
        const body = JSON.stringify(at(each, 'requestBody', 'content'));
        const schema = /#\/components\/schemas\/(\w+)/.exec(body)?.[1];
        const fields =
          schema === undefined ? body : JSON.stringify(at(document, 'components', 'schemas', schema));
        const field = String(error?.['field']).split('.').at(-1);
        expect([path, method, fields.includes(`"${field}":`)]).toEqual([path, method, true]);
      }
    const missing = at(examples('post', '/api/v1/notes', '400'), 'missing_key', 'value');
    expect(missing['message']).toContain('note');
    const refused = at(examples('post', '/api/v1/blog_posts', '422'), 'invalid_record', 'value');
    expect(refused).toMatchObject({ code: 42200, data: { errors: [{ field: 'title', rule: 'required' }] } });
  });

  it('says what is commonly sent with a payment, and demands none of it', async () => {
    const document = await describeIn('en');
    const body = at(
      operation(document, 'post', '/api/v1/payment'),
      'requestBody',
      'content',
      'application/json',
    );
    const input = at(document, 'components', 'schemas', 'CreatePaymentInput');
    expect(body['schema']).toEqual({ $ref: '#/components/schemas/CreatePaymentInput' });
    expect(Object.keys(at(input, 'properties'))).toEqual(['order_no', 'amount', 'currency']);
    expect(input['required']).toBeUndefined();
  });

  it('says the same once: what several operations have stands in the components', async () => {
    const document = await describeIn('en');
    const seen = new Map<string, number>();
    for (const item of Object.values(at(document, 'paths')))
      for (const each of Object.values(at(item)))
        for (const parameter of (at(each)['parameters'] ?? []) as readonly JsonObject[]) {
          const text = JSON.stringify(parameter);
          if (parameter['$ref'] === undefined) seen.set(text, (seen.get(text) ?? 0) + 1);
        }
    // Nothing long is there many times; it would be most of the description.
    expect([...seen].filter(([text, count]) => count > 3 && text.length > 60)).toEqual([]);
    expect(JSON.stringify(document).length / Object.keys(at(document, 'paths')).length).toBeLessThan(5_500);
  });

  it('describes the API in half of the whole, with no trace of the administration area', async () => {
    const [api, admin, all] = [
      await describeIn('en', {}, 'api'),
      await describeIn('en', {}, 'admin'),
      await describeIn('en', {}, 'all'),
    ];
    expect(JSON.stringify(api).length).toBeLessThan(JSON.stringify(all).length / 2);
    expect(Object.keys(at(api, 'components', 'securitySchemes'))).not.toContain('session');
    expect(Object.keys(at(admin, 'components', 'securitySchemes')).sort()).toEqual(['jwt', 'session']);
    const tags = (document: JsonObject) => (document['tags'] as JsonObject[]).map(({ name }) => name);
    expect(tags(api)).not.toContain('Administration');
    expect(tags(admin)).toEqual(['Administration']);
    expect(Object.keys(at(api, 'components', 'schemas')).filter((name) => /^Admin/.test(name))).toEqual([]);
    // Neither has a part that only the other refers to.
    for (const document of [api, admin]) {
      const text = JSON.stringify(document);
      const unused = Object.entries(at(document, 'components'))
        .filter(([section]) => section !== 'securitySchemes')
        .flatMap(([section, parts]) =>
          Object.keys(at(parts)).map((name) => `#/components/${section}/${name}`),
        )
        .filter((reference) => !text.includes(`"${reference}"`));
      expect(unused).toEqual([]);
    }
  });

  it('says where the other description is, where one is served', async () => {
    const about = async (area: DescriptionArea, env = {}) =>
      at(await describeIn('en', env, area), 'info')['description'];
    expect(await about('api')).toContain('described apart: `/api-docs/openapi.json?area=admin`');
    expect(await about('admin')).toContain('the API is described at `/api-docs/openapi.json`');
    expect(await about('all')).not.toContain('openapi.json');
    expect(await about('api', { API_DOCS: 'off' })).not.toContain('openapi.json');
  });

  it('leaves itself out where it is switched off', async () => {
    const paths = Object.keys(at(await describeIn('en', { API_DOCS: 'off' }), 'paths'));
    expect(paths.filter((path) => path.startsWith('/api-docs'))).toEqual([]);
  });

  it('says who may call', async () => {
    const document = await describeIn('en');
    const access = (method: string, path: string) => operation(document, method, path)['x-gatewright'];
    expect(access('patch', '/api/v1/blog_posts/{id}')).toEqual({
      methods: ['jwt', 'bearer', 'api_key', 'signature'],
      access: 'authenticated',
      model: 'BlogPost',
      scope: 'blog_posts:update',
      permission: 'update',
      isolation: true,
      restricted: ['internal_note'],
      also: ['PUT'],
    });
    expect(access('get', '/api/v1/pages')).toMatchObject({ methods: [], access: 'public' });
    expect(access('post', '/api/v1/notes')).toEqual({
      methods: ['jwt'],
      access: 'authenticated',
      model: 'Note',
    });
    expect(access('get', '/admin/users')).toMatchObject({ access: 'administrator' });
  });

  it('says which rows conditions leave, for what each action does with them', async () => {
    const document = await describeIn('en');
    const isolation = (method: string, path: string) =>
      at(operation(document, method, path), 'x-gatewright')['isolation'];
    const read = 'Records where `user_id` is the caller, or `state` is `open`';
    const write = 'Records where `user_id` is the caller';
    const [all, one] = ['/api/v1/sheets', '/api/v1/sheets/{id}'];
    expect(isolation('get', all)).toEqual({ read });
    expect(isolation('get', one)).toEqual({ read });
    expect(isolation('post', all)).toEqual({ write });
    expect(isolation('patch', one)).toEqual({ read, write });
    expect(isolation('delete', one)).toEqual({ read, write });
    // Callers who may use the administration area are not bound.
    expect(isolation('patch', '/admin/records/sheets/{id}')).toBeUndefined();
    const description = (method: string, path: string) => operation(document, method, path)['description'];
    const others = 'Callers other than super_admin and admin';
    const [seen, changed] = [read, write].map((text) => text.replace('Records', 'records'));
    expect(description('get', all)).toMatch(`${others} see ${seen}.\n\nWith \`Accept: text/csv\``);
    expect(description('post', all)).toContain(
      `Must be unique: \`user_id\` + \`state\`\n\n${others} create ${changed}. Anything else is 403.`,
    );
    const missing = 'Anything else is 404 for them';
    expect(description('get', one)).toContain(`${others} see ${seen}. ${missing}.`);
    expect(description('patch', one)).toContain(
      `${others} see ${seen}. ${missing}.\n\nOf those they change ${changed}, before and after the change. Anything else is 403.`,
    );
    expect(description('delete', one)).toContain(
      `${others} see ${seen}. ${missing}.\n\nOf those they delete ${changed}. Anything else is 403.`,
    );
    expect(description('delete', '/api/v1/drafts/{id}')).toContain(
      `${others} see and delete ${changed}. ${missing}.`,
    );
    expect(description('patch', '/api/v1/drafts/{id}')).toContain(
      `${others} see and change ${changed}. ${missing}, and a change after which the record is none of these is 403.`,
    );
    const chinese = await describeIn('zh-CN');
    expect(operation(chinese, 'get', one)['description']).toContain(
      'super_admin 与 admin 之外的调用者可见：满足以下条件的记录：用户 `user_id` 是调用者，或者 `state` 为 `open`。其余对其为 404。',
    );
    expect(statuses(document, 'delete', one)).toContain('403');
  });

  it('speaks its own language, and quotes messages as the service answers them', async () => {
    const english = await describeIn('en', { LOCALE: 'zh-CN' });
    const chinese = await describeIn('zh-CN', { LOCALE: 'zh-CN' });
    expect(operation(english, 'post', '/api/v1/auth/login')['summary']).toBe('Sign in');
    expect(operation(chinese, 'post', '/api/v1/auth/login')['summary']).toBe('登录');
    const status = (document: JsonObject) =>
      at(document, 'components', 'schemas', 'BlogPostCreate', 'properties', 'status')['oneOf'];
    expect(JSON.stringify(status(english))).toContain('Draft');
    expect(JSON.stringify(status(chinese))).toContain('草稿');
    const forbidden = (document: JsonObject) =>
      at(
        document,
        'components',
        'responses',
        'E403C0',
        'content',
        'application/json',
        'examples',
        'forbidden',
      );
    expect(forbidden(english)).toEqual({ value: { code: 40300, message: '无权限' } });
    expect(forbidden(english)).toEqual(forbidden(chinese));
  });
});
