/** `POST …/import`: the lines of a CSV or JSON-lines body, all or none, by the rules of single writes. */

import type { JsonSchema } from '../../fields/field.ts';
import { checkedModels } from '../../http/call.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { ignoredErrors } from '../../http/preferences.ts';
import { valueSchemas } from '../../http/schemas.ts';
import type { Label } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { type ResourceModel, setByServer } from '../../model/resource.ts';
import { inputSchema } from '../../model/schema.ts';
import { fieldsOfBodies } from '../../policy/decide.ts';
import { invalidParameter, parseQueryString } from '../../records/list.ts';
import type { Area } from '../area.ts';
import { requireGrant } from '../operations/area.ts';
import { FailedLineError, importLines, RefusedLinesError } from '../operations/import.ts';
import {
  type ImportFormat,
  importTypes,
  maxImportLines,
  readImportBody,
  refuseLines,
} from '../operations/import-body.ts';
import { ImportFields } from '../operations/import-fields.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import { actingFor } from '../operations/transaction.ts';
import { titleOfMany } from './record-endpoints.ts';

const { integer } = valueSchemas;

const answered: JsonSchema = {
  type: 'object',
  title: 'ImportCounts',
  properties: { created: integer, updated: integer },
  required: ['created', 'updated'],
};

const description: Label = {
  'zh-CN': `导入 CSV（\`text/csv\`，首行为字段名）或 JSON lines（\`application/jsonl\`，每行一个对象），最多 ${maxImportLines} 行，在一个事务中：任一行被拒绝则全部不写入。各行遵循与单条写入相同的权限、校验与钩子；校验信息的字段形如 \`line.17.sku\`，最多 100 条。`,
  en: `Imports CSV (\`text/csv\`, the first line names the fields) or JSON lines (\`application/jsonl\`, an object on each line), up to ${maxImportLines} lines in one transaction: where one is refused, nothing is written. Each line is held to the permissions, validation and hooks of a single write; messages name fields such as \`line.17.sku\`, 100 at most.`,
};

const byText: Label = {
  'zh-CN': '`id` 或唯一字段：值已存在的行修改该记录，其余各行创建记录',
  en: '`id` or a unique field: a line with a known value updates that record, every other line creates one',
};

/** The fields by which a line can find a record. */
const finding = ({ fields }: ResourceModel): readonly string[] =>
  [...fields.values()]
    .filter(({ name, unique, serverSet }) => name === 'id' || (unique && !serverSet))
    .map(({ name }) => name);

/** @throws Problem `invalid_parameter` */
const readBy = ({ query }: Call, known: readonly string[]): string | undefined => {
  const [first, second] = parseQueryString(query);
  if (first === undefined) return undefined;
  if (first.name !== 'update_by' || !known.includes(first.value)) throw invalidParameter(first.name);
  if (second !== undefined) throw invalidParameter(second.name);
  return first.value;
};

const mediaForm =
  /^(text\/csv|application\/jsonl)[ \t]*(?:;[ \t]*(?:charset="?utf-8"?|header=present)[ \t]*)*$/i;

/** @throws Problem `unsupported_media_type` */
const formatOf = (call: Call): ImportFormat => {
  const type = mediaForm.exec(call.header('content-type') ?? '')?.[1]?.toLowerCase();
  const encoding = call.header('content-encoding') ?? 'identity';
  const found = (['csv', 'jsonl'] as const).find((format) => importTypes[format] === type);
  if (found === undefined || encoding !== 'identity')
    throw new Problem('unsupported_media_type', { params: { type: Object.values(importTypes).join(', ') } });
  return found;
};

interface ServedPlace {
  readonly resource: ServedResource;
  readonly area: Area;
}

/** The names that this caller may use; others count as unknown. @throws Problem `forbidden`, `invalid_parameter` */
const fieldsFor = (
  { resource: { model, context }, area }: ServedPlace,
  call: Call,
  by: string | undefined,
  ignored: Set<string>,
): ImportFields => {
  const acting = actingFor(call, area);
  const create = requireGrant(model, context, acting, 'create');
  const update = by === undefined ? undefined : requireGrant(model, context, acting, 'update');
  const writable = new Set([...create.writable, ...(update?.writable ?? [])]);
  const shown = new Set([...writable, ...create.readable, ...(update?.readable ?? []), ...setByServer]);
  // Otherwise a caller could look for values that they do not see, or not in every record.
  const isMasked = update?.mask?.sets.some((set) => set.fields.some((name) => name === by)) === true;
  if (by !== undefined && (!shown.has(by) || isMasked)) throw invalidParameter('update_by');
  return new ImportFields(
    model,
    writable,
    by,
    (name) => ignored.add(name),
    (name) => shown.has(name),
  );
};

const importCall = async (
  place: ServedPlace,
  known: readonly string[],
  call: Call,
): Promise<{ readonly created: number; readonly updated: number }> => {
  const { resource, area } = place;
  const { model, context } = resource;
  // Before anything else is looked at, and the body is read.
  requireGrant(model, context, actingFor(call, area), 'create');
  const by = readBy(call, known);
  fieldsFor(place, call, by, new Set());
  const format = formatOf(call);
  const isStrict = call.applyStrict();
  const bytes = await call.readBody();
  const ignored = new Set<string>();
  const catalogue = context.languages.first;
  const lines = await readImportBody(resource, fieldsFor(place, call, by, ignored), format, bytes, catalogue);
  if (isStrict && ignored.size > 0) {
    const errors = ignoredErrors(catalogue, [...ignored], (name) => model.fields.get(name)?.label);
    throw new Problem('invalid_record', { errors });
  }
  const acting = actingFor(call, area);
  return importLines({ resource, actingFor: () => acting, by }, lines, async () => {});
};

/** Imports lines into a resource. The policies of create and, with `update_by`, of update are asked. */
export const importFileEndpoint = (resource: ServedResource, area: Area, operation: string): Endpoint => {
  const { model, context } = resource;
  const { locale } = context;
  const auth = [...new Set((['create', 'update'] as const).flatMap((action) => area.auth(model, action)))];
  const known = finding(model);
  return {
    operation,
    method: 'POST',
    path: `${area.path(model)}/import`,
    auth,
    policy: area.entrance,
    grantsOn: checkedModels(context.models.values()),
    accepts: 'bytes',
    checksNames: true,
    input: inputSchema(model, 'create', fieldsOfBodies(model, area.name), locale),
    docs: {
      summary: titleOfMany('导入', 'Import', model),
      description,
      tag: area.tag(model, locale),
      data: answered,
      query: [{ name: 'update_by', description: byText, schema: { type: 'string', enum: known } }],
      bodyTypes: [importTypes.jsonl, importTypes.csv],
      problems: [
        'invalid_parameter',
        'unsupported_media_type',
        'batch_too_large',
        'forbidden',
        'conflict',
        'invalid_record',
        'transaction_timeout',
        ...model.problems,
      ],
    },
    handle: async (call) => {
      try {
        const { created, updated } = await importCall({ resource, area }, known, call);
        return { data: { created, updated } };
      } catch (error) {
        if (error instanceof RefusedLinesError) return refuseLines(error.refused);
        // The application's own code failed: the caller receives the same as of any other write.
        throw error instanceof FailedLineError ? error.cause : error;
      }
    },
  };
};
