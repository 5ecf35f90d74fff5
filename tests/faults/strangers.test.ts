import { connect, type Socket } from 'node:net';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { papers } from '../support/papers.ts';
import { Service, type TestUser } from '../support/service.ts';

/** 16 MB as a whole list: more than what the sockets of a connection hold. */
const rows = 16_000;
const fill = {
  sqlite: `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
    insert into papers (title, live, created_at, updated_at)
    select hex(zeroblob(500)), true, '2024-01-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z' from n`,
  postgres: `insert into papers (title, live, created_at, updated_at)
    select repeat('0', 1000), true, '2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z' from generate_series(1, ${rows})`,
};

describeEachDatabase('strangers', (databases) => {
  const sockets: Socket[] = [];
  let service: Service;
  let viewer: TestUser;

  beforeAll(async () => {
    service = await new Service(databases, {
      env: { TRUST_PROXY: '1', LOG_LEVEL: 'warn' },
      application: papers,
    }).start();
    const { database } = service.server.services;
    const sql = fill[databases.dialect];
    await database.execute({ sql, parameters: [] });
    await database.execute({ sql: sql.replace('papers', 'memos'), parameters: [] });
    viewer = await service.createUser();
    return () => service.close();
  }, 60_000);
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  /** Asks for the whole list and reads nothing of it but the head of an answer. */
  const unread = (address: string): { readonly head: Promise<string> } => {
    const socket = connect(service.port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    socket.write(`GET /api/v1/papers HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n\r\n`);
    const head = new Promise<string>((resolve) => {
      socket.once('data', (bytes) => {
        socket.pause();
        resolve(bytes.toString('latin1', 0, 12));
      });
    });
    return { head };
  };

  it('strangers who do not read leave a signed-in caller his whole list, and lose theirs when others wait', async () => {
    const readers = Array.from({ length: 8 }, (_, index) => unread(`203.0.113.${index >> 1}`));
    const heads = await Promise.all(readers.slice(0, 6).map(({ head }) => head));
    expect(heads).toEqual(Array.from({ length: 6 }, () => 'HTTP/1.1 200'));
    const started = performance.now();
    const whole = await service.get<readonly unknown[]>('/api/v1/memos', { token: viewer });
    expect([whole.status, whole.json.data?.length]).toEqual([200, rows]);
    // The two strangers more get the places of two who did not read, 5 s after these had stopped.
    const late = await Promise.all(readers.slice(6).map(({ head }) => head));
    expect(late).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(service.lines.join()).toContain('Too little of the stream was read while another one waited');
  }, 30_000);

  it('strangers who crowd a public list leave it to a signed-in caller of their own network', async () => {
    const crowd = Array.from({ length: 20 }, () => unread('203.0.113.9'));
    await Promise.race(crowd.map(({ head }) => head));
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const whole = await service.get<readonly unknown[]>('/api/v1/papers', { token: viewer, headers });
    expect([whole.status, whole.json.data?.length]).toEqual([200, rows]);
  }, 30_000);

  it('strangers of one network have two places, however its addresses are written, and wait for a third', async () => {
    const before = service.lines.length;
    const cuts = () => service.lines.slice(before).join().split('Too little of the stream').length - 1;
    const [one, two] = [unread('2001:db8::1'), unread('2001:db8:0:0:ffff::1')];
    await Promise.all([one.head, two.head]);
    const third = unread('2001:db8::2');
    const other = unread('2001:db8:0:1::1');
    expect(await other.head).toBe('HTTP/1.1 200');
    expect(cuts()).toBe(0);
    expect(await third.head).toBe('HTTP/1.1 200');
    expect(cuts()).toBeGreaterThan(0);
  }, 30_000);

  it('strangers who search do not keep others waiting', async () => {
    const searches = Array.from({ length: 40 }, (_, index) =>
      service
        .get(`/api/v1/papers?q=nothing${index}&page=1`, {
          headers: { 'x-forwarded-for': `203.0.113.${index % 4}` },
        })
        .then(({ status }) => status),
    );
    const started = performance.now();
    expect((await service.get('/api/v1/auth/me', { token: viewer })).status).toBe(200);
    const search = await service.get('/api/v1/memos?q=something&page=1', { token: viewer });
    expect([search.status, search.headers['x-total-count']]).toEqual([200, '0']);
    const waited = performance.now() - started;
    const statuses = await Promise.all(searches);
    expect(new Set(statuses)).toEqual(new Set([200]));
    // A known caller's search came before the strangers' who still waited.
    expect(waited).toBeLessThan((performance.now() - started) * 0.7);
  }, 30_000);
});
