import { mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../tests/support/databases.ts';
import { type Service, startService, useService } from '../../../tests/support/service.ts';
import { type ExportOptions, exporting, fileOf, importing } from '../../../tests/support/transfer.ts';
import { transferApplication } from '../../../tests/support/transfer-application.ts';

type Row = Readonly<Record<string, unknown>>;

const hard: readonly Row[] = [
  { sku: 'H-1', name: '=1+1', price: '-12.50', weight: -1e-7, active: false, status: 'draft' },
  { sku: 'H-2', name: "=cmd|' /C calc'!A0", extra: { a: [1, -5, '=x'], 'b"': null }, stock: null },
  { sku: '"H,3', name: 'line\r\n+cmd|calc\n\t@x;=y', extra: '=text', day: '2026-11-21' },
  { sku: ' H-4 ', name: '', extra: [], at: '2026-11-21T08:00:00.123Z' },
  { sku: "'H-5", name: "''=kept", extra: 'null', code: '0e9c9f68-98b5-4dae-bb24-09a2c3e2a9c1' },
  { sku: '-6', name: '＝1＋1 日本語 😀', category_id: 1, stock: 9_007_199_254_740_991 },
];

/** The part of the text that is the same in every database with the same records. */
const withoutOwn = (text: string): string =>
  text
    .replaceAll(/^\d+,/gm, 'ID,')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z,\d{4}-\d\d-\d\dT[\d:.]+Z\r$/gm, 'TIMES');

describeEachDatabase('gatewright export', (databases) => {
  const service = useService(databases, { application: transferApplication(), env: { LOCALE: 'en' } });
  const save = (path: string, options?: ExportOptions) =>
    exporting(service, transferApplication(), path, options);
  const listed = async (of: Service, accept?: string, query = ''): Promise<string> =>
    (
      await of.get(`/api/v1/products${query}`, {
        token: await of.admin(),
        ...(accept === undefined ? {} : { headers: { accept } }),
      })
    ).text;

  const fill = async (of: Service): Promise<void> => {
    const token = await of.admin();
    await of.ok('POST', '/api/v1/categories', { token, body: { category: { name: 'Tea' } } });
  };

  /** Leaves so much of an export as an interruption does: one that cannot put its file in place leaves its part. */
  const interrupt = async (path: string, content: Uint8Array): Promise<void> => {
    await rm(path, { force: true });
    await mkdir(path);
    expect((await save(path)).failed).toBe(true);
    await rmdir(path);
    await writeFile(`${path}.part`, content);
  };

  beforeAll(async () => {
    await fill(service);
    const token = await service.admin();
    for (const values of hard)
      await service.ok('POST', '/api/v1/products', { token, body: { product: values } });
    for (const start of [0, 1_000, 2_000]) {
      const create = Array.from({ length: 1_000 }, (_, n) => ({
        sku: `N-${start + n}`,
        name: `Number\n${n}`,
        stock: n % 7,
      }));
      await service.ok('POST', '/api/v1/products/batch', { token, body: { create } });
    }
  });

  it('writes the bytes of the list, as CSV and as JSON lines', async () => {
    const path = await fileOf('older');
    const { out, stderr } = await save(path);
    expect([out, stderr]).toEqual([expect.stringMatching(/^3,006 rows exported, in /), '']);
    expect(await readFile(path, 'utf8')).toBe(await listed(service, 'text/csv'));
    expect(await readdir(dirname(path))).toEqual([basename(path)]);
    const lines = path.replace('.csv', '.jsonl');
    expect(JSON.parse((await save(lines, { json: true })).out)).toMatchObject({ rows: 3_006 });
    const records = (await readFile(lines, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records).toEqual(JSON.parse(await listed(service)).data);
    const whole = await exporting(service, transferApplication(), '-', { resource: 'Product' });
    expect(whole.out).toBe(await listed(service, 'text/csv'));
    expect(whole.stderr).toMatch(/^3,006 rows exported/);
  });

  it('takes the conditions of a list', async () => {
    const path = await fileOf('');
    const filters = ['stock=3', 'sku[starts_with]=N-1'];
    await save(path, { filters });
    const query = '?filter[stock]=3&filter[sku][starts_with]=N-1';
    expect(await readFile(path, 'utf8')).toBe(await listed(service, 'text/csv', query));
    await save(path, { filters: ['category.name=Tea'] });
    expect((await readFile(path, 'utf8')).split('\r\n')).toHaveLength(3);
    expect((await save(path, { filters: ['stok=3'] })).out).toMatch(/stok/);
    expect((await save(path, { filters: ['stock'] })).out).toMatch(/--filter is written like/);
    expect(await readFile(path, 'utf8')).not.toBe('');
  });

  it('goes on behind the last whole record, wherever it was cut', async () => {
    const path = await fileOf('');
    await save(path);
    const whole = await readFile(path, 'utf8');
    const bytes = Buffer.from(whole);
    const lines = path.replace('.csv', '.jsonl');
    await save(lines);
    const json = await readFile(lines);
    for (const [file, content] of [
      [path, bytes],
      [lines, json],
    ] as const)
      for (const cut of [0, 3, 200, 1_000, content.length / 2, content.length - 1, content.length]) {
        await interrupt(file, content.subarray(0, Math.floor(cut)));
        const { failed, stderr } = await save(file);
        expect([cut, failed, stderr !== '']).toEqual([cut, false, cut >= 1_000]);
        expect((await readFile(file)).equals(content), `cut at ${cut}`).toBe(true);
      }
    const zeros = Buffer.concat([bytes.subarray(0, 5_000), Buffer.alloc(4_096), bytes.subarray(9_096)]);
    await interrupt(path, zeros);
    expect((await save(path)).failed).toBe(false);
    expect((await readFile(path)).equals(bytes)).toBe(true);
    // The part of another export is none of this one.
    await interrupt(path, bytes.subarray(0, 5_000));
    await save(path, { filters: ['stock=3'] });
    expect(await readFile(path, 'utf8')).toBe(await listed(service, 'text/csv', '?filter[stock]=3'));
  });

  it('comes back as the same bytes from another database', async () => {
    const path = await fileOf('');
    await save(path);
    const first = await readFile(path, 'utf8');
    await using other = await startService(databases, { application: transferApplication() });
    await fill(other);
    const loaded = await importing(other, transferApplication(), path);
    expect([loaded.failed, loaded.out]).toEqual([false, expect.stringMatching(/^3,006 rows created/)]);
    expect(loaded.stderr.match(/\w+(?= is passed over)/g)).toEqual([
      'id',
      'user_id',
      'created_at',
      'updated_at',
    ]);
    await exporting(other, transferApplication(), path);
    expect(withoutOwn(await readFile(path, 'utf8'))).toBe(withoutOwn(first));
    const lines = path.replace('.csv', '.jsonl');
    await save(lines);
    await using third = await startService(databases, { application: transferApplication() });
    await fill(third);
    expect((await importing(third, transferApplication(), lines)).out).toMatch(/^3,006 rows created/);
    await exporting(third, transferApplication(), path);
    expect(withoutOwn(await readFile(path, 'utf8'))).toBe(withoutOwn(first));
  });
});
