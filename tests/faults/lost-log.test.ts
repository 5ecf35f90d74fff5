import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { run } from '../../src/cli/test-io.ts';
import { describeDatabase } from '../support/databases.ts';
import { command, type RunningService, runService } from '../support/run-service.ts';
import { post, signIn } from '../support/signed-in.ts';

const written = 40;

const environment = (folder: string): Readonly<Record<string, string>> => ({
  DATABASE_URL: `sqlite:${join(folder, 'app.db')}`,
  DATA_DIR: folder,
  CREDENTIALS_FILE: join(folder, 'credentials.age'),
  CREDENTIALS_KEY_FILE: join(folder, 'credentials.key'),
  MIGRATE: 'start',
  NODE_ENV: 'development',
});

const start = (folder: string): Promise<RunningService> =>
  runService([...command, 'start'], { env: environment(folder) });

const end = async (service: RunningService, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
  process.kill(service.pid, signal);
  await service.ended();
};

const keysOf = async (service: RunningService): Promise<number> => {
  const { api, token } = await signIn(`http://127.0.0.1:${service.port}/api/v1`);
  const response = await fetch(`${api}/api_keys?per_page=100`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return ((await response.json()) as { data: readonly unknown[] }).data.length;
};

const warningsOf = (service: RunningService) =>
  service.lines().filter(({ msg }) => msg.includes('acknowledged writes may be lost'));

/** Changes a byte of the page in a frame of the log, counted from 1. */
const flip = (folder: string, frame: (count: number) => number): void => {
  const count = readFileSync(join(folder, 'app.db-shm')).readUInt32LE(16);
  const log = join(folder, 'app.db-wal');
  const bytes = readFileSync(log);
  const size = 24 + bytes.readUInt32BE(8);
  const at = 32 + (frame(count) - 1) * size + 24 + 100;
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
  writeFileSync(log, bytes);
};

const emptyFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'gatewright-log-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

/** Accidents to the folder of a killed service, each with the warning of the next start. */
const accidents: Readonly<Record<string, readonly [(folder: string) => void, string]>> = {
  'is removed': [(folder) => rmSync(join(folder, 'app.db-wal')), 'app.db-wal is missing'],
  'has a damaged page in the middle': [
    (folder) => flip(folder, (count) => Math.ceil(count / 2)),
    'app.db-wal is damaged',
  ],
  'has a damaged page at its end': [(folder) => flip(folder, (count) => count), 'app.db-wal is damaged'],
  'has a damaged header': [
    (folder) => {
      const bytes = readFileSync(join(folder, 'app.db-wal'));
      bytes.writeUInt8(bytes.readUInt8(20) ^ 1, 20);
      writeFileSync(join(folder, 'app.db-wal'), bytes);
    },
    'app.db-wal is damaged: SQLite reads 0 of',
  ],
};

describeDatabase('sqlite', 'the write-ahead log of a killed service', () => {
  it('warns at the next start if it is gone or damaged, and not otherwise', {
    timeout: 480_000,
  }, async () => {
    const folder = await emptyFolder();
    const first = await start(folder);
    const { api, token } = await signIn(`http://127.0.0.1:${first.port}/api/v1`);
    for (let n = 0; n < written; n += 1)
      expect((await post(`${api}/api_keys`, { api_key: { name: `k${n}` } }, token)).status).toBe(201);
    const backup = join(await emptyFolder(), 'copy.db');
    expect(await run(['backup', backup], { env: environment(folder) })).toMatchObject({ status: 0 });
    await end(first, 'SIGKILL');
    const copyOf = async (): Promise<string> => {
      const copy = await emptyFolder();
      cpSync(folder, copy, { recursive: true });
      return copy;
    };

    for (const [name, [accident, sentence]] of Object.entries(accidents)) {
      const copy = await copyOf();
      accident(copy);
      const service = await start(copy);
      const lines = warningsOf(service);
      expect([name, lines]).toEqual([
        name,
        [expect.objectContaining({ level: 40, database: join(copy, 'app.db') })],
      ]);
      expect(lines[0]?.msg).toContain(sentence);
      await end(service, 'SIGKILL');
    }

    const migrated = await copyOf();
    rmSync(join(migrated, 'app.db-wal'));
    const { stderr } = await run(['migrate'], { env: environment(migrated) });
    expect(stderr).toContain('app.db-wal is missing');

    const restored = await copyOf();
    rmSync(join(restored, 'app.db-wal'));
    copyFileSync(backup, join(restored, 'app.db'));
    const torn = await copyOf();
    const log = join(torn, 'app.db-wal');
    const bytes = readFileSync(log);
    // A transaction that was not finished: it repeats the salts, as the last frames of a kill do.
    writeFileSync(log, Buffer.concat([bytes, bytes.subarray(32, 32 + 24 + 1_000)]));
    for (const place of [restored, torn, folder]) {
      const service = await start(place);
      expect(warningsOf(service)).toEqual([]);
      expect(await keysOf(service)).toBe(written);
      await end(service, 'SIGTERM');
    }
    const last = await start(folder);
    expect(warningsOf(last)).toEqual([]);
    expect(await keysOf(last)).toBe(written);
  });
});
