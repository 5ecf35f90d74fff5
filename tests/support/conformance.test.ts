import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/kernel/json.ts';
import { conformance, type Exchange } from './conformance.ts';

const document: JsonObject = {
  servers: [{ url: 'https://example.com/shop' }],
  paths: {
    '/api/v1/things': {
      get: {
        operationId: 'listThings',
        responses: {
          200: {
            headers: { 'X-Total-Count': { schema: { type: 'integer' } } },
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    code: { const: 0 },
                    data: { type: 'array', items: { $ref: '#/components/schemas/ThingListItem' } },
                  },
                  required: ['code', 'data'],
                },
              },
            },
          },
          401: { $ref: '#/components/responses/Stranger' },
        },
      },
      patch: { operationId: 'changeThing', responses: { 304: { description: 'same' } } },
    },
    '/api/v1/things/{id}': { get: { operationId: 'getThing', responses: {} } },
  },
  components: {
    schemas: {
      ThingListItem: {
        type: 'object',
        properties: { id: { type: 'integer' }, at: { type: ['string', 'null'], format: 'date-time' } },
      },
    },
    responses: {
      Stranger: {
        headers: { 'WWW-Authenticate': { required: true, schema: { type: 'string' } } },
        content: {
          'application/json': {
            schema: { type: 'object', properties: { code: { enum: [40100] } }, required: ['code'] },
          },
        },
      },
    },
  },
  'x-gatewright': { generalResponses: { 405: { headers: { Allow: { required: true, schema: {} } } } } },
};

const thing = { id: 1, at: '2026-01-01T00:00:00.000Z' };

const answer = (change: Partial<Exchange> & { readonly body?: unknown }): Exchange => {
  const { body = { code: 0, data: [thing] }, ...rest } = change;
  return {
    method: 'GET',
    path: '/shop/api/v1/things',
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', date: 'now' },
    text: JSON.stringify(body),
    ...rest,
  };
};

const json = { 'content-type': 'application/json' };

const wrong: readonly (readonly [string, Exchange, RegExp])[] = [
  ['a field that is not described', answer({ body: { code: 0, data: [{ ...thing, secret: 1 }] } }), /secret/],
  ['a member of the envelope', answer({ body: { code: 0, data: [], more: 1 } }), /more/],
  ['a field that is missing', answer({ body: { code: 0, data: [{ id: 1 }] } }), /'at'/],
  ['another type', answer({ body: { code: 0, data: [{ ...thing, id: '1' }] } }), /integer/],
  ['another form of a time', answer({ body: { code: 0, data: [{ ...thing, at: '2026-01-01' }] } }), /format/],
  ['another code', answer({ body: { code: 1, data: [] } }), /constant/],
  ['a status that is not described', answer({ status: 500 }), /undocumented status of listThings/],
  ['a path that is not described', answer({ path: '/shop/api/v1/others' }), /no path/],
  ['a path outside the base', answer({ path: '/api/v1/things' }), /no path/],
  [
    'a header that is not described',
    answer({ headers: { ...json, etag: '"1"' } }),
    /undocumented header etag/,
  ],
  ['a header of another type', answer({ headers: { ...json, 'x-total-count': 'many' } }), /no integer/],
  ['a header that is missing', answer({ status: 401, body: { code: 40100 } }), /missing header www-auth/],
  ['a method without Allow', answer({ method: 'DELETE', status: 405, text: '' }), /missing header allow/],
  ['another media type', answer({ headers: { 'content-type': 'text/html' } }), /media type text\/html/],
  ['no JSON', answer({ text: '{' }), /no JSON/],
  ['a body with a 304', answer({ method: 'PUT', status: 304 }), /a body where none/],
  ['a body with a HEAD', answer({ method: 'HEAD' }), /a body where none/],
];

describe('conformance', () => {
  it.each(wrong)('the conformance check finds %s', (_name, exchange, expected) => {
    expect(conformance(document).check(exchange)).toEqual([expect.stringMatching(expected)]);
  });

  it('finds nothing in an answer that is as described', () => {
    const check = (exchange: Exchange): string[] => conformance(document).check(exchange);
    expect(check(answer({}))).toEqual([]);
    expect(
      check(answer({ path: '/shop/api/v1/things?fields=id', body: { code: 0, data: [{ id: 1 }] } })),
    ).toEqual([]);
    expect(check(answer({ method: 'HEAD', text: '' }))).toEqual([]);
    expect(check(answer({ method: 'PUT', status: 304, headers: {}, text: '' }))).toEqual([]);
    const headers = { ...json, 'www-authenticate': 'Bearer' };
    expect(check(answer({ status: 401, headers, body: { code: 40100 } }))).toEqual([]);
  });

  it('tells what was seen and what was not', () => {
    const checker = conformance(document);
    checker.check(answer({}));
    expect(checker.seen()).toEqual(['listThings 200']);
    expect(checker.unseen()).toEqual(['changeThing 304', 'listThings 401']);
  });
});
