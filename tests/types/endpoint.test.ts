import type { Readable } from 'node:stream';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { field } from '../../src/fields/define.ts';
import type { UploadedFile } from '../../src/http/uploads.ts';
import { defineResource } from '../../src/model/define-resource.ts';
import { DefinitionError } from '../../src/model/definition-error.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';

const book = defineResource('Book', {
  fields: { title: field.string({ required: true }), pages: field.integer(), secret: field.text() },
  views: { detail: ['id', 'title', 'pages'] },
});

describe('types of an endpoint', () => {
  it('its values are exact: what is required, or has a default, is never undefined', () => {
    defineEndpoint({
      method: 'POST',
      path: '/exact',
      input: {
        email: field.email({ required: true }),
        note: field.text(),
        copies: field.integer({ default: 1 }),
        kind: field.enum(['a', 'b'], { required: true, default: 'a' }),
      },
      handle: ({ values }) => {
        expectTypeOf(values).toEqualTypeOf<{
          readonly email: string;
          readonly copies: number | null;
          readonly kind: 'a' | 'b';
          readonly note?: string | null;
        }>();
        // @ts-expect-error: no such field
        return values.mail ?? null;
      },
    });
  });

  it('declared parameters of path and query are exact, others are texts', () => {
    defineEndpoint({
      method: 'GET',
      path: '/days/:day',
      params: { day: field.date() },
      query: {
        seats: field.integer({ required: true }),
        open: field.boolean({ default: true }),
        note: field.string(),
      },
      handle: ({ params, query }) => {
        expectTypeOf(params).toEqualTypeOf<{ readonly day: string }>();
        expectTypeOf(query).toEqualTypeOf<{
          readonly seats: number;
          readonly open: boolean | null;
          readonly note?: string | null;
        }>();
        // @ts-expect-error: no such field
        return query.seat ?? null;
      },
    });
    defineEndpoint({
      method: 'GET',
      path: '/days/:day',
      handle: ({ params, query }) => {
        expectTypeOf(params).toEqualTypeOf<Readonly<Record<string, string>>>();
        return query.get('seats');
      },
    });
    const other = { day: field.date() };
    expect(() => defineEndpoint({ method: 'GET', path: '/days', params: other, handle: () => null })).toThrow(
      'endpoint GET /days: the path has no parameter :day',
    );
    expect(() =>
      defineEndpoint({ method: 'GET', path: '/days/:day/:room', params: other, handle: () => null }),
    ).toThrow('params has no field room');
  });

  it('an endpoint without input has no values', () => {
    defineEndpoint({
      method: 'GET',
      path: '/none',
      handle: ({ values, body }) => {
        expectTypeOf<keyof typeof values>().toEqualTypeOf<never>();
        return body;
      },
    });
  });

  it('a model as output types what is answered', () => {
    const common = { method: 'GET', path: '/books/best', output: book } as const;
    defineEndpoint({ ...common, handle: () => ({ id: 1, title: 'A', pages: null }) });
    defineEndpoint({ ...common, handle: async () => ({ id: 1, title: 'A', pages: 3 }) });
    // @ts-expect-error: a field is missing
    defineEndpoint({ ...common, handle: () => ({ id: 1, title: 'A' }) });
    // @ts-expect-error: a field of another type
    defineEndpoint({ ...common, handle: () => ({ id: 1, title: 7, pages: null }) });
    // @ts-expect-error: nothing is no record
    defineEndpoint({ ...common, handle: () => undefined });
  });

  it('a schema as output types nothing', () => {
    defineEndpoint({ method: 'GET', path: '/any', output: { type: 'object' }, handle: () => ({ a: 1 }) });
    defineEndpoint({ method: 'GET', path: '/any', output: {}, handle: async () => undefined });
  });

  it('an endpoint with a body has the values that it accepts', () => {
    const post = { method: 'POST', path: '/body' } as const;
    defineEndpoint({
      ...post,
      handle: ({ body, bytes, ...context }) => {
        expectTypeOf(bytes).toEqualTypeOf<Uint8Array>();
        // @ts-expect-error: there are no files in JSON
        return context.files ?? body;
      },
    });
    defineEndpoint({
      ...post,
      accepts: 'multipart',
      limits: { file: 5_000 },
      input: { title: field.string({ required: true }) },
      handle: ({ values, files, ...context }) => {
        expectTypeOf(values.title).toEqualTypeOf<string>();
        expectTypeOf(files).toEqualTypeOf<readonly UploadedFile[]>();
        // @ts-expect-error: the bytes of files are not in memory
        return context.bytes ?? null;
      },
    });
    defineEndpoint({
      ...post,
      accepts: 'bytes',
      handle: async (context) => {
        expectTypeOf<typeof context.bytes>().toEqualTypeOf<Promise<Uint8Array>>();
        expectTypeOf<typeof context.stream>().toEqualTypeOf<Readable>();
        // @ts-expect-error: it is not parsed
        return context.body ?? null;
      },
    });
    defineEndpoint({ ...post, accepts: 'form', handle: ({ body, bytes }) => [body, bytes.length] });
  });

  it('an endpoint does not compile with a wrong option', () => {
    const handle = () => null;
    // @ts-expect-error: unknown option
    expect(() => defineEndpoint({ method: 'GET', path: '/a', summry: 'A', handle })).toThrow(DefinitionError);
    // @ts-expect-error: no such body
    expect(() => defineEndpoint({ method: 'PUT', path: '/a', accepts: 'xml', handle })).toThrow(
      DefinitionError,
    );
    // @ts-expect-error: neither a model nor a schema
    expect(() => defineEndpoint({ method: 'GET', path: '/a', output: 'Book', handle })).toThrow(
      DefinitionError,
    );
  });
});
