import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { describeEachDatabase } from '../support/databases.ts';
import { command, type RunningService, runService } from '../support/run-service.ts';
import { headersOf, plainTextOf, receiveMail } from '../support/smtp.ts';

const folder = fileURLToPath(new URL('./mail-app', import.meta.url));

const addresses = Array.from({ length: 40 }, (_, index) => `person${index}@example.com`);

/** Jobs that a process runs at the same time. */
const concurrency = 5;

describeEachDatabase('mail of a process that is killed', (databases) => {
  it('mail of a killed process is sent once it was requested; only a message that a kill interrupted is sent twice', {
    timeout: 180_000,
  }, async () => {
    // Kills meet messages that the server has stored and not yet confirmed.
    const smtp = await receiveMail({}, (done) => void setTimeout(done, 100));
    const env = {
      DATABASE_URL: await databases.create(),
      JWT_SECRET: 'x'.repeat(32),
      SMTP: `smtp://127.0.0.1:${smtp.port}`,
      JOBS_CONCURRENCY: String(concurrency),
    };
    const start = (): Promise<RunningService> => runService([...command, 'start'], { folder, env });
    const post = async ({ port }: RunningService, path: string, body: object): Promise<number> => {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/auth/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      await response.arrayBuffer();
      return response.status;
    };
    let service = await start();
    let kills = 0;
    for (const [index, email] of addresses.entries()) {
      expect([email, await post(service, 'register', { email })]).toEqual([email, 200]);
      if (index % 10 !== 9) continue;
      process.kill(service.pid, 'SIGKILL');
      await service.ended();
      kills += 1;
      service = await start();
    }
    const receivers = () => new Set(smtp.received.flatMap(({ to }) => to));
    await expect.poll(() => receivers().size, { timeout: 120_000 }).toBe(addresses.length);
    const database = await databases.open(env.DATABASE_URL);
    const jobs = { sql: 'select id from gatewright_jobs', parameters: [] };
    await expect.poll(() => database.all(jobs), { timeout: 60_000 }).toEqual([]);
    expect([...receivers()].sort()).toEqual([...addresses].sort());
    expect(smtp.received.length - addresses.length).toBeLessThanOrEqual(kills * concurrency);
    // Every copy of a message has one id, and the link of every copy is the same.
    for (const address of addresses) {
      const copies = smtp.received.filter(({ to }) => to.includes(address));
      expect(new Set(copies.map((mail) => headersOf(mail).get('message-id')?.[0])).size).toBe(1);
      expect(new Set(copies.map((mail) => /#\S+/.exec(plainTextOf(mail))?.[0])).size).toBe(1);
    }
    expect(smtp.received.every((mail) => plainTextOf(mail).includes('/account/register#'))).toBe(true);
    const [mail] = smtp.received;
    const token = /#(\S+)/.exec(mail === undefined ? '' : plainTextOf(mail))?.[1];
    const chosen = { username: 'first', password: 'walnut-harbour-61 lamp' };
    expect(await post(service, 'register/confirm', { token, ...chosen })).toBe(201);
    console.log(
      `${addresses.length} messages, ${kills} kills, ${smtp.received.length - addresses.length} sent twice`,
    );
  });
});
