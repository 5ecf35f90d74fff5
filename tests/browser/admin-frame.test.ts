/** The surroundings of every page: the name of the application, the frame before the scripts, and a page on paper. */

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, demandQuiet, enter, hintSession } from './admin-site.ts';

const longName = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunternehmen';

/** Number of pixels by which the page is wider than its window. */
const overflow = (page: Page) =>
  page.evaluate<number>('Math.max(0, document.documentElement.scrollWidth - innerWidth)');

/** The controls that are printed. */
const printed = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('header, nav, button, input, select, .skip, .rail')]
    .filter((element) => element.checkVisibility())
    .map((element) => element.outerHTML.slice(0, 80))`);

/** The texts of a page that end before they are read. */
const truncated = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('main td, main dd, main dd > span')]
    .filter((element) => element.checkVisibility() && getComputedStyle(element).overflow !== 'visible')
    .map((element) => element.textContent)`);

describeDatabase('sqlite', 'the frame of the administration pages', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, {
      application: { config: { name: 'Tea & Cups', environment: 'staging', colour: '#b45309' } },
      env: { LOCALE: 'en' },
    });
    let root: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      for (const name of [longName, 'erp-sync'])
        await service.ok('POST', '/api/v1/api_keys', {
          token: root,
          body: { api_key: { name, expires_at: '2020-01-01T00:00:00Z' } },
        });
    });

    it('names the application and its environment on every page, the sign-in and the documentation', async () => {
      const watched = await enter(open, service, root, '/users', { locale: 'en-GB' });
      const { page } = watched;
      await page.getByRole('banner').getByText('staging').waitFor();
      const colour = await page.evaluate(`getComputedStyle(
        [...document.querySelectorAll('header span')].find(({ textContent }) => textContent === 'staging'),
      ).backgroundColor`);
      expect(colour).toBe('rgb(180, 83, 9)');
      await page.getByRole('banner').getByRole('link', { name: 'Tea & Cups' }).waitFor();
      expect(await page.title()).toBe('Users · Tea & Cups (staging)');
      await page.goto(`${service.origin}/api-docs?lang=en`);
      await page.locator('header').getByText('staging').waitFor();
      expect(await page.title()).toBe('Tea & Cups (staging) API');
      demandQuiet(watched, service);
      const { page: outside } = await open({ locale: 'en-GB' });
      await outside.goto(`${service.origin}/admin/login`);
      await outside.getByRole('heading', { name: 'Sign in to administration' }).waitFor();
      await outside.getByText('Tea & Cups', { exact: true }).waitFor();
      await outside.getByText('staging', { exact: true }).waitFor();
    });

    it.each([1280, 360])('the page itself shows the frame, before any other file, at %i', async (width) => {
      const watched = await open({ width, locale: 'en-GB' });
      const { page } = watched;
      await hintSession(page);
      await page.route('**/admin/assets/**', () => {});
      await page.goto(`${service.origin}/admin/users`, { waitUntil: 'commit' });
      await page.getByText('Tea & Cups', { exact: true }).waitFor();
      await page.getByText('staging', { exact: true }).waitFor();
      await page.getByText('Loading…').waitFor();
      expect(await page.locator('.arriving-rail').isVisible()).toBe(width === 1280);
      const painted = "performance.getEntriesByName('first-contentful-paint').length";
      await expect.poll(() => page.evaluate<number>(painted)).toBe(1);
      expect(await overflow(page)).toBe(0);
      demandQuiet(watched, service);
    });

    it.each(['/users', '/api_keys', '/api_keys/1', '/service'])(
      'what is printed of %s is its content, whole and dark on light',
      async (path) => {
        const { page } = await enter(open, service, root, path, { locale: 'en-GB', colorScheme: 'dark' });
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
        expect(await printed(page)).toEqual([]);
        expect(await truncated(page)).toEqual([]);
        expect(await page.evaluate('getComputedStyle(document.querySelector("h1")).color')).toBe(
          'rgb(23, 32, 30)',
        );
      },
    );

    it('a list of keys on a phone shows that a key has expired, and has targets for fingers', async () => {
      const { page } = await enter(open, service, root, '/api_keys', { width: 360, locale: 'en-GB' });
      const card = page.getByRole('listitem').filter({ hasText: 'erp-sync' });
      expect(await card.getByText('Expired', { exact: true }).isVisible()).toBe(true);
      expect(await card.getByRole('link').count()).toBe(1);
      expect(await overflow(page)).toBe(0);
      expect(await accessibility(page)).toEqual([]);
      await page.getByRole('link', { name: longName }).click();
      await page.getByRole('heading', { level: 1, name: longName }).waitFor();
      expect(await overflow(page)).toBe(0);
    });
  });
});
