import type {
  CreateBodyOf,
  DetailOf,
  FilterOf,
  IncludeIn,
  ListItemOf,
  RelatedFilter,
  RelatedSort,
  RelationsOf,
  SavedOf,
  SortOf,
  UpdateBodyOf,
} from '#model';
import type { PlainParameters } from './query.ts';

/** The types of a resource, as `gatewright generate client` writes them for applications that have no models. */
export interface ResourceShape {
  /** An item of a list. */
  readonly listed: object;
  /** A record as its own endpoint returns it. */
  readonly record: object;
  /** The answer to create and update. */
  readonly saved: object;
  readonly create: object;
  readonly update: object;
  readonly filter: object;
  readonly sort: string;
  /** The relations of its records, by name: `{ many: true, to: … }`. */
  readonly relations?: object;
  /** `false`: changes of its records make no events. */
  readonly events?: boolean;
}

/** Every list of a model returns the version beside its view, if `fields` names it. */
interface Versioned {
  /** The version of the record, for `etag: `"${version}-list"``. */
  readonly version?: number;
}

interface ShapeOfModel<Model, Known> {
  readonly listed: ListItemOf<Model> & Versioned;
  readonly record: DetailOf<Model>;
  readonly saved: SavedOf<Model>;
  readonly create: CreateBodyOf<Model, Known>;
  readonly update: UpdateBodyOf<Model, Known>;
  readonly filter: FilterOf<Model>;
  readonly sort: SortOf<Model>;
  readonly relations: RelationsOf<Model, 'list', Known>;
}

/** The shape of a model (`typeof order`) beside the others that are known, or the one that is given. */
export type ShapeOf<Source, Known = Source> = Source extends ResourceShape
  ? Source
  : ShapeOfModel<Source, Known>;

/** The relations of a resource's records; none where its types do not say. */
export type RelationsIn<Shape> = Shape extends { readonly relations: infer Relations }
  ? Relations
  : Record<never, never>;

/** The target of a relation, for programs that do not know it by its types. */
export interface ResourceRelation {
  /** `order_lines` */
  readonly resource: string;
  /** Whether its records are written within the record. */
  readonly write?: boolean;
}

/** A resource as a client knows it. `source` is there for the compiler only. */
export interface ResourceName<Source> {
  /** Key of a body: `order`. */
  readonly singular: string;
  /** For react-admin, by the names of the relations. */
  readonly relations?: Readonly<Record<string, ResourceRelation>>;
  readonly source?: Source;
}

/** Names a resource to a client: `{ orders: resource<typeof order>('order') }`, where `order` is the model. */
export const resource = <Source>(singular: string): ResourceName<Source> => ({ singular });

/** As much of a resource as its lists need. */
export type ListShape = Pick<ResourceShape, 'listed' | 'filter' | 'sort' | 'relations'>;

/** Conditions on records, and on what they are related to: `{ 'customer.country': 'DE' }`. */
export type FilterIn<Shape extends ListShape> = Shape['filter'] & RelatedFilter<RelationsIn<Shape>>;

type SortIn<Shape extends ListShape> = Shape['sort'] | RelatedSort<RelationsIn<Shape>>;

/** The parts of a response beside a record's own fields. */
export interface RelatedQuery<Include> {
  /**
   * Related records: `['customer', 'lines.product']`, each in its model's list view, or with the fields of each,
   * `{ customer: true, lines: ['id', 'quantity'] }`. Those that the caller may not read are null, or not among the others.
   */
  readonly include?: Include;
}

/** The options of a list. */
export interface ListQuery<
  Shape extends ListShape,
  Field extends keyof Shape['listed'] = keyof Shape['listed'],
  Include = IncludeIn<RelationsIn<Shape>>,
> extends RelatedQuery<Include>,
    PlainParameters {
  /** Conditions, joined by AND. */
  readonly filter?: FilterIn<Shape>;
  /** Terms in order; `-` before one is descending. */
  readonly sort?: SortIn<Shape> | readonly SortIn<Shape>[];
  /** Fields to answer; all of the list where none are named. */
  readonly fields?: readonly Field[];
}

/** The options of an iteration: pages follow one another by cursor. */
export type EachQuery<
  Shape extends ListShape,
  Field extends keyof Shape['listed'] = keyof Shape['listed'],
  Include = IncludeIn<RelationsIn<Shape>>,
> = Omit<ListQuery<Shape, Field, Include>, 'page' | 'after' | 'total'>;

/** One page of a list. */
export interface Page<Item> {
  readonly items: Item[];
  /** Records in all pages; undefined for `total: 'none'` and on pages by `after`, which count nothing. */
  readonly total: number | undefined;
  /** True for an estimate if all pages have `total` records or more. */
  readonly atLeast: boolean;
  /** True if records follow the page. */
  readonly more: boolean;
  /** `after` of the next page; undefined on the last one, and where pages are numbered. */
  readonly next: string | undefined;
}
