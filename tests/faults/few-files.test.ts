import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { connectionsWithin } from '../../src/app/open-files.ts';
import { startChildService } from '../scale/child-service.ts';
import { describeEachDatabase } from '../support/databases.ts';

describeEachDatabase('a process that may open 256 files', (databases) => {
  it('answers, though 400 sockets say nothing and come again', { timeout: 60_000 }, async () => {
    const { port, end } = await startChildService(await databases.create(), { openFiles: 256 });
    const silent = new Set<Socket>();
    let turnedAway = 0;
    let stopped = false;
    const besiege = (): void => {
      if (stopped) return;
      const socket = connect(port, '127.0.0.1');
      silent.add(socket.on('error', () => {}));
      socket.on('close', () => {
        turnedAway += 1;
        silent.delete(socket);
        setTimeout(besiege, 100);
      });
    };
    for (let count = 0; count < 400; count += 1) besiege();
    /** A connection of its own each time, from this address of the loopback. */
    const ready = (localAddress: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const path = '/api/v1/health?ready';
        request({ port, host: '127.0.0.1', localAddress, path, agent: false }, (message) => {
          message.resume().on('end', () => resolve(message.statusCode));
        })
          .on('error', reject)
          .end();
      });
    await expect.poll(() => turnedAway).toBeGreaterThan(400);
    for (let count = 0; count < 20; count += 1) expect(await ready('127.0.0.2')).toBe(200);
    stopped = true;
    for (const socket of silent) socket.destroy();
    expect(await end()).toBe(0);
  });
});

it('the number of connections leaves files for the rest', () => {
  const config = { maxConnections: 10_000, databasePool: 10 };
  expect(connectionsWithin(config, 256)).toBe(182);
  expect(connectionsWithin(config, 1_000_000)).toBe(10_000);
  expect(connectionsWithin(config, 20)).toBe(1);
});
