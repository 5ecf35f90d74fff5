import type { Login, Session } from './authenticator.ts';
import { createEndpointCalls, type EndpointCalls, type EndpointNames } from './endpoint.ts';
import type { ApiKeyShape, Json, Metadata, NewApiKey, Receipt, RotatedApiKey, UserShape } from './fixed.ts';
import { createOperationCalls, type OperationCalls, type OperationNames } from './operation.ts';
import type { User } from './records.ts';
import {
  type CreateOptions,
  createResourceClient,
  eachPage,
  idempotent,
  listPage,
  type ResourceClient,
} from './resource.ts';
import type { EachQuery, ListQuery, Page, ResourceName, ShapeOf } from './shape.ts';
import { signOut } from './sign-out.ts';
import {
  type Answer,
  type CallOptions,
  createTransport,
  type RequestOptions,
  type TransportOptions,
} from './transport.ts';

/** Resources by the last part of their path. */
type Resources = Readonly<Record<string, ResourceName<unknown>>>;

type SourceOf<Name> = Name extends ResourceName<infer Source> ? Source : never;

export interface ClientOptions<
  Names extends Resources,
  Own extends EndpointNames = Record<never, never>,
  Hooks extends OperationNames = Record<never, never>,
> extends TransportOptions {
  /** `{ orders: resource<typeof order>('order') }`, or `resources` of the file that `gatewright generate client` wrote. */
  readonly resources?: Names;
  /** `endpoints` of that file: the application's own endpoints. */
  readonly endpoints?: Own;
  /** `webhooks` of that file, where a model has `events` and `manage`: the webhooks of the caller. */
  readonly webhooks?: Hooks;
}

interface MetadataOptions extends CallOptions {
  readonly id?: number | undefined;
  /** Values of a new record; null and undefined are left out. */
  readonly with?: Readonly<Record<string, string | number | boolean | null | undefined>> | undefined;
}

interface Listing<Shape extends UserShape | ApiKeyShape> {
  list(query?: ListQuery<Shape>, options?: CallOptions): Promise<Page<Shape['listed']>>;
  pages(query?: EachQuery<Shape>, options?: CallOptions): AsyncIterableIterator<Shape['listed'][]>;
}

/** The endpoints that every service has. Their names cannot be those of resources. */
interface FixedClient {
  readonly auth: {
    /**
     * Signs in, and from then on calls as this user; signs in again when the token has expired. A long sign-in is
     * renewed instead, until the service ends it.
     */
    login(login: Login, options?: CallOptions): Promise<Session>;
    /**
     * Forgets the credentials and revokes the token among them, which ends a long sign-in; with `all`, every token of the
     * user, and their sessions in the administration area. Throws when the service cannot be reached: the token then
     * stays valid until it expires.
     */
    logout(options?: CallOptions & { readonly all?: boolean }): Promise<void>;
    me(options?: CallOptions): Promise<User>;
    /** Changes the caller's own password. */
    password(
      change: { readonly current_password: string; readonly password: string },
      options?: CallOptions,
    ): Promise<void>;
  };
  readonly users: Listing<UserShape>;
  readonly apiKeys: Listing<ApiKeyShape> & {
    /** The only response with the whole key. `expires_at` in ISO 8601. */
    create(
      values: {
        readonly name: string;
        readonly expires_at?: string | null;
        /** `orders:read`, `articles:*`, `POST /checkout`; everything that the owner may do where absent. */
        readonly scopes?: readonly string[] | null;
        /** `203.0.113.0/24`; everywhere where absent. */
        readonly networks?: readonly string[] | null;
        /** `{ max: 120, window: '1m', burst: 20 }`; none of its own where absent. */
        readonly limit?: { readonly max: number; readonly window: string; readonly burst?: number } | null;
        /** Requests of a calendar month; any number where absent. */
        readonly quota?: number | null;
        /** A service account that the caller owns; the key is the caller's where absent. */
        readonly service_account_id?: number | null;
      },
      options?: CallOptions,
    ): Promise<NewApiKey>;
    /**
     * Gives a key another secret, which only this response contains. The old one works for `overlap` seconds more: a day
     * where absent, at most 30.
     */
    rotate(id: number, values?: { readonly overlap?: number }, options?: CallOptions): Promise<RotatedApiKey>;
    delete(id: number, options?: CallOptions): Promise<void>;
  };
  /**
   * Description of a model, by its name (`Order`), for this caller; with `id` for one record, with `with` for a new
   * record that has these values.
   */
  meta(model: string, options?: MetadataOptions): Promise<Metadata>;
  /** Whether the process responds; with `ready`, whether the database does as well. */
  health(options?: CallOptions & { readonly ready?: boolean }): Promise<{ readonly status: 'ok' }>;
  /** Requires a signature: give the client the `fetch` of a signer. */
  payment(body: Readonly<Record<string, Json>>, options?: CreateOptions): Promise<Receipt>;
  /** Any endpoint; `path` is complete (`/api/v1/…`). */
  sendRequest<Data = unknown>(method: string, path: string, options?: RequestOptions): Promise<Answer<Data>>;
}

export type Client<
  Names extends Resources,
  Own extends EndpointNames = Record<never, never>,
  Hooks extends OperationNames = Record<never, never>,
> = FixedClient &
  EndpointCalls<Own> & {
    readonly [Path in keyof Names]: ResourceClient<
      ShapeOf<SourceOf<Names[Path]>, SourceOf<Names[keyof Names]>>
    >;
  } & ([keyof Hooks] extends [never] ? unknown : { readonly webhooks: OperationCalls<Hooks> });

const api = '/api/v1';

/** A client of one service. Sends nothing before the first call. All calls throw GatewrightError. */
export const createClient = <
  const Names extends Resources = Record<never, never>,
  const Own extends EndpointNames = Record<never, never>,
  const Hooks extends OperationNames = Record<never, never>,
>(
  options: ClientOptions<Names, Own, Hooks>,
): Client<Names, Own, Hooks> => {
  const transport = createTransport(options);
  const { send, authenticator } = transport;
  const listing = <Shape extends UserShape | ApiKeyShape>(path: string): Listing<Shape> => ({
    list: (query = {}, call) => listPage(transport, path, query, call),
    pages: (query = {}, call) => eachPage(transport, path, query, call),
  });
  const fixed: FixedClient = {
    auth: {
      login: (login, call) => authenticator.login(login, call?.signal),
      logout: async ({ all, ...call } = {}) => {
        const body = all === true ? { body: { all } } : {};
        await signOut(send, authenticator, { ...call, ...body });
      },
      me: async (call) => (await send<User>('GET', `${api}/auth/me`, call)).data,
      password: async (body, call) => {
        await send('PUT', `${api}/auth/password`, { ...call, body });
      },
    },
    users: listing(`${api}/users`),
    apiKeys: {
      ...listing<ApiKeyShape>(`${api}/api_keys`),
      create: async (values, call) =>
        (await send<NewApiKey>('POST', `${api}/api_keys`, { ...call, body: { api_key: values } })).data,
      rotate: async (id, values = {}, call) =>
        (await send<RotatedApiKey>('POST', `${api}/api_keys/${id}/rotate`, { ...call, body: { ...values } }))
          .data,
      delete: async (id, call) => {
        await send('DELETE', `${api}/api_keys/${id}`, call);
      },
    },
    meta: async (model, { id, with: values = {}, ...call } = {}) => {
      const query = new URLSearchParams(id === undefined ? {} : { id: String(id) });
      for (const [name, value] of Object.entries(values))
        if (value !== undefined && value !== null) query.append(`with[${name}]`, String(value));
      const path = `${api}/meta/${encodeURIComponent(model)}${query.size === 0 ? '' : `?${query}`}`;
      return (await send<Metadata>('GET', path, call)).data;
    },
    health: async ({ ready = false, ...call } = {}) =>
      (
        await send<{ status: 'ok' }>('GET', `${api}/health${ready ? '?ready' : ''}`, {
          ...call,
          anonymous: true,
        })
      ).data,
    payment: async (body, call) =>
      (await send<Receipt>('POST', `${api}/payment`, { ...idempotent(call), body, anonymous: true })).data,
    sendRequest: send,
  };
  const resources = Object.entries(options.resources ?? {}).map(([path, { singular }]) => [
    path,
    createResourceClient(transport, `${api}/${path}`, singular),
  ]);
  const calls = createEndpointCalls(transport, options.endpoints ?? {});
  const { webhooks } = options;
  const hooks = webhooks === undefined ? {} : { webhooks: createOperationCalls(transport, webhooks) };
  // The compiler cannot follow a mapped type through entries.
  const client = { ...Object.fromEntries(resources), ...hooks, ...calls, ...fixed };
  return Object.freeze(client) as Client<Names, Own, Hooks>;
};
