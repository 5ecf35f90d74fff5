/**
 * `Endpoint`: a route as data, with its authentication, policy, input and handler, and the `Call` that the handler
 * receives.
 */

import type { Readable } from 'node:stream';
import type { Principal } from '../auth/principal.ts';
import type { EndpointLimit } from '../auth/rate-limit.ts';
import type { AuthMethodName } from '../auth/registry.ts';
import type { ListReader } from '../database/database.ts';
import type { Bucket, Measure } from '../fields/aggregates.ts';
import type { FilterOperator, JsonSchema } from '../fields/field.ts';
import type { Json, JsonObject, JsonText } from '../kernel/json.ts';
import type { Label, Locale, SuccessName } from '../kernel/messages.ts';
import type { ProblemKind } from '../kernel/problem.ts';
import type { Grant } from '../policy/grant.ts';
import type { Rule, Showing } from '../policy/rule.ts';
import type { MultipartLimits } from './multipart.ts';
import type { Piece } from './pieces.ts';
import type { UploadedFile } from './uploads.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The request as a handler receives it: authenticated, permitted, and with its body read and parsed. */
export interface Call {
  readonly grant: Grant;
  /**
   * The caller: `{ kind: 'user', id, username, roles, … }`, `{ kind: 'application', appId }` or `{ kind: 'nobody' }`.
   */
  readonly principal: Principal;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The raw query string, without the question mark. */
  readonly query: string;
  /** The parsed body; the inner object where the endpoint has a `bodyKey`; empty where the endpoint accepts no body. */
  readonly body: JsonObject;
  /** The body's bytes as received, which a signature covers. */
  readonly bytes: Uint8Array;
  /** The files of a multipart body, which exist until the response is sent. */
  readonly files: readonly UploadedFile[];
  /**
   * Reads the whole body of an endpoint that accepts bytes, within BODY_LIMIT.
   * @throws Problem; Error where it is already read as a stream
   */
  readBody(): Uint8Array | Promise<Uint8Array>;
  /**
   * Returns the body of such an endpoint as a stream; `limit` in bytes. @throws Error where it is already being read
   */
  streamBody(limit: number): Readable;
  /** Returns a request header by its lower-case name. */
  header(name: string): string | undefined;
  /**
   * Tells whether `Prefer: handling=strict` asks to refuse names that the write would ignore; the response then says
   * that this was applied.
   */
  applyStrict(): boolean;
  /** Returns a header that a trusted proxy sets; undefined where the connection does not come from one. */
  proxyHeader(name: string): string | undefined;
  /** Address of the caller (behind a proxy as TRUST_PROXY says). */
  readonly address: string;
  /** Path of the request, without the query string. */
  readonly path: string;
  readonly requestId: string;
  /** Language of the response: of the request's `Accept-Language` with `LOCALE=auto`, else that of the service. */
  readonly language: Locale;
  /** Tells entity tags of responses in different languages apart; undefined where all are in one language. */
  readonly variant: Locale | undefined;
  /**
   * Returns the reader for the response of an endpoint that `mayLag`: the replica, or the primary where the replica may
   * lack a write of this caller. Undefined without a replica.
   */
  readonly reader?: (() => Promise<ListReader>) | undefined;
  /** Aborted when the caller hangs up. */
  readonly signal: AbortSignal;
  /**
   * The key under which limits count this caller: a user, an application, or the network of an anonymous caller. On an
   * endpoint without authentication, optional credentials are verified when this is first read.
   */
  readonly caller: string | Promise<string>;
  /** Cuts the connection of a caller that does not read the response. */
  cut(reason: Error): void;
}

/** The result of a handler. An empty one means: 200, the success text, no data. */
export interface Answer {
  readonly status?: number | undefined;
  /** A text other than that of every success. */
  readonly message?: SuccessName | undefined;
  /** Language of the texts in `data` or `raw`, where it is not that of the request. */
  readonly language?: Locale | undefined;
  /** Payload: a value, JSON text from the database, or a long JSON text in pieces. */
  readonly data?: Json | JsonText | AsyncIterable<string> | undefined;
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** A body other than the envelope (a page, the API description), whole or in pieces, with its media type. */
  readonly raw?: { readonly type: string; readonly body: string | Uint8Array | AsyncIterableIterator<Piece> };
}

/** A field of a list, and how a query may use it. */
export interface ListField {
  readonly name: string;
  readonly operators: readonly FilterOperator[];
  readonly sortable: boolean;
  /** True if `q` finds parts of its text; `words` if it finds words, by a full-text search. */
  readonly searchable: boolean | 'words';
  /** True if records can be grouped by it; `buckets` are the spans of time for which they can. */
  readonly groupable: boolean;
  readonly buckets: readonly Bucket[];
  /** Aggregates of its values over many records. */
  readonly measures: readonly Measure[];
  /** Schema of one value in a filter. */
  readonly value: JsonSchema;
}

/** A query parameter of an endpoint that is no list. */
export interface QueryDocs {
  readonly name: string;
  readonly description: Label;
  readonly schema: JsonSchema;
  readonly required?: boolean | undefined;
  /** `deepObject`: its values are sent as `name[key]=value`. */
  readonly style?: 'deepObject' | undefined;
}

/**
 * The facts of an endpoint that the API description cannot derive from its other members. The endpoints of resources
 * need neither `etag`, `ifMatch` nor `idempotent`: these follow from the action of their policy.
 */
export interface EndpointDocs {
  readonly summary: Label;
  readonly description?: Label | undefined;
  readonly tag: string;
  /** Schema of `data` on success (of one item of a list); absent where there is none. */
  readonly data?: JsonSchema | undefined;
  /** Name of the model whose detail view `data` is, where the policy does not name it. */
  readonly model?: string | undefined;
  readonly list?: boolean | undefined;
  /** The operation of a resource, where the policy does not name it; an `aggregate` lists groups. */
  readonly part?: 'aggregate' | 'file' | 'history' | 'restore' | undefined;
  /** Fields by which the list can be filtered, sorted and searched. */
  readonly listFields?: readonly ListField[] | undefined;
  readonly query?: readonly QueryDocs[] | undefined;
  /** Schemas of parameters of the path, by name. */
  readonly params?: Readonly<Record<string, JsonSchema>> | undefined;
  /** Schema of the id of a record in the path, where that is no positive whole number. */
  readonly recordId?: JsonSchema | undefined;
  /** The response has an ETag; a GET responds 304 to an `If-None-Match` that names it. */
  readonly etag?: boolean | undefined;
  /** The endpoint accepts `If-Match`, and refuses a stale version with 412. */
  readonly ifMatch?: boolean | undefined;
  /** The endpoint accepts an `Idempotency-Key`. */
  readonly idempotent?: boolean | undefined;
  /** The endpoint accepts a `Last-Event-ID`. */
  readonly resumes?: boolean | undefined;
  /** Further headers of a successful response, by name. */
  readonly headers?: Readonly<Record<string, Label>> | undefined;
  /** Problems beyond the consequences of authentication, policy, body and the members above. */
  readonly problems?: readonly ProblemKind[] | undefined;
  /** Media types of a request body of bytes; any unless given. */
  readonly bodyTypes?: readonly string[] | undefined;
  /** Media type of a whole body other than the envelope. */
  readonly media?: string | undefined;
  /** Omitted from the description: the files of a page. */
  readonly hidden?: boolean | undefined;
}

/** An endpoint as data. Only the pipeline runs it. */
export interface Endpoint {
  /** Stable name, unique; the operationId of the API description. */
  readonly operation: string;
  /**
   * Origin that an error about two conflicting endpoints names: a model or a file of the application; else the service.
   */
  readonly source?: string | undefined;
  readonly method: HttpMethod;
  /** Below the base path, parameters as `:name`. */
  readonly path: string;
  /** Authentication methods, one of which is enough; none: open to every caller. */
  readonly auth: readonly AuthMethodName[];
  readonly policy: Rule;
  /** Models whose grants are read with the principal, where they are not those of the policy itself. */
  readonly grantsOn?: readonly string[] | undefined;
  /** Models whose grants are read as well where the query names relations. */
  readonly grantsOnRelated?: readonly string[] | undefined;
  /**
   * `nothing`: a body is ignored. `json-or-form`: JSON, or a form of a `bodyKey`, in the administration area. `form`: a
   * form whose names are the fields. `multipart`: files, and texts that are fields. `bytes`: any type, read by the
   * handler.
   */
  readonly accepts: 'nothing' | 'json' | 'json-or-form' | 'form' | 'multipart' | 'bytes';
  /** True if a request without a body counts as one with an empty object. */
  readonly bodyOptional?: boolean | undefined;
  /** True if the handler itself refuses ignored names, as they depend on the caller and the record. */
  readonly checksNames?: boolean | undefined;
  /** Limits of a multipart body. */
  readonly limits?: MultipartLimits | undefined;
  /**
   * Files that a multipart body brings beside the record, which is its text of the body key, as JSON; absent where only
   * the types of `accepts` are taken.
   */
  readonly parts?: { readonly limits: MultipartLimits; readonly fields: readonly string[] } | undefined;
  /** Limit of the requests of a caller or a network; none unless the application's configuration has one. */
  readonly rateLimit?: EndpointLimit | undefined;
  /** Name of the object in the body that holds the record. */
  readonly bodyKey?: string | undefined;
  /** Schema of the record itself (not of the keyed body). */
  readonly input?: JsonSchema | undefined;
  /**
   * True if the response may be read from a replica. The endpoint only reads records; authentication and policy always
   * read from the primary.
   */
  readonly mayLag?: boolean | undefined;
  /** True if a successful response is CSV where `Accept` prefers it to the envelope. */
  readonly csv?: boolean | undefined;
  /**
   * True if a request without a query is answered from memory. Its code neither runs statements nor writes to the log,
   * so it needs no async context.
   */
  readonly fromMemory?: boolean | undefined;
  /**
   * True if a successful response is sent with gzip to callers that take it. Only for responses without secrets: the
   * length of a compressed response tells about its contents.
   */
  readonly compressed?: boolean | undefined;
  /** Status of success; 200 where absent. */
  readonly status?: 200 | 201 | 302 | undefined;
  readonly docs: EndpointDocs;
  readonly handle: (call: Call) => Promise<Answer> | Answer;
  /** Methods and policy of requests for deleted records (`?trashed=true`), where they are others. */
  readonly ofTrash?: Showing | undefined;
  /**
   * Returns whether a caller with this grant reaches the record that the path names, for explanations. Absent where the
   * path names no record.
   */
  readonly reaches?: ((grant: Grant, params: Call['params']) => Promise<boolean>) | undefined;
  /** Returns whether that caller may also write the record. Absent where reaching it is enough. */
  readonly writes?: ((grant: Grant, params: Call['params']) => Promise<boolean>) | undefined;
  /** Returns the grant for the record that the path names, for metadata. */
  readonly forRecord?:
    | ((grant: Grant, params: Call['params']) => Promise<Grant | 'missing' | 'forbidden'>)
    | undefined;
  /**
   * Returns the grant for a new record with these values, which come as texts; undefined where a create with them is
   * forbidden. @throws Problem `unusable_field`, `invalid_parameter`
   */
  readonly forNew?:
    | ((call: Call, grant: Grant, values: ReadonlyMap<string, string>) => Promise<Grant | undefined>)
    | undefined;
  /** Returns the fields that the record hides from the caller, for metadata. */
  readonly hides?: ((grant: Grant, params: Call['params']) => Promise<ReadonlySet<string>>) | undefined;
}
