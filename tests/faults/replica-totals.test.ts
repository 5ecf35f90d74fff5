import pg from 'pg';
import { expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { systemGrant } from '../../src/policy/system-grant.ts';
import { createList } from '../../src/records/list/list.ts';
import { startReplicated } from '../support/replica.ts';
import { createThings, emptyThing, insertThings, thingFields, thingSource } from '../support/things.ts';

const grant = systemGrant(thingFields);

/** A session with a transaction that has done something. */
const under = async (url: string, sql: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query(sql);
  return client;
};

it('a total on a replica follows a commit between transactions that go on', async () => {
  const servers = await startReplicated();
  const { primary, replica } = servers;
  const written = await openDatabase(primary.url);
  const read = await openDatabase(replica.url);
  const clients: pg.Client[] = [];
  try {
    await createThings(written);
    await insertThings(
      written,
      Array.from({ length: 6001 }, (_, index) => ({ ...emptyThing, id: index + 1 })),
    );
    await written.execute({ sql: 'create table others (id integer)', parameters: [] });
    const other = 'insert into others values (1)';
    for (const sql of [other, 'delete from things where id <= 5', other])
      clients.push(await under(primary.url, sql));
    const rows = () => replica.query<{ rows: string }>('select count(*) as rows from things');
    // The replica knows of them once something behind them has reached it.
    await written.execute({ sql: 'insert into others values (2)', parameters: [] });
    await vi.waitFor(
      async () => expect(await replica.query('select id from others where id = 2')).toHaveLength(1),
      10_000,
    );
    let now = 0;
    const list = createList(read, thingSource, { clock: () => now });
    const total = async () => {
      now += 1;
      return (await list(grant, { query: 'page=1', path: '/things' })).headers['X-Total-Count'];
    };
    for (let times = 0; times < 3; times += 1) expect(await total()).toBe('6001');
    await clients[1]?.query('commit');
    await vi.waitFor(async () => expect((await rows())[0]?.rows).toBe('5996'), 10_000);
    expect(await total()).toBe('5996');
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await Promise.all([read.close(), written.close()]);
    await servers.close();
  }
}, 90_000);
