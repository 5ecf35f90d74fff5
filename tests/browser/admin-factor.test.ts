import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { freePort } from '../support/postgres.ts';
import { codeOf, enrol, wrongCode } from '../support/second-factor.ts';
import { type Service, type TestUser, useService } from '../support/service.ts';
import {
  accessibility,
  chooseMore,
  demandQuiet,
  enter,
  fillSignIn,
  go,
  settled,
  site,
  type Visit,
  visit,
} from './admin-site.ts';

/** Seconds after which an application shows another code. */
const step = 30;

/** A service under a name that browsers take for safe: they have no passkeys for an address. */
const named = async (more: Readonly<Record<string, string>> = {}) => {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  return {
    origin,
    options: { ...site, env: { ...site.env, ...more, PORT: String(port), BASE_URL: origin } },
  };
};

const dialogOf = (page: Page) => page.getByRole('dialog').last();

const fillCode = async (page: Page, code: string): Promise<void> => {
  await page.locator('input[autocomplete=one-time-code]').fill(code);
  await page.locator('form button[type=submit]').last().click();
};

/** Says one's password in the dialog that asks for it. */
const sayPassword = async (page: Page, password: string): Promise<void> => {
  await page.locator('[role=dialog] input[autocomplete=current-password]').fill(password);
  await page.locator('[role=dialog] button[type=submit]').click();
};

/** The codes that are shown once; the dialog closes when they are said to be kept. */
const takeCodes = async (page: Page): Promise<readonly string[]> => {
  const shown = page.getByRole('textbox', { name: /^(恢复码|Recovery codes)$/ });
  const codes = ((await shown.textContent()) ?? '').split('\n');
  expect(codes).toHaveLength(10);
  const dialog = page.getByRole('dialog').filter({ has: shown });
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button').last().click();
  await dialog.waitFor({ state: 'detached' });
  return codes;
};

/** Sets an application up on the page that asks for it; returns its secret and the recovery codes. */
const setUp = async (page: Page, service: Service, password: string) => {
  await page.getByRole('button', { name: /^(设置验证器应用|Set up an authenticator app)$/ }).click();
  await sayPassword(page, password);
  const secret = (await page.getByRole('textbox', { name: /^(密钥|Secret)$/ }).textContent()) ?? '';
  await page.getByRole('img', { name: /二维码|QR code/ }).waitFor();
  await fillCode(page, codeOf(secret, service.clock.now()));
  return { secret, codes: await takeCodes(page) };
};

/** An authenticator of the browser's own: present, and its person verified, without anybody being asked. */
const addAuthenticator = async (page: Page): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
};

describe.skipIf(!hasBrowser)('in chromium', { timeout: 90_000 }, async () => {
  const open = useBrowser();
  const place = await named();
  const strict = await named({ ADMIN_SECOND_FACTOR: 'required' });

  describeEachDatabase('administration pages: two-step verification', (databases) => {
    const service = useService(databases, place.options);
    /** Pages are opened under the name. */
    const at = (person: TestUser, path: string, look?: Visit) => enter(open, place, person, path, look);

    it('an application is set up, asked for at the next sign-in, and each code counts once', async () => {
      const person = await service.createUser(['admin']);
      const watched = await at(person, '/');
      const { page } = watched;
      await page.getByRole('button', { name: '账号' }).click();
      await page.getByRole('menuitem', { name: '两步验证' }).click();
      await page.getByText('两步验证未启用').waitFor();
      await page.getByRole('button', { name: '设置验证器应用' }).click();
      await sayPassword(page, 'not this one');
      await dialogOf(page).getByText('密码错误').waitFor();
      await sayPassword(page, person.password);
      const secret = (await page.getByRole('textbox', { name: '密钥' }).textContent()) ?? '';
      const link = await page.getByRole('link', { name: '在此设备的应用中打开' }).getAttribute('href');
      expect(new URL(link ?? '').searchParams.get('secret')).toBe(secret);
      const code = page.locator('input[autocomplete=one-time-code]');
      expect(await code.getAttribute('inputmode')).toBe('numeric');
      await fillCode(page, wrongCode(secret, service.clock.now()));
      await dialogOf(page).getByText('验证码错误').waitFor();
      expect(await code.inputValue()).toBe('');
      // Applications show the code with a space.
      const right = codeOf(secret, service.clock.now());
      await fillCode(page, `${right.slice(0, 3)} ${right.slice(3)}`);
      const codesDialog = page.getByRole('dialog').filter({ hasText: '恢复码不会再次显示' });
      await codesDialog.waitFor();
      await page.keyboard.press('Escape');
      expect(await codesDialog.getByRole('button', { name: '关闭' }).isDisabled()).toBe(true);
      const saving = page.waitForEvent('download');
      await codesDialog.getByRole('button', { name: '下载' }).click();
      const saved = await readFile(await (await saving).path(), 'utf8');
      const codes = await takeCodes(page);
      expect(saved).toContain(`${place.origin} ${person.username}\n\n${codes.join('\n')}\n`);
      await page.getByText('两步验证已启用').waitFor();
      await page.getByText('剩余 10 个').waitFor();
      expect(await page.content()).not.toContain(codes[0]);
      demandQuiet(watched, place);

      const other = await visit(open, place, '/users');
      const guest = other.page;
      await fillSignIn(guest, person);
      // The code that set it up is used already, even if the next one is shown by now.
      await fillCode(guest, right);
      await guest.getByText('验证码或通行密钥错误').waitFor();
      service.clock.advance(step);
      await fillCode(guest, codeOf(secret, service.clock.now()));
      // The page goes on to where the link pointed.
      await guest.getByRole('heading', { name: '用户', exact: true }).waitFor();
      await settled(guest);
      demandQuiet(other, place);
    });

    it('a recovery code signs in once, and a sign-in that took too long begins again', async () => {
      const { user, codes } = await enrol(service);
      const { page } = await visit(open, place, '/');
      const byRecovery = async (): Promise<void> => {
        await fillSignIn(page, user);
        await page.getByRole('button', { name: '使用恢复码' }).click();
        await page.getByLabel('恢复码').fill(codes[0] ?? '');
        await page.getByRole('button', { name: '登录' }).click();
      };
      await fillSignIn(page, user);
      await page.locator('input[autocomplete=one-time-code]').waitFor();
      service.clock.advance(5 * 60 + 1);
      await fillCode(page, '123456');
      await page.getByText('请重新输入密码').waitFor();
      expect(await page.locator('input[name=username]').inputValue()).toBe(user.username);
      await byRecovery();
      await page.getByRole('banner').waitFor();
      await page.getByRole('button', { name: '账号' }).click();
      await page.getByRole('menuitem', { name: '退出登录' }).click();
      await page.getByRole('heading', { name: '登录管理后台' }).waitFor();
      await byRecovery();
      await page.getByText('验证码或通行密钥错误').waitFor();
      await page.getByRole('button', { name: '返回' }).click();
      await page.locator('input[name=password]').waitFor();
    });

    it('a new password of one’s own leaves the session, and its page, where they are', async () => {
      const { user, secret } = await enrol(service);
      const { page } = await visit(open, place, '/password');
      await fillSignIn(page, user);
      await fillCode(page, codeOf(secret, service.clock.now()));
      await page.getByLabel('当前密码').fill(user.password);
      await page.getByLabel('新密码').fill('lamp under the stair');
      await page.getByRole('main').getByRole('button', { name: '修改密码' }).click();
      await page.getByText('密码已修改').waitFor();
      await page.getByRole('heading', { name: '概览' }).waitFor();
      await go(page, place, '/users');
      await page.getByRole('heading', { name: '用户', exact: true }).waitFor();
      expect(await page.locator('input[name=password]').count()).toBe(0);
    });

    it('a session that ended is taken up again in place, with both steps', async () => {
      const { user, secret } = await enrol(service);
      const { page } = await visit(open, place, '/users/create');
      await fillSignIn(page, user);
      await fillCode(page, codeOf(secret, service.clock.now()));
      await page.getByLabel('用户名').fill('kept_over_it');
      await page.getByLabel('邮箱').fill('kept@example.com');
      const body = { user: { end_sessions: true } };
      await service.ok('PATCH', `/admin/users/${user.id}`, { token: await service.admin(), body });
      await page.getByRole('button', { name: '保存' }).click();
      const dialog = page.getByRole('dialog', { name: '请重新登录' });
      await dialog.locator('input[name=password]').fill(user.password);
      await dialog.getByRole('button', { name: '登录' }).click();
      service.clock.advance(step);
      await fillCode(page, codeOf(secret, service.clock.now()));
      await page.getByRole('dialog', { name: 'kept_over_it 的链接' }).waitFor();
    });

    it('a passkey is added under a name, signs in, and is removed', async () => {
      const person = await service.createUser(['admin']);
      const watched = await at(person, '/second-factor');
      const { page } = watched;
      await addAuthenticator(page);
      await page.getByRole('button', { name: '添加通行密钥' }).click();
      await dialogOf(page).getByLabel('名称').fill('办公室电脑');
      await sayPassword(page, person.password);
      await takeCodes(page);
      await page.getByRole('listitem').filter({ hasText: '办公室电脑' }).waitFor();
      // The authenticator knows the account, and says so.
      await page.getByRole('button', { name: '添加通行密钥' }).click();
      await sayPassword(page, person.password);
      await dialogOf(page).getByText('此设备上已有该账号的通行密钥').waitFor();
      await dialogOf(page).getByRole('button', { name: '取消' }).click();

      await page.getByRole('button', { name: '账号' }).click();
      await page.getByRole('menuitem', { name: '退出登录' }).click();
      await page.getByRole('heading', { name: '登录管理后台' }).waitFor();
      await fillSignIn(page, person);
      expect(await page.locator('input[autocomplete=one-time-code]').count()).toBe(0);
      await page.getByRole('button', { name: '使用通行密钥' }).click();
      await page.getByRole('banner').waitFor();
      await go(page, place, '/second-factor');
      await page.getByRole('button', { name: '移除 办公室电脑' }).click();
      await sayPassword(page, person.password);
      await page.getByText('两步验证未启用').waitFor();
      demandQuiet(watched, place);
      await service.signIn(person);
    });

    it('a super_admin resets it for who has lost it, and an admin is not offered it', async () => {
      const { user } = await enrol(service);
      const { page } = await at(await service.admin(), '/users');
      const row = page.getByRole('row').filter({ hasText: user.email });
      await row.getByText('验证器应用', { exact: true }).waitFor();
      await row.getByRole('link', { name: user.username }).click();
      await page.getByRole('heading', { name: user.username }).waitFor();
      await page.getByText('验证器应用', { exact: true }).waitFor();
      await chooseMore(page, '重置两步验证');
      await page.getByRole('dialog').getByRole('button', { name: '重置两步验证' }).click();
      await page.getByText('两步验证已重置').waitFor();
      await page.getByText('未启用', { exact: true }).waitFor();
      await service.signIn(user);
      const admin = await service.createUser(['admin']);
      const { page: other } = await at(admin, `/users/${user.id}/show`);
      await other.getByRole('button', { name: '设置新密码' }).waitFor();
      expect(await other.getByRole('button', { name: '重置两步验证' }).count()).toBe(0);
    });

    // The look of a page does not depend on the database.
    const isLookedAt = databases.dialect === 'sqlite';
    it.runIf(isLookedAt).each([
      { language: 'zh-CN', colorScheme: 'light', width: 1280 },
      { language: 'en', colorScheme: 'dark', width: 360 },
    ] as const)('the page breaks no rule of accessibility: $language $colorScheme $width', async (look) => {
      const person = await service.createUser(['admin']);
      const { page } = await at(person, '/second-factor', look);
      const found: string[] = [];
      const examine = async (name: string): Promise<void> => {
        await settled(page);
        found.push(...(await accessibility(page)).map((each) => `${name}: ${each}`));
        const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
        if (wide > look.width) found.push(`${name} is ${wide} px wide`);
      };
      await examine('off');
      await page.getByRole('button', { name: /^(设置验证器应用|Set up an authenticator app)$/ }).click();
      await examine('password');
      await sayPassword(page, person.password);
      const secret = (await page.getByRole('textbox', { name: /^(密钥|Secret)$/ }).textContent()) ?? '';
      await page.getByRole('img', { name: /二维码|QR code/ }).waitFor();
      await examine('set-up');
      await fillCode(page, codeOf(secret, service.clock.now()));
      await page.getByRole('textbox', { name: /^(恢复码|Recovery codes)$/ }).waitFor();
      await examine('codes');
      await takeCodes(page);
      await examine('on');
      const outside = await visit(open, place, '/', look);
      await fillSignIn(outside.page, person);
      await outside.page.locator('input[autocomplete=one-time-code]').waitFor();
      await settled(outside.page);
      found.push(...(await accessibility(outside.page)));
      await fillCode(outside.page, wrongCode(secret, service.clock.now()));
      await outside.page.getByRole('alert').waitFor();
      found.push(...(await accessibility(outside.page)));
      expect(found).toEqual([]);
    });
  });

  describeEachDatabase('administration pages: where two-step verification is required', (databases) => {
    const service = useService(databases, strict.options);

    it('nothing comes before two-step verification is set up; then the page is there, and the last one stays', async () => {
      const person = await service.createUser(['admin']);
      const watched = await visit(open, strict, '/users');
      const { page } = watched;
      await fillSignIn(page, person);
      await page.getByRole('heading', { name: '请先设置两步验证' }).waitFor();
      expect(await page.getByRole('navigation').count()).toBe(0);
      await page.reload();
      await page.getByRole('heading', { name: '请先设置两步验证' }).waitFor();
      await settled(page);
      expect(await accessibility(page)).toEqual([]);
      await setUp(page, service, person.password);
      await page.getByRole('heading', { name: '用户', exact: true }).waitFor();
      await go(page, strict, '/second-factor');
      await page.getByText('不能移除最后一种').waitFor();
      expect(await page.getByRole('button', { name: /^移除/ }).count()).toBe(0);
      demandQuiet(watched, strict);
    });
  });
});
