import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { signHttp } from '../../src/auth/http-signature.ts';
import { inheritedEnvironment } from '../support/child.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { command, type RunningService, runService } from '../support/run-service.ts';

const folder = fileURLToPath(new URL('./workers-app', import.meta.url));
const password = 'tulip-anvil-47 kettle';
const origin = 'https://service.test';

/** One answer of some worker, on a connection of its own. */
interface WorkerAnswer {
  readonly status: number;
  readonly pid: number | undefined;
  readonly data: Readonly<Record<string, string>>;
}

/** Credentials that end hold for no worker any more, and what counts counts for all of them. */
describeEachDatabase('three workers', (databases) => {
  let url: string;
  beforeAll(async () => {
    url = await databases.create();
  });

  const start = async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gatewright-workers-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const env = {
      ...{ WORKERS: '3', DATABASE_URL: url, DATABASE_POOL: '4', BASE_URL: origin, ADMIN_PASSWORD: password },
      CREDENTIALS_FILE: join(directory, 'credentials.age'),
      CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
    };
    const [program = '', ...args] = command;
    const created = spawnSync(program, [...args, 'app', 'create', 'shop', '--json'], {
      ...{ cwd: folder, encoding: 'utf8', timeout: 30_000 },
      env: { ...inheritedEnvironment(), ...env },
    });
    const { api_secret: secret }: { api_secret: string } = JSON.parse(created.stdout);
    const service = await runService([...command, 'start'], { folder, env });
    await expect
      .poll(() => service.lines().filter(({ msg }) => msg === 'listening').length, { timeout: 30_000 })
      .toBe(3);
    return { service, secret };
  };

  const ask = async (
    { port }: RunningService,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: object,
  ): Promise<WorkerAnswer> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      headers: { connection: 'close', 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    const { data = {} }: { data?: Record<string, string> } = JSON.parse(await response.text());
    return { status: response.status, pid: Number(data['pid']), data };
  };

  it('three workers refuse a nonce, a revoked token and a rotated key that another one has ended, and share a limit', {
    timeout: 60_000,
  }, async () => {
    const { service, secret } = await start();
    const each = (path: string, headers: Readonly<Record<string, string>>, times = 30) =>
      Promise.all(Array.from({ length: times }, () => ask(service, path, headers)));
    const statuses = async (headers: Readonly<Record<string, string>>) => [
      ...new Set((await each('/caller', headers)).map(({ status }) => status)),
    ];
    const login = await ask(service, '/auth/login', {}, { account: 'admin', password });
    const token = { authorization: `Bearer ${login.data['token']}` };

    const served = await each('/caller', token);
    expect(new Set(served.map(({ pid }) => pid)).size).toBe(3);

    const admitted = (await each('/limited', token, 200)).filter(({ status }) => status === 200).length;
    expect(admitted).toBeGreaterThanOrEqual(100);
    expect(admitted).toBeLessThanOrEqual(105);

    const { headers: signed } = signHttp(
      { method: 'GET', origin, target: '/api/v1/caller' },
      '',
      { secret },
      {
        keyId: 'shop',
        created: Math.floor(Date.now() / 1000),
        nonce: 'once',
      },
    );
    const replayed = await each('/caller', signed);
    expect(replayed.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replayed.filter(({ status }) => status === 401)).toHaveLength(29);

    const key = await ask(service, '/api_keys', token, { api_key: { name: 'job' } });
    const byKey = { 'x-api-key': String(key.data['key']) };
    expect(await statuses(byKey)).toEqual([200]);
    await ask(service, `/api_keys/${key.data['id']}/rotate`, token, { overlap: 0 });
    expect(await statuses(byKey)).toEqual([401]);

    expect((await ask(service, '/auth/logout', token, {})).status).toBe(200);
    expect(await statuses(token)).toEqual([401]);
  });
});
