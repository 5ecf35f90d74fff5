import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { forms, type KnownForm } from './admin-forms.ts';
import { demandQuiet, enter, go, seed, settled, site } from './admin-site.ts';

const question = (page: Page) => page.getByRole('dialog', { name: '放弃未保存的修改？' });

const inputOf = (page: Page, { field, opener }: KnownForm) =>
  (opener === undefined ? page.locator('main') : page.getByRole('dialog'))
    .getByLabel(field)
    .and(page.locator('input, textarea'))
    .first();

const type = async (page: Page, form: KnownForm): Promise<void> => {
  const { opener } = form;
  if (typeof opener === 'function') await opener(page);
  else if (opener !== undefined) await page.getByRole('button', { name: opener, exact: true }).click();
  await inputOf(page, form).fill(form.typed);
};

describe.skipIf(!hasBrowser)('in chromium', { timeout: 30_000 }, () => {
  const open = useBrowser();

  describeDatabase('sqlite', 'administration pages: leaving a form', (databases) => {
    const service = useService(databases, site);
    let root: TestUser;

    beforeAll(async () => {
      await seed(service);
      root = await service.admin();
    }, 120_000);

    const all = Object.entries(forms).flatMap(([file, known]) =>
      known.map((form) => [file, form.path, form] as const),
    );

    it.each(all)('%s at %s asks before input is lost', async (_file, path, form) => {
      const watched = await enter(open, service, root, '/permissions');
      const { page } = watched;
      page.setDefaultTimeout(5_000);
      await go(page, service, path);
      await type(page, form);

      // The browser's own button, and the way on from the question.
      await page.goBack();
      await question(page).getByRole('button', { name: '继续编辑' }).click();
      await question(page).waitFor({ state: 'detached' });
      expect(await inputOf(page, form).inputValue()).toBe(form.typed);
      expect(new URL(page.url()).pathname).toBe(`/admin${path.replace(/\?.*/, '')}`);

      // Reloading and closing: the browser itself asks.
      const asked: string[] = [];
      page.once('dialog', (dialog) => {
        asked.push(dialog.type());
        void dialog.dismiss();
      });
      await page.close({ runBeforeUnload: true });
      await expect.poll(() => asked).toEqual(['beforeunload']);
      expect(await inputOf(page, form).inputValue()).toBe(form.typed);

      // A way within the pages; a dialog has its own first.
      if (form.opener === undefined) await page.getByRole('link', { name: '审计', exact: true }).click();
      else await page.goBack();
      await question(page).getByRole('button', { name: '不保存并离开' }).click();
      const title = form.opener === undefined ? '审计' : '权限管理';
      await page.getByRole('heading', { name: title, exact: true }).waitFor();
      await settled(page);

      // Nothing is left to be asked for.
      await page.getByRole('link', { name: '概览' }).click();
      await page.getByRole('heading', { name: '概览' }).waitFor();
      demandQuiet(watched, service);
    });
  });
});
