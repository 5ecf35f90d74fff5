/** The endpoint with the versions of a record, and the form in which a caller sees their actors. */

import type { JsonSchema } from '../../fields/field.ts';
import { checkedModels, recordOf } from '../../http/call.ts';
import type { Answer, Call, Endpoint } from '../../http/endpoint.ts';
import { exactText } from '../../kernel/exact-json.ts';
import { type Json, type JsonObject, JsonText } from '../../kernel/json.ts';
import { type Label, labelText } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { inSentence, spaced } from '../../kernel/spacing.ts';
import { outputSchema } from '../../model/schema.ts';
import {
  type NamedWrite,
  namedActors,
  namedBy,
  parseVersionPage,
  type ShownVersion,
  type ShowsActor,
  shownActors,
  versionHeaders,
} from '../../records/history.ts';
import { shownFields } from '../../records/masked-source.ts';
import type { AnsweredFields, Area } from '../area.ts';
import { relatedFor } from '../operations/area.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import { actingFor } from '../operations/transaction.ts';

/** Members that an endpoint has in common with that of the action whose policy it has. */
type Common = Pick<Endpoint, 'auth' | 'policy'>;

const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });
const textOrNull: JsonSchema = { type: ['string', 'null'] };

/** Returns the originator of a change to a record, as JSON. */
export const actorSchema: JsonSchema = {
  type: 'object',
  title: 'VersionActor',
  properties: {
    kind: { type: 'string', enum: ['user', 'application', 'nobody', 'system'] },
    id: { ...textOrNull, description: 'id of the user, app_id of the application' },
    name: {
      ...textOrNull,
      description:
        'id, name and key: for callers who may read that user; id and name also for those to whom the record, or a membership in its tenant, shows that user',
    },
    key: { type: ['integer', 'null'], description: 'id of the API key that was used' },
    reason: {
      ...textOrNull,
      description:
        'why the service did it on its own account; for callers who may read the record that it names',
    },
  },
  required: ['kind', 'id', 'name', 'key', 'reason'],
};

const versionSchema = (record: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: {
    version: { type: 'integer', minimum: 1 },
    action: { type: 'string', enum: ['create', 'update', 'destroy'] },
    at: { type: 'string', format: 'date-time' },
    actor: actorSchema,
    before: nullable(record),
    after: nullable(record),
  },
  required: ['version', 'action', 'at', 'actor', 'before', 'after'],
});

/** Permissions by which it is decided who is shown actors: the record that a reason names is of any model. */
export const actorGrants = ({ context }: ServedResource): Pick<Endpoint, 'grantsOn'> => ({
  grantsOn: checkedModels(context.models.values()),
});

/** How a caller is shown the actors of what was kept. */
export const actorsFor = async (
  { context }: ServedResource,
  call: Call,
  area: Area,
  kept: readonly NamedWrite[],
): Promise<ShowsActor> => {
  const resources = new Map([...context.models.keys()].map((name) => [name, context.resourceOf(name)]));
  const related = relatedFor(context, actingFor(call, area));
  const actors = await namedActors(resources, kept);
  return (await shownActors(resources, { principal: call.principal, related }, actors)).shown;
};

const count = (name: string, description: Label): NonNullable<Endpoint['docs']['query']>[number] => ({
  name,
  description,
  schema: { type: 'integer', minimum: 1 },
});

/**
 * Fields that the caller reads now; one that was not there yet has no value, one that is hidden is absent. A side that
 * they do not see is null.
 */
export const seen = (record: JsonObject | null, readable: readonly string[]): JsonObject | null =>
  record && Object.fromEntries(readable.map((name): [string, Json] => [name, record[name] ?? null]));

const shownVersion = (
  of: ShownVersion & NamedWrite,
  readable: readonly string[],
  shown: ShowsActor,
): JsonObject => ({
  version: of.version,
  action: of.action,
  at: of.at,
  actor: shown(of),
  before: seen(of.before, shownFields(readable, of.hidden.before)),
  after: seen(of.after, shownFields(readable, of.hidden.after)),
});

/** Lists the versions of a record, newest first. */
export const historyEndpoint = (
  resource: ServedResource,
  area: Area,
  common: Common,
  { fields, optional }: AnsweredFields,
  origin: string,
): Endpoint => {
  const { model, context } = resource;
  const handle = async (call: Call): Promise<Answer> => {
    const page = parseVersionPage(call.query);
    const id = recordOf(call, model.key);
    const there = await resource.records.writeState(call.grant, id);
    // A deleted record has no owner any more, but for those who reach every record.
    if (there === undefined && area.name === 'api') throw new Problem('record_not_found');
    const offset = (page.page - 1) * page.perPage;
    const { versions, total } = await resource.versions.page(call.grant, id, page.perPage, offset);
    if (there === undefined && total === 0) throw new Problem('record_not_found');
    const { readable } = call.grant;
    const named = versions.map((each) => ({
      ...each,
      ...namedBy(model, context.models, [
        [each.before, shownFields(readable, each.hidden.before)],
        [each.after, shownFields(readable, each.hidden.after)],
      ]),
    }));
    const shown = await actorsFor(resource, call, area, named);
    return {
      data: new JsonText(exactText(named.map((each) => shownVersion(each, readable, shown)))),
      headers: { ...versionHeaders(page, origin + call.path, total) },
    };
  };
  return {
    ...common,
    ...actorGrants(resource),
    operation: area.operation('history', model.name),
    method: 'GET',
    path: `${area.path(model)}/:id/history`,
    accepts: 'nothing',
    docs: {
      summary: {
        'zh-CN': spaced`${labelText(model.label, 'zh-CN')}的历史版本`,
        en: `Versions of ${inSentence(labelText(model.pluralLabel, 'en'))}`,
      },
      description: {
        'zh-CN':
          '由新到旧。`before` 与 `after` 各按其自身的值判定：调用者不可读的一侧为 null，两侧均不可读的版本、以及没有可读字段变化的修改不列出。只含调用者现在可读的字段；已删除的记录仅在管理后台可见。',
        en: 'Newest first, with the fields that the caller may read now. `before` and `after` are each checked against the read rule with their own values. A side that the caller cannot read is null. A version without a readable side is left out, and so is an update of fields that the caller cannot read. The history of a deleted record is available only in the administration area.',
      },
      tag: area.tag(model, context.locale),
      part: 'history',
      data: { type: 'array', items: versionSchema(outputSchema(model, fields, context.locale, optional)) },
      query: [
        count('page', { 'zh-CN': '页码，从 1 起', en: 'Page number, from 1' }),
        count('per_page', { 'zh-CN': '每页版本数，默认 20', en: 'Versions per page, default 20' }),
      ],
      headers: {
        'X-Total-Count': { 'zh-CN': '版本总数', en: 'All versions' },
        Link: { 'zh-CN': '其他页的链接（RFC 8288）', en: 'Links to other pages (RFC 8288)' },
      },
      problems: ['record_not_found', 'invalid_parameter'],
    },
    handle,
  };
};
