import { describe, expect, it } from 'vitest';
import { field } from '../../src/fields/define.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { describeDatabase } from '../support/databases.ts';
import { useService } from '../support/service.ts';

const rooms = defineEndpoint({
  method: 'GET',
  path: '/rooms/:day/:floor',
  auth: [],
  params: { day: field.date({ label: 'Day' }), floor: field.integer({ min: -1, max: 9 }) },
  query: {
    seats: field.integer({ required: true, min: 1 }),
    kind: field.enum(['office', 'hall'], { default: 'office' }),
    price: field.decimal({ scale: 2 }),
    open: field.boolean(),
    note: field.string({ max: 5 }),
  },
  handle: ({ params, query }) => ({ params, query }),
});
const plain = defineEndpoint({
  method: 'GET',
  path: '/plain/:word',
  auth: [],
  handle: ({ params, query }) => ({ params, query: query.getAll('a') }),
});

describeDatabase('sqlite', 'declared parameters of an endpoint', (databases) => {
  const service = useService(databases, { application: { endpoints: [rooms, plain] } });
  const get = (path: string) => service.get(`/api/v1${path}`);

  it('declared parameters of an endpoint reach the handler with their types and defaults', async () => {
    const { json } = await get(
      '/rooms/2026-02-28/-1?seats=12&open=true&price=7&note=%E6%97%A5&other=1&other=2',
    );
    expect(json.data).toEqual({
      params: { day: '2026-02-28', floor: -1 },
      query: { seats: 12, kind: 'office', price: '7.00', open: true, note: '日' },
    });
    expect((await get('/rooms/2026-02-28/0?seats=1&price=')).json.data).toEqual({
      params: { day: '2026-02-28', floor: 0 },
      query: { seats: 1, kind: 'office', price: null },
    });
  });

  it.each([
    ['/rooms/2026-02-30/1?seats=1', 'day'],
    ['/rooms/2026-02-28/10?seats=1', 'floor'],
    ['/rooms/2026-02-28/x?seats=1', 'floor'],
    ['/rooms/2026-02-28/1', 'seats'],
    ['/rooms/2026-02-28/1?seats=', 'seats'],
    ['/rooms/2026-02-28/1?seats=0', 'seats'],
    ['/rooms/2026-02-28/1?seats=1e1', 'seats'],
    ['/rooms/2026-02-28/1?seats=1&seats=2', 'seats'],
    ['/rooms/2026-02-28/1?seats=1&kind=cellar', 'kind'],
    ['/rooms/2026-02-28/1?seats=1&price=0.001', 'price'],
    ['/rooms/2026-02-28/1?seats=1&open=yes', 'open'],
    ['/rooms/2026-02-28/1?seats=1&note=longer', 'note'],
    ['/rooms/2026-02-28/1?seats=1&note=%FF', 'note'],
  ])('declared parameters are refused with 400: %s', async (path, name) => {
    expect((await get(path)).json).toEqual({ code: 40006, message: `参数 ${name} 无效` });
  });

  it('parameters are as they were where nothing is declared', async () => {
    expect((await get('/plain/x%20y?a=1&a=2')).json.data).toEqual({
      params: { word: 'x y' },
      query: ['1', '2'],
    });
  });

  describe('in the API description', () => {
    it('declared parameters have their schemas in the API description', async () => {
      const { json } = await service.get<JsonObject>('/api-docs/openapi.json');
      const { paths } = json as unknown as {
        readonly paths: Readonly<
          Record<string, { readonly get: { readonly parameters: readonly JsonObject[] } }>
        >;
      };
      const parameters = paths['/api/v1/rooms/{day}/{floor}']?.get.parameters ?? [];
      expect(parameters).toMatchObject([
        { name: 'day', in: 'path', required: true, schema: { type: 'string', format: 'date', title: 'Day' } },
        { name: 'floor', in: 'path', required: true, schema: { type: 'integer', minimum: -1, maximum: 9 } },
        { name: 'seats', in: 'query', required: true, schema: { type: 'integer', minimum: 1 } },
        { name: 'kind', in: 'query', schema: { default: 'office' } },
        { name: 'price', in: 'query' },
        { name: 'open', in: 'query', schema: { type: ['boolean', 'null'] } },
        { name: 'note', in: 'query', schema: { maxLength: 5 } },
      ]);
      expect(parameters.slice(3).map(({ required }) => required)).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
    });
  });
});
