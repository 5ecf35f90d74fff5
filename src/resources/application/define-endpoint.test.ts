import { describe, expect, it } from 'vitest';
import { field } from '../../fields/define.ts';
import { defineEndpoint } from './define-endpoint.ts';

const input = { a: field.string() };

/** Defines what a file in JavaScript could say. */
const define = (options: object) => () =>
  defineEndpoint({ method: 'POST', path: '/a', handle: () => null, ...options } as never);

describe('defineEndpoint', () => {
  it.each<[object, string]>([
    [{ accept: 'form' }, 'there is no option "accept": the nearest is "accepts"'],
    [{ accepts: 'xml' }, 'accepts must be "json" or "form" or "multipart" or "bytes", not "xml"'],
    [{ method: 'GET', accepts: 'form' }, 'a GET takes no body, so no accepts'],
    [{ method: 'DELETE', accepts: 'json' }, 'a DELETE takes no body, so no accepts'],
    [{ accepts: 'bytes', input }, 'what accepts bytes has no fields, so no input'],
    [{ limits: { total: 5 } }, 'limits are for accepts "multipart" or "bytes"'],
    [{ accepts: 'form', limits: {} }, 'limits are for accepts "multipart" or "bytes"'],
    [{ accepts: 'bytes', limits: { files: 1 } }, 'there is no limit but limits.total'],
    [{ accepts: 'multipart', limits: { fil: 1 } }, 'there is no option "limits.fil": the nearest is'],
    [{ accepts: 'multipart', limits: { file: 0 } }, 'limits.file must be a whole number above 0'],
    [{ accepts: 'multipart', limits: { files: 1.5 } }, 'limits.files must be a whole number above 0'],
    [{ accepts: 'multipart', limits: { file: 9, total: 8 } }, 'limits.total is less than limits.file (9'],
    [{ accepts: 'multipart', limits: { total: 8 } }, 'limits.total is less than limits.file (10485760'],
    [{ media: 'picture' }, 'media must be a media type'],
    [{ media: '*/png' }, 'media must be a media type or a range of them'],
    [{ media: 'image/p*' }, 'media must be a media type'],
    [{ media: 'text/plain;\n charset=utf-8' }, 'media must be a media type'],
    [{ media: `text/plain${' ;'.repeat(50_000)} x` }, 'media must be a media type'],
    [{ output: 7 }, 'output must be an object'],
  ])('refuses the options %j: %s', (options, flaw) => {
    expect(define(options)).toThrow(flaw);
    expect(define(options)).toThrow(/^endpoint (POST|GET|DELETE) \/a: /);
  });

  it.each<object>([
    { accepts: 'json', input },
    { accepts: 'form', input },
    { accepts: 'multipart', input, limits: { file: 5, total: 50, files: 2 } },
    { accepts: 'bytes', limits: { total: 5 } },
    { method: 'GET', media: 'text/csv; charset=utf-8' },
    { method: 'GET', media: '*/*' },
    { method: 'GET', media: 'image/*' },
    { method: 'GET', media: '*/*;q=0.5' },
    { method: 'GET', media: 'text/html;level="a \\"b\\""; charset=utf-8' },
    { method: 'GET', media: "application/vnd.a%b'c~d|e`f" },
    { method: 'GET', media: 'text/plain; charset=utf-8;' },
  ])('accepts the options %j', (options) => {
    expect(define(options)).not.toThrow();
  });
});
