import { isJsonObject, type JsonObject, toJson } from '../kernel/json.ts';
import { anything, known, type OptionTable } from '../kernel/options.ts';
import { Problem } from '../kernel/problem.ts';
import type { Action } from '../model/resource.ts';
import type {
  AnyInclude,
  CountQuery,
  FindOptions,
  NamedAggregateQuery,
  NamedRecords,
  RecordPage,
  RecordUpdateOptions,
  RelatedOptions,
  VersionOptions,
} from '../model/scope.ts';
import type { Grant } from '../policy/grant.ts';
import { type ListAnswer, listedRows } from '../records/list/list.ts';
import type { SavedRecord } from '../records/records.ts';
import { type Included, nothingIncluded, parseIncluded } from '../records/relations/include.ts';
import type { Related } from '../records/relations/related.ts';
import type { Acting } from './acting.ts';
import { grantOfSystem } from './grant-of-system.ts';
import { granted } from './granted.ts';
import {
  type AnyListQuery,
  groupQueryString,
  includeQueryString,
  queryString,
  relatedOptions,
} from './list-query.ts';
import { countNested } from './nested.ts';
import { isId } from './record-id.ts';
import type { RecordWrite } from './record-write.ts';
import { relatedFor } from './related.ts';
import { remove } from './remove.ts';
import { create, update } from './save.ts';
import type { ServedResource } from './served-resource.ts';
import { assertOutside, recordKey } from './transaction.ts';

type Row = JsonObject & { readonly id: number };
type Count = CountQuery<Readonly<Record<string, unknown>>>;

const versions = new WeakMap<object, number>();

/**
 * The version of a record that a scope answered alone (`find`, `get`, `create`, `update`): what `update` and `remove`
 * take to refuse what somebody else has changed meanwhile.
 * @throws TypeError for anything else
 */
export const versionOf = (record: object): number => {
  const version = versions.get(record);
  if (version === undefined) throw new TypeError('versionOf takes a record that a scope answered alone');
  return version;
};

const rowOf = (json: string, version: number | undefined): Row => {
  const row: Row = JSON.parse(json);
  if (version !== undefined) versions.set(row, version);
  return row;
};

const bodyOf = (values: unknown): JsonObject => {
  const body = toJson(values);
  if (!isJsonObject(body)) throw new Problem('not_an_object');
  return body;
};

const findOptions = { ...relatedOptions, lock: anything } satisfies OptionTable<FindOptions>;
const versionOptions = { version: anything } satisfies OptionTable<VersionOptions>;
const updateOptions = { ...relatedOptions, ...versionOptions } satisfies OptionTable<RecordUpdateOptions>;

const accepted = ({ version }: VersionOptions): readonly number[] | undefined => {
  if (version !== undefined && !isId(version)) throw new TypeError('version must be a whole number from 1');
  return version === undefined ? undefined : [version];
};

/** The operations of one resource on somebody's behalf: the same as the API's, by the same policy. */
export class ScopeRecords implements NamedRecords {
  readonly #resource: ServedResource;
  readonly #acting: Acting;

  constructor(resource: ServedResource, acting: Acting) {
    this.#resource = resource;
    this.#acting = acting;
  }

  async list(query: AnyListQuery = {}): Promise<Row[]> {
    return (await listedRows(await this.#list(query))) as Row[];
  }

  async page(query: AnyListQuery = {}): Promise<RecordPage<Row>> {
    const { page, perPage, after } = query;
    const paged = page === undefined && perPage === undefined && after === undefined;
    const answer = await this.#list(paged ? { ...query, perPage: 20 } : query);
    return {
      records: (await listedRows(answer)) as Row[],
      total: answer.page?.total,
      next: answer.page?.next,
    };
  }

  async count(query: Count = {}): Promise<number> {
    const answer = await this.#list({ ...query, page: 1, perPage: 1 });
    // A long row would be streamed: that is not what was asked for.
    if ('chunks' in answer) await answer.chunks.return?.();
    return answer.page?.total ?? 0;
  }

  async aggregate(query: NamedAggregateQuery): Promise<JsonObject[]> {
    const within = this.#transaction();
    const grant = this.#grant('list');
    const request = {
      query: groupQueryString(query),
      path: '',
      by: this.#acting.by,
      within,
      related: this.#related(),
    };
    return [...(await this.#resource.aggregate(grant, request)).groups];
  }

  async find(id: number, options: FindOptions = {}): Promise<Row | undefined> {
    const { lock = false, include } = known('find', options, findOptions);
    const within = this.#transaction();
    if (lock && within === undefined) throw new Error('lock: true holds inside a transaction only');
    const grant = this.#grant('detail');
    const included = this.#included(grant, include);
    if (!isId(id)) return undefined;
    const record = await this.#resource.show(grant, id, [], { by: this.#acting.by, within, lock, included });
    if (record === undefined) return undefined;
    this.#acting.shared?.known.add(recordKey(this.#resource.model.name, id));
    return rowOf(record.json, record.version);
  }

  async get(id: number, options?: FindOptions): Promise<Row> {
    const record = await this.find(id, options);
    if (record === undefined) throw new Problem('record_not_found');
    return record;
  }

  async create(values: JsonObject, options: RelatedOptions<AnyInclude> = {}): Promise<Row> {
    const { include } = known('create', options, relatedOptions);
    const write = this.#write('create');
    const included = this.#included(write.grant, include);
    const body = bodyOf(values);
    return this.#answer(await this.#whole(body, () => create(write, body, included)));
  }

  async update(id: number, values: JsonObject, options: RecordUpdateOptions = {}): Promise<Row> {
    const { include, ...rest } = known('update', options, updateOptions);
    const versions = accepted(rest);
    const write = this.#write('update');
    const included = this.#included(write.grant, include);
    if (!isId(id)) throw new Problem('record_not_found');
    const body = bodyOf(values);
    return this.#answer(await this.#whole(body, () => update(write, id, body, versions, included)));
  }

  async remove(id: number, options: VersionOptions = {}): Promise<void> {
    const versions = accepted(known('remove', options, versionOptions));
    const write = this.#write('destroy');
    if (!isId(id)) throw new Problem('record_not_found');
    await remove(write, id, versions);
  }

  /** @throws Problem `invalid_parameter`, `unusable_field`, `forbidden` */
  #included({ readable }: Grant, include: AnyInclude | undefined): Included {
    if (include === undefined) return nothingIncluded;
    const query = includeQueryString(include);
    return parseIncluded(this.#resource.records.source, readable, query, this.#related());
  }

  /** With records within it a write is several: what of them was written must not stand, whoever catches the error. */
  async #whole<T>(body: JsonObject, write: () => Promise<T>): Promise<T> {
    const { shared } = this.#acting;
    if (shared === undefined || countNested(this.#resource, body) === 0) return write();
    const { writes } = shared;
    try {
      return await write();
    } catch (error) {
      if (shared.writes !== writes) shared.refuse(error);
      throw error;
    }
  }

  #answer({ json, version }: SavedRecord): Row {
    return rowOf(json, version);
  }

  #list(query: AnyListQuery): Promise<ListAnswer> {
    const within = this.#transaction();
    const grant = this.#grant('list');
    const request = { query: queryString(query), path: '', by: this.#acting.by, within };
    return this.#resource.list(grant, { ...request, related: this.#related() });
  }

  #transaction() {
    const { shared } = this.#acting;
    if (shared === undefined) assertOutside();
    shared?.assertGood();
    return shared?.transaction;
  }

  #related(): Related {
    return relatedFor(this.#resource.context, this.#acting);
  }

  #write(action: Action): RecordWrite {
    this.#transaction();
    return { resource: this.#resource, acting: this.#acting, grant: this.#grant(action) };
  }

  /** What the policy lets the principal do here: what it would let them do by the resource's own endpoint. */
  #grant(action: Action): Grant {
    const { model, context } = this.#resource;
    if (this.#acting.reason !== undefined) return grantOfSystem(model);
    return granted(model, context, this.#acting, action, 'detail');
  }
}
