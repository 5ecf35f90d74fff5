import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migration, Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeDatabase } from '../support/databases.ts';
import type { Answer } from '../support/http-client.ts';
import { startService } from '../support/service.ts';

const fields = {
  sensor: field.string({ required: true, max: 40, index: true }),
  value: field.integer({ required: true }),
  user_id: field.owner(),
};

interface Reading {
  readonly id: number;
  readonly sensor: string;
  readonly value: number;
}

const models = [defineResource('Reading', { fields, events: true, isolation: true, ownership: true })];

const create: Migration = {
  up: async (db, dialect) => createTable(db, dialect, 'readings', { fields }),
};

/** The way of docs/guide/scaling.md: the table of before becomes the first part, and no row is copied. */
const divide: Migration = {
  up: async (db) => {
    const one = async (text: string): Promise<void> => void (await sql.raw(text).execute(db));
    await one('alter table readings rename to readings_0');
    await one('alter table readings_0 alter column id drop identity');
    await one('alter table readings_0 add constraint readings_0_ids check (id < 21)');
    await one(
      'create table readings (like readings_0 including defaults including indexes) partition by range (id)',
    );
    await one('alter table readings alter column id add generated always as identity (start with 13)');
    await one('alter table readings add foreign key (user_id) references users (id) on delete set null');
    await one('alter table readings attach partition readings_0 for values from (minvalue) to (21)');
    await one('create table readings_1 partition of readings for values from (21) to (41)');
    await one('create table readings_2 partition of readings default');
  },
};

describeDatabase('postgres', 'a table that a migration has divided', (databases) => {
  it('a table that a migration has divided is served as before: what it held, what comes, lists across its parts', async () => {
    const url = await databases.create();
    const start = (migrations: Migrations) =>
      startService(databases, { url, application: { resources: models, migrations } });
    const before = await start({ '0001_readings': create });
    const user = await before.createUser(['viewer']);
    const add = (service: typeof before, value: number): Promise<Reading> =>
      service.ok<Reading>('POST', '/api/v1/readings', {
        token: user,
        body: { reading: { sensor: `sensor ${value % 3}`, value } },
      });
    for (let value = 1; value <= 12; value += 1) await add(before, value);
    await before.close();

    await using after = await start({ '0001_readings': create, '0002_divide': divide });
    expect(after.lines.filter((line) => line.includes('models and database differ'))).toEqual([]);
    for (let value = 13; value <= 60; value += 1)
      expect(await add(after, value)).toMatchObject({ id: value, value });

    const seen: number[] = [];
    let path = '/api/v1/readings?per_page=7&sort=-id&after=';
    while (path !== '') {
      const page: Answer<Reading[]> = await after.get<Reading[]>(path, { token: user });
      expect(page.status).toBe(200);
      seen.push(...(page.json.data ?? []).map(({ id }) => id));
      path = /<[^>]*?(\/api\/v1\/readings[^>]*)>; rel="next"/.exec(String(page.headers['link']))?.[1] ?? '';
    }
    expect(seen).toEqual(Array.from({ length: 60 }, (_, index) => 60 - index));
    const filtered = await after.get<Reading[]>(
      '/api/v1/readings?filter%5Bsensor%5D=sensor%201&sort=value&per_page=5',
      {
        token: user,
      },
    );
    expect(filtered.headers['x-total-count']).toBe('20');
    expect((filtered.json.data ?? []).map(({ value }) => value)).toEqual([1, 4, 7, 10, 13]);

    const stranger = await after.createUser(['viewer']);
    for (const id of [5, 30, 55]) {
      const { headers } = await after.get(`/api/v1/readings/${id}`, { token: user });
      expect((await after.get(`/api/v1/readings/${id}`, { token: stranger })).status).toBe(404);
      const etag = String(headers['etag']);
      const change = (value: number) =>
        after.request('PATCH', `/api/v1/readings/${id}`, {
          token: user,
          headers: { 'if-match': etag },
          body: { reading: { value } },
        });
      expect((await change(1000)).status).toBe(200);
      expect((await change(1001)).status).toBe(412);
      expect((await after.delete(`/api/v1/readings/${id}`, { token: user })).status).toBe(200);
    }
    const database = await databases.open(url);
    const plan = await database.all<Record<string, string>>({
      sql: 'explain select * from readings where id = 30',
      parameters: [],
    });
    const touched = plan.map((row) => Object.values(row).join()).filter((line) => / on readings/.test(line));
    expect(touched).toHaveLength(1);
    expect(touched[0]).toContain('readings_1');
    // The indexes of the table of before have become parts of the indexes of the whole: nothing was built again.
    const indexes = await database.all<{ name: string }>({
      sql: `select indexname as name from pg_indexes where tablename = 'readings_0' order by 1`,
      parameters: [],
    });
    expect(indexes.map(({ name }) => name)).toEqual(['readings_pkey', 'readings_sensor', 'readings_user_id']);
  });
});
