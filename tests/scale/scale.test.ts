import { once } from 'node:events';
import { Agent, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { type ChildService, startChildService } from './child-service.ts';
import { measureRead, open, receive, unboundedReads } from './measure.ts';

/**
 * The mechanism behind the figures of `npm run scale`, on fewer rows. The delay of the main thread is measured
 * as processor time, which other work of the machine does not change; times of the clock have wide margins.
 */

const list = '/api/v1/notes';

/** Milliseconds by which no caller may be delayed. */
const holdUp = 20;

const megabyte = 1e6;

/** Lists that may be streamed at a time for one caller. */
const streams = 2;

/** Milliseconds that a caller may leave a long answer unread. */
const stallTimeoutMs = 1500;

describeEachDatabase('many rows', (databases) => {
  const rows = databases.dialect === 'sqlite' ? 200_000 : 60_000;
  let service: ChildService;
  const agents: Agent[] = [];

  beforeAll(async () => {
    service = await startChildService(await databases.create(), { rows, stallTimeoutMs });
    await receive(service, list);
  }, 120_000);
  afterAll(async () => {
    for (const agent of agents) agent.destroy();
    await service.end();
  });

  /** An answer whose body is left unread, on a connection of its own. */
  const unread = async (): Promise<IncomingMessage> => {
    const agent = new Agent();
    agents.push(agent);
    return open(service, list, agent);
  };

  it('many rows are listed in memory that does not grow with them, while others are answered', async () => {
    const { status, braces, bytes, busy, first, slowest, residentBefore, residentMost } = await measureRead(
      service,
      list,
    );
    expect([status, braces]).toEqual([200, rows + 1]);
    expect(bytes).toBeGreaterThan(rows * 200);
    expect(busy).toBeLessThan(holdUp);
    expect(first).toBeLessThan(500);
    expect(slowest).toBeLessThan(1000);
    expect(residentMost - residentBefore).toBeLessThan(45 * megabyte);
  }, 60_000);

  it.each(unboundedReads(rows))('%s delays no other caller', async (path) => {
    const { status, busy, slowest } = await measureRead(service, path);
    expect(status).toBe(200);
    expect(busy).toBeLessThan(holdUp);
    expect(slowest).toBeLessThan(1000);
  });

  it('many rows cost nothing for callers who do not read, who are cut in the end', async () => {
    await service.reset();
    const stalled = await Promise.all(Array.from({ length: streams }, unread));
    expect(stalled.map(({ statusCode }) => statusCode)).toEqual(stalled.map(() => 200));
    // A third waits for one of their places.
    const third = receive(service, list);
    expect((await receive(service, `${list}/17`)).status).toBe(200);
    expect((await receive(service, `${list}?per_page=20&after=`)).status).toBe(200);
    expect((await receive(service, `${list}?per_page=20`)).status).toBe(200);
    const { busy, residentBefore, residentMost } = await service.report();
    expect(busy).toBeLessThan(holdUp);
    // 64 KiB of each list or two are on their way, not the tens of megabytes that each of them has.
    expect(residentMost - residentBefore).toBeLessThan(60 * megabyte);
    // Their places are free once they are cut; what they find when they read at last is half an answer and the cut.
    expect((await third).status).toBe(200);
    for (const message of stalled) {
      const cut = once(message, 'error');
      message.resume();
      await expect(cut).resolves.toMatchObject([{ code: 'ECONNRESET' }]);
    }
  }, 60_000);
});
