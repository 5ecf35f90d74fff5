import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Problem } from '../kernel/problem.ts';
import { Arrivals, BodyMemory, type BodyReading, type BodySender, readBody } from './body.ts';
import { Connections } from './connections.ts';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const limit = 200_000;

const reading = (bodyLimit = limit, memory = 4 * limit): BodyReading => ({
  limit: bodyLimit,
  memory: new BodyMemory(memory),
  stallTimeoutMs: 30_000,
  arrivals: new Arrivals(),
});

/** A request as it comes from these pieces, each sent by itself, a turn of the event loop after its head. */
const arrival = async (
  ...pieces: readonly string[]
): Promise<{ readonly raw: IncomingMessage; readonly sender: BodySender; readonly socket: Socket }> => {
  const { promise, resolve } = Promise.withResolvers<BodySender>();
  server = createServer((raw, response) => {
    const connection = new Connections().of(raw.socket);
    resolve({ raw, response, connection, held: 0, unidentified: true });
  });
  await new Promise<void>((listening) => server?.listen(0, '127.0.0.1', listening));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay(true);
  socket.on('error', () => {});
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((sent) => setTimeout(sent, 20));
  }
  const sender = await promise;
  await nextTurn();
  return { raw: sender.raw, sender, socket };
};

const post = (length: number): string => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;

/** The problem that it throws, at once or later. */
const refusal = async (read: () => Buffer | Promise<Buffer>): Promise<string | undefined> => {
  try {
    await read();
    return undefined;
  } catch (error) {
    return error instanceof Problem ? error.problem : String(error);
  }
};

describe('a body', () => {
  it.each([1, 1_000, 60_000, 70_000, 100_000, limit])(
    'reads a body of %i bytes that came whole',
    async (size) => {
      const { sender } = await arrival(post(size) + 'x'.repeat(size));
      expect(String(await readBody(sender, reading()))).toBe('x'.repeat(size));
      expect(sender.held).toBeGreaterThanOrEqual(size);
    },
  );

  it('a body that came whole with its head is there at once', async () => {
    const { sender } = await arrival(`${post(4)}abcd`);
    expect(readBody(sender, reading())).toEqual(Buffer.from('abcd'));
  });

  it('waits for a body that still comes', async () => {
    const { sender, socket } = await arrival(`${post(6)}ab`);
    const body = readBody(sender, reading());
    socket.write('cd');
    socket.write('ef');
    expect(String(await body)).toBe('abcdef');
  });

  it('a body that is larger than allowed is not waited for', async () => {
    const { sender } = await arrival(post(100));
    expect(() => readBody(sender, reading(99))).toThrow('body_too_large');
  });

  it('refuses a body that turns out larger than allowed', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    const whole = await arrival(`${head}64\r\n${'x'.repeat(100)}\r\n0\r\n\r\n`);
    expect(await refusal(() => readBody(whole.sender, reading(99)))).toBe('body_too_large');
    server?.close();
    const { sender, socket } = await arrival(`${head}32\r\n${'x'.repeat(50)}\r\n`);
    const bodies = reading(99);
    const refused = refusal(() => readBody(sender, bodies));
    socket.write(`32\r\n${'x'.repeat(50)}\r\n`);
    expect(await refused).toBe('body_too_large');
    bodies.memory.release(sender);
    expect(bodies.memory.held).toBe(0);
  });

  it('rejects a body whose sender hung up, before it is read or meanwhile', async () => {
    const before = await arrival(`${post(6)}ab`);
    before.socket.resetAndDestroy();
    await expect.poll(() => before.raw.destroyed).toBe(true);
    expect(await refusal(() => readBody(before.sender, reading()))).toBe('bad_request');
    server?.close();
    const meanwhile = await arrival(`${post(6)}ab`);
    const refused = refusal(() => readBody(meanwhile.sender, reading()));
    meanwhile.socket.resetAndDestroy();
    expect(await refused).toBe('bad_request');
  });

  it('a body that came after its connection was given up is dropped', async () => {
    const { sender, socket } = await arrival(`${post(4)}ab`);
    const refused = refusal(() => readBody(sender, reading()));
    sender.connection.ending = true;
    socket.write('cd');
    expect(await refused).toBe('bad_request');
  });

  it('a body in pieces of a byte counts for more than its bytes', async () => {
    const { sender, socket } = await arrival(post(20));
    const refused = refusal(() => readBody(sender, reading(limit, 5_000)));
    for (let count = 0; count < 20; count += 1) {
      socket.write('x');
      await new Promise((sent) => setTimeout(sent, 5));
    }
    expect(await refused).toBe('overloaded');
  });
});
