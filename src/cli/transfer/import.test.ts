import { appendFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import { useService } from '../../../tests/support/service.ts';
import { fileOf, type ImportOptions, importing } from '../../../tests/support/transfer.ts';
import {
  categoryFields,
  product,
  transferApplication,
  transferMigrations,
} from '../../../tests/support/transfer-application.ts';
import { createApplication } from '../../app/application.ts';
import { csvCells } from '../../kernel/csv-cells.ts';
import { ImportStore, ImportTakenError } from '../../ledger/imports.ts';
import { defineResource } from '../../model/define-resource.ts';

describe('cells of CSV', () => {
  it('cells of CSV are those of RFC 4180', () => {
    expect(csvCells('a,,"b ""c"", d",""')).toEqual(['a', null, 'b "c", d', '']);
    expect(csvCells('"line\r\nbreak",x')).toEqual(['line\r\nbreak', 'x']);
    expect(csvCells('')).toEqual([null]);
    expect(csvCells('a,')).toEqual(['a', null]);
    expect(csvCells('"",""')).toEqual(['', '']);
    expect(() => csvCells('"a"b,c')).toThrow('neither a comma nor the end');
    expect(() => csvCells('5" pipe')).toThrow('does not begin with one');
    expect(() => csvCells('"a""')).toThrow('never closed');
  });
});

type Row = Readonly<Record<string, unknown>> & { readonly id: number };

describeEachDatabase('gatewright import', (databases) => {
  const service = useService(databases, { application: transferApplication(), env: { LOCALE: 'en' } });
  const load = (path: string, options?: ImportOptions) =>
    importing(service, transferApplication(), path, options);
  const loadText = async (text: string | Uint8Array, options?: ImportOptions, name?: string) =>
    load(await fileOf(text, name), options);
  const rows = async (query = ''): Promise<Row[]> =>
    service.ok<Row[]>('GET', `/api/v1/products${query}`, { token: await service.admin() });
  const skus = async () => (await rows()).map(({ sku }) => sku);

  beforeAll(async () => {
    const token = await service.admin();
    await service.ok('POST', '/api/v1/categories', { token, body: { category: { name: 'Tea' } } });
  });
  beforeEach(async () => {
    const { database } = service.server.services;
    for (const table of ['products', 'gatewright_import_places'])
      await database.execute({ sql: `delete from ${table}`, parameters: [] });
  });

  it('reads every kind of field from CSV, as the API would take it', async () => {
    const head = 'sku,name,price,weight,stock,active,status,day,at,extra,code,category_id';
    const full = `T-1,"Tea, ""green""\r\n😀",12.50,-1e-7,3,TRUE,live,2026-11-21,2026-11-21T08:00:00+08:00,"{""a"":[1,null,""x""]}",0E9C9F68-98B5-4DAE-BB24-09A2C3E2A9C1,1`;
    const { out, stderr, failed } = await loadText(`\ufeff${head}\r\n${full}\r\n\r\nT-2,"",,,,,,,,,,\n`);
    expect([failed, stderr, out]).toEqual([
      false,
      '',
      expect.stringMatching(/^2 rows created, 0 updated, in /),
    ]);
    const { id, username } = { ...(await service.admin()) };
    expect(username).toBe('root');
    expect(await rows()).toMatchObject([
      {
        sku: 'T-1',
        name: 'Tea, "green"\r\n😀',
        price: '12.50',
        weight: -1e-7,
        stock: 3,
        active: true,
        status: 'live',
        day: '2026-11-21',
        at: '2026-11-21T00:00:00.000Z',
        user_id: id,
        extra: { a: [1, null, 'x'] },
        code: '0e9c9f68-98b5-4dae-bb24-09a2c3e2a9c1',
        category_id: 1,
      },
      // An empty cell is not a value, also where the field has a default.
      { sku: 'T-2', name: '', price: null, stock: null, active: null, extra: null },
    ]);
  });

  it('passes over lines of only commas, which spreadsheets write behind the last row', async () => {
    const text = ['sku,name,price', ',,', 'C-1,Cup,1.00', ',,', ',,', ''].join('\r\n');
    const { out, stderr } = await loadText(text, { resource: 'Product', json: true }, 'a.csv');
    expect(JSON.parse(out)).toMatchObject({ created: 1, updated: 0 });
    expect(stderr.match(/line \d+ is passed over, as is each line of only commas/g)).toEqual([
      'line 2 is passed over, as is each line of only commas',
    ]);
    expect(await rows()).toMatchObject([{ sku: 'C-1' }]);
  });

  it('takes what is left out of a file from the defaults, and JSON lines as bodies', async () => {
    const lines = ['{"sku":"J-1","price":"1.5","extra":"text"}', '', '{"sku":"J-2","stock":null,"id":99}'];
    const { out, stderr } = await loadText(lines.join('\n'), { resource: 'Product', json: true }, 'a.jsonl');
    expect(JSON.parse(out)).toMatchObject({ created: 2, updated: 0 });
    expect(stderr).toMatch(/a\.jsonl: id is passed over: it is not root's to set\n$/);
    expect(await rows()).toMatchObject([
      { sku: 'J-1', price: '1.50', stock: 7, extra: 'text' },
      { sku: 'J-2', stock: null },
    ]);
  });

  it('takes away what keeps spreadsheets from formulas', async () => {
    await loadText(`sku,name,price\nF-1,'=cmd|' /C calc'!A0,-3.00\nF-2,"a;'=b\n'+c",1\n`);
    expect(await rows()).toMatchObject([
      { name: "=cmd|' /C calc'!A0", price: '-3.00' },
      { name: 'a;=b\n+c' },
    ]);
  });

  it('says of every line of a transaction what is wrong, and goes on where it stopped', async () => {
    const path = await fileOf('');
    const good = Array.from({ length: 450 }, (_, n) => `G-${n},${n}\n`).join('');
    const bad = 'X-1,-1\n,2\nG-3,4\n"X\n2",nine\nX-3\n';
    await appendFile(path, `sku,stock\n${good}${bad}`);
    const first = await load(path);
    expect(first.failed).toBe(true);
    expect(first.stderr.replaceAll(path, 'file')).toBe(
      [
        'file: line 452, stock: Stock must be at least 0',
        'file: line 453, sku: Sku must not be blank',
        'file: line 454, sku: Sku is already taken',
        'file: line 455, stock: Stock must be a whole number',
        'file: line 457: it has 1 cells, and the first line 2',
        '',
      ].join('\n'),
    );
    // The first transaction takes 200 lines; on a busy machine the next ones take fewer, and some end before the bad
    // lines.
    const [, rowsText, lineText] =
      /^5 lines are refused; (\d+) rows, up to line (\d+), are imported; the same/.exec(first.out) ?? [];
    const imported = Number(rowsText);
    expect([imported >= 200, Number(lineText)]).toEqual([true, imported + 1]);
    expect(await skus()).toHaveLength(imported);
    const mended = await fileOf(`sku,stock\n${good}X-1,1\nX-2,2\n`, 'another-name.csv');
    const second = await load(mended);
    expect([second.failed, second.stderr]).toEqual([
      false,
      expect.stringMatching(
        new RegExp(`going on behind line ${lineText}, up to which this file was imported at 2\\d{3}-`),
      ),
    ]);
    expect(second.out).toMatch(/^452 rows created, 0 updated/);
    expect(await skus()).toHaveLength(452);
    // A finished file begins from the start.
    expect((await load(mended)).stderr).toMatch(/line 2, sku: Sku is already taken/);
  });

  it('updates by a unique field, or by id', async () => {
    await loadText('sku,stock,name\nU-1,1,one\nU-2,2,two\n');
    const [one, two] = await rows();
    const second = await loadText('sku,stock\nU-2,20\nU-3,30\nU-3,31\n', { by: 'sku' });
    expect(second.out).toMatch(/^1 row created, 2 updated/);
    const third = await loadText(`id,stock,sku\n${one?.id},10,U-1\n,5,U-5\n`, { by: 'id' });
    expect(third.out).toMatch(/^1 row created, 1 updated/);
    expect(await rows()).toMatchObject([
      { id: one?.id, sku: 'U-1', stock: 10, name: 'one' },
      { id: two?.id, sku: 'U-2', stock: 20, name: 'two' },
      { sku: 'U-3', stock: 31 },
      { sku: 'U-5', stock: 5 },
    ]);
    const missing = await loadText('id,stock\n9999999,1\n', { by: 'id' });
    expect(missing.stderr).toMatch(/line 2, id: Id does not exist/);
    expect((await loadText('sku\nA\n', { by: 'stock' })).out).toMatch(
      /--update-by takes a unique field, not 'stock'/,
    );
    expect((await loadText('name\nA\n', { by: 'sku' })).out).toMatch(/no column "sku"/);
  });

  it('refuses names that there are not, and names that stand there twice', async () => {
    expect((await loadText('skuu\nA\n')).out).toBe(
      'line 1, the names of the fields: there is no field "skuu": the nearest is "sku"',
    );
    expect((await loadText('sku,sku\nA,B\n')).out).toMatch(/"sku" stands there twice/);
    expect((await loadText('sku;name\nA;B\n')).out).toMatch(/separated by commas/);
    expect((await loadText('')).out).toMatch(/its first line has to name the fields/);
    expect((await loadText('\n\n')).out).toMatch(/its first line has to name the fields/);
    expect((await loadText('{"skuu":1,"sku":"A"}', {}, 'a.ndjson')).stderr).toMatch(
      /line 1, skuu: there is no field "skuu": the nearest is "sku"/,
    );
    expect((await loadText('sku\nA\n', { resource: 'prodcts' })).out).toMatch(/the nearest is "products"/);
    expect(await rows()).toEqual([]);
  });

  it('works under the policy of the user', async () => {
    const { username } = await service.createUser(['viewer']);
    expect(await loadText('sku\nA\n', { as: username })).toMatchObject({
      failed: true,
      out: `${username}: No permission`,
    });
    expect((await loadText('sku\nA\n', { as: 'ghost' })).out).toBe('there is no user ghost');
  });

  it('gatewright import is safe from what no file should hold', async () => {
    const wide = 'x'.repeat(2 * 1024 * 1024);
    const hostile: [string, string | Uint8Array, RegExp, string?][] = [
      ['NUL', 'sku\nA\0B\n', /line 2, sku: /],
      ['a lone surrogate', '{"sku":"\\ud800"}\n', /line 1, sku: /, 'a.jsonl'],
      ['bad UTF-8', Buffer.from([...Buffer.from('sku\nA'), 0xff, 0x0a]), /line 2: it is not UTF-8/],
      ['a cell of 2 MiB', `sku,name\nA,${wide}\n`, /line 2, name: Name must have at most 1048576 characters/],
      [
        'an open quote',
        'sku\nA\n"B\nC\n',
        /line 3: a double quote that opens in this record is never closed/,
      ],
      [
        'no object',
        '[1]\nnull\n{\n',
        /line 1: it is not a JSON object[\s\S]*line 2: [\s\S]*line 3: /,
        'a.jsonl',
      ],
      ['no JSON', 'sku,extra\nA,{x\n', /line 2, extra: Extra is not valid JSON/],
      [
        'a record without end',
        `sku\n"${'y\n'.repeat(9 * 1024 * 1024)}`,
        /line 2: the record is longer than 16 MiB/,
      ],
      ['a line without end', `{"sku":"${'y'.repeat(17 * 1024 * 1024)}"}\n`, /longer than 16 MiB/, 'a.jsonl'],
    ];
    for (const [what, content, message, name] of hostile) {
      const { failed, stderr } = await loadText(content, {}, name);
      expect([what, failed, stderr]).toEqual([what, true, expect.stringMatching(message)]);
    }
    expect(await rows()).toEqual([]);
    const path = await fileOf(`sku\n${'\r\n'.repeat(1_000_000)}E-1`);
    expect((await load(path)).out).toMatch(/^1 row created/);
    const folder = await load(`${dirname(path)}`.concat('/../x.csv'));
    expect(folder.out).toMatch(/there is no such file/);
  });

  it('runs hooks one after the other, and tells at which line they fail', async () => {
    const seen: unknown[] = [];
    const hooked = defineResource('Category', {
      fields: categoryFields,
      plural: 'categories',
      hooks: {
        beforeSave: ({ values, addError }) => {
          seen.push(values.name);
          if (values.name === 'bad') addError('name', 'not this one');
          if (values.name === 'broken') throw new Error('the hook is broken');
        },
      },
    });
    const application = createApplication({ resources: [hooked, product], migrations: transferMigrations });
    const run = async (text: string) =>
      importing(service, application, await fileOf(text), { resource: 'categories' });
    expect((await run('name\nA\nbad\nB\n')).stderr).toMatch(/line 3, name: not this one\n$/);
    expect(seen).toEqual(['A', 'bad', 'B']);
    expect((await run('name\nA\nbroken\n')).out).toMatch(
      /^line 3: .*the hook is broken.*; nothing was imported/,
    );
  });

  it('shows how far it is, on a terminal in one line', async () => {
    const lines = Array.from({ length: 12_000 }, (_, n) => `P-${n}\n`).join('');
    const { stderr } = await loadText(`sku\n${lines}`, { terminal: true });
    const states = stderr.replaceAll('\u001b[K', '<').split('\r');
    expect(states[1]).toMatch(/^products: [\d,]+ rows, \d+ %, in \d+\.\d s, [\d,]+ rows\/s<$/);
    expect(states.at(-1)).toBe('<');
    expect(await skus()).toHaveLength(12_000);
  });

  it('leaves what is appended while it runs for another time', async () => {
    const path = await fileOf(`sku\n${Array.from({ length: 3_000 }, (_, n) => `A-${n}\n`).join('')}`);
    const growing = load(path);
    await appendFile(path, 'late');
    const { stderr, out } = await growing;
    // Whichever was first: it is read as a whole, or not at all.
    if (stderr === '') expect(out).toMatch(/^3,001 rows/);
    else
      expect([stderr, out]).toEqual([
        expect.stringMatching(/has grown by 4 bytes/),
        expect.stringMatching(/^3,000 /),
      ]);
  });

  it('writes each line once when the same file is imported twice at the same time', async () => {
    const path = await fileOf(`name\n${Array.from({ length: 6_000 }, (_, n) => `C-${n}\n`).join('')}`);
    const { database } = service.server.services;
    await database.execute({ sql: 'delete from categories where id > 1', parameters: [] });
    const options = { resource: 'categories' };
    const both = await Promise.all([load(path, options), load(path, options)]);
    const refusals = both.filter(({ failed }) => failed).map(({ out }) => out);
    expect(refusals.filter((out) => !/^another import into/.test(out))).toEqual([]);
    // An overtaken import goes on behind the other one, or begins a finished file from the start.
    const [row] = await database.all<{ n: number }>({
      sql: 'select count(*) as n from categories where id > 1',
      parameters: [],
    });
    expect(Number(row?.n)).toBe(6_000 * (2 - refusals.length));
  });

  it('takes over from an import that was killed, and refuses what another one writes', async () => {
    const { database } = service.server.services;
    const imports = new ImportStore({ database, clock: () => 0 });
    await imports.take('Product', 'a');
    const place = { bytes: 0, digest: '', lines: 0, created: 0, updated: 0 };
    expect((await loadText('sku\nT-1\n')).out).toMatch(/^1 row created/);
    const moved = database.write((transaction) =>
      imports.move(transaction, 'Product', 'a', place, undefined),
    );
    await expect(moved).rejects.toThrow(ImportTakenError);
    await imports.release('Product', 'a');
    await imports.take('Product', 'b');
    const steps: Promise<number>[] = [];
    const alive = setInterval(() => {
      steps.push(
        database.write((transaction) => imports.move(transaction, 'Product', 'b', place, undefined)),
      );
    }, 50);
    try {
      expect((await loadText('sku\nT-2\n')).out).toBe(
        'another import into products is running: wait for its end',
      );
    } finally {
      clearInterval(alive);
    }
    expect((await Promise.all(steps)).length).toBeGreaterThan(0);
    expect(await skus()).toEqual(['T-1']);
    await imports.release('Product', 'b');
  });
});
