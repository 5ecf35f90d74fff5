import { readFile } from 'node:fs/promises';
import order from '../../examples/newsroom/resources/order.ts';
import { createApplication } from '../../src/app/application.ts';
import { field } from '../../src/fields/define.ts';
import { defineProblem } from '../../src/model/define-problem.ts';
import { answer } from '../../src/resources/application/answer.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { newsroom } from './applications.ts';

const soldOut = defineProblem({
  status: 409,
  number: 50,
  message: { en: 'Only {left} left */', 'zh-CN': '仅剩 {left}' },
});

/** The example application with an endpoint of every kind of body and answer. */
export const ownEndpoints = createApplication({
  ...newsroom,
  endpoints: [
    defineEndpoint({
      method: 'POST',
      path: '/checkout',
      summary: 'Places an order.\nAt once.',
      input: {
        number: field.string({ required: true }),
        pieces: field.integer({ required: true, min: 1 }),
        kind: field.enum(["it's", 'b'], { default: 'b' }),
        note: field.json(),
      },
      output: order,
      status: 201,
      problems: [soldOut, 'conflict'],
      handle: ({ values, records }) => {
        if (values.pieces > 3) throw soldOut({ left: 3 });
        return records(order).create({ number: values.number, amount: values.pieces });
      },
    }),
    defineEndpoint({
      method: 'GET',
      path: '/api/v1/orders/:id/lines/:line_no',
      output: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          line: { type: ['string', 'null'] },
          'tag-list': { type: 'array', items: { enum: ['a', 1, null] } },
          known: { type: 'object', additionalProperties: { type: 'integer' } },
          deep: { type: 'object', properties: { a: { const: true }, b: { $ref: '#/x' } }, required: ['a'] },
          any: {},
        },
        required: ['id', 'line', 'tag-list'],
      },
      handle: ({ params, query }) => ({
        id: params['id'] ?? '',
        line: params['line_no'] ?? null,
        'tag-list': query.getAll('tag'),
      }),
    }),
    defineEndpoint({
      method: 'GET',
      path: '/rooms/:day/:floor',
      params: { day: field.date(), floor: field.integer({ max: 9 }) },
      query: { seats: field.integer({ required: true }), kind: field.enum(['office', 'hall']) },
      handle: ({ params, query }) => ({ params, query }),
    }),
    defineEndpoint({ method: 'DELETE', path: '/drafts', handle: () => answer({ status: 204 }) }),
    defineEndpoint({ method: 'PATCH', path: '/anything', handle: ({ body }) => body }),
    defineEndpoint({
      method: 'PUT',
      path: '/form',
      accepts: 'form',
      input: { size: field.number({ required: true }), name: field.string(), extra: field.json() },
      handle: ({ values }) => ({ ...values }),
    }),
    defineEndpoint({
      method: 'POST',
      path: '/pictures/:id',
      accepts: 'multipart',
      input: { title: field.string({ required: true }), live: field.boolean() },
      handle: async ({ values, files, params }) => ({
        ...values,
        of: params['id'] ?? null,
        files: await Promise.all(
          files.map(async ({ field, filename, type, path }) => [
            field,
            filename,
            type,
            await readFile(path, 'utf8'),
          ]),
        ),
      }),
    }),
    defineEndpoint({
      method: 'POST',
      path: '/bytes',
      accepts: 'bytes',
      handle: async ({ bytes, header }) => ({
        type: header('content-type') ?? null,
        text: Buffer.from(await bytes).toString(),
      }),
    }),
    defineEndpoint({
      method: 'GET',
      path: '/report.csv',
      media: 'text/csv',
      roles: ['super_admin'],
      handle: ({ query }) => {
        if (query.has('left')) throw soldOut({ left: 0 });
        return answer({ type: 'text/csv', body: 'a,b\n1,2\n' });
      },
    }),
  ],
});
