import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, rested, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';
import { testsAll } from '../support/tiers.ts';
import {
  accessibility,
  demandQuiet,
  enter,
  fillSignIn,
  go,
  load,
  pages,
  seed,
  settled,
  site,
  visit,
} from './admin-site.ts';

/** Pictures are kept for people to look at. */
const screenshots = process.env['SCREENSHOTS'] !== undefined;

const folder = fileURLToPath(new URL('screenshots/', import.meta.url));

/** The widths that the pages are looked at in, and how high a window of each is: a telephone, a laptop, a large screen. */
const heights = { 360: 780, 768: 1024, 1280: 860, 2560: 1300 };

const everyLook = (['zh-CN', 'en'] as const).flatMap((language) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    Object.entries(heights).map(([width, height]) => ({
      language,
      colorScheme,
      width: Number(width),
      height,
    })),
  ),
);

/** Each language, theme and width once, and no more; the long tier looks at all of them, as does who takes pictures. */
const sample: ReadonlySet<string> = new Set(['zh-CN dark 360', 'en light 1280']);
const looks = everyLook.filter(
  ({ language, colorScheme, width }) =>
    screenshots || testsAll || sample.has(`${language} ${colorScheme} ${width}`),
);

/** Tables that one has to scroll sideways to reach their last column. */
const cutTables = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.MuiTableContainer-root')]
    .filter((each) => each.scrollWidth > each.clientWidth + 1)
    .map((each) => each.getAttribute('aria-label') + ' is cut by ' + (each.scrollWidth - each.clientWidth) + ' px')`);

/** Texts that are set as no Chinese text is: half-width parentheses, a space beside a full-width sign. Code is none. */
const oddlySet = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('main :is(h1, h2, h3, p, li, label, dt, dd, td, th, a, button, [role=alert])')]
    .filter((each) => !getComputedStyle(each).fontFamily.includes('mono') && each.querySelector('code, pre') === null)
    .map((each) => each.innerText)
    .filter((text) => /[(]|[。，：；] \\S|\\S （/.test(text))
    .map((text) => 'oddly set: ' + text)`);

describeDatabase('sqlite', 'administration pages, looked at', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', () => {
    const open = useBrowser();
    const service = useService(databases, site);

    beforeAll(async () => {
      await seed(service);
      if (screenshots) await mkdir(folder, { recursive: true });
    }, 120_000);

    it.each(looks)(
      'every page breaks no rule of accessibility: $language $colorScheme $width',
      async (look) => {
        const { language, colorScheme, width } = look;
        const nameOf = (page: string): string =>
          join(folder, `admin-${page}-${language}-${colorScheme}-${width}.png`);
        const outside = await visit(open, service, '/', look);
        await settled(outside.page);
        const found: Record<string, string[]> = { 'sign-in': await accessibility(outside.page) };
        if (screenshots) await outside.page.screenshot({ path: nameOf('sign-in') });

        const asked = await service.createUser(['admin']);
        await service.ok('PATCH', `/admin/users/${asked.id}`, {
          token: await service.admin(),
          body: { user: { must_change_password: true } },
        });
        await fillSignIn(outside.page, asked);
        await outside.page.locator('input[autocomplete=new-password]').waitFor();
        await settled(outside.page);
        found['password-first'] = await accessibility(outside.page);
        if (screenshots) await outside.page.screenshot({ path: nameOf('password-first') });

        const inside = await enter(open, service, await service.admin(), '/', look);
        for (const [name, path] of Object.entries(pages)) {
          await go(inside.page, service, path);
          found[name] = await accessibility(inside.page);
          // Nothing sticks out at the side, of a telephone above all.
          const wide = await inside.page.evaluate<number>('document.documentElement.scrollWidth');
          if (wide > width) found[name]?.push(`is ${wide} px wide`);
          // Actions with their time and address take more than this window, in English.
          if (name !== 'audit') found[name]?.push(...(await cutTables(inside.page)));
          if (language === 'zh-CN') found[name]?.push(...(await oddlySet(inside.page)));
          if (screenshots) await inside.page.screenshot({ path: nameOf(name), fullPage: true });
        }
        expect(Object.fromEntries(Object.entries(found).filter(([, list]) => list.length > 0))).toEqual({});
        demandQuiet(inside, service);
      },
      600_000,
    );

    it.each(looks.filter(({ language }) => language === 'zh-CN'))(
      'what opens over a page breaks no rule of accessibility: $language $colorScheme $width',
      async (look) => {
        const { language, colorScheme, width } = look;
        const { page } = await enter(open, service, await service.admin(), '/api_keys', look);
        const found: Record<string, string[]> = {};
        const examine = async (name: string): Promise<void> => {
          // An element that fades in counts once it is opaque.
          await rested(page);
          found[name] = await accessibility(page);
          if (screenshots)
            await page.screenshot({
              path: join(folder, `admin-${name}-${language}-${colorScheme}-${width}.png`),
            });
        };
        await page.getByRole('button', { name: /^(筛选|Filter)$/ }).click();
        await examine('filter');
        await page.keyboard.press('Escape');
        await page.getByRole('checkbox').nth(1).check();
        await page.getByRole('checkbox').nth(2).check();
        await page.getByRole('button', { name: /^(吊销|Revoke)$/ }).click();
        await examine('revoke');
        await page.keyboard.press('Escape');
        await page.keyboard.press('Control+k');
        await page.getByRole('dialog').getByRole('combobox').fill('zh');
        await page.getByRole('option', { name: /zhao_lei/ }).waitFor();
        await examine('palette');
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: /^(账号|Account)$/ }).click();
        await examine('account');
        if (width === 360) {
          await page.keyboard.press('Escape');
          await page.getByRole('button', { name: /打开菜单|Open the menu/ }).click();
          await examine('menu');
        }
        await load(page, service, '/users/4/show');
        await page.getByRole('button', { name: /^(设置新密码|Set a new password)$/ }).click();
        await examine('reset-password');
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: /^(结束会话|End sessions)$/ }).click();
        await examine('end-sessions');
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: /^(重置链接|Reset link)$/ }).click();
        await examine('make-link');
        await page.getByRole('dialog').getByRole('button').last().click();
        await page.getByRole('dialog').getByRole('checkbox').waitFor();
        await examine('made-link');
        await page.getByRole('dialog').getByRole('checkbox').check();
        await load(page, service, '/api_keys/create?user_id=4');
        await page.getByRole('textbox', { name: /名称|Name/ }).fill('夜间报表');
        await page.getByRole('button', { name: /自定义|Other/ }).click();
        await page.locator('input[type=datetime-local]').fill('2020-01-01T00:00');
        await examine('past');
        await page.getByRole('button', { name: /^(30 天|30 days)$/ }).click();
        await page.locator('form button[type=submit]').click();
        await page.getByRole('button', { name: /^(完成|Done)$/ }).waitFor();
        await examine('created-key');
        await page.getByRole('checkbox').check();
        await load(page, service, '/records/books/9');
        await page
          .getByRole('textbox', { name: /书名|Title/ })
          .fill(`我的 ${language} ${colorScheme} ${width}`);
        await service.ok('PATCH', '/admin/records/books/9', {
          token: await service.admin(),
          body: { book: { title: `别人的 ${language} ${colorScheme} ${width}`, pages: 100 + width } },
        });
        await page.locator('form button[type=submit]').click();
        await page.getByRole('dialog').waitFor();
        await examine('conflict');
        expect(Object.fromEntries(Object.entries(found).filter(([, list]) => list.length > 0))).toEqual({});
      },
      120_000,
    );
  });
});
