import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Connections, type ConnectionsOptions } from './connections.ts';

let server: Server | undefined;
const open: Socket[] = [];

afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
  server?.close();
});

/** A server that counts its connections; those of other addresses of the loopback are other networks. */
const counting = async (options: ConnectionsOptions) => {
  const connections = new Connections(options);
  const listening = createServer((socket) => {
    open.push(socket.on('error', () => {}));
    server?.emit('counted', [socket, connections.opened(socket)]);
  });
  server = listening;
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  const arrive = async (localAddress = '127.0.0.1', busy = false): Promise<[Socket, boolean]> => {
    const counted = once(listening, 'counted');
    open.push(connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {}));
    const [[socket, stays]] = (await counted) as [[Socket, boolean]];
    if (busy) connections.arrived(socket);
    return [socket, stays];
  };
  return { connections, arrive };
};

describe('connections beyond the bound', () => {
  it('make the oldest idle one of the largest network give way', async () => {
    const { arrive } = await counting({ most: 4 });
    const [busy] = await arrive('127.0.0.1', true);
    const [idle] = await arrive();
    const [other] = await arrive('127.0.0.2');
    const [idleToo] = await arrive();
    const [, stays] = await arrive();
    expect(
      [stays, busy, idle, other, idleToo].map((it) => (typeof it === 'boolean' ? it : it.destroyed)),
    ).toEqual([true, false, true, false, false]);
  });

  it('are refused where nobody of their own network is idle', async () => {
    const { arrive } = await counting({ most: 3 });
    const busy = [
      await arrive('127.0.0.1', true),
      await arrive('127.0.0.1', true),
      await arrive('127.0.0.1', true),
    ];
    expect((await arrive())[1]).toBe(false);
    expect(busy.map(([socket]) => socket.destroyed)).toEqual([false, false, false]);
  });

  it('come in where one network holds all, however busy it is', async () => {
    const { arrive } = await counting({ most: 3 });
    const [oldest] = await arrive('127.0.0.1', true);
    await arrive('127.0.0.1', true);
    await arrive('127.0.0.1', true);
    const stay = [(await arrive('127.0.0.2', true))[1], (await arrive('127.0.0.2', true))[1]];
    // Two of one and one of the other: to take more would only change the sides.
    expect([...stay, oldest.destroyed]).toEqual([true, false, true]);
  });

  it('take none from a proxy that waits for an answer', async () => {
    const { arrive } = await counting({ most: 2, isProxy: (address) => address === '127.0.0.1' });
    const [oldest] = await arrive('127.0.0.1', true);
    await arrive('127.0.0.1', true);
    expect([(await arrive('127.0.0.2'))[1], oldest.destroyed]).toEqual([false, false]);
  });

  it('find room again when others have closed', async () => {
    const { arrive } = await counting({ most: 2 });
    const [first] = await arrive('127.0.0.1', true);
    await arrive('127.0.0.1', true);
    expect((await arrive())[1]).toBe(false);
    first.destroy();
    await once(first, 'close');
    expect((await arrive())[1]).toBe(true);
  });
});
