import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { demandQuiet, enter, go, highlightOption, pages, seed, settled, site, visit } from './admin-site.ts';

/** The focused element, as a screen reader would name it. */
const focused = (page: Page): Promise<string> =>
  page.evaluate<string>(`(() => {
    const { activeElement: it } = document;
    if (it === null || it === document.body) return '';
    const named = it.getAttribute('aria-label') ?? it.labels?.[0]?.textContent ?? it.textContent ?? '';
    return named.replaceAll(/[\\s*]+/g, ' ').trim();
  })()`);

/** Presses Tab until something of that name has the focus. */
const tabTo = async (page: Page, name: string | RegExp, key = 'Tab'): Promise<void> => {
  const seen: string[] = [];
  for (let press = 0; press < 120; press += 1) {
    await page.keyboard.press(key);
    const now = await focused(page);
    if (typeof name === 'string' ? now === name : name.test(now)) return;
    seen.push(now);
  }
  throw new Error(`${name} cannot be reached by ${key}: ${seen.join(' | ')}`);
};

/**
 * Elements that look clickable and are neither in the order of Tab nor part of one that is. Parts of a
 * field that a mouse may use as well (its label, the arrow of a list that opens with the arrow key) are left out.
 */
const mouseOnly = `[...document.querySelectorAll('body *')]
  .filter((each) => getComputedStyle(each).cursor === 'pointer' && each.checkVisibility())
  .filter((each) => each.closest('a[href], button, summary, input, select, textarea, label, [tabindex="0"], .MuiFormControl-root') === null)
  .map((each) => each.outerHTML.slice(0, 120))`;

describeDatabase('sqlite', 'administration pages, by keyboard', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 120_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, site);
    let root: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      await seed(service);
    }, 120_000);

    const signIn = async (path: string): Promise<Page> => {
      const { page } = await visit(open, service, path);
      await page.locator('input[name=username]').waitFor();
      await page.keyboard.type(root.username);
      await page.keyboard.press('Tab');
      await page.keyboard.type(root.password);
      await page.keyboard.press('Enter');
      await page.getByRole('banner').waitFor();
      await settled(page);
      return page;
    };

    it('the keyboard leads from the sign-in to the list, the form, the key that is shown once, and back', async () => {
      const page = await signIn('/api_keys');
      await tabTo(page, '新建密钥');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: '新建密钥' }).waitFor();
      await tabTo(page, '所有者');
      await page.keyboard.type('wang');
      await page.getByRole('option', { name: 'wang_fang（王芳）' }).waitFor();
      await highlightOption(page);
      await page.keyboard.press('Enter');
      await tabTo(page, '名称');
      await page.keyboard.type('键盘');
      await tabTo(page, '30 天');
      await page.keyboard.press('Space');
      expect(await page.getByRole('button', { name: '30 天' }).getAttribute('aria-pressed')).toBe('true');
      await tabTo(page, '新建密钥');
      await page.keyboard.press('Enter');

      await page.getByText('正在等待第一次请求…').waitFor();
      await tabTo(page, '密钥');
      await tabTo(page, '我已妥善保存该密钥');
      await page.keyboard.press('Space');
      await tabTo(page, '完成');
      await page.keyboard.press('Enter');
      await page.locator('tbody').getByText('键盘').waitFor();
    });

    it('chooses rows, is asked, changes its mind, is asked again, revokes', async () => {
      for (const name of ['tab a', 'tab b'])
        await service.ok('POST', '/admin/api_keys', {
          token: root,
          body: { api_key: { name, user_id: root.id } },
        });
      const page = await signIn('/api_keys');
      await tabTo(page, '搜索');
      await page.keyboard.type('tab ');
      await expect.poll(() => page.locator('tbody tr').count()).toBe(2);
      await tabTo(page, '选择本页全部');
      await page.keyboard.press('Space');
      await tabTo(page, '吊销', 'Shift+Tab');
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: '吊销 2 个密钥？' });
      await dialog.waitFor();
      // It begins on the way out.
      expect(await focused(page)).toBe('取消');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(await focused(page)).toBe('吊销');
      await page.keyboard.press('Enter');
      await dialog.waitFor();
      await tabTo(page, '吊销');
      await page.keyboard.press('Enter');
      await expect.poll(() => page.locator('tbody tr').count()).toBe(0);
      await page.getByText('已吊销 2 个密钥').waitFor();
      await page.getByText('没有匹配的结果').waitFor();
    });

    it('filters a list, and takes the filter away', async () => {
      const page = await signIn('/users');
      await tabTo(page, '筛选');
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: '筛选' });
      await dialog.waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(await focused(page)).toBe('筛选');
      await page.keyboard.press('Enter');
      await dialog.waitFor();
      await expect.poll(() => focused(page)).toBe('用户名');
      await page.keyboard.press('Enter');
      await tabTo(page, /^值/);
      await page.keyboard.type('wang');
      await page.keyboard.press('Enter');
      await dialog.waitFor({ state: 'detached' });
      await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
      await tabTo(page, /wang$/);
      await page.keyboard.press('Delete');
      await expect.poll(() => page.locator('tbody tr').count()).toBeGreaterThan(1);
    });

    it('sorts a list by its heads', async () => {
      const page = await signIn('/users');
      await tabTo(page, '用户名');
      await page.keyboard.press('Enter');
      await expect
        .poll(() => page.getByRole('columnheader', { name: '用户名' }).getAttribute('aria-sort'))
        .toBe('descending');
    });

    it('ticks the permission table', async () => {
      const page = await signIn('/permissions');
      await tabTo(page, '全部展开');
      await page.keyboard.press('Enter');
      await tabTo(page, 'admin: Author 创建');
      for (let row = 0; row < 3; row += 1) await page.keyboard.press('ArrowDown');
      expect(await focused(page)).toBe('viewer: Author 创建');
      for (let step = 0; step < 40 && (await focused(page)) !== 'viewer: Order 创建'; step += 1)
        await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Space');
      const granted = async (): Promise<boolean | undefined> => {
        const table = await service.ok<{ role: string; model: string; action: string; allowed: boolean }[]>(
          'GET',
          '/admin/permissions',
          { token: root },
        );
        return table.find(
          ({ role, model, action }) => role === 'viewer' && model === 'Order' && action === 'create',
        )?.allowed;
      };
      await expect.poll(granted).toBe(true);
      // The focus stays where it is: the next stroke takes it back.
      expect(await focused(page)).toBe('viewer: Order 创建');
      await page.keyboard.press('Space');
      await expect.poll(granted).toBe(false);
    });

    it('opens and leaves the account menu, the palette and the menu of a telephone', async () => {
      const page = await signIn('/roles');
      await tabTo(page, '账号');
      await page.keyboard.press('Enter');
      await page.getByRole('menu').waitFor();
      await page.keyboard.press('ArrowDown');
      expect(await focused(page)).toBe('我的会话');
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
      expect(await focused(page)).toBe('账号');
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('combobox').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await focused(page)).toBe('账号');

      await page.setViewportSize({ width: 360, height: 780 });
      await tabTo(page, '打开菜单');
      await page.keyboard.press('Enter');
      await tabTo(page, '审计');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: '审计' }).waitFor();
    });

    it('leaves nothing on any page to the mouse alone', { timeout: 90_000 }, async () => {
      const watched = await enter(open, service, root, '/');
      const found: Record<string, string[]> = {};
      for (const [name, path] of Object.entries(pages)) {
        await go(watched.page, service, path);
        found[name] = await watched.page.evaluate<string[]>(mouseOnly);
      }
      expect(Object.fromEntries(Object.entries(found).filter(([, list]) => list.length > 0))).toEqual({});
      demandQuiet(watched, service);
    });
  });
});
