import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { FramedBytes } from './framed-bytes.ts';

let server: Server | undefined;

/** A server that answers every request with the next of these bodies. */
const serve = async (bodies: readonly FramedBytes[]): Promise<number> => {
  let next = 0;
  server = createServer((_request, response) => {
    const body = bodies[next++];
    if (body === undefined) throw new Error('more requests than bodies');
    response.writeHead(200, { 'content-length': body.byteLength });
    body.send(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
});

const filled = (length: number, letter: string): Uint8Array =>
  new Uint8Array(length).fill(letter.charCodeAt(0));

it('sends what stands before, the bytes and what stands after, and gives their memory back', async () => {
  const bytes = filled(300_000, 'x');
  const port = await serve([new FramedBytes('前[', bytes, ']后')]);
  const answer = await fetch(`http://127.0.0.1:${port}`);
  expect(await answer.text()).toBe(`前[${'x'.repeat(300_000)}]后`);
  await expect.poll(() => bytes.byteLength).toBe(0);
});

it('keeps the bytes until the last of them is taken, in the order of the requests', async () => {
  const size = 8_000_000;
  const all = ['a', 'b', 'c'].map((letter) => filled(size, letter));
  const port = await serve(all.map((bytes) => new FramedBytes('<', bytes, '>')));
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(3));
  await new Promise((resolve) => setTimeout(resolve, 200));
  // More than all buffers on the way take.
  expect(all.at(-1)?.byteLength).toBe(size);
  let received = '';
  for await (const chunk of socket) {
    received += String(chunk);
    if (received.endsWith('c>')) break;
  }
  const bodies = [...received.matchAll(/<([a-c]+)>/g)].map(([, body = '']) => [body[0], body.length]);
  expect(bodies).toEqual([
    ['a', size],
    ['b', size],
    ['c', size],
  ]);
  await expect.poll(() => all.map(({ byteLength }) => byteLength)).toEqual([0, 0, 0]);
});

it('leaves the bytes alone where the caller hangs up, and where they are part of something larger', async () => {
  const size = 8_000_000;
  const unread = filled(size, 'x');
  const part = Buffer.from('part of a pool');
  const port = await serve([new FramedBytes('<', unread, '>'), new FramedBytes('<', part, '>')]);
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  await new Promise((resolve) => setTimeout(resolve, 100));
  socket.resetAndDestroy();
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('<part of a pool>');
  expect([unread.byteLength, String(part)]).toEqual([size, 'part of a pool']);
});

it('answers HEAD with the length only', async () => {
  const port = await serve([new FramedBytes('<', filled(1_000, 'x'), '>')]);
  const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'HEAD' });
  expect([answer.headers.get('content-length'), await answer.text()]).toEqual(['1002', '']);
});
