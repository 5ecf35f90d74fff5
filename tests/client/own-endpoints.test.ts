import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createClient, GatewrightError, resource } from '../../client/index.ts';
import type order from '../../examples/newsroom/resources/order.ts';
import { createApplication } from '../../src/app/application.ts';
import { clientFile } from '../../src/cli/client-file.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';
import { newsroom } from './applications.ts';
import { ownEndpoints } from './own-endpoints.ts';
import { createProject } from './typescript.ts';

/** The types of the generated file for the compiler of this one; the tests below check that they hold. */
interface Written {
  readonly endpoints: Readonly<Record<string, object>>;
}

const written = async (): Promise<Written> => {
  const { directory, write } = await createProject();
  await write('resources.ts', clientFile(ownEndpoints));
  return import(pathToFileURL(join(directory, 'resources.ts')).href);
};

const uses = `
import { createClient, GatewrightError } from 'gatewright/client';
import { endpoints, resources, type Endpoints } from './resources.ts';
const client = createClient({ baseUrl: '', resources, endpoints });
type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : never;

const order = await client.POST('/checkout', { body: { number: 'A', pieces: 1 } });
const total: number = order.amount;
const internal: string | null = order.internal_note;
const full = { number: 'A', pieces: 1, kind: "it's", note: { a: [1] } } as const;
await client.POST('/checkout', { body: full, signal: AbortSignal.timeout(5) });
const line = await client.GET('/orders/:id/lines/:line_no', {
  params: { id: 1, line_no: 'x' }, query: { tag: ['a', 'b'], page: 2, live: true, none: undefined },
});
const tags: Same<(typeof line)['tag-list'], ('a' | 1 | null)[]> = true;
const second: Same<typeof line.line, string | null> = true;
const known: Same<typeof line.known, { readonly [key: string]: number } | undefined> = true;
const deep: Same<typeof line.deep, { a: true; b?: unknown } | undefined> = true;
const any: Same<typeof line.any, unknown> = true;
const deleted: Same<Awaited<ReturnType<typeof client.DELETE<'/drafts'>>>, unknown> = true;
await client.DELETE('/drafts');
await client.PATCH('/anything');
await client.PATCH('/anything', { body: { a: { b: [1] } } });
await client.PUT('/form', { body: { size: 1, name: null, extra: 'x' } });
await client.POST('/pictures/:id', { params: { id: 1 }, body: { title: 'A' }, files: { picture: new Blob([]) } });
await client.POST('/pictures/:id', { params: { id: 1 }, body: new FormData() });
await client.POST('/bytes', { body: new Uint8Array() as Uint8Array, headers: { 'Content-Type': 'image/png' } });
await client.GET('/rooms/:day/:floor', { params: { day: '2026-02-28', floor: 1 }, query: { seats: 2, kind: 'hall' } });
const csv: Response = await client.GET('/report.csv');
const sent: Endpoints['POST /checkout']['body'] = { number: 'A', pieces: 1 };
if (({} as unknown) instanceof GatewrightError) throw total;

// @ts-expect-error: pieces are missing
client.POST('/checkout', { body: { number: 'A' } });
// @ts-expect-error: a body is needed
client.POST('/checkout');
// @ts-expect-error: no such field
client.POST('/checkout', { body: { number: 'A', pieces: 1, peices: 1 } });
// @ts-expect-error: no such choice
client.POST('/checkout', { body: { number: 'A', pieces: 1, kind: 'c' } });
// @ts-expect-error: a required field is never null
client.POST('/checkout', { body: { number: null, pieces: 1 } });
// @ts-expect-error: no such endpoint
client.POST('/chekout', { body: { number: 'A', pieces: 1 } });
// @ts-expect-error: it takes another method
client.PUT('/checkout', { body: { number: 'A', pieces: 1 } });
// @ts-expect-error: a parameter is missing
client.GET('/orders/:id/lines/:line_no', { params: { id: 1 } });
// @ts-expect-error: no such parameter
client.GET('/orders/:id/lines/:line_no', { params: { id: 1, line_no: 1, lineno: 2 } });
// @ts-expect-error: another type of a declared parameter
client.GET('/rooms/:day/:floor', { params: { day: '2026-02-28', floor: 'x' }, query: { seats: 2 } });
// @ts-expect-error: a required part of the query is missing
client.GET('/rooms/:day/:floor', { params: { day: '2026-02-28', floor: 1 } });
// @ts-expect-error: no such choice
client.GET('/rooms/:day/:floor', { params: { day: '2026-02-28', floor: 1 }, query: { seats: 2, kind: 'cellar' } });
// @ts-expect-error: it takes no body
client.DELETE('/drafts', { body: {} });
// @ts-expect-error: a form holds no objects
client.PUT('/form', { body: { size: 1, extra: { a: 1 } } });
// @ts-expect-error: a file is no text
client.POST('/pictures/:id', { params: { id: 1 }, body: { title: 'A' }, files: { picture: 'x' } });
// @ts-expect-error: a title is missing
client.POST('/pictures/:id', { params: { id: 1 }, body: { live: true } });
// @ts-expect-error: the detail view has no such field
order.amuont;
// @ts-expect-error: no such option
client.GET('/report.csv', { parms: {} });
// @ts-expect-error: a client without declared endpoints has none
createClient({ baseUrl: '', resources }).POST('/checkout', { body: { number: 'A', pieces: 1 } });
export { any, csv, deep, deleted, internal, known, second, sent, tags };
`;

describe('the written file', () => {
  it('types every endpoint of the application, and imports nothing', async () => {
    const project = await createProject();
    const text = clientFile(ownEndpoints);
    expect(text).not.toMatch(/\bimport\b/);
    await project.write('resources.ts', text);
    await project.write('use.ts', uses);
    expect(await project.compile()).toBe('');
  });

  it('says what an endpoint is for, and its own refusals with their codes', () => {
    expect(clientFile(ownEndpoints)).toContain(
      [
        '  /**',
        '   * Places an order. At once.',
        '   * Refused by `code`: 40950 Only {left} left *\\/',
        '   */',
        "  'POST /checkout': {",
        '    body: {',
        '      number: string;',
      ].join('\n'),
    );
  });

  it('compiles for an application without endpoints, and for one whose models are others', async () => {
    const project = await createProject({ noUnusedLocals: true });
    await project.write('nothing.ts', clientFile(createApplication({})));
    await project.write('all.ts', clientFile(ownEndpoints));
    await project.write('none.ts', clientFile(createApplication(newsroom)));
    const { endpoints } = ownEndpoints;
    await project.write('foreign.ts', clientFile(createApplication({ endpoints })));
    await project.write(
      'use.ts',
      `import { createClient } from 'gatewright/client';
      import { endpoints } from './foreign.ts';
      import { endpoints as none } from './none.ts';
      const client = createClient({ baseUrl: '', endpoints });
      const order = await client.POST('/checkout', { body: { number: 'A', pieces: 1 } });
      const amount: number = order.amount;
      const nothing: Record<never, never> = createClient({ baseUrl: '', endpoints: none });
      export { amount, nothing };`,
    );
    expect(await project.compile()).toBe('');
  });
});

describeEachDatabase('a client that knows the endpoints', (databases) => {
  const service = useService(databases, { application: ownEndpoints, env: { LOCALE: 'en' } });

  /** The calls without their types, which the compiler has held the same file to above. */
  type Call = (path: string, options?: object) => Promise<unknown>;
  type Calls = Readonly<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', Call>>;

  const connect = async (token?: string): Promise<Calls> => {
    const { endpoints } = await written();
    const auth = { token: token ?? (await service.admin()).token };
    return createClient({ baseUrl: service.origin, auth, endpoints }) as unknown as Calls;
  };

  const refusal = async (call: Promise<unknown>): Promise<GatewrightError> => {
    const error = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof GatewrightError) return error;
    throw new Error('expected a GatewrightError', { cause: error });
  };

  it('sends a JSON body and answers the data', async () => {
    const client = await connect();
    const order = await client.POST('/checkout', { body: { number: 'A-1', pieces: 2 } });
    expect(order).toMatchObject({ id: expect.any(Number), number: 'A-1', amount: 2, internal_note: null });
    expect(await client.PATCH('/anything', { body: { a: [1] } })).toEqual({ a: [1] });
    expect(await client.PATCH('/anything')).toEqual({});
  });

  it('throws what the endpoint refuses, with the code of its own problem', async () => {
    const client = await connect();
    const own = await refusal(client.POST('/checkout', { body: { number: 'A-2', pieces: 5 } }));
    expect([own.status, own.code, own.message]).toEqual([409, 40950, 'Only 3 left */']);
    const invalid = await refusal(client.POST('/checkout', { body: { pieces: 0 } }));
    expect([invalid.code, Object.keys(invalid.fields).sort()]).toEqual([42200, ['number', 'pieces']]);
    const stranger = await connect('none');
    expect((await refusal(stranger.POST('/checkout', { body: {} }))).code).toBe(40101);
    const { token } = await service.createUser();
    expect((await refusal((await connect(token)).GET('/report.csv'))).status).toBe(403);
  });

  it('puts parameters into the path and the query', async () => {
    const client = await connect();
    const path = '/orders/:id/lines/:line_no';
    const params = { id: 7, line_no: 'ä/b c?' };
    const query = { tag: ['a', 'b&c'], none: undefined };
    const line = await client.GET(path, { params, query });
    expect(line).toEqual({ id: '7', line: 'ä/b c?', 'tag-list': ['a', 'b&c'] });
    for (const bad of ['', '.', '..'])
      await expect(client.GET(path, { params: { id: bad, line_no: 1 } })).rejects.toThrow(
        new TypeError(`params.id: "${bad}" cannot stand in a path`),
      );
    await expect(client.GET('/order')).rejects.toThrow('there is no endpoint GET /order');
    await expect(client.GET('/toString')).rejects.toThrow('there is no endpoint GET /toString');
  });

  it('answers undefined where there is no body', async () => {
    expect(await (await connect()).DELETE('/drafts')).toBeUndefined();
  });

  it('sends a form', async () => {
    const client = await connect();
    const body = { size: 1.5, name: 'a&b=ü', extra: null };
    expect(await client.PUT('/form', { body })).toEqual(body);
    const unsent = { size: 2, name: undefined };
    expect(await client.PUT('/form', { body: unsent })).toEqual({ size: 2 });
    expect((await refusal(client.PUT('/form'))).fields).toEqual({ size: ['size must not be blank'] });
    expect((await refusal(client.PUT('/form', { body: { size: 'x' } }))).status).toBe(422);
    await expect(client.PUT('/form', { body: { size: 1, extra: { a: 1 } } })).rejects.toThrow(TypeError);
  });

  it('sends files with texts, from values or from a form of the page', async () => {
    const client = await connect();
    const files = {
      front: new File(['one'], 'front.txt', { type: 'text/plain' }),
      more: [new Blob(['two']), new File(['three'], 'c')],
      none: undefined,
    };
    const of = { params: { id: 5 } };
    const answered = await client.POST('/pictures/:id', { ...of, body: { title: 'A', live: true }, files });
    expect(answered).toMatchObject({
      title: 'A',
      live: true,
      of: '5',
      files: [
        ['front', 'front.txt', 'text/plain', 'one'],
        ['more', 'blob', 'application/octet-stream', 'two'],
        ['more', 'c', 'application/octet-stream', 'three'],
      ],
    });
    const form = new FormData();
    form.append('title', 'B');
    form.append('front', new File(['four'], 'd.txt'));
    const more = { more: new File(['five'], 'e') };
    const second = await client.POST('/pictures/:id', { ...of, body: form, files: more });
    expect(second).toMatchObject({
      title: 'B',
      files: [
        ['front', 'd.txt', expect.any(String), 'four'],
        ['more', 'e', expect.any(String), 'five'],
      ],
    });
    expect([...form.keys()]).toEqual(['title', 'front']);
    expect((await refusal(client.POST('/pictures/:id', { ...of, files }))).status).toBe(422);
  });

  it('sends bytes as they are, of the type that is named', async () => {
    const client = await connect();
    const headers = { 'Content-Type': 'image/png' };
    const bytes = new TextEncoder().encode('png');
    expect(await client.POST('/bytes', { body: bytes, headers })).toEqual({ type: 'image/png', text: 'png' });
    const blob = new Blob(['x'], { type: 'text/x-own' });
    expect(await client.POST('/bytes', { body: blob })).toEqual({ type: 'text/x-own', text: 'x' });
  });

  it('answers what has no envelope as it came, and its refusals as errors', async () => {
    const client = await connect();
    const csv = await client.GET('/report.csv');
    if (!(csv instanceof Response)) throw new Error('expected a Response');
    expect([csv.headers.get('content-type'), await csv.text()]).toEqual([
      'text/csv; charset=utf-8',
      'a,b\n1,2\n',
    ]);
    const refused = await refusal(client.GET('/report.csv', { query: { left: '' } }));
    expect([refused.code, refused.message]).toEqual([40950, 'Only 0 left */']);
  });

  it('signs in again by itself, and sends the same body again', async () => {
    const { endpoints } = await written();
    const auth = { account: 'root', password: (await service.admin()).password };
    const client = createClient({ baseUrl: service.origin, auth, endpoints }) as unknown as Calls;
    await client.PATCH('/anything');
    service.clock.advance(25 * 3600);
    const files = { front: new File(['one'], 'front.txt') };
    const body = { title: 'A' };
    const sent = await client.POST('/pictures/:id', { params: { id: 1 }, body, files });
    expect(sent).toMatchObject({ title: 'A', files: [['front', 'front.txt', expect.any(String), 'one']] });
  });

  it('calls no resource by a name of its own', async () => {
    const { endpoints } = await written();
    const client = createClient({
      baseUrl: service.origin,
      endpoints,
      resources: { orders: resource<typeof order>('order') },
    });
    expect(Object.keys(client)).toEqual(expect.arrayContaining(['orders', 'GET', 'POST', 'auth']));
    const names = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
    for (const plural of names)
      expect(() =>
        createApplication({
          resources: [defineResource('Thing', { plural, fields: { a: field.string() } })],
        }),
      ).toThrow('must be lower case');
  });
});
