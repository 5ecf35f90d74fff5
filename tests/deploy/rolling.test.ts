import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { describeDatabase } from '../support/databases.ts';
import { hasNginx, startNginx } from '../support/nginx.ts';
import { freePort } from '../support/postgres.ts';
import { ask, command, type RunningService, runService } from '../support/run-service.ts';
import { Load, type Phase } from './rolling.ts';

const site = fileURLToPath(new URL('../../docs/deploy/nginx.conf', import.meta.url));
const folder = fileURLToPath(new URL('../../examples/newsroom', import.meta.url));

const rowOf = ({ name, requests, failed, p50, p99, longest }: Phase): string =>
  `| ${[name, requests, Object.values(failed).reduce((sum, count) => sum + count, 0), p50, p99, longest].join(' | ')} |`;

// Continuous integration always has it (.ci/run).
if (hasNginx || process.env['CI'] !== undefined)
  describeDatabase('postgres', 'three instances behind the documented nginx', (databases) => {
    it('three instances are replaced one after the other under load, and no request fails', {
      timeout: 120_000,
    }, async () => {
      const DATABASE_URL = await databases.create();
      const ports = [await freePort(), await freePort(), await freePort()];
      const start = (port: number): Promise<RunningService> =>
        runService([...command, 'start'], {
          folder,
          env: {
            ...{ PORT: String(port), DATABASE_URL, DATABASE_POOL: '5' },
            ...{ BASE_URL: 'https://api.example.com', TRUST_PROXY: 'loopback' },
            JWT_SECRET: 'a secret of thirty-two bytes and more',
          },
        });
      const running: RunningService[] = [];
      for (const port of ports) running.push(await start(port));
      const nginx = await startNginx(await readFile(site, 'utf8'), ports);
      onTestFinished(() => nginx.close());

      const [{ port = 0 } = {}] = running;
      const signedIn = await fetch(`http://127.0.0.1:${port}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ account: 'admin', password: 'tulip-anvil-47 kettle' }),
      });
      const { data } = (await signedIn.json()) as { data: { token: string } };
      const load = new Load(nginx.port, data.token);
      load.begin(16);
      /** Waits until enough was asked to judge by. */
      const enough = async (): Promise<void> => {
        const most = load.acknowledged.size + 100;
        await expect.poll(() => load.acknowledged.size, { timeout: 30_000 }).toBeGreaterThan(most);
      };
      const phases = [await load.during('three instances', enough)];
      for (const [index, old] of running.entries())
        phases.push(
          await load.during(`instance ${index + 1} is replaced`, async () => {
            process.kill(old.pid, 'SIGTERM');
            expect((await old.ended()).status).toBe(0);
            const next = await start(ports[index] ?? 0);
            await expect.poll(async () => (await ask(next.port, '/api/v1/health?ready')).status).toBe(200);
            // Nginx leaves it alone for `fail_timeout` after it was last refused: only then may the next one go.
            await delay(2_500);
          }),
        );
      phases.push(await load.during('three new instances', enough));
      await load.end();
      const complaints = await nginx.complaints();
      if (process.env['SHOW'] !== undefined)
        console.info(
          [
            '| phase | requests | failed | p50 ms | p99 ms | longest ms |',
            ...phases.map(rowOf),
            complaints,
          ].join('\n'),
        );
      expect(
        phases.map(({ failed }) => failed),
        complaints,
      ).toEqual(phases.map(() => ({})));
      for (const { requests } of phases) expect(requests).toBeGreaterThan(50);
      // Every acknowledged record is there, in the acknowledged state.
      const rows = await (await databases.open(DATABASE_URL)).all<{ id: number; body: string | null }>({
        sql: 'select id, body from notes',
        parameters: [],
      });
      const stored = new Map(rows.map(({ id, body }) => [Number(id), body]));
      expect(load.acknowledged.size).toBeGreaterThan(100);
      for (const [id, change] of load.acknowledged) expect(stored.get(id)).toBe(change === 1 ? '1' : null);
      expect(stored.size).toBe(load.acknowledged.size);
      expect(complaints).not.toMatch(/\[(?:emerg|alert|crit)\]/);
    });
  });
