import { describe, expect, it } from 'vitest';
import type { Endpoint, HttpMethod } from './endpoint.ts';
import { Routes } from './routes.ts';

const endpoint = (method: HttpMethod, path: string, source?: string): Endpoint => ({
  operation: `${method} ${path}`,
  ...(source === undefined ? {} : { source }),
  method,
  path,
  auth: [],
  policy: { kind: 'open' },
  accepts: 'nothing',
  docs: { summary: path, tag: 'test' },
  handle: () => ({}),
});

const routesOf = (...endpoints: readonly Endpoint[]): Routes => {
  const routes = new Routes();
  routes.add(endpoints, '/base');
  return routes;
};

const found = (routes: Routes, method: string, url: string) => {
  const destination = routes.find(method, url);
  if (destination.endpoint !== undefined) return [destination.endpoint.operation, destination.params];
  return [destination.problem.problem, destination.problem.headers];
};

describe('two endpoints with one method and path are refused, naming both', () => {
  it.each([
    [
      'the same path',
      endpoint('POST', '/a'),
      endpoint('POST', '/a', 'endpoints/a.ts'),
      'POST /a of endpoints/a.ts',
    ],
    [
      'another name of a parameter',
      endpoint('GET', '/a/:id'),
      endpoint('GET', '/a/:name'),
      'GET /a/:name of the service',
    ],
    ['PUT beside PATCH', endpoint('PATCH', '/a'), endpoint('PUT', '/a', 'x.ts'), 'PUT /a of x.ts'],
    ['PATCH beside PUT', endpoint('PUT', '/a'), endpoint('PATCH', '/a', 'x.ts'), 'PATCH /a of x.ts'],
  ])('refuses two endpoints with %s, naming both', (_name, one, other, named) => {
    expect(() => routesOf(one, other)).toThrow(`${one.method} ${one.path} of the service, ${named}`);
  });
});

describe('endpoints that are added in several calls', () => {
  const first = endpoint('GET', '/a/:id');
  const routes = (): Routes => routesOf(first, endpoint('POST', '/b'));

  it.each([
    ['the same path', endpoint('GET', '/a/:id', 'x.ts'), '/base'],
    ['another name of a parameter', endpoint('GET', '/a/:name', 'x.ts'), '/base'],
    ['another cut between base path and path', endpoint('GET', '/base/a/:name', 'x.ts'), ''],
  ])(
    'endpoints that are added in several calls are refused as those of one call are: %s',
    (_name, other, basePath) => {
      const { method, path } = other;
      expect(() => routes().add([other], basePath)).toThrow(
        `GET /a/:id of the service, ${method} ${path} of x.ts`,
      );
    },
  );

  it('endpoints that are added in several calls are all found, and each method of a path is allowed', () => {
    const more = routes();
    more.add([endpoint('DELETE', '/a/:name'), endpoint('GET', '/c')], '/base');
    expect(found(more, 'GET', '/base/a/7')).toEqual(['GET /a/:id', { id: '7' }]);
    expect(found(more, 'DELETE', '/base/a/7')).toEqual(['DELETE /a/:name', { name: '7' }]);
    expect(found(more, 'GET', '/base/c')).toEqual(['GET /c', {}]);
    expect(found(more, 'POST', '/base/a/7')).toEqual(['method_not_allowed', { Allow: 'GET, HEAD, DELETE' }]);
  });
});

describe('a path', () => {
  const routes = routesOf(
    endpoint('GET', '/a/:id'),
    endpoint('DELETE', '/a/:name'),
    endpoint('PATCH', '/b'),
    endpoint('GET', '/a/all'),
  );

  it('a path is one whatever its parameters are called, and each endpoint gets its own', () => {
    expect(found(routes, 'GET', '/base/a/7')).toEqual(['GET /a/:id', { id: '7' }]);
    expect(found(routes, 'HEAD', '/base/a/7?x')).toEqual(['GET /a/:id', { id: '7' }]);
    expect(found(routes, 'DELETE', '/base/a/7')).toEqual(['DELETE /a/:name', { name: '7' }]);
    expect(found(routes, 'PUT', '/base/b')).toEqual(['PATCH /b', {}]);
    expect(found(routes, 'POST', '/base/a/7')).toEqual([
      'method_not_allowed',
      { Allow: 'GET, HEAD, DELETE' },
    ]);
  });

  it('a path that is spelt out is no parameter of another, for any method', () => {
    expect(found(routes, 'GET', '/base/a/all')).toEqual(['GET /a/all', {}]);
    expect(found(routes, 'DELETE', '/base/a/all')).toEqual(['method_not_allowed', { Allow: 'GET, HEAD' }]);
  });

  it.each(['/base/b', '/base/b?x=/', '/base/%62', '/base/b#x'])('a path is found as %s', (url) => {
    expect(found(routes, 'PATCH', url)).toEqual(['PATCH /b', {}]);
  });

  it.each(['/base/b/', '/base/B', '/base//b', '/b', ''])('a path is not found as %s', (url) => {
    expect(found(routes, 'PATCH', url)).toEqual(['path_not_found', {}]);
  });

  it.each(['OPTIONS', 'TRACE', 'QUERY', 'LOCK', 'constructor'])('takes no %s', (method) => {
    expect(found(routes, method, '/base/b')).toEqual(['method_not_allowed', { Allow: 'PUT, PATCH' }]);
    expect(found(routes, method, '/base/c')).toEqual(['path_not_found', {}]);
  });

  it('a path with an empty parameter is none', () => {
    for (const method of ['GET', 'DELETE', 'POST', 'TRACE'])
      expect(found(routes, method, '/base/a/')).toEqual(['path_not_found', {}]);
    expect(found(routes, 'GET', '/base/a/%00')).toEqual(['path_not_found', {}]);
    expect(found(routes, 'GET', '/base/a/%')).toEqual(['bad_request', {}]);
  });
});
