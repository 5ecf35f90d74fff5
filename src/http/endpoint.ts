import type { Readable } from 'node:stream';
import type { Principal } from '../auth/principal.ts';
import type { AuthMethodName } from '../auth/registry.ts';
import type { ListReader } from '../database/database.ts';
import type { Bucket, Measure } from '../fields/aggregates.ts';
import type { FilterOperator, JsonSchema } from '../fields/field.ts';
import type { Json, JsonObject, JsonText } from '../kernel/json.ts';
import type { Label } from '../kernel/messages/messages.ts';
import type { ProblemKind } from '../kernel/problem.ts';
import type { Grant } from '../policy/grant.ts';
import type { Rule } from '../policy/rule.ts';
import type { MultipartLimits } from './multipart.ts';
import type { Piece } from './pieces.ts';
import type { UploadedFile } from './uploaded-file.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a handler gets: the request after everything that could refuse it beforehand has let it pass. */
export interface Call {
  readonly grant: Grant;
  /** Who calls: `{ kind: 'user', id, username, roles, … }`, `{ kind: 'application', appId }` or `{ kind: 'nobody' }`. */
  readonly principal: Principal;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The raw query string, without the question mark. */
  readonly query: string;
  /** The parsed body; the inner object where the endpoint has a `bodyKey`; empty where it takes none. */
  readonly body: JsonObject;
  /** The body's bytes as they came: what a signature covers. */
  readonly bytes: Uint8Array;
  /** The files of a multipart body; there until the request has been answered. */
  readonly files: readonly UploadedFile[];
  /**
   * Reads the whole body of an endpoint that accepts bytes, within BODY_LIMIT.
   * @throws Problem; Error where it is read as a stream already
   */
  readBody(): Uint8Array | Promise<Uint8Array>;
  /** The body of such an endpoint as it comes; `limit` in bytes. @throws Error where it is read already */
  streamBody(limit: number): Readable;
  /** A request header by its lower-case name. */
  header(name: string): string | undefined;
  /** Address of the caller (behind a proxy as TRUST_PROXY says). */
  readonly address: string;
  /** Path as it was asked for, without the query string. */
  readonly path: string;
  readonly requestId: string;
  /**
   * Of an endpoint that `mayLag`, where there is a replica: what the answer is read through, which has everything that
   * this caller is to see.
   */
  readonly reader?: (() => Promise<ListReader>) | undefined;
  /** Aborted when the caller hangs up. */
  readonly signal: AbortSignal;
  /**
   * Whom limits count as one: a user, an application, or the network of a stranger. Where nobody has to say who they
   * are, credentials that came all the same are looked at when this is asked for.
   */
  readonly caller: string | Promise<string>;
  /** Cuts the connection: the caller does not read what is answered. */
  cut(reason: Error): void;
}

/** What a handler answers. Everything absent means: 200, the success text, no data. */
export interface Answer {
  readonly status?: number;
  readonly message?: string;
  /** Payload: a value, JSON text from the database, or the pieces of a long JSON text. */
  readonly data?: Json | JsonText | AsyncIterable<string>;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A body other than the envelope (a page, the API description), whole or in pieces, with its media type. */
  readonly raw?: { readonly type: string; readonly body: string | Uint8Array | AsyncIterableIterator<Piece> };
}

/** A field of a list, and what a caller may do with it in the query. */
export interface ListField {
  readonly name: string;
  readonly operators: readonly FilterOperator[];
  readonly sortable: boolean;
  readonly searchable: boolean;
  /** Whether records can be grouped by it, and by which spans of time. */
  readonly groupable: boolean;
  readonly buckets: readonly Bucket[];
  /** What can be computed of it over many records. */
  readonly measures: readonly Measure[];
  /** Schema of one value in a filter. */
  readonly value: JsonSchema;
}

/** A query parameter of an endpoint that is no list. */
export interface QueryDocs {
  readonly name: string;
  readonly description: Label;
  readonly schema: JsonSchema;
  readonly required?: boolean;
}

/**
 * What the API description says of an endpoint beyond what its other members say. The endpoints of resources need
 * neither `etag`, `ifMatch` nor `idempotent`: their policy says which action they are.
 */
export interface EndpointDocs {
  readonly summary: Label;
  readonly description?: Label;
  readonly tag: string;
  /** Schema of `data` on success (of one item of a list); absent where there is none. */
  readonly data?: JsonSchema;
  /** Name of the model whose record in its detail view `data` is, where the policy does not say so. */
  readonly model?: string;
  readonly list?: boolean;
  /** Which operation of a resource it is, beside those that its policy names; an `aggregate` lists groups of records. */
  readonly part?: 'aggregate' | 'history' | 'restore';
  /** What the list can be filtered, sorted and searched by. */
  readonly listFields?: readonly ListField[];
  readonly query?: readonly QueryDocs[];
  /** The answer carries an ETag; a GET answers 304 to an `If-None-Match` that names it. */
  readonly etag?: boolean;
  /** It takes `If-Match` and refuses with 412. */
  readonly ifMatch?: boolean;
  /** Takes an `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** Takes a `Last-Event-ID`. */
  readonly resumes?: boolean;
  /** Further headers of a success, by name. */
  readonly headers?: Readonly<Record<string, Label>>;
  /** Problems beyond those that follow from authentication, policy, body and the members above. */
  readonly problems?: readonly ProblemKind[];
  /** Media type of a whole body other than the envelope. */
  readonly media?: string;
  /** Left out of the description: the parts of a page. */
  readonly hidden?: boolean;
}

/** An endpoint is data. The pipeline is the only thing that runs it. */
export interface Endpoint {
  /** Stable name, unique; the operationId of the API description. */
  readonly operation: string;
  /** Who brings it, for whoever has to tell two apart: a model, or a file of the application; else the service. */
  readonly source?: string;
  readonly method: HttpMethod;
  /** Below the base path, parameters as `:name`. */
  readonly path: string;
  /** Methods of which any one is enough; empty: open. */
  readonly auth: readonly AuthMethodName[];
  readonly policy: Rule;
  /** Models whose grants the principal shall carry, where they are not those that the policy itself asks about. */
  readonly grantsOn?: readonly string[];
  /** Models whose grants it carries as well where the query names relations. */
  readonly grantsOnRelated?: readonly string[];
  /**
   * `nothing`: a body is not looked at. `json-or-form`: forms of a `bodyKey` beside JSON, in the administration area.
   * `form`: a form whose names are the fields. `multipart`: files, and texts that are fields. `bytes`: any type, read
   * when the handler asks for it.
   */
  readonly accepts: 'nothing' | 'json' | 'json-or-form' | 'form' | 'multipart' | 'bytes';
  /** Whether a request without a body is taken as one with an empty object. */
  readonly bodyOptional?: boolean;
  /** Of a multipart body. */
  readonly limits?: MultipartLimits;
  /** Name of the object in the body that holds the record. */
  readonly bodyKey?: string;
  /** Schema of the record itself (not of the keyed body). */
  readonly input?: JsonSchema;
  /**
   * Whether what it answers may be as old as a replica: it only reads records, and whatever decides who may is asked of
   * the first server.
   */
  readonly mayLag?: boolean;
  /** A success is CSV where `Accept` prefers it; everybody else is answered the envelope. */
  readonly csv?: boolean;
  /**
   * Whether a request without a query is answered from memory: it asks the database nothing and logs nothing, so that
   * neither has to know of it.
   */
  readonly fromMemory?: boolean;
  /** Status of success; 200 where absent. */
  readonly status?: 200 | 201;
  readonly docs: EndpointDocs;
  readonly handle: (call: Call) => Promise<Answer> | Answer;
  /**
   * Whether the record that the path names is there for a caller with this grant, as `handle` would find it; what an
   * explanation asks. Absent where the path names no record.
   */
  readonly reaches?: (grant: Grant, params: Call['params']) => Promise<boolean>;
  /** Whether that record, which is there, may be written as it is. Absent where that needs no more than to reach it. */
  readonly writes?: (grant: Grant, params: Call['params']) => Promise<boolean>;
}
