import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Case, casesOf } from '../../bench/cases.ts';
import { type Data, sqliteData } from '../../bench/data.ts';
import { measure } from '../../bench/measure.ts';
import { type Running, startBare, startService } from '../../bench/processes.ts';

const notes = 2_000;

/**
 * No timing: CPU time per request beside the bare server in the same run, the best of some rounds, against a third or
 * less of what a quiet machine shows with as few notes. A change that breaks this has made requests several times as dear.
 */
const least: Readonly<Record<string, number>> = {
  health: 0.3,
  'detail, JWT': 0.5,
  'page of 20, JWT': 0.6,
  '1,000 rows, JWT': 0.7,
  'create, durable': 1.5,
};

describe('CPU per request, beside the bare server', () => {
  let data: Data;
  let [bare, service]: (Running | undefined)[] = [];
  beforeAll(async () => {
    data = await sqliteData({ notes });
    bare = await startBare(data);
    service = await startService(data);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([bare?.stop(), service?.stop()]);
    await data.remove();
  });

  const cpuOf = async (server: Running | undefined, one: Case): Promise<number> => {
    if (server === undefined) throw new Error('there is no server');
    const job = { connections: one.connections, expect: one.expect, requests: one.requests };
    return (await measure(server, { ...job, milliseconds: 500 })).cpu;
  };

  for (const [name, ratio] of Object.entries(least))
    it(`${name}: no more than ${1 / ratio} of its`, { timeout: 60_000 }, async () => {
      const one = casesOf(data, notes).find((each) => each.name === name);
      if (one === undefined) throw new Error(`no such case: ${name}`);
      let best = 0;
      for (let round = 0; round < 6 && best < ratio; round += 1) {
        const theirs = await cpuOf(bare, one);
        best = Math.max(best, theirs / (await cpuOf(service, one)));
      }
      expect(best).toBeGreaterThanOrEqual(ratio);
    });
});
