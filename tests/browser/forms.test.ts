import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migration } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { hasBrowser, useBrowser, type Watched } from '../support/browser.ts';
import { bundlePage } from '../support/bundle.ts';
import { describeDatabase } from '../support/databases.ts';
import { type TestUser, useService } from '../support/service.ts';

/** A field of every type, some of which must be given. */
const fields = {
  name: field.string({ required: true, max: 50 }),
  code: field.string({ pattern: '^[A-Z]{3}$' }),
  body: field.text(),
  count: field.integer({ min: -5, max: 5000 }),
  ratio: field.number(),
  price: field.decimal({ min: 0 }),
  agreed: field.boolean({ required: true }),
  flag: field.boolean(),
  shown: field.boolean({ default: true }),
  day: field.date(),
  at: field.datetime(),
  due: field.datetime({ required: true }),
  opens: field.time(),
  status: field.enum(['pending', 'paid'], {
    default: 'pending',
    labels: { paid: { 'zh-CN': '已付', en: 'Paid' } },
  }),
  kind: field.enum(['small', 'large'], { required: true }),
  size: field.enum(['s', 'm']),
  data: field.json(),
  mail: field.email(),
  site: field.url(),
  uid: field.uuid(),
  parent: field.reference('Thing'),
  note: field.text(),
};

const thing = defineResource('Thing', { fields, restricted: ['note'] });

const migration: Migration = { up: (db, dialect) => createTable(db, dialect, 'things', { fields }) };

const needed = { name: 'needed', agreed: false, due: '2024-05-06T07:08:09.010Z', kind: 'small' };

const full = {
  name: 'full',
  code: 'XYZ',
  body: 'text',
  count: 7,
  ratio: 0.25,
  price: '0.05',
  agreed: true,
  flag: false,
  shown: false,
  day: '2024-02-29',
  at: '2024-02-29T18:00:00.000Z',
  due: '2024-05-06T07:08:00.000Z',
  opens: '08:00:00',
  status: 'paid',
  kind: 'large',
  size: 's',
  data: { a: { b: [1, 2] }, c: null },
  mail: 'a@example.com',
  site: 'https://example.com',
  uid: '0188a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
  parent_id: 1,
  note: 'note',
};

/** Fields that may be null and have no default. */
const optional = Object.keys(full).filter(
  (name) => !['name', 'agreed', 'due', 'kind', 'shown', 'status'].includes(name),
);

const html =
  '<!doctype html><meta charset="utf-8"><title>Form</title><main></main><script type="module" src="/form.js"></script>';

/** The library's own slip, whatever the schema: it asks whether a value is an object that has one of no keys. */
const slip = /anyOf must NOT have fewer than 1 items/;
const isOurs = (complaint: string): boolean => !(complaint.startsWith('warning:') && slip.test(complaint));

type Values = Readonly<Record<string, unknown>>;

describe.skipIf(!hasBrowser)('react-jsonschema-form', () => {
  describeDatabase('sqlite', 'renders the metadata', (databases) => {
    const open = useBrowser();
    const service = useService(databases, {
      application: { resources: [thing], migrations: { things: migration } },
    });
    let script = '';
    let viewer: TestUser;
    beforeAll(async () => {
      script = await bundlePage(new URL('forms/page.js', import.meta.url));
      viewer = await service.createUser(['viewer']);
    }, 60_000);

    const visit = async (user: TestUser, id?: number): Promise<Watched> => {
      const watched = await open();
      const { page } = watched;
      await page.route('**/form', (route) => route.fulfill({ contentType: 'text/html', body: html }));
      await page.route('**/form.js', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: script }),
      );
      await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
      const record = id === undefined ? '' : `&id=${id}`;
      await page.goto(`${service.origin}/form#token=${user.token}&model=Thing${record}`);
      await page.locator('form').waitFor();
      return watched;
    };

    const input = (page: Page, name: string) => page.locator(`#root_${name}`);

    const submit = async (
      page: Page,
    ): Promise<{ sent: Values; answer: { status: number; data: Values } }> => {
      await page.locator('button[type=submit]').click();
      await page
        .waitForFunction('window.answer !== undefined', undefined, { timeout: 5_000 })
        .catch(async () => {
          throw new Error(
            `nothing was submitted: ${await page.locator('.panel-danger, .error-detail, .text-danger').allInnerTexts()}`,
          );
        });
      return { sent: await page.evaluate('window.sent'), answer: await page.evaluate('window.answer') };
    };

    const choose = (page: Page, name: string, label: string) => input(page, name).selectOption({ label });

    /** The stored values, without the values that the server sets. */
    const stored = async (id: unknown): Promise<Values> => {
      const record = await service.ok<Values>('GET', `/api/v1/things/${String(id)}`, { token: viewer });
      const { id: _id, created_at: _created, updated_at: _updated, ...values } = record;
      return values;
    };

    it('creates a record with a value in every field', async () => {
      const { page, complaints } = await visit(await service.admin());
      const { id: parent } = await service.ok('POST', '/api/v1/things', {
        token: viewer,
        body: { thing: needed },
      });
      const texts = {
        name: '标题 "quoted" 😀',
        code: 'ABC',
        body: 'two\nlines',
        count: '4999',
        ratio: '-1.5e-3',
        price: '12.5',
        day: '2024-02-29',
        at: '2024-02-29T23:30:00+05:30',
        due: '2024-05-06T07:08',
        opens: '09:30',
        mail: 'a@example.com',
        site: 'https://example.com/a?b=c',
        uid: '0188A1B2-C3D4-7E5F-8A9B-0C1D2E3F4A5B',
        parent_id: String(parent),
        note: 'for administrators',
      };
      for (const [name, text] of Object.entries(texts)) await input(page, name).fill(text);
      await page.getByText('Yes', { exact: true }).first().click();
      await choose(page, 'flag', 'No');
      await input(page, 'shown').uncheck();
      await choose(page, 'status', '已付');
      await choose(page, 'kind', 'large');
      await choose(page, 'size', 'm');
      await choose(page, 'data__anyof_select', '对象');
      await page.locator('.rjsf-object-property-expand button').click();
      await page.locator('#root_data_newKey-key').fill('colour');
      await page.locator('#root_data_newKey-key').blur();
      await page.locator('#root_data_colour').fill('red');
      const { sent, answer } = await submit(page);
      expect(answer).toMatchObject({ status: 201, data: { id: expect.any(Number) } });
      expect(sent).toMatchObject({ due: '2024-05-06T07:08:00.000Z', count: 4999, shown: false });
      expect(await stored(answer.data['id'])).toEqual({
        ...texts,
        count: 4999,
        ratio: -0.0015,
        price: '12.50',
        agreed: true,
        flag: false,
        shown: false,
        at: '2024-02-29T18:00:00.000Z',
        due: '2024-05-06T07:08:00.000Z',
        opens: '09:30:00',
        status: 'paid',
        kind: 'large',
        size: 'm',
        data: { colour: 'red' },
        uid: texts.uid.toLowerCase(),
        parent_id: parent,
      });
      expect(complaints.filter(isOurs)).toEqual([]);
    });

    it('creates a record of what must be given only', async () => {
      const { page, complaints } = await visit(viewer);
      expect(await input(page, 'note').count()).toBe(0);
      await input(page, 'name').fill('bare');
      await input(page, 'due').fill('2024-05-06T07:08');
      const { answer } = await submit(page);
      expect(answer.status).toBe(201);
      const nulls = Object.fromEntries(optional.map((name) => [name, null]));
      expect(await stored(answer.data['id'])).toEqual({
        ...nulls,
        name: 'bare',
        agreed: false,
        due: '2024-05-06T07:08:00.000Z',
        shown: true,
        status: 'pending',
        kind: 'small',
      });
      expect(complaints.filter(isOurs)).toEqual([]);
    });

    it.each<[string, Values]>([
      ['full', full],
      ['with a list', { ...full, data: [1, 'two', { three: [4] }, null] }],
      ['with a text', { ...full, data: 'text', at: '2024-01-01T00:00:00.123Z', opens: '23:59:59' }],
      ['with false', { ...full, data: false, flag: true, shown: null, status: null }],
      ['empty', needed],
    ])('changes nothing of a record (%s) that is sent as it was shown', async (_name, values) => {
      const body = { thing: values };
      const { id } = await service.ok('POST', '/api/v1/things', { token: await service.admin(), body });
      const before = await stored(id);
      const { page, complaints } = await visit(await service.admin(), Number(id));
      const { answer } = await submit(page);
      expect(answer.status).toBe(200);
      expect(await stored(id)).toEqual(before);
      expect(complaints.filter(isOurs)).toEqual([]);
    });

    it('clears every optional field, and null is what is stored', async () => {
      const body = { thing: full };
      const { id } = await service.ok('POST', '/api/v1/things', { token: await service.admin(), body });
      const { page, complaints } = await visit(await service.admin(), Number(id));
      const chosen = ['flag', 'status', 'size', 'data'];
      for (const name of optional) if (!chosen.includes(name)) await input(page, name).fill('');
      await input(page, 'flag').selectOption('');
      await choose(page, 'status', '—');
      await choose(page, 'size', '—');
      await choose(page, 'data__anyof_select', '—');
      const { answer } = await submit(page);
      expect(answer.status).toBe(200);
      const after = await stored(id);
      expect(Object.keys(after).filter((name) => after[name] === null)).toEqual(
        expect.arrayContaining([...optional, 'status']),
      );
      expect(after).toMatchObject({ name: full['name'], kind: 'large', due: full['due'] });
      expect(complaints.filter(isOurs)).toEqual([]);
    });

    it('refuses what the service would refuse, before it is sent', async () => {
      const { page } = await visit(viewer);
      await input(page, 'name').fill('bad');
      await input(page, 'due').fill('2024-05-06T07:08');
      await input(page, 'code').fill('abc');
      await page.locator('button[type=submit]').click();
      await page.locator('.panel-danger').getByText('Code').waitFor();
      expect(await page.evaluate('window.answer')).toBeUndefined();
    });
  });
});
