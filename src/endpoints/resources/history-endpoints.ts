import type { JsonSchema } from '../../fields/field.ts';
import type { Answer, Call, Endpoint } from '../../http/endpoint.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { type Label, labelText } from '../../kernel/messages/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { outputSchema } from '../../model/schema.ts';
import type { ServedResource } from '../../operations/served-resource.ts';
import type { History, KeptVersion } from '../../store/history/history.ts';
import { parseVersionPage, versionHeaders } from '../../store/history/page.ts';
import { idOf } from '../shared.ts';
import type { Area } from './area.ts';

/** The versions of a record. There where a model keeps them. */

/** What an endpoint has in common with that of the action whose policy it has. */
type Common = Pick<Endpoint, 'auth' | 'policy'>;

const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });
const textOrNull: JsonSchema = { type: ['string', 'null'] };

/** Who did something to a record, as it is answered. */
export const actorSchema: JsonSchema = {
  type: 'object',
  title: 'VersionActor',
  properties: {
    kind: { type: 'string', enum: ['user', 'application', 'nobody', 'system'] },
    id: { ...textOrNull, description: 'id of the user, app_id of the application' },
    name: textOrNull,
    key: { type: ['integer', 'null'], description: 'id of the API key that was used' },
    reason: { ...textOrNull, description: 'why the service did it on its own account' },
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

const count = (name: string, description: Label): NonNullable<Endpoint['docs']['query']>[number] => ({
  name,
  description,
  schema: { type: 'integer', minimum: 1 },
});

/** Fields that the caller reads now; one that was not there yet has no value. */
export const seen = (record: JsonObject | null, readable: readonly string[]): JsonObject | null =>
  record && Object.fromEntries(readable.map((name): [string, Json] => [name, record[name] ?? null]));

const shownVersion = (
  { version, action, at, actor: by, before, after }: KeptVersion,
  readable: readonly string[],
): JsonObject => ({
  version,
  action,
  at,
  actor: { ...by },
  before: seen(before, readable),
  after: seen(after, readable),
});

/** Lists the versions of a record, newest first. */
export const historyEndpoint = (
  resource: ServedResource,
  history: History,
  area: Area,
  common: Common,
  fields: readonly string[],
  origin: string,
): Endpoint => {
  const { model, context } = resource;
  const handle = async (call: Call): Promise<Answer> => {
    const page = parseVersionPage(call.query);
    const id = idOf(call);
    const there = await resource.records.standing(call.grant, id);
    // What was deleted is nobody's any more, but for those who reach every record.
    if (there === undefined && area.name === 'api') throw new Problem('record_not_found');
    const { versions, total } = await history.page(id, page.perPage, (page.page - 1) * page.perPage);
    if (there === undefined && total === 0) throw new Problem('record_not_found');
    return {
      data: versions.map((each) => shownVersion(each, call.grant.readable)),
      headers: { ...versionHeaders(page, origin + call.path, total) },
    };
  };
  return {
    ...common,
    operation: area.operation('history', model.name),
    method: 'GET',
    path: `${area.path(model)}/:id/history`,
    accepts: 'nothing',
    docs: {
      summary: {
        'zh-CN': `${labelText(model.label, 'zh-CN')}的历史版本`,
        en: `Versions of ${labelText(model.label, 'en')}`,
      },
      description: {
        'zh-CN': '由新到旧。只含调用者现在可读的字段；已删除的记录仅在管理后台可见。',
        en: 'Newest first, with the fields that the caller may read now. Of a deleted record only in the administration area.',
      },
      tag: area.tag(model, context.locale),
      part: 'history',
      data: { type: 'array', items: versionSchema(outputSchema(model, fields, context.locale)) },
      query: [
        count('page', { 'zh-CN': '页码，从 1 起', en: 'Page number from 1 on' }),
        count('per_page', { 'zh-CN': '每页版本数，默认 20', en: 'Versions a page, 20 unless given' }),
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
