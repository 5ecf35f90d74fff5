import pg from 'pg';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { describeDatabase } from '../support/databases.ts';
import { papers } from '../support/papers.ts';
import { type TestUser, useService } from '../support/service.ts';

describeDatabase('postgres', 'a table that somebody has locked', (databases) => {
  const tables = ['papers', 'memos'];
  const service = useService(databases, {
    env: { LOG_LEVEL: 'warn', DATABASE_POOL: '6' },
    application: papers,
  });
  let user: TestUser;
  let locker: pg.Client;

  beforeAll(async () => {
    user = await service.createUser();
    for (const path of tables)
      await service.ok('POST', `/api/v1/${path}`, {
        token: user,
        body: { [path.slice(0, -1)]: { title: 'one' } },
      });
  });
  afterEach(() => locker.end());

  const lock = async (sql: string): Promise<void> => {
    locker = new pg.Client({ connectionString: service.env['DATABASE_URL'] ?? '' });
    await locker.connect();
    await locker.query('begin');
    await locker.query(sql);
  };

  /** Asks again and again while the lock lasts; returns the statuses, and the longest time of one. */
  const during = async (locked: Promise<unknown>, ask: () => Promise<{ status: number }>) => {
    let over = false;
    void locked.finally(() => {
      over = true;
    });
    const statuses = new Set<number>();
    let slowest = 0;
    while (!over) {
      const started = performance.now();
      statuses.add((await ask()).status);
      slowest = Math.max(slowest, performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return { statuses: [...statuses], slowest };
  };

  const write = (key?: string) =>
    service.post('/api/v1/papers', {
      token: user,
      body: { paper: { title: 'two' } },
      ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
    });

  it('costs those who want it, and no others', async () => {
    await lock('lock table papers in access exclusive mode');
    const started = performance.now();
    const refused = Promise.all([
      ...Array.from({ length: 30 }, () => service.get('/api/v1/papers/1')),
      ...Array.from({ length: 30 }, () => service.get('/api/v1/papers?page=1')),
      ...Array.from({ length: 15 }, () => write()),
      ...Array.from({ length: 15 }, (_, index) => write(`key-${index}-of-this-test`)),
    ]).then((answers) => [...new Set(answers.map(({ status, json }) => `${status} ${json.code}`))]);
    const me = during(refused, () => service.get('/api/v1/auth/me', { token: user }));
    const memo = during(refused, () => service.get('/api/v1/memos/1', { token: user }));
    const written = during(refused, () =>
      service.post('/api/v1/memos', { token: user, body: { memo: { title: 'x' } } }),
    );
    expect(await refused).toEqual(['503 50300']);
    const lasted = performance.now() - started;
    for (const { statuses, slowest } of [await me, await memo]) {
      expect(statuses).toEqual([200]);
      expect(slowest).toBeLessThan(1_500);
    }
    expect((await written).statuses).toEqual([201]);
    expect((await written).slowest).toBeLessThan(1_500);
    expect(lasted).toBeGreaterThan(2_500);
    expect(lasted).toBeLessThan(10_000);
    await locker.query('rollback');
    expect((await service.get('/api/v1/papers/1')).status).toBe(200);
    expect((await write()).status).toBe(201);
  }, 30_000);

  it('keeps the writes of one row waiting for 3 s, and goes on', async () => {
    await lock('select 1 from papers where id = 1 for update');
    const update = (id: number) =>
      service.request('PATCH', `/api/v1/papers/${id}`, { token: user, body: { paper: { title: 'new' } } });
    const started = performance.now();
    expect((await update(1)).status).toBe(503);
    expect(performance.now() - started).toBeGreaterThan(2_800);
    const late = update(1);
    await locker.query('rollback');
    expect((await late).status).toBe(200);
  }, 30_000);
});
