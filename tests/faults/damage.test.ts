import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { run } from '../../src/cli/test-io.ts';
import { createTable, defineResource, field } from '../../src/index.ts';
import { describeDatabase } from '../support/databases.ts';
import { scrape } from '../support/scrape.ts';
import { type Service, startService } from '../support/service.ts';

const fields = { title: field.string({ required: true }), body: field.text() };

const application = {
  resources: [defineResource('Note', { fields })],
  migrations: {
    '0001-notes': {
      up: (db: Parameters<typeof createTable>[0], dialect: Parameters<typeof createTable>[1]) =>
        createTable(db, dialect, 'notes', { fields }),
    },
  },
};

const linesOf = (service: Service): readonly string[] =>
  service.lines.filter((line) => line.includes('the database is damaged'));

/** Expects a service that has met damage to say so wherever somebody may look. */
const expectDamageShown = async (service: Service, place: string): Promise<void> => {
  const ready = await service.get('/api/v1/health?ready');
  expect([ready.status, ready.json.code]).toEqual([503, 50_308]);
  expect((await service.get('/api/v1/health')).status).toBe(200);
  expect(linesOf(service)).toHaveLength(1);
  expect(JSON.parse(linesOf(service)[0] ?? '{}')).toMatchObject({ level: 50 });
  expect(linesOf(service)[0]).toContain(place);
  expect(linesOf(service)[0]).toContain('docs/reference/damage.md');
  expect((await scrape(service.server.metricsPort)).value('gatewright_database_damaged')).toBe(1);
};

describeDatabase('sqlite', 'a damaged page', (databases) => {
  const opened: Service[] = [];
  afterEach(async () => {
    for (const service of opened.splice(0)) await service.close();
  });
  const start = async (url: string): Promise<Service> => {
    const service = await startService(databases, { url, application, env: { METRICS_PORT: '0' } });
    opened.push(service);
    return service;
  };

  it('a damaged page is no outage that passes: 50001, not ready, a line, a metric, and a backup that names the table', async () => {
    const url = await databases.create();
    const path = url.slice('sqlite:'.length);
    const first = await start(url);
    const token = await first.admin();
    for (let n = 0; n < 30; n += 1)
      await first.ok('POST', '/api/v1/notes', {
        token,
        body: { note: { title: `t${n}`, body: 'marker '.repeat(200) } },
      });
    expect((await first.get('/api/v1/health?ready')).status).toBe(200);
    expect((await scrape(first.server.metricsPort)).value('gatewright_database_damaged')).toBe(0);
    const folder = await mkdtemp(join(tmpdir(), 'gatewright-damage-'));
    await first.close();
    opened.length = 0;

    const bytes = readFileSync(path);
    const size = bytes.readUInt16BE(16);
    const page = Math.floor(bytes.lastIndexOf('marker marker') / size) * size;
    bytes.fill(0xa7, page, page + 64);
    writeFileSync(path, bytes);

    const service = await start(url);
    const list = () => service.get('/api/v1/notes', { token });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const answer = await list();
      expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([
        500,
        50_001,
        undefined,
      ]);
    }
    await expectDamageShown(service, path);
    const copy = await run(['backup', join(folder, 'copy.db')], {
      env: { ...service.env, DATABASE_URL: url },
    });
    expect([copy.status, copy.stderr]).toEqual([1, expect.stringContaining('the table notes is damaged')]);
    await rm(folder, { recursive: true });
  });
});

describeDatabase('postgres', 'damaged data', (databases) => {
  it.each(['XX001', 'XX002'])('damaged data with %s is no outage that passes', async (code) => {
    const url = await databases.createForStart();
    const service = await startService(databases, { url, application, env: { METRICS_PORT: '0' } });
    try {
      const token = await service.admin();
      const place = 'invalid page in block 3 of relation base/16385/16403';
      const database = await databases.open(url);
      // The server itself raises the error that it has for a damaged page, since its files are out of reach here.
      for (const sql of [
        `create function damaged() returns trigger language plpgsql as
          $$ begin raise exception using errcode = '${code}', message = '${place}'; end $$`,
        'create trigger damaged before insert on notes for each row execute function damaged()',
      ])
        await database.execute({ sql, parameters: [] });
      await database.close();
      const answer = await service.post('/api/v1/notes', { token, body: { note: { title: 'x' } } });
      expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([
        500,
        50_001,
        undefined,
      ]);
      await expectDamageShown(service, place);
    } finally {
      await service.close();
    }
  });
});
