import { createHash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { anyOf, equals, own } from '../../../src/model/row-rule.ts';
import { describeEachDatabase } from '../../support/databases.ts';
import { type Service, type TestUser, useService } from '../../support/service.ts';

const invoiceFields = {
  number: field.string({ required: true, max: 40 }),
  shared: field.boolean({ default: false }),
  scan: field.file({ max: '1MB', types: ['application/pdf', 'image/*', 'text/plain'] }),
  note: field.file(),
  user_id: field.owner(),
};

const invoice = defineResource('Invoice', {
  fields: invoiceFields,
  isolation: { read: anyOf(own(), equals('shared', true)), write: own() },
  ownership: true,
  restricted: ['note'],
  history: true,
  trash: true,
  events: true,
});

const paperFields = { title: field.string({ required: true, max: 40 }), scan: field.file() };
/** Nothing keeps its former values. */
const paper = defineResource('Paper', { fields: paperFields });

const migrations: Migrations = {
  '0001_invoices': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'invoices', { fields: invoiceFields });
      await createTable(db, dialect, 'papers', { fields: paperFields });
    },
  },
};

const pdf = (text = 'a scan'): Buffer => Buffer.from(`%PDF-1.7\n${text}\n`);
const png = (): Buffer => Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(100)]);
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

interface File {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly checksum: string;
  readonly url: string;
}
type Row = { readonly id: number; readonly scan: File | null } & Readonly<Record<string, unknown>>;

/** A download with its bytes. */
const download = async (
  service: Service,
  path: string,
  token: TestUser | undefined,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
) => {
  const sent = token === undefined ? headers : { ...headers, authorization: `Bearer ${token.token}` };
  const answer = await fetch(service.origin + path, { method, headers: sent });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
};

/** Names of all stored bytes. */
const stored = async (service: Service): Promise<readonly string[]> => {
  const folder = join(service.env['DATA_DIR'] ?? '', 'files');
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return found.flatMap((each) => (each.isFile() ? each.name : []));
};

/** Runs the sweep, and waits for its end. */
const sweep = async ({ server }: Service): Promise<void> => {
  const { systemScope, database } = server.services;
  const id = await systemScope('a test').jobs.add('purge-files', {});
  const sql = `select id from gatewright_jobs where id = ${id}`;
  await expect.poll(() => database.all({ sql, parameters: [] })).toEqual([]);
};

describeEachDatabase('files of records', (databases) => {
  const service = useService(databases, { application: { resources: [invoice, paper], migrations } });

  const newInvoice = (token: TestUser, values: object = {}) =>
    service.ok<Row>('POST', '/api/v1/invoices', { token, body: { invoice: { number: 'I-1', ...values } } });
  const upload = (
    token: TestUser,
    path: string,
    body: Uint8Array,
    type = 'application/pdf',
    headers: Readonly<Record<string, string>> = {},
  ) => service.request<File>('PUT', path, { token, body, headers: { 'content-type': type, ...headers } });

  it('stores bytes under the path of their record, and describes them in it', async () => {
    const ann = await service.createUser();
    const { id } = await newInvoice(ann);
    const bytes = pdf();
    const answer = await upload(ann, `/api/v1/invoices/${id}/scan?name=M%C3%A4rz.pdf`, bytes);
    const file = {
      name: 'März.pdf',
      type: 'application/pdf',
      size: bytes.byteLength,
      checksum: sha256(bytes),
      url: `/api/v1/invoices/${id}/scan`,
    };
    expect(answer).toMatchObject({ status: 200, data: file, headers: { etag: `"${file.checksum}"` } });
    expect((await service.ok<Row>('GET', `/api/v1/invoices/${id}`, { token: ann })).scan).toEqual(file);
    const [listed] = await service.ok<Row[]>('GET', `/api/v1/invoices?filter[scan][null]=false`, {
      token: ann,
    });
    expect(listed?.scan).toEqual(file);
    const { status, headers, bytes: got } = await download(service, file.url, ann);
    expect([status, got.equals(bytes)]).toEqual([200, true]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(bytes.byteLength),
      'content-disposition': 'attachment; filename="M_rz.pdf"; filename*=UTF-8\'\'M%C3%A4rz.pdf',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
      'accept-ranges': 'bytes',
      etag: `"${file.checksum}"`,
    });
  });

  it('serves one range, 304 and HEAD', async () => {
    const ann = await service.createUser();
    const { id } = await newInvoice(ann);
    const bytes = png();
    const path = `/api/v1/invoices/${id}/scan`;
    await upload(ann, path, bytes, 'image/png');
    const tag = `"${sha256(bytes)}"`;
    const part = await download(service, path, ann, { range: 'bytes=10-19' });
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      `bytes 10-19/${bytes.byteLength}`,
    ]);
    expect(part.bytes.equals(bytes.subarray(10, 20))).toBe(true);
    expect(part.headers.get('content-disposition')).toBe('inline; filename="scan.png"');
    expect((await download(service, path, ann, { range: 'bytes=-5' })).bytes.equals(bytes.subarray(-5))).toBe(
      true,
    );
    const beyond = await download(service, path, ann, { range: `bytes=${bytes.byteLength}-` });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([
      416,
      `bytes */${bytes.byteLength}`,
    ]);
    for (const range of ['bytes=1-2,4-5', 'bytes=9-3', 'lines=1-2', 'bytes=-'])
      expect((await download(service, path, ann, { range })).status).toBe(200);
    expect((await download(service, path, ann, { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(
      200,
    );
    expect((await download(service, path, ann, { range: 'bytes=0-1', 'if-range': tag })).status).toBe(206);
    const known = await download(service, path, ann, { 'if-none-match': tag });
    expect([known.status, known.bytes.byteLength]).toEqual([304, 0]);
    const head = await download(service, path, ann, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length'), head.bytes.byteLength]).toEqual([
      200,
      String(bytes.byteLength),
      0,
    ]);
  });

  it('follows the rules of the record and of the field, and reads no byte of a refused upload', async () => {
    const [ann, bea] = [await service.createUser(), await service.createUser()];
    const { id } = await newInvoice(ann);
    const path = `/api/v1/invoices/${id}/scan`;
    await upload(ann, path, pdf());
    const before = await stored(service);
    expect((await download(service, path, bea)).status).toBe(404);
    expect((await download(service, path, undefined)).status).toBe(401);
    expect((await upload(bea, path, pdf('other'))).status).toBe(404);
    expect((await service.delete(path, { token: bea })).status).toBe(404);
    expect((await upload(ann, `/api/v1/invoices/${id}/note`, pdf())).status).toBe(403);
    expect((await upload(ann, '/api/v1/invoices/999999/scan', pdf())).status).toBe(404);
    expect((await download(service, `/api/v1/invoices/${id}/note`, ann)).status).toBe(404);
    expect(await stored(service)).toEqual(before);
    const admin = await service.admin();
    const note = await upload(
      admin,
      `/admin/records/invoices/${id}/note`,
      Buffer.from('<script>'),
      'text/plain',
    );
    expect(note).toMatchObject({ status: 200, data: { type: 'text/html', name: 'note.bin' } });
    const page = await download(service, `/api/v1/invoices/${id}/note`, ann);
    expect(page.headers.get('content-disposition')).toBe('attachment; filename="note.bin"');
  });

  it('refuses types, sizes and checksums by the bytes, and keeps nothing', async () => {
    const ann = await service.createUser();
    const { id } = await newInvoice(ann);
    const path = `/api/v1/invoices/${id}/scan`;
    const before = await stored(service);
    const refusal = async (body: Uint8Array, type: string, headers = {}) => {
      const { status, json } = await upload(ann, path, body, type, headers);
      const errors = (json.data as { errors?: { field: string; rule: string }[] } | undefined)?.errors;
      return [status, ...(errors ?? []).flatMap(({ field: name, rule }) => [name, rule])];
    };
    expect(await refusal(Buffer.from('<svg onload="alert(1)">'), 'image/png')).toEqual([
      422,
      'scan',
      'file_type',
    ]);
    expect(await refusal(Buffer.from('PK\x03\x04'), 'application/pdf')).toEqual([422, 'scan', 'file_type']);
    expect(await refusal(Buffer.concat([pdf(), Buffer.alloc(1_000_000)]), 'application/pdf')).toEqual([413]);
    const digest = `sha-256=:${createHash('sha256').update('other').digest('base64')}:`;
    expect(await refusal(pdf(), 'application/pdf', { 'content-digest': digest })).toEqual([
      422,
      'scan',
      'checksum',
    ]);
    const right = `sha-256=:${createHash('sha256').update(pdf()).digest('base64')}:`;
    expect(await stored(service)).toEqual(before);
    const { database } = service.server.services;
    const rows = await database.all({
      sql: "select key from gatewright_files where state <> 'held'",
      parameters: [],
    });
    expect(rows).toEqual([]);
    expect(await refusal(pdf(), 'application/pdf', { 'content-digest': right })).toEqual([200]);
    expect(await refusal(Buffer.alloc(0), 'text/plain')).toEqual([200]);
  });

  it('names lose folders, control characters and marks of direction, and have at most 255 bytes', async () => {
    const ann = await service.createUser();
    const { id } = await newInvoice(ann);
    const named = async (name: string) => {
      const path = `/api/v1/invoices/${id}/scan?name=${encodeURIComponent(name)}`;
      return (await upload(ann, path, pdf())).data.name;
    };
    expect(await named('../../etc/passwd')).toBe('passwd');
    expect(await named('C:\\files\\a.pdf')).toBe('a.pdf');
    expect(await named('bill\u202efdp.exe\r\n')).toBe('billfdp.exe');
    expect(await named('..')).toBe('scan.pdf');
    expect(Buffer.byteLength(await named(`${'👩'.repeat(255)}.pdf`))).toBeLessThanOrEqual(255);
  });

  it('a file replaces the one before only if that is still the one that the caller has seen', async () => {
    const ann = await service.createUser();
    const { id } = await newInvoice(ann);
    const path = `/api/v1/invoices/${id}/scan`;
    const put = async (text: string, headers: Readonly<Record<string, string>>) =>
      (await upload(ann, path, pdf(text), 'application/pdf', headers)).status;
    const tag = (text: string): string => `"${sha256(pdf(text))}"`;
    expect(await put('1', { 'if-match': '*' })).toBe(412);
    expect(await put('1', { 'if-none-match': '*' })).toBe(200);
    expect(await put('2', { 'if-none-match': '*' })).toBe(412);
    expect(await put('2', { 'if-match': tag('0') })).toBe(412);
    expect(await put('2', { 'if-match': tag('1') })).toBe(200);
    const both = await Promise.all([put('3', { 'if-match': tag('2') }), put('4', { 'if-match': tag('2') })]);
    expect(both.toSorted()).toEqual([200, 412]);
    expect((await service.delete(path, { token: ann, headers: { 'if-match': tag('2') } })).status).toBe(412);
    expect((await service.delete(path, { token: ann })).status).toBe(200);
    expect((await service.delete(path, { token: ann })).status).toBe(404);
    expect((await download(service, path, ann)).status).toBe(404);
  });

  it('no body names a file that another caller has uploaded, or that a record has', async () => {
    const [ann, bea] = [await service.createUser(), await service.createUser()];
    const [first, second] = [await newInvoice(ann), await newInvoice(ann)];
    const { data: file } = await upload(ann, `/api/v1/invoices/${first.id}/scan`, pdf());
    const { database } = service.server.services;
    const sql = `select id, state from gatewright_files where checksum = '${file.checksum}' and record_id = ${first.id}`;
    const [row] = await database.all<{ id: number; state: string }>({ sql, parameters: [] });
    expect(row?.state).toBe('held');
    for (const [token, id] of [
      [ann, second.id],
      [bea, (await newInvoice(bea)).id],
    ] as const) {
      const body = { invoice: { scan: Number(row?.id) } };
      const answer = await service.request('PATCH', `/api/v1/invoices/${id}`, { token, body });
      expect(answer).toMatchObject({
        status: 422,
        json: { data: { errors: [{ field: 'scan', rule: 'upload' }] } },
      });
    }
    const missing = { invoice: { number: 'I-2', scan: 999_999_999 } };
    expect((await service.post('/api/v1/invoices', { token: ann, body: missing })).status).toBe(409);
    // A form sends back what it has read.
    const same = { invoice: { number: 'I-3', scan: file } };
    const saved = await service.request<Row>('PATCH', `/api/v1/invoices/${first.id}`, {
      token: ann,
      body: same,
    });
    expect(saved.data.scan).toEqual(file);
    const cleared = { invoice: { scan: null } };
    const empty = await service.request<Row>('PATCH', `/api/v1/invoices/${first.id}`, {
      token: ann,
      body: cleared,
    });
    expect(empty.data.scan).toBe(null);
  });

  it('history and trash keep files, and bring them back', async () => {
    const ann = await service.createUser();
    const { id } = await newInvoice(ann);
    const path = `/api/v1/invoices/${id}/scan`;
    await upload(ann, path, pdf('first'));
    await upload(ann, path, pdf('second'));
    const versions = await service.ok<{ version: number; after: Row | null }[]>(
      'GET',
      `/api/v1/invoices/${id}/history`,
      { token: ann },
    );
    expect(versions.map(({ after }) => after?.scan?.checksum ?? null)).toEqual([
      sha256(pdf('second')),
      sha256(pdf('first')),
      null,
    ]);
    const admin = await service.admin();
    const back = { token: admin, body: { version: 2 } };
    await service.ok('POST', `/admin/records/invoices/${id}/restore`, back);
    expect((await download(service, path, ann)).bytes.equals(pdf('first'))).toBe(true);
    await service.ok('DELETE', `/api/v1/invoices/${id}`, { token: ann });
    expect((await download(service, path, ann)).status).toBe(404);
    await sweep(service);
    await service.ok('POST', `/admin/records/invoices/${id}/restore`, { token: admin });
    expect((await download(service, path, ann)).bytes.equals(pdf('first'))).toBe(true);
  });

  /** A multipart body: the record as JSON, and files by their fields. */
  const form = async (
    record: object,
    files: Readonly<Record<string, readonly [name: string, bytes: Uint8Array]>>,
  ) => {
    const data = new FormData();
    data.append('invoice', JSON.stringify(record));
    for (const [name, [filename, bytes]] of Object.entries(files))
      data.append(name, new File([Uint8Array.from(bytes)], filename, { type: 'application/pdf' }));
    const encoded = new Response(data);
    const body = Buffer.from(await encoded.arrayBuffer());
    return { body, headers: { 'content-type': encoded.headers.get('content-type') ?? '' } };
  };

  it('come with their record in a multipart body, and stay only if the record is written', async () => {
    const ann = await service.createUser();
    const sent = await form(
      { number: 'M-1' },
      { scan: ['a.pdf', pdf('with')], note: ['n.pdf', pdf('ignored')] },
    );
    const made = await service.request<Row>('POST', '/api/v1/invoices', { token: ann, ...sent });
    expect(made).toMatchObject({ status: 201, data: { number: 'M-1', note: null, scan: { name: 'a.pdf' } } });
    const { id } = made.data;
    const path = `/api/v1/invoices/${id}/scan`;
    expect((await download(service, path, ann)).bytes.equals(pdf('with'))).toBe(true);
    const changed = await form({ number: 'M-2' }, { scan: ['b.pdf', pdf('changed')] });
    const answer = await service.request<Row>('PATCH', `/api/v1/invoices/${id}`, { token: ann, ...changed });
    expect(answer).toMatchObject({ status: 200, data: { number: 'M-2', scan: { name: 'b.pdf' } } });
    const before = await stored(service);
    const invalid = await form({ number: '' }, { scan: ['c.pdf', pdf('invalid')] });
    expect((await service.request('POST', '/api/v1/invoices', { token: ann, ...invalid })).status).toBe(422);
    const strict = await form({ number: 'M-3' }, { note: ['n.pdf', pdf('refused')] });
    const headers = { ...strict.headers, prefer: 'handling=strict' };
    const refused = await service.request('POST', '/api/v1/invoices', {
      token: ann,
      body: strict.body,
      headers,
    });
    expect(refused).toMatchObject({
      status: 422,
      json: { data: { errors: [{ field: 'note', rule: 'ignored' }] } },
    });
    const bea = await service.createUser();
    const foreign = await form({}, { scan: ['d.pdf', pdf('foreign')] });
    expect(
      (await service.request('PATCH', `/api/v1/invoices/${id}`, { token: bea, ...foreign })).status,
    ).toBe(404);
    expect(await stored(service)).toEqual(before);
  });

  it('a repeated multipart create with its key returns the first record, and keeps one file', async () => {
    const ann = await service.createUser();
    const before = (await stored(service)).length;
    const send = async (text: string) => {
      const sent = await form({ number: 'K-1' }, { scan: ['a.pdf', pdf(text)] });
      const headers = { ...sent.headers, 'idempotency-key': 'one' };
      return service.request<Row>('POST', '/api/v1/invoices', { token: ann, body: sent.body, headers });
    };
    const first = await send('once');
    expect((await send('once')).data).toEqual(first.data);
    expect((await send('other')).status).toBe(409);
    expect((await stored(service)).length).toBe(before + 1);
  });

  interface Parted {
    readonly id: number;
    readonly url: string;
    readonly parts: readonly { readonly number: number; readonly url: string; readonly stored: boolean }[];
  }
  const newPaper = (token: TestUser) =>
    service.ok<Row>('POST', '/api/v1/papers', { token, body: { paper: { title: 'P' } } });

  it('arrive in parts, after an interruption through another instance, and are finished once', async () => {
    const [ann, bea] = [await service.createUser(), await service.createUser()];
    const { id } = await newPaper(ann);
    const bytes = Buffer.concat([pdf(), randomBytes(8 * 1_048_576)]);
    const path = `/api/v1/papers/${id}/scan`;
    const body = { size: bytes.byteLength, name: 'large.pdf', checksum: sha256(bytes) };
    const begun = await service.ok<Parted>('POST', `${path}/upload`, { token: ann, body });
    expect(begun.parts.map(({ stored: isStored }) => isStored)).toEqual([false, false]);
    const [first, second] = begun.parts.map(({ url }) => url);
    const half = 8 * 1_048_576;
    const put = (url = '', part: Uint8Array, token = ann) =>
      service.request('PUT', url, {
        token,
        body: part,
        headers: { 'content-type': 'application/octet-stream' },
      });
    expect((await put(second, bytes.subarray(half))).status).toBe(200);
    expect((await put(first, bytes.subarray(0, 100))).status).toBe(422);
    expect((await put(first, bytes.subarray(0, half + 1))).status).toBe(413);
    expect((await put(first, bytes.subarray(0, half), bea)).status).toBe(404);
    expect((await put(`${begun.url}/3`, pdf())).status).toBe(404);
    const incomplete = await service.post(begun.url, { token: ann });
    expect(incomplete).toMatchObject({ status: 422, json: { data: { errors: [{ rule: 'incomplete' }] } } });
    const other = await service.secondInstance({ env: { PORT: '0' } });
    const seen = await other.ok<Parted>('GET', begun.url, { token: ann });
    expect(seen.parts.map(({ stored: isStored }) => isStored)).toEqual([false, true]);
    expect((await put(first, bytes.subarray(0, half))).status).toBe(200);
    expect((await service.post(begun.url, { token: bea })).status).toBe(404);
    const both = await Promise.all(
      [0, 1].map(() => service.request<File>('POST', begun.url, { token: ann })),
    );
    for (const answer of both)
      expect(answer).toMatchObject({ status: 200, data: { name: 'large.pdf', checksum: body.checksum } });
    expect((await download(service, path, ann)).bytes.equals(bytes)).toBe(true);
    expect((await service.delete(begun.url, { token: ann })).status).toBe(404);
  });

  it('parts of other bytes, of a refused type or of a record that is gone leave nothing', async () => {
    const ann = await service.createUser();
    const [paperId, invoiceId] = [(await newPaper(ann)).id, (await newInvoice(ann)).id];
    const before = await stored(service);
    const begin = (path: string, values: object) =>
      service.ok<Parted>('POST', `${path}/upload`, { token: ann, body: { size: 6, ...values } });
    const send = async ({ parts: [part], url }: Parted, text: string) => {
      const headers = { 'content-type': 'application/octet-stream' };
      await service.ok('PUT', part?.url ?? '', { token: ann, body: Buffer.from(text), headers });
      return service.request('POST', url, { token: ann });
    };
    const lied = await begin(`/api/v1/papers/${paperId}/scan`, { checksum: sha256(pdf()) });
    expect(await send(lied, 'others')).toMatchObject({
      status: 422,
      json: { data: { errors: [{ rule: 'checksum' }] } },
    });
    const page = await begin(`/api/v1/invoices/${invoiceId}/scan`, { type: 'text/plain' });
    expect(await send(page, '<html>')).toMatchObject({
      status: 422,
      json: { data: { errors: [{ rule: 'file_type' }] } },
    });
    const gone = await begin(`/api/v1/papers/${paperId}/scan`, {});
    await service.ok('DELETE', `/api/v1/papers/${paperId}`, { token: ann });
    expect((await service.post(gone.url, { token: ann })).status).toBe(404);
    const { database } = service.server.services;
    const old = {
      sql: "update gatewright_files set changed_at = '2001-01-01T00:00:00.000Z' where state <> 'held'",
      parameters: [],
    };
    await database.write((transaction) => transaction.run(old));
    await sweep(service);
    expect(await stored(service)).toEqual(before);
    const large = await service.post(`/api/v1/invoices/${invoiceId}/scan/upload`, {
      token: ann,
      body: { size: 1_000_001 },
    });
    expect(large).toMatchObject({ status: 422, json: { data: { errors: [{ field: 'size' }] } } });
  });

  describe('of a model that keeps nothing', () => {
    it('leave the store when they are replaced, removed, or their record is deleted', async () => {
      const ann = await service.createUser();
      const body = { paper: { title: 'P' } };
      const { id } = await service.ok<Row>('POST', '/api/v1/papers', { token: ann, body });
      const path = `/api/v1/papers/${id}/scan`;
      const before = await stored(service);
      const added = async (): Promise<number> => (await stored(service)).length - before.length;
      await upload(ann, path, pdf('1'));
      await upload(ann, path, pdf('2'));
      await expect.poll(added).toBe(1);
      await service.ok('DELETE', path, { token: ann });
      await expect.poll(added).toBe(0);
      await upload(ann, path, pdf('3'));
      await service.ok('DELETE', `/api/v1/papers/${id}`, { token: ann });
      await sweep(service);
      expect(await added()).toBe(0);
    });
  });
});
