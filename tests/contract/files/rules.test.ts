/** Rules of records, fields and keys hold for the bytes of a file in every way in which they hold for its record. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { createTable } from '../../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../../src/database/migrations/migration.ts';
import { field } from '../../../src/fields/define.ts';
import { defineResource } from '../../../src/model/define-resource.ts';
import { equals, own } from '../../../src/model/row-rule.ts';
import { describeDatabase, describeEachDatabase } from '../../support/databases.ts';
import { hasS3Server, startS3Server } from '../../support/s3-server.ts';
import { startService, type TestUser, useService } from '../../support/service.ts';

const letterFields = {
  title: field.string({ required: true, max: 40 }),
  open: field.boolean({ default: false }),
  draft: field.boolean({ default: true }),
  scan: field.file({ max: '1MB' }),
  sealed: field.file({ max: '1MB' }),
  user_id: field.owner(),
};
const letter = defineResource('Letter', {
  fields: letterFields,
  auth: ['jwt', 'api_key'],
  isolation: { read: 'everyone', write: own() },
  ownership: true,
  views: {
    list: ['id', 'title', 'scan', 'sealed'],
    detail: ['id', 'title', 'scan'],
    saved: ['id', 'title', 'scan'],
    when: [[equals('open', true), ['sealed']]],
  },
  restricted: [{ fields: ['sealed'], unless: equals('draft', true) }],
  permissions: 'writes',
});
/** Its file is there from the beginning. */
const formFields = { scan: field.file({ required: true }) };
const form = defineResource('Form', { fields: formFields });

const migrations: Migrations = {
  '0001_letters': {
    up: async (db, dialect) => {
      await createTable(db, dialect, 'letters', { fields: letterFields });
      await createTable(db, dialect, 'forms', { fields: formFields });
    },
  },
};
const application = { resources: [letter, form], migrations };

type Row = { readonly id: number } & Readonly<Record<string, unknown>>;

describeEachDatabase('rules of files', (databases) => {
  const service = useService(databases, { application });

  const newLetter = async (token: TestUser, values: object = {}) =>
    service.ok<Row>('POST', '/api/v1/letters', { token, body: { letter: { title: 'L', ...values } } });
  const put = (token: TestUser, path: string, text = '%PDF-1.7') =>
    service.request('PUT', path, {
      token,
      body: Buffer.from(text),
      headers: { 'content-type': 'application/pdf' },
    });
  const statusOf = async (path: string, headers: Readonly<Record<string, string>>) => {
    const answer = await fetch(service.origin + path, { headers });
    await answer.arrayBuffer();
    return answer.status;
  };
  const bearer = ({ token }: TestUser) => ({ authorization: `Bearer ${token}` });
  const editor = () => service.createUser(['super_admin']);

  it('a field that a record hides hides its bytes, and one that may not be written keeps them', async () => {
    const [ann, bea] = [await editor(), await service.createUser()];
    const { id } = await newLetter(ann);
    const path = `/api/v1/letters/${id}/sealed`;
    expect((await put(ann, path)).status).toBe(200);
    expect(await statusOf(path, bearer(bea))).toBe(404);
    await service.ok('PATCH', `/api/v1/letters/${id}`, { token: ann, body: { letter: { open: true } } });
    expect(await statusOf(path, bearer(bea))).toBe(200);
    const shown = await service.ok<Row>('GET', `/api/v1/letters/${id}`, { token: bea });
    expect(shown['sealed']).toMatchObject({ name: 'sealed.pdf' });
    await service.ok('PATCH', `/api/v1/letters/${id}`, { token: ann, body: { letter: { open: false } } });
    expect(await statusOf(path, bearer(bea))).toBe(404);
  });

  it('a reader who may not write is refused before a byte is read', async () => {
    const [ann, bea] = [await editor(), await service.createUser()];
    const { id } = await newLetter(ann);
    const path = `/api/v1/letters/${id}/scan`;
    expect((await put(ann, path)).status).toBe(200);
    // The body never comes: the answer does not wait for it.
    const socket = connect(service.port, '127.0.0.1');
    socket.write(
      `PUT ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${bea.token}\r\nContent-Length: 900000\r\n\r\n`,
    );
    const [first] = await once(socket, 'data');
    expect(String(first)).toMatch(/^HTTP\/1\.1 403 /);
    socket.destroy();
    expect((await service.delete(path, { token: bea })).status).toBe(403);
    expect(await statusOf(path, bearer(bea))).toBe(200);
  });

  it('a body that ends before its announced length stores nothing', async () => {
    const ann = await editor();
    const { id } = await newLetter(ann);
    const socket = connect(service.port, '127.0.0.1');
    const head = `PUT /api/v1/letters/${id}/scan HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ann.token}\r\n`;
    socket.write(`${head}Content-Length: 5000\r\n\r\n%PDF-1.7${'x'.repeat(4_500)}`);
    await expect
      .poll(async () => {
        const sql = "select id from gatewright_files where state = 'arriving'";
        return (await service.server.services.database.all({ sql, parameters: [] })).length;
      })
      .toBe(1);
    socket.destroy();
    await expect
      .poll(async () => {
        const sql = "select id from gatewright_files where state <> 'held'";
        return (await service.server.services.database.all({ sql, parameters: [] })).length;
      })
      .toBe(0);
    expect((await service.ok<Row>('GET', `/api/v1/letters/${id}`, { token: ann }))['scan']).toBe(null);
  });

  it('a key reaches files as far as its scopes go', async () => {
    const ann = await editor();
    const { id } = await newLetter(ann);
    const path = `/api/v1/letters/${id}/scan`;
    expect((await put(ann, path)).status).toBe(200);
    const keyFor = async (scope: string) => {
      const body = { api_key: { name: scope, scopes: [scope] } };
      return (await service.ok<{ key: string }>('POST', '/api/v1/api_keys', { token: ann, body })).key;
    };
    const [reads, updates, others] = await Promise.all(
      ['letters:read', 'letters:update', 'forms:*'].map(keyFor),
    );
    const upload = async (key = '') =>
      (await service.request('PUT', path, { key, body: Buffer.from('%PDF-1.7 2') })).status;
    expect(await statusOf(path, { 'x-api-key': reads ?? '' })).toBe(200);
    expect(await statusOf(path, { 'x-api-key': updates ?? '' })).toBe(403);
    expect(await statusOf(path, { 'x-api-key': others ?? '' })).toBe(403);
    expect([await upload(reads), await upload(updates), await upload(others)]).toEqual([403, 200, 403]);
  });

  it('a required file comes with its record, and stays', async () => {
    const ann = await editor();
    const missing = await service.post('/api/v1/forms', { token: ann, body: { form: {} } });
    expect(missing).toMatchObject({
      status: 422,
      json: { data: { errors: [{ field: 'scan', rule: 'required' }] } },
    });
    const data = new FormData();
    data.append('form', '{}');
    data.append('scan', new File(['%PDF-1.7'], 'a.pdf'));
    const encoded = new Response(data);
    const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
    const body = Buffer.from(await encoded.arrayBuffer());
    const { id } = await service.ok<Row>('POST', '/api/v1/forms', { token: ann, body, headers });
    const path = `/api/v1/forms/${id}/scan`;
    const removed = await service.delete(path, { token: ann });
    expect(removed).toMatchObject({ status: 422, json: { data: { errors: [{ rule: 'required' }] } } });
    expect(await statusOf(path, bearer(ann))).toBe(200);
  });

  it('lists as CSV, batches and aggregates know files', async () => {
    const ann = await editor();
    const { id } = await newLetter(ann, { title: 'csv' });
    expect((await put(ann, `/api/v1/letters/${id}/scan`)).status).toBe(200);
    const csv = await fetch(`${service.origin}/api/v1/letters?filter[title]=csv`, {
      headers: { ...bearer(ann), accept: 'text/csv' },
    });
    expect(await csv.text()).toContain('scan.pdf');
    const batch = { update: [{ id, title: 'batch', scan: null }] };
    await service.ok('POST', '/api/v1/letters/batch', { token: ann, body: batch });
    expect(await statusOf(`/api/v1/letters/${id}/scan`, bearer(ann))).toBe(404);
    const many = await service.ok<Row[]>('GET', '/api/v1/letters/aggregate?count=true', { token: ann });
    expect(many.length).toBeGreaterThan(0);
    for (const query of ['filter[scan]=1', 'sort=scan', 'filter[scan][gt]=0'])
      expect((await service.get(`/api/v1/letters?${query}`, { token: ann })).status).toBe(400);
  });

  it('a hundred downloads at the same time do not keep other requests waiting', async () => {
    const ann = await editor();
    const { id } = await newLetter(ann);
    const path = `/api/v1/letters/${id}/scan`;
    const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(900_000)]);
    await service.request('PUT', path, { token: ann, body: bytes });
    const all = Array.from({ length: 100 }, async () => {
      const answer = await fetch(service.origin + path, { headers: bearer(ann) });
      return Buffer.from(await answer.arrayBuffer()).equals(bytes);
    });
    expect((await service.get(`/api/v1/letters/${id}`, { token: ann })).status).toBe(200);
    expect(await Promise.all(all)).toEqual(all.map(() => true));
  });
});

describeDatabase('sqlite', 'files in a bucket', (databases) => {
  it.runIf(hasS3Server)('files of records live in a real server of S3, and survive its absence', async () => {
    const s3 = await startS3Server();
    const before = { ...process.env };
    Object.assign(process.env, s3.credentials);
    try {
      const FILES_URL = `s3://${s3.bucket}/shop?region=${s3.region}&endpoint=${s3.endpoint}`;
      await using service = await startService(databases, { application, env: { FILES_URL } });
      const ann = await service.createUser(['super_admin']);
      const body = { letter: { title: 'in a bucket' } };
      const { id } = await service.ok<Row>('POST', '/api/v1/letters', { token: ann, body });
      const path = `/api/v1/letters/${id}/scan`;
      const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(900_000)]);
      await service.ok('PUT', path, { token: ann, body: bytes });
      expect(await s3.names()).toEqual([expect.stringMatching(/^shop\/[0-9a-f]{32}$/)]);
      const headers = { authorization: `Bearer ${ann.token}`, range: 'bytes=1000-1999' };
      const part = await fetch(service.origin + path, { headers });
      expect(part.status).toBe(206);
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(1_000, 2_000))).toBe(true);
      await s3.close();
      const away = await service.request('PUT', path, { token: ann, body: bytes });
      expect([away.status, away.headers['retry-after']]).toEqual([503, '5']);
      expect((await service.request('GET', path, { token: ann })).status).toBe(503);
      const kept = await service.ok<Row>('GET', `/api/v1/letters/${id}`, { token: ann });
      expect(kept['scan']).toMatchObject({ size: bytes.byteLength });
    } finally {
      for (const name of Object.keys(s3.credentials))
        if (before[name] === undefined) delete process.env[name];
    }
  });
});
