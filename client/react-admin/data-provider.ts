import {
  type DataProvider,
  type GetListParams,
  type GetListResult,
  type GetManyParams,
  type GetOneParams,
  type GetOneResult,
  HttpError,
  type Identifier,
  type RaRecord,
} from 'ra-core';
import { type Include, listQuery, type PlainParameters } from '../query.ts';
import { nextPlace } from '../resource.ts';
import type { ResourceRelation } from '../shape.ts';
import type { Answer, RequestOptions } from '../transport.ts';
import { conditionsOf, pathOf, queryOf, type SortOrder } from './list-query.ts';
import { inForm, toHttpError } from './refusal.ts';
import { askedBy, changedFields, splitPrefetched, withoutIds } from './related.ts';

/** Sends one request; that of `createTransport`. */
export type Send = <Data>(method: string, path: string, options?: RequestOptions) => Promise<Answer<Data>>;

/** The path of a resource, and the form of its bodies. */
export interface ResourceRoute {
  /** Path of the list: `/api/v1/orders`. */
  readonly path: string;
  /** Key of the record in a body: `order`. */
  readonly singular: string;
  /** Field that identifies a record; `id` unless given. */
  readonly key?: string;
  /** Whether one record has a path of its own; true unless given. Otherwise it is found by filtering the list. */
  readonly detail?: boolean;
  /** Its relations by name: their targets, and whether they are written within the record. */
  readonly relations?: Readonly<Record<string, ResourceRelation>>;
}

export interface DataProviderOptions {
  readonly send: Send;
  readonly routeOf: (resource: string) => ResourceRoute | Promise<ResourceRoute>;
  /**
   * Total of lists: `exact` unless given. Where a list counts only some or none of its records, react-admin gets
   * `pageInfo` in place of a total, and `meta.atLeast` has the number of an estimate. `meta.total` of a request comes
   * first.
   */
  readonly total?: PlainParameters['total'];
  /**
   * True if a write is refused for fields that the service would ignore. False unless given: a copy of a record brings its
   * timestamps along.
   */
  readonly strict?: boolean;
}

/** Name under which the ETag of a record travels through a form; it is never sent as a field. */
export const etagField = '@etag';

interface Signal {
  readonly signal?: AbortSignal;
}
type Many<Item extends RaRecord> = GetManyParams<Item> & Signal;
type Fields = Readonly<Record<string, unknown>>;

const withId = <Item extends RaRecord>({ key = 'id' }: ResourceRoute, fields: Fields): Item =>
  (key === 'id' ? fields : { ...fields, id: fields[key] }) as Item;

const header = (name: string, value: unknown): Readonly<Record<string, string>> =>
  typeof value === 'string' ? { [name]: value } : {};

const orderOf = ({ sort }: Pick<GetListParams, 'sort'>): SortOrder[] =>
  sort === undefined || sort.field === '' ? [] : [{ field: sort.field, descending: sort.order === 'DESC' }];

/** The total of a page, or what react-admin takes where it is not known. */
const totalOf = (headers: Headers, page: number, records: number): Omit<GetListResult, 'data'> => {
  const total = headers.get('x-total-count');
  const isLowerBound = headers.get('x-total-count-relation') === 'gte';
  const link = headers.get('link');
  if (total !== null && !isLowerBound) return { total: Number(total) };
  // A list without pages is whole.
  if (link === null) return { total: records };
  const pageInfo = { hasNextPage: link.includes('rel="next"'), hasPreviousPage: page > 1 };
  return isLowerBound ? { pageInfo, meta: { atLeast: Number(total) } } : { pageInfo };
};

/** Runs one task for each item, a few at a time, and fails with the first failure once all have ended. */
const each = async <Item>(items: readonly Item[], task: (item: Item) => Promise<unknown>): Promise<void> => {
  const waiting = items.values();
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (const item of waiting) await task(item).catch((error: unknown) => failures.push(error));
  };
  await Promise.all([work(), work(), work(), work()]);
  if (failures.length > 0) throw failures[0];
};

/** Records that are requested at once by their ids. */
const manyAtOnce = 100;

const chunksOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );

/** Fields of a body that are no relations, and the relations that are among them. */
const apart = (
  fields: Fields,
  { relations = {} }: ResourceRoute,
): { own: Fields; lists: readonly string[] } => {
  const lists = Object.keys(fields).filter((name) => Object.hasOwn(relations, name));
  return { own: Object.fromEntries(Object.entries(fields).filter(([name]) => !lists.includes(name))), lists };
};

/**
 * react-admin's data provider for a Gatewright service. Filters are `{field: value}`, `{'field@operator': value}` and
 * `q`, and fields behind relations have their paths. `meta.embed` and `meta.prefetch` add related records. Changed
 * rows of a relation that is written within the record are sent, and rows that the form no longer has are deleted. A
 * record that came with an ETag has it as `@etag`; an update sends it back as `If-Match` and so fails with 412 after
 * a concurrent change.
 */
export const createDataProvider = (options: DataProviderOptions): DataProvider => {
  const { send: plain, routeOf, strict = false } = options;
  const send: Send = async (method, path, options) => {
    try {
      return await plain(method, path, options);
    } catch (error) {
      throw toHttpError(error);
    }
  };

  const relationsOf = async (resource: string) => (await routeOf(resource)).relations ?? {};

  const list = async <Item extends RaRecord>(
    resource: string,
    params: GetListParams,
    extra: Fields = {},
  ): Promise<GetListResult<Item>> => {
    const route = await routeOf(resource);
    const { page = 1, perPage = 25 } = params.pagination ?? {};
    const asked = askedBy(params.meta);
    const query = queryOf({
      key: route.key ?? 'id',
      sort: orderOf(params),
      conditions: conditionsOf({ ...params.filter, ...extra }),
      include: asked.include,
      paging: { page, per_page: perPage, total: asked.total ?? options.total },
    });
    const { data, headers } = await send<Fields[]>('GET', route.path + query, { signal: params.signal });
    const records = data.map((fields) => withId<Item>(route, fields));
    const found = splitPrefetched(records, asked, route.relations ?? {});
    const counted = totalOf(headers, page, data.length);
    const meta = found.meta === undefined ? counted.meta : { ...found.meta, ...counted.meta };
    return { ...found, ...counted, meta };
  };

  const one = async <Item extends RaRecord>(
    resource: string,
    { id, meta, signal }: Omit<GetOneParams<Item>, 'id'> & { readonly id: Identifier } & Signal,
  ): Promise<GetOneResult<Item>> => {
    const route = await routeOf(resource);
    if (route.detail !== false) {
      const asked = askedBy(meta);
      const path = pathOf(route.path, id) + listQuery({ include: asked.include });
      const { data, headers } = await send<Fields>('GET', path, { signal });
      const etag = headers.get('etag');
      const record = withId<Item>(route, etag === null ? data : { ...data, [etagField]: etag });
      const { data: records, ...rest } = splitPrefetched([record], asked, route.relations ?? {});
      return { data: records[0] ?? record, ...rest };
    }
    const { key = 'id' } = route;
    const params = { pagination: { page: 1, perPage: 1 }, meta, ...(signal ? { signal } : {}) };
    const {
      data,
      total: _total,
      pageInfo: _info,
      ...rest
    } = await list<Item>(resource, params, { [key]: id });
    const [record] = data;
    if (record === undefined) throw new HttpError('ra.notification.item_doesnt_exist', 404);
    return { data: record, ...rest };
  };

  const write = async <Item extends RaRecord>(
    resource: string,
    method: 'POST' | 'PATCH',
    id: Identifier | undefined,
    fields: Fields,
    include: Include,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Item> => {
    const route = await routeOf(resource);
    const path = (id === undefined ? route.path : pathOf(route.path, id)) + listQuery({ include });
    const request = { body: { [route.singular]: fields }, headers, strict };
    const answer = await send<Fields>(method, path, request).catch((error: unknown) => {
      throw inForm(error, fields);
    });
    const etag = answer.headers.get('etag');
    return withId<Item>(route, etag === null ? answer.data : { ...answer.data, [etagField]: etag });
  };

  const changed = async (resource: string, data: Fields, before: Fields = {}): Promise<Fields> =>
    changedFields(data, before, await relationsOf(resource), relationsOf);

  const remove = async (resource: string, id: Identifier, etag?: unknown): Promise<void> => {
    const { path } = await routeOf(resource);
    await send('DELETE', pathOf(path, id), { headers: header('If-Match', etag) });
  };

  return {
    supportAbortSignal: true,
    getList: (resource, params) => list(resource, params),
    getOne: (resource, params) => one(resource, params),
    getMany: async <Item extends RaRecord>(resource: string, { ids, meta, signal }: Many<Item>) => {
      const { key = 'id', relations = {} } = await routeOf(resource);
      const asked = askedBy(meta);
      const pages = chunksOf(ids, manyAtOnce).map((some) =>
        list<Item>(
          resource,
          {
            pagination: { page: 1, perPage: some.length },
            meta: { include: asked.include },
            ...(signal ? { signal } : {}),
          },
          { [key]: some },
        ),
      );
      const records = (await Promise.all(pages)).flatMap(({ data }) => data);
      return splitPrefetched(records, asked, relations);
    },
    getManyReference: async (resource, { target, id, ...params }) => {
      // By the reference, or by the relation, which leads to any number of records between.
      const field = Object.hasOwn(await relationsOf(resource), target) ? `${target}.id` : target;
      return list(resource, params, { [field]: id });
    },
    create: async (resource, { data, meta }) => {
      const route = await routeOf(resource);
      const fields = await changed(resource, withoutIds(data, route.relations ?? {}));
      const saved = await write<RaRecord>(resource, 'POST', undefined, fields, askedBy(meta).include);
      // The next page begins with this record, and the response to a write may have fewer fields than were sent. The
      // rows that were sent have no ids, unlike the stored ones.
      return { data: { ...apart(fields, route).own, ...saved } as never };
    },
    update: async (resource, { id, data, previousData, meta }) => {
      const fields = await changed(resource, data, previousData);
      const { lists } = apart(fields, await routeOf(resource));
      // Lists that were shown are returned in their current state.
      const shown = lists.filter((name) => previousData[name] !== undefined);
      const include = {
        ...Object.fromEntries(shown.map((name) => [name, true as const])),
        ...askedBy(meta).include,
      };
      const headers = header('If-Match', data[etagField]);
      const saved = await write<RaRecord>(resource, 'PATCH', id, fields, include, headers);
      // The response to a write may have fewer fields than are shown of a record.
      return { data: { ...previousData, ...saved } as never };
    },
    updateMany: async (resource, { ids, data }) => {
      const fields = await changed(resource, data);
      await each(ids, (id) => write(resource, 'PATCH', id, fields, []));
      return { data: ids };
    },
    delete: async (resource, { id, previousData }) => {
      await remove(resource, id);
      return { data: (previousData ?? { id }) as never };
    },
    deleteMany: async (resource, { ids }) => {
      await each(ids, (id) => remove(resource, id));
      return { data: ids };
    },
  };
};

/** Every record of a filtered list, page by page, by cursor where the order has cursors, as an export needs them. */
export async function* everyRecord(
  { send, routeOf }: DataProviderOptions,
  resource: string,
  params: Pick<GetListParams, 'sort' | 'filter' | 'signal'>,
): AsyncGenerator<readonly Fields[]> {
  const route = await routeOf(resource);
  const { signal } = params;
  const shared = {
    key: route.key ?? 'id',
    sort: orderOf(params),
    conditions: conditionsOf(params.filter ?? {}),
  };
  let place: ReturnType<typeof nextPlace> = {};
  while (place !== undefined) {
    // Nothing is counted, as the number of all records is not asked for.
    const query = queryOf({ ...shared, paging: { per_page: 1000, total: 'none', ...place } });
    const answer: Answer<Fields[]> = await send<Fields[]>('GET', route.path + query, { signal });
    yield answer.data;
    place = nextPlace(answer.headers);
  }
}
