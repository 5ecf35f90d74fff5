import { beforeAll, describe, expect, it } from 'vitest';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { rawSocket } from '../support/raw-socket.ts';
import { type TestUser, useService } from '../support/service.ts';

const aborted: boolean[] = [];
let arrived = () => {};

const application = {
  endpoints: [
    defineEndpoint({
      method: 'GET',
      path: '/waits',
      auth: [],
      handle: ({ signal }) =>
        new Promise<undefined>((resolve) => {
          arrived();
          signal.addEventListener('abort', () => {
            aborted.push(signal.aborted);
            resolve(undefined);
          });
        }),
    }),
    defineEndpoint({
      method: 'GET',
      path: '/looks',
      auth: [],
      handle: ({ signal }) => ({ aborted: signal.aborted }),
    }),
  ],
};

describeEachDatabase('connections', (databases) => {
  const service = useService(databases, { application });
  let user: TestUser;
  beforeAll(async () => {
    user = await service.createUser(['admin']);
    const insert = (first: number): string =>
      Array.from(
        { length: 500 },
        (_, index) => `('many${first + index}', 'many${first + index}@example.com')`,
      )
        .map((names) => names.replaceAll(/^\(|\)$/g, ''))
        .map((names) => `(${names}, ${names}, 'n', 'x', '2026-01-01', '2026-01-01')`)
        .join(', ');
    for (let first = 0; first < 6000; first += 500)
      await service.server.services.database.execute({
        sql: `insert into users (username, email, username_canonical, email_canonical, name, password_hash, created_at, updated_at) values ${insert(first)}`,
        parameters: [],
      });
  });

  it('a connection keeps nothing of the requests that it has served', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    const socket = rawSocket(service.port);
    const request = 'GET /api/v1/looks HTTP/1.1\r\nHost: x\r\n\r\n';
    for (let count = 1; count <= 30; count += 1) {
      socket.write(request);
      await socket.received('"aborted":false', count);
    }
    socket.destroy();
    // A warning is emitted on the next turn of the loop.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(warnings.map(String)).toEqual([]);
  });

  it('a handler learns that its caller has hung up', async () => {
    const waiting = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const socket = rawSocket(service.port);
    socket.write('GET /api/v1/waits HTTP/1.1\r\nHost: x\r\n\r\n');
    await waiting;
    socket.destroy();
    await expect.poll(() => aborted).toEqual([true]);
  });

  describe('a list of thousands', () => {
    it('a list of thousands comes whole', async () => {
      const users = await service.ok<unknown[]>('GET', '/api/v1/users', { token: user });
      expect(users).toHaveLength(6002);
    });

    it('HEAD leaves no place in the line of long lists taken', async () => {
      for (let count = 0; count < 20; count += 1)
        expect((await service.request('HEAD', '/api/v1/users', { token: user })).status).toBe(200);
    });

    it('a caller who hangs up before or while a long list comes leaves no place taken', async () => {
      for (let count = 0; count < 20; count += 1) {
        const socket = rawSocket(service.port);
        socket.write(`GET /api/v1/users HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${user.token}\r\n\r\n`);
        if (count % 2 === 0) await socket.received('HTTP/1.1 200');
        socket.destroy();
      }
      const statuses = async () => (await service.request('HEAD', '/api/v1/users', { token: user })).status;
      await expect.poll(statuses, { timeout: 10_000 }).toBe(200);
      const again = Array.from({ length: 8 }, () => service.get('/api/v1/users', { token: user }));
      for (const { status } of await Promise.all(again)) expect(status).toBe(200);
    });
  });
});
