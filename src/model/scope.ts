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
import type {
  AnyRelations,
  IncludeIn,
  OnlyIncluded,
  RelatedFilter,
  RelatedSort,
  WithRelated,
} from './related-types.ts';
import type { HookPrincipal } from './resource.ts';
import type {
  CreateBodyOf,
  FilterOf,
  RelationsOf,
  Resource,
  SeenOf,
  SeenView,
  SortOf,
  UpdateBodyOf,
} from './types.ts';

/**
 * What code of an application works with: the operations of its resources, transactions, SQL and jobs, all on behalf of
 * somebody. Types only; `operations/scope.ts` is what does it.
 */

/** What is answered beside a record's own fields. */
export interface RelatedOptions<Include> {
  /**
   * Related records: `['customer', 'lines.product']`, each in its model's list view, or with the fields of each,
   * `{ customer: true, lines: ['id', 'quantity'] }`. Those that may not be read are null, or not among the others.
   */
  readonly include?: Include;
}

/** Which of a model's records a list answers, and how many. */
export interface ListQuery<Filter, Sort, Include = AnyInclude>
  extends CountQuery<Filter>,
    RelatedOptions<Include> {
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

/** `include` of a model that is known by name only. */
export type AnyInclude = IncludeIn<AnyRelations>;

export interface RecordPage<Row> {
  readonly records: Row[];
  /** All records that match; undefined for a page that was asked for by `after`, which counts nothing. */
  readonly total: number | undefined;
  /** What `after` takes for the next page; undefined behind the last one, and where the order has no cursors. */
  readonly next: string | undefined;
}

export interface FindOptions<Include = AnyInclude> extends RelatedOptions<Include> {
  /**
   * Keeps others from changing the record until the transaction is over. Only inside `transaction`.
   */
  readonly lock?: boolean;
}

export interface RecordUpdateOptions<Include = AnyInclude> extends VersionOptions, RelatedOptions<Include> {}

export interface VersionOptions {
  /** The version that the record must still have (see `versionOf`); any unless given. */
  readonly version?: number;
}

/**
 * The operations of a resource, through the very policy, validation and hooks of the API. What they refuse is a
 * `Problem`; one that is not caught is the answer of the endpoint.
 */
export interface RecordsOf<Row, Create, Update, Filter, Sort, Aggregate, Relations> {
  /**
   * The records that match, in the detail view. With `include` by pages only.
   * @throws Problem `forbidden`, `invalid_parameter`, `unusable_field`, `too_much_included`
   */
  list<const Include extends IncludeIn<Relations> = readonly []>(
    query?: ListQuery<Filter, Sort, Include & OnlyIncluded<Relations, Include>>,
  ): Promise<WithRelated<Row, Relations, Include>[]>;
  /** One page of them, with what a caller needs to ask for the next. */
  page<const Include extends IncludeIn<Relations> = readonly []>(
    query?: ListQuery<Filter, Sort, Include & OnlyIncluded<Relations, Include>>,
  ): Promise<RecordPage<WithRelated<Row, Relations, Include>>>;
  /** The record with this id; undefined where there is none, or none that may be read. @throws Problem `forbidden` */
  find<const Include extends IncludeIn<Relations> = readonly []>(
    id: number,
    options?: FindOptions<Include & OnlyIncluded<Relations, Include>>,
  ): Promise<WithRelated<Row, Relations, Include> | undefined>;
  /** The record with this id. @throws Problem `record_not_found`, `forbidden` */
  get<const Include extends IncludeIn<Relations> = readonly []>(
    id: number,
    options?: FindOptions<Include & OnlyIncluded<Relations, Include>>,
  ): Promise<WithRelated<Row, Relations, Include>>;
  /** How many records match. */
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
  /** Changes the fields that are named. @throws Problem `record_not_found`, `stale`, `invalid_record`, `forbidden` */
  update<const Include extends IncludeIn<Relations> = readonly []>(
    id: number,
    values: Update,
    options?: RecordUpdateOptions<Include & OnlyIncluded<Relations, Include>>,
  ): Promise<WithRelated<Row, Relations, Include>>;
  /** @throws Problem `record_not_found`, `stale`, `still_referenced`, `forbidden` */
  remove(id: number, options?: VersionOptions): Promise<void>;
}

/** The relations of a model, those of its own file and of the others that are given. */
type Relations<Model, View extends SeenView, Others> = RelationsOf<Model, View, Model | Others>;

type FilterAcross<Model, View extends SeenView, Others> = FilterOf<Model, View> &
  RelatedFilter<Relations<Model, View, Others>>;

/** The operations of a model that its file exports; of other models, what they are related to is typed too. */
export type Records<Model, View extends SeenView = 'detail', Others = never> = RecordsOf<
  SeenOf<Model, View>,
  CreateBodyOf<Model, Model | Others>,
  UpdateBodyOf<Model, Model | Others>,
  FilterAcross<Model, View, Others>,
  SortOf<Model, View> | RelatedSort<Relations<Model, View, Others>>,
  AggregateOf<{ readonly listed: SeenOf<Model, View>; readonly filter: FilterAcross<Model, View, Others> }>,
  Relations<Model, View, Others>
>;

/** The operations of a model that is known by name only. */
export type NamedRecords = RecordsOf<
  JsonObject & { readonly id: number },
  JsonObject,
  JsonObject,
  Readonly<Record<string, unknown>>,
  string,
  (query: NamedAggregateQuery) => Promise<JsonObject[]>,
  AnyRelations
>;

/** A user is the service's own: it is referred to, and has no operations here. */
type NameOfModel<Name extends string> = [Extract<Name, 'User'>] extends [never] ? Name : never;

/**
 * Finds the operations of a model: of what its file exports, or by its name. The models behind it say to the compiler
 * what its relations lead to: `records(order, customer, orderLine)`. Of others it knows that they are records.
 * @throws Error for a name that is none, and for a model that the application does not have
 */
export interface FindRecords<View extends SeenView = 'detail'> {
  <Model extends Resource, Others extends readonly Resource[] = readonly []>(
    model: Model,
    ...others: Others
  ): Records<Model, View, Others[number]>;
  <const Name extends string>(name: Name & NameOfModel<Name>): NamedRecords;
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
