import { createHash, createHmac } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { request as nodeRequest } from 'node:http';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { field } from '../../src/fields/define.ts';
import type { UploadedFile } from '../../src/http/uploads.ts';
import { answer } from '../../src/resources/application/answer.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeDatabase } from '../support/databases.ts';
import { file, multipart, multipartType, part, text } from '../support/multipart.ts';
import { exchange, parseRaw, rawSocket } from '../support/raw-socket.ts';
import { useService } from '../support/service.ts';

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

const never = (): Promise<never> => new Promise(() => {});

/** A file as its handler sees it while it is there. */
const seen = async ({ path, ...file }: UploadedFile) => {
  const { mode, size } = await stat(path);
  const folder = await stat(join(path, '..'));
  const modes = [mode, folder.mode].map((each) => (each & 0o777).toString(8));
  return { ...file, hash: sha256(await readFile(path)), stored: size, modes };
};

/** Paths of the files that handlers have seen. */
const paths: string[] = [];

const input = {
  title: field.string({ required: true, max: 50 }),
  copies: field.integer(),
  live: field.boolean(),
};

const upload = {
  method: 'POST',
  accepts: 'multipart',
  auth: [],
  limits: { file: 100_000, files: 3, total: 1_000_000 },
} as const;

const application = {
  endpoints: [
    defineEndpoint({
      method: 'POST',
      path: '/form',
      accepts: 'form',
      auth: [],
      input: { ...input, price: field.number(), exact: field.decimal({ scale: 2 }) },
      handle: ({ values, body }) => ({ values, body }),
    }),
    defineEndpoint({
      method: 'POST',
      path: '/callback',
      accepts: 'form',
      auth: [],
      handle: ({ body, bytes, header }) => {
        const good =
          createHmac('sha256', 'theirs').update(bytes).digest('hex') === header('x-their-signature');
        return answer({ body: good ? `success ${String(body['trade_status'])}` : 'failure' });
      },
    }),
    defineEndpoint({
      method: 'POST',
      path: '/bytes',
      accepts: 'bytes',
      auth: [],
      handle: async ({ bytes, header }) => ({
        hash: sha256(await bytes),
        type: header('content-type') ?? null,
        encoding: header('content-encoding') ?? null,
      }),
    }),
    defineEndpoint({
      method: 'PUT',
      path: '/stream',
      accepts: 'bytes',
      limits: { total: 3_000_000 },
      auth: ['jwt', 'signature'],
      handle: async ({ stream }) => {
        const hash = createHash('sha256');
        let largest = 0;
        for await (const chunk of stream) {
          largest = Math.max(largest, (chunk as Buffer).length);
          hash.update(chunk as Buffer);
        }
        return { hash: hash.digest('hex'), largest };
      },
    }),
    defineEndpoint({
      method: 'POST',
      path: '/echo',
      accepts: 'bytes',
      auth: [],
      handle: ({ stream }) => answer({ body: stream }),
    }),
    defineEndpoint({ method: 'POST', path: '/unread', accepts: 'bytes', auth: [], handle: () => 'unread' }),
    defineEndpoint({
      method: 'POST',
      path: '/both',
      accepts: 'bytes',
      auth: [],
      handle: async (context) => {
        await context.bytes;
        context.stream.resume();
        await finished(context.stream);
        return null;
      },
    }),
    defineEndpoint({
      ...upload,
      path: '/upload',
      input,
      handle: async ({ values, body, files }) => {
        paths.push(...files.map(({ path }) => path));
        return { values, body, files: await Promise.all(files.map(seen)) };
      },
    }),
    defineEndpoint({
      ...upload,
      path: '/large',
      limits: { file: 300_000_000, files: 1 },
      handle: async ({ files: [first] }) => ({ size: first?.size ?? null }),
    }),
    defineEndpoint({ ...upload, path: '/breaks', handle: () => Promise.reject(new Error('broken')) }),
    defineEndpoint({ ...upload, path: '/hangs', handle: never }),
    defineEndpoint({
      ...upload,
      path: '/signed',
      auth: ['signature'],
      limits: { file: 10_000_000 },
      handle: async ({ files }) => ({ files: await Promise.all(files.map(seen)) }),
    }),
    defineEndpoint({ ...upload, path: '/guarded', auth: ['jwt'], roles: ['admin'], handle: () => null }),
  ],
};

const formType = 'application/x-www-form-urlencoded';

interface Seen {
  readonly values: Record<string, unknown>;
  readonly body: Record<string, unknown>;
  readonly files: readonly Awaited<ReturnType<typeof seen>>[];
}

describeDatabase('sqlite', 'bodies of endpoints', (databases) => {
  const service = useService(databases, {
    application,
    apps: ['shop'],
    env: { HANDLER_TIMEOUT: '2', BODY_LIMIT: '200000' },
    stallTimeoutMs: 1_500,
  });
  const post = <Data = Record<string, unknown>>(
    path: string,
    body: string | Uint8Array,
    type: string,
    headers: Readonly<Record<string, string>> = {},
  ) => service.post<Data>(`/api/v1${path}`, { body, headers: { 'content-type': type, ...headers } });
  const send = (path: string, ...parts: readonly Buffer[]) =>
    post<Seen>(path, multipart(...parts), multipartType);

  /** Folders and files of uploads that are there. */
  const left = async (): Promise<readonly string[]> => {
    const folder = join(service.env['DATA_DIR'] ?? '', 'uploads');
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    return names.filter((name) => name.includes('/'));
  };
  const expectNothingLeft = () => expect.poll(left).toEqual([]);
  const title = text('title', 'A');

  describe('form', () => {
    it('fields are given the types of input; other fields are texts', async () => {
      const sent = 'title=A+%C3%BC&copies=3&live=true&price=1.5&exact=2.50&extra=x%26y&&copies=4';
      const { data } = await post<Seen>('/form', sent, formType);
      const values = { title: 'A ü', copies: 4, live: true, price: 1.5, exact: '2.50' };
      expect(data).toEqual({ values, body: { ...values, extra: 'x&y' } });
    });

    it('rules are 422, too many fields and bad text 400, another type 415 that names the right one', async () => {
      const refused = await post('/form', 'copies=three', formType);
      expect([refused.status, refused.json.data?.['errors']]).toMatchObject([
        422,
        [{ field: 'title' }, { field: 'copies' }],
      ]);
      expect((await post('/form', 'a=1&'.repeat(300), formType)).json.code).toBe(40000);
      expect((await post('/form', 'title=%ff', formType)).json.code).toBe(40002);
      const other = await post('/form', '{}', 'application/json');
      expect([other.json.code, other.json.message]).toEqual([41500, `请求体必须是 ${formType}`]);
      expect((await post('/upload', '{}', 'application/json')).json.message).toBe(
        '请求体必须是 multipart/form-data',
      );
    });

    it('a callback of a third party is verified by its bytes and answered in its own words', async () => {
      const body = 'trade_status=TRADE_SUCCESS&sign=a%2Bb';
      const call = (signature: string) =>
        fetch(`${service.origin}/api/v1/callback`, {
          method: 'POST',
          body,
          headers: { 'content-type': formType, 'x-their-signature': signature },
        }).then((response) => response.text());
      expect(await call(createHmac('sha256', 'theirs').update(body).digest('hex'))).toBe(
        'success TRADE_SUCCESS',
      );
      expect(await call('forged')).toBe('failure');
    });
  });

  describe('bytes', () => {
    it('any type comes as it is, within BODY_LIMIT', async () => {
      const bytes = Buffer.alloc(200_000, 7);
      const answered = await post('/bytes', bytes, 'image/png', { 'content-encoding': 'gzip' });
      expect(answered.data).toEqual({ hash: sha256(bytes), type: 'image/png', encoding: 'gzip' });
      expect((await post('/bytes', Buffer.alloc(200_001), 'image/png')).json.code).toBe(41300);
      expect((await post('/bytes', '', 'text/plain')).data).toMatchObject({ hash: sha256('') });
    });

    it('a stream goes beyond BODY_LIMIT up to its own limit, in pieces', async () => {
      const token = await service.admin();
      const put = (size: number, chunked?: number) =>
        service.request<{ hash: string; largest: number }>('PUT', '/api/v1/stream', {
          token,
          body: Buffer.alloc(size, 1),
          headers: { 'content-type': 'application/octet-stream' },
          ...(chunked === undefined ? {} : { chunked }),
        });
      const { data } = await put(3_000_000);
      expect(data.hash).toBe(sha256(Buffer.alloc(3_000_000, 1)));
      expect(data.largest).toBeLessThan(200_000);
      const announced = await put(3_000_001);
      expect([announced.status, announced.json.code]).toEqual([413, 41300]);
      const chunked = await put(3_000_001, 60_000);
      expect([chunked.status, chunked.json.message]).toEqual([413, '请求体过大，上限为 3000000 字节']);
    });

    it('what is signed is held within BODY_LIMIT, and comes as bytes or stream all the same', async () => {
      const put = (body: Buffer) =>
        service.request<{ hash: string }>('PUT', '/api/v1/stream', {
          body,
          headers: { ...service.sign('shop', body) },
        });
      expect((await put(Buffer.from('signed'))).data.hash).toBe(sha256('signed'));
      expect((await put(Buffer.alloc(200_001))).json.code).toBe(41300);
      const signed = multipart(file('f', 'of an application'));
      const answered = await post<Seen>('/signed', signed, multipartType, {
        ...service.sign('shop', signed),
      });
      expect(answered.data.files).toMatchObject([{ hash: sha256('of an application') }]);
      const large = multipart(file('f', Buffer.alloc(200_000)));
      expect(
        (await post('/signed', large, multipartType, { ...service.sign('shop', large) })).json.code,
      ).toBe(41300);
      await expectNothingLeft();
    });

    it('an unread part is thrown away; one of the two, not both', async () => {
      expect((await post('/unread', Buffer.alloc(100_000), 'a/b')).data).toBe('unread');
      const both = await post('/both', 'x', 'a/b');
      expect([both.status, both.data === undefined]).toEqual([200, false]);
    });

    it('a stream can be the answer', async () => {
      const body = Buffer.alloc(2_000_000, 'e');
      const echoed = await fetch(`${service.origin}/api/v1/echo`, { method: 'POST', body });
      expect(sha256(new Uint8Array(await echoed.arrayBuffer()))).toBe(sha256(body));
    });

    it('a stream whose caller hangs up, or is too slow, fails for its reader', async () => {
      const token = (await service.admin()).token;
      const head = `PUT /api/v1/stream HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nContent-Length: 1000\r\n\r\nhalf`;
      expect(parseRaw(await exchange(service.port, head))).toMatchObject({ status: 408 });
    });
  });

  describe('multipart', () => {
    beforeEach(() => {
      paths.length = 0;
    });

    it('texts are fields, files lie where no other account reads them, and are gone with the answer', async () => {
      const content = Buffer.alloc(100_000, 'f');
      const { data } = await send(
        '/upload',
        title,
        text('copies', '3'),
        file('photo', content, '照片.png'),
        text('extra', 'ü'),
        part('name="photo"; filename="b.txt"', 'second', 'Text/Plain; charset=x'),
      );
      const modes = ['600', '700'];
      expect(data).toEqual({
        values: { title: 'A', copies: 3 },
        body: { title: 'A', copies: 3, extra: 'ü' },
        files: [
          {
            field: 'photo',
            filename: '照片.png',
            type: 'application/octet-stream',
            size: 100_000,
            stored: 100_000,
            hash: sha256(content),
            modes,
          },
          {
            field: 'photo',
            filename: 'b.txt',
            type: 'text/plain',
            size: 6,
            stored: 6,
            hash: sha256('second'),
            modes,
          },
        ],
      });
      expect(paths).toHaveLength(2);
      await expectNothingLeft();
    });

    it('what browsers send: FormData, and a file field without a chosen file', async () => {
      const form = new FormData();
      form.set('title', 'B');
      form.set('f', new File(['content'], 'c.txt', { type: 'text/plain' }));
      form.set('none', new File([], ''));
      const response = await fetch(`${service.origin}/api/v1/upload`, { method: 'POST', body: form });
      const { data } = (await response.json()) as { data: Seen };
      expect(data.files).toMatchObject([{ field: 'f', filename: 'c.txt', size: 7 }]);
      await expectNothingLeft();
    });

    it('a rule that is broken is 422, and the file is gone', async () => {
      expect((await send('/upload', text('copies', '3'), file('f', 'x'))).json.code).toBe(42200);
      await expectNothingLeft();
    });

    it.each([
      ['../../etc/passwd', 'passwd'],
      ['..\\\\..\\\\windows\\\\system.ini', 'system.ini'],
      ['a\0b\u0007.txt', 'ab.txt'],
      ['..', ''],
      ['/', ''],
      ['\u202egpj.exe', 'gpj.exe'],
      ['x'.repeat(2_000), 'x'.repeat(255)],
    ])('the filename %j is text, and no path', async (given, expected) => {
      const { data } = await send('/upload', title, file('f', 'x', given));
      expect(data.files.map(({ filename }) => filename)).toEqual([expected]);
      const [path = ''] = paths;
      expect(path.startsWith(join(service.env['DATA_DIR'] ?? '', 'uploads'))).toBe(true);
      expect(path.endsWith('/1')).toBe(true);
      await expectNothingLeft();
    });

    it('a byte too many of a file, a file too many, and a body too large are 413', async () => {
      const byte = await send('/upload', title, file('f', Buffer.alloc(100_001)));
      expect([byte.status, byte.json.code, byte.json.message]).toEqual([
        413,
        41300,
        '请求体过大，上限为 100000 字节',
      ]);
      await expectNothingLeft();
      const fourth = await send('/upload', title, ...['a', 'b', 'c', 'd'].map((name) => file(name, 'x')));
      expect([fourth.status, fourth.json.code, fourth.json.message]).toEqual([
        413,
        41301,
        '请求中的文件过多，最多 3 个',
      ]);
      await expectNothingLeft();
      const long = part('name="skipped"; filename="a', Buffer.alloc(1_000_000));
      expect((await send('/upload', title, long)).json.code).toBe(41300);
      const texts = await send(
        '/upload',
        ...Array.from({ length: 3 }, (_, index) => text(`t${index}`, 'x'.repeat(70_000))),
      );
      expect([texts.status, texts.json.message]).toEqual([413, '请求体过大，上限为 200000 字节']);
      await expectNothingLeft();
    });

    it.each<[string, readonly Buffer[], number, string?]>([
      ['10,000 texts', Array.from({ length: 10_000 }, (_, index) => text(`t${index}`, '')), 40000],
      ['10,000 files', Array.from({ length: 10_000 }, () => file('f', '')), 41301, '/large'],
      ['10,000 parts without a name', Array.from({ length: 10_000 }, () => part('x="y"', '')), 40000],
      ['a part without a name', [part('filename="a"', 'x')], 40000],
      ['a name with NUL', [text('a\0b', 'x')], 40000],
      ['a text that is no UTF-8', [part('name="title"', Buffer.from([0xff]))], 40002],
      ['a text with NUL', [text('title', 'a\0b')], 40002],
    ])('a multipart body is refused: %s', async (_, parts, code, path = '/upload') => {
      expect((await send(path, title, ...parts)).json.code).toBe(code);
      await expectNothingLeft();
    });

    it('a part whose header is a megabyte long is no file of ours', async () => {
      const before = process.memoryUsage().arrayBuffers;
      const long = part(`name="f"; filename="${'x'.repeat(900_000)}"`, 'x');
      const answered = await send('/upload', title, long);
      expect([200, 400]).toContain(answered.status);
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
      await expectNothingLeft();
    });

    it.each([
      ['no boundary', 'multipart/form-data', multipart(title)],
      ['another boundary', 'multipart/form-data; boundary=other', multipart(title)],
      ['no end', multipartType, Buffer.concat([title, file('f', 'x')])],
      ['nothing', multipartType, Buffer.from('x')],
    ])('%s is 400', async (_, type, body) => {
      expect((await post('/upload', body, type)).json.code).toBe(40000);
      await expectNothingLeft();
    });

    it('a prototype is not a field', async () => {
      const { data } = await send('/upload', title, text('__proto__', 'x'), text('constructor', 'y'));
      expect(Object.entries(data.body)).toEqual([
        ['title', 'A'],
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ]);
    });

    it('a failing handler and one that takes too long leave nothing', async () => {
      expect((await send('/breaks', file('f', 'x'))).json.code).toBe(50000);
      expect((await send('/hangs', file('f', 'x'))).json.code).toBe(50304);
      await expectNothingLeft();
    });

    const head = (path: string, length: number, more = '') =>
      `POST /api/v1${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${multipartType}\r\nContent-Length: ${length}\r\n${more}\r\n`;

    it('an unknown or refused caller of a multipart endpoint is refused before the body is asked for', async () => {
      const asked = head('/guarded', 500_000, 'Expect: 100-continue\r\nConnection: close\r\n');
      expect(parseRaw(await exchange(service.port, asked)).status).toBe(401);
      const viewer = await service.createUser(['viewer']);
      const known = head(
        '/guarded',
        500_000,
        `Authorization: Bearer ${viewer.token}\r\nConnection: close\r\n`,
      );
      expect(parseRaw(await exchange(service.port, known)).status).toBe(403);
      expect(await left()).toEqual([]);
    });

    it('100 Continue is said to who waits for it', async () => {
      const body = multipart(title, file('f', 'x'));
      const socket = rawSocket(service.port);
      socket.write(head('/upload', body.length, 'Expect: 100-continue\r\nConnection: close\r\n'));
      expect(await socket.received('100 Continue')).toContain('100 Continue');
      socket.write(body);
      expect(await socket.closed()).toContain('"code":0');
    });

    it('a caller who hangs up in the middle leaves nothing', async () => {
      const body = multipart(title, file('f', Buffer.alloc(90_000)));
      const socket = rawSocket(service.port);
      socket.write(head('/upload', body.length));
      socket.write(body.subarray(0, 60_000));
      await expect.poll(async () => (await left()).some((name) => /\/\d+\/1$/.test(name))).toBe(true);
      socket.destroy();
      await expectNothingLeft();
      // The unheard refusal is the caller's, and no failure of the service.
      expect(service.lines.some((line) => line.includes('"level":50') && line.includes('hung up'))).toBe(
        false,
      );
    });

    it('one that brings too little within the timeout is 408 and leaves nothing', async () => {
      const body = multipart(title, file('f', Buffer.alloc(90_000)));
      const socket = rawSocket(service.port);
      socket.write(head('/upload', body.length));
      socket.write(body.subarray(0, 1_000));
      expect(parseRaw(await socket.closed()).status).toBe(408);
      await expectNothingLeft();
    });

    it('two at once keep apart', async () => {
      const [one, two] = await Promise.all([
        send('/upload', title, file('f', Buffer.alloc(90_000, 'a'))),
        send('/upload', title, file('f', Buffer.alloc(90_000, 'b'))),
      ]);
      expect([one, two].map(({ data }) => data.files[0]?.hash)).toEqual(
        ['a', 'b'].map((letter) => sha256(Buffer.alloc(90_000, letter))),
      );
      expect(new Set(paths).size).toBe(2);
      await expectNothingLeft();
    });

    it('one caller has eight at once, and a ninth is 503', async () => {
      const body = multipart(title, file('f', Buffer.alloc(90_000)));
      const sockets = Array.from({ length: 8 }, () => rawSocket(service.port));
      for (const socket of sockets) {
        socket.write(head('/upload', body.length));
        socket.write(body.subarray(0, 1_000));
      }
      await expect
        .poll(async () => (await left()).filter((name) => name.endsWith('/1')).length)
        .toBeGreaterThan(7);
      const ninth = await send('/upload', title, file('f', 'x'));
      expect([ninth.status, ninth.json.code]).toEqual([503, 50301]);
      for (const socket of sockets) socket.destroy();
      await expectNothingLeft();
      expect((await send('/upload', title, file('f', 'x'))).status).toBe(200);
    });

    it('200 MB pass through little memory', async () => {
      const chunk = Buffer.alloc(1_000_000, 'x');
      const size = 200 * chunk.length;
      const begin = file('f', '').subarray(0, -2);
      const end = multipart(Buffer.from('\r\n'));
      const used = () => process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
      const before = used();
      let most = 0;
      const text = await new Promise<string>((resolve, reject) => {
        const outgoing = nodeRequest(
          `${service.origin}/api/v1/large`,
          {
            method: 'POST',
            headers: { 'content-type': multipartType, 'content-length': begin.length + size + end.length },
          },
          (message) =>
            void message
              .setEncoding('utf8')
              .toArray()
              .then((pieces) => resolve(pieces.join('')), reject),
        );
        outgoing.on('error', reject);
        const write = async () => {
          outgoing.write(begin);
          for (let written = 0; written < size; written += chunk.length) {
            if (!outgoing.write(chunk)) await new Promise<void>((drained) => outgoing.once('drain', drained));
            most = Math.max(most, used() - before);
          }
          outgoing.end(end);
        };
        write().catch(reject);
      });
      expect((JSON.parse(text) as { data: unknown }).data).toEqual({ size });
      expect(most).toBeLessThan(100_000_000);
      await expectNothingLeft();
    });
  });
});
