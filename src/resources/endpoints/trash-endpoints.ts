/** Lists and shows deleted records: `trashed` in a resource's list and detail. */

import type { JsonSchema } from '../../fields/field.ts';
import { recordOf } from '../../http/call.ts';
import type { Answer, Call, QueryDocs } from '../../http/endpoint.ts';
import { entityTag } from '../../http/preconditions.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import { exactText } from '../../kernel/exact-json.ts';
import { type JsonObject, JsonText } from '../../kernel/json.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Grant } from '../../policy/grant.ts';
import { type NamedWrite, namedBy, type ShowsActor, versionHeaders } from '../../records/history.ts';
import { invalidParameter } from '../../records/list.ts';
import { shownFields } from '../../records/masked-source.ts';
import { parseTrashed, parseTrashPage, type ShownDeletion } from '../../records/trash.ts';
import type { Area } from '../area.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import { actorSchema, actorsFor, seen } from './history-endpoints.ts';

export const trashedQuery = {
  name: 'trashed',
  description: {
    'zh-CN': '回收站中的记录，最近删除的在前；仅可与 page、per_page 同用',
    en: 'The records in the trash, newest deletion first; only page and per_page are accepted with it',
  },
  schema: { type: 'boolean', enum: [true] },
} satisfies QueryDocs;

const fieldsOfDeletion = ['deleted_at', 'deleted_by', 'kept_until'];

/** A record. A deleted one has all fields of its deletion, any other none. */
export const trashedSchema = (record: JsonSchema): JsonSchema => ({
  ...record,
  properties: {
    ...(record['properties'] as JsonObject),
    deleted_at: { type: 'string', format: 'date-time', description: 'With trashed=true only' },
    deleted_by: actorSchema,
    kept_until: { type: 'string', format: 'date-time', description: 'Permanently removed after this time' },
  },
  dependentRequired: Object.fromEntries(fieldsOfDeletion.map((field) => [field, fieldsOfDeletion])),
});

const day = 86_400_000;

const shown = (
  { context: { trashDays } }: ServedResource,
  { record, deletedAt, hidden, ...deletion }: ShownDeletion & NamedWrite,
  readable: readonly string[],
  by: ShowsActor,
): JsonObject => ({
  ...seen(record, shownFields(readable, hidden)),
  deleted_at: deletedAt,
  deleted_by: by(deletion),
  kept_until: toTimestamp(Date.parse(deletedAt) + trashDays * day),
});

const namedDeletion = (
  { model, context }: ServedResource,
  first: ShownDeletion,
  grant: Grant,
): ShownDeletion & NamedWrite => ({
  ...first,
  actor: first.deletedBy,
  ...namedBy(model, context.models, [[first.record, shownFields(grant.readable, first.hidden)]]),
});

/** Lists what was deleted, the latest first; undefined where the request asks for what is there. */
export const answerTrash = (
  resource: ServedResource,
  call: Call,
  area: Area,
  origin: string,
): Promise<Answer> | undefined => {
  const {
    context,
    records: { source },
  } = resource;
  const page = parseTrashPage(call.query);
  if (page === undefined) return undefined;
  const answer = async (): Promise<Answer> => {
    const { grant } = call;
    const window = { limit: page.perPage, offset: (page.page - 1) * page.perPage };
    const { records, total } = await context.trash.page(source, grant, window, call);
    const deletions = records.map((each) => namedDeletion(resource, each, grant));
    const by = await actorsFor(resource, call, area, deletions);
    return {
      data: new JsonText(exactText(deletions.map((each) => shown(resource, each, grant.readable, by)))),
      headers: { ...versionHeaders(page, origin + call.path, total, 'trashed=true') },
    };
  };
  return answer();
};

/** Shows one record that was deleted; undefined where the request asks for one that is there. */
export const answerTrashed = (
  resource: ServedResource,
  call: Call,
  area: Area,
): Promise<Answer> | undefined => {
  const { model, context } = resource;
  if (!parseTrashed(call.query)) return undefined;
  // A record that is there must not be taken for one that was deleted.
  if (!model.trash) throw invalidParameter(trashedQuery.name);
  const answer = async (): Promise<Answer> => {
    const first = await context.trash.find(resource.records.source, call.grant, recordOf(call, model.key));
    if (first === undefined) throw new Problem('record_not_found');
    const deletion = namedDeletion(resource, first, call.grant);
    const by = await actorsFor(resource, call, area, [deletion]);
    return {
      data: new JsonText(exactText(shown(resource, deletion, call.grant.readable, by))),
      headers: { ETag: entityTag(first.version, 'trashed') },
    };
  };
  return answer();
};

/** Tests whether the trash has a record that is not there, or its history a version. */
export const isKept = async (
  { model, context, records, versions }: ServedResource,
  { grant, params }: Call,
): Promise<boolean> => {
  const id = recordOf({ params }, model.key);
  if (model.trash && (await context.trash.find(records.source, grant, id)) !== undefined) return true;
  return model.history && (await versions.page(grant, id, 1, 0)).total > 0;
};
