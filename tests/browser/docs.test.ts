import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { loadApplication } from '../../src/application.ts';
import { hasBrowser, useBrowser, type Watched } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

const newsroom = fileURLToPath(new URL('../../examples/newsroom', import.meta.url));

/** Nothing was asked of anybody else, and nothing was complained of. */
const demandQuiet = ({ requests, complaints }: Watched, origin: string): void => {
  expect(complaints).toEqual([]);
  expect(requests.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
};

const send = async (page: Page): Promise<{ status: number; body: string }> => {
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.locator('.result .badge').waitFor();
  const status = Number(await page.locator('.result .badge').textContent());
  return { status, body: (await page.locator('.result .answer').textContent()) ?? '' };
};

describe.skipIf(!hasBrowser)('the documentation page', async () => {
  const application = await loadApplication(newsroom);
  describeDatabase('sqlite', 'in a browser', (databases) => {
    const service = useService(databases, { application, apps: ['shop'] });
    const open = useBrowser();

    const visit = async (path: string, ...sight: Parameters<typeof open>): Promise<Watched> => {
      const watched = await open(...sight);
      await watched.page.goto(`${service.origin}/api-docs${path}`);
      await watched.page.locator('main h1, main h2').first().waitFor();
      return watched;
    };

    const signIn = async (page: Page): Promise<void> => {
      const { username, password } = await service.admin();
      await page.locator('header button').click();
      await page.getByLabel('Account', { exact: true }).fill(username);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
      await page.getByText(`Signed in: ${username}`).waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
    };

    it('succeeds by account and password, as JWT and as Bearer token', async () => {
      const watched = await visit('?lang=en#/listUsers');
      const { page } = watched;
      await signIn(page);
      for (const method of ['jwt', 'bearer']) {
        await page.getByLabel('Authentication').selectOption(method);
        const { status, body } = await send(page);
        expect([status, JSON.parse(body)]).toMatchObject([200, { code: 0, data: [{ username: 'root' }] }]);
      }
      demandQuiet(watched, service.origin);
    });

    it('succeeds with a pasted API key', async () => {
      const { key } = await service.createKey(await service.admin());
      const watched = await visit('?lang=en#/listUsers');
      const { page } = watched;
      await page.locator('header button').click();
      await page.getByLabel('API key', { exact: true }).fill(key);
      await page.getByRole('button', { name: 'Use' }).nth(1).click();
      await page.getByRole('button', { name: 'Close' }).click();
      expect(await page.getByLabel('Authentication').inputValue()).toBe('api_key');
      expect(await send(page)).toMatchObject({ status: 200 });
      demandQuiet(watched, service.origin);
    });

    it('succeeds with the headers that the shown command prints', async () => {
      const watched = await visit('?lang=en#/createPayment');
      const { page } = watched;
      await page.getByLabel('Body').fill('{"order_no":"A\'1","amount":1999}');
      await page.getByLabel('Application (app_id)').fill('shop');
      const message = (await page.locator('.message').textContent()) ?? '';
      const [timestamp = '', body = ''] = message.split('\n');
      expect(body).toBe('{"order_no":"A\'1","amount":1999}');
      const command = (await page.locator('.command').textContent()) ?? '';
      expect(command).toBe(
        `npx gatewright sign --app shop --timestamp ${timestamp} --body '{"order_no":"A'\\''1","amount":1999}'`,
      );
      const { stdout } = await service.command(
        'sign',
        '--app',
        'shop',
        '--timestamp',
        timestamp,
        '--body',
        body,
      );
      await page.getByLabel('Paste the three headers').fill(stdout);
      await page.getByText('All three headers are there.').waitFor();
      const answer = await send(page);
      expect([answer.status, JSON.parse(answer.body)]).toMatchObject([
        201,
        { data: { app_id: 'shop', order_no: "A'1", status: 'received' } },
      ]);
      demandQuiet(watched, service.origin);
    });

    it('looks as it should', async () => {
      const folder = fileURLToPath(new URL('screenshots/', import.meta.url));
      await mkdir(folder, { recursive: true });
      for (const lang of ['zh-CN', 'en'])
        for (const colorScheme of ['light', 'dark'] as const)
          for (const width of [1280, 390, 360]) {
            const { page } = await visit(`?lang=${lang}`, { colorScheme, width });
            for (const route of ['', 'createPayment', 'listOrder', 'updateOrder']) {
              await page.evaluate(`location.hash = '#/${route}'`);
              await page.locator(route === '' ? '.overview' : '.about').waitFor();
              const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
              expect([lang, width, route, overflow]).toEqual([lang, width, route, 0]);
              if (width !== 360)
                await page.screenshot({
                  path: `${folder}docs-${route || 'overview'}-${lang}-${colorScheme}-${width}.png`,
                  fullPage: true,
                });
            }
            await page.context().close();
          }
    });
  });
});
