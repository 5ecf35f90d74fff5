import { expect, it } from 'vitest';
import { defineConfig } from '../../src/app/application.ts';
import { createTable } from '../../src/database/migrations/application-steps.ts';
import { field } from '../../src/fields/define.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

const never = (): Promise<never> => new Promise(() => {});

const heard: string[] = [];

const fields = { title: field.string({ required: true }) };

const chapter = defineResource('Chapter', {
  fields,
  hooks: {
    beforeSave: ({ values }) => (values.title === 'before' ? never() : undefined),
    afterCommit: ({ values }) => (values.title === 'after' ? never() : undefined),
  },
});

const application = {
  resources: [chapter],
  migrations: {
    '0001_chapters': {
      up: async (db: Parameters<typeof createTable>[0], dialect: 'sqlite' | 'postgres') =>
        createTable(db, dialect, chapter.table, { fields }),
    },
  },
  endpoints: [
    defineEndpoint({
      method: 'GET',
      path: '/never',
      auth: [],
      handle: ({ signal }) => {
        signal.addEventListener('abort', () => heard.push('aborted'));
        return never();
      },
    }),
    defineEndpoint({
      method: 'GET',
      path: '/rejects-later',
      auth: [],
      handle: () =>
        new Promise<never>((_, reject) => void setTimeout(() => reject(new Error('too late')), 1_500)),
    }),
    defineEndpoint({ method: 'GET', path: '/quick', auth: [], handle: () => ({ quick: true }) }),
  ],
  config: defineConfig({ onPayment: ({ body }) => (body['hold'] === true ? never() : undefined) }),
};

describeEachDatabase('HANDLER_TIMEOUT', (databases) => {
  const service = useService(databases, { application, apps: ['shop'], env: { HANDLER_TIMEOUT: '1' } });
  const post = async (title: string) =>
    service.post('/api/v1/chapters', { token: await service.admin(), body: { chapter: { title } } });
  const titles = async (): Promise<readonly unknown[]> =>
    (await service.ok<{ title: string }[]>('GET', '/api/v1/chapters', { token: await service.admin() })).map(
      ({ title }) => title,
    );

  it('an endpoint that takes longer is 503, and its signal is aborted', async () => {
    heard.length = 0;
    const [answer, late, quick] = await Promise.all([
      service.get('/api/v1/never'),
      service.get('/api/v1/rejects-later'),
      service.get('/api/v1/quick'),
    ]);
    expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([503, 50304, '5']);
    expect([late.status, quick.status, heard]).toEqual([503, 200, ['aborted']]);
    expect(service.lines.some((line) => line.includes('GET /api/v1/never'))).toBe(true);
  });

  it('beforeSave that takes longer is 503, and nothing is written', async () => {
    const answer = await post('before');
    expect([answer.status, answer.json.code]).toEqual([503, 50304]);
    expect(await titles()).not.toContain('before');
    expect((await post('fine')).status).toBe(201);
  });

  it('afterCommit that takes longer is logged', async () => {
    expect((await post('after')).status).toBe(201);
    expect(await titles()).toContain('after');
    await expect
      .poll(() => service.lines.some((line) => line.includes('afterCommit of Chapter, create of')))
      .toBe(true);
  });

  it('onPayment that takes longer is 503, and nothing is stored', async () => {
    const body = JSON.stringify({ hold: true });
    const answer = await service.post('/api/v1/payment', { body, headers: service.sign('shop', body) });
    expect([answer.status, answer.json.code]).toEqual([503, 50304]);
    const admin = await service.admin();
    expect(await service.ok('GET', '/admin/payments', { token: admin })).toEqual([]);
  });
});
