import {
  type DataProvider,
  type GetListParams,
  type GetListResult,
  type GetManyParams,
  HttpError,
  type Identifier,
  type RaRecord,
} from 'ra-core';
import { GatewrightError } from '../error.ts';
import type { Answer, RequestOptions } from '../transport.ts';
import { conditionsOf, pathOf, queryOf, type SortOrder } from './list-query.ts';

/** Sends one request; that of `createTransport`. */
export type Send = <Data>(method: string, path: string, options?: RequestOptions) => Promise<Answer<Data>>;

/** Where a resource is, and how its records are written. */
export interface ResourceRoute {
  /** Path of the list: `/api/v1/orders`. */
  readonly path: string;
  /** Key of the record in a body: `order`. */
  readonly singular: string;
  /** Field that names a record; `id` where it is not given. */
  readonly key?: string;
  /** Whether one record has a path of its own; true where it is not given. Else it is found by filtering the list. */
  readonly detail?: boolean;
}

export interface DataProviderOptions {
  readonly send: Send;
  readonly routeOf: (resource: string) => ResourceRoute | Promise<ResourceRoute>;
}

/** A record in whose form the ETag travels under this name; it is never sent as a field. */
export const etagField = '@etag';

type Many<Item extends RaRecord> = GetManyParams<Item> & { readonly signal?: AbortSignal };
type Fields = Readonly<Record<string, unknown>>;

/** A refusal in the form that react-admin shows beside the fields. */
const toHttpError = (error: unknown): unknown => {
  if (!(error instanceof GatewrightError)) return error;
  const errors = Object.fromEntries(
    Object.entries(error.fields).map(([field, messages]) => [field, messages.join(', ')]),
  );
  const body = {
    code: error.code,
    retryAfter: error.retryAfter,
    ...(error.errors.length > 0 ? { errors } : {}),
  };
  return new HttpError(error.message, error.status, body);
};

const withId = <Item extends RaRecord>({ key = 'id' }: ResourceRoute, fields: Fields): Item =>
  (key === 'id' ? fields : { ...fields, id: fields[key] }) as Item;

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The fields that a form has changed: what it did not touch is not sent, and so not overwritten. */
const changed = (data: Fields, before: Fields): Fields =>
  Object.fromEntries(
    Object.entries(data).filter(
      ([name, value]) => !name.startsWith('@') && value !== undefined && !same(value, before[name]),
    ),
  );

const sendable = (data: Fields): Fields => changed(data, {});

const header = (name: string, value: unknown): Readonly<Record<string, string>> =>
  typeof value === 'string' ? { [name]: value } : {};

const orderOf = ({ sort }: Pick<GetListParams, 'sort'>): SortOrder[] =>
  sort === undefined || sort.field === '' ? [] : [{ field: sort.field, descending: sort.order === 'DESC' }];

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

/** Records that are asked for at once by their ids. */
const manyAtOnce = 100;

const chunksOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );

/**
 * react-admin's data provider for a Gatewright service. Filters are `{field: value}`, `{'field@operator': value}` and
 * `q`. A record that came with an ETag carries it as `@etag`; an update sends it back as `If-Match` and so fails with
 * 412 where somebody else was faster.
 */
export const createDataProvider = ({ send: plain, routeOf }: DataProviderOptions): DataProvider => {
  const send: Send = async (method, path, options) => {
    try {
      return await plain(method, path, options);
    } catch (error) {
      throw toHttpError(error);
    }
  };

  const list = async <Item extends RaRecord>(
    resource: string,
    params: GetListParams,
    extra: Fields = {},
  ): Promise<GetListResult<Item>> => {
    const route = await routeOf(resource);
    const { page = 1, perPage = 25 } = params.pagination ?? {};
    const query = queryOf({
      key: route.key ?? 'id',
      sort: orderOf(params),
      conditions: conditionsOf({ ...params.filter, ...extra }),
      paging: { page, per_page: perPage },
    });
    const { data, headers } = await send<Fields[]>('GET', route.path + query, { signal: params.signal });
    const total = Number(headers.get('x-total-count') ?? data.length);
    return { data: data.map((fields) => withId<Item>(route, fields)), total };
  };

  const one = async <Item extends RaRecord>(
    resource: string,
    id: Identifier,
    signal?: AbortSignal,
  ): Promise<Item> => {
    const route = await routeOf(resource);
    if (route.detail !== false) {
      const { data, headers } = await send<Fields>('GET', pathOf(route.path, id), { signal });
      const etag = headers.get('etag');
      return withId<Item>(route, etag === null ? data : { ...data, [etagField]: etag });
    }
    const { key = 'id' } = route;
    const found = await list<Item>(resource, { pagination: { page: 1, perPage: 1 } }, { [key]: id });
    const [record] = found.data;
    if (record === undefined) throw new HttpError('ra.notification.item_doesnt_exist', 404);
    return record;
  };

  const write = async <Item extends RaRecord>(
    resource: string,
    method: 'POST' | 'PATCH',
    id: Identifier | undefined,
    fields: Fields,
    headers: Readonly<Record<string, string>>,
  ): Promise<Item> => {
    const route = await routeOf(resource);
    const path = id === undefined ? route.path : pathOf(route.path, id);
    const answer = await send<Fields>(method, path, { body: { [route.singular]: fields }, headers });
    const etag = answer.headers.get('etag');
    return withId<Item>(route, etag === null ? answer.data : { ...answer.data, [etagField]: etag });
  };

  const remove = async (resource: string, id: Identifier, etag?: unknown): Promise<void> => {
    const { path } = await routeOf(resource);
    await send('DELETE', pathOf(path, id), { headers: header('If-Match', etag) });
  };

  return {
    supportAbortSignal: true,
    getList: (resource, params) => list(resource, params),
    getOne: async (resource, { id, signal }) => ({ data: await one(resource, id, signal) }),
    getMany: async <Item extends RaRecord>(resource: string, { ids, signal }: Many<Item>) => {
      const { key = 'id' } = await routeOf(resource);
      const pages = chunksOf(ids, manyAtOnce).map((some) =>
        list<Item>(
          resource,
          { pagination: { page: 1, perPage: some.length }, ...(signal ? { signal } : {}) },
          { [key]: some },
        ),
      );
      return { data: (await Promise.all(pages)).flatMap(({ data }) => data) };
    },
    getManyReference: (resource, { target, id, ...params }) => list(resource, params, { [target]: id }),
    create: async (resource, { data }) => {
      const fields = sendable(data);
      const saved = await write<RaRecord>(resource, 'POST', undefined, fields, {});
      // The next page begins with this record, and what is answered to a write can be less than what was sent.
      return { data: { ...fields, ...saved } as never };
    },
    update: async (resource, { id, data, previousData }) => {
      const fields = changed(data, previousData);
      const saved = await write<RaRecord>(resource, 'PATCH', id, fields, header('If-Match', data[etagField]));
      // What is answered to a write can be less than what is shown of a record.
      return { data: { ...previousData, ...saved } as never };
    },
    updateMany: async (resource, { ids, data }) => {
      await each(ids, (id) => write(resource, 'PATCH', id, sendable(data), {}));
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

/** Every record of a filtered list, page by page behind a cursor, as an export needs them. */
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
  let query: string | undefined = queryOf({ ...shared, paging: { per_page: 1000 } });
  while (query !== undefined) {
    const answer: Answer<Fields[]> = await send<Fields[]>('GET', route.path + query, { signal });
    yield answer.data;
    const after = /[?&]after=([^&>]*)[^>]*>;\s*rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    query =
      after === undefined
        ? undefined
        : queryOf({ ...shared, paging: { per_page: 1000, after: decodeURIComponent(after) } });
  }
}
