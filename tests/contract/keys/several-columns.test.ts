/** Records of another program's table whose key has several columns. */

import { expect, it } from 'vitest';
import { createApplication } from '../../../src/app/application.ts';
import type { OpenDatabase } from '../../../src/database/database.ts';
import { columnOf, hasValue, keyColumnsOf, ruleValue } from '../../../src/database/source.ts';
import {
  isAmongRecords,
  isRecord,
  join,
  param,
  rowsOf,
  sql,
  statement,
} from '../../../src/database/statement.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { collectModels } from '../../../src/model/models.ts';
import { many } from '../../../src/model/relation.ts';
import type { ResourceModel } from '../../../src/model/resource.ts';
import { own, via } from '../../../src/model/row-rule.ts';
import { resourceSource } from '../../../src/records/view.ts';
import { type Databases, describeEachDatabase } from '../../support/databases.ts';
import { startService, type TestUser } from '../../support/service.ts';

const sale = defineResource('Sale', {
  fields: { code: field.string({ max: 20 }), user_id: field.owner() },
  relations: {
    lines: many('SaleLine', { by: 'sale', write: true }),
    marks: many('SaleMark', { by: 'sale' }),
  },
  isolation: own('user_id'),
  ownership: true,
  table: { name: 'sale heads', external: true, columns: { id: 'no', user_id: 'holder' } },
});
const saleLine = defineResource('SaleLine', {
  key: ['sale', 'line_no'],
  fields: {
    line_no: field.integer({ required: true, min: -99, max: 999 }),
    sale: field.reference('Sale', { required: true }),
    quantity: field.integer({ required: true, min: -1000, max: 1000 }),
    note: field.string({ max: 40 }),
  },
  isolation: via('sale', own('user_id')),
  table: { name: 'sale lines', external: true, columns: { sale: 'Sale', line_no: 'Line' } },
});
const stock = defineResource('Stock', {
  key: ['place', 'day', 'batch', 'shift'],
  fields: {
    place: field.string({ required: true, max: 60 }),
    day: field.date({ required: true }),
    batch: field.uuid({ required: true }),
    shift: field.integer({ required: true, min: -100, max: 100 }),
    pieces: field.integer({ min: 0, max: 1000 }),
  },
  table: { name: 'stocks', external: true },
});
const saleMark = defineResource('SaleMark', {
  key: ['sale', 'mark'],
  fields: {
    sale: field.reference('Sale', { required: true }),
    mark: field.string({ required: true, max: 60 }),
  },
  isolation: via('sale', own('user_id')),
  table: { name: 'sale marks', external: true, readOnly: true },
});
const resources = [sale, saleLine, stock, saleMark];

const foreign = async (databases: Databases, url: string): Promise<OpenDatabase> => {
  const database = await databases.open(url);
  const isSqlite = databases.dialect === 'sqlite';
  const counted = isSqlite ? 'integer primary key' : 'integer generated always as identity primary key';
  for (const sql of [
    `create table "sale heads" (no ${counted}, code varchar(20), holder bigint)`,
    `create table "sale lines" ("Line" smallint not null, "Sale" integer not null references "sale heads",
      quantity integer not null, note varchar(40), primary key ("Sale", "Line"))`,
    `create table stocks (place varchar(60) not null, day date not null, batch ${isSqlite ? 'text' : 'uuid'} not null,
      shift integer not null, pieces integer, unique (place, day, batch, shift))`,
    `create view "sale marks" as select "Sale" as sale_id, note as mark from "sale lines" where note is not null`,
  ])
    await database.execute({ sql, parameters: [] });
  return database;
};

interface Row {
  readonly id: string;
  readonly [name: string]: unknown;
}

const places = [
  'a,b',
  '100%',
  '%2C',
  'two words',
  ' ends ',
  'Zürich 東京 😀',
  "it's (a) *~!",
  'a/b?c#d&e=f+g',
  'line\nfeed\\"quote"',
  '.',
  '..',
  'batch',
  '',
];
const batch = '0198a0b2-1111-7222-8333-abcdefabcdef';
const idOf = (...parts: readonly unknown[]): string =>
  parts.map((part) => encodeURIComponent(String(part))).join(',');
const inPath = (id: string): string => encodeURIComponent(id);
const inList = (...ids: readonly string[]): string =>
  ids.map((id) => encodeURIComponent(id.replaceAll(/[\\,]/g, '\\$&'))).join(',');

describeEachDatabase('keys of several columns', (databases) => {
  const stage = async () => {
    const url = await databases.create();
    const other = await foreign(databases, url);
    const service = await startService(databases, {
      url,
      application: { resources },
      env: { NEW_DATABASE: '1', LOCALE: 'en' },
    });
    const run = (sql: string) => other.execute({ sql, parameters: [] });
    const asked = (method: string, path: string, token: TestUser, body?: object, headers = {}) => {
      const by = { token, headers };
      return service.request<Row>(method, `/api/v1/${path}`, body === undefined ? by : { ...by, body });
    };
    const listed = (path: string, token: TestUser) => service.ok<Row[]>('GET', `/api/v1/${path}`, { token });
    const saleOf = async (token: TestUser, lines: readonly object[] = []) =>
      service.ok<{ id: number }>('POST', '/api/v1/sales', { token, body: { sale: { code: 'x', lines } } });
    return { service, url, run, asked, listed, saleOf, [Symbol.asyncDispose]: () => service.close() };
  };

  it('one id is found, changed and deleted by one spelling, whatever its values are', async () => {
    await using staged = await stage();
    const { service, asked, listed } = staged;
    const ann = await service.createUser();
    const days = ['2024-02-29', '0001-01-01', '9999-12-31'];
    for (const [index, place] of places.entries()) {
      const values = { place, day: days[index % 3], batch, shift: index - 3, pieces: index };
      // A text of another program may be empty; the service writes none for a required field.
      if (place.trim() === '') {
        expect((await asked('POST', 'stocks', ann, { stock: values })).status).toBe(422);
        continue;
      }
      const id = idOf(place, values.day, batch, values.shift);
      const made = await asked('POST', 'stocks', ann, { stock: { ...values, id: 'x' } });
      expect([made.status, made.data]).toEqual([201, { id, ...values }]);
      expect([place, (await asked('GET', `stocks/${inPath(id)}`, ann)).data]).toEqual([
        place,
        { id, ...values },
      ]);
      expect((await asked('HEAD', `stocks/${inPath(id)}`, ann)).status).toBe(200);
      const again = await asked('POST', 'stocks', ann, { stock: values });
      expect([again.status, again.text]).toEqual([422, expect.stringContaining('unique')]);
      const changed = await asked('PATCH', `stocks/${inPath(id)}`, ann, {
        stock: { id: 'other', place: 'elsewhere', shift: 99, pieces: 500 },
      });
      expect([changed.status, changed.data]).toEqual([200, { id, ...values, pieces: 500 }]);
      expect(await listed(`stocks?filter[id]=${inPath(id)}`, ann)).toEqual([{ id, ...values, pieces: 500 }]);
    }
    const all = await listed('stocks', ann);
    expect(all).toHaveLength(places.length - 1);
    expect(await listed(`stocks?filter[id][in]=${inList(...all.map(({ id }) => id))}`, ann)).toEqual(all);
    const first = all[0]?.id ?? '';
    expect(await listed(`stocks?filter[id][ne]=${inPath(first)}`, ann)).toEqual(all.slice(1));
    expect(await listed(`stocks?filter[id][gt]=${inPath(first)}`, ann)).toEqual(all.slice(1));
    expect(await listed('stocks?sort=-id', ann)).toEqual(all.toReversed());
    for (const { id } of all) {
      expect((await asked('DELETE', `stocks/${inPath(id)}`, ann)).status).toBe(200);
      expect((await asked('GET', `stocks/${inPath(id)}`, ann)).status).toBe(404);
    }
    expect(await listed('stocks', ann)).toEqual([]);
  });

  it('a text that is no id, or another spelling of one, is 404 in a path and 422 in a body', async () => {
    await using staged = await stage();
    const { service, run, asked, listed, saleOf } = staged;
    const ann = await service.createUser();
    await run(
      `insert into stocks values ('', '2024-02-29', '${batch}', -7, 1), ('A b', '2024-02-29', '${batch}', 0, 1)`,
    );
    const empty = `,2024-02-29,${batch},-7`;
    expect((await asked('GET', `stocks/${inPath(empty)}`, ann)).data).toMatchObject({ place: '', shift: -7 });
    expect((await listed('stocks', ann)).map(({ id }) => id)).toEqual([empty, `A%20b,2024-02-29,${batch},0`]);
    for (const wrong of [
      `A b,2024-02-29,${batch},0`,
      `%41%20b,2024-02-29,${batch},0`,
      `A%20b,2024-02-29,${batch}`,
      `A%20b,2024-02-29,${batch},`,
      `A%20b,2024-02-29,${batch},0,`,
      `A%20b,2024-02-29,${batch},0,0`,
      `A%20b,2024-02-29,${batch.toUpperCase()},0`,
      `A%20b,2024-02-29,${batch},00`,
      `A%20b,2024-02-29,${batch},-0`,
      `A%20b,2024-02-29,${batch},1.0`,
      `A%20b,2024-02-29,${batch},9007199254740993`,
      `A%20b,2024-02-30,${batch},0`,
      `A%20b,2024-2-29,${batch},0`,
      `A%2,2024-02-29,${batch},0`,
      `A%00,2024-02-29,${batch},0`,
      `A%FF,2024-02-29,${batch},0`,
      `a%20b,2024-02-29,${batch},0`,
      `A%20b,2024-02-29,x,0`,
      '1',
      ',',
      ',,,',
    ]) {
      for (const method of ['GET', 'DELETE'])
        expect([wrong, (await asked(method, `stocks/${inPath(wrong)}`, ann)).status]).toEqual([wrong, 404]);
      const { status } = await asked('PATCH', `stocks/${inPath(wrong)}`, ann, { stock: { pieces: 2 } });
      expect([wrong, status]).toEqual([wrong, 404]);
      const batched = await asked('POST', 'stocks/batch', ann, {
        update: [{ id: wrong, pieces: 2 }],
        delete: [wrong],
      });
      expect([wrong, batched.status]).toEqual([wrong, 422]);
    }
    // Numbers that no column of this width holds.
    const { id } = await saleOf(ann);
    for (const far of [`${id},99999`, `${id},-9007199254740991`, '9007199254740991,1', `-1,1`])
      expect([far, (await asked('GET', `sale_lines/${inPath(far)}`, ann)).status]).toEqual([far, 404]);
    expect((await asked('POST', 'sale_lines', ann, { sale_line: { line_no: 1, quantity: 1 } })).status).toBe(
      422,
    );
    expect(
      (await asked('POST', 'sale_lines', ann, { sale_line: { sale_id: 99, line_no: 1, quantity: 1 } }))
        .status,
    ).toBe(422);
  });

  it('200 rows are paged in both directions, by cursors and numbers, in the order of the columns', async () => {
    await using staged = await stage();
    const { service, run, listed, saleOf } = staged;
    const ann = await service.createUser();
    const ids: string[] = [];
    for (let head = 0; head < 4; head += 1) {
      const { id } = await saleOf(ann);
      const lines = Array.from({ length: 50 }, (_, line) => line - 25);
      ids.push(...lines.map((line) => `${id},${line}`));
      await run(
        `insert into "sale lines" ("Line", "Sale", quantity) values ${lines.map((line) => `(${line}, ${id}, ${Math.abs(line % 7)})`).join(', ')}`,
      );
    }
    const idsOf = (rows: readonly Row[]): readonly string[] => rows.map(({ id }) => id);
    expect(idsOf(await listed('sale_lines?per_page=1000', ann))).toEqual(ids);
    /** All ids by pages from the first to the last, and then back from there. */
    const walk = async (query: string): Promise<readonly (readonly string[])[]> => {
      const there: string[] = [];
      const back: string[] = [];
      let direction: 'next' | 'prev' = 'next';
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const path: string = `/api/v1/sale_lines?${query}&per_page=7&after=${cursor}`;
        const { status, data, headers } = await service.request<Row[]>('GET', path, { token: ann });
        expect([path, status]).toEqual([path, 200]);
        const link = (rel: string): string | undefined =>
          new RegExp(`[?&]after=([^&>]+)[^>]*>; rel="${rel}"`).exec(String(headers['link'] ?? ''))?.[1];
        if (direction === 'next') there.push(...idsOf(data));
        if (direction === 'next' && link('next') === undefined) direction = 'prev';
        if (direction === 'prev') back.unshift(...idsOf(data));
        cursor = link(direction);
      }
      return [there, back];
    };
    const mixed = await service.ok<Row[]>('GET', '/api/v1/sale_lines?per_page=1000&sort=quantity,-id', {
      token: ann,
    });
    const byQuantity = idsOf(mixed);
    expect(new Set(byQuantity)).toEqual(new Set(ids));
    for (const [query, all] of [
      ['sort=id', ids],
      ['', ids],
      ['sort=-id', ids.toReversed()],
      ['sort=quantity,-id', byQuantity],
      [
        'sort=sale_id,-line_no',
        [0, 1, 2, 3].flatMap((head) => ids.slice(head * 50, head * 50 + 50).toReversed()),
      ],
    ] as const)
      expect([query, await walk(query)]).toEqual([query, [all, all]]);
    const pages: string[] = [];
    for (let page = 1; page <= 29; page += 1)
      pages.push(...idsOf(await listed(`sale_lines?sort=-id&page=${page}&per_page=7`, ann)));
    expect(pages).toEqual(ids.toReversed());
    const totals = await service.get(
      '/api/v1/sale_lines?page=3&per_page=5&filter[quantity][gt]=3&sort=-quantity',
      { token: ann },
    );
    expect([totals.status, Number(totals.headers['x-total-count'])]).toEqual([
      200,
      (await listed('sale_lines?per_page=1000&filter[quantity][gt]=3', ann)).length,
    ]);
    // An export has them all, in the order of the key.
    const exported = await service.get('/api/v1/sale_lines', { token: ann, headers: { accept: 'text/csv' } });
    const back = await service.request('POST', '/api/v1/sale_lines/import?update_by=id', {
      token: ann,
      body: exported.text.replaceAll(/,\r?\n/g, ',back\n'),
      headers: { 'content-type': 'text/csv' },
    });
    expect([back.status, back.data]).toEqual([200, { created: 0, updated: 200 }]);
    const changed = await listed('sale_lines?per_page=1000&filter[note]=back', ann);
    expect(idsOf(changed)).toEqual(ids);
  });

  it('row rules hold by include, filters across relations, aggregate, batch, import and nested writes', async () => {
    await using staged = await stage();
    const { service, asked, listed, saleOf } = staged;
    const [ann, eve] = [await service.createUser(), await service.createUser()];
    const mine = await saleOf(ann, [
      { line_no: 2, quantity: 20, note: 'n,2' },
      { line_no: -1, quantity: 5 },
    ]);
    const theirs = await saleOf(eve, [{ line_no: 1, quantity: 100 }]);
    const line = `${mine.id},2`;
    const foreignLine = `${theirs.id},1`;
    const seen = await asked('GET', `sales/${mine.id}?include=lines,marks`, ann);
    expect(seen.data).toMatchObject({
      lines: [
        { id: `${mine.id},-1`, line_no: -1 },
        { id: line, quantity: 20 },
      ],
      marks: [{ id: `${mine.id},n%2C2`, mark: 'n,2' }],
    });
    expect((await asked('GET', `sale_lines/${inPath(line)}?include=sale`, ann)).data).toMatchObject({
      id: line,
      sale: { id: mine.id },
    });
    expect((await asked('GET', `sale_marks/${inPath(`${mine.id},n%2C2`)}`, ann)).data).toMatchObject({
      mark: 'n,2',
    });
    expect((await asked('GET', `sale_marks/${inPath(`${mine.id},n%2C2`)}`, eve)).status).toBe(404);
    expect((await asked('DELETE', `sale_marks/${inPath(`${mine.id},n%2C2`)}`, ann)).status).toBe(405);
    expect(await listed(`sales?filter[lines.id]=${inPath(foreignLine)}`, ann)).toEqual([]);
    expect((await listed(`sales?filter[lines.id]=${inPath(line)}`, ann)).map(({ id }) => id)).toEqual([
      mine.id,
    ]);
    expect((await listed('sale_lines?sort=-sale.code', ann)).map(({ id }) => id)).toHaveLength(2);
    expect(
      (await listed(`sale_lines?filter[id][in]=${inList(line, foreignLine)}`, ann)).map(({ id }) => id),
    ).toEqual([line]);
    expect((await service.get('/api/v1/sale_lines/aggregate?sum=quantity', { token: ann })).text).toContain(
      '25',
    );
    const groups = await service.get('/api/v1/sale_lines/aggregate?group=id&sum=quantity', { token: ann });
    expect([groups.status, groups.text.includes(line), groups.text.includes(foreignLine)]).toEqual([
      200,
      true,
      false,
    ]);
    for (const method of ['GET', 'DELETE'])
      expect((await asked(method, `sale_lines/${inPath(foreignLine)}`, ann)).status).toBe(404);
    expect(
      (await asked('PATCH', `sale_lines/${inPath(foreignLine)}`, ann, { sale_line: { quantity: 1 } })).status,
    ).toBe(404);
    const into = { sale_id: theirs.id, line_no: 9, quantity: 1 };
    expect((await asked('POST', 'sale_lines', ann, { sale_line: into })).status).toBeGreaterThanOrEqual(403);
    const refused = await asked('POST', 'sale_lines/batch', ann, {
      update: [{ id: foreignLine, quantity: 1 }],
    });
    expect(refused.status).toBe(422);
    const batch = await asked('POST', 'sale_lines/batch', ann, {
      create: [{ sale_id: mine.id, line_no: 3, quantity: 3 }],
      update: [{ id: line, quantity: 21 }],
      delete: [`${mine.id},-1`],
    });
    expect(batch).toMatchObject({
      status: 200,
      data: { created: [{ id: `${mine.id},3` }], updated: [{ id: line, quantity: 21 }], deleted: 1 },
    });
    const imported = async (lines: readonly object[], token: TestUser, dry = '') => {
      const answer = await service.request('POST', `/api/v1/sale_lines/import?update_by=id${dry}`, {
        token,
        body: lines.map((each) => `${JSON.stringify(each)}\n`).join(''),
        headers: { 'content-type': 'application/jsonl' },
      });
      return [answer.status, answer.data];
    };
    expect(
      await imported(
        [
          { id: line, quantity: 22 },
          { sale_id: mine.id, line_no: 4, quantity: 4 },
        ],
        ann,
      ),
    ).toEqual([200, { created: 1, updated: 1 }]);
    expect((await imported([{ id: foreignLine, quantity: 22 }], ann))[0]).toBe(422);
    expect((await imported([{ id: `${mine.id}`, quantity: 22 }], ann))[0]).toBe(422);
    const nested = await asked('PATCH', `sales/${mine.id}?include=lines`, ann, {
      sale: {
        lines: [
          { id: line, quantity: 23 },
          { id: `${mine.id},3`, _delete: true },
          { line_no: 7, quantity: 7 },
        ],
      },
    });
    expect([nested.status, nested.text]).toEqual([200, expect.anything()]);
    const now = await asked('GET', `sales/${mine.id}?include=lines`, ann);
    expect((now.data['lines'] as Row[]).map(({ id, quantity }) => [id, quantity])).toEqual([
      [line, 23],
      [`${mine.id},4`, 4],
      [`${mine.id},7`, 7],
    ]);
    const stray = await asked('PATCH', `sales/${mine.id}`, ann, {
      sale: { lines: [{ id: foreignLine, quantity: 1 }] },
    });
    expect(stray.status).toBe(422);
    expect((await asked('GET', `sale_lines/${inPath(foreignLine)}`, eve)).data).toMatchObject({
      quantity: 100,
    });
  });

  it('If-Match holds: of concurrent updates one wins, also beside another program', async () => {
    await using staged = await stage();
    const { service, run, asked, saleOf } = staged;
    const ann = await service.createUser();
    const { id } = await saleOf(ann, [{ line_no: 1, quantity: 1 }]);
    const path = `sale_lines/${inPath(`${id},1`)}`;
    const before = await asked('GET', path, ann);
    const etag = String(before.headers['etag']);
    expect((await asked('GET', path, ann, undefined, { 'if-none-match': etag })).status).toBe(304);
    const raced = await Promise.all(
      Array.from({ length: 8 }, (_, nth) =>
        asked('PATCH', path, ann, { sale_line: { quantity: 10 + nth } }, { 'if-match': etag }),
      ),
    );
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412, 412, 412]);
    const now = String((await asked('GET', path, ann)).headers['etag']);
    await run(`update "sale lines" set note = 'theirs' where "Sale" = ${id}`);
    expect((await asked('DELETE', path, ann, undefined, { 'if-match': now })).status).toBe(412);
    const last = String((await asked('GET', path, ann)).headers['etag']);
    expect((await asked('DELETE', path, ann, undefined, { 'if-match': last })).status).toBe(200);
    const races = Array.from({ length: 4 }, () =>
      asked('POST', 'sale_lines', ann, { sale_line: { sale_id: id, line_no: 5, quantity: 1 } }),
    );
    expect((await Promise.all(races)).map(({ status }) => status).sort()).toEqual([201, 422, 422, 422]);
  });

  it('the administration area, explanations, the audit log and the description name such records', async () => {
    await using staged = await stage();
    const { service, asked, saleOf } = staged;
    const ann = await service.createUser();
    const root = await service.admin();
    const { id } = await saleOf(ann, [{ line_no: 1, quantity: 1 }]);
    const line = `${id},1`;
    const path = `/api/v1/sale_lines/${inPath(line)}`;
    const meta = await service.ok<{ fields: { name: string; type: string }[] }>(
      'GET',
      `/api/v1/meta/SaleLine?id=${inPath(line)}`,
      { token: ann },
    );
    expect(meta.fields.find(({ name }) => name === 'id')?.type).toBe('string');
    const explained = async (user: TestUser) =>
      service.ok<{ allowed: boolean }>(
        'GET',
        `/admin/explain?user_id=${user.id}&method=GET&path=${encodeURIComponent(path)}`,
        { token: root },
      );
    expect(await explained(ann)).toMatchObject({ allowed: true });
    expect(await explained(await service.createUser())).toMatchObject({ allowed: false });
    const found = await service.ok<{ records: Row[] }[]>('GET', `/admin/search?q=${inPath(line)}`, {
      token: root,
    });
    expect(found.flatMap(({ records }) => records.map((each) => each.id))).toContainEqual(line);
    const seen = await service.ok<Row>('GET', `/admin/users/${ann.id}/view/sale_lines/${inPath(line)}`, {
      token: root,
    });
    expect(seen.id).toBe(line);
    const named = await service.get<Row[]>(
      `/admin/records/sale_lines/references?ids=${encodeURIComponent(encodeURIComponent(line))}`,
      { token: root },
    );
    expect([named.status, named.text]).toEqual([200, expect.anything()]);
    const changed = await service.request('PATCH', `/admin/records/sale_lines/${inPath(line)}`, {
      token: root,
      body: { sale_line: { quantity: 2 } },
    });
    expect(changed.status).toBe(200);
    const eve = await service.createUser();
    for (const text of [line, `${id},77`])
      expect((await asked('GET', `sale_lines/${inPath(text)}`, eve)).status).toBe(404);
    const refusals = await service.ok<{ path: string }[]>('GET', '/admin/refusals', { token: root });
    expect(refusals.map((each) => decodeURIComponent(each.path))).toEqual([`/api/v1/sale_lines/${line}`]);
    expect((await asked('DELETE', `sale_lines/${inPath(line)}`, ann)).status).toBe(200);
    const audit = await service.get('/admin/audit?filter[action]=user.view_as', { token: root });
    expect([audit.status, audit.text]).toEqual([200, expect.stringContaining(`"${line}"`)]);
    const scope = service.server.services.systemScope('test');
    const made = await scope.records(saleLine).create({ sale_id: id, line_no: 8, quantity: 1 });
    expect(made.id satisfies string).toBe(`${id},8`);
    expect(await scope.records(saleLine).find(made.id)).toMatchObject({ line_no: 8, sale_id: id });
    const listed = await scope.records(saleLine).list({ filter: { id: { in: [made.id, `${id},9`] } } });
    expect(listed.map((each) => each.id)).toEqual([made.id]);
  });

  it('a record is found, and a list goes on, by the index of the columns', async () => {
    await using staged = await stage();
    const { service } = staged;
    const { database } = service.server.services;
    const { dialect } = database;
    const id = idOf('a,b', '2024-02-29', batch, -7);
    const source = resourceSource(stock, new Map());
    const [place, ...others] = keyColumnsOf(source).map((column) => ruleValue(column, dialect));
    const bounds = ['a,b', '2024-02-29', batch, '-7'] as const;
    const cursor = sql`(${join([place ?? sql``, ...others])}) > (${join(bounds.map((_, index) => param('cursor', index)))})`;
    const plans = [
      isRecord(stock.stored, param('id')),
      isAmongRecords(stock.stored, [param('id'), param('id')]),
      ...hasValue(columnOf(source, 'id'), param('id'), dialect),
      cursor,
    ].map((condition, nth) => {
      const rows = sql`select 1 from ${rowsOf(stock.stored)}${nth < 2 ? sql`` : sql` as t`} where ${condition}`;
      return statement<{ id: string; cursor: readonly string[] }>(
        dialect,
        () => rows,
      )({ id, cursor: bounds });
    });
    await database.write(async (transaction) => {
      const isSqlite = databases.dialect === 'sqlite';
      if (!isSqlite) await transaction.run({ sql: 'set local enable_seqscan = off', parameters: [] });
      const explain = isSqlite ? 'explain query plan ' : 'explain ';
      for (const plan of plans) {
        const lines = await transaction.all({ ...plan, sql: explain + plan.sql });
        expect([plan.sql, JSON.stringify(lines)]).toEqual([
          plan.sql,
          expect.stringMatching(isSqlite ? /SEARCH .*USING .*INDEX/ : /Index Cond/),
        ]);
      }
    });
  });

  it('code has such ids as texts, and the start names what does not fit', async () => {
    await using staged = await stage();
    const { service, run, url } = staged;
    await service.close();
    const of = (definition: object): ResourceModel =>
      defineResource('Line', {
        key: ['sale', 'line_no'],
        fields: {
          sale: field.integer({ required: true }),
          line_no: field.integer({ required: true, min: -9, max: 9 }),
        },
        ...definition,
      } as never) as ResourceModel;
    const table = { name: 'plain lines', external: true };
    for (const [definition, sentence] of [
      [{}, 'only an external table has a key of several fields'],
      [{ table: { external: true }, key: ['sale'] }, 'key: name two to 8 fields, each once'],
      [
        { table: { external: true }, views: { when: [[own(), ['line_no']]] } },
        'views.when: every reader sees the id, which has the value',
      ],
      [{ table: { external: true }, key: ['sale', 'sale'] }, 'key: name two to 8 fields, each once'],
      [
        { table: { external: true }, key: ['sale', 'lin_no'] },
        'key: it names the unknown field "lin_no": the nearest is "line_no"',
      ],
      [{ table: { external: true }, key: ['id', 'line_no'] }, 'key: '],
      [{ table: { external: true, columns: { id: 'no' } } }, 'table.columns names no column for it'],
      [
        {
          table: { external: true },
          search: ['note'],
          fields: {
            sale: field.integer({ required: true }),
            line_no: field.integer({ required: true }),
            note: field.text(),
          },
        },
        'search',
      ],
      [
        {
          table: { external: true },
          key: ['sale', 'at'],
          fields: { sale: field.integer({ required: true }), at: field.datetime({ required: true }) },
        },
        'a field of the type datetime',
      ],
      [
        {
          table: { external: true },
          fields: { sale: field.integer({ required: true }), line_no: field.integer() },
        },
        'a part of a key is never null: say required: true',
      ],
    ] as const)
      expect(() => of(definition)).toThrow(sentence);
    const referring = defineResource('Other', {
      fields: { line: field.reference('Line') },
      table: { external: true },
    });
    expect(() => collectModels([of({ table }), referring])).toThrow('the key of Line has several fields');
    const start = (model: ResourceModel) =>
      startService(databases, { url, application: createApplication({ resources: [model] }) }).then(
        async (started) => {
          await started.close();
          return 'started';
        },
        String,
      );
    await run('create table "plain lines" (sale integer not null, line_no integer not null, id integer)');
    const small = {
      sale: field.integer({ required: true, min: -9, max: 9 }),
      line_no: field.integer({ required: true, min: -9, max: 9 }),
    };
    expect(await start(of({ table, fields: small }))).toContain(
      'Line: the table plain lines has no key over sale and line_no alone: say readOnly: true',
    );
    expect(await start(of({ table: { ...table, readOnly: true }, fields: small }))).toBe('started');
    await run('create unique index wider on "plain lines" (sale, line_no, id)');
    await run('create unique index partly on "plain lines" (sale, line_no) where line_no > 0');
    expect(await start(of({ table, fields: small }))).toContain('has no key over sale and line_no alone');
    await run('create unique index right_one on "plain lines" (line_no, sale)');
    // A column called `id` is a field of another name, and may be a part of the key.
    expect(
      await start(
        of({
          table: { ...table, columns: { number: 'id' } },
          fields: { ...small, number: field.integer({ min: -9, max: 9 }) },
        }),
      ),
    ).toBe('started');
    expect(
      await start(of({ table, fields: { ...small, sale: field.string({ required: true, max: 9 }) } })),
    ).toContain('Line.sale: the table plain lines has sale as');
  });
});
