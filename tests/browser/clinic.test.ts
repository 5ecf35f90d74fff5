/** The page of examples/clinic in Chromium, built by Vite: forms from metadata, bookings, a sign-in that lasts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { build, type PreviewServer, preview } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadApplication } from '../../src/app/application.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

const pathOf = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

const application = await loadApplication(pathOf('examples/clinic'));

describeDatabase('sqlite', 'the page of the clinics', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, { application, env: { LOCALE: 'auto:en,de' } });
    let server: PreviewServer;
    let outDir: string;
    let url: string;

    beforeAll(async () => {
      outDir = await mkdtemp(join(tmpdir(), 'clinic-page-'));
      const options = {
        root: pathOf('examples/clinic/page'),
        logLevel: 'silent',
        resolve: { alias: { 'gatewright/client': pathOf('client/index.ts') } },
        build: { outDir },
      } as const;
      await build(options);
      const proxy = { '/api': service.origin };
      server = await preview({ ...options, preview: { host: '127.0.0.1', port: 0, proxy } });
      const address = server.httpServer.address();
      if (address === null || typeof address === 'string') throw new Error('the server has no port');
      url = `http://127.0.0.1:${address.port}/`;
    });
    afterAll(async () => {
      await server?.close();
      await rm(outDir, { recursive: true, force: true });
    });

    const made = async (token: TestUser, path: string, body: object): Promise<number> =>
      (await service.ok<{ id: number }>('POST', `/api/v1/${path}`, { token, body })).id;

    /** A clinic with a doctor and a treatment, beside another one, whose records no form may offer. */
    const clinics = async (name: string): Promise<TestUser> => {
      const owner = await service.createUser();
      for (const [clinic, suffix] of [
        [name, ''],
        [`${name} II`, ' of the other clinic'],
      ] as const) {
        const clinic_id = await made(owner, 'clinics', { clinic: { name: clinic } });
        await made(owner, 'doctors', { doctor: { clinic_id, name: `Dr. Weiß${suffix}` } });
        const treatment = { clinic_id, name: `Check-up${suffix}`, price: '49.90' };
        await made(owner, 'treatments', { treatment });
      }
      return owner;
    };

    const browse = async (locale: string) => {
      const watched = await open({ locale, timezoneId: 'Europe/Berlin' });
      watched.page.setDefaultTimeout(20_000);
      await watched.page.goto(url);
      return watched;
    };
    const signIn = async (page: Page, user: TestUser, password = user.password): Promise<void> => {
      await page.locator('[name=account]').fill(user.username);
      await page.locator('[name=password]').fill(password);
      await page.locator('form button').click();
    };
    const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
    const optionsOf = (page: Page, label: string) =>
      page.getByLabel(label).locator('option').allTextContents();

    it('a patient enters their data, books, sees the refusal beside its field, and cancels', async () => {
      await clinics('Park');
      const user = await service.createUser();
      const { page, complaints } = await browse('en');
      await signIn(page, user, 'wrong password 61');
      await page.getByText('Wrong account or password').waitFor();
      await signIn(page, user);
      await press(page, 'Park');
      await page.getByRole('heading', { name: 'About you' }).waitFor();
      const controls = page.locator('form [name]');
      const names = await controls.evaluateAll((all) =>
        all.map((each) => (each as unknown as { name: string }).name),
      );
      // Neither the medical note, which doctors write, nor what the page knows by itself.
      expect(names).toEqual(['given_name', 'family_name', 'birthday', 'email', 'language']);
      expect(await page.getByLabel('Given name').getAttribute('maxlength')).toBe('80');
      await page.getByLabel('Given name').fill('Ann');
      await page.getByLabel('Family name').fill('Hill');
      await page.getByLabel('Address').fill('ann@example.com');
      await page.getByLabel('Language').selectOption('English');
      await press(page, 'Save');
      await page.getByRole('heading', { name: 'New appointment' }).waitFor();
      expect(await optionsOf(page, 'Doctor')).toEqual(['', 'Dr. Weiß']);
      expect(await optionsOf(page, 'Treatment')).toEqual(['', 'Check-up']);
      await page.getByLabel('Doctor').selectOption('Dr. Weiß');
      await page.getByLabel('Treatment').selectOption('Check-up');
      await page.getByLabel('Begins').fill('2099-02-02T09:10');
      await press(page, 'Book');
      const refusal = 'An appointment begins at the full or the half hour, and in the future';
      await page.getByRole('alert').filter({ hasText: refusal }).waitFor();
      await page.getByLabel('Begins').fill('2099-02-02T09:30');
      await press(page, 'Book');
      const item = page.getByRole('listitem');
      await item.waitFor();
      expect(await item.textContent()).toMatch(/2099.*9:30.* · Dr\. Weiß · Check-up/);
      const token = user;
      const stored = await service.ok<{ starts_at: string }[]>('GET', '/api/v1/appointments', { token });
      expect(stored).toMatchObject([{ starts_at: '2099-02-02T08:30:00.000Z', state: 'booked' }]);
      await press(page, 'Cancel');
      await item.waitFor({ state: 'detached' });
      const cancelled = await service.ok<object[]>('GET', '/api/v1/appointments', { token });
      expect(cancelled).toMatchObject([{ state: 'cancelled' }]);
      // Chromium reports the refused sign-in and the refused booking.
      expect(complaints.filter((text) => !/status of (?:401|422)/.test(text))).toEqual([]);
    });

    it('the page is German in a German browser, with the labels of the metadata', async () => {
      await clinics('See');
      const { page } = await browse('de-DE');
      await signIn(page, await service.createUser());
      await press(page, 'See');
      await page.getByRole('heading', { name: 'Über Sie' }).waitFor();
      expect(await optionsOf(page, 'Sprache')).toEqual(['', 'Englisch', 'Deutsch']);
      await page.getByLabel('Nachname').waitFor();
    });

    it('the sign-in lasts over a reload and the end of its token, until the person signs out', async () => {
      const { page } = await browse('en');
      const user = await service.createUser();
      await signIn(page, user);
      await page.getByRole('heading', { name: 'Where do you want to book?' }).waitFor();
      service.clock.advance(25 * 3600);
      await page.reload();
      await page.getByRole('heading', { name: 'Where do you want to book?' }).waitFor();
      service.clock.advance(31 * 86_400);
      await page.reload();
      await page.getByLabel('Password').waitFor();
      await signIn(page, user);
      await press(page, 'Sign out');
      await page.getByLabel('Password').waitFor();
      await page.reload();
      await page.getByLabel('Password').waitFor();
    });

    it('an owner makes a clinic by the same form', async () => {
      const { page } = await browse('en');
      const owner = await service.createUser();
      await signIn(page, owner);
      await page.getByLabel('Name', { exact: true }).fill('Hill');
      await press(page, 'Add a clinic');
      await page.getByRole('heading', { name: 'About you' }).waitFor();
      const seats = await service.ok<object[]>('GET', '/api/v1/staff_members', { token: owner });
      expect(seats).toMatchObject([{ user_id: owner.id, role: 'owner' }]);
    });
  });
});
