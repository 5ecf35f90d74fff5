import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { callers } from '../../bench/callers.ts';
import type { Measured } from '../../bench/measure.ts';
import { bare } from '../../bench/peers/bare.ts';
import { checkAnswers, keysOf } from '../../bench/peers/check.ts';
import { type Installed, install } from '../../bench/peers/install.ts';
import type { Peer } from '../../bench/peers/peer.ts';
import { expectSame, normalize, productOf, rowCount } from '../../bench/peers/product.ts';
import { peers } from '../../bench/peers/registry.ts';
import { casesOver } from '../../bench/peers/rounds.ts';
import { openSession, type Session, signInAgain, startAgain } from '../../bench/peers/session.ts';
import { type Outcome, tables } from '../../bench/peers/table.ts';
import { versions } from '../../bench/peers/versions.ts';

const row = { id: 7, ...productOf(7) };
const moments = { created_at: '2026-01-01T00:00:00Z', updated_at: null };

describe('normalize', () => {
  it('takes names in either form, and moments in any', () => {
    const { released_at, ...others } = row;
    const camel = {
      ...others,
      releasedAt: new Date(released_at).getTime(),
      createdAt: '2026-01-01T08:00:00+08:00',
      updatedAt: '2026-01-01T00:00:00.000Z',
      documentId: 'x',
    };
    expect(normalize(camel)).toEqual(row);
  });

  it.each([
    ['a number as text', { price: '12.5' }, /price is no number: "12.5"/],
    ['a boolean as a number', { active: 1 }, /active is no boolean: 1/],
    ['a field that is not there', { category: undefined }, /category is no string/],
    ['a moment that is none', { released_at: 'soon' }, /released_at is no moment/],
    ['no word of when it was made', { created_at: undefined }, /created_at is no moment/],
    ['no word of changes', { updated_at: undefined }, /updated_at is no moment/],
  ])('normalize refuses %s', (_, change, message) => {
    expect(() => normalize({ ...row, ...moments, ...change })).toThrow(message);
  });

  it('names every field that differs', () => {
    expect(() => expectSame('record 7', { ...row, ...moments, stock: 1, rating: 2 }, row)).toThrow(
      `record 7: stock is 1 and not ${row.stock}, rating is 2 and not ${row.rating}`,
    );
    expect(() => expectSame('record 7', { ...row, ...moments }, row)).not.toThrow();
  });
});

describe('the rows', () => {
  it('the rows have numbers that every server stores exactly, each category, and both booleans', () => {
    const rows = Array.from({ length: rowCount }, (_, index) => productOf(index + 1));
    expect(
      rows.every(({ price, rating }) => Math.fround(price) === price && Math.fround(rating) === rating),
    ).toBe(true);
    expect(new Set(rows.map(({ category }) => category)).size).toBe(4);
    expect(new Set(rows.map(({ active }) => active)).size).toBe(2);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rowCount);
  });
});

describe('versions', () => {
  it('versions are exact, for every package of every peer', () => {
    const all = [...Object.values(versions), ...peers.flatMap(({ packages }) => Object.values(packages))];
    expect(all.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });
});

const measuredAt = (perSecond: number): Measured => ({
  ...{ perSecond, p50: 1.5, p99: 12.34, p999: 20, cpu: 1_250, databaseCpu: 0 },
  ...{ requests: 1, seconds: 1, failures: 0 },
});

const outcome = (name: string, rates: readonly number[]): Outcome => ({
  peer: { name, version: '1.0.0', asks: 'JWT', total: 'always' },
  node: '26.0.0',
  durability: { journal_mode: 'wal', synchronous: 2 },
  results: new Map([['detail', rates.map(measuredAt)]]),
  starts: [300, 100, 200],
  memory: { idle: 90e6, afterwards: 120.4e6 },
});

describe('tables', () => {
  const ours = outcome('ours', [1000, 4000, 3000]);
  const other = outcome('other', [500, 1000, 1000]);

  it('tables compare round with round, and give medians with quartiles', () => {
    const text = tables([ours, other], ['detail', 'create'], 'ours');
    expect(text).toContain('| ours | 1.0.0 | 3,000 (1,000 to 4,000) | – |');
    // 2, 4 and 3 times; the medians alone would be 3 to 1 as well, their quartiles not.
    expect(text).toContain('| other | 3.00 (2.00 to 4.00) | – |');
    expect(text).toContain('| other | 1.50 / 12.3 | – |');
    expect(text).toContain('| other | 1,250 | – |');
    expect(text).toContain('| ours | 200 | 90 | 120 | 26.0.0 | wal, full | JWT | always |');
  });

  it('tables keep a row, on one line, for one that could not be installed', () => {
    const gone: Outcome = { peer: other.peer, missing: 'npm ended with 1:\n  no | compiler' };
    const text = tables([ours, gone], ['detail', 'create'], 'ours');
    expect(text).toContain('| other | 1.0.0 | not installed: npm ended with 1: no \\| compiler | – |');
    expect(text.match(/\| other/g)).toHaveLength(1);
  });

  it('tables have as many cells in every line as in their head', () => {
    for (const table of tables([ours, other], ['detail'], 'ours').split('\n\n')) {
      const cells = table.split('\n').filter((line) => line.startsWith('|'));
      expect(new Set(cells.map((line) => line.split('|').length)).size).toBeLessThanOrEqual(1);
    }
  });
});

describe('the check of answers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-peers-test-'));
  const pages = [
    { page: 3, size: 20, total: true },
    { page: 1, size: 20, total: false },
  ];
  let installed: Installed;
  const opened: Session[] = [];
  beforeAll(async () => {
    installed = await install(folder, bare, rowCount);
  }, 60_000);
  afterEach(async () => {
    for (const { server } of opened.splice(0)) await server.stop();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const open = async (change = ''): Promise<Session> => {
    const session = await openSession(installed, mkdtempSync(join(folder, 'run-')));
    opened.push(session);
    const db = new DatabaseSync(join(session.folders.data, 'bare.db'));
    db.exec(change);
    db.close();
    return session;
  };

  it('passes where all is as the model says, and again after a start with older credentials', async () => {
    const session = await open();
    await expect(checkAnswers(session, pages, [1, 5_000, rowCount])).resolves.toBeUndefined();
    await session.server.stop();
    expect(await startAgain(session, 1)).toBeGreaterThan(0);
  });

  it.each([
    [
      'a value of a record',
      'update products set rating = 9 where id = 5000',
      /bare server, detail: .*rating is 9/,
    ],
    [
      'a value within a page',
      "update products set name = 'x' where id = 45",
      /bare server, page 3: record 5: name/,
    ],
    ['a row too few', 'delete from products where id = 10000', /page 3: the total is 9999/],
  ])('fails by %s that differs', async (_, change, message) => {
    const session = await open(change);
    await expect(checkAnswers(session, pages, [1, 5_000])).rejects.toThrow(message);
  });

  it('fails where a stranger is answered', async () => {
    const record = JSON.stringify({ data: { id: 1, ...productOf(1), ...moments } });
    const careless = createServer((_, response) => response.end(record)).listen(0, '127.0.0.1');
    await once(careless, 'listening');
    const { port } = careless.address() as AddressInfo;
    try {
      const checked = checkAnswers({ peer: bare, port, headers: {} }, [], [1]);
      await expect(checked).rejects.toThrow('bare server, a stranger: GET /products/1: 200');
    } finally {
      careless.closeAllConnections();
      careless.close();
    }
  });

  it('finds keys on pages, also once there are more rows', async () => {
    const session = await open(
      "insert into products select 20000, 'x', description, stock, price, rating, active, category, released_at, created_at, updated_at from products where id = 1",
    );
    const named = { ...session, peer: { ...bare, keyOf: (record: unknown) => normalize(record).name } };
    expect(await keysOf(named, [1, 45, rowCount])).toEqual([1, 45, rowCount].map((id) => productOf(id).name));
  });

  it('asks for what it measures with the credentials of each user in turn', async () => {
    const session = await open();
    expect(await signInAgain(session)).toBe(session);
    const signed = await signInAgain(session, performance.now() + 6 * 60_000);
    expect(signed.signedAt).toBeGreaterThan(session.signedAt);
    for (const one of casesOver([1, 2], pages.slice(0, 1))) {
      const requests = await one.requests(signed);
      const sent = requests.map((text) => /authorization: (.*)/.exec(text)?.[1]?.trim());
      const given = signed.callers.map((headers) => headers['authorization']);
      expect(sent).toEqual(requests.map((_, index) => given[index % callers]));
      expect(new Set(given).size).toBe(callers);
    }
  });

  it('leaves nothing of an earlier application, and keeps what is prepared', async () => {
    const prepared: number[] = [];
    const peer: Peer = {
      ...bare,
      ...{ name: 'prepared', application: 'feathers' },
      prepare: async ({ folder: own }, rows) => {
        expect(existsSync(join(own, 'src/index.mjs'))).toBe(true);
        expect(existsSync(join(own, 'made'))).toBe(false);
        writeFileSync(join(own, 'made'), 'by the preparation');
        prepared.push(rows.length);
        return { journal_mode: 'delete', synchronous: 2 };
      },
    };
    await install(folder, peer, 2);
    await install(folder, peer, 2);
    expect((await install(folder, peer, 3)).durability).toEqual({ journal_mode: 'delete', synchronous: 2 });
    expect(prepared).toEqual([2, 3]);
  });

  it('prepares once, and ends every process that it began', async () => {
    const session = await open();
    const { mtimeMs } = statSync(join(installed.folders.data, 'bare.db'));
    await install(folder, bare, rowCount);
    expect(statSync(join(installed.folders.data, 'bare.db')).mtimeMs).toBe(mtimeMs);
    const { pid } = session.server;
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toContain('bare-server.ts');
    await session.server.stop();
    expect(() => execFileSync('kill', ['-0', String(pid)], { stdio: 'ignore' })).toThrow();
  });
});
