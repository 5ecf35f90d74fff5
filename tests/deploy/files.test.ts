import { execFile, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { variables } from '../../src/app/variables.ts';
import { registry } from '../../src/cli/registry.ts';
import { type HealthParts, healthEndpoint } from '../../src/upkeep/health.ts';
import { ask } from '../support/run-service.ts';
import { ensureBuilt } from '../tour/service.ts';
import { lastStage, runStage } from './container.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const file = (name: string): string => join(root, 'docs/deploy', name);
const read = (name: string): Promise<string> => readFile(file(name), 'utf8');
const here = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;

/** Continuous integration has what a test needs (.ci/run); elsewhere it runs where it can. */
const where = (possible: boolean) => (possible || process.env['CI'] !== undefined ? it : it.skip);

/** Variables that Node or the system reads, and not the service. */
const ofOthers = ['TMPDIR', 'NODE_OPTIONS'];
const known = [...variables.map(({ name }) => name), ...ofOthers];

const temporary = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'gatewright-deploy-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
};

describe('docs/deploy', () => {
  describe('Dockerfile', () => {
    const namespaces = process.getuid?.() === 0 && here('unshare', '--mount', '--pid', '--fork', 'true');

    where(namespaces)(
      'serves as process 1, not as root, on a file system that cannot be written, and ends at its signal',
      async () => {
        await ensureBuilt();
        const stage = lastStage(await read('Dockerfile'));
        expect(Object.keys(stage.env).filter((name) => !known.includes(name))).toEqual([]);
        expect(stage).toMatchObject({
          user: 'node',
          command: ['node', 'node_modules/gatewright/bin/gatewright.js', 'start'],
        });
        const env = {
          ...{ PORT: '0', HOST: '127.0.0.1', BASE_URL: 'https://api.example.com/shop', DRAIN: '0' },
          ...{ JWT_SECRET: 'a secret of thirty-two bytes and more' },
          ...{ ADMIN_PASSWORD: 'tulip-anvil-47 kettle' },
        };
        const container = await runStage(stage, join(root, 'examples/newsroom'), env);
        onTestFinished(() => container.remove());
        const listening = () => container.lines().find(({ msg }) => msg === 'listening');
        await expect
          .poll(() => listening() ?? container.output(), { timeout: 30_000 })
          .toMatchObject({ pid: 1 });
        const port = Number(listening()?.['port']);
        const status = await readFile(`/proc/${container.pid}/status`, 'utf8');
        expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).toBe('1000');
        expect(/^CapEff:\s+(\w+)/m.exec(status)?.[1]).toBe('0000000000000000');
        const mounts = await readFile(`/proc/${container.pid}/mountinfo`, 'utf8');
        const writable = mounts
          .split('\n')
          .map((line) => line.split(' '))
          .filter(([, , , , , options]) => options?.split(',').includes('rw'))
          .map(([, , , , place]) => place);
        expect(writable.filter((place) => !/^\/(?:dev|proc|media\/data)$/.test(place ?? ''))).toEqual([]);

        expect(await ask(port, '/shop/api/v1/health?ready')).toMatchObject({ status: 200 });
        const [program = '', ...args] = stage.health;
        const health = (asked: number) =>
          run(program, args, { env: { ...env, PORT: String(asked), PATH: process.env['PATH'] ?? '' } });
        await expect(health(port)).resolves.toBeDefined();
        process.kill(container.pid, stage.stopSignal);
        expect(await container.ended()).toBe(0);
        await expect(health(port)).rejects.toMatchObject({ code: 1 });
      },
      60_000,
    );

    it('leaves secrets, data and installed packages out of the image', async () => {
      const ignored = (await read('.dockerignore')).split('\n');
      for (const name of ['config/credentials.key*', '.env*', 'data', 'node_modules'])
        expect(ignored).toContain(name);
    });
  });

  it('compose.sqlite.yaml keeps the database in a volume, behind a proxy, and names variables that there are', async () => {
    const compose = parse(await read('compose.sqlite.yaml'));
    const { api, caddy } = compose.services;
    const { env, health } = lastStage(await read('Dockerfile'));
    expect(Object.keys(api.environment).filter((name) => !known.includes(name))).toEqual([]);
    expect({ ...api }).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    expect(api.volumes).toEqual([`data:${env['DATA_DIR']}`]);
    expect(Object.keys(compose.volumes)).toContain('data');
    expect(Object.keys(compose.secrets).map((name) => `/run/secrets/${name}`)).toContain(
      api.environment.CREDENTIALS_KEY_FILE,
    );
    // The proxy leads to the port of the image, and waits for its health check; the port itself is not published.
    expect(caddy.command.slice(-2)).toEqual(['--to', `api:${env['PORT']}`]);
    expect(caddy.depends_on.api.condition).toBe('service_healthy');
    expect(health.length).toBeGreaterThan(0);
    expect(api.ports).toBeUndefined();
    expect(Number.parseInt(api.stop_grace_period, 10)).toBeGreaterThan(11);
  });

  it('compose.yaml names variables, commands and secrets that there are', async () => {
    const compose = parse(await read('compose.yaml'), { merge: true });
    const { api, migrate, postgres } = compose.services;
    for (const { environment, read_only, cap_drop, tmpfs } of [api, migrate]) {
      expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([]);
      expect({ read_only, cap_drop }).toEqual({ read_only: true, cap_drop: ['ALL'] });
      const { env } = lastStage(await read('Dockerfile'));
      expect(tmpfs[0].split(':')[0]).toBe(env['DATA_DIR']);
    }
    expect(migrate.command.slice(0, 2)).toEqual(lastStage(await read('Dockerfile')).command.slice(0, 2));
    expect([...registry.keys()]).toContain(migrate.command[2]);
    expect(Object.keys(compose.secrets).map((name) => `/run/secrets/${name}`)).toContain(
      api.environment.CREDENTIALS_KEY_FILE,
    );
    const role = new URL(api.environment.DATABASE_URL.replace(/\$\{.*?\}/, 'x'));
    expect([role.username, role.hostname, role.pathname]).toEqual([
      postgres.environment.POSTGRES_USER,
      'postgres',
      `/${postgres.environment.POSTGRES_DB}`,
    ]);
    // The longest time of DRAIN and the stop.
    expect(Number.parseInt(api.stop_grace_period, 10)).toBeGreaterThan(11);
  });

  describe('kubernetes.yaml', () => {
    const readManifests = async () =>
      parseAllDocuments(await read('kubernetes.yaml')).map((document) => document.toJS());
    const ofKind = async (kind: string) => {
      const found = (await readManifests()).filter((each) => each.kind === kind);
      expect(found, kind).toHaveLength(1);
      return found[0];
    };
    const fallbackOf = (name: string): number =>
      Number(variables.find((each) => each.name === name)?.fallback);

    it('kubernetes.yaml runs the image as it is built, without rights and with a data folder that can be written', async () => {
      const image = lastStage(await read('Dockerfile'));
      for (const kind of ['Job', 'Deployment']) {
        const { spec } = (await ofKind(kind)).spec.template;
        const [container] = spec.containers;
        expect(spec.containers).toHaveLength(1);
        expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.volumeMounts).toEqual([{ name: 'data', mountPath: image.env['DATA_DIR'] }]);
        const set = (container.env ?? []).map(({ name }: { readonly name: string }) => name);
        expect(set.filter((name: string) => !known.includes(name))).toEqual([]);
      }
      const [migrate] = (await ofKind('Job')).spec.template.spec.containers;
      expect(migrate.command.slice(0, 2)).toEqual(image.command.slice(0, 2));
      expect([...registry.keys()]).toContain(migrate.command[2]);
      const [api] = (await ofKind('Deployment')).spec.template.spec.containers;
      expect(api.image).toBe(migrate.image);
      expect(api.command).toBeUndefined();
      expect(api.ports).toEqual([{ name: 'http', containerPort: Number(image.env['PORT']) }]);
    });

    it('kubernetes.yaml asks health and readiness, and leaves a stop the time that it takes', async () => {
      const { spec } = (await ofKind('Deployment')).spec.template;
      const [{ env, readinessProbe, livenessProbe, startupProbe }] = spec.containers;
      const setTo = (name: string): string =>
        env.find((each: { readonly name: string }) => each.name === name)?.value;
      const path = healthEndpoint({} as HealthParts).path;
      expect(livenessProbe.httpGet).toEqual({ path, port: 'http' });
      expect(startupProbe.httpGet).toEqual({ path, port: 'http' });
      expect(readinessProbe.httpGet).toEqual({ path: `${path}?ready`, port: 'http' });
      expect(setTo('MIGRATE')).toBe('off');
      const drain = Number(setTo('DRAIN'));
      expect(drain).toBeGreaterThanOrEqual(readinessProbe.periodSeconds * readinessProbe.failureThreshold);
      // As docs/guide/production.md asks of a supervisor.
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drain + 15);
      expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThan(
        fallbackOf('DATABASE_WAIT'),
      );
    });

    it('kubernetes.yaml sends the service and the disruption budget to the pods of the deployment', async () => {
      const { labels } = (await ofKind('Deployment')).spec.template.metadata;
      const service = (await ofKind('Service')).spec;
      expect(service.selector).toEqual(labels);
      expect(service.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }]);
      const budget = (await ofKind('PodDisruptionBudget')).spec;
      expect(budget.selector.matchLabels).toEqual(labels);
      expect((await ofKind('Deployment')).spec.replicas).toBeGreaterThan(budget.minAvailable);
    });
  });

  where(here('systemd-analyze', '--version'))(
    'gatewright@.service is sound, and leaves little to attack',
    async () => {
      const directory = await temporary();
      const unit = await read('gatewright@.service');
      const set = [...unit.matchAll(/^Environment=(\w+)=/gm)].map(([, name]) => name ?? '');
      expect(set.filter((name) => !known.includes(name))).toEqual([]);
      // Only the program that there is on this machine is another.
      const place = join(directory, 'gatewright@3001.service');
      await writeFile(place, unit.replace('/usr/bin/node', process.execPath));
      const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', place]);
      expect([stdout, stderr]).toEqual(['', '']);
      // Else systemd gives up for good after five starts in 10 s.
      expect(unit).toMatch(/^Restart=always$/m);
      expect(unit).toMatch(/^StartLimitIntervalSec=0$/m);
      const security = await run('systemd-analyze', ['security', '--offline=true', '--no-pager', place]);
      const level = /Overall exposure level for gatewright@3001\.service: ([\d.]+) OK/.exec(
        security.stdout,
      )?.[1];
      expect(Number(level)).toBeLessThan(1.5);
    },
  );

  where(here('logrotate', '--version'))(
    'logrotate moves the log away under a service that goes on',
    async () => {
      const directory = await temporary();
      const log = join(directory, 'api.log');
      const config = join(directory, 'config');
      await writeFile(config, (await read('logrotate')).replaceAll('/var/log/gatewright', directory));
      await chmod(config, 0o644);
      await ensureBuilt();
      const descriptor = openSync(log, 'a', 0o600);
      const child = spawn(process.execPath, [join(root, 'bin/gatewright.js'), 'start'], {
        cwd: join(root, 'tests/faults/stopping-app'),
        env: {
          ...{ PATH: process.env['PATH'], PORT: '0', DATA_DIR: join(directory, 'data'), DRAIN: '0' },
          ...{ ADMIN_PASSWORD: 'tulip-anvil-47 kettle' },
          CREDENTIALS_FILE: join(directory, 'credentials.age'),
          CREDENTIALS_KEY_FILE: join(directory, 'credentials.key'),
        },
        stdio: ['ignore', descriptor, 'inherit'],
      });
      closeSync(descriptor);
      onTestFinished(() => void child.kill('SIGKILL'));
      const linesOf = async (path: string): Promise<Readonly<Record<string, unknown>>[]> =>
        (await readFile(path, 'utf8'))
          .split('\n')
          .filter((line) => line.startsWith('{'))
          .map((line) => JSON.parse(line));
      const listening = async () => (await linesOf(log)).find(({ msg }) => msg === 'listening');
      await expect.poll(listening, { timeout: 30_000 }).toBeDefined();
      const port = Number((await listening())?.['port']);
      for (let count = 0; count < 20; count += 1) await ask(port, '/api/v1/health');
      await expect.poll(async () => (await linesOf(log)).length).toBeGreaterThan(20);
      await run('logrotate', ['--force', '--state', join(directory, 'state'), config]);
      expect((await stat(log)).size).toBe(0);
      await ask(port, '/api/v1/nothing');
      await expect.poll(() => linesOf(log)).toMatchObject([{ msg: 'request', status: 404 }]);
      expect(await readFile(log, 'utf8')).toMatch(/^\{/);
      const [old = ''] = (await readdir(directory)).filter((name) => name.startsWith('api.log-'));
      expect((await linesOf(join(directory, old))).length).toBeGreaterThan(20);
    },
  );
});
