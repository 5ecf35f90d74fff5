import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { readBody } from './read-body.ts';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const limit = 200_000;

/** A request as it comes from these pieces, each sent by itself, a turn of the event loop after its head. */
const arrival = async (
  ...pieces: readonly string[]
): Promise<{ readonly raw: IncomingMessage; readonly socket: Socket }> => {
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  server = createServer((request) => resolve(request));
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay(true);
  socket.on('error', () => {});
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((sent) => setTimeout(sent, 20));
  }
  const raw = await promise;
  await nextTurn();
  return { raw, socket };
};

const post = (length: number): string => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;

describe('a body', () => {
  it.each([1, 1_000, 60_000, 70_000, 100_000, limit])('of %i bytes that came whole', async (size) => {
    const { raw } = await arrival(post(size) + 'x'.repeat(size));
    expect(String(await readBody(raw, limit))).toBe('x'.repeat(size));
  });

  it('that came whole with its head is there at once', async () => {
    const { raw } = await arrival(`${post(4)}abcd`);
    expect(readBody(raw, limit)).toEqual(Buffer.from('abcd'));
  });

  it('that still comes', async () => {
    const { raw, socket } = await arrival(`${post(6)}ab`);
    const body = readBody(raw, limit);
    socket.write('cd');
    socket.write('ef');
    expect(String(await body)).toBe('abcdef');
  });

  it('that is larger than allowed', async () => {
    const { raw } = await arrival(post(100) + 'x'.repeat(100));
    expect(await readBody(raw, 99)).toBe('too-large');
  });

  it('whose sender hung up, before it is read or meanwhile', async () => {
    const before = await arrival(`${post(6)}ab`);
    before.socket.resetAndDestroy();
    await expect.poll(() => before.raw.destroyed).toBe(true);
    await expect(readBody(before.raw, limit)).rejects.toThrow('hung up');
    server?.close();
    const meanwhile = await arrival(`${post(6)}ab`);
    const body = readBody(meanwhile.raw, limit);
    meanwhile.socket.resetAndDestroy();
    await expect(body).rejects.toThrow();
  });
});
