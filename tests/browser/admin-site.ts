import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { many } from '../../src/model/relation.ts';
import { anyOf, equals, member, own, via } from '../../src/model/row-rule.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { hourOf } from '../../src/upkeep/usage/request-counts.ts';
import { rested, type Sight, type useBrowser, type Watched } from '../support/browser.ts';
import type { Service, ServiceOptions, TestUser } from '../support/service.ts';

const built = fileURLToPath(new URL('../../dist/admin/index.html', import.meta.url));
if (!existsSync(built)) throw new Error('the administration pages are not built: npm run build');

/** Every page, by a name for its picture. */
export const pages: Readonly<Record<string, string>> = {
  start: '/',
  keys: '/api_keys',
  'key-create': '/api_keys/create',
  'key-show': '/api_keys/1',
  users: '/users',
  'user-show': '/users/3/show',
  'user-create': '/users/create',
  'user-edit': '/users/3',
  roles: '/roles',
  role: '/roles/editor',
  'role-admin': '/roles/admin',
  permissions: '/permissions',
  explain: '/explain?user_id=4&method=POST&path=%2Fapi%2Fv1%2Fbooks',
  'explain-rows': '/explain?user_id=4&method=PATCH&path=%2Fapi%2Fv1%2Ftasks%2F1',
  'explain-list': '/explain?user_id=4&method=GET&path=%2Fapi%2Fv1%2Fprojects',
  'member-create': '/records/memberships/create?user_id=4',
  books: '/records/books',
  'book-show': '/records/books/3/show',
  'book-create': '/records/books/create',
  'book-import': '/records/books/import',
  'book-edit': '/records/books/3',
  'book-history': '/records/books/11/history',
  'book-gone': '/records/books/65/history',
  'author-show': '/records/authors/2/show',
  orders: '/records/orders',
  'order-trash': '/records/orders/trash',
  'order-gone': '/records/orders/8/show',
  applications: '/applications',
  payments: '/payments',
  webhooks: '/webhooks',
  'webhook-create': '/webhooks/create',
  'webhook-edit': '/webhooks/1',
  'webhook-show': '/webhooks/2/show',
  'webhook-disabled': '/webhooks/3/show',
  jobs: '/jobs',
  audit: '/audit',
  sessions: '/sessions',
  password: '/password',
  'second-factor': '/second-factor',
  'not-found': '/nowhere/at/all',
};

const author = {
  name: field.string({ required: true, max: 100, label: { 'zh-CN': '姓名', en: 'Name' } }),
  email: field.email({ unique: true }),
  website: field.url(),
};

const selling = { 'zh-CN': '销售信息', en: 'Sale' } as const;

const book = {
  title: field.string({ required: true, max: 200, label: { 'zh-CN': '书名', en: 'Title' } }),
  isbn: field.string({ unique: true, max: 20, label: 'ISBN' }),
  status: field.enum(['draft', 'live', 'withdrawn'], {
    default: 'draft',
    labels: {
      draft: { 'zh-CN': '草稿', en: 'Draft' },
      live: { 'zh-CN': '在架', en: 'Live' },
      withdrawn: { 'zh-CN': '下架', en: 'Withdrawn' },
    },
    colors: { draft: 'grey', live: 'green', withdrawn: 'red' },
    label: { 'zh-CN': '状态', en: 'Status' },
  }),
  author_id: field.reference('Author', { label: { 'zh-CN': '作者', en: 'Author' } }),
  price: field.decimal({ scale: 2, label: { 'zh-CN': '价格', en: 'Price' }, group: selling }),
  pages: field.integer({ min: 1, max: 20_000, label: { 'zh-CN': '页数', en: 'Pages' } }),
  published_on: field.date({ label: { 'zh-CN': '出版日期', en: 'Published on' }, group: selling }),
  embargo_until: field.datetime({ label: { 'zh-CN': '解禁时间', en: 'Embargo until' }, group: selling }),
  available: field.boolean({ default: true, label: { 'zh-CN': '在售', en: 'Available' }, group: selling }),
  editor_id: field.reference('User', { label: { 'zh-CN': '编辑', en: 'Editor' } }),
  attributes: field.json({ label: { 'zh-CN': '属性', en: 'Attributes' } }),
  blurb: field.text({ label: { 'zh-CN': '简介', en: 'Blurb' } }),
};

const order = {
  number: field.string({ required: true, unique: true, label: { 'zh-CN': '订单号', en: 'Number' } }),
  amount: field.integer({ required: true, min: 0, label: { 'zh-CN': '金额', en: 'Amount' } }),
};

const note = { title: field.string({ required: true, max: 200, label: { 'zh-CN': '标题', en: 'Title' } }) };

const team = { name: field.string({ required: true, max: 60, label: { 'zh-CN': '名称', en: 'Name' } }) };

const membership = {
  team: field.reference('Team', { required: true, anyone: true, label: { 'zh-CN': '团队', en: 'Team' } }),
  role: field.enum(['viewer', 'editor'], {
    default: 'viewer',
    labels: { viewer: { 'zh-CN': '查看者', en: 'Viewer' }, editor: { 'zh-CN': '编辑', en: 'Editor' } },
    colors: { viewer: 'blue', editor: 'purple' },
    label: { 'zh-CN': '角色', en: 'Role' },
  }),
  user_id: field.owner({ label: { 'zh-CN': '用户', en: 'Person' } }),
};

const project = {
  name: field.string({ required: true, max: 60, label: { 'zh-CN': '名称', en: 'Name' } }),
  team: field.reference('Team', { required: true, label: { 'zh-CN': '团队', en: 'Team' } }),
  visibility: field.enum(['team', 'public'], {
    default: 'team',
    labels: { team: { 'zh-CN': '团队内', en: 'Team' }, public: { 'zh-CN': '公开', en: 'Public' } },
    label: { 'zh-CN': '可见范围', en: 'Visibility' },
  }),
};

const task = {
  title: field.string({ required: true, max: 60, label: { 'zh-CN': '标题', en: 'Title' } }),
  project: field.reference('Project', { required: true, label: { 'zh-CN': '项目', en: 'Project' } }),
  assignee: field.reference('User', { anyone: true, label: { 'zh-CN': '负责人', en: 'Assignee' } }),
};

const inTeam = member('team_id', { of: 'Membership' });
const editsTeam = member('team_id', { of: 'Membership', where: { role: 'editor' } });
const seenProject = anyOf(inTeam, equals('visibility', 'public'));

const collaboration = { 'zh-CN': '协作', en: 'Collaboration' } as const;

/** Teams, whose memberships open them, their projects and the tasks of these. */
const teams = [
  defineResource('Team', {
    fields: team,
    label: { 'zh-CN': '团队', en: 'Team' },
    icon: 'people',
    menu: collaboration,
    isolation: member('id', { of: 'Membership', on: 'team_id' }),
  }),
  defineResource('Membership', {
    fields: membership,
    label: { 'zh-CN': '团队成员', en: 'Membership' },
    icon: 'badge',
    menu: collaboration,
  }),
  defineResource('Project', {
    fields: project,
    label: { 'zh-CN': '项目', en: 'Project' },
    icon: 'folder',
    menu: collaboration,
    isolation: { read: seenProject, write: editsTeam },
  }),
  defineResource('Task', {
    fields: task,
    label: { 'zh-CN': '任务', en: 'Task' },
    icon: 'task',
    menu: collaboration,
    isolation: {
      read: anyOf(own('assignee'), via('project', seenProject)),
      write: via('project', editsTeam),
    },
  }),
];

/** Resources with a field of every type; one under the permission check, one with no rule at all. */
export const site: ServiceOptions = {
  apps: ['shop', 'warehouse'],
  env: { WEBHOOK_PRIVATE: '1' },
  times: { webhookTimes: { poll: 100 } },
  application: {
    // Takes what webhooks send.
    endpoints: [defineEndpoint({ method: 'POST', path: '/inbox', auth: [], handle: () => 'taken' })],
    resources: [
      defineResource('Author', {
        fields: author,
        label: { 'zh-CN': '作者', en: 'Author' },
        icon: 'person',
        permissions: 'writes',
        relations: { books: many('Book', { by: 'author_id', label: { 'zh-CN': '著作', en: 'Books' } }) },
      }),
      defineResource('Book', {
        fields: book,
        label: { 'zh-CN': '图书', en: 'Book' },
        icon: 'book',
        permissions: 'all',
        auth: ['jwt', 'api_key'],
        history: true,
      }),
      defineResource('Order', {
        fields: order,
        label: { 'zh-CN': '订单', en: 'Order' },
        icon: 'cart',
        menu: { 'zh-CN': '销售', en: 'Sales' },
        permissions: 'writes',
        auth: ['jwt', 'api_key'],
        trash: true,
        events: true,
      }),
      defineResource('Note', { fields: note, label: { 'zh-CN': '便签', en: 'Note' } }),
      ...teams,
    ],
    migrations: {
      '0001_site': {
        up: async (db, dialect) => {
          await createTable(db, dialect, 'authors', { fields: author });
          await createTable(db, dialect, 'books', { fields: book });
          await createTable(db, dialect, 'orders', { fields: order });
          await createTable(db, dialect, 'notes', { fields: note });
          await createTable(db, dialect, 'teams', { fields: team });
          await createTable(db, dialect, 'memberships', {
            fields: membership,
            references: { team: 'teams' },
            indexes: [['user_id', 'team_id']],
          });
          await createTable(db, dialect, 'projects', { fields: project, references: { team: 'teams' } });
          await createTable(db, dialect, 'tasks', { fields: task, references: { project: 'projects' } });
        },
      },
    },
  },
};

const people = [
  ['li.wei', '李伟', ['admin']],
  ['zhang.min', '张敏', ['viewer', 'editor']],
  ['wang.fang', '王芳', ['viewer']],
  ['chen.jie', '陈杰', ['viewer', 'auditor']],
  ['liu.yang', '刘洋', ['editor']],
  ['zhao.lei', '赵磊', ['viewer']],
  ['sun.li', '孙丽', ['viewer']],
  ['maria.silva', 'Maria Silva', ['viewer', 'editor']],
] as const;

const titles = [
  '夜航西飞',
  'The Dispossessed',
  '长安的荔枝',
  'Middlemarch',
  '边城',
  'Kindred',
  '围城',
  'Austerlitz',
];

const day = 86_400_000;

/** Requests of the last thirty days, as busy by day as they are quiet by night. */
const seedCounts = async ({ server }: Service): Promise<void> => {
  const { database } = server.services;
  const now = Date.now();
  await database.write(async (transaction) => {
    for (let ago = 0; ago < 30 * 24; ago += 1) {
      const hour = hourOf(now - ago * 3_600_000);
      const busy = 40 + Math.round(180 * Math.sin((((Number(hour.slice(11)) + 2) % 24) / 24) * Math.PI));
      const rows: [string, number, number][] = [
        ['jwt', 200, busy * 3],
        ['api_key', 200, busy * 2],
        ['signature', 201, Math.round(busy / 4)],
        ['session', 200, Math.round(busy / 8)],
        ['none', 401, Math.round(busy / 10)],
        ['jwt', 422, Math.round(busy / 14)],
        ['jwt', 500, ago % 37 === 0 ? 3 : 0],
      ];
      for (const [authentication, status, requests] of rows) {
        const marks = database.dialect.name === 'sqlite' ? '?, ?, ?, ?' : '$1, $2, $3, $4';
        const sql = `insert into request_counts (hour, authentication, status, requests) values (${marks})
          on conflict (hour, authentication, status) do nothing`;
        await transaction.run({ sql, parameters: [hour, authentication, status, requests] });
      }
    }
  });
};

/** Last uses as of the last days, instead of all of this moment. */
const seedUse = async ({ server }: Service): Promise<void> => {
  const { database } = server.services;
  for (let place = 0; place < 9; place += 1) {
    const at = new Date(Date.now() - place * 0.7 * day - 400_000).toISOString();
    const [first, second] = database.dialect.name === 'sqlite' ? ['?', '?'] : ['$1', '$2'];
    await database.execute({
      sql: `update api_keys set last_used_at = ${first} where id = ${second}`,
      parameters: [at, place * 2 + 1],
    });
  }
};

const seedKeys = async (service: Service, users: readonly TestUser[]): Promise<void> => {
  const token = await service.admin();
  const names = ['夜间报表', 'CI', '数据同步', 'mobile app', '监控', 'partner feed'];
  for (const [index, user] of users.entries())
    for (const [place, name] of names.slice(0, 1 + (index % 4)).entries()) {
      const ends = [null, 12, 80, -3, 365][(index + place) % 5];
      const expiry =
        ends === null || ends === undefined ? null : new Date(Date.now() + ends * day).toISOString();
      await service.ok('POST', '/admin/api_keys', {
        token,
        body: { api_key: { name, user_id: user.id, expires_at: expiry } },
      });
    }
};

type Create = (path: string, key: string, body: object) => Promise<number>;

/** zhang_min edits in the first team and reads in the second, wang_fang reads in the first. */
const seedTeams = async (create: Create, [, editor, reader]: readonly TestUser[]): Promise<void> => {
  const first = await create('teams', 'team', { name: '出版组' });
  const second = await create('teams', 'team', { name: 'Digital' });
  for (const [user, team_id, role] of [
    [editor, first, 'editor'],
    [editor, second, 'viewer'],
    [reader, first, 'viewer'],
  ] as const)
    await create('memberships', 'membership', { user_id: user?.id, team_id, role });
  const inside = await create('projects', 'project', { name: '秋季书目', team_id: first });
  await create('projects', 'project', { name: 'Website', team_id: second, visibility: 'public' });
  await create('tasks', 'task', { title: '校对封面', project_id: inside, assignee_id: editor?.id });
};

const seedRecords = async (service: Service, users: readonly TestUser[]): Promise<void> => {
  const token = await service.admin();
  const create: Create = async (path, key, body) =>
    (await service.ok<{ id: number }>('POST', `/admin/records/${path}`, { token, body: { [key]: body } })).id;
  const authors: number[] = [];
  for (const name of ['柏瑞尔·马卡姆', 'Ursula K. Le Guin', '马伯庸', 'George Eliot'])
    authors.push(
      await create('authors', 'author', {
        name,
        email: `author${authors.length}@example.com`,
        website: 'https://example.com/author',
      }),
    );
  for (let index = 0; index < 64; index += 1)
    await create('books', 'book', {
      title: titles[index % titles.length],
      isbn: `978-7-${String(100_000 + index * 37)}`,
      status: ['live', 'draft', 'withdrawn'][index % 3],
      author_id: authors[index % authors.length],
      price: `${(index % 60) + 18}.50`,
      pages: 120 + index * 7,
      published_on: `20${String(10 + (index % 15))}-0${(index % 9) + 1}-1${index % 9}`,
      embargo_until: new Date(Date.now() + index * day).toISOString(),
      editor_id: users[index % users.length]?.id,
      attributes: { cover: index % 2 === 0 ? 'hard' : 'soft', tags: ['fiction', index] },
      blurb: '一部关于远行与归来的书。\n第二段。',
    });
  for (let index = 0; index < 7; index += 1)
    await create('orders', 'order', { number: `2026-${1000 + index}`, amount: 1990 * (index + 1) });
  await create('notes', 'note', { title: '周会纪要' });
  await seedTeams(create, users);
};

const longBlurb = (ending: string): string =>
  `一部关于远行与归来的书。${'作者在二十年里走过许多地方，把见闻写成短章，每一章都可以单独读。'.repeat(6)}\n${ending}`;

/** A book with a past of every kind, and one that is there no more: 11 and 65. */
const seedHistory = async (service: Service, [, editor]: readonly TestUser[]): Promise<void> => {
  const token = await service.admin();
  const change = (body: object, by: object = { token }, area = '/admin/records') =>
    service.ok('PATCH', `${area}/books/11`, { ...by, body: { book: body } });
  await change({ price: '39.90', status: 'withdrawn', blurb: longBlurb('第二段写在归途中。') });
  if (editor !== undefined) {
    const { key } = await service.createKey(editor);
    await change(
      { blurb: longBlurb('第二段写在归途的船上，是全书的结尾。'), pages: 352 },
      { key },
      '/api/v1',
    );
  }
  await change({
    attributes: { cover: 'soft', tags: ['fiction', 'travel'], weight: 412 },
    available: false,
    author_id: 4,
    embargo_until: null,
  });
  const body = { title: '绝版书', isbn: '978-7-0', pages: 90 };
  const { id } = await service.ok<{ id: number }>('POST', '/admin/records/books', {
    token,
    body: { book: body },
  });
  await service.ok('DELETE', `/admin/records/books/${id}`, { token });
};

/** Webhooks that work, that fail, and that were disabled for it; they receive the orders that come after them. */
const seedWebhooks = async (service: Service): Promise<void> => {
  const root = await service.admin();
  const subscribe = (url: string, more: object = {}) =>
    service.ok('POST', '/admin/webhooks', {
      token: root,
      body: { webhook: { url, models: ['Order'], user_id: root.id, ...more } },
    });
  await subscribe(`${service.origin}/api/v1/inbox`);
  await subscribe(`${service.origin}/api/v1/nowhere?token=secret`, { actions: ['create', 'destroy'] });
  await subscribe('https://hooks.example.com/gatewright/orders', { actions: ['update'] });
  await service.server.services.database.execute({
    sql: `update gatewright_webhooks set disabled = true, disabled_reason = 'failed', failures = 8,
      disabled_at = '${new Date(Date.now() - day).toISOString()}' where id = 3`,
    parameters: [],
  });
};

/** A job that has failed, and one that is overdue: no file defines them, so no worker runs them. */
export const seedJobs = async ({ server }: Service): Promise<void> => {
  const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
  for (const [name, state, available, error, failed] of [
    ['nightly_report', 'failed', 'null', `'connect ECONNREFUSED 10.0.0.7:587'`, `'${ago(42)}'`],
    ['sync_stock', 'waiting', `'${ago(5)}'`, 'null', 'null'],
  ])
    await server.services.database.execute({
      sql: `insert into gatewright_jobs (name, input, state, attempts, available_at, error, created_at, failed_at)
        values ('${name}', '{"day": "2026-11-01"}', '${state}', 3, ${available}, ${error}, '${ago(90)}', ${failed})`,
      parameters: [],
    });
};

/** Orders that were deleted, the eighth among them. */
const seedTrash = async (service: Service): Promise<void> => {
  const token = await service.admin();
  for (const number of ['2026-2001', '2026-2002', '2026-2003']) {
    const { id } = await service.ok<{ id: number }>('POST', '/admin/records/orders', {
      token,
      body: { order: { number, amount: 4200 } },
    });
    await service.ok('DELETE', `/admin/records/orders/${id}`, { token });
  }
};

const seedPayments = async (service: Service): Promise<void> => {
  for (let index = 0; index < 6; index += 1) {
    const body = JSON.stringify({
      order_no: `2026-${1000 + index}`,
      amount: 1990 * (index + 1),
      currency: 'CNY',
      channel: 'wechat',
    });
    await service.post('/api/v1/payment', { body, headers: service.sign('shop', body) });
  }
};

/** People, keys, records, payments and thirty days of requests. */
export const seed = async (service: Service): Promise<readonly TestUser[]> => {
  const token = await service.admin();
  for (const name of ['editor', 'auditor'])
    await service.ok('POST', '/admin/roles', { token, body: { role: { name } } });
  for (const entry of ['editor/Book/create', 'editor/Book/update', 'editor/Book/read', 'auditor/Book/read'])
    await service.ok('PUT', `/admin/permissions/${entry}`, { token });
  const users: TestUser[] = [];
  for (const [username, name, roles] of people)
    users.push(
      await service.createUser(roles, {
        username: username.replace('.', '_'),
        name,
        email: `${username}@example.com`,
      }),
    );
  await seedKeys(service, users);
  await seedWebhooks(service);
  await seedJobs(service);
  await seedRecords(service, users);
  await seedHistory(service, users);
  await seedTrash(service);
  await seedPayments(service);
  await seedCounts(service);
  await seedUse(service);
  return users;
};

/** The origin of the pages; a service is one. */
export type Place = Pick<Service, 'origin'>;

export type Open = ReturnType<typeof useBrowser>;

/** The user who signs in, and how the page is looked at. */
export interface Visit extends Sight {
  readonly language?: 'zh-CN' | 'en';
}

const prepare = async (open: Open, look: Visit): Promise<Watched> => {
  const watched = await open(look);
  const { language } = look;
  watched.page.setDefaultTimeout(20_000);
  if (language !== undefined)
    await watched.page.addInitScript(
      `localStorage['RaStoregatewright.locale'] ??= ${JSON.stringify(JSON.stringify(language))};
       localStorage['RaStoregatewright.version'] ??= ${JSON.stringify(JSON.stringify('1'))}`,
    );
  return watched;
};

/** A page of a browser that has never been here. */
export const visit = async (
  open: Open,
  { origin }: Place,
  path: string,
  look: Visit = {},
): Promise<Watched> => {
  const watched = await prepare(open, look);
  await watched.page.goto(`${origin}/admin${path}`);
  return watched;
};

type Person = Pick<TestUser, 'username' | 'password'>;

export const fillSignIn = async (page: Page, { username, password }: Person): Promise<void> => {
  await page.locator('input[name=username]').fill(username);
  await page.locator('input[name=password]').fill(password);
  await page.locator('button[type=submit]').click();
};

/** Opens a page and signs in on the way, as a person does. */
export const enterByForm = async (
  open: Open,
  service: Place,
  person: Person,
  path: string,
  look: Visit = {},
): Promise<Watched> => {
  const watched = await visit(open, service, path, look);
  await fillSignIn(watched.page, person);
  await watched.page.getByRole('banner').waitFor();
  await settled(watched.page);
  return watched;
};

/** The mark that a sign-in leaves beside a session cookie: pages of a browser that was given only the cookie ask for it. */
export const hintSession = (target: Page | BrowserContext): Promise<unknown> =>
  target.addInitScript(`localStorage['gatewright.session'] ??= '1'`);

/** Opens a page in a browser that is signed in already: the request of the form, without the form. */
export const enter = async (
  open: Open,
  service: Place,
  { username, password }: Person,
  path: string,
  look: Visit = {},
): Promise<Watched> => {
  const watched = await prepare(open, look);
  const { page } = watched;
  const url = `${service.origin}/admin/session`;
  const answer = await page.context().request.post(url, { data: { account: username, password } });
  expect(answer.status()).toBe(200);
  await hintSession(page);
  await page.goto(`${service.origin}/admin${path}`);
  await page.getByRole('banner').waitFor();
  await settled(page);
  return watched;
};

/** Waits until the page is there and nothing on it is still on its way. */
export const settled = async (page: Page): Promise<void> => {
  const waiting = page.locator('[role=status] [role=progressbar], .MuiSkeleton-root');
  await expect
    .poll(async () => {
      await page.locator('main h1').first().waitFor();
      await rested(page);
      return waiting.count();
    })
    .toBe(0);
};

/** Opens an address of the application in the same page, as a link from elsewhere does. */
export const load = async (page: Page, { origin }: Place, path: string): Promise<void> => {
  await page.goto(`${origin}/admin${path}`);
  await settled(page);
};

/** Goes to another page of the application, as a link in it does: nothing is loaded again. */
export const go = async (page: Page, service: Place, path: string): Promise<void> => {
  const target = JSON.stringify(`${service.origin}/admin${path}`);
  // The same events as those of the browser's own buttons.
  await page.evaluate(`(() => {
    history.pushState({ idx: (history.state?.idx ?? 0) + 1, key: Math.random().toString(36) }, '', ${target});
    dispatchEvent(new PopStateEvent('popstate', { state: history.state }));
  })()`);
  await settled(page);
};

/** Highlights an option of the open list with the arrow key: a list whose options just changed forgets it once. */
export const highlightOption = async (page: Page): Promise<void> => {
  const highlighted = () => page.locator(':focus').getAttribute('aria-activedescendant');
  await expect
    .poll(async () => {
      if ((await highlighted()) === null) await page.keyboard.press('ArrowDown');
      await rested(page);
      return highlighted();
    })
    .not.toBeNull();
};

/** Takes one of the further actions of a page, which are behind "⋯". */
export const chooseMore = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('button', { name: '更多操作' }).click();
  await page.getByRole('menuitem', { name, exact: true }).click();
};

/** Opens the conditions of a field, as a person does. */
export const openFilter = async (page: Page, field: string): Promise<void> => {
  await page.getByRole('button', { name: '筛选' }).click();
  await page.getByRole('dialog').getByRole('menuitem', { name: field, exact: true }).click();
};

/** Adds a condition to the list: a value by a click on it, every other one in the form of the field. */
export const addFilter = async (
  page: Page,
  field: string,
  value: string | RegExp,
  comparison?: string,
): Promise<void> => {
  await openFilter(page, field);
  const form = page.getByRole('dialog');
  const input = form.getByLabel('值', { exact: true });
  const choice = form.getByRole('menuitem', { name: value, exact: true });
  await input.or(choice).waitFor();
  if (comparison === undefined && (await choice.count()) > 0) await choice.click();
  else {
    const others = form.getByRole('menuitem', { name: '其他条件…' });
    if ((await others.count()) > 0) await others.click();
    if (comparison !== undefined) {
      await form.getByLabel('条件').click();
      await page.getByRole('option', { name: comparison, exact: true }).click();
    }
    if ((await input.getAttribute('role')) === 'combobox') {
      await input.click();
      await page.getByRole('option', { name: value, exact: true }).click();
    } else await input.fill(String(value));
    await form.getByRole('button', { name: '应用' }).click();
  }
  await form.waitFor({ state: 'detached' });
};

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** The violations that axe finds on the page as it is now. */
export const accessibility = async (page: Page): Promise<string[]> => {
  if (!(await page.evaluate<boolean>('globalThis.axe !== undefined'))) await page.evaluate(axe.source);
  const { violations }: { violations: Violation[] } = await page.evaluate(
    // The rule on the size of targets, of WCAG 2.2, is off unless it is asked for.
    `axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
  );
};

/** Complaints that are none: what the browser says of a refusal, of which the tests provoke many. */
const expected = /status of 4\d\d/;

/** Nothing was asked of anybody else, nothing was complained of, no policy was broken. */
export const demandQuiet = ({ requests, complaints }: Watched, { origin }: Place): void => {
  expect(complaints.filter((line) => !expected.test(line))).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('blob:'))).toEqual([]);
};
