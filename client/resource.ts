import type {
  GroupOf,
  GroupTerm,
  IncludeIn,
  NumericField,
  OnlyIncluded,
  OrderedField,
  WithRelated,
} from '#model';
import type { AggregateQuery } from './aggregate.ts';
import { type ImportCounts, type ImportOptions, type ImportSource, importing } from './import.ts';
import { type Include, type ListParameters, listQuery, type PlainParameters } from './query.ts';
import type {
  EachQuery,
  FilterIn,
  IdIn,
  ListQuery,
  Page,
  RelatedQuery,
  RelationsIn,
  ResourceShape,
} from './shape.ts';
import { type Subscribe, subscribing } from './subscribe.ts';
import type { Answer, CallOptions, Transport } from './transport.ts';
import { type StoredFile, type UploadOptions, uploading } from './upload.ts';

export interface CreateOptions extends CallOptions {
  /** A repeated key returns the response of the first request; one is generated for each call unless given. */
  readonly idempotencyKey?: string;
}

export interface WriteOptions extends CallOptions {
  /** The write is refused with 412 where the record has changed since: `etagOf(record)`. */
  readonly etag?: string | undefined;
}

type Picked<Item, Field extends keyof Item> = { [Name in Field]: Item[Name] };

/** The included relations, each of which has to exist. */
type Held<Shape, Include> = Include & OnlyIncluded<RelationsIn<Shape>, Include>;

/** A record with what is included. */
type Row<Shape, Record, Include> = WithRelated<Record, RelationsIn<Shape>, Include>;

/** The facts of a resource that an aggregate uses. */
interface GroupsOf<Shape extends ResourceShape> {
  readonly listed: Shape['listed'];
  readonly filter: FilterIn<Shape>;
}

/** The fields whose values are files. */
type FileFieldIn<Shape extends ResourceShape> = {
  [Name in keyof Shape['record'] & string]: NonNullable<Shape['record'][Name]> extends StoredFile
    ? Name
    : never;
}[keyof Shape['record'] & string];

/** The calls of one resource. All throw GatewrightError. */
export interface ResourceClient<Shape extends ResourceShape> {
  list<
    Field extends keyof Shape['listed'] = keyof Shape['listed'],
    const Include extends IncludeIn<RelationsIn<Shape>> = readonly [],
  >(
    query?: ListQuery<Shape, Field, Held<Shape, Include>>,
    options?: CallOptions,
  ): Promise<Page<Row<Shape, Picked<Shape['listed'], Field>, Include>>>;
  /** Page after page, 100 records each unless `per_page` says otherwise. */
  pages<
    Field extends keyof Shape['listed'] = keyof Shape['listed'],
    const Include extends IncludeIn<RelationsIn<Shape>> = readonly [],
  >(
    query?: EachQuery<Shape, Field, Held<Shape, Include>>,
    options?: CallOptions,
  ): AsyncIterableIterator<Row<Shape, Picked<Shape['listed'], Field>, Include>[]>;
  /** Record after record of all pages. */
  each<
    Field extends keyof Shape['listed'] = keyof Shape['listed'],
    const Include extends IncludeIn<RelationsIn<Shape>> = readonly [],
  >(
    query?: EachQuery<Shape, Field, Held<Shape, Include>>,
    options?: CallOptions,
  ): AsyncIterableIterator<Row<Shape, Picked<Shape['listed'], Field>, Include>>;
  /** Counts and sums up records by group: `{ group: ['status', 'created_at:day'], count: true, sum: ['amount'] }`. */
  aggregate<
    const Group extends GroupTerm<GroupsOf<Shape>> = never,
    const Count extends boolean = false,
    const Sum extends NumericField<GroupsOf<Shape>> = never,
    const Avg extends NumericField<GroupsOf<Shape>> = never,
    const Min extends OrderedField<GroupsOf<Shape>> = never,
    const Max extends OrderedField<GroupsOf<Shape>> = never,
  >(
    query: AggregateQuery<
      GroupsOf<Shape>,
      { group: Group; count: Count; sum: Sum; avg: Avg; min: Min; max: Max }
    >,
    options?: CallOptions,
  ): Promise<
    Page<GroupOf<GroupsOf<Shape>, { group: Group; count: Count; sum: Sum; avg: Avg; min: Min; max: Max }>>
  >;
  get<const Include extends IncludeIn<RelationsIn<Shape>> = readonly []>(
    id: IdIn<Shape>,
    options?: CallOptions & RelatedQuery<Held<Shape, Include>>,
  ): Promise<Row<Shape, Shape['record'], Include>>;
  create<const Include extends IncludeIn<RelationsIn<Shape>> = readonly []>(
    values: Shape['create'],
    options?: CreateOptions & RelatedQuery<Held<Shape, Include>>,
  ): Promise<Row<Shape, Shape['saved'], Include>>;
  /** Changes the given fields. */
  update<const Include extends IncludeIn<RelationsIn<Shape>> = readonly []>(
    id: IdIn<Shape>,
    changes: Shape['update'],
    options?: WriteOptions & RelatedQuery<Held<Shape, Include>>,
  ): Promise<Row<Shape, Shape['saved'], Include>>;
  delete(id: IdIn<Shape>, options?: WriteOptions): Promise<void>;
  /** Updates, deletes and creates up to 1,000 records in one transaction: all or nothing. */
  batch(work: BatchWork<Shape>, options?: CreateOptions): Promise<BatchResult<Shape>>;
  /**
   * Imports CSV or JSON lines: a text or bytes in one request, all or nothing. Records are sent a thousand at a time, and
   * a refusal leaves the requests before it written.
   */
  import(
    source: ImportSource<Partial<Shape['create']> & { readonly id?: IdIn<Shape> }>,
    options?: ImportOptions,
  ): Promise<ImportCounts>;
  /**
   * Stores a file in a field of a record: `client.orders.upload(7, 'invoice', file, { onProgress })`. One of more than
   * 8 MiB is sent in parts, which `resume` goes on with.
   */
  upload(
    id: IdIn<Shape>,
    field: FileFieldIn<Shape>,
    source: Blob | Uint8Array,
    options?: UploadOptions,
  ): Promise<StoredFile>;
  /** Streams the events of records: `for await (const { id, action } of client.orders.subscribe())`. */
  readonly subscribe: Subscribe<Shape>;
}

/** The operations of a batch, in the order of its writing: updates, deletes, creates. */
export interface BatchWork<Shape extends ResourceShape> {
  readonly update?: readonly (Shape['update'] & { readonly id: IdIn<Shape> })[];
  readonly delete?: readonly IdIn<Shape>[];
  readonly create?: readonly Shape['create'][];
}

export interface BatchResult<Shape extends ResourceShape> {
  /** In the order in which they were sent. */
  readonly created: readonly Shape['saved'][];
  readonly updated: readonly Shape['saved'][];
  readonly deleted: number;
}

const etags = new WeakMap<object, string>();

/** The ETag that came with a record from `get`, `create` or `update`; undefined for any other object. */
export const etagOf = (record: object): string | undefined => etags.get(record);

/** Remembers the record's ETag. */
const withEtag = <Shape extends object>({ data, headers }: Answer<Shape>): Shape => {
  const etag = headers.get('etag');
  if (etag !== null) etags.set(data, etag);
  return data;
};

/** The place of the next page in the Link header: a cursor, or a number where the order has no cursors. */
export const nextPlace = (headers: Headers): Pick<PlainParameters, 'after' | 'page'> | undefined => {
  const target = /<[^>]*\?([^>]*)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
  if (target === undefined) return undefined;
  const query = new URLSearchParams(target);
  const after = query.get('after');
  return after === null ? { page: Number(query.get('page')) } : { after };
};

const totalOf = (headers: Headers): number | undefined => {
  const total = headers.get('x-total-count');
  return total === null ? undefined : Number(total);
};

/** One list request; a list without paging counts itself. */
export const listPage = async <Item>(
  transport: Transport,
  path: string,
  query: ListParameters,
  options?: CallOptions,
): Promise<Page<Item>> => {
  const { data, headers } = await transport.send<Item[]>('GET', path + listQuery(query), options);
  const isWhole = query.page === undefined && query.per_page === undefined && query.after === undefined;
  const next = nextPlace(headers);
  return {
    items: data,
    total: isWhole ? data.length : totalOf(headers),
    atLeast: headers.get('x-total-count-relation') === 'gte',
    more: next !== undefined,
    next: next?.after,
  };
};

/** Every page of a list, one request each. */
export async function* eachPage<Item>(
  transport: Transport,
  path: string,
  query: ListParameters,
  options?: CallOptions,
): AsyncGenerator<Item[], undefined> {
  let place: ReturnType<typeof nextPlace> = {};
  while (place !== undefined) {
    // Nothing is counted, as the number of all records is not asked for.
    const asked = listQuery({ per_page: 100, total: 'none', ...query, ...place });
    const { data, headers }: Answer<Item[]> = await transport.send('GET', path + asked, options);
    if (data.length > 0) yield data;
    place = nextPlace(headers);
  }
}

/** 128 random bits in hex. `crypto.randomUUID` is missing from pages without TLS. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** Headers of a POST that the service executes at most once for a key, and its safe repetition. */
export const idempotent = ({ idempotencyKey = randomKey(), signal }: CreateOptions = {}) => ({
  signal,
  headers: { 'Idempotency-Key': idempotencyKey },
  repeatable: true,
});

const conditional = ({ etag, signal }: WriteOptions = {}) => ({
  signal,
  headers: etag === undefined ? {} : { 'If-Match': etag },
});

/** The query string of a single record. */
const beside = ({ include }: RelatedQuery<Include> = {}): string => listQuery({ include });

/** The calls of the resource at `path`, whose bodies are keyed by `singular`. */
export const createResourceClient = <Shape extends ResourceShape>(
  transport: Transport,
  path: string,
  singular: string,
): ResourceClient<Shape> => {
  const at = (id: IdIn<Shape>): string => `${path}/${encodeURIComponent(id)}`;
  const upload = uploading(transport);
  return {
    list: (query = {}, options) => listPage(transport, path, query, options),
    pages: (query = {}, options) => eachPage(transport, path, query, options),
    async *each(query = {}, options) {
      for await (const page of this.pages(query, options)) yield* page;
    },
    aggregate: (query, options) => listPage(transport, `${path}/aggregate`, query, options),
    get: async (id, options) => withEtag(await transport.send('GET', at(id) + beside(options), options)),
    create: async (values, options) =>
      withEtag(
        await transport.send('POST', path + beside(options), {
          ...idempotent(options),
          body: { [singular]: values },
        }),
      ),
    update: async (id, changes, options) =>
      withEtag(
        await transport.send('PATCH', at(id) + beside(options), {
          ...conditional(options),
          body: { [singular]: changes },
        }),
      ),
    delete: async (id, options) => {
      await transport.send('DELETE', at(id), conditional(options));
    },
    batch: async (work, options) => {
      const request = { ...idempotent(options), body: work };
      return (await transport.send<BatchResult<Shape>>('POST', `${path}/batch`, request)).data;
    },
    import: importing(transport, path),
    upload: (id, field, source, options) => upload(`${at(id)}/${field}`, source, options),
    subscribe: subscribing<Shape>(transport, path.slice(path.lastIndexOf('/') + 1)),
  };
};
