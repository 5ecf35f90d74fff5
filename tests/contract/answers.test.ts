import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AnswerOptions, answer, type RawAnswer } from '../../src/resources/application/answer.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeDatabase } from '../support/databases.ts';
import { exchange, parseRaw, rawSocket } from '../support/raw-socket.ts';
import { useService } from '../support/service.ts';

let folder = '';

/** Streams that the endpoints have opened, by path. */
const sources = new Map<string, Readable>();

/** Pieces that the endless source has given. */
let given = 0;

const endless = (): Readable =>
  new Readable({
    highWaterMark: 65_536,
    read() {
      given += 1;
      this.push(Buffer.alloc(65_536, 'x'));
    },
  });

const sixteenKiB = 'y'.repeat(16_384);

const failing = async function* (after: number) {
  for (let piece = 0; piece < after; piece += 1) {
    yield `piece ${piece};`;
    // The rows up to here have been sent when the source breaks.
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('the source broke');
};

const noted = (path: string, source: Readable): Readable => {
  sources.set(path, source);
  return source;
};

const constant = answer({ body: 'always the same' });

const answers: Readonly<Record<string, () => RawAnswer | Promise<RawAnswer>>> = {
  '/page': () => answer({ type: 'text/html', body: '<p>Grüße</p>' }),
  '/own-policy': () =>
    answer({
      type: 'text/html; charset=utf-8',
      headers: { 'Content-Security-Policy': "default-src 'self'", 'Cache-Control': 'public, max-age=60' },
      body: 'x',
    }),
  '/pdf': () => answer({ type: 'application/pdf', body: new Uint8Array([0x25, 0x50, 0x44, 0x46]) }),
  '/constant': () => constant,
  '/see-other': () =>
    answer({ status: 303, headers: { Location: '/api/v1/page', 'Set-Cookie': ['a=1', 'b=2'] } }),
  '/teapot': () => answer({ status: 418, body: 'short and stout' }),
  '/download': () =>
    answer({
      type: 'text/csv; charset=utf-8',
      headers: {
        'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent('报告.csv')}`,
        'Content-Length': '9',
      },
      body: createReadStream(join(folder, 'report.csv')),
    }),
  '/web-stream': () =>
    answer({
      body: new ReadableStream<string | Uint8Array>({
        start(controller) {
          controller.enqueue('text, ');
          controller.enqueue(Buffer.from('bytes'));
          controller.close();
        },
      }),
    }),
  '/no-file': async () => {
    const missing = answer({ body: createReadStream(join(folder, 'missing')) });
    await new Promise((resolve) => setImmediate(resolve));
    return missing;
  },
  '/fails-at-once': () => answer({ body: failing(0) }),
  '/fails-later': () => answer({ body: failing(3) }),
  '/too-short': () => answer({ headers: { 'Content-Length': '1000' }, body: Readable.from(['short']) }),
  '/too-long': () => answer({ headers: { 'Content-Length': '3' }, body: Readable.from(['ab', 'cd']) }),
  '/no-pieces': () => answer({ body: Readable.from([{ a: 1 }]) as Readable }),
  '/no-content': () => answer({ status: 204, body: noted('/no-content', endless()) }),
  '/endless': () => answer({ body: noted('/endless', endless()) }),
  '/silent-later': () => answer({ body: noted('/silent-later', new Readable({ read() {} })) }),
  '/begun': () => {
    const source = noted('/begun', new Readable({ read() {} }));
    source.push('begun');
    return answer({ body: source });
  },
  '/big': () =>
    answer({
      body: Readable.from(
        (function* () {
          for (let i = 0; i < 640; i += 1) yield sixteenKiB;
        })(),
      ),
    }),
  '/injected': () => answer({ headers: { 'X-A': 'a\r\nX-B: b' }, body: noted('/injected', endless()) }),
};

const wrong: Readonly<Record<string, readonly [AnswerOptions, RegExp]>> = {
  name: [{ headers: { 'a b': 'c' } }, /a b/],
  type: [{ type: 'text/html\r\nx: y', body: '' }, /is not a media type/],
  'content-type': [{ headers: { 'content-type': 'text/html' }, body: '' }, /say it as `type`/],
  nosniff: [{ headers: { 'X-Content-Type-Options': 'x' } }, /X-Content-Type-Options is not set here/],
  framing: [{ headers: { 'Transfer-Encoding': 'chunked' } }, /Transfer-Encoding is not set here/],
  length: [{ headers: { 'Content-Length': '5' }, body: 'four' }, /not the length of the body/],
  twice: [{ headers: { 'X-A': 'a', 'x-a': 'b' } }, /is there twice/],
  status: [{ status: 101 }, /from 200 to 599, not 101/],
  option: [{ statuss: 200 } as AnswerOptions, /nearest is "status"/],
  body: [{ body: 7 as unknown as string }, /body must be a text, bytes or a stream/],
};

const application = {
  endpoints: [
    ...Object.entries(answers).map(([path, handle]) =>
      defineEndpoint({ method: 'GET', path, auth: [], handle }),
    ),
    ...Object.entries(wrong).map(([name, [options]]) =>
      defineEndpoint({ method: 'GET', path: `/wrong-${name}`, auth: [], handle: () => answer(options) }),
    ),
  ],
};

describeDatabase('sqlite', 'answers that go as they are', (databases) => {
  const service = useService(databases, {
    application,
    env: { HANDLER_TIMEOUT: '1' },
    stallTimeoutMs: 1_000,
  });
  const get = (path: string, init: RequestInit = {}) =>
    fetch(`${service.origin}/api/v1${path}`, { redirect: 'manual', ...init });
  const raw = (path: string, method = 'GET') =>
    exchange(service.port, `${method} /api/v1${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  const logged = (text: string) => service.lines.some((line) => line.includes(text));

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatewright-answers-'));
    await writeFile(join(folder, 'report.csv'), 'a,b\n1,2\r\n');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('a text goes as it is, with the headers of every answer, and runs nothing where it is a page', async () => {
    const page = await get('/page');
    expect([page.status, await page.text()]).toEqual([200, '<p>Grüße</p>']);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-length': '14',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^default-src 'none';.*; sandbox$/),
    });
    const { headers } = await get('/own-policy');
    expect(headers.get('content-security-policy')).toBe("default-src 'self'");
    expect(headers.get('cache-control')).toBe('public, max-age=60');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('bytes, a status of its own, a redirection, and an answer that is given again', async () => {
    const pdf = await get('/pdf');
    expect([await pdf.text(), pdf.headers.get('content-type')]).toEqual(['%PDF', 'application/pdf']);
    expect(pdf.headers.get('content-security-policy')).toBeNull();
    const teapot = await get('/teapot');
    expect([teapot.status, await teapot.text()]).toEqual([418, 'short and stout']);
    const other = await get('/see-other');
    expect([other.status, other.headers.get('location'), await other.text()]).toEqual([
      303,
      '/api/v1/page',
      '',
    ]);
    expect([other.headers.getSetCookie(), other.headers.get('content-type')]).toEqual([['a=1', 'b=2'], null]);
    for (const _ of [1, 2]) expect(await (await get('/constant')).text()).toBe('always the same');
  });

  it('streams of either kind, a file to keep with its name and length', async () => {
    const file = await get('/download');
    expect(file.headers.get('content-length')).toBe('9');
    expect(file.headers.get('content-disposition')).toContain("UTF-8''%E6%8A%A5");
    expect(await file.text()).toBe('a,b\n1,2\r\n');
    const web = await get('/web-stream');
    expect([await web.text(), web.headers.get('content-type')]).toEqual([
      'text, bytes',
      'application/octet-stream',
    ]);
    expect((await (await get('/big')).text()).length).toBe(640 * 16_384);
  });

  it.each(['/no-file', '/fails-at-once', '/no-pieces'])(
    '%s: what fails before its first piece is an error envelope',
    async (path) => {
      const answered = await service.get(`/api/v1${path}`);
      expect([answered.status, answered.json.code]).toEqual([500, 50000]);
      expect(answered.headers['content-security-policy']).toBeUndefined();
    },
  );

  it('what fails later is cut, and never looks whole', async () => {
    const text = await raw('/fails-later');
    expect(text).toContain('piece 2;');
    expect(text.endsWith('0\r\n\r\n')).toBe(false);
    expect(logged('the source broke')).toBe(true);
    await expect(get('/fails-later').then((response) => response.text())).rejects.toThrow();
  });

  it('a length that is not kept is cut, and no byte too many goes out', async () => {
    await expect(get('/too-short').then((response) => response.text())).rejects.toThrow();
    expect(await raw('/too-long')).not.toContain('abc');
  });

  it('HEAD and 204 have no body, and their sources are ended', async () => {
    const head = parseRaw(await raw('/endless', 'HEAD'));
    expect([head.status, head.body]).toEqual([200, '']);
    await expect.poll(() => sources.get('/endless')?.destroyed).toBe(true);
    const none = await get('/no-content');
    expect([none.status, await none.text(), none.headers.get('content-type')]).toEqual([204, '', null]);
    expect(sources.get('/no-content')?.destroyed).toBe(true);
  });

  it('a caller who hangs up ends the source, also one that has nothing to say', async () => {
    const socket = rawSocket(service.port);
    socket.write('GET /api/v1/begun HTTP/1.1\r\nHost: a\r\n\r\n');
    await socket.received('begun');
    const source = sources.get('/begun');
    expect(source?.destroyed).toBe(false);
    socket.destroy();
    await expect.poll(() => source?.destroyed).toBe(true);
  });

  it('a reader who stops is cut, the source is ended, and little of it was taken', async () => {
    given = 0;
    sources.delete('/endless');
    const socket = connect(service.port, '127.0.0.1').pause();
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write('GET /api/v1/endless HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => sources.get('/endless')?.destroyed).toBe(true);
    expect(logged('the caller stopped reading')).toBe(true);
    // The buffers of the system hold some megabytes of it.
    expect(given).toBeLessThan(640);
    socket.destroy();
  });

  it('a stream has its first piece in the time of the handler, else it is 503 and ended', async () => {
    const silent = await service.get('/api/v1/silent-later');
    expect([silent.status, silent.json.code]).toEqual([503, 50304]);
    expect(sources.get('/silent-later')?.destroyed).toBe(true);
  });

  it('a header that would be two is refused, and its stream is ended', async () => {
    const injected = parseRaw(await raw('/injected'));
    expect([injected.status, injected.headers.get('x-b')]).toEqual([500, undefined]);
    expect(sources.get('/injected')?.destroyed).toBe(true);
  });

  it.each(Object.entries(wrong))(
    '%s: what cannot be answered is 500, and the log says why',
    async (name, [, why]) => {
      const answered = await service.get(`/api/v1/wrong-${name}`);
      expect([answered.status, answered.json.code]).toEqual([500, 50000]);
      expect(
        service.lines.some((line) =>
          why.test((JSON.parse(line) as { err?: { message: string } }).err?.message ?? ''),
        ),
      ).toBe(true);
    },
  );
});
