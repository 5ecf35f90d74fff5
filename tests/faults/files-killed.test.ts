import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startChild } from '../support/child.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { scansApplication } from '../support/scans.ts';
import { startService } from '../support/service.ts';

const sheets = 6;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

interface Sheet {
  readonly id: number;
  readonly scan: { readonly checksum: string; readonly size: number } | null;
}

describeEachDatabase('a service that is killed while files come and go', (databases) => {
  it('a service that is killed while files come and go has the bytes of every record, and no others after a sweep', {
    timeout: 180_000,
  }, async () => {
    await using service = await startService(databases, { application: scansApplication(), workers: 1 });
    const token = await service.admin();
    const headers = { authorization: `Bearer ${token.token}` };
    const made = Array.from({ length: sheets }, () =>
      service.ok<Sheet>('POST', '/api/v1/sheets', { token, body: { sheet: {} } }),
    );
    const ids = (await Promise.all(made)).map(({ id }) => id);
    /** The last acknowledged checksum of each sheet, and the one that was on its way. */
    const acknowledged = new Map<number, string | null>(ids.map((id) => [id, null]));
    const begun = new Map<number, string | null>();
    let turns = 0;
    const turn = async (origin: string, id: number): Promise<void> => {
      for (;;) {
        const bytes = randomBytes(Math.floor(Math.random() * 300_000));
        const removes = acknowledged.get(id) !== null && Math.random() < 0.2;
        begun.set(id, removes ? null : sha256(bytes));
        const answer = await fetch(`${origin}/api/v1/sheets/${id}/scan`, {
          method: removes ? 'DELETE' : 'PUT',
          headers,
          body: removes ? null : bytes,
        });
        await answer.arrayBuffer();
        expect(answer.status).toBe(200);
        acknowledged.set(id, begun.get(id) ?? null);
        turns += 1;
      }
    };
    const folder = join(service.env['DATA_DIR'] ?? '', 'files');
    const { database, systemScope } = service.server.services;
    for (let kill = 0; kill < 6; kill += 1) {
      const child = startChild('faults/children/serve-scans.ts', [JSON.stringify(service.env)]);
      const origin = String((await child.lines.next()).value);
      const before = turns;
      const ends = ids.map((id) => turn(origin, id).catch((error: unknown) => error));
      await expect.poll(() => turns, { timeout: 30_000, interval: 2 }).toBeGreaterThan(before + 20);
      await delay(Math.random() * 60);
      child.process.kill('SIGKILL');
      expect(await child.exited).toBeNull();
      // A connection that broke, and never another answer.
      for (const end of await Promise.all(ends)) expect(String(end)).toMatch(/fetch failed|terminated/);
      for (const id of ids) {
        const { scan } = await service.ok<Sheet>('GET', `/api/v1/sheets/${id}`, { token });
        const checksum = scan?.checksum ?? null;
        expect([acknowledged.get(id), begun.get(id)]).toContain(checksum);
        acknowledged.set(id, checksum);
        if (scan === null) continue;
        const bytes = await fetch(`${service.origin}/api/v1/sheets/${id}/scan`, { headers });
        expect(sha256(Buffer.from(await bytes.arrayBuffer()))).toBe(scan.checksum);
      }
    }
    const old = "update gatewright_files set changed_at = '2001-01-01T00:00:00.000Z'";
    await database.write((transaction) => transaction.run({ sql: old, parameters: [] }));
    const job = await systemScope('a test').jobs.add('purge-files', {});
    const sql = `select id from gatewright_jobs where id = ${job}`;
    await expect.poll(() => database.all({ sql, parameters: [] })).toEqual([]);
    const rows = await database.all<{ key: string }>({
      sql: 'select key from gatewright_files where id in (select scan from sheets)',
      parameters: [],
    });
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    const names = found.flatMap((each) => (each.isFile() ? each.name : []));
    expect(names.toSorted()).toEqual(rows.map(({ key }) => key).toSorted());
    process.stdout.write(`${turns} uploads and removals, killed six times (${databases.dialect})\n`);
  });
});
