import { afterEach, expect, it } from 'vitest';
import { createClient, GatewrightError, type ImportCounts } from '../../client/index.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';
import { newsroom, resources } from './applications.ts';

describeEachDatabase('imports and strict writes of the client', (databases) => {
  const service = useService(databases, { application: newsroom, env: { LOCALE: 'en' } });
  const environment = process.env['NODE_ENV'];
  afterEach(() => {
    process.env['NODE_ENV'] = environment;
  });

  const connect = async (strict?: boolean) => {
    const sent: Headers[] = [];
    const client = createClient({
      baseUrl: service.origin,
      auth: { token: (await service.admin()).token },
      resources,
      strict,
      fetch: (input, init) => {
        sent.push(new Headers(init?.headers));
        return fetch(input, init);
      },
    });
    return { client, sent };
  };

  it('imports a text, a file and bytes in one request each', async () => {
    const { client, sent } = await connect();
    const csv = 'title\nfirst\nsecond\n';
    const progress: ImportCounts[] = [];
    const onProgress = (written: ImportCounts): void => void progress.push(written);
    expect(await client.notes.import(csv, { onProgress })).toEqual({ created: 2, updated: 0 });
    expect(progress).toEqual([{ created: 2, updated: 0 }]);
    expect(await client.notes.import(new Blob([csv]))).toEqual({ created: 2, updated: 0 });
    const lines = new TextEncoder().encode('{"title":"third"}');
    expect(await client.notes.import(lines, { type: 'application/jsonl' })).toEqual({
      created: 1,
      updated: 0,
    });
    expect(sent).toHaveLength(3);
  });

  it('sends records a thousand at a time, and counts the lines of a refusal among all', async () => {
    const { client } = await connect();
    const records = async function* (last: string) {
      for (let index = 0; index < 1500; index += 1) yield { title: `note ${index}` };
      yield { title: last };
    };
    const progress: number[] = [];
    const onProgress = ({ created }: ImportCounts): void => void progress.push(created);
    expect(await client.notes.import(records('end'), { onProgress })).toEqual({ created: 1501, updated: 0 });
    expect(progress).toEqual([1000, 1501]);
    const refused = await client.notes.import(records('')).catch((error: unknown) => error);
    if (!(refused instanceof GatewrightError)) throw refused;
    expect(refused.errors).toMatchObject([{ field: 'line.1501.title', rule: 'required' }]);
  });

  it('updates by id, and stops at an aborted signal', async () => {
    const { client } = await connect();
    const { id } = await client.notes.create({ title: 'before' });
    expect(await client.notes.import([{ id, title: 'after' }], { updateBy: 'id' })).toEqual({
      created: 0,
      updated: 1,
    });
    expect(await client.notes.get(id)).toMatchObject({ title: 'after' });
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(client.notes.import('title\nx\n', { signal })).rejects.toThrow('stop');
  });

  it('asks for strict handling outside production, unless the application says otherwise', async () => {
    const values = { title: 'one', colour: 'red' };
    const attempt = async (strict?: boolean): Promise<string | number> => {
      const { client } = await connect(strict);
      return client.notes.create(values).then(
        () => 'written',
        (error: GatewrightError) => error.errors[0]?.rule ?? error.status,
      );
    };
    process.env['NODE_ENV'] = 'development';
    expect([await attempt(), await attempt(false)]).toEqual(['ignored', 'written']);
    process.env['NODE_ENV'] = 'production';
    expect([await attempt(), await attempt(true)]).toEqual(['written', 'ignored']);
  });

  it('sends no preference with reads', async () => {
    const { client, sent } = await connect(true);
    await client.notes.list();
    expect(sent.map((headers) => headers.get('prefer'))).toEqual([null]);
  });
});
