import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createApplication, loadApplication } from '../../src/app/application.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { anyOf, equals, member, via } from '../../src/model/row-rule.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { hasBrowser, type Sight, useBrowser, type Watched } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { codeOf, enrol } from '../support/second-factor.ts';
import { type Service, useService } from '../support/service.ts';

const newsroom = fileURLToPath(new URL('../../examples/newsroom', import.meta.url));
const client = pathToFileURL(fileURLToPath(new URL('../../client/', import.meta.url))).href;

/** Pictures are kept for people to look at; they take a minute. */
const screenshots = process.env['SCREENSHOTS'] !== undefined;

const folder = fileURLToPath(new URL('screenshots/', import.meta.url));

const run = promisify(execFile);

/** Nothing was asked of anybody else, and nothing was complained of. */
const demandQuiet = ({ requests, complaints }: Watched, { origin }: Service): void => {
  expect(complaints).toEqual([]);
  expect(requests.length).toBeGreaterThan(4);
  expect(requests.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
};

type Open = ReturnType<typeof useBrowser>;

const visit = async (open: Open, { origin }: Service, path: string, sight?: Sight): Promise<Watched> => {
  const watched = await open(sight);
  await watched.page.goto(`${origin}/api-docs${path}`);
  await watched.page.locator('main h1, main h2').first().waitFor();
  return watched;
};

/** The violations that axe finds on the page as it is now. */
const accessibility = async (page: Page): Promise<string[]> => {
  const found: { violations: { id: string; nodes: { target: string[] }[] }[] } = await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } })',
  );
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(', ')}`);
};

/** Sends the form; its answer. */
const send = async (page: Page): Promise<{ status: number; body: string }> => {
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const badge = page.locator('.result .badge');
  await badge.waitFor();
  const body = (await page.locator('.result .answer').textContent()) ?? '';
  return { status: Number(await badge.textContent()), body };
};

/** The command that runs a sample; the package is the one of this checkout. */
const runners: Readonly<Record<string, (sample: string) => [string, string[]] | string>> = {
  curl: (sample) => ['sh', ['-c', sample]],
  JavaScript: () => 'sample.mjs',
  TypeScript: () => 'sample.mts',
  Python: (sample) => ['python3', ['-c', sample]],
};

const runSample = async (language: string, sample: string, env: Record<string, string>): Promise<string> => {
  const place = await mkdtemp(join(tmpdir(), 'gatewright-sample-'));
  try {
    const how = runners[language]?.(sample) ?? '';
    const local = sample
      .replace("'gatewright/client/sign'", `'${client}sign.ts'`)
      .replace("'gatewright/client'", `'${client}index.ts'`);
    if (typeof how === 'string') await writeFile(join(place, how), local);
    const [program, argv] = typeof how === 'string' ? [process.execPath, [join(place, how)]] : how;
    const { stdout } = await run(program, argv, { env: { PATH: process.env['PATH'] ?? '', ...env } });
    return stdout;
  } finally {
    await rm(place, { recursive: true });
  }
};

describe.skipIf(!hasBrowser)('the documentation page', async () => {
  const application = await loadApplication(newsroom);

  describeDatabase('sqlite', 'in a browser', (databases) => {
    const service = useService(databases, { application, apps: ['shop'] });
    const open = useBrowser();

    it('succeeds by account and password, as JWT and as Bearer token', async () => {
      const watched = await visit(open, service, '?lang=en#/listUsers');
      const { page } = watched;
      const { username, password } = await service.admin();
      await page.locator('header .account').click();
      await page.getByLabel('Account', { exact: true }).fill(username);
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
      // Answered in the language of the service, whatever that of the page.
      await page.getByText('账号或密码错误').waitFor();
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
      // The dialog is done: it says as whom one goes on, and the focus is where it was.
      await page.getByText(`Signed in: ${username}`).filter({ visible: true }).waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
      expect(await page.evaluate('document.activeElement.className')).toContain('account');
      expect(await page.locator('header .account').textContent()).toBe(username);
      for (const method of ['jwt', 'bearer']) {
        await page.getByLabel('Authentication').selectOption(method);
        const { status, body } = await send(page);
        expect([status, JSON.parse(body)]).toMatchObject([200, { code: 0, data: [{ username: 'root' }] }]);
      }
      if (screenshots)
        await page.screenshot({ path: join(folder, 'docs-answer-en-light-1280.png'), fullPage: true });
      expect(watched.complaints.filter((text) => !text.includes('401'))).toEqual([]);
    });

    it('succeeds with a pasted token and a pasted API key', async () => {
      const { key } = await service.createKey(await service.admin());
      const { token } = await service.admin();
      const watched = await visit(open, service, '?lang=en#/listUsers');
      const { page } = watched;
      for (const [label, method, credential] of [
        ['API key', 'api_key', key],
        ['JWT', 'jwt', token],
      ] as const) {
        await page.locator('header .account').click();
        const form = page
          .getByRole('dialog')
          .locator('form', { has: page.getByLabel(label, { exact: true }) });
        await form.getByLabel(label, { exact: true }).fill(credential);
        await form.getByRole('button', { name: 'Use' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        await page.getByLabel('Authentication').selectOption(method);
        expect(await send(page)).toMatchObject({ status: 200 });
      }
      demandQuiet(watched, service);
    });

    it('marks what is out of scope of the held key, until that is forgotten', async () => {
      const { key } = await service.ok<{ key: string }>('POST', '/api/v1/api_keys', {
        token: await service.admin(),
        body: { api_key: { name: 'scoped', scopes: ['articles:read'] } },
      });
      const watched = await visit(open, service, '?lang=en#/listUsers');
      const { page } = watched;
      await page.locator('header .account').click();
      await page.getByRole('dialog').getByLabel('API key', { exact: true }).fill(key);
      await page
        .getByRole('dialog')
        .locator('form', { has: page.getByLabel('API key', { exact: true }) })
        .getByRole('button', { name: 'Use' })
        .click();
      await page.getByText('it lacks users:read, and a call returns 403 (40305)').waitFor();
      const marked = (operation: string) =>
        page.locator(`nav [data-operation="${operation}"] .out-of-scope`).count();
      expect([await marked('listUsers'), await marked('listArticles')]).toEqual([1, 0]);
      expect(await send(page)).toMatchObject({ status: 403, body: expect.stringContaining('40305') });
      await page.locator('header .account').click();
      await page.getByRole('button', { name: 'Forget' }).click();
      await expect.poll(() => page.locator('.out-of-scope').count()).toBe(0);
      expect(watched.complaints.filter((text) => !text.includes('403'))).toEqual([]);
    });

    it('asks for the second factor of an account that has one; signing out revokes the token', async () => {
      const { user, secret } = await enrol(service);
      const watched = await visit(open, service, '?lang=en#/getMe');
      const { page } = watched;
      await page.locator('header .account').click();
      const dialog = page.getByRole('dialog');
      expect(await dialog.getByLabel('Code', { exact: true }).isVisible()).toBe(false);
      await dialog.getByLabel('Account', { exact: true }).fill(user.username);
      await dialog.getByLabel('Password', { exact: true }).fill(user.password);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await dialog.getByLabel('Code', { exact: true }).fill(codeOf(secret, service.clock.now()));
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText(`Signed in: ${user.username}`).filter({ visible: true }).waitFor();
      const answered = page.waitForRequest((request) => request.url().endsWith('/auth/me'));
      expect(await send(page)).toMatchObject({ status: 200 });
      const authorization = (await (await answered).allHeaders())['authorization'] ?? '';
      await page.locator('header .account').click();
      await page.getByRole('button', { name: 'Sign out and revoke' }).click();
      await expect.poll(() => page.locator('header .account').textContent()).toBe('Sign in');
      expect((await service.get('/api/v1/auth/me', { headers: { authorization } })).json.code).toBe(40_101);
      expect(watched.complaints.filter((text) => !text.includes('401'))).toEqual([]);
    });

    it('succeeds with the headers that the shown command prints', async () => {
      const watched = await visit(open, service, '?lang=en#/createPayment');
      const { page } = watched;
      const body = `{"order_no":"A'1","amount":1999}`;
      await page.getByLabel('Body').fill(body);
      await page.getByLabel('Application (app_id)').fill('shop');
      const message = (await page.locator('.message').textContent()) ?? '';
      const timestamp = message.split('\n')[0] ?? '';
      expect(message).toBe(`${timestamp}\n${body}`);
      expect(await page.locator('.command').textContent()).toBe(
        `npx gatewright sign --app shop --timestamp ${timestamp} --body '{"order_no":"A'\\''1","amount":1999}'`,
      );
      const paste = page.getByLabel('Paste the three headers');
      await paste.fill('X-App-Id: shop');
      await page.getByText('are needed, a line each').waitFor();
      const argv = ['sign', '--app', 'shop', '--timestamp', timestamp, '--body', body];
      await paste.fill((await service.command(...argv)).stdout);
      await page.getByText('All three headers are there.').waitFor();
      const answer = await send(page);
      const data = { app_id: 'shop', order_no: "A'1", status: 'received' };
      expect([answer.status, JSON.parse(answer.body)]).toMatchObject([201, { data }]);
      // The secret has no place to be typed in, and never comes from the service.
      expect(await page.content()).not.toContain(service.secrets.get('shop'));
      demandQuiet(watched, service);
    });

    it('writes, filters and signs in to the administration area', async () => {
      const watched = await visit(open, service, '?lang=en#/createSession');
      const { page } = watched;
      const { username, password } = await service.admin();
      await page.getByLabel('Body').fill(JSON.stringify({ account: username, password }));
      expect(await send(page)).toMatchObject({ status: 200 });
      await page.goto(`${service.origin}/api-docs?lang=en#/adminListUsers`);
      await page
        .getByText(`Session: ${username}`)
        .or(page.getByRole('button', { name: 'Add a condition' }))
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'Add a condition' }).click();
      await page.getByRole('combobox', { name: 'Field', exact: true }).selectOption('username');
      await page.getByRole('combobox', { name: 'Condition' }).selectOption('starts_with');
      await page.getByRole('textbox', { name: 'Value' }).fill('ro');
      const { status, body } = await send(page);
      expect([status, JSON.parse(body).data.length]).toEqual([200, 1]);
      demandQuiet(watched, service);
    });

    it.each([
      ['listUsers', 'jwt', 'root'],
      ['listUsers', 'api_key', 'root'],
      ['createPayment', 'signature', 'A-1001'],
      ['health', 'open', 'ok'],
    ])('gives the call of %s by %s as code that runs', async (operation, method, expected) => {
      const { page } = await visit(
        open,
        service,
        `?lang=en#/${operation === 'health' ? 'getHealth' : operation}`,
      );
      if (method !== 'open') await page.getByLabel('Authentication').selectOption(method);
      const admin = await service.admin();
      const env = {
        TOKEN: admin.token,
        API_KEY: (await service.createKey(admin)).key,
        APP_ID: 'shop',
        API_SECRET: service.secrets.get('shop') ?? '',
      };
      for (const language of Object.keys(runners)) {
        await page.getByRole('button', { name: language, exact: true }).click();
        const sample = (await page.locator('.sample').textContent()) ?? '';
        for (const secret of [env.TOKEN, env.API_KEY, env.API_SECRET]) expect(sample).not.toContain(secret);
        expect([language, await runSample(language, sample, env)]).toEqual([
          language,
          expect.stringContaining(expected),
        ]);
      }
    });

    it('takes the identity of the administration session, and loses it with the session', async () => {
      const watched = await visit(open, service, '?lang=en#/listUsers');
      const { page } = watched;
      const { username, password } = await service.admin();
      const use = page.getByRole('button', { name: 'Use my administration session' });
      await page.locator('header .account').click();
      await use.click();
      await page.getByText('There is no session in the administration area').waitFor();
      const signIn = async () =>
        page.evaluate(
          ([account, secret]) =>
            fetch('admin/session', {
              method: 'POST',
              headers: { 'Content-Type': 'application/json' },
              body: JSON.stringify({ account, password: secret }),
            }).then(({ status }) => status),
          [username, password],
        );
      expect(await signIn()).toBe(200);
      await use.click();
      await page.getByText(`Signed in: ${username}`).filter({ visible: true }).waitFor();
      await page.getByLabel('Authentication').selectOption('jwt');
      expect(await send(page)).toMatchObject({ status: 200 });
      // Nothing of it outlives the page.
      expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('eyJ');
      await page.evaluate(() => fetch('admin/session', { method: 'DELETE' }));
      expect(await send(page)).toMatchObject({ status: 401 });
    });

    it('finds operations, fields and errors by keyboard, and says what is nearest to a place that is not there', async () => {
      const watched = await visit(open, service, '?lang=en');
      const { page } = watched;
      const hits = (kind: string) => page.getByRole('group', { name: kind }).getByRole('option');
      await page.keyboard.press('/');
      await page.keyboard.type('status');
      await hits('Fields').filter({ hasText: 'status' }).first().waitFor();
      expect(await page.locator('.hits mark').first().textContent()).toMatch(/status/i);
      await page.keyboard.press('Escape');
      expect(await page.getByRole('combobox').first().inputValue()).toBe('');
      await page.keyboard.type('42200');
      await hits('Errors').first().waitFor();
      await page.keyboard.press('Enter');
      await page.locator('tr.pointed', { hasText: '42200' }).waitFor();
      expect(await page.evaluate('location.hash')).toMatch(/^#\/\w+\/error\.42200$/);
      // The field under the pointer is shown in the answer, and has the focus.
      await page.locator('.example .code', { hasText: '42200' }).waitFor();
      expect(await page.evaluate('document.activeElement.className')).toContain('anchor');
      await page.locator('.brand').click();
      // The overview takes the focus when it is drawn; what is typed before would be lost to it.
      await page.locator('main h1:focus').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('orders');
      const [first, second] = [hits('Endpoints').nth(0), hits('Endpoints').nth(1)];
      await first.waitFor();
      await page.keyboard.press('ArrowDown');
      expect(await first.getAttribute('aria-selected')).toBe('false');
      expect(await second.getAttribute('aria-selected')).toBe('true');
      await page.keyboard.press('Enter');
      await page.locator('.about').waitFor();

      const at = async (place: string) => {
        await page.evaluate(`location.hash = '#/${place}'`);
        await page.locator('.notice, .pointed').first().waitFor();
      };
      await at('listOrders/answer.data.status');
      expect(await page.locator('tr.pointed code').first().textContent()).toBe('data[].status');
      await at('listOrders/answer.data.stauts');
      await page.getByText('This operation has no answer.data.stauts').waitFor();
      expect(await page.locator('.about .notice a').allTextContents()).toContain('answer.data.status');
      await at('listOrdrs');
      await page.getByText('No operation is called listOrdrs').waitFor();
      await page.locator('.notice').getByRole('link', { name: 'listOrders', exact: true }).click();
      await page.locator('.about').waitFor();
      await at('createOrder/example.422');
      expect(await page.locator('.example .code').textContent()).toContain('"field": "number"');
      demandQuiet(watched, service);
    });

    it('finds the conventions in the handbook, and leads there', async () => {
      const watched = await visit(open, service, '?lang=en');
      const { page } = watched;
      const topics = page.getByRole('group', { name: 'Handbook' }).getByRole('option');
      await page.locator('main h1').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('too many requests');
      await topics.filter({ hasText: '429: too many requests' }).waitFor();
      await page.getByRole('combobox').first().fill('pagination');
      await topics.filter({ hasText: 'Pagination' }).first().click();
      await page.getByRole('heading', { name: 'Pagination', level: 2 }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/api-docs/handbook/reference/list-parameters');
      demandQuiet(watched, service);
    });

    it('sends as any of those who are signed in', async () => {
      const { page } = await visit(open, service, '?lang=en#/listUsers');
      const root = await service.admin();
      const other = await service.createUser();
      for (const person of [root, other]) {
        await page.locator('header .account').click();
        await page.getByLabel('Account', { exact: true }).fill(person.username);
        await page.getByLabel('Password', { exact: true }).fill(person.password);
        await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      // The last one who signed in.
      await page.getByLabel('Authentication').selectOption('jwt');
      const names = async (): Promise<string[]> =>
        JSON.parse((await send(page)).body).data.map(({ username }: { username: string }) => username);
      expect(await names()).toEqual([other.username]);
      await page.getByLabel('Send as').selectOption({ label: root.username });
      expect(await page.locator('header .account').textContent()).toBe(root.username);
      await expect.poll(names).toContain(root.username);
      await page.locator('header .account').click();
      await page.getByRole('listitem').filter({ hasText: root.username }).getByRole('button').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await page.getByLabel('Send as').waitFor({ state: 'detached' });
      await expect.poll(names).toEqual([other.username]);
    });

    it('the documentation page is there after a few requests, and asks for its description while it is on its way itself', async () => {
      const { page, requests } = await open({ fresh: true });
      const asked = page.waitForRequest('**/api-docs/openapi.json?*');
      await page.route('**/main.js', async (route) => {
        await asked;
        await route.continue();
      });
      await page.goto(`${service.origin}/api-docs?lang=en#/listUsers`);
      await page.getByRole('heading', { level: 1, name: 'List users' }).waitFor();
      const names = requests.map((url) => new URL(url).pathname.replace(/^.*\//, ''));
      expect(names.filter((name) => !/^icon\.svg$|\.woff2$/.test(name)).sort()).toEqual(
        ['api-docs', 'early.js', 'main.js', 'methods.json', 'openapi.json', 'page.css'].sort(),
      );
    });

    it('folds what is for administrators, and unfolds everything on paper', async () => {
      const { page } = await visit(open, service, '?lang=en');
      await page.locator('.overview details.folded').waitFor();
      expect(await page.locator('.overview').getByText('/admin/users', { exact: true }).count()).toBe(0);
      await page.emulateMedia({ media: 'print' });
      await page.evaluate('dispatchEvent(new Event("beforeprint"))');
      await page.locator('.overview').getByText('/admin/users', { exact: true }).first().waitFor();
      expect(await page.locator('header').isVisible()).toBe(false);
      await page.evaluate('dispatchEvent(new Event("afterprint"))');
      await page.emulateMedia({ media: 'screen' });
      expect(await page.locator('.overview details[open]').count()).toBe(0);
      await page.evaluate("location.hash = '#/adminListUsers'");
      await page.getByText('Administrators only').first().waitFor();
      await page.locator('.navigation [aria-current]', { hasText: 'List users' }).waitFor();
    });

    it('loads no description from elsewhere', async () => {
      const elsewhere = encodeURIComponent('https://elsewhere.example/openapi.json');
      const watched = await visit(
        open,
        service,
        `?url=${elsewhere}&configUrl=${elsewhere}&spec=${elsewhere}`,
      );
      await watched.page.locator('.overview').waitFor();
      demandQuiet(watched, service);
    });

    it('an endpoint that any caller may use has no gate, as nothing is decided there', async () => {
      const { page } = await visit(open, service, '?lang=en#/login');
      const gates = page.locator('.trace svg');
      await page.locator('.trace').getByText('Everyone, without authentication.').waitFor();
      expect(await gates.count()).toBe(0);
      // A public list of published records still says where it reaches less.
      await page.evaluate("location.hash = '#/listArticles'");
      await page.locator('.trace .narrows').waitFor();
      expect(await page.locator('.trace .passed').count()).toBe(0);
      await page.evaluate("location.hash = '#/listOrders'");
      await page.locator('.trace .passed').first().waitFor();
      expect(await gates.count()).toBe(await page.locator('.trace li').count());
    });

    it('speaks the language of the service until another is chosen, and keeps to it', async () => {
      const { page } = await visit(open, service, '', { locale: 'en-US' });
      expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN');
      await page.getByText('登录与账号').first().waitFor();
      await page.getByRole('button', { name: 'English' }).click();
      await page.getByText('API documentation').waitFor();
      await page.getByRole('button', { name: 'Dark' }).click();
      await page.goto(`${service.origin}/api-docs`);
      await page.getByText('API documentation').waitFor();
      expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
      // The administration area follows the same choices, and this page follows the choices that are made there.
      await page.goto(`${service.origin}/admin`);
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await page.locator('html').getAttribute('lang')).toBe('en');
      expect(await page.evaluate('localStorage.getItem("RaStoregatewright.theme")')).toBe('"dark"');
      await page.getByRole('button', { name: '简体中文' }).click();
      await page.goto(`${service.origin}/api-docs`);
      await page.getByText('登录与账号').first().waitFor();
    });

    it('shows in the contents where the reader is, and begins a body with the required fields', async () => {
      const { page } = await visit(open, service, '?lang=en#/updateOrder', { height: 600 });
      const current = await page.locator('.navigation [aria-current]').boundingBox();
      expect(current?.y).toBeGreaterThan(60);
      expect((current?.y ?? 600) + (current?.height ?? 0)).toBeLessThan(600);
      expect(JSON.parse(await page.getByLabel('Body').inputValue())).toEqual({ order: { number: 'number' } });
      await page.getByText('pending | paid | cancelled | null').first().waitFor();
    });

    it('the documentation page is accessible, as far as a machine can tell', async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page } = await visit(open, service, '?lang=en', { colorScheme });
        await page.evaluate(axe.source);
        for (const route of ['', 'listOrders', 'createPayment']) {
          await page.evaluate(`location.hash = '#/${route}'`);
          await page.locator(route === '' ? '.overview' : '.about').waitFor();
          expect([colorScheme, route, await accessibility(page)]).toEqual([colorScheme, route, []]);
        }
        await page.getByRole('combobox').first().fill('status');
        await page.locator('.hits a').first().waitFor();
        expect([colorScheme, 'search', await accessibility(page)]).toEqual([colorScheme, 'search', []]);
        await page.keyboard.press('Escape');
        await page.locator('header .account').click();
        expect([colorScheme, 'dialog', await accessibility(page)]).toEqual([colorScheme, 'dialog', []]);
        await page.close();
      }
    });

    it('the documentation page is usable in both languages, both themes, at any width', async () => {
      if (screenshots) await mkdir(folder, { recursive: true });
      for (const lang of ['zh-CN', 'en'])
        for (const colorScheme of ['light', 'dark'] as const) {
          const watched = await visit(open, service, `?lang=${lang}`, { colorScheme });
          const { page } = watched;
          for (const width of [2560, 1280, 390, 360]) {
            await page.setViewportSize({ width, height: 900 });
            for (const route of ['', 'createPayment', 'listOrders', 'updateOrder']) {
              await page.evaluate(`location.hash = '#/${route}'`);
              await page.locator(route === '' ? '.overview' : '.about').waitFor();
              const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
              expect([lang, width, route, overflow]).toEqual([lang, width, route, 0]);
              const name = `docs-${route || 'overview'}-${lang}-${colorScheme}-${width}.png`;
              if (screenshots && width !== 360)
                await page.screenshot({ path: join(folder, name), fullPage: true });
            }
          }
          demandQuiet(watched, service);
          await page.close();
        }
    }, 180_000);
  });

  describeDatabase('sqlite', 'with rules on rows', (databases) => {
    const fields = {
      membership: {
        team: field.integer({ label: { 'zh-CN': '团队', en: 'Team' } }),
        role: field.enum(['reader', 'writer'], { labels: { writer: { 'zh-CN': '编辑', en: 'Writer' } } }),
        user_id: field.owner(),
      },
      project: {
        team: field.integer(),
        visibility: field.enum(['team', 'public'], { label: { 'zh-CN': '可见性', en: 'Visible to' } }),
      },
      task: {
        title: field.string(),
        note: field.text(),
        project: field.reference('Project'),
        assignee: field.reference('User', { anyone: true, shows: ['name'] }),
      },
    };
    const writes = member('team', { of: 'Membership', where: { role: 'writer' } });
    const reads = anyOf(member('team', { of: 'Membership' }), equals('visibility', 'public'));
    const resources = [
      defineResource('Membership', { fields: fields.membership, isolation: true }),
      defineResource('Project', { fields: fields.project, isolation: { read: reads, write: writes } }),
      defineResource('Task', {
        fields: fields.task,
        isolation: via('project', reads),
        restricted: [{ fields: ['title'], unless: equals('title', 'draft') }],
        views: { when: [[via('project', writes), ['note']]] },
      }),
    ];
    const application = createApplication({
      resources,
      migrations: {
        '0001_tables': {
          up: async (db, dialect) => {
            const indexes = { memberships: [['user_id', 'team']], projects: [['team'], ['visibility']] };
            await createTable(db, dialect, 'memberships', {
              fields: fields.membership,
              indexes: indexes.memberships,
            });
            await createTable(db, dialect, 'projects', { fields: fields.project, indexes: indexes.projects });
            await createTable(db, dialect, 'tasks', {
              fields: fields.task,
              references: { project: 'projects' },
            });
          },
        },
      },
    });
    const service = useService(databases, { application, env: { LOCALE: 'en' } });
    const open = useBrowser();

    it('says under which condition others see and write fields, and which fields of users', async () => {
      const said = {
        'zh-CN': [
          'super_admin 与 admin 之外的调用者仅在部分记录中可写 title，即满足以下条件的记录：title 为 draft。',
          'super_admin 与 admin 之外的调用者仅在部分记录中可见 note，即满足以下条件的记录：project_id 指向的 Project 满足：',
          '能读取记录的调用者都可见其 assignee 的 id、name。',
        ],
        en: [
          'Callers other than super_admin and admin write title only in some records: Records where title is draft.',
          'Callers other than super_admin and admin see note only in some records: Records where project_id names a record of Project where ',
          'Everyone who can read a record sees id, name of its assignee.',
        ],
      };
      for (const [lang, [writes = '', sees = '', shows = '']] of Object.entries(said)) {
        const watched = await visit(open, service, `?lang=${lang}#/updateTask`);
        const { page } = watched;
        const who = async () => (await page.locator('.who').textContent()) ?? '';
        for (const text of [writes, sees, shows]) expect(await who()).toContain(text);
        await page.evaluate(`location.hash = '#/listTasks'`);
        await expect.poll(who).not.toContain(writes);
        expect(await who()).toContain(sees);
        demandQuiet(watched, service);
        await page.close();
      }
    }, 60_000);

    it('says which records exist for whom, in both languages and themes, at any width', async () => {
      if (screenshots) await mkdir(folder, { recursive: true });
      const said = {
        'zh-CN': '其中可修改（修改后仍须符合）：满足以下条件的记录：调用者拥有一条',
        en: 'Of those they change records where the caller owns a record of Membership where team is the record’s team and role is writer, before and after the change. Anything else is 403.',
      };
      for (const [lang, text] of Object.entries(said))
        for (const colorScheme of ['light', 'dark'] as const) {
          const watched = await visit(open, service, `?lang=${lang}#/updateProject`, { colorScheme });
          const { page } = watched;
          expect(await page.locator('.about').textContent()).toContain(text);
          // Ownership is mentioned only for resources that are their owners' only.
          expect(await page.locator('.who').textContent()).not.toContain('user_id');
          await page.evaluate(axe.source);
          for (const width of [1280, 360])
            for (const route of ['updateProject', 'listTasks', 'createProject', 'updateMembership']) {
              await page.setViewportSize({ width, height: 900 });
              await page.evaluate(`location.hash = '#/${route}'`);
              await page.locator('.about').waitFor();
              const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
              expect([lang, width, route, overflow, await accessibility(page)]).toEqual([
                lang,
                width,
                route,
                0,
                [],
              ]);
              const name = `docs-rules-${route}-${lang}-${colorScheme}-${width}.png`;
              if (screenshots) await page.screenshot({ path: join(folder, name) });
            }
          expect(await page.locator('.who').textContent()).toContain('user_id');
          demandQuiet(watched, service);
          await page.close();
        }
    }, 120_000);
  });

  describeDatabase('sqlite', 'with markup in its texts', (databases) => {
    const markup = '<img src=x onerror=alert(1)><script>alert(2)</script>';
    const trap = defineEndpoint({
      method: 'POST',
      path: '/trap',
      summary: markup,
      input: { title: field.string({ default: markup }), choice: field.enum(['<b>a</b>']) },
      handle: () => markup,
    });
    const service = useService(databases, { application: { endpoints: [trap] }, env: { LOCALE: 'en' } });
    const open = useBrowser();

    it('shows it and does nothing', async () => {
      const watched = await visit(open, service, '#/post_trap');
      const { page } = watched;
      expect(await page.locator('.about').textContent()).toContain(markup);
      expect(await page.locator('img, b, #app script').count()).toBe(0);
      demandQuiet(watched, service);
    });
  });
});
