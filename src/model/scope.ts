/**
 * The interface of an application's code: the operations of its resources, transactions, SQL and jobs, all on behalf
 * of a principal. Types only; `resources/operations/scope.ts` implements them.
 */

import type { Readable } from 'node:stream';
import type { RawBuilder } from 'kysely';
import type { FileValue } from '../fields/file.ts';
import type { RecordId } from '../fields/key.ts';
import type { JsonObject } from '../kernel/json.ts';
import type { JobQueue } from './job.ts';
import type { ScopeMail } from './mail.ts';
import type { ManagedUser, UserRecord } from './related-user.ts';
import type { HookPrincipal } from './resource.ts';
import type {
  GroupOf,
  GroupQuery,
  GroupRequest,
  GroupShape,
  GroupTerm,
  NumericField,
  OrderedField,
} from './types/group-types.ts';
import type {
  AnyRelations,
  IncludeIn,
  OnlyIncluded,
  RelatedFilter,
  RelatedSort,
  WithRelated,
} from './types/related-types.ts';
import type {
  CreateBodyOf,
  FilterOf,
  IdOf,
  RelationsOf,
  Resource,
  SeenOf,
  SeenView,
  SortOf,
  UpdateBodyOf,
} from './types.ts';

/** Options for data beside a record's own fields. */
export interface RelatedOptions<Include> {
  /**
   * Related records: `['customer', 'lines.product']`, each in its model's list view, or with the fields of each,
   * `{ customer: true, lines: ['id', 'quantity'] }`.
   */
  readonly include?: Include;
}

/** The records of a list, and their number. */
export interface ListQuery<Filter, Sort, Include = AnyInclude>
  extends CountQuery<Filter>,
    RelatedOptions<Include> {
  /**
   * Terms in order: `'-created_at'`, or `['status', '-id']`. Default: by id; for a `q` with the `search` of the model,
   * the best match first.
   */
  readonly sort?: Sort | readonly Sort[];
  /** Page number, from 1. */
  readonly page?: number;
  /** Records of a page: default 20, at most 1,000. */
  readonly perPage?: number;
  /** Instead of `page`: the `next` of the previous page; an empty text starts at the first one. */
  readonly after?: string;
  /**
   * Total of a page: `'exact'` (default) counts all matching records, `'estimate'` up to 10,000, `'none'` nothing.
   */
  readonly total?: 'exact' | 'estimate' | 'none';
}

export interface CountQuery<Filter> {
  /** Conditions, joined by AND. One with the value undefined is an error. */
  readonly filter?: Filter;
  /** A text to search for in the text fields; words, where the model has `search`. */
  readonly q?: string;
}

/** The computation over matching records. */
export interface AggregateQuery<Shape extends GroupShape, Asked extends GroupRequest>
  extends GroupQuery<Shape, Asked> {
  /**
   * Groups of a page: default 20, at most 1,000. Without `page` and `perPage` all are returned, 1,000 at most.
   */
  readonly perPage?: number;
}

/** The query for a model that is known by name only. */
export interface NamedAggregateQuery extends CountQuery<Readonly<Record<string, unknown>>> {
  readonly group?: readonly string[];
  readonly count?: boolean;
  readonly sum?: readonly string[];
  readonly avg?: readonly string[];
  readonly min?: readonly string[];
  readonly max?: readonly string[];
  readonly offset?: string | undefined;
  readonly zone?: string | undefined;
  readonly sort?: string | readonly string[];
  readonly page?: number | undefined;
  readonly perPage?: number;
}

type AggregateOf<Shape extends GroupShape> = <
  const Group extends GroupTerm<Shape> = never,
  const Count extends boolean = false,
  const Sum extends NumericField<Shape> = never,
  const Avg extends NumericField<Shape> = never,
  const Min extends OrderedField<Shape> = never,
  const Max extends OrderedField<Shape> = never,
>(
  query: AggregateQuery<Shape, { group: Group; count: Count; sum: Sum; avg: Avg; min: Min; max: Max }>,
) => Promise<GroupOf<Shape, { group: Group; count: Count; sum: Sum; avg: Avg; min: Min; max: Max }>[]>;

/** `include` of a model that is known by name only. */
export type AnyInclude = IncludeIn<AnyRelations>;

export interface RecordPage<Row> {
  /** Records of the page, in the detail view. */
  readonly records: Row[];
  /**
   * Number of all matching records; undefined for `total: 'none'` and a page by `after`. In the order of a full-text
   * search it counts up to 1,000, or to the first record behind the page.
   */
  readonly total: number | undefined;
  /** True for an estimate if there are `total` matching records or more. */
  readonly atLeast: boolean;
  /** True if matching records follow the page. */
  readonly more: boolean;
  /** The value of `after` for the next page; undefined on the last one, and where the order has no cursors. */
  readonly next: string | undefined;
}

export interface FindOptions<Include = AnyInclude> extends RelatedOptions<Include> {
  /** Keeps others from changing the record until the transaction is over. Only inside `transaction`. */
  readonly lock?: boolean;
}

export interface RecordUpdateOptions<Include = AnyInclude> extends VersionOptions, RelatedOptions<Include> {}

export interface VersionOptions {
  /** The version that the record must still have (see `versionOf`); default: any. */
  readonly version?: number;
}

/**
 * The operations of a resource, through the policy, validation and hooks of the API. They refuse with a `Problem`;
 * one that is not caught becomes the response of the endpoint.
 */
export interface RecordsOf<
  Row,
  Create,
  Update,
  Filter,
  Sort,
  Aggregate,
  Relations,
  Id extends RecordId = RecordId,
> {
  /**
   * The matching records, in the detail view. With `include` by pages only.
   * @throws Problem `forbidden`, `invalid_parameter`, `unusable_field`, `too_much_included`
   */
  list<const Include extends IncludeIn<Relations> = readonly []>(
    query?: ListQuery<Filter, Sort, Include & OnlyIncluded<Relations, Include>>,
  ): Promise<WithRelated<Row, Relations, Include>[]>;
  /** One page of them, with the data to request the next one. */
  page<const Include extends IncludeIn<Relations> = readonly []>(
    query?: ListQuery<Filter, Sort, Include & OnlyIncluded<Relations, Include>>,
  ): Promise<RecordPage<WithRelated<Row, Relations, Include>>>;
  /** The record with this id; undefined where there is none, or it may not be read. @throws Problem `forbidden` */
  find<const Include extends IncludeIn<Relations> = readonly []>(
    id: Id,
    options?: FindOptions<Include & OnlyIncluded<Relations, Include>>,
  ): Promise<WithRelated<Row, Relations, Include> | undefined>;
  /** The record with this id. @throws Problem `record_not_found`, `forbidden` */
  get<const Include extends IncludeIn<Relations> = readonly []>(
    id: Id,
    options?: FindOptions<Include & OnlyIncluded<Relations, Include>>,
  ): Promise<WithRelated<Row, Relations, Include>>;
  /** Number of matching records, all of them for a full-text search too. */
  count(query?: CountQuery<Filter>): Promise<number>;
  /**
   * Records counted and summed up by group: `{ group: ['status', 'created_at:day'], count: true, sum: ['amount'] }`.
   * @throws Problem `forbidden`, `invalid_parameter`, `unusable_field`
   */
  readonly aggregate: Aggregate;
  /** @throws Problem `invalid_record`, `forbidden`, `conflict` */
  create<const Include extends IncludeIn<Relations> = readonly []>(
    values: Create,
    options?: RelatedOptions<Include & OnlyIncluded<Relations, Include>>,
  ): Promise<WithRelated<Row, Relations, Include>>;
  /** Changes the given fields. @throws Problem `record_not_found`, `stale`, `invalid_record`, `forbidden` */
  update<const Include extends IncludeIn<Relations> = readonly []>(
    id: Id,
    values: Update,
    options?: RecordUpdateOptions<Include & OnlyIncluded<Relations, Include>>,
  ): Promise<WithRelated<Row, Relations, Include>>;
  /** @throws Problem `record_not_found`, `stale`, `still_referenced`, `forbidden` */
  remove(id: Id, options?: VersionOptions): Promise<void>;
  /**
   * Stores a file in a field of a record, by the rules of an update; outside of a transaction, as bytes may take long.
   * @throws Problem `record_not_found`, `forbidden`, `invalid_record`, `body_too_large`, `overloaded`; the error of
   * the source
   */
  upload(id: Id, field: FileFieldOf<Row>, source: FileSource, options?: UploadedName): Promise<FileValue>;
  /**
   * The file of a record with its bytes, which have to be read or destroyed; undefined where there is none, or it may
   * not be read. @throws Problem `forbidden`, `overloaded`
   */
  download(id: Id, field: FileFieldOf<Row>): Promise<OpenedFile | undefined>;
}

/** Fields of a record whose values are files; any name where the fields are not known. */
type FileFieldOf<Row> = string extends keyof Row
  ? string
  : {
      [Name in keyof Row & string]: NonNullable<Row[Name]> extends FileValue ? Name : never;
    }[keyof Row & string];

/** Bytes of a file: all of them, or chunk by chunk, such as a stream of Node. */
export type FileSource = Uint8Array | AsyncIterable<Uint8Array>;

export interface UploadedName {
  /** Name for people. Default: that of the field, with the ending of its type. */
  readonly name?: string;
  /** Media type for content that several types share, such as `text/csv` for a text. */
  readonly type?: string;
}

/** A file whose bytes are being read. */
export interface OpenedFile extends FileValue {
  readonly body: Readable;
}

/** Numbers of versions, events, deliveries and records of the trash from which values were removed. */
export interface ForgottenValues {
  readonly versions: number;
  /** 0 inside a transaction: a job removes the values of events after the commit. */
  readonly events: number;
  readonly deliveries: number;
  readonly trash: number;
}

/** The operation on records that only scopes of the system have. */
export interface ForgettableRecords<Id extends RecordId = RecordId> {
  /**
   * Removes the values of a record, which may be deleted already, from its history, its events, deliveries of webhooks
   * and the trash, and within a minute from the files of the database. Authors and times stay, and the record itself.
   */
  forget(id: Id): Promise<ForgottenValues>;
}

/** More operations of a scope that sees everything: one that acts for the system. */
type OfSystem<View extends SeenView> = View extends 'all' ? ForgettableRecords : unknown;

/** The relations of a model to the models that its file and the other given models name. */
type Relations<Model, View extends SeenView, Others> = RelationsOf<Model, View, Model | Others>;

type FilterAcross<Model, View extends SeenView, Others> = FilterOf<Model, View> &
  RelatedFilter<Relations<Model, View, Others>>;

/** The operations of a model that its file exports; related models are typed if they are given. */
export type Records<Model, View extends SeenView = 'detail', Others = never> = RecordsOf<
  SeenOf<Model, View>,
  CreateBodyOf<Model, Model | Others>,
  UpdateBodyOf<Model, Model | Others>,
  FilterAcross<Model, View, Others>,
  SortOf<Model, View> | RelatedSort<Relations<Model, View, Others>>,
  AggregateOf<{ readonly listed: SeenOf<Model, View>; readonly filter: FilterAcross<Model, View, Others> }>,
  Relations<Model, View, Others>,
  IdOf<Model>
>;

/** The operations of a model that is known by name only, whose ids are numbers unless `Id` says otherwise. */
export type NamedRecords<Id extends RecordId = number> = RecordsOf<
  JsonObject & { readonly id: Id },
  JsonObject,
  JsonObject,
  Readonly<Record<string, unknown>>,
  string,
  (query: NamedAggregateQuery) => Promise<JsonObject[]>,
  AnyRelations
>;

/** Values of a user, as `POST /admin/users` takes them. */
export interface UserInput {
  /** Unique, in any spelling; no `@`. */
  readonly username: string;
  /** Unique, in any spelling. */
  readonly email: string;
  /** Default: the username. */
  readonly name?: string;
  /** Without a password, the user cannot sign in until one is set. */
  readonly password?: string;
  /** Default: `['viewer']`. */
  readonly roles?: readonly string[];
  /** A disabled user cannot sign in, and their keys do not work. */
  readonly disabled?: boolean;
  /** Until the user has changed the password, every other request is 403 (40302). */
  readonly must_change_password?: boolean;
}

export interface ReadableUsers<Row = UserRecord> {
  /** The matching users. @throws Problem `forbidden`, `invalid_parameter`, `unusable_field` */
  list(query?: ListQuery<Readonly<Record<string, unknown>>, string>): Promise<Row[]>;
  /**
   * The user with this id; undefined where there is none, or the caller may not read it. @throws Problem `forbidden`
   */
  find(id: number): Promise<Row | undefined>;
}

/** Users in a scope of the system. Each write has its line in the audit log, with the reason of the scope. */
export interface ManagedUsers extends ReadableUsers<ManagedUser> {
  /** The user with this username or address, in any spelling that signs in; undefined where there is none. */
  findByAccount(account: string): Promise<ManagedUser | undefined>;
  /** @throws Problem `invalid_record` */
  create(values: UserInput): Promise<ManagedUser>;
  /**
   * Changes the given values. A new password and `disabled` end all sessions and tokens of the user.
   * @throws Problem `record_not_found`, `invalid_record`, `last_super_admin`, `service_account`
   */
  update(id: number, values: Partial<UserInput>): Promise<ManagedUser>;
  /**
   * Makes an invitation link, for a user with this id or a new one. It works once within 72 hours, and replaces the
   * link before.
   * @throws Problem `record_not_found`, `invalid_record`, `service_account`, `user_disabled`
   */
  invite(user: number | UserInput): Promise<{ id: number; url: string; expires_at: string }>;
  /** Ends all sessions and tokens; API keys work no longer. @throws Problem `record_not_found`, `last_super_admin` */
  disable(id: number): Promise<ManagedUser>;
  /** Ends all sessions and tokens. @throws Problem `record_not_found`, `invalid_record`, `service_account` */
  setPassword(id: number, password: string): Promise<ManagedUser>;
  /**
   * Signs the user in without a password or second factor: returns a token of 24 hours.
   * @throws Problem `record_not_found`, `service_account`, `user_disabled`
   */
  issueToken(id: number): Promise<string>;
  /**
   * Deletes the user with their keys and sessions; references follow their `onDelete`. Their name and network
   * addresses leave the logs within a minute.
   * @throws Problem `record_not_found`, `last_super_admin`, `held_by_records`, `cascade_too_large`
   */
  remove(id: number): Promise<void>;
}

/** A name that may be `User` is not known to be a model. */
type NameOfModel<Name extends string> = [Extract<Name, 'User'>] extends [never] ? Name : never;

/**
 * Returns the operations of a model: that its file exports, or by its name. Further models type its relations:
 * `records(order, customer, orderLine)`. The records of other relations are untyped.
 * @throws Error for an invalid name, and for a model that the application does not have
 */
export interface FindRecords<View extends SeenView = 'detail'> {
  /** The users of the service: a caller's scope reads those of `GET /api/v1/users`, one of the system manages all. */
  (name: 'User'): View extends 'all' ? ManagedUsers : ReadableUsers;
  <Model extends Resource, Others extends readonly Resource[] = readonly []>(
    model: Model,
    ...others: Others
  ): Records<Model, View, Others[number]> & OfSystem<View>;
  <const Name extends string>(name: Name & NameOfModel<Name>): NamedRecords & OfSystem<View>;
}

/**
 * SQL statements, written with the tag `sql` of this package; the same text for both databases, values bound. They
 * bypass policy, validation and hooks.
 *     await scope.sql.get(sql<{ n: number }>`select cast(sum(n) as bigint) as n from lines where product_id = ${id}`)
 *
 * Rows have the types of the database: PostgreSQL returns `sum` and `avg` of whole numbers as text unless they are
 * cast, a boolean is 1 or 0 on SQLite, and times differ too.
 */
export interface ScopeSql {
  /** All rows. @throws ConstraintError */
  all<Row = unknown>(statement: RawBuilder<Row>): Promise<Row[]>;
  /** The first row; undefined where there is none. @throws ConstraintError */
  get<Row = unknown>(statement: RawBuilder<Row>): Promise<Row | undefined>;
  /** Runs a statement for its effect; returns the number of changed rows. @throws ConstraintError */
  run(statement: RawBuilder<unknown>): Promise<number>;
}

/** Acts for a principal. An endpoint's scope acts for its caller, a job's for the system. */
export interface Scope<View extends SeenView = 'detail'> {
  /** The principal for whom it acts. */
  readonly principal: HookPrincipal;
  /** Finds the operations of a model: `records(order)`, or `records('Order')`. Further models only add types. */
  readonly records: FindRecords<View>;
  /**
   * Runs work in one transaction, rolled back by an error. It may run again after a conflict: it must not have side
   * effects outside its scope. A nested one joins the outer one.
   * @throws Problem `transaction_timeout` after 5 s (`TRANSACTION_TIMEOUT`), and errors of the work
   */
  transaction<Result>(work: (scope: Scope<View>) => Promise<Result>): Promise<Result>;
  /**
   * A scope without permissions, row rules and restricted fields, which sees every field. The audit log records its
   * writes with the reason.
   */
  asSystem(reason: string): Scope<'all'>;
  /** Statements written with the tag `sql`. */
  readonly sql: ScopeSql;
  /** Name of the database, for statements in which SQLite and PostgreSQL differ. */
  readonly dialect: 'sqlite' | 'postgres';
  /** Stores background jobs. */
  readonly jobs: JobQueue;
  /** Sends mail: in scopes of the system, and of endpoints with `mail: true`. */
  readonly mail: ScopeMail;
  /** The time of the service. A test moves it. */
  now(): Date;
}

/** The context of a script that `gatewright run` runs: a scope that acts for the system, and others for users. */
export interface ScriptContext extends Scope<'all'> {
  /** The arguments behind the name of the script. */
  readonly args: readonly string[];
  /**
   * Returns a scope that acts for a user, as the API would. @throws Error where there is no such user, or it is
   * disabled
   */
  as(username: string): Promise<Scope>;
}
