import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { OwnedBytes } from '../kernel/json.ts';
import { FramedBytes } from './pipeline.ts';

let server: Server | undefined;

/** A server that sends the next of these bodies for every request; `sent` is called with each response. */
const serve = async (
  bodies: readonly FramedBytes[],
  sent: (response: ServerResponse) => void = () => {},
): Promise<number> => {
  let next = 0;
  server = createServer((_request, response) => {
    const body = bodies[next++];
    if (body === undefined) throw new Error('more requests than bodies');
    response.writeHead(200, { 'content-length': body.byteLength });
    body.send(response);
    sent(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
});

/** Bytes that show what has become of them once they were taken. */
class WatchedBytes extends OwnedBytes {
  taken: Uint8Array | undefined;

  override take(): Uint8Array {
    this.taken = super.take();
    return this.taken;
  }

  get left(): number {
    return this.taken?.byteLength ?? this.byteLength;
  }
}

const filled = (length: number, letter: string): WatchedBytes =>
  new WatchedBytes(new Uint8Array(length).fill(letter.charCodeAt(0)));

/** More than all buffers on the way take. */
const size = 16_000_000;

it('sends what stands before, the bytes and what stands after, and gives their memory back', async () => {
  const bytes = filled(300_000, 'x');
  const port = await serve([new FramedBytes('前[', bytes, ']后')]);
  const answer = await fetch(`http://127.0.0.1:${port}`);
  expect(await answer.text()).toBe(`前[${'x'.repeat(300_000)}]后`);
  await expect.poll(() => bytes.left).toBe(0);
});

it('keeps the bytes until the last of them is taken, in the order of the requests', async () => {
  const all = ['a', 'b', 'c'].map((letter) => filled(size, letter));
  const port = await serve(all.map((bytes) => new FramedBytes('<', bytes, '>')));
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n'.repeat(3));
  const received: string[] = [];
  const readUntil = async (end: string): Promise<void> => {
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      received.push(String(chunk));
      if (received.slice(-2).join('').includes(end)) return;
    }
  };
  await readUntil('a>');
  // The second is not read any further, so the third, though sent long ago, cannot have gone.
  await expect.poll(() => all[0]?.left).toBe(0);
  expect(all.slice(1).map(({ left }) => left)).toEqual([size, size]);
  await readUntil('c>');
  const bodies = received
    .join('')
    .split('<')
    .slice(1)
    .map((text) => [text[0], text.indexOf('>')]);
  expect(bodies).toEqual([
    ['a', size],
    ['b', size],
    ['c', size],
  ]);
  await expect.poll(() => all.map(({ left }) => left)).toEqual([0, 0, 0]);
  socket.destroy();
});

it('leaves the bytes alone where the caller hangs up, and where they are part of something larger', async () => {
  const unread = filled(size, 'x');
  const part = Buffer.from('part of a pool');
  const begun = Promise.withResolvers<ServerResponse>();
  const port = await serve(
    [new FramedBytes('<', unread, '>'), new FramedBytes('<', new OwnedBytes(part), '>')],
    begun.resolve,
  );
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  const closed = once(await begun.promise, 'close');
  socket.resetAndDestroy();
  await closed;
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe('<part of a pool>');
  expect([unread.left, String(part)]).toEqual([size, 'part of a pool']);
});

it('answers HEAD with the length only', async () => {
  const port = await serve([new FramedBytes('<', filled(1_000, 'x'), '>')]);
  const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'HEAD' });
  expect([answer.headers.get('content-length'), await answer.text()]).toEqual(['1002', '']);
});

it('framed bytes are sent once', async () => {
  const body = new FramedBytes('<', filled(3, 'x'), '>');
  const port = await serve([body]);
  await fetch(`http://127.0.0.1:${port}`);
  expect(() => body.byteLength).toThrow('already taken');
});
