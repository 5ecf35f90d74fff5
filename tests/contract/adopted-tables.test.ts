/** Tables of other programs from `gatewright adopt` to requests: its files as they are, and the service over them. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { ResourceModel } from '../../src/model/resource.ts';
import { createProject } from '../client/typescript.ts';
import { type AdoptedRow, adoptedShapes, loadShape, serveShape } from '../support/adopted.ts';
import { describeEachDatabase } from '../support/databases.ts';

describeEachDatabase('adopted tables', (databases) => {
  const stage = async (name: string) => {
    const url = await databases.create();
    await loadShape(url, name);
    return serveShape(databases, url);
  };

  it.each(adoptedShapes[databases.dialect])('%s: the compiler accepts every file', async (name) => {
    const { folder, models } = await stage(name);
    const project = await createProject({ types: ['node'], lib: ['esnext.iterator'] });
    for (const { singular } of models) {
      const text = await readFile(join(folder, 'resources', `${singular}.ts`), 'utf8');
      await project.write(`${singular}.ts`, text);
    }
    expect(await project.compile()).toBe('');
  });

  it.each(adoptedShapes[databases.dialect])(
    '%s: every model lists, sorts, filters, pages and counts',
    async (name) => {
      const { asked, listed, models } = await stage(name);
      expect(models.length).toBeGreaterThan(2);
      for (const model of models) {
        const all = await listed(model.path);
        const of = (query: string) => asked('GET', `${model.path}?${query}`);
        expect((await of('q=x&per_page=1')).status, model.name).toBe(200);
        expect((await asked('GET', `${model.path}/aggregate?group=id&per_page=1`)).status, model.name).toBe(
          200,
        );
        for (const { name: by, type, kind } of model.fields.values()) {
          if (!type.sortable) continue;
          expect([by, (await of(`sort=-${by}&per_page=1`)).status]).toEqual([by, 200]);
          const value = all[0]?.[by];
          if (value === null || value === undefined) continue;
          const found = await listed(`${model.path}?filter[${by}]=${encodeURIComponent(String(value))}`);
          expect([by, kind, found.map(({ id }) => id)]).toEqual([
            by,
            kind,
            expect.arrayContaining([all[0]?.id]),
          ]);
        }
        for (const { id } of all) {
          const one = await asked('GET', `${model.path}/${encodeURIComponent(String(id))}`);
          expect([one.status, one.data.id]).toEqual([200, id]);
        }
        await includes(model, of);
      }
    },
  );

  const includes = async (model: ResourceModel, of: (query: string) => Promise<{ status: number }>) => {
    for (const relation of model.relations.keys())
      expect([relation, (await of(`include=${relation}&per_page=5`)).status]).toEqual([relation, 200]);
  };

  const chinook = databases.dialect === 'sqlite' ? 'chinook.sqlite' : 'chinook';

  it('Chinook: records are written one by one, in batches and from files, and read by pages', async () => {
    const { asked, listed, service, token } = await stage(chinook);
    const made = await asked('POST', 'artists', { artist: { name: 'Nina' } });
    expect([made.status, made.data]).toEqual([201, { id: 2, name: 'Nina' }]);
    const album = await asked('POST', 'albums', { album: { title: 'First', artist_id: made.data.id } });
    expect(album.status).toBe(201);
    expect((await asked('POST', 'albums', { album: { title: 'x', artist_id: 99 } })).status).toBe(422);
    const beyond = await asked('POST', 'albums', { album: { title: 'x', artist_id: 2 ** 40 } });
    expect(beyond.status).toBe(422);
    expect((await asked('POST', 'albums', { album: { title: 'x'.repeat(161), artist_id: 1 } })).status).toBe(
      422,
    );
    for (const id of [0, -1, 2 ** 31, 2 ** 40, 2 ** 53 - 1])
      expect([id, (await asked('GET', `artists/${id}`)).status]).toEqual([id, 404]);
    expect(await listed(`artists?filter[id]=${2 ** 40}`)).toEqual([]);
    const changed = await asked('PATCH', `albums/${album.data.id}`, { album: { title: 'Second' } });
    expect([changed.status, changed.data['title']]).toEqual([200, 'Second']);
    const [whole] = await listed('artists?include=albums&filter[name]=Nina&per_page=5');
    expect(whole?.['albums']).toMatchObject([{ title: 'Second' }]);
    const batch = await asked('POST', 'playlists/batch', {
      create: [{ name: 'one' }, { name: 'two' }, { name: 'three' }],
    });
    expect(batch.status).toBeLessThan(300);
    const imported = await service.request('POST', '/api/v1/playlists/import', {
      token,
      body: 'name\nfour\nfive\n',
      headers: { 'content-type': 'text/csv' },
    });
    expect([imported.status, imported.data]).toEqual([200, { created: 2, updated: 0 }]);
    const names: unknown[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page: { data: unknown; headers: object } = await service.request(
        'GET',
        `/api/v1/playlists?sort=name&per_page=2&after=${after}`,
        { token },
      );
      names.push(...(page.data as AdoptedRow[]).map((row) => row['name']));
      const link = String((page.headers as { link?: string }).link ?? '');
      after = /[?&]after=([^&>]+)[^>]*>; rel="next"/.exec(link)?.[1];
    }
    expect(names).toEqual(['five', 'four', 'one', 'three', 'two']);
    expect((await asked('DELETE', `artists/${made.data.id}`)).status).toBe(409);
    expect((await asked('DELETE', `albums/${album.data.id}`)).status).toBe(200);
    expect((await asked('DELETE', `artists/${made.data.id}`)).status).toBe(200);
  });

  it('Chinook: an amount and a time are exact in bodies, filters, sorts and sums', async () => {
    const { asked, listed, service, token } = await stage(chinook);
    if (databases.dialect === 'sqlite') {
      // All times of the column are in seconds.
      const made = await asked('POST', 'invoices', {
        invoice: { total: '0.99', invoice_date: '2024-01-02T10:00:00.123+02:00' },
      });
      expect([made.status, made.data]).toEqual([
        201,
        { id: 2, invoice_date: '2024-01-02T08:00:00.000Z', total: '0.99' },
      ]);
      expect(await listed('invoices?filter[invoice_date][gte]=2024-01-02T08:00:00Z')).toEqual([made.data]);
      return;
    }
    const customer = await asked('POST', 'customers', {
      customer: { first_name: 'A', email: 'a@b.example' },
    });
    const make = (total: string, at: string) =>
      asked('POST', 'invoices', { invoice: { customer_id: customer.data.id, invoice_date: at, total } });
    const totals = ['0.99', '13.86', '1.98', '0.10'];
    for (const [index, total] of totals.entries()) {
      const made = await make(total, `2024-01-0${index + 1}T10:00:00.123+02:00`);
      expect([made.status, made.data]).toEqual([
        201,
        expect.objectContaining({ total, invoice_date: `2024-01-0${index + 1}T08:00:00.123Z` }),
      ]);
    }
    expect((await make('100000000.00', '2024-01-01T00:00:00Z')).status).toBe(422);
    const shown = async (query: string) => (await listed(`invoices?${query}`)).map((row) => row['total']);
    expect(await shown('sort=total')).toEqual(['0.10', '0.99', '1.98', '13.86']);
    expect(await shown('filter[total][gte]=0.99&filter[total][lt]=13.86&sort=-total')).toEqual([
      '1.98',
      '0.99',
    ]);
    expect(await shown('filter[invoice_date]=2024-01-02T08:00:00.123Z')).toEqual(['13.86']);
    expect(await shown('filter[invoice_date][gt]=2024-01-02T08:00:00.123Z&sort=invoice_date')).toEqual([
      '1.98',
      '0.10',
    ]);
    const changed = await asked('PATCH', 'invoices/1', { invoice: { total: '2.50' } });
    expect(changed.data['total']).toBe('2.50');
    const sums = await service.get('/api/v1/invoices/aggregate?sum=total', { token });
    expect([sums.status, sums.text]).toEqual([200, expect.stringContaining('"18.44"')]);
  });
});
