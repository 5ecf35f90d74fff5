import { beforeAll, describe, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { equals, own } from '../../src/model/row-rule.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { describeDatabase } from '../support/databases.ts';
import { type ServiceOptions, type TestUser, useService } from '../support/service.ts';
import { accessibility, demandQuiet, enter, go } from './admin-site.ts';

const ledger = { name: field.string({ required: true, label: { 'zh-CN': '名称', en: 'Name' } }) };

const entry = {
  ledger: field.reference('Ledger', { label: { 'zh-CN': '账簿', en: 'Ledger' } }),
  number: field.sequence({ per: 'ledger', label: { 'zh-CN': '序号', en: 'Number' } }),
  code: field.string({ unique: true, label: { 'zh-CN': '代码', en: 'Code' } }),
  memo: field.string({ label: { 'zh-CN': '摘要', en: 'Memo' } }),
  state: field.enum(['open', 'booked'], { default: 'open', label: { 'zh-CN': '状态', en: 'State' } }),
  user_id: field.owner(),
};

const voucher = {
  number: field.string({ required: true, label: { 'zh-CN': '凭证号', en: 'Number' } }),
  user_id: field.owner({ label: { 'zh-CN': '所有者', en: 'Owner' } }),
};

const remark = { text: field.text({ label: { 'zh-CN': '正文', en: 'Text' } }) };

const rate = {
  day: field.date({ label: { 'zh-CN': '日期', en: 'Day' } }),
  percent: field.integer({ label: { 'zh-CN': '百分比', en: 'Percent' } }),
};

const count = { pieces: field.integer({ label: { 'zh-CN': '件数', en: 'Pieces' } }) };

const isOpen = equals('state', 'open');

/** Entries are numbered by ledger; each action has its own row rule, and two of them the same. */
const books: ServiceOptions = {
  application: {
    resources: [
      defineResource('Ledger', { fields: ledger, label: { 'zh-CN': '账簿', en: 'Ledger' } }),
      defineResource('Entry', {
        fields: entry,
        label: { 'zh-CN': '分录', en: 'Entry' },
        isolation: { read: own(), create: isOpen, update: isOpen, destroy: equals('state', 'booked') },
      }),
      // Callers read and write their own records, and administrators give them to any user.
      defineResource('Voucher', {
        fields: voucher,
        label: { 'zh-CN': '凭证', en: 'Voucher' },
        isolation: true,
        ownership: true,
      }),
      // Named by a field that is no short text, by several ones, and by none.
      defineResource('Remark', {
        fields: remark,
        display: '{text}',
        label: { 'zh-CN': '备注', en: 'Remark' },
      }),
      defineResource('Rate', {
        fields: rate,
        display: '{day}: {percent} %',
        label: { 'zh-CN': '费率', en: 'Rate' },
      }),
      // Through the API its records have fewer fields than in the administration area.
      defineResource('Count', {
        fields: count,
        label: { 'zh-CN': '盘点', en: 'Count' },
        views: { list: ['id'], detail: ['id', 'pieces'] },
      }),
    ],
    migrations: {
      '0001_books': {
        up: async (db, dialect) => {
          await createTable(db, dialect, 'ledgers', { fields: ledger });
          await createTable(db, dialect, 'entries', { fields: entry, references: { ledger: 'ledgers' } });
          await createTable(db, dialect, 'vouchers', { fields: voucher });
          await createTable(db, dialect, 'remarks', { fields: remark });
          await createTable(db, dialect, 'rates', { fields: rate });
          await createTable(db, dialect, 'counts', { fields: count });
        },
      },
    },
  },
};

describeDatabase('sqlite', 'administration pages: the rules of a model', (databases) => {
  describe.skipIf(!hasBrowser)('in chromium', { timeout: 60_000 }, () => {
    const open = useBrowser();
    const service = useService(databases, books);
    let root: TestUser;

    beforeAll(async () => {
      root = await service.admin();
      const { id } = await service.ok<{ id: number }>('POST', '/admin/records/ledgers', {
        token: root,
        body: { ledger: { name: '一号账簿' } },
      });
      for (const memo of ['甲', '乙'])
        await service.ok('POST', '/admin/records/entries', {
          token: root,
          body: { entry: { ledger_id: id, memo, user_id: root.id } },
        });
    });

    it.each([
      ['remarks', 'remark', { text: '已核对' }, '正文', '已核对'],
      ['rates', 'rate', { day: '2026-03-01', percent: 13 }, '费率', '2026-03-01: 13 %'],
      ['counts', 'count', { pieces: 7 }, '编号', '#1'],
    ])('the name of a record is headed by what it is: %s', async (path, member, values, heading, name) => {
      await service.ok('POST', `/admin/records/${path}`, { token: root, body: { [member]: values } });
      const { page } = await enter(open, service, root, `/records/${path}`);
      await page.locator('tbody').getByText(name, { exact: true }).waitFor();
      const first = page.locator('thead th:not([data-cell=choose])').filter({ hasText: /./ }).first();
      expect((await first.textContent())?.trim()).toBe(heading);
    });

    it('a bulk change offers the fields that an update takes', async () => {
      const watched = await enter(open, service, root, '/records/entries');
      const { page } = watched;
      await page.getByRole('checkbox', { name: '选择本页全部' }).check();
      await page.getByRole('button', { name: '批量修改' }).click();
      await page.getByRole('dialog').getByLabel('添加要修改的字段').click();
      // Neither the number, nor the ledger by which it counts, nor what is unique.
      const offered = page.getByRole('option');
      await expect.poll(() => offered.allTextContents()).toEqual(['摘要', '状态', '用户']);
      await page.getByRole('option', { name: '摘要' }).click();
      await page.getByRole('dialog').getByRole('textbox', { name: '摘要' }).fill('丙');
      await page.getByRole('dialog').getByRole('button', { name: '修改 2 条' }).click();
      await page.getByText('已修改 2 条').waitFor();
      demandQuiet(watched, service);
    });

    it('a bulk change counts records in words', async () => {
      const { page } = await enter(open, service, root, '/records/entries', { language: 'en' });
      const titles = { 1: 'Change 1 record', 2: 'Change 2 records' };
      for (const [count, name] of Object.entries(titles)) {
        await page.getByRole('row').nth(Number(count)).getByRole('checkbox').check();
        await page.getByRole('button', { name: 'Change', exact: true }).click();
        await page.getByRole('dialog', { name, exact: true }).waitFor();
        await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      }
    });

    it('the form of a record has a reference by which it is numbered until it is created', async () => {
      const { page } = await enter(open, service, root, '/records/entries/1');
      await page.getByLabel('摘要').waitFor();
      expect(await page.getByLabel('账簿').count()).toBe(0);
      await go(page, service, '/records/entries/create');
      await page.getByLabel('账簿').waitFor();
      expect(await page.getByLabel('序号').count()).toBe(0);
    });

    it('a form gives a record to its owner, and hands it over', async () => {
      const [lin, mei] = [
        await service.createUser(['viewer'], { username: 'lin' }),
        await service.createUser(['viewer'], { username: 'mei' }),
      ];
      const numbersOf = async (token: TestUser): Promise<readonly string[]> =>
        (await service.ok<{ number: string }[]>('GET', '/api/v1/vouchers', { token })).map(
          ({ number }) => number,
        );
      const watched = await enter(open, service, root, '/records/vouchers/create');
      const { page } = watched;
      const owner = page.getByRole('combobox', { name: '所有者' });
      await page.getByLabel('凭证号').fill('V-1');
      await owner.fill('lin');
      await page.getByRole('option', { name: /lin/ }).click();
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'V-1', exact: true }).waitFor();
      expect([await numbersOf(lin), await numbersOf(mei)]).toEqual([['V-1'], []]);

      await page.getByRole('link', { name: '编辑' }).click();
      await expect.poll(() => owner.inputValue()).toContain('lin');
      await owner.fill('mei');
      await page.getByRole('option', { name: /mei/ }).click();
      await page.getByRole('button', { name: '保存', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'V-1', exact: true }).waitFor();
      expect([await numbersOf(lin), await numbersOf(mei)]).toEqual([[], ['V-1']]);

      // The audit log leads to the record, and says whose it was.
      await go(page, service, '/audit');
      const change = page
        .locator('tbody tr')
        .filter({ hasText: `#${lin.id}` })
        .filter({ hasText: `#${mei.id}` });
      expect(await change.textContent()).toMatch(new RegExp(`凭证 #1.*所有者.*#${lin.id}.*→.*#${mei.id}`));
      await change.getByRole('link', { name: '#1', exact: true }).click();
      await page.getByRole('heading', { level: 1, name: 'V-1', exact: true }).waitFor();
      demandQuiet(watched, service);
    });

    it('the page of a role describes each rule once, with the actions for which it holds', async () => {
      const watched = await enter(open, service, root, '/roles/viewer', { language: 'en' });
      const { page } = watched;
      const entries = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Entries' }) });
      const lines = async () =>
        (await entries.getByText(/^(?:Records|Read|Create|Update|Delete)[^:]*: /).allTextContents()).map(
          (each) => each.replace(/: .*/, ''),
        );
      await expect.poll(lines).toEqual(['Read', 'Create, Update', 'Delete']);
      expect(await accessibility(page)).toEqual([]);
      demandQuiet(watched, service);
    });

    it('names the fields that a colleague does not see, in the list and in the record', async () => {
      const { id } = await service.ok<{ id: number }>('POST', '/admin/records/counts', {
        token: root,
        body: { count: { pieces: 12 } },
      });
      const person = await service.createUser();
      const path = `/users/${person.id}/view/counts`;
      const { page } = await enter(open, service, root, path, { language: 'en' });
      await page.getByText('Hidden fields: Created at, Updated at').waitFor();
      await page.getByRole('link', { name: `#${id}`, exact: true }).click();
      const fact = (name: string) =>
        page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) });
      await fact('Pieces').waitFor();
      expect(await fact('Pieces').locator('dd').textContent()).toBe('12');
      expect(await fact('Created at').locator('dd').textContent()).toBe(`hidden from ${person.username}`);
      expect(await accessibility(page)).toEqual([]);
    });
  });
});
