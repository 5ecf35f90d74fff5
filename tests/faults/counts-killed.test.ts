import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startChild } from '../support/child.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { invoicesApplication } from '../support/invoices.ts';
import { startService } from '../support/service.ts';

describeEachDatabase('a service that is killed while it counts records', (databases) => {
  it('leaves no gap, and uses no number twice', { timeout: 180_000 }, async () => {
    await using service = await startService(databases, { application: invoicesApplication() });
    const token = await service.admin();
    const headers = { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' };
    const { database } = service.server.services;
    const acknowledged = new Set<string>();
    const create = async (origin: string, caller: number): Promise<void> => {
      for (let n = caller; ; n += 1) {
        // Every third is refused after its number was taken.
        const values = n % 3 === 0 ? { code: 'refused' } : { note: `caller ${caller}` };
        const answer = await fetch(`${origin}/api/v1/invoices`, {
          ...{ method: 'POST', headers, body: JSON.stringify({ invoice: values }) },
        });
        const { data } = (await answer.json()) as { data: { number: string } };
        if (answer.status === 201) acknowledged.add(data.number);
        else expect([n % 3, answer.status]).toEqual([0, 422]);
      }
    };
    for (let kill = 0; kill < 4; kill += 1) {
      const child = startChild('faults/children/serve-invoices.ts', [JSON.stringify(service.env)]);
      const origin = String((await child.lines.next()).value);
      const before = acknowledged.size;
      const callers = Array.from({ length: 6 }, (_, n) => create(origin, n).catch((error: unknown) => error));
      await expect
        .poll(() => acknowledged.size, { timeout: 30_000, interval: 2 })
        .toBeGreaterThan(before + 20);
      await delay(Math.random() * 60);
      child.process.kill('SIGKILL');
      expect(await child.exited).toBeNull();
      // A connection that broke, and never another answer.
      for (const end of await Promise.all(callers)) expect(String(end)).toMatch(/fetch failed|terminated/);
    }
    const look = async () => {
      const rows = await database.all<{ number: string }>({
        ...{ sql: 'select number from invoices order by id', parameters: [] },
      });
      const numbers = rows.map(({ number }) => Number(number.slice(-5))).sort((a, b) => a - b);
      const lost = [...acknowledged].filter((number) => rows.every((row) => row.number !== number));
      return [numbers.every((number, index) => number === index + 1), lost];
    };
    // The server may still roll back a transaction of the killed process.
    await expect.poll(look).toEqual([true, []]);
    process.stdout.write(`${acknowledged.size} invoices, killed four times (${databases.dialect})\n`);
  });
});
