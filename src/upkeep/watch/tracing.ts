/** Spans of OpenTelemetry for requests and statements, if an SDK was loaded before the service. */

import type { Attributes, Span } from '@opentelemetry/api';
import { maskedStatement } from '../../database/masked-statement.ts';
import type { StatementWatch } from '../../database/measured.ts';
import type { Work } from '../../kernel/current-work.ts';

/** The attributes of a request's span; no query string, header or body. */
export interface TracedRequest extends Work {
  readonly method: string;
  readonly raw: { readonly headers: Readonly<Record<string, string | readonly string[] | undefined>> };
  readonly response: { readonly statusCode: number };
  /** Called with the span of the request, in the form of W3C Trace Context. */
  traced(traceparent: string): void;
}

/** Spans of OpenTelemetry, available with an SDK. */
export interface Tracing extends Pick<StatementWatch, 'begun'> {
  /** Runs the handling of a request within a server span, whose parent came with the request. */
  request(request: TracedRequest, run: () => Promise<void>): Promise<void>;
}

/** Key under which the package stores the registered SDK: any copy of the package (major 1) reads it. */
const registryKey = Symbol.for('opentelemetry.js.api.1');

const hasSdk = (): boolean => {
  const registry: unknown = Reflect.get(globalThis, registryKey);
  return typeof registry === 'object' && registry !== null && 'trace' in registry;
};

const traceparentOf = (span: Span): string => {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
};

/** The first word of a statement, which names its span. */
const operationOf = (text: string): string => /^\w+/.exec(text)?.[0]?.toUpperCase() ?? 'SQL';

/**
 * The tracing of a process in which an SDK was loaded before the service (`node --import ./tracing.js …`); undefined
 * in any other, at no cost. Names are those of the semantic conventions of OpenTelemetry.
 * @param system name of the database in the conventions
 * @throws Error where there is an SDK, but not the package `@opentelemetry/api`
 */
export const openTracing = async (system: string, version: string): Promise<Tracing | undefined> => {
  if (!hasSdk()) return undefined;
  const { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = await import(
    '@opentelemetry/api'
  );
  const tracer = trace.getTracer('gatewright', version);

  const fail = (span: Span, error: unknown): void => {
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute('error.type', error instanceof Error ? error.name : '_OTHER');
  };

  return {
    request: async (request, run) => {
      const parent = propagation.extract(ROOT_CONTEXT, request.raw.headers);
      const attributes: Attributes = { 'http.request.method': request.method };
      const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER, attributes }, parent);
      request.traced(traceparentOf(span));
      try {
        await context.with(trace.setSpan(parent, span), run);
      } finally {
        const { route, method, response } = request;
        if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
        span.setAttribute('http.response.status_code', response.statusCode);
        if (response.statusCode >= 500) {
          span.setStatus({ code: SpanStatusCode.ERROR });
          span.setAttribute('error.type', String(response.statusCode));
        }
        span.end();
      }
    },
    begun: (sql) => {
      // Statements that the service repeats every second belong to no trace.
      if (trace.getActiveSpan() === undefined) return undefined;
      const text = maskedStatement(sql);
      const operation = operationOf(text);
      const span = tracer.startSpan(operation, {
        kind: SpanKind.CLIENT,
        attributes: {
          'db.system.name': system,
          'db.operation.name': operation,
          'db.query.text': text,
        },
      });
      return (error) => {
        if (error !== undefined) fail(span, error);
        span.end();
      };
    },
  };
};
