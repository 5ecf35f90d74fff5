import { filled } from './endpoint.ts';
import type { ListParameters } from './query.ts';
import { listPage } from './resource.ts';
import type { ListQuery, ListShape, Page } from './shape.ts';
import type { CallOptions, Transport } from './transport.ts';

/** The types of an operation of the service, as `gatewright generate client` writes them. */
export interface OperationShape {
  /** The parameters of its path, in their order. */
  readonly ids: readonly number[];
  /** Absent where it has none; optional where it may be left out. */
  readonly body?: object;
  /** The content of `data`; undefined where there is none. */
  readonly answer?: unknown;
}

/** An operation as a client knows it. `source` is there for the compiler only. */
export interface OperationName<Source> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`. */
  readonly path: string;
  /** Whether it has a body; the values are at `key` in it where there is one. */
  readonly body?: boolean;
  readonly key?: string;
  /** Whether it is a list, which takes the parameters of lists. */
  readonly list?: boolean;
  readonly source?: Source;
}

/** Operations by the names of their calls. */
export type OperationNames = Readonly<Record<string, OperationName<unknown>>>;

type IdsOf<Shape> = Shape extends { readonly ids: infer Ids extends readonly number[] } ? Ids : [];

type AnswerOf<Shape> = Shape extends { readonly answer: infer Answer } ? Answer : never;

/** A call: the parameters of the path, what is sent, and options. */
type CallOf<Shape> = Shape extends ListShape
  ? (
      ...given: [...ids: IdsOf<Shape>, query?: ListQuery<Shape>, options?: CallOptions]
    ) => Promise<Page<Shape['listed']>>
  : 'body' extends keyof Shape
    ? Shape extends { readonly body: infer Body }
      ? (...given: [...ids: IdsOf<Shape>, values: Body, options?: CallOptions]) => Promise<AnswerOf<Shape>>
      : Shape extends { readonly body?: infer Body }
        ? (...given: [...ids: IdsOf<Shape>, values?: Body, options?: CallOptions]) => Promise<AnswerOf<Shape>>
        : never
    : (...given: [...ids: IdsOf<Shape>, options?: CallOptions]) => Promise<AnswerOf<Shape>>;

/** Operations of the service that some applications have: `client.webhooks.rotate(7, { overlap: 60 })`. */
export type OperationCalls<Names> = {
  readonly [Name in keyof Names]: Names[Name] extends OperationName<infer Shape> ? CallOf<Shape> : never;
};

/** The calls of these operations. */
export const createOperationCalls = <Names extends OperationNames>(
  transport: Transport,
  names: Names,
): OperationCalls<Names> => {
  const calls = Object.entries(names).map(([name, { method, path, body = false, key, list = false }]) => {
    const ids = [...path.matchAll(/:(\w+)/g)].map(([, id = '']) => id);
    const call = async (...given: readonly unknown[]): Promise<unknown> => {
      const params = Object.fromEntries(ids.map((id, index) => [id, given[index] as number]));
      const target = `/api/v1${filled(path, params)}`;
      const [first, second] = given.slice(ids.length);
      if (list) return listPage(transport, target, (first ?? {}) as ListParameters, second as CallOptions);
      const options = (body ? second : first) as CallOptions;
      const sent = body ? { body: key === undefined ? (first ?? {}) : { [key]: first } } : {};
      return (await transport.send(method, target, { ...options, ...sent })).data;
    };
    return [name, call];
  });
  // The compiler cannot follow a mapped type through entries.
  return Object.fromEntries(calls) as OperationCalls<Names>;
};
