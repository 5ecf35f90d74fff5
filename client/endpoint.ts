import type { CallOptions, RequestOptions, Transport } from './transport.ts';

/** The types of an endpoint of the application's own, as `gatewright generate client` writes them. */
export interface EndpointShape {
  /** Absent where it has none. */
  readonly body?: unknown;
  /** Files beside the texts of a body, by the names of their fields. */
  readonly files?: unknown;
  /** The content of `data`; a `Response` where the endpoint says its `media`. */
  readonly answer: unknown;
}

/** An endpoint as a client knows it. `source` is there for the compiler only. */
export interface EndpointName<Source> {
  /** The kind of its body; JSON unless given. */
  readonly accepts?: 'form' | 'multipart' | 'bytes';
  /** Whether its response has no envelope. */
  readonly raw?: boolean;
  readonly source?: Source;
}

/** Endpoints by method and path, as the application defines them: `POST /orders/:id/pay`. */
export type EndpointNames = Readonly<Record<string, EndpointName<unknown>>>;

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];

type PathOf<Name, Of extends Method> = Name extends `${Of} ${infer Path}` ? Path : never;

/** `id` of `/orders/:id/pay`. */
type ParamOf<Path> = Path extends `${string}:${infer Behind}`
  ? Behind extends `${infer Name}/${infer More}`
    ? Name | ParamOf<More>
    : Behind
  : never;

type Scalar = string | number | boolean;

/** A list is sent as several values of its name; undefined values are left out. */
type Query = Readonly<Record<string, Scalar | readonly Scalar[] | undefined>>;

interface CommonOptions extends CallOptions {
  /** Headers beside credentials and the type of the body, e.g. the media type of bytes. */
  readonly headers?: Readonly<Record<string, string>>;
}

type Nothing = Record<never, never>;

type ParamsPart<Path, Shape> = [ParamOf<Path>] extends [never]
  ? Nothing
  : Shape extends { readonly params: infer Params }
    ? { readonly params: Params }
    : { readonly params: { readonly [Name in ParamOf<Path>]: string | number } };

type QueryPart<Shape> = Shape extends { readonly query: infer Declared }
  ? Nothing extends Declared
    ? { readonly query?: Declared }
    : { readonly query: Declared }
  : { readonly query?: Query };

type BodyPart<Shape> = Shape extends { readonly body: infer Body }
  ? Nothing extends Body
    ? { readonly body?: Body }
    : { readonly body: Body }
  : Nothing;

type FilesPart<Shape> = Shape extends { readonly files: infer Files } ? { readonly files?: Files } : Nothing;

type OptionsOf<Path, Shape> = CommonOptions &
  ParamsPart<Path, Shape> &
  QueryPart<Shape> &
  BodyPart<Shape> &
  FilesPart<Shape>;

type ShapeAt<Names, Of extends Method, Path extends string> = Names extends {
  readonly [Name in `${Of} ${Path}`]: EndpointName<infer Shape>;
}
  ? Shape
  : never;

type AnswerOf<Shape> = Shape extends { readonly answer: infer Answer } ? Answer : never;

/**
 * The application's own endpoints, by method and path: `client.POST('/checkout', { body })`. In capitals, so that
 * they never collide with resources.
 */
export type EndpointCalls<Names> = {
  readonly [Of in Method]: <Path extends PathOf<keyof Names, Of>>(
    path: Path,
    ...options: Nothing extends OptionsOf<Path, ShapeAt<Names, Of, Path>>
      ? [options?: OptionsOf<Path, ShapeAt<Names, Of, Path>>]
      : [options: OptionsOf<Path, ShapeAt<Names, Of, Path>>]
  ) => Promise<AnswerOf<ShapeAt<Names, Of, Path>>>;
};

/** Untyped options of a call. */
interface Options extends CommonOptions {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Query;
  readonly body?: unknown;
  readonly files?: Readonly<Record<string, Blob | readonly Blob[] | undefined>>;
}

/** Refuses empty names and dots, which would change the path: no encoding preserves them. */
export const filled = (path: string, params: Readonly<Record<string, string | number>>): string =>
  path.replace(/:(\w+)/g, (_, name: string) => {
    const text = String(params[name] ?? '');
    if (/^\.{0,2}$/.test(text)) throw new TypeError(`params.${name}: "${text}" cannot stand in a path`);
    return encodeURIComponent(text);
  });

/** `[name, text]` of each value; several of one name for a list. */
function* pairs(values: object): Generator<[string, string]> {
  for (const [name, value] of Object.entries(values))
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each === undefined) continue;
      if (typeof each === 'object' && each !== null)
        throw new TypeError(`${name}: neither a form nor a query holds objects`);
      // A form has only texts: the empty one of an optional field is null.
      yield [name, each === null ? '' : String(each)];
    }
}

const queryText = (query: Query = {}): string => {
  const text = new URLSearchParams([...pairs(query)]).toString();
  return text === '' ? '' : `?${text}`;
};

const multipart = (body: unknown, files: Options['files'] = {}): FormData => {
  const form = new FormData();
  // The caller's form is not changed: it may be sent again.
  const given = body instanceof FormData ? body : pairs(body ?? {});
  for (const [name, value] of given) form.append(name, value as string);
  for (const [name, one] of Object.entries(files))
    for (const file of Array.isArray(one) ? one : [one]) if (file !== undefined) form.append(name, file);
  return form;
};

/** A write always has a body with a type: without one it would be refused. */
const bodyOf = ({ accepts }: EndpointName<unknown>, { body, files }: Options): RequestOptions => {
  if (accepts === 'multipart') return { payload: multipart(body, files) };
  if (accepts === 'form') return { payload: new URLSearchParams([...pairs(body ?? {})]) };
  return accepts === 'bytes' ? { payload: body as Blob | string } : { body: body ?? {} };
};

/** The calls of these endpoints. */
export const createEndpointCalls = <Names extends EndpointNames>(
  transport: Transport,
  names: Names,
): EndpointCalls<Names> => {
  const call = async (method: Method, path: string, options: Options = {}): Promise<unknown> => {
    const name = `${method} ${path}`;
    const endpoint = Object.hasOwn(names, name) ? names[name] : undefined;
    if (endpoint === undefined) throw new TypeError(`there is no endpoint ${name}`);
    const { params = {}, query, signal, headers = {} } = options;
    const target = `/api/v1${filled(path, params)}${queryText(query)}`;
    const takesBody = method !== 'GET' && method !== 'DELETE';
    const request = { signal, headers, ...(takesBody ? bodyOf(endpoint, options) : {}) };
    return endpoint.raw === true
      ? transport.request(method, target, request)
      : (await transport.send(method, target, request)).data;
  };
  const calls = methods.map((method) => [
    method,
    (path: string, options?: Options) => call(method, path, options),
  ]);
  // The compiler cannot follow a mapped type through entries.
  return Object.fromEntries(calls) as EndpointCalls<Names>;
};
