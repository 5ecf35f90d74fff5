import type { CreateOf, DetailOf, FilterOf, ListItemOf, SavedOf, SortOf, UpdateOf } from '#model';

/** The types of a resource, as `gatewright generate client` writes them for applications that have no models. */
export interface ResourceShape {
  /** An item of a list. */
  readonly listed: object;
  /** A record as its own endpoint answers it. */
  readonly record: object;
  /** The answer to create and update. */
  readonly saved: object;
  readonly create: object;
  readonly update: object;
  readonly filter: object;
  readonly sort: string;
}

interface ShapeOfModel<Model> {
  readonly listed: ListItemOf<Model>;
  readonly record: DetailOf<Model>;
  readonly saved: SavedOf<Model>;
  readonly create: CreateOf<Model>;
  readonly update: UpdateOf<Model>;
  readonly filter: FilterOf<Model>;
  readonly sort: SortOf<Model>;
}

/** The shape of a model (`typeof order`), or the one that is given. */
export type ShapeOf<Source> = Source extends ResourceShape ? Source : ShapeOfModel<Source>;

/** A resource as a client is told of it. `source` is there for the compiler only. */
export interface ResourceName<Source> {
  /** Key of a body: `order`. */
  readonly singular: string;
  readonly source?: Source;
}

/** Names a resource to a client: `{ orders: resource<typeof order>('order') }`, where `order` is the model. */
export const resource = <Source>(singular: string): ResourceName<Source> => ({ singular });

/** As much of a resource as its lists need. */
export type ListShape = Pick<ResourceShape, 'listed' | 'filter' | 'sort'>;

/** What a list takes. */
export interface ListQuery<
  Shape extends ListShape,
  Field extends keyof Shape['listed'] = keyof Shape['listed'],
> {
  /** Conditions, joined by AND. */
  readonly filter?: Shape['filter'];
  /** Terms in order; `-` before one is descending. */
  readonly sort?: Shape['sort'] | readonly Shape['sort'][];
  /** Text to look for in every text field. */
  readonly q?: string | undefined;
  /** Fields to answer; all of the list where none are named. */
  readonly fields?: readonly Field[];
  /** From 1. */
  readonly page?: number | undefined;
  /** 1 to 1,000; 20 where only `page` is given. Without all three the list is whole. */
  readonly per_page?: number | undefined;
  /** `next` of the page before. */
  readonly after?: string | undefined;
}

/** What iteration takes: pages follow one another by cursor. */
export type EachQuery<
  Shape extends ListShape,
  Field extends keyof Shape['listed'] = keyof Shape['listed'],
> = Omit<ListQuery<Shape, Field>, 'page' | 'after'>;

/** One page of a list. */
export interface Page<Item> {
  readonly items: Item[];
  /** Records in all pages; undefined on pages behind a cursor, which do not count. */
  readonly total: number | undefined;
  /** `after` of the next page; undefined on the last one, and where pages are numbered. */
  readonly next: string | undefined;
}
