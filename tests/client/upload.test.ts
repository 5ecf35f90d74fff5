import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createClient, resource, type UploadProgress } from '../../client/index.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import type { Migrations } from '../../src/database/migrations/migration.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

const tourFields = { title: field.string({ required: true }), video: field.file({ max: '30MiB' }) };
const tour = defineResource('Tour', { fields: tourFields });
const migrations: Migrations = {
  '0001_tours': { up: (db, dialect) => createTable(db, dialect, 'tours', { fields: tourFields }) },
};

describeEachDatabase('uploads of the client', (databases) => {
  const service = useService(databases, { application: { resources: [tour], migrations } });

  /** A client whose requests fail from the n-th one on. */
  const connect = async (failsFrom = Number.POSITIVE_INFINITY) => {
    let count = 0;
    const sent: string[] = [];
    const client = createClient({
      baseUrl: service.origin,
      auth: { token: (await service.admin()).token },
      resources: { tours: resource<typeof tour>('tour') },
      retry: { attempts: 1 },
      fetch: (input, init) => {
        count += 1;
        sent.push(`${init?.method} ${String(input).replace(service.origin, '')}`);
        return count < failsFrom ? fetch(input, init) : Promise.reject(new TypeError('no network'));
      },
    });
    return { client, sent };
  };

  it('a small file is one request, with its name and its progress', async () => {
    const { client, sent } = await connect();
    const { id } = await client.tours.create({ title: 'small' });
    const progress: UploadProgress[] = [];
    const file = new File(['%PDF-1.7 tour'], 'tour.pdf', { type: 'application/pdf' });
    const stored = await client.tours.upload(id, 'video', file, {
      onProgress: (each) => progress.push(each),
    });
    expect(stored).toMatchObject({ name: 'tour.pdf', type: 'application/pdf', size: 13 });
    expect((await client.tours.get(id)).video).toEqual(stored);
    expect(progress).toEqual([
      { sent: 0, total: 13 },
      { sent: 13, total: 13 },
    ]);
    expect(sent.filter((each) => each.startsWith('PUT'))).toHaveLength(1);
  });

  it('a large file goes on after an interruption with the parts that are missing', async () => {
    const bytes = randomBytes(17 * 1_048_576);
    const { client } = await connect();
    const { id } = await client.tours.create({ title: 'large' });
    let address = '';
    // The first part arrives.
    const broken = await connect(3);
    const failed = broken.client.tours.upload(id, 'video', bytes, {
      name: 'tour.bin',
      onBegin: (begun) => {
        address = begun;
      },
    });
    await expect(failed).rejects.toThrow('No answer from');
    const again = await connect();
    const progress: number[] = [];
    const options = { resume: address, onProgress: ({ sent }: UploadProgress) => progress.push(sent) };
    const stored = await again.client.tours.upload(id, 'video', bytes, options);
    expect(stored).toMatchObject({ name: 'tour.bin', size: bytes.byteLength });
    expect(again.sent.filter((each) => each.startsWith('PUT'))).toHaveLength(2);
    expect(progress).toEqual([8 * 1_048_576, 16 * 1_048_576, bytes.byteLength]);
  });

  it('an aborted upload ends with the reason of its signal', async () => {
    const { client } = await connect();
    const { id } = await client.tours.create({ title: 'aborted' });
    const abort = new AbortController();
    const upload = client.tours.upload(id, 'video', randomBytes(17 * 1_048_576), {
      signal: abort.signal,
      onProgress: () => abort.abort(new Error('enough')),
    });
    await expect(upload).rejects.toThrow('enough');
    expect((await client.tours.get(id)).video).toBe(null);
  });
});
