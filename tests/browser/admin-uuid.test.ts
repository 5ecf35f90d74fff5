import { beforeAll, describe, expect, it } from 'vitest';
import { migrations, resources } from '../contract/keys/parcels.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';
import { accessibility, demandQuiet, enter } from './admin-site.ts';

interface Parcel {
  readonly id: string;
  readonly label: string;
  readonly depot_id: string;
}

describeDatabase('sqlite', 'administration pages: records whose ids are UUIDs', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, { application: { resources, migrations } });
    let root: TestUser;
    let depot: string;

    beforeAll(async () => {
      root = await service.admin();
      const made = await service.ok<{ id: string }>('POST', '/admin/records/depots', {
        token: root,
        body: { depot: { name: 'North' } },
      });
      depot = made.id;
    });

    const parcels = (): Promise<Parcel[]> =>
      service.ok<Parcel[]>('GET', '/admin/records/parcels?sort=id', { token: root });

    it('a record is created with a reference, and found, changed, deleted and restored', async () => {
      const watched = await enter(open, service, root, '/records/parcels/create');
      const { page } = watched;
      await page.getByLabel('Label').fill('P-1');
      await page.getByRole('combobox', { name: 'Depot' }).fill('Nor');
      await page.getByRole('option', { name: /North/ }).click();
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('heading', { name: 'P-1', exact: true }).waitFor();
      const [made] = await parcels();
      expect(made).toMatchObject({ label: 'P-1', depot_id: depot });
      expect(page.url()).toContain(`/records/parcels/${made?.id}/show`);
      await page.getByText('North').first().waitFor();
      expect(await accessibility(page)).toEqual([]);

      await page.goto(`${service.origin}/admin/records/parcels`);
      const row = page.getByRole('row').filter({ hasText: 'P-1' });
      await row.getByText('North').waitFor();
      await row.getByText('P-1').click();
      await page.getByRole('heading', { name: 'P-1', exact: true }).waitFor();

      await page.goto(`${service.origin}/admin/records/parcels/${made?.id}`);
      const depotField = page.getByRole('combobox', { name: 'Depot' });
      await expect.poll(() => depotField.inputValue()).toContain('North');
      await page.getByLabel('Label').fill('P-2');
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('heading', { name: 'P-2', exact: true }).waitFor();
      await page.goto(`${service.origin}/admin/records/parcels/${made?.id}/history`);
      await page.getByText('P-2').first().waitFor();
      demandQuiet(watched, service);
    });
  });
});
