/**
 * `records(model)` of a scope: the operations that code of the application calls, with options in place of query
 * strings.
 */

import type { FileValue } from '../../fields/file.ts';
import type { RecordId } from '../../fields/key.ts';
import { isJsonObject, type JsonObject, toJson } from '../../kernel/json.ts';
import {
  anything,
  checkOptions,
  flag,
  listOf,
  mapOf,
  numeric,
  type OptionCheck,
  type OptionTable,
  oneOf,
  optionsFlaw,
  plainObject,
  texts,
  textual,
} from '../../kernel/options.ts';
import { Problem } from '../../kernel/problem.ts';
import { nextSlice } from '../../kernel/slices.ts';
import type { Action, ModelField } from '../../model/resource.ts';
import type {
  AnyInclude,
  CountQuery,
  FileSource,
  FindOptions,
  ForgettableRecords,
  ForgottenValues,
  ListQuery,
  NamedAggregateQuery,
  NamedRecords,
  OpenedFile,
  RecordPage,
  RecordUpdateOptions,
  RelatedOptions,
  UploadedName,
  VersionOptions,
} from '../../model/scope.ts';
import type { Grant } from '../../policy/grant.ts';
import { type ListAnswer, type ListParameterName, listedRows } from '../../records/list.ts';
import type { SavedRecord } from '../../records/records.ts';
import { type Included, nothingIncluded, parseIncluded, type Related } from '../../records/relations.ts';
import { relatedFor, requireGrant } from './area.ts';
import { grantOfSystem } from './grant-of-system.ts';
import { countNested } from './nested.ts';
import { isVersion, requireId } from './record-id.ts';
import { remove } from './remove.ts';
import { create, update } from './save.ts';
import type { RecordFiles, ServedResource } from './served-resource.ts';
import { type Acting, recordKey, transactionOf } from './transaction.ts';
import type { RecordWrite } from './writing.ts';

/** The query of a list in code, for any model. */
export type AnyListQuery = ListQuery<Readonly<Record<string, unknown>>, string>;

const chosen: OptionCheck = (value, path) =>
  value === true || texts(value, path) === undefined
    ? undefined
    : `${path} must be true, or a list of fields`;

/** A list of relations, or the fields of each. */
const includeOption: OptionCheck = (value, path) =>
  (Array.isArray(value) ? texts : mapOf(chosen))(value, path);

/** Options for related records of a response. */
export const relatedOptions = { include: includeOption } satisfies OptionTable<RelatedOptions<AnyInclude>>;

const options = {
  ...relatedOptions,
  filter: plainObject,
  q: anything,
  sort: (value, path) => (typeof value === 'string' ? textual : listOf(textual))(value, path),
  page: numeric,
  perPage: numeric,
  after: anything,
  total: oneOf('exact', 'estimate', 'none'),
} satisfies OptionTable<AnyListQuery>;

const groupOptions = {
  filter: options.filter,
  q: options.q,
  sort: options.sort,
  page: options.page,
  perPage: options.perPage,
  group: listOf(textual),
  count: flag,
  sum: listOf(textual),
  avg: listOf(textual),
  min: listOf(textual),
  max: listOf(textual),
  offset: textual,
  zone: textual,
} satisfies OptionTable<NamedAggregateQuery>;

type Scalar = string | number | boolean;

const textOf = (value: unknown, path: string): string => {
  if (value instanceof Date) return value.toISOString();
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value as Scalar);
  if (value === null) throw new TypeError(`${path} is null: the operator for that is { null: true }`);
  // Ignored, the condition would match every record.
  if (value === undefined)
    throw new TypeError(`${path} is undefined: leave the condition out, or give it a value`);
  throw new TypeError(`${path} must be a text, a number or a boolean`);
};

/** The value of a filter; in a list, commas separate the values and a backslash escapes. */
const operandOf = (value: unknown, path: string): string =>
  Array.isArray(value)
    ? value.map((each) => textOf(each, path).replace(/[\\,]/g, '\\$&')).join(',')
    : textOf(value, path);

const isOperators = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

const filterTerms = (filter: object): [string, string][] =>
  Object.entries(filter).flatMap(([field, condition]): [string, string][] => {
    if (!isOperators(condition)) {
      if (Array.isArray(condition))
        throw new TypeError(`filter.${field} is a list: the operator is { in: […] }`);
      return [[`filter[${field}]`, textOf(condition, `filter.${field}`)]];
    }
    return Object.entries(condition).map(([operator, operand]) => [
      `filter[${field}][${operator}]`,
      operandOf(operand, `filter.${field}.${operator}`),
    ]);
  });

/** The parameters of included relations. An empty list of fields is sent as well: without it all fields are chosen. */
const includeTerms = (include: AnyInclude): [string, string][] => {
  if (Array.isArray(include)) return include.length === 0 ? [] : [['include', include.join(',')]];
  const entries = Object.entries(include);
  const fields = entries.flatMap(([path, names]): [string, string][] =>
    Array.isArray(names) ? [[`fields[${path}]`, names.join(',')]] : [],
  );
  return entries.length === 0 ? [] : [['include', entries.map(([path]) => path).join(',')], ...fields];
};

/** The encoded conditions with further parameters; undefined values and empty lists are left out. */
const encoded = (terms: [string, string][], plain: Readonly<Record<string, unknown>>): string => {
  const text = new URLSearchParams(terms);
  for (const [name, value] of Object.entries(plain)) {
    const joined = Array.isArray(value) ? value.join(',') : value;
    if (joined !== undefined && !(Array.isArray(value) && joined === '')) text.append(name, String(joined));
  }
  return text.toString();
};

const refuseFlaw = (call: string, flaw: string | undefined): void => {
  if (flaw !== undefined) throw new TypeError(`${call}: ${flaw}`);
};

/**
 * The query string of a list: code and HTTP requests use the same parser.
 * @throws TypeError for an option that does not exist, and for a condition without a value
 */
export const queryString = (query: AnyListQuery): string => {
  refuseFlaw('list', optionsFlaw(query, options));
  const { filter = {}, include = [], sort, q, page, perPage, after, total } = query;
  const plain = {
    sort: sort === '' ? undefined : sort,
    q,
    page,
    per_page: perPage,
    after,
    total,
    // Code receives whole records.
    fields: undefined,
  } satisfies Readonly<Record<Exclude<ListParameterName, 'include' | '_'>, unknown>>;
  return encoded([...filterTerms(filter), ...includeTerms(include)], plain);
};

/** The query string of an aggregate. @throws TypeError as for a list */
export const groupQueryString = (query: NamedAggregateQuery): string => {
  refuseFlaw('aggregate', optionsFlaw(query, groupOptions));
  const { filter = {}, perPage, ...plain } = query;
  return encoded(filterTerms(filter), { ...plain, per_page: perPage });
};

/** The query string of the relations to include with one record. */
export const includeQueryString = (include: AnyInclude): string => encoded(includeTerms(include), {});

type Row = JsonObject & { readonly id: RecordId };
type Count = CountQuery<Readonly<Record<string, unknown>>>;

const versions = new WeakMap<object, number>();

/**
 * The version of a record that `find`, `get`, `create` or `update` of a scope returned. `update` and `remove` take it
 * to refuse a record that has changed since.
 * @throws TypeError for anything else
 */
export const versionOf = (record: object): number => {
  const version = versions.get(record);
  if (version === undefined)
    throw new TypeError('versionOf takes a record that find, get, create or update of a scope returned');
  return version;
};

const rowOf = (json: string, version: number | undefined): Row => {
  const row: Row = JSON.parse(json);
  if (version !== undefined) versions.set(row, version);
  return row;
};

/** The values that code passes, as a body would have them. @throws Problem `not_an_object` */
export const bodyOf = (values: unknown): JsonObject => {
  const body = toJson(values);
  if (!isJsonObject(body)) throw new Problem('not_an_object');
  return body;
};

const findOptions = { ...relatedOptions, lock: anything } satisfies OptionTable<FindOptions>;
const versionOptions = { version: anything } satisfies OptionTable<VersionOptions>;
const uploadOptions = { name: textual, type: textual } satisfies OptionTable<UploadedName>;
const updateOptions = { ...relatedOptions, ...versionOptions } satisfies OptionTable<RecordUpdateOptions>;

const accepted = ({ version }: VersionOptions): readonly number[] | undefined => {
  if (version !== undefined && !isVersion(version))
    throw new TypeError('version must be a whole number from 1');
  return version === undefined ? undefined : [version];
};

/**
 * The operations of one resource for a principal: the same as the API's, by the same policy. Each begins with a slice
 * of the main thread, as code may call it in a loop, and catch a refusal that no statement has made.
 */
export class ScopeRecords implements NamedRecords<RecordId>, ForgettableRecords {
  readonly #resource: ServedResource;
  readonly #acting: Acting;

  constructor(resource: ServedResource, acting: Acting) {
    this.#resource = resource;
    this.#acting = acting;
  }

  async list(query: AnyListQuery = {}): Promise<Row[]> {
    await nextSlice();
    return (await listedRows(await this.#list(query))) as Row[];
  }

  async page(query: AnyListQuery = {}): Promise<RecordPage<Row>> {
    await nextSlice();
    const { page, perPage, after } = query;
    const paged = page === undefined && perPage === undefined && after === undefined;
    const answer = await this.#list(paged ? { ...query, perPage: 20 } : query);
    const records = (await listedRows(answer)) as Row[];
    if (answer.page === undefined) throw new Error('a page has its facts');
    return { records, ...answer.page };
  }

  async count(query: Count = {}): Promise<number> {
    await nextSlice();
    // The list of a search counts only as far as its matches are ranked.
    if (query.q !== undefined) {
      const [all] = await this.aggregate({ ...query, count: true });
      return Number(all?.['count'] ?? 0);
    }
    const answer = await this.#list({ ...query, page: 1, perPage: 1 });
    // A long row is streamed: only the total is needed, so the stream is closed.
    if ('chunks' in answer) await answer.chunks.return?.();
    return answer.page?.total ?? 0;
  }

  async aggregate(query: NamedAggregateQuery): Promise<JsonObject[]> {
    await nextSlice();
    const within = transactionOf(this.#acting);
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

  async find(id: RecordId, options: FindOptions = {}): Promise<Row | undefined> {
    await nextSlice();
    const { lock = false, include } = checkOptions('find', options, findOptions);
    const within = transactionOf(this.#acting);
    if (lock && within === undefined) throw new Error('lock: true holds inside a transaction only');
    const grant = this.#grant('detail');
    const included = this.#included(grant, include);
    const named = this.#resource.model.key.of(id);
    if (named === undefined) return undefined;
    const record = await this.#resource.show(grant, named, [], {
      by: this.#acting.by,
      within,
      lock,
      included,
    });
    if (record === undefined) return undefined;
    this.#acting.shared?.present.add(recordKey(this.#resource.model.name, named));
    return rowOf(record.json, record.version);
  }

  async get(id: RecordId, options?: FindOptions): Promise<Row> {
    const record = await this.find(id, options);
    if (record === undefined) throw new Problem('record_not_found');
    return record;
  }

  async create(values: JsonObject, options: RelatedOptions<AnyInclude> = {}): Promise<Row> {
    await nextSlice();
    const { include } = checkOptions('create', options, relatedOptions);
    const write = this.#write('create');
    const included = this.#included(write.grant, include);
    const body = bodyOf(values);
    return this.#answer(await this.#whole(body, () => create(write, body, included)));
  }

  async update(id: RecordId, values: JsonObject, options: RecordUpdateOptions = {}): Promise<Row> {
    await nextSlice();
    const { include, ...rest } = checkOptions('update', options, updateOptions);
    const versions = accepted(rest);
    const write = this.#write('update');
    const included = this.#included(write.grant, include);
    const named = requireId(this.#resource.model.key, id);
    const body = bodyOf(values);
    return this.#answer(await this.#whole(body, () => update(write, named, body, versions, included)));
  }

  async remove(id: RecordId, options: VersionOptions = {}): Promise<void> {
    await nextSlice();
    const versions = accepted(checkOptions('remove', options, versionOptions));
    const write = this.#write('destroy');
    await remove(write, requireId(this.#resource.model.key, id), versions);
  }

  async upload(
    id: RecordId,
    field: string,
    source: FileSource,
    options: UploadedName = {},
  ): Promise<FileValue> {
    await nextSlice();
    const about = checkOptions('upload', options, uploadOptions);
    // A transaction is not to wait for bytes.
    if (transactionOf(this.#acting) !== undefined)
      throw new Error('upload: store files outside of a transaction, and before or after it');
    const write = this.#write('update');
    const named = requireId(this.#resource.model.key, id);
    return this.#files('upload').upload(write, named, this.#fileField('upload', field), { ...about, source });
  }

  async download(id: RecordId, field: string): Promise<OpenedFile | undefined> {
    await nextSlice();
    transactionOf(this.#acting);
    const of = this.#fileField('download', field);
    const grant = this.#grant('detail');
    const named = this.#resource.model.key.of(id);
    return named === undefined
      ? undefined
      : this.#files('download').download(this.#resource, grant, named, of);
  }

  /** A field whose values are files. @throws TypeError for any other name */
  #fileField(call: string, name: string): ModelField {
    const found = this.#resource.files.find((each) => each.name === name);
    if (found === undefined) throw new TypeError(`${call}: ${this.#resource.model.name} has no file ${name}`);
    return found;
  }

  #files(call: string): RecordFiles {
    const { files } = this.#resource.context;
    if (files === undefined) throw new TypeError(`${call}: no model has files`);
    return files;
  }

  /** For scopes that act for the system: see `ForgettableRecords`. */
  async forget(id: RecordId): Promise<ForgottenValues> {
    await nextSlice();
    const { shared, reason, actor } = this.#acting;
    transactionOf(this.#acting);
    if (reason === undefined)
      throw new TypeError('forget needs a scope that acts for the system: asSystem(reason)');
    const named = requireId(this.#resource.model.key, id);
    if (shared !== undefined) shared.writes += 1;
    const { model, context } = this.#resource;
    return context.forget({ model: model.name, id: named }, { ...actor(), reason }, shared);
  }

  /** @throws Problem `invalid_parameter`, `unusable_field`, `forbidden` */
  #included(grant: Grant, include: AnyInclude | undefined): Included {
    if (include === undefined) return nothingIncluded;
    const query = includeQueryString(include);
    return parseIncluded(this.#resource.records.source, grant, query, this.#related());
  }

  /**
   * Rolls the transaction back if a write with nested records fails half-way, even if the application catches the
   * error.
   */
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
    const within = transactionOf(this.#acting);
    const grant = this.#grant('list');
    const request = { query: queryString(query), path: '', by: this.#acting.by, within };
    return this.#resource.list(grant, { ...request, related: this.#related() });
  }

  #related(): Related {
    return relatedFor(this.#resource.context, this.#acting);
  }

  #write(action: Action): RecordWrite {
    transactionOf(this.#acting);
    return { resource: this.#resource, acting: this.#acting, grant: this.#grant(action) };
  }

  /** The principal's grant: the same as that of the resource's own endpoint. */
  #grant(action: Action): Grant {
    const { model, context } = this.#resource;
    if (this.#acting.reason !== undefined) return grantOfSystem(model);
    return requireGrant(model, context, this.#acting, action, 'detail');
  }
}
