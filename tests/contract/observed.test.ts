import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { context, propagation, SpanKind, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { defineJob } from '../../src/delivery/jobs/define-job.ts';
import { defineEndpoint } from '../../src/resources/application/define-endpoint.ts';
import { LouderLog } from '../../src/upkeep/watch/louder-log.ts';
import { describeEachDatabase } from '../support/databases.ts';
import { exchange } from '../support/raw-socket.ts';
import { type Service, startService, useService } from '../support/service.ts';

type Line = Readonly<Record<string, unknown>> & { readonly msg: string };

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

/** Takes its time on both databases, and holds values as only an application's own SQL can. */
const slowStatement = (literal: string, parameter: string) => sql`
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 150000)
  select count(*) as found, ${sql.lit(literal)} as text, cast(${parameter} as text) as parameter from n`;

const planted = { literal: 'planted-literal-3391', parameter: 'planted-parameter-4402' } as const;

/** The store that an application keeps for itself, as its own tracing or its tenants would. */
const ofApplication = new AsyncLocalStorage<string>();
const seen: (readonly [string | undefined, string | undefined])[] = [];

const application = {
  jobs: {
    tidy: defineJob({
      handle: async (scope) => {
        await scope.sql.all(slowStatement('of-a-job', 'of-a-job'));
      },
    }),
  },
  endpoints: [
    defineEndpoint({
      method: 'GET',
      path: '/slow/:id',
      auth: [],
      handle: async (scope) => {
        await scope.sql.all(slowStatement(planted.literal, planted.parameter));
        return undefined;
      },
    }),
    defineEndpoint({
      method: 'POST',
      path: '/waits',
      auth: [],
      handle: async ({ database }) => {
        await database.write(
          async (transaction) => {
            await transaction.get({ sql: 'select 1 as one', parameters: [] });
            await delay(120);
          },
          { limit: 5_000 },
        );
        return undefined;
      },
    }),
    defineEndpoint({
      method: 'POST',
      path: '/stores/:name',
      auth: [],
      handle: ({ params, database }) =>
        ofApplication.run(params['name'] ?? '', async () => {
          await database.write(async (transaction) => {
            await transaction.get({ sql: 'select 1 as one', parameters: [] });
            seen.push([params['name'], ofApplication.getStore()]);
          });
          seen.push([params['name'], ofApplication.getStore()]);
          return undefined;
        }),
    }),
  ],
};

const linesOf = (service: Service): Line[] => service.lines.map((line) => JSON.parse(line));
const requestOf = async (service: Service, id: unknown): Promise<Line | undefined> => {
  const find = () => linesOf(service).find(({ msg, requestId }) => msg === 'request' && requestId === id);
  await expect.poll(find).toBeDefined();
  return find();
};

describeEachDatabase('what an operator sees of a request', (databases) => {
  const service = useService(databases, {
    application,
    env: { SLOW_QUERY: '10', LOG_LEVEL: 'info', TRUST_PROXY: 'loopback' },
  });
  const idOf = async (headers: Readonly<Record<string, string>>, on: Service = service) =>
    String((await on.get('/api/v1/health', { headers })).headers['x-request-id']);
  const own = /^[0-9a-f]{8}-[0-9a-z]+$/;

  describe('X-Request-Id', () => {
    it('X-Request-Id is taken over from a proxy of ours where it can be an id, and stands in the log', async () => {
      for (const id of ['01JD3Z', traceId, 'a.b:c_d=e+f/g@h-1', 'x'.repeat(128)]) {
        expect(await idOf({ 'x-request-id': id })).toBe(id);
        expect(await requestOf(service, id)).toMatchObject({ route: '/api/v1/health' });
      }
      for (const id of ['', 'a b', 'x'.repeat(129), 'a"b', '<b>', 'a,b', 'é'])
        expect(await idOf({ 'x-request-id': Buffer.from(id).toString('latin1') })).toMatch(own);
    });

    it('X-Request-Id of anybody else is not taken over', async () => {
      const strangers = await service.secondInstance({ env: { TRUST_PROXY: '' } });
      expect(await idOf({ 'x-request-id': 'of-a-stranger' }, strangers)).toMatch(own);
      expect(strangers.lines.join('')).not.toContain('of-a-stranger');
    });

    it('X-Request-Id is on every answer, also on what reaches no route, and is another each time', async () => {
      const answers = await Promise.all([
        service.get('/api/v1/users'),
        service.get('/api/v1/no-such-path'),
        service.request('PUT', '/api/v1/health'),
        service.post('/api/v1/auth/login', { body: 'not json' }),
        service.get('/api-docs'),
        service.get('/api-docs/openapi.json'),
        service.get('/admin', { headers: { accept: 'text/html' } }),
      ]);
      const ids = answers.map(({ headers }) => String(headers['x-request-id']));
      expect(ids.filter((id) => own.test(id))).toHaveLength(answers.length);
      expect(new Set(ids).size).toBe(answers.length);
      for (const broken of ['garbage\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'])
        expect(await exchange(service.port, broken)).toMatch(/\r\nx-request-id: [0-9a-f]{8}-[0-9a-z]+\r\n/);
    });
  });

  it('traceparent of a caller is in the line of his request; what is none is not', async () => {
    const lineFor = async (sent: string): Promise<Line | undefined> =>
      requestOf(service, await idOf({ traceparent: sent }));
    expect(await lineFor(traceparent)).toMatchObject({ traceparent });
    const later = `01-${traceId}-00f067aa0ba902b7-01-what-comes-later`;
    expect(await lineFor(later)).toMatchObject({ traceparent: later });
    for (const bad of [
      traceparent.toUpperCase(),
      `${traceparent}-more`,
      `ff${traceparent.slice(2)}`,
      traceparent.replace(traceId, '0'.repeat(32)),
      `${traceparent}"injected`,
      'x',
    ])
      expect(await lineFor(bad)).not.toHaveProperty('traceparent');
  });

  it('the milliseconds of the database are those of its statements, and not those of the code between', async () => {
    const [slow, waits, none] = [
      await service.get('/api/v1/slow/7'),
      await service.post('/api/v1/waits', { body: {} }),
      await service.get('/api/v1/no-such-path'),
    ];
    const timesOf = async (id: unknown) => {
      const line = await requestOf(service, id);
      return [Number(line?.['milliseconds']), Number(line?.['databaseMilliseconds'])] as const;
    };
    const [whole, database] = await timesOf(slow.headers['x-request-id']);
    expect(database).toBeGreaterThan(10);
    expect(database).toBeLessThanOrEqual(whole);
    const [wholeOfWaits, databaseOfWaits] = await timesOf(waits.headers['x-request-id']);
    expect(wholeOfWaits).toBeGreaterThan(115);
    expect(wholeOfWaits - databaseOfWaits).toBeGreaterThan(115);
    expect((await timesOf(none.headers['x-request-id']))[1]).toBe(0);
  });

  it('a slow statement is logged with text, route, request and trace, and without a value', async () => {
    const { headers } = await service.get('/api/v1/slow/8', { headers: { traceparent } });
    const slow = linesOf(service).filter(({ msg }) => msg === 'slow statement');
    expect(slow).toContainEqual(
      expect.objectContaining({
        level: 40,
        requestId: headers['x-request-id'],
        route: '/api/v1/slow/:id',
        traceparent,
        milliseconds: expect.any(Number),
        statement: expect.stringMatching(
          /^with recursive n\(i\) as \(select \? union all select i \+ \? from n where i < \?\) select count\(\*\) as found, \? as text, cast\(\+?[?$]1? as text\) as parameter from n$/,
        ),
      }),
    );
    for (const line of slow) expect(line['milliseconds']).toBeGreaterThan(10);
    const log = service.lines.join('');
    expect(log).not.toContain(planted.literal);
    expect(log).not.toContain(planted.parameter);
  });

  it('one of a job is logged with the name of the job', async () => {
    await service.server.services.systemScope('a test').jobs.add('tidy', {});
    await expect
      .poll(() => linesOf(service).filter(({ msg }) => msg === 'slow statement'), { timeout: 10_000 })
      .toContainEqual(expect.objectContaining({ route: 'job tidy', requestId: null }));
  });

  it('none is with SLOW_QUERY=off, and the log level is raised for ten minutes where it is asked to', async () => {
    await using quiet = await startService(databases, {
      application,
      env: { SLOW_QUERY: 'off', LOG_LEVEL: 'warn' },
    });
    await quiet.get('/api/v1/slow/9');
    expect(quiet.lines.filter((line) => !/security event|lacks known fixes/.test(line))).toEqual([]);
    const log = new LouderLog(quiet.server.logger);
    log.raise();
    const { headers } = await quiet.get('/api/v1/slow/10');
    const id = headers['x-request-id'];
    expect(await requestOf(quiet, id)).toMatchObject({ level: 30, route: '/api/v1/slow/:id' });
    const statements = linesOf(quiet).filter(({ msg, requestId }) => msg === 'statement' && requestId === id);
    expect(statements).toMatchObject([{ level: 20, statement: expect.stringMatching(/^with recursive/) }]);
    expect(quiet.lines.join('')).not.toContain(planted.literal);
    log.lower();
    const before = quiet.lines.length;
    await quiet.get('/api/v1/slow/11');
    expect(quiet.lines.slice(before)).toEqual([]);
  });

  it('writes that share a commit run each within what its own caller keeps', async () => {
    seen.length = 0;
    const names = Array.from({ length: 24 }, (_, index) => `caller-${index}`);
    await Promise.all(names.map((name) => service.post(`/api/v1/stores/${name}`, { body: {} })));
    expect(seen).toHaveLength(48);
    for (const [name, found] of seen) expect(found).toBe(name);
  });

  it('where an SDK of OpenTelemetry is loaded, a request is a span under its caller’s, and its statements are spans under it', async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    provider.register();
    try {
      await using traced = await startService(databases, { application, env: { LOG_LEVEL: 'info' } });
      const { headers } = await traced.get('/api/v1/slow/12?secret=1', { headers: { traceparent } });
      const line = await requestOf(traced, headers['x-request-id']);
      const ofRequest = (name: string) => exporter.getFinishedSpans().find((span) => span.name === name);
      await expect.poll(() => ofRequest('GET /api/v1/slow/:id')).toBeDefined();
      const span = ofRequest('GET /api/v1/slow/:id');
      expect(span).toMatchObject({
        kind: SpanKind.SERVER,
        parentSpanContext: { traceId, spanId: '00f067aa0ba902b7' },
        attributes: {
          'http.request.method': 'GET',
          'http.route': '/api/v1/slow/:id',
          'http.response.status_code': 200,
        },
      });
      const spanId = span?.spanContext().spanId;
      expect(line).toMatchObject({ traceparent: `00-${traceId}-${spanId}-01` });
      const statement = ofRequest('WITH');
      expect(statement).toMatchObject({
        kind: SpanKind.CLIENT,
        parentSpanContext: { traceId, spanId },
        attributes: {
          'db.system.name': databases.dialect === 'sqlite' ? 'sqlite' : 'postgresql',
          'db.query.text': expect.stringMatching(/^with recursive/),
        },
      });
      const text = JSON.stringify(
        exporter.getFinishedSpans().map(({ name, attributes }) => [name, attributes]),
      );
      expect(text).not.toMatch(/secret|planted/);
      for (const { name, parentSpanContext } of exporter.getFinishedSpans())
        if (!name.startsWith('GET ')) expect(parentSpanContext).toBeDefined();
    } finally {
      await provider.shutdown();
      for (const api of [trace, context, propagation]) api.disable();
    }
  });
});
