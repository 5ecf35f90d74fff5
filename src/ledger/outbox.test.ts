import { expect, it } from 'vitest';
import { describeEachDatabase } from '../../tests/support/databases.ts';
import { createApplication } from '../app/application.ts';
import { applyMigrations } from '../app/migrate.ts';
import type { Database, OpenDatabase, Query } from '../database/database.ts';
import { sql } from '../database/statement.ts';
import { databaseTarget } from '../database/targets.ts';
import { jobCommands } from '../delivery/jobs/commands.ts';
import { createSchedules } from '../delivery/jobs/schedules/schedules.ts';
import { systemClock } from '../kernel/clock.ts';
import { systemGrant } from '../policy/system-grant.ts';
import type { Actor } from './audit.ts';
import { createExecutor, type EntityCommand } from './command.ts';
import { type NewJob, Outbox } from './outbox.ts';

const job = (of: Partial<NewJob> = {}): NewJob => ({
  name: 'mail',
  key: null,
  input: {},
  at: undefined,
  ...of,
});
const names = ['mail', 'report'];
const lease = 30_000;

describeEachDatabase('the outbox', (databases) => {
  const migrated = async (): Promise<OpenDatabase> => {
    const url = await databases.create();
    await applyMigrations(databaseTarget(url), createApplication({}));
    return databases.open(url);
  };
  const administrationOf = (database: Database) => {
    const execute = createExecutor({ database, clock: systemClock });
    const { repeat, remove } = jobCommands({ leaseMs: lease, wake: () => {} });
    const run = (command: EntityCommand) => (id: number, actor: Actor) =>
      execute(command, actor, { id, values: {}, params: {}, grant: systemGrant([]) });
    return { repeat: run(repeat), remove: run(remove) };
  };
  const outboxOf = (database: Database, length = lease) => new Outbox(database, names, length);
  const rows = (
    database: Database,
  ): Promise<{ state: string; attempts: number; key: string; error: string }[]> =>
    database.all({
      sql: 'select state, attempts, key, error from gatewright_jobs order by id',
      parameters: [],
    });

  it('holds what a transaction stored once it is committed, and nothing where it is rolled back', async () => {
    const database = await migrated();
    const outbox = outboxOf(database);
    const undone = database.write(async (transaction) => {
      await outbox.add(job(), transaction);
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    expect(await outbox.claim('mail', 5, 'a')).toEqual([]);
    const id = await database.write((transaction) => outbox.add(job({ input: { to: 'x' } }), transaction));
    expect(await outbox.claim('mail', 5, 'a')).toEqual([
      { id, name: 'mail', input: { to: 'x' }, attempts: 1, lease: 'a' },
    ]);
    expect(await outbox.claim('mail', 5, 'b')).toEqual([]);
  });

  it('holds one job for a key while it waits, however many add it at once', async () => {
    const database = await migrated();
    const outbox = outboxOf(database);
    const alone = Array.from({ length: 25 }, () => outbox.add(job({ key: 'k' })));
    const within = Array.from({ length: 25 }, () =>
      database.write((transaction) => outbox.add(job({ key: 'k' }), transaction)),
    );
    const ids = new Set(await Promise.all([...alone, ...within]));
    expect(ids.size).toBe(1);
    expect(await outbox.add(job({ key: 'other' }))).not.toBe([...ids][0]);
    expect(await outbox.add(job({ name: 'report', key: 'k' }))).not.toBe([...ids][0]);
    const [first] = await outbox.claim('mail', 1, 'a');
    // It waits no more.
    expect(ids.has(await outbox.add(job({ key: 'k' })))).toBe(false);
    expect(first?.attempts).toBe(1);
  });

  it('holds back the job that waits under a key until the transaction that counts on it is over', async () => {
    const database = await migrated();
    const outbox = outboxOf(database);
    const id = await outbox.add(job({ key: 'k' }));
    const early: unknown[] = [];
    await database.write(async (transaction) => {
      expect(await outbox.add(job({ key: 'k' }), transaction)).toBe(id);
      // A run that began now would not see what this transaction writes.
      const claim = outbox.claim('mail', 1, 'a').then((jobs) => early.push(...jobs));
      // One write comes after the other on SQLite: this claim begins behind the commit.
      if (databases.dialect === 'postgres') await claim;
    });
    if (databases.dialect === 'postgres') {
      expect(early).toEqual([]);
      expect(await outbox.claim('mail', 1, 'b')).toMatchObject([{ id }]);
    } else await expect.poll(() => early).toMatchObject([{ id }]);
  });

  it('stores another one where the job under its key begins to run meanwhile', async () => {
    const database = await migrated();
    const outbox = outboxOf(database);
    const id = await outbox.add(job({ key: 'k' }));
    let runs = 0;
    const added = await database.write(async (transaction) => {
      runs += 1;
      await transaction.get({ sql: 'select count(*) from gatewright_jobs', parameters: [] });
      if (runs === 1 && databases.dialect === 'postgres') await outbox.claim('mail', 1, 'a');
      return outbox.add(job({ key: 'k' }), transaction);
    });
    if (databases.dialect === 'postgres') expect(added).not.toBe(id);
    else expect(added).toBe(id);
  });

  it('the outbox has a job that failed run again although another one waits under its key', async () => {
    const database = await migrated();
    const outbox = outboxOf(database);
    await outbox.add(job({ key: 'k' }));
    const [first] = await outbox.claim('mail', 1, 'a');
    if (first === undefined) throw new Error('nothing was claimed');
    await outbox.add(job({ key: 'k' }));
    expect(await outbox.retry(first, 0, { error: 'broken' })).toBe(true);
    expect((await rows(database)).map(({ state, key, error }) => [state, key, error])).toEqual([
      ['waiting', null, 'broken'],
      ['waiting', 'k', null],
    ]);
    expect(await outbox.claim('mail', 5, 'b')).toHaveLength(2);
  });

  it('gives a job to others once its lease is over, and takes no result of who lost it', async () => {
    const database = await migrated();
    const outbox = outboxOf(database, 300);
    await outbox.add(job());
    const [lost] = await outbox.claim('mail', 1, 'a');
    if (lost === undefined) throw new Error('nothing was claimed');
    expect((await outbox.next()).get('mail')?.wait).toBeGreaterThan(0);
    expect(await outbox.extend([lost])).toEqual(new Set([lost.id]));
    await expect.poll(async () => (await outbox.next()).get('mail')?.wait).toBeLessThanOrEqual(0);
    const [taken] = await outbox.claim('mail', 1, 'b');
    if (taken === undefined) throw new Error('nothing was claimed');
    expect([taken.id, taken.attempts]).toEqual([lost.id, 2]);
    expect(await outbox.finish(lost)).toBe(false);
    expect(await outbox.retry(lost, 0, { error: 'late' })).toBe(false);
    expect(await outbox.fail(lost, { error: 'late' })).toBe(false);
    expect(await outbox.release(lost)).toBe(false);
    expect(await outbox.extend([lost])).toEqual(new Set());
    expect(await outbox.extend([lost, taken])).toEqual(new Set([taken.id]));
    // The same process came back: the attempt tells one run from the other.
    expect(await outbox.finish({ ...lost, lease: 'b' })).toBe(false);
    expect(await outbox.finish(taken)).toBe(true);
    expect(await rows(database)).toEqual([]);
  });

  it('the outbox has a job that was given back run at once, without counting the run', async () => {
    const database = await migrated();
    const outbox = outboxOf(database);
    await outbox.add(job());
    const [first] = await outbox.claim('mail', 1, 'a');
    if (first === undefined) throw new Error('nothing was claimed');
    expect(await outbox.release(first)).toBe(true);
    expect(await outbox.claim('mail', 1, 'b')).toMatchObject([{ id: first.id, attempts: 1 }]);
  });

  it('says when something is next, and runs what is due in its order', async () => {
    const database = await migrated();
    const outbox = outboxOf(database);
    expect([...(await outbox.next())]).toEqual([]);
    await outbox.add(job({ at: new Date(Date.now() + 3_600_000).toISOString(), input: { n: 1 } }));
    const next = (await outbox.next()).get('mail')?.wait ?? 0;
    expect(next).toBeGreaterThan(3_590_000);
    expect(next).toBeLessThan(3_601_000);
    await outbox.add(job({ at: '2020-01-02T00:00:00.000Z', input: { n: 2 } }));
    await outbox.add(job({ at: '2020-01-01T00:00:00.000Z', input: { n: 3 } }));
    await outbox.add(job({ name: 'of another deploy', at: '2019-01-01T00:00:00.000Z' }));
    expect((await outbox.claim('mail', 1, 'a')).map(({ input }) => input)).toEqual([{ n: 3 }]);
    expect((await outbox.claim('mail', 5, 'a')).map(({ input }) => input)).toEqual([{ n: 2 }]);
    expect((await outbox.waiting()).map(({ name, due }) => [name, due])).toEqual([
      ['of another deploy', true],
      ['mail', false],
    ]);
  });

  it('lets administrators repeat and delete what does not run, and writes that down', async () => {
    const database = await migrated();
    const outbox = outboxOf(database);
    const administration = administrationOf(database);
    const actor = { principal: 'command line', address: null } as const;
    const id = await outbox.add(job({ key: 'k' }));
    const [first] = await outbox.claim('mail', 1, 'a');
    if (first === undefined) throw new Error('nothing was claimed');
    await expect(administration.repeat(id, actor)).rejects.toMatchObject({ problem: 'job_running' });
    await expect(administration.remove(id, actor)).rejects.toMatchObject({ problem: 'job_running' });
    await expect(administration.remove(id + 1, actor)).rejects.toMatchObject({ problem: 'record_not_found' });
    await outbox.fail(first, { error: 'broken' });
    const other = await outbox.add(job({ key: 'k' }));
    await expect(administration.repeat(id, actor)).rejects.toMatchObject({ problem: 'conflict' });
    await administration.remove(other, actor);
    await administration.repeat(id, actor);
    expect(await outbox.claim('mail', 5, 'b')).toMatchObject([{ id, attempts: 1 }]);
    const audit = await database.all({
      sql: 'select action, target_kind, target_id, target_name from audit order by id',
      parameters: [],
    });
    expect(audit).toEqual([
      { action: 'job.delete', target_kind: 'job', target_id: String(other), target_name: 'mail' },
      { action: 'job.repeat', target_kind: 'job', target_id: String(id), target_name: 'mail' },
    ]);
  });

  it('lets administrators repeat and delete a job whose lease lies further ahead than it can, and one that is over', async () => {
    const database = await migrated();
    const outbox = outboxOf(database);
    const administration = administrationOf(database);
    const actor = { principal: 'command line', address: null } as const;
    for (const ahead of [2 * 86_400_000, -1_000]) {
      const id = await outbox.add(job({ key: 'k' }));
      const leaseEnds = (milliseconds: number) =>
        database.execute({
          sql: `update gatewright_jobs set available_at = '${new Date(Date.now() + milliseconds).toISOString()}'`,
          parameters: [],
        });
      await outbox.claim('mail', 1, 'a');
      await leaseEnds(lease - 5_000);
      await expect(administration.repeat(id, actor)).rejects.toMatchObject({ problem: 'job_running' });
      await leaseEnds(ahead);
      // Another one waits under its key.
      const other = await outbox.add(job({ key: 'k' }));
      await administration.repeat(id, actor);
      await administration.remove(other, actor);
      expect(await outbox.claim('mail', 5, 'b')).toMatchObject([{ id, attempts: 2 }]);
      await expect(administration.remove(id, actor)).rejects.toMatchObject({ problem: 'job_running' });
      await leaseEnds(ahead);
      await administration.remove(id, actor);
    }
  });

  it('gives each tick of a schedule to one', async () => {
    const database = await migrated();
    const schedules = createSchedules(database);
    await schedules.register('report', '0 3 * * * UTC');
    const {
      now,
      schedules: [schedule],
    } = await schedules.read();
    if (schedule === undefined) throw new Error('there is no schedule');
    expect(schedule.ticked).toBeGreaterThan(now - 60_000);
    const take = () => database.write((transaction) => schedules.take(transaction, schedule, now + 5_000));
    const taken = await Promise.all(Array.from({ length: 10 }, take));
    expect(taken.filter(Boolean)).toHaveLength(1);
    await schedules.register('report', '0 3 * * * UTC');
    expect((await schedules.read()).schedules).toEqual([
      { name: 'report', ticked: now + 5_000, paused: false },
    ]);
    await schedules.register('report', '0 4 * * * UTC');
    expect((await schedules.read()).schedules[0]?.ticked).toBeLessThan(now + 5_000);
  });

  it('claims by an index range, however many jobs have failed or wait for later', {
    timeout: 120_000,
  }, async () => {
    const database = await migrated();
    const { dialect } = database;
    const numbers = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000)';
    const fill = sql`insert into gatewright_jobs (name, input, state, attempts, available_at, created_at)
      ${sql.raw(numbers)} select 'mail', '{}', case when i % 10 = 0 then 'waiting' else 'failed' end, 8,
      case when i % 10 = 0 then ${dialect.later(sql`(3600000 + i)`)} end, ${dialect.now} from n`;
    await database.execute({ ...fill.compile(dialect.builder), parameters: [] });
    await database.execute({ sql: 'analyze', parameters: [] });
    const asked: Query[] = [];
    const recording: Database = Object.assign(Object.create(database), {
      execute: (query: Query) => {
        asked.push(query);
        return database.execute(query);
      },
      all: (query: Query) => {
        asked.push(query);
        return database.all(query);
      },
    });
    const outbox = outboxOf(recording);
    const id = await outbox.add(job());
    asked.length = 0;
    const begun = performance.now();
    for (let time = 0; time < 20; time += 1)
      expect(await outbox.claim('mail', 5, 'a')).toHaveLength(time === 0 ? 1 : 0);
    await outbox.next();
    const milliseconds = performance.now() - begun;
    expect(await rows(database).then((all) => all.length)).toBe(1_000_001);
    expect(id).toBeGreaterThan(0);
    const explain = databases.dialect === 'sqlite' ? 'explain query plan ' : 'explain ';
    for (const query of [asked[0], asked.at(-1)]) {
      const plan = JSON.stringify(
        await database.all({ sql: explain + query?.sql, parameters: query?.parameters ?? [] }),
      );
      expect(plan).toContain('gatewright_jobs_due');
      expect(plan).not.toMatch(/Seq Scan on gatewright_jobs|SCAN gatewright_jobs(?! USING INDEX)/);
    }
    // 21 of them; a scan of the table takes longer each time.
    expect(milliseconds).toBeLessThan(2_000);
  });
});
