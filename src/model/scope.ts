import type { RawBuilder } from 'kysely';
import type { JsonObject } from '../kernel/json.ts';
import type {
  GroupOf,
  GroupQuery,
  GroupRequest,
  GroupShape,
  GroupTerm,
  NumericField,
  OrderedField,
} from './group-types.ts';
import type { JobQueue } from './job.ts';
import type { HookPrincipal } from './resource.ts';
import type { CreateOf, FilterOf, Resource, SeenOf, SeenView, SortOf, UpdateOf } from './types.ts';

/**
 * What code of an application works with: the operations of its resources, transactions, SQL and jobs, all on behalf of
 * somebody. Types only; `operations/scope.ts` is what does it.
 */

/** Which of a model's records a list answers, and how many. */
export interface ListQuery<Filter, Sort> extends CountQuery<Filter> {
  /** Terms, the first one first: `'-created_at'`, or `['status', '-id']`. By id unless given. */
  readonly sort?: Sort | readonly Sort[];
  /** Page number, from 1. */
  readonly page?: number;
  /** Records of a page: 20 unless given, 1,000 at most. Without `page`, `perPage` and `after` all records are answered. */
  readonly perPage?: number;
  /** Instead of `page`: the `next` of the page before; an empty text begins such a walk. */
  readonly after?: string;
}

export interface CountQuery<Filter> {
  /** Conditions, joined by AND. One whose value is undefined is an error: left out, it would let everything pass. */
  readonly filter?: Filter;
  /** A text that one of the searchable fields holds. */
  readonly q?: string;
}

/** What is computed of the records that match. */
export interface AggregateQuery<Shape extends GroupShape, Asked extends GroupRequest>
  extends GroupQuery<Shape, Asked> {
  /** Groups of a page: 20 unless given, 1,000 at most. Without `page` and `perPage` all are answered, 1,000 at most. */
  readonly perPage?: number;
}

/** The same of a model that is known by name only. */
export interface NamedAggregateQuery extends CountQuery<Readonly<Record<string, unknown>>> {
  readonly group?: readonly string[];
  readonly count?: boolean;
  readonly sum?: readonly string[];
  readonly avg?: readonly string[];
  readonly min?: readonly string[];
  readonly max?: readonly string[];
  readonly offset?: string | undefined;
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

export interface RecordPage<Row> {
  readonly records: Row[];
  /** All records that match; undefined for a page that was asked for by `after`, which counts nothing. */
  readonly total: number | undefined;
  /** What `after` takes for the next page; undefined behind the last one, and where the order has no cursors. */
  readonly next: string | undefined;
}

export interface FindOptions {
  /**
   * Keeps others from changing the record until the transaction is over. Only inside `transaction`.
   */
  readonly lock?: boolean;
}

export interface VersionOptions {
  /** The version that the record must still have (see `versionOf`); any unless given. */
  readonly version?: number;
}

/**
 * The operations of a resource, through the very policy, validation and hooks of the API. What they refuse is a
 * `Problem`; one that is not caught is the answer of the endpoint.
 */
export interface RecordsOf<Row, Create, Update, Filter, Sort, Aggregate> {
  /** The records that match, in the detail view. @throws Problem `forbidden`, `invalid_parameter`, `unusable_field` */
  list(query?: ListQuery<Filter, Sort>): Promise<Row[]>;
  /** One page of them, with what a caller needs to ask for the next. */
  page(query?: ListQuery<Filter, Sort>): Promise<RecordPage<Row>>;
  /** The record with this id; undefined where there is none, or none that may be read. @throws Problem `forbidden` */
  find(id: number, options?: FindOptions): Promise<Row | undefined>;
  /** The record with this id. @throws Problem `record_not_found`, `forbidden` */
  get(id: number, options?: FindOptions): Promise<Row>;
  /** How many records match. */
  count(query?: CountQuery<Filter>): Promise<number>;
  /**
   * Records counted and summed up by group: `{ group: ['status', 'created_at:day'], count: true, sum: ['amount'] }`.
   * @throws Problem `forbidden`, `invalid_parameter`, `unusable_field`
   */
  readonly aggregate: Aggregate;
  /** @throws Problem `invalid_record`, `forbidden`, `conflict` */
  create(values: Create): Promise<Row>;
  /** Changes the fields that are named. @throws Problem `record_not_found`, `stale`, `invalid_record`, `forbidden` */
  update(id: number, values: Update, options?: VersionOptions): Promise<Row>;
  /** @throws Problem `record_not_found`, `stale`, `still_referenced`, `forbidden` */
  remove(id: number, options?: VersionOptions): Promise<void>;
}

/** The operations of a model that its file exports. */
export type Records<Model, View extends SeenView = 'detail'> = RecordsOf<
  SeenOf<Model, View>,
  CreateOf<Model>,
  UpdateOf<Model>,
  FilterOf<Model, View>,
  SortOf<Model, View>,
  AggregateOf<{ readonly listed: SeenOf<Model, View>; readonly filter: FilterOf<Model, View> }>
>;

/** The operations of a model that is known by name only. */
export type NamedRecords = RecordsOf<
  JsonObject & { readonly id: number },
  JsonObject,
  JsonObject,
  Readonly<Record<string, unknown>>,
  string,
  (query: NamedAggregateQuery) => Promise<JsonObject[]>
>;

/** Finds the operations of a model: of what its file exports, or by its name. @throws Error for a name that is none */
export interface FindRecords<View extends SeenView = 'detail'> {
  <Model extends Resource>(model: Model): Records<Model, View>;
  (name: string): NamedRecords;
}

/**
 * Statements of one's own, written with the tag `sql` of this package; the same text for both databases, values bound.
 * They know no policy, no validation and no hooks.
 *
 *     await scope.sql.get(sql<{ n: number }>`select cast(sum(n) as bigint) as n from lines where product_id = ${id}`)
 *
 * Rows come as the database has them: of whole numbers PostgreSQL answers `sum` and `avg` as text unless they are cast, a
 * boolean is 1 or 0 on SQLite, and times differ too.
 */
export interface ScopeSql {
  /** All rows. @throws ConstraintError */
  all<Row = unknown>(statement: RawBuilder<Row>): Promise<Row[]>;
  /** The first row, if there is one. @throws ConstraintError */
  get<Row = unknown>(statement: RawBuilder<Row>): Promise<Row | undefined>;
  /** Runs a statement for its effect; answers the number of rows that it changed. @throws ConstraintError */
  run(statement: RawBuilder<unknown>): Promise<number>;
}

/** Acts for somebody. An endpoint's scope acts for its caller, a job's for the system. */
export interface Scope<View extends SeenView = 'detail'> {
  /** For whom it acts. */
  readonly principal: HookPrincipal;
  readonly records: FindRecords<View>;
  /**
   * Runs work in one transaction: all or nothing, durable when it resolves, rolled back by a throw. It may run again
   * after a conflict, so it may have no effect beside those of the scope that it gets. One inside another joins it.
   * @throws Problem `transaction_timeout` after 5 s (`TRANSACTION_TIMEOUT`), and what the work throws
   */
  transaction<Result>(work: (scope: Scope<View>) => Promise<Result>): Promise<Result>;
  /**
   * A scope for which neither permissions nor row rules nor restricted fields hold and which sees every field.
   * Validation, uniqueness, references and hooks hold. Each of its writes stands in the audit list with the reason.
   */
  asSystem(reason: string): Scope<'all'>;
  readonly sql: ScopeSql;
  readonly jobs: JobQueue;
}
