import { expect, it, onTestFinished } from 'vitest';
import { migrateAll } from '../../src/database/migrations/runner.ts';
import { checksumDifferences, tableChecksums } from '../../src/database/table-checksum.ts';
import { databaseTarget } from '../../src/database/targets.ts';
import { takeWrites } from '../../src/upkeep/backup/move/fence.ts';
import { startChild } from '../support/child.ts';
import { type Databases, describeDatabase } from '../support/databases.ts';
import { moveApplication, moveTo } from '../support/move-application.ts';
import { type Service, startService } from '../support/service.ts';

const rows = 20_000;

const start = async (databases: Databases): Promise<Service> => {
  const service = await startService(databases, { application: moveApplication(), env: { JOBS: 'off' } });
  onTestFinished(() => service.close());
  return service;
};

/** Many records, straight into the database. */
const addMany = async (databases: Databases, url: string): Promise<void> => {
  const database = await databases.open(url);
  const at = `'2024-01-01T00:00:00.000Z'`;
  await database.execute({
    sql: `insert into samples (title, body, created_at, updated_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
      select 'title ' || i, 'a body that takes some room in a batch, again and again and again ' || i, ${at}, ${at} from n`,
    parameters: [],
  });
  await database.close();
};

const checksums = (url: string) => databaseTarget(url).snapshot((snapshot) => tableChecksums(snapshot));

const pairs = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
] as const;

for (const [from, to] of pairs)
  describeDatabase(from, `a move to ${to}`, (sources) =>
    describeDatabase(to, '', (destinations) => {
      it('a move that is killed again and again goes on where it was, and is equal', async () => {
        const service = await start(sources);
        const source = service.env['DATABASE_URL'] ?? '';
        await addMany(sources, source);
        const destination = await destinations.create();
        const data = service.env['DATA_DIR'] ?? '';
        const kills: string[] = [];
        // Behind the first, the fifth, the ninth … thing that it says, until it has come to its end.
        for (let after = 1; ; after += 4) {
          const {
            lines,
            exited,
            process: child,
          } = startChild('faults/children/move-killed.ts', [source, destination, data], {
            env: { BASE_URL: '' },
          });
          let said = 0;
          let last = '';
          for await (const line of lines) {
            last = line;
            said += 1;
            if (said === after) child.kill('SIGKILL');
          }
          await exited;
          if (child.signalCode !== 'SIGKILL') {
            expect(last).toContain('"done":');
            break;
          }
          kills.push(last);
          // Reads go on, writes do not: what is copied stays what it was.
          const token = await service.admin();
          expect((await service.get('/api/v1/samples/1', { token })).status).toBe(200);
          if (!last.includes('waiting'))
            expect(
              (await service.post('/api/v1/samples', { token, body: { sample: { title: 'late' } } })).status,
            ).toBe(503);
          if (kills.length === 5) {
            await moveTo(source, destination, data);
            break;
          }
        }
        expect(kills.length).toBeGreaterThan(2);
        const { gatewright_moved: _, ...wanted } = await checksums(source);
        expect(checksumDifferences(wanted, await checksums(destination))).toEqual([]);
        expect(wanted['samples']?.rows).toBe(rows);
      }, 60_000);

      it('a move under load loses no write that was acknowledged, and one that is given up leaves the source as it was', async () => {
        const service = await start(sources);
        const second = await service.secondInstance();
        const source = service.env['DATABASE_URL'] ?? '';
        const data = service.env['DATA_DIR'] ?? '';
        const token = await service.admin();
        const acknowledged = new Set<number>();
        const statuses = new Set<number>();
        let stop = false;
        const writer = async (to: Service): Promise<void> => {
          while (!stop) {
            const { status, json } = await to.post<{ id: number }>('/api/v1/samples', {
              token,
              body: { sample: { title: 'load' } },
            });
            statuses.add(status);
            if (status === 201) acknowledged.add(Number(json.data?.id));
          }
        };
        const load = (): Promise<void>[] => [service, second, service, second].map(writer);
        let writers = load();
        await expect.poll(() => acknowledged.size, { timeout: 10_000 }).toBeGreaterThan(30);
        const destination = await destinations.create();
        await moveTo(source, destination, data);
        stop = true;
        await Promise.all(writers);
        const database = await destinations.open(destination);
        const idsIn = async () =>
          (await database.all<{ id: number }>({ sql: 'select id from samples', parameters: [] })).map(
            ({ id }) => Number(id),
          );
        expect(new Set(await idsIn())).toEqual(acknowledged);
        const events = await database.all<{ record_id: number }>({
          sql: 'select record_id from gatewright_events order by id',
          parameters: [],
        });
        expect(events.length).toBe(acknowledged.size);
        const [inbox] = await database.all<{ count: number }>({
          sql: 'select count(*) as count from gatewright_event_inbox',
          parameters: [],
        });
        expect(Number(inbox?.count)).toBe(0);
        expect([...statuses].sort()).toEqual([201, 503]);

        await takeWrites(databaseTarget(source));
        stop = false;
        writers = load();
        const before = acknowledged.size;
        await expect.poll(() => acknowledged.size, { timeout: 10_000 }).toBeGreaterThan(before + 10);
        stop = true;
        await Promise.all(writers);
      }, 60_000);

      it('a move of a value that cannot be held names it, and the source takes writes again', async () => {
        const service = await start(sources);
        const source = service.env['DATABASE_URL'] ?? '';
        const data = service.env['DATA_DIR'] ?? '';
        const database = await sources.open(source);
        const wrong = { sqlite: `update samples set title = 'a' || char(0) || 'b'`, postgres: undefined }[
          from
        ];
        const token = await service.admin();
        const { id } = await service.ok<{ id: number }>('POST', '/api/v1/samples', {
          token,
          body: { sample: { title: 'x' } },
        });
        const destination = await destinations.create();
        if (wrong !== undefined) {
          await database.execute({ sql: wrong, parameters: [] });
          await expect(moveTo(source, destination, data)).rejects.toThrow(
            `samples, id ${id}: title holds the character NUL`,
          );
          await service.ok('PATCH', `/api/v1/samples/${id}`, { token, body: { sample: { title: 'y' } } });
        }
        await database.execute({ sql: 'create table stranger (id integer primary key)', parameters: [] });
        await expect(moveTo(source, await destinations.create(), data)).rejects.toThrow(
          'no migration makes what the database has: stranger',
        );
        await database.execute({ sql: 'drop table stranger', parameters: [] });
        expect((await moveTo(source, destination, data)).checksums['samples']?.rows).toBe(1);
        const application = moveApplication();
        const later = { ...application.migrations, '0003_later': { up: async () => {} } };
        await expect(
          moveTo(source, destination, data, () => {}, { ...application, migrations: later }),
        ).rejects.toThrow('run `gatewright migrate` first');
        await takeWrites(databaseTarget(source));
        await migrateAll(databaseTarget(source), [{ migrations: later, tableName: 'migrations' }]);
        await expect(moveTo(source, destination, data)).rejects.toThrow('newer release');
      }, 60_000);
    }),
  );
