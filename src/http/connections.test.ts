import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Connections, type ConnectionsOptions, type LastRequest } from './connections.ts';

let server: Server | undefined;
const open: Socket[] = [];

afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
  server?.close();
});

/** A server that counts its connections; connections of other addresses of the loopback are other networks. */
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
  it('connections beyond the bound make the oldest idle one of the largest network give way', async () => {
    const { arrive } = await counting({ maxConnections: 4 });
    const [busy] = await arrive('127.0.0.1', true);
    const [idle] = await arrive();
    const [other] = await arrive('127.0.0.2');
    const [idleToo] = await arrive();
    const [, stays] = await arrive();
    expect(
      [stays, busy, idle, other, idleToo].map((it) => (typeof it === 'boolean' ? it : it.destroyed)),
    ).toEqual([true, false, true, false, false]);
  });

  it('connections beyond the bound are refused where no connection of their own network is idle', async () => {
    const { arrive } = await counting({ maxConnections: 3 });
    const busy = [
      await arrive('127.0.0.1', true),
      await arrive('127.0.0.1', true),
      await arrive('127.0.0.1', true),
    ];
    expect((await arrive())[1]).toBe(false);
    expect(busy.map(([socket]) => socket.destroyed)).toEqual([false, false, false]);
  });

  it('connections beyond the bound come in where one network holds all, however busy it is', async () => {
    const { arrive } = await counting({ maxConnections: 3 });
    const [oldest] = await arrive('127.0.0.1', true);
    await arrive('127.0.0.1', true);
    await arrive('127.0.0.1', true);
    const stay = [(await arrive('127.0.0.2', true))[1], (await arrive('127.0.0.2', true))[1]];
    // Two of one and one of the other: to take more would only change the sides.
    expect([...stay, oldest.destroyed]).toEqual([true, false, true]);
  });

  it('connections beyond the bound take none from a proxy that waits for an answer', async () => {
    const { arrive } = await counting({ maxConnections: 2, isProxy: (address) => address === '127.0.0.1' });
    const [oldest] = await arrive('127.0.0.1', true);
    await arrive('127.0.0.1', true);
    expect([(await arrive('127.0.0.2'))[1], oldest.destroyed]).toEqual([false, false]);
  });

  it('connections beyond the bound find room again when others have closed', async () => {
    const { arrive } = await counting({ maxConnections: 2 });
    const [first] = await arrive('127.0.0.1', true);
    await arrive('127.0.0.1', true);
    expect((await arrive())[1]).toBe(false);
    first.destroy();
    await once(first, 'close');
    expect((await arrive())[1]).toBe(true);
  });
});

describe('requests in flight', () => {
  it('requests in flight are counted until they are answered, and those that wait longest are named first', async () => {
    const { connections, arrive } = await counting({});
    const sockets = [await arrive(), await arrive('127.0.0.2'), await arrive()].map(([socket]) => socket);
    const last = sockets.map((socket, index) => {
      const request = { route: `/${index}`, arrived: 10 - index } as LastRequest;
      const connection = connections.arrived(socket);
      if (connection !== undefined) connection.last = request;
      return request;
    });
    expect([connections.inFlight, connections.longestWaiting(2)]).toEqual([3, [last[2], last[1]]]);
    connections.answered(connections.of(sockets[2] as Socket));
    expect([connections.inFlight, connections.longestWaiting(2)]).toEqual([2, [last[1], last[0]]]);
  });

  it('requests in flight do not count where a connection has sent more than it may', async () => {
    const { connections, arrive } = await counting({});
    const [socket] = await arrive();
    const taken = Array.from({ length: 130 }, () => connections.arrived(socket));
    expect([taken.filter((one) => one !== undefined).length, connections.inFlight]).toEqual([128, 128]);
  });
});
