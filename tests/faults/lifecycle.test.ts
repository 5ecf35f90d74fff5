import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inheritedEnvironment } from '../support/child.ts';
import { ask, command, type RunningService, runService } from '../support/run-service.ts';

describe('an application with jobs, started and stopped', { timeout: 60_000 }, () => {
  const folder = fileURLToPath(new URL('./jobs-app', import.meta.url));
  const start = (env: Readonly<Record<string, string>>): Promise<RunningService> =>
    runService([...command, 'start'], { folder, env: { DRAIN: '0', ...env } });
  const said = (service: RunningService): string[] =>
    service
      .output()
      .split('\n')
      .filter((line) => /^(?:on|slow (?!statement))/.test(line));

  it('runs onStart before the first request, lets a job end at a stop, then runs onStop', async () => {
    const service = await start({ SLOW: '2' });
    expect(said(service)[0]).toBe('onStart for system');
    await expect.poll(() => said(service)).toContain('slow begins, attempt 1');
    process.kill(service.pid, 'SIGTERM');
    const { status, milliseconds } = await service.ended();
    expect(status).toBe(0);
    // Neither the timer of the application nor anything else keeps it.
    expect(milliseconds).toBeLessThan(5_000);
    expect(said(service)).toEqual([
      'onStart for system',
      'slow begins, attempt 1',
      'slow is aborted',
      'slow is done',
      'onStop',
    ]);
  });

  it('gives back a job that does not end, which then runs elsewhere at once', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gatewright-jobs-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const DATABASE_URL = `sqlite:${join(directory, 'jobs.db')}`;
    const first = await start({ SLOW: '30', DATABASE_URL });
    await expect.poll(() => said(first)).toContain('slow begins, attempt 1');
    process.kill(first.pid, 'SIGTERM');
    const { status, milliseconds } = await first.ended();
    expect(status).toBe(0);
    expect(milliseconds).toBeLessThan(9_000);
    expect(first.lines().map(({ msg }) => msg)).toContain(
      'jobs did not end before the stop: other processes run them',
    );
    expect(said(first).at(-1)).toBe('onStop');
    const second = await start({ DATABASE_URL });
    await expect.poll(() => said(second), { timeout: 5_000 }).toContain('slow begins, attempt 1');
  });

  it.each([
    ['hangs', 'onStop of the application did not end in time'],
    ['fails', 'onStop of the application'],
  ])('ends in time where onStop %s', async (STOP, message) => {
    const service = await start({ STOP });
    process.kill(service.pid, 'SIGTERM');
    const { status, milliseconds } = await service.ended();
    expect(status).toBe(0);
    expect(milliseconds).toBeLessThan(10_000);
    expect(service.lines().map(({ msg }) => msg)).toContain(message);
  });

  it('an application does not start where onStart throws, says so, and does not hang on what that left behind', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gatewright-jobs-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const [program = '', ...args] = command;
    const child = spawn(program, [...args, 'start'], {
      cwd: folder,
      env: { ...inheritedEnvironment(), PORT: '0', DATA_DIR: directory, START: 'fails' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await expect.poll(() => child.exitCode, { timeout: 15_000 }).toBe(1);
    expect(errors).toContain('gatewright: onStart of the application failed: no licence\n');
    // A collector of the log finds it only there.
    expect(JSON.parse(output.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      level: 60,
      msg: 'the service does not start',
      err: { message: expect.stringContaining('no licence'), stack: expect.any(String) },
    });
  });

  it('tells the mistakes of its configuration in the log as well', async () => {
    const [program = '', ...args] = command;
    const child = spawn(program, [...args, 'start'], {
      cwd: folder,
      env: { ...inheritedEnvironment(), PORT: 'http', LOCALE: 'fr_FR', LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(JSON.parse(await text(child.stdout))).toMatchObject({
      level: 60,
      msg: 'the configuration has mistakes',
      mistakes: [expect.stringMatching(/^PORT: /), expect.stringMatching(/^LOCALE: /)],
    });
  });

  it('says more from SIGUSR2 on, and goes on', async () => {
    const service = await start({});
    const messages = () => service.lines().map(({ msg }) => msg);
    expect(messages()).not.toContain('statement');
    process.kill(service.pid, 'SIGUSR2');
    await expect.poll(messages).toContain('log level raised');
    expect((await ask(service.port, '/api/v1/health?ready')).status).toBe(200);
    await expect.poll(messages).toContain('statement');
  });

  it('runs both in `dev` too, which gives running jobs to the run that comes next', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gatewright-jobs-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const [program = '', ...args] = command;
    const dev = async (env: Readonly<Record<string, string>>, until: string): Promise<string[]> => {
      const child = spawn(program, [...args, 'dev'], {
        cwd: folder,
        env: {
          ...{ ...inheritedEnvironment(), PORT: '0', DATA_DIR: directory, ...env },
          ...{ ADMIN_PASSWORD: 'tulip-anvil-47 kettle' },
          CREDENTIALS_FILE: join(directory, 'credentials.age'),
          CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      let output = '';
      child.stdout.on('data', (data: Buffer) => {
        output += data.toString();
      });
      const lines = (): string[] =>
        output.split('\n').filter((line) => /^(?:on|slow (?!statement))/.test(line));
      await expect.poll(lines, { timeout: 20_000 }).toContain(until);
      child.kill('SIGTERM');
      await expect.poll(() => child.exitCode, { timeout: 5_000 }).toBe(0);
      return lines();
    };
    const begins = 'slow begins, attempt 1';
    expect(await dev({ SLOW: '30' }, begins)).toEqual([
      'onStart for system',
      begins,
      'slow is aborted',
      'onStop',
    ]);
    expect(await dev({}, begins)).toContain(begins);
  });
});
