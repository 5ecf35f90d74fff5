import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeEachDatabase } from '../support/databases.ts';
import { freePort } from '../support/postgres.ts';
import { useService } from '../support/service.ts';
import { root } from '../tour/service.ts';

const folder = join(root, 'docs/deploy/prometheus');
const promtool = (args: readonly string[], input = '') => {
  const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: folder, input, encoding: 'utf8' });
  return { status, text: stdout + stderr };
};
const hasPrometheus = spawnSync('promtool', ['--version']).status === 0;

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** The part of its HTTP API that is used here. */
interface Reply {
  readonly status: string;
  readonly error?: string;
  readonly data: {
    readonly result: readonly { readonly value: [number, string] }[];
    readonly groups: readonly {
      readonly rules: readonly { readonly name: string; readonly health: string; readonly state: string }[];
    }[];
    readonly activeTargets: readonly { readonly health: string }[];
  };
}

/** Expressions as Grafana would ask them, all instances chosen. */
const dashboard = async (): Promise<readonly (readonly [title: string, expression: string])[]> => {
  const { panels }: { panels: readonly Panel[] } = JSON.parse(
    await readFile(join(root, 'docs/deploy/grafana/gatewright.json'), 'utf8'),
  );
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(
      ({ expr }) =>
        [title, expr.replaceAll(/\$(job|instance)/g, '.*').replaceAll('$__rate_interval', '10s')] as const,
    ),
  );
};

// Continuous integration always has it (.ci/run).
if (hasPrometheus || process.env['CI'] !== undefined)
  describeEachDatabase('a Prometheus that scrapes the service', (databases) => {
    const service = useService(databases, {
      env: { METRICS_PORT: '0', LOG_LEVEL: 'warn', WEBHOOK_PRIVATE: '1', JOBS: 'off' },
    });
    let directory: string;
    let prometheus: ChildProcess;
    let at: string;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'gatewright-prometheus-'));
      const text = await readFile(join(folder, 'prometheus.yml'), 'utf8');
      const config = text
        .replaceAll('15s', '1s')
        .replace('127.0.0.1:9464', `127.0.0.1:${service.server.metricsPort}`)
        .replace('- alerts.yml', `- ${join(folder, 'alerts.yml')}`);
      await writeFile(join(directory, 'prometheus.yml'), config);
      const port = await freePort();
      at = `http://127.0.0.1:${port}/api/v1`;
      const args = [
        '--config.file=prometheus.yml',
        '--storage.tsdb.path=data',
        `--web.listen-address=127.0.0.1:${port}`,
      ];
      prometheus = spawn('prometheus', args, { cwd: directory, stdio: 'ignore' });
    });
    afterAll(async () => {
      const ended = once(prometheus, 'exit');
      prometheus.kill('SIGKILL');
      await ended;
      await rm(directory, { recursive: true, force: true });
    });
    const ask = async (path: string) => (await (await fetch(at + path)).json()) as Reply;
    const query = async (expression: string): Promise<readonly { readonly value: [number, string] }[]> => {
      const { status, data, error } = await ask(`/query?query=${encodeURIComponent(expression)}`);
      if (status !== 'success') throw new Error(`${expression}: ${error}`);
      return data.result;
    };
    const numberOf = async (expression: string) => Number((await query(expression))[0]?.value[1]);

    it('counts what was asked; every panel shows something, and every alert can be evaluated', {
      timeout: 60_000,
    }, async () => {
      const admin = await service.admin();
      for (let round = 0; round < 4; round += 1) {
        for (let count = 0; count < 10; count += 1) await service.get('/api/v1/users', { token: admin });
        await service.get('/api/v1/users');
        await expect
          .poll(() =>
            numberOf('sum(gatewright_http_requests_total{route="/api/v1/users",status="200"})').catch(
              () => 0,
            ),
          )
          .toBe(10 * (round + 1));
      }
      expect(
        await numberOf('sum(gatewright_http_request_duration_seconds_count{route="/api/v1/users"})'),
      ).toBe(44);
      const other = {
        sqlite: /_pool_/,
        postgres: /_(write_queue|writes_total|write_groups|wal_bytes|file_bytes)/,
      }[service.dialect];
      const asked = (await dashboard()).filter(([, expression]) => !other.test(expression));
      expect(asked.length).toBeGreaterThan(45);
      const empty = async () => {
        const found: string[] = [];
        for (const [title, expression] of asked)
          if ((await query(expression)).length === 0) found.push(`${title}: ${expression}`);
        // No webhook is behind where there is none.
        return found.filter((each) => !each.startsWith('Lag of webhooks'));
      };
      await expect.poll(empty, { timeout: 20_000 }).toEqual([]);
      const { data } = await ask('/rules');
      const rules = data.groups[0]?.rules ?? [];
      expect(rules.length).toBeGreaterThan(20);
      expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
      expect(rules.filter(({ state }) => state === 'firing')).toEqual([]);
      expect((await ask('/targets')).data.activeTargets).toMatchObject([{ health: 'up' }]);
    });

    it('every alert of Prometheus has a test of its name, and fires there', async () => {
      const read = async (name: string) => parse(await readFile(join(folder, name), 'utf8'));
      const { groups }: { groups: { rules: { alert: string }[] }[] } = await read('alerts.yml');
      const { tests }: { tests: { name: string; promql_expr_test: { exp_samples: unknown[] }[] }[] } =
        await read('alerts.test.yml');
      const fired = tests.filter(({ promql_expr_test: [first] }) => (first?.exp_samples.length ?? 0) > 0);
      const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
      expect([...new Set(fired.map(({ name }) => name))].sort()).toEqual(alerts.toSorted());
    });

    it('finds nothing to say of files and names', async () => {
      expect(promtool(['check', 'config', 'prometheus.yml'])).toMatchObject({ status: 0 });
      expect(promtool(['check', 'rules', 'alerts.yml'])).toMatchObject({ status: 0 });
      expect(promtool(['test', 'rules', 'alerts.test.yml'])).toMatchObject({ status: 0 });
      const scrape = await (await fetch(`http://127.0.0.1:${service.server.metricsPort}/metrics`)).text();
      expect(promtool(['check', 'metrics'], scrape)).toEqual({ status: 0, text: '' });
    });
  });
