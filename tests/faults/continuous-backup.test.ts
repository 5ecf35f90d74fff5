import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { hasDebianPostgres, runDebianProgram, startDebianPostgres } from '../support/debian-postgres.ts';
import { createPostgresDatabase } from '../support/postgres.ts';
import { command, type RunningService, runService } from '../support/run-service.ts';
import { post, type SignedIn, signIn } from '../support/signed-in.ts';
import { root } from '../tour/service.ts';

const shop = join(root, 'examples/shop');
const deploy = (name: string): string => join(root, 'docs/deploy', name);

/** Continuous integration has what a test needs (.ci/run); elsewhere it runs where it can. */
const where = (possible: boolean) => (possible || process.env['CI'] !== undefined ? it : it.skip);
const hasLitestream = spawnSync('litestream', ['version']).status === 0;

/** A folder of the test's, and the shop that runs on databases in it or elsewhere, with one set of secrets. */
const prepare = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-continuous-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const env = {
    ...{ JWT_SECRET: 'x'.repeat(32), PAY_SECRET: 'between the two of us', LOCALE: 'en' },
    ...{ MAIL_DIR: join(directory, 'mail'), DATA_DIR: join(directory, 'data'), JOBS: 'off' },
    CREDENTIALS_FILE: join(directory, 'credentials.age'),
    CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
  };
  const start = (url: string): Promise<RunningService> =>
    runService([...command, 'start'], { folder: shop, env: { ...env, DATABASE_URL: url } });
  /** The output of a command that succeeds. */
  const gatewright = (words: readonly string[], url: string): string => {
    const [program = '', ...args] = [...command, ...words];
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: shop,
      env: { PATH: process.env['PATH'], ...env, DATABASE_URL: url },
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, expect.anything()]);
    return stdout;
  };
  return { directory, start, gatewright };
};

const apiOf = ({ port }: RunningService): string => `http://127.0.0.1:${port}/api/v1`;

/** Creates customers, and returns the names that were acknowledged. */
const addCustomers = async ({ api, token }: SignedIn, prefix: string, count: number): Promise<string[]> => {
  const names: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const name = `${prefix} ${n}`;
    const customer = { name, email: `${prefix}${n}@example.com`, address: '1 Road' };
    expect((await post(`${api}/customers`, { customer }, token)).status).toBe(201);
    names.push(name);
  }
  return names;
};

const customersOf = async (service: RunningService): Promise<string[]> => {
  const { api, token } = await signIn(apiOf(service));
  const response = await fetch(`${api}/customers?sort=id`, { headers: { Authorization: `Bearer ${token}` } });
  const { data } = (await response.json()) as { data: { name: string }[] };
  return data.map(({ name }) => name);
};

const kill = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
};

where(hasLitestream)(
  'Litestream copies a SQLite database while the service writes, and restores it to the last second or to a moment',
  { timeout: 120_000 },
  async () => {
    const { directory, start, gatewright } = await prepare();
    const file = join(directory, 'shop.db');
    const replica = `file://${join(directory, 'replica')}`;
    const service = await start(`sqlite:${file}`);
    const copying = spawn('litestream', ['replicate', '-config', deploy('litestream/litestream.yml')], {
      env: { PATH: process.env['PATH'], DATABASE_FILE: file, REPLICA_URL: replica },
      stdio: 'ignore',
    });
    onTestFinished(() => kill(copying));
    const restore = (to: string, ...options: string[]): number | null =>
      spawnSync('litestream', ['restore', ...options, '-o', join(directory, to), replica]).status;
    const caller = await signIn(apiOf(service));
    const first = await addCustomers(caller, 'first', 200);
    let copies = 0;
    /** Resolves when the replica holds a name: a copy that is restored from it says so. */
    const holds = (name: string): Promise<void> =>
      expect
        .poll(
          async () => {
            copies += 1;
            if (restore(`probe-${copies}.db`) !== 0) return false;
            return (await readFile(join(directory, `probe-${copies}.db`))).includes(name);
          },
          { timeout: 30_000, interval: 500 },
        )
        .toBe(true);
    await holds('first 199');
    // Moments of the replica are whole seconds.
    await delay(1_100);
    const moment = new Date().toISOString().replace(/\.\d+/, '');
    await delay(1_100);
    const second = await addCustomers(caller, 'second', 200);
    await holds('second 199');
    await kill(service.process);
    await kill(copying);
    for (const name of await readdir(directory))
      if (name.startsWith('shop.db')) await rm(join(directory, name));

    expect(restore('shop.db')).toBe(0);
    expect(gatewright(['migrate'], `sqlite:${file}`)).toBe('The database is up to date.\n');
    expect(await customersOf(await start(`sqlite:${file}`))).toEqual([...first, ...second]);
    expect(restore('moment.db', '-timestamp', moment)).toBe(0);
    expect(await customersOf(await start(`sqlite:${join(directory, 'moment.db')}`))).toEqual(first);
    const copied = gatewright(['backup', join(directory, 'copy'), '--verify', '--json'], `sqlite:${file}`);
    expect(JSON.parse(copied)).toMatchObject({ verified: true, tables: { customers: 400 } });
  },
);

where(hasDebianPostgres)(
  'PostgreSQL recovers to a moment from a base backup and the archive of its write-ahead log',
  { timeout: 120_000 },
  async () => {
    const { start } = await prepare();
    /** Settings of a file of docs/deploy, with the folder of this test in the place of /backup. */
    const settingsOf = async (name: string, backup: string): Promise<string[]> =>
      [...(await readFile(deploy(`postgresql/${name}`), 'utf8')).matchAll(/^(\w+) = '?(.*?)'?$/gm)].map(
        ([, setting = '', value = '']) => `${setting}=${value.replaceAll('/backup', backup)}`,
      );
    // The folder has to belong to the user that the server runs as: it lies in one that does.
    const backup = join(tmpdir(), `gatewright-archive-${process.pid}`);
    await mkdir(join(backup, 'wal'), { recursive: true, mode: 0o777 });
    for (const folder of [backup, join(backup, 'wal')]) spawnSync('chmod', ['0777', folder]);
    onTestFinished(() => rm(backup, { recursive: true, force: true }));
    const primary = await startDebianPostgres({ settings: await settingsOf('archive.conf', backup) });
    onTestFinished(() => primary.remove());
    const url = await createPostgresDatabase(primary.url);
    const service = await start(url);
    const caller = await signIn(apiOf(service));
    const early = await addCustomers(caller, 'early', 20);
    const base = join(backup, 'base');
    runDebianProgram('pg_basebackup', `--dbname=${primary.url}`, `--pgdata=${base}`, '--checkpoint=fast');
    const late = await addCustomers(caller, 'late', 20);
    const sql = async (at: string, text: string): Promise<string> => {
      const client = new pg.Client({ connectionString: at });
      await client.connect();
      try {
        return String((await client.query({ text, rowMode: 'array' })).rows[0]?.[0]);
      } finally {
        await client.end();
      }
    };
    const moment = await sql(primary.url, 'select clock_timestamp()::text');
    await addCustomers(caller, 'mistaken', 20);
    const segment = await sql(primary.url, 'select pg_walfile_name(pg_current_wal_lsn())');
    await sql(primary.url, 'select pg_switch_wal()');
    await expect.poll(() => readdir(join(backup, 'wal')), { timeout: 30_000 }).toContain(segment);
    await kill(service.process);

    const recovery = (await settingsOf('recovery.conf', backup)).map((setting) =>
      setting.startsWith('recovery_target_time') ? `recovery_target_time=${moment}` : setting,
    );
    const recovered = await startDebianPostgres({
      settings: recovery,
      restored: {
        password: primary.password,
        fill: async (data) => {
          const copied = spawnSync('cp', ['-a', `${base}/.`, data]);
          expect(copied.status).toBe(0);
          await writeFile(join(data, 'recovery.signal'), '');
        },
      },
    });
    onTestFinished(() => recovered.remove());
    const there = new URL(url);
    there.port = new URL(recovered.url).port;
    await expect.poll(() => sql(recovered.url, 'select pg_is_in_recovery()')).toBe('false');
    expect(await customersOf(await start(there.href))).toEqual([...early, ...late]);
  },
);
