/** The endpoints on the records of a resource in one area: list, groups, detail, create, update and delete. */

import { methodsNamed } from '../../auth/registry.ts';
import { checkedModels, recordOf } from '../../http/call.ts';
import { scopeProblems } from '../../http/describe.ts';
import type { Answer, Call, Endpoint, EndpointDocs } from '../../http/endpoint.ts';
import { typedFields } from '../../http/form.ts';
import { answerGroups, answerList } from '../../http/list-endpoint.ts';
import { acceptedVersions, isKnown, tagOf, tagOfVariant } from '../../http/preconditions.ts';
import { JsonText } from '../../kernel/json.ts';
import { type Label, labelText } from '../../kernel/messages.ts';
import { Problem, type ProblemKind } from '../../kernel/problem.ts';
import { inSentence, joinParts } from '../../kernel/spacing.ts';
import { type IdempotentRequest, idempotentRequest } from '../../ledger/idempotency.ts';
import { isHeld } from '../../model/deletion.ts';
import { groupSchema } from '../../model/group-schema.ts';
import { type NestedInput, nestedInputs, withNested } from '../../model/nested-schema.ts';
import type { Action, ResourceModel, View } from '../../model/resource.ts';
import { conditionalFields, inputSchema, listItemSchema, outputSchema } from '../../model/schema.ts';
import { fieldsOfBodies } from '../../policy/decide.ts';
import type { Grant } from '../../policy/grant.ts';
import { invalidParameter, unusableField } from '../../records/list.ts';
import { type Included, nothingIncluded, parseIncluded, type Related } from '../../records/relations.ts';
import type { AnsweredFields, Area } from '../area.ts';
import { grantsOfRelated, managedRule, relatedFor, ruleOf } from '../operations/area.ts';
import { touchesOthers } from '../operations/cascade-links.ts';
import { grantForNew } from '../operations/prepare.ts';
import { remove } from '../operations/remove.ts';
import { createForRequest, update } from '../operations/save.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import { actingFor } from '../operations/transaction.ts';
import { checkTarget, type RecordWrite } from '../operations/writing.ts';
import { actorGrants } from './history-endpoints.ts';
import { anyAccess, nestedProblems } from './nested-bodies.ts';
import { recordChecks } from './record-checks.ts';
import { deletionWords, recordWords, trashingWords, uniqueWords } from './resource-words.ts';
import { answerTrash, answerTrashed, isKept, trashedQuery, trashedSchema } from './trash-endpoints.ts';

const label = (chinese: string, english: string, model: ResourceModel): Label => ({
  'zh-CN': joinParts([chinese, labelText(model.label, 'zh-CN')]),
  en: `${english} ${inSentence(labelText(model.label, 'en'))}`,
});

/** `blog_posts` → `BlogPosts`, for the name of the operation that lists them. */
export const pluralNoun = ({ plural }: ResourceModel): string =>
  plural
    .split('_')
    .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join('');

/** The title of an operation on several records: `List orders`. */
export const titleOfMany = (chinese: string, english: string, { pluralLabel }: ResourceModel): Label => ({
  'zh-CN': joinParts([chinese, labelText(pluralLabel, 'zh-CN')]),
  en: `${english} ${inSentence(labelText(pluralLabel, 'en'))}`,
});

const saved = (json: string, headers: Readonly<Record<string, string>>): Answer => ({
  data: new JsonText(json),
  headers,
});

const isWrite = (action: Action): boolean => action !== 'list' && action !== 'detail';

/** True if a write runs code of the application, which may ask for anything. */
const hasHooks = ({ hooks }: ResourceModel): boolean =>
  Object.values(hooks).some((hook) => hook !== undefined);

/** True if a write can lose to another: for a value that is there once, or a record that is referred to. */
const canCollide = (model: ResourceModel): boolean =>
  model.unique.length > 0 ||
  [...model.fields.values()].some(({ unique, reference }) => unique || reference !== undefined);

/** Problems of a deletion: of references that keep the record, and of all that goes with it. */
const deletionProblems = ({ model, context, cascade }: ServedResource): readonly ProblemKind[] => {
  const problems: ProblemKind[] = [];
  if (isHeld(context.models, model.name)) problems.push('still_referenced');
  if (touchesOthers(cascade)) problems.push('cascade_too_large');
  if (cascade.runsHooks) problems.push(...scopeProblems, ...cascade.reached.flatMap((each) => each.problems));
  return problems;
};

/** The record of a body, with its files as values, and the bytes that identify the request. */
interface Received extends Pick<Call, 'body' | 'bytes'> {
  /** Name under which the files were uploaded; absent without files. */
  readonly uploader?: string | undefined;
}

/** Adds deleted records to the description of an endpoint. */
const withTrash = (docs: EndpointDocs): EndpointDocs =>
  docs.data === undefined ? docs : { ...docs, data: trashedSchema(docs.data), query: [trashedQuery] };

/** The endpoints of one resource in one area, each described and decided at start. */
export class RecordEndpoints {
  readonly #resource: ServedResource;
  readonly #model: ResourceModel;
  readonly #area: Area;
  readonly #origin: string;
  readonly #isAdmin: boolean;
  readonly #path: string;
  /** The records that a body may hold within its own. */
  readonly nested: readonly NestedInput[];
  readonly #optional: ReadonlySet<string>;
  readonly #relatedModels: readonly string[];
  readonly #savedView: 'admin' | 'saved';
  readonly #detailView: 'admin' | 'detail';
  readonly #checks: ReturnType<typeof recordChecks>;
  /** Problems of a write that collides with what is stored, or whose nested records are refused. */
  readonly #saveProblems: readonly ProblemKind[];

  constructor(resource: ServedResource, area: Area, origin: string) {
    const { model, context } = resource;
    const { models } = context;
    const isAdmin = area.name === 'admin';
    this.#resource = resource;
    this.#model = model;
    this.#area = area;
    this.#origin = origin;
    this.#isAdmin = isAdmin;
    this.#path = area.path(model);
    this.nested = nestedInputs(model, models, anyAccess(area));
    this.#optional = isAdmin ? new Set() : conditionalFields(model);
    this.#relatedModels = grantsOfRelated(model, models, area);
    this.#savedView = isAdmin ? 'admin' : 'saved';
    this.#detailView = isAdmin ? 'admin' : 'detail';
    this.#checks = recordChecks(resource);
    // Without any rule of a field's own, the owner that the service sets may still be taken: 422.
    const collision = canCollide(model) ? (['conflict', 'invalid_record'] as const) : [];
    this.#saveProblems = [...collision, ...nestedProblems(resource)];
  }

  /** Only administrators, and those who manage records, restore one: others do not know that it was there. */
  get isManaged(): boolean {
    return !this.#isAdmin && this.#model.rules.manage !== undefined;
  }

  /** The list, and with `trashed` the deleted records. */
  list(): Endpoint {
    const { list } = this.#resource;
    const showsTrash = this.#showsTrash;
    const docs = {
      ...this.#docs({ summary: titleOfMany('列出', 'List', this.#model), view: 'list' }),
      list: true,
    };
    return {
      operation: this.#area.operation('list', pluralNoun(this.#model)),
      method: 'GET',
      path: this.#path,
      ...this.common('list'),
      grantsOn: showsTrash ? actorGrants(this.#resource).grantsOn : undefined,
      accepts: 'nothing',
      csv: true,
      mayLag: true,
      docs: showsTrash ? withTrash(docs) : docs,
      // A public list authenticates no caller; its trash is for those who authenticate.
      ofTrash: this.isManaged
        ? {
            auth: methodsNamed(this.#model.auth.list),
            policy: managedRule(this.#model, 'list', this.#area),
          }
        : undefined,
      handle: (call) =>
        (showsTrash ? answerTrash(this.#resource, call, this.#area, this.#origin) : undefined) ??
        answerList(list, call, this.#origin, this.#relatedOf(call)),
    };
  }

  /** Groups show what the list lets see, and nothing else: the same methods, the same policy. */
  aggregate(): Endpoint {
    const { locale } = this.#resource.context;
    return {
      operation: this.#area.operation('aggregate', pluralNoun(this.#model)),
      method: 'GET',
      path: `${this.#path}/aggregate`,
      ...this.common('list'),
      accepts: 'nothing',
      csv: true,
      mayLag: true,
      docs: {
        ...this.#docs({ summary: titleOfMany('汇总', 'Aggregate', this.#model) }),
        data: groupSchema(this.#model, this.#fields('list'), locale, this.#optional),
        list: true,
        part: 'aggregate',
      },
      handle: (call) => answerGroups(this.#resource.aggregate, call, this.#origin, this.#relatedOf(call)),
    };
  }

  /** One record; in the administration area, with `trashed`, a deleted one. */
  detail(): Endpoint {
    const { reaches, forRecord, hides } = this.#checks;
    const isAdmin = this.#isAdmin;
    const keepsDeleted = this.#model.trash || this.#model.history;
    const docs = this.#docs({
      summary: label('查看', 'Show', this.#model),
      view: 'detail',
      problems: isAdmin && keepsDeleted ? ['record_not_found', 'record_deleted'] : ['record_not_found'],
      description: recordWords('detail'),
    });
    const showsTrash = isAdmin && this.#showsTrash;
    return {
      operation: this.#area.operation('get', this.#model.name),
      method: 'GET',
      path: `${this.#path}/:id`,
      ...this.common('detail'),
      grantsOn: showsTrash ? actorGrants(this.#resource).grantsOn : undefined,
      accepts: 'nothing',
      mayLag: true,
      docs: showsTrash ? withTrash(docs) : docs,
      handle: (call) =>
        (isAdmin ? answerTrashed(this.#resource, call, this.#area) : undefined) ?? this.#show(call),
      reaches,
      forRecord,
      hides,
    };
  }

  create(): Endpoint {
    return {
      operation: this.#area.operation('create', this.#model.name),
      method: 'POST',
      path: this.#path,
      ...this.common('create'),
      ...this.#body('create'),
      status: 201,
      docs: this.#docs({
        summary: label('创建', 'Create', this.#model),
        view: 'saved',
        problems: ['invalid_parameter', 'idempotency_conflict', ...this.#saveProblems],
        description: recordWords('create', uniqueWords(this.#model)),
      }),
      handle: (call) => this.#withFiles(call, (received) => this.#create(call, received)),
      forNew: (call, grant, values) => this.#grantForNew(call, grant, values),
    };
  }

  update(): Endpoint {
    return {
      operation: this.#area.operation('update', this.#model.name),
      method: 'PATCH',
      path: `${this.#path}/:id`,
      ...this.common('update'),
      ...this.#body('update'),
      docs: this.#docs({
        summary: label('修改', 'Update', this.#model),
        view: 'saved',
        problems: ['record_not_found', 'stale', ...this.#saveProblems],
        description: recordWords('update', uniqueWords(this.#model)),
      }),
      handle: (call) => this.#withFiles(call, (received) => this.#update(call, received)),
      ...this.#checks,
    };
  }

  destroy(): Endpoint {
    const { models } = this.#resource.context;
    const words = this.#showsTrash ? trashingWords : deletionWords;
    return {
      operation: this.#area.operation('delete', this.#model.name),
      method: 'DELETE',
      path: `${this.#path}/:id`,
      ...this.common('destroy'),
      accepts: 'nothing',
      docs: this.#docs({
        summary: label('删除', 'Delete', this.#model),
        problems: ['record_not_found', 'stale', ...deletionProblems(this.#resource)],
        description: recordWords('destroy', words(models, this.#model.name)),
      }),
      handle: async (call) => {
        await remove(this.#writeOf(call), recordOf(call, this.#model.key), acceptedVersions(call));
        return {};
      },
      ...this.#checks,
    };
  }

  /** The members that an action's endpoints share: who may call them. */
  common(action: Action): Pick<Endpoint, 'grantsOnRelated' | 'auth' | 'policy' | 'grantsOn'> {
    const { context, nested } = this.#resource;
    const runsCode = isWrite(action) && (hasHooks(this.#model) || nested.length > 0);
    return {
      grantsOnRelated: this.#relatedModels,
      auth: this.#area.auth(this.#model, action),
      policy: ruleOf(this.#model, context.models, action, this.#area),
      grantsOn: runsCode ? checkedModels(context.models.values()) : undefined,
    };
  }

  /** The fields of a view in this area. */
  answered(view: View): AnsweredFields {
    return { fields: this.#fields(view), optional: this.#optional };
  }

  get #showsTrash(): boolean {
    return this.#model.trash && (this.#isAdmin || this.isManaged);
  }

  #fields(view: View): readonly string[] {
    return this.#isAdmin ? [...this.#model.fields.keys()] : this.#model.views[view];
  }

  #body(
    action: 'create' | 'update',
  ): Pick<Endpoint, 'accepts' | 'parts' | 'checksNames' | 'bodyKey' | 'input'> {
    const { locale } = this.#resource.context;
    const written = fieldsOfBodies(this.#model, this.#area.name);
    return {
      accepts: this.#area.accepts,
      parts: this.#parts(written),
      checksNames: true,
      bodyKey: this.#model.singular,
      input: withNested(inputSchema(this.#model, action, written, locale), action, this.nested, locale),
    };
  }

  /** The files that a body may bring; undefined where the model has no such field. */
  #parts(written: ReadonlySet<string>): Endpoint['parts'] {
    const files = this.#resource.files.filter(({ name }) => written.has(name));
    if (files.length === 0) return undefined;
    const file = Math.max(...files.map(({ type, options }) => type.uploads?.(options).max ?? 0));
    return { limits: { file, files: files.length }, fields: files.map(({ name }) => name) };
  }

  #docs({
    summary,
    view,
    problems = [],
    description,
  }: Pick<EndpointDocs, 'summary' | 'problems' | 'description'> & { readonly view?: View }): EndpointDocs {
    const { locale } = this.#resource.context;
    const schemaOf = view === 'list' ? listItemSchema : outputSchema;
    return {
      summary,
      description,
      tag: this.#area.tag(this.#model, locale),
      data: view && schemaOf(this.#model, this.#fields(view), locale, this.#optional),
      problems,
    };
  }

  #relatedOf(call: Call): Related {
    return relatedFor(this.#resource.context, { principal: call.principal, area: this.#area });
  }

  #includedIn(call: Call): Included {
    return call.query === ''
      ? nothingIncluded
      : parseIncluded(this.#resource.records.source, call.grant, call.query, this.#relatedOf(call));
  }

  #writeOf(call: Call, isStrict = false, uploader?: string): RecordWrite {
    const acting = actingFor(call, this.#area);
    return { resource: this.#resource, grant: call.grant, acting, isStrict, uploader };
  }

  /**
   * Runs a write with the files of its body as values of the record. Those that no record names after it are removed.
   */
  async #withFiles(call: Call, write: (received: Received) => Promise<Answer>): Promise<Answer> {
    const { files } = this.#resource.context;
    if (call.files.length === 0 || files === undefined) return write(call);
    if (call.params['id'] !== undefined)
      await checkTarget(this.#writeOf(call), recordOf(call, this.#model.key), undefined);
    const received = await files.receive(this.#resource, call);
    try {
      return await write(received);
    } finally {
      await received.end();
    }
  }

  async #show(call: Call): Promise<Answer> {
    const included = this.#includedIn(call);
    const from = call.reader && (await call.reader());
    const record = await this.#resource.show(call.grant, recordOf(call, this.#model.key), [], {
      included,
      by: call,
      from,
    });
    if (record === undefined) throw await this.#missing(call);
    const tag = tagOf(record.json, record.version ?? 0, this.#detailView, included, call.grant);
    const headers = { ETag: tag };
    return isKnown(call, tagOfVariant(tag, call.variant))
      ? { status: 304, headers }
      : saved(record.json, headers);
  }

  /** A missing record. An administrator also learns if something of it can still be seen. */
  async #missing(call: Call): Promise<Problem> {
    const kept = this.#isAdmin && (await isKept(this.#resource, call));
    return new Problem(kept ? 'record_deleted' : 'record_not_found');
  }

  async #create(call: Call, { body, bytes, uploader }: Received): Promise<Answer> {
    const included = this.#includedIn(call);
    const isStrict = call.applyStrict();
    const request = this.#idempotentRequest(call, bytes, included, isStrict);
    const write = this.#writeOf(call, isStrict, uploader);
    const created = await createForRequest(write, body, request, this.#savedView, included);
    return saved(created.data, created.headers);
  }

  #grantForNew(call: Call, grant: Grant, texts: ReadonlyMap<string, string>): Promise<Grant | undefined> {
    const { fields } = this.#model;
    // The same for a field that is hidden, read-only or unknown.
    for (const name of texts.keys())
      if (fields.get(name)?.serverSet !== false || !grant.writable.has(name)) throw unusableField(name);
    const write = { resource: this.#resource, grant, acting: actingFor(call, this.#area) };
    const values = typedFields(texts, this.#body('create').input ?? {});
    return grantForNew(write, values, (name) => invalidParameter(`with[${name}]`));
  }

  #idempotentRequest(
    call: Call,
    bytes: Uint8Array,
    included: Included,
    isStrict: boolean,
  ): IdempotentRequest | undefined {
    const key = call.header('idempotency-key');
    if (key === undefined) return undefined;
    const asked = included === nothingIncluded ? '' : call.query;
    return idempotentRequest(key, call.principal, 'POST', this.#path, bytes, {
      model: this.#model.name,
      asked,
      isStrict,
    });
  }

  async #update(call: Call, { body, uploader }: Received): Promise<Answer> {
    const versions = acceptedVersions(call);
    const included = this.#includedIn(call);
    const record = await update(
      this.#writeOf(call, call.applyStrict(), uploader),
      recordOf(call, this.#model.key),
      body,
      versions,
      included,
    );
    return saved(record.json, {
      ETag: tagOf(record.json, record.version, this.#savedView, included, call.grant),
    });
  }
}
