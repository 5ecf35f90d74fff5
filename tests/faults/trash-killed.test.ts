import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { boxesApplication } from '../support/boxes.ts';
import { startChild } from '../support/child.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { type Service, startService } from '../support/service.ts';

const boxes = 6;
const items = 40;

/** The stored parts of a box: its version, and how much of it is in the tables and in the trash. */
interface Stored {
  readonly version: number;
  readonly there: readonly number[];
  readonly trashed: readonly number[];
}

const storedOf = async (service: Service, id: number): Promise<Stored> => {
  const { database } = service.server.services;
  const number = async (sql: string): Promise<number> =>
    Number((await database.get<{ n: number | null }>({ sql, parameters: [] }))?.n ?? 0);
  const bundle = `bundle in (select bundle from gatewright_trash where kind = 'first' and model = 'Box' and record_id = ${id})`;
  const kept = (kind: string) =>
    number(`select count(*) as n from gatewright_trash where kind = '${kind}' and ${bundle}`);
  return {
    version: await number(
      `select coalesce((select version from boxes where id = ${id}),
        (select version from gatewright_trash where model = 'Box' and record_id = ${id})) as n`,
    ),
    there: [
      await number(`select count(*) as n from boxes where id = ${id}`),
      await number(`select count(*) as n from items where box_id = ${id}`),
      await number(`select count(*) as n from labels where box_id = ${id}`),
    ],
    trashed: [await kept('first'), await kept('along'), await kept('reference')],
  };
};

describeEachDatabase('a service that is killed while records go and come back', (databases) => {
  it('a service that is killed while records go and come back has each of them whole, in its place or in the trash', {
    timeout: 180_000,
  }, async () => {
    await using service = await startService(databases, { application: boxesApplication() });
    const token = await service.admin();
    const headers = { authorization: `Bearer ${token.token}` };
    const ids: number[] = [];
    for (let n = 0; n < boxes; n += 1) {
      const body = { box: { name: `box ${n}` } };
      const { id } = await service.ok<{ id: number }>('POST', '/api/v1/boxes', { token, body });
      ids.push(id);
      const batch = { create: Array.from({ length: items }, () => ({ box_id: id })) };
      await service.ok('POST', '/api/v1/items/batch', { token, body: batch });
      await service.ok('POST', '/api/v1/labels', { token, body: { label: { box_id: id } } });
    }
    /** The last acknowledged version of each box. */
    const acknowledged = new Map(ids.map((id) => [id, 1]));
    let turns = 0;
    const turn = async (origin: string, id: number): Promise<void> => {
      for (;;) {
        const version = acknowledged.get(id) ?? 0;
        // Odd versions are those of a box in its place: each deletion makes one, and each return.
        const answer =
          version % 2 === 1
            ? await fetch(`${origin}/api/v1/boxes/${id}`, { method: 'DELETE', headers })
            : await fetch(`${origin}/admin/records/boxes/${id}/restore`, { method: 'POST', headers });
        expect(answer.status).toBe(200);
        await answer.arrayBuffer();
        acknowledged.set(id, version + 1);
        turns += 1;
      }
    };
    for (let kill = 0; kill < 6; kill += 1) {
      const child = startChild('faults/children/serve-boxes.ts', [JSON.stringify(service.env)]);
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
        // A transaction that was on its way may still be rolled back by the server.
        const look = async () => {
          const { version, there, trashed } = await storedOf(service, id);
          const whole = version % 2 === 1 ? [there, trashed] : [trashed, there];
          const last = acknowledged.get(id) ?? 0;
          return [version >= last && version <= last + 1, whole];
        };
        await expect.poll(look).toEqual([
          true,
          [
            [1, items, 1],
            [0, 0, 0],
          ],
        ]);
        acknowledged.set(id, (await storedOf(service, id)).version);
      }
    }
    process.stdout.write(`${turns} deletions and returns, killed six times (${databases.dialect})\n`);
  });
});
