/** The endpoint that imports lines into a resource, and previews an import. */

import type { JsonSchema } from '../../fields/field.ts';
import type { RecordKey } from '../../fields/key.ts';
import { isNumeric } from '../../fields/keys.ts';
import { actorOf, checkedModels } from '../../http/call.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { valueSchemas } from '../../http/schemas.ts';
import { parseExact } from '../../kernel/exact-json.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { type Catalogue, type Label, messageIn } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { problemText } from '../../kernel/problem-text.ts';
import { recordAudit } from '../../ledger/audit.ts';
import type { Area } from '../area.ts';
import {
  FailedLineError,
  type ImportedSlice,
  importSlice,
  type RefusedLine,
  type WrittenLine,
} from '../operations/import.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import { actingFor } from '../operations/transaction.ts';
import { maxLines, readImport } from './import-input.ts';
import { titleOfMany } from './record-endpoints.ts';

const { integer, text } = valueSchemas;

const input: JsonSchema = {
  type: 'object',
  properties: {
    preview: { type: 'boolean', description: 'true: says what would happen, and writes nothing' },
    by: {
      type: ['string', 'null'],
      description: '`id` or a unique field, by which a line finds what it updates',
    },
    texts: { type: 'boolean', description: 'true: values are cells of CSV, texts or null' },
    lines: {
      type: 'array',
      maxItems: maxLines,
      items: {
        type: 'object',
        properties: { line: integer, values: { type: 'object' } },
        required: ['line', 'values'],
      },
    },
  },
  required: ['lines'],
  additionalProperties: false,
};

const answeredLines = (key: RecordKey): JsonSchema => ({
  type: 'object',
  title: 'ImportedLines',
  properties: {
    created: integer,
    updated: integer,
    refused: integer,
    lines: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          line: integer,
          action: { type: 'string', enum: ['create', 'update', 'refuse'] },
          id: {
            type: [isNumeric(key) ? 'integer' : 'string', 'null'],
            description: 'null for what was not written',
          },
          changes: {
            type: 'object',
            description: 'of an update, by field: the value before and the one after',
          },
          errors: { type: 'array', items: { type: 'object', properties: { field: text, message: text } } },
        },
        required: ['line', 'action', 'id', 'changes', 'errors'],
      },
    },
  },
  required: ['created', 'updated', 'refused', 'lines'],
});

const description: Label = {
  'zh-CN': `每次最多 ${maxLines} 行，在一个事务中：合格的行写入，其余逐行说明原因。\`preview\` 为 true 时执行同样的步骤后回滚，不写入任何数据。`,
  en: `Up to ${maxLines} lines in one transaction: valid lines are written, and each of the others gets its reason. With \`preview\` the same steps are rolled back, and nothing is written.`,
};

/** Problems of every write. */
const own: ReadonlySet<string> = new Set(['updated_at']);

const changesOf = ({ before, after }: WrittenLine): JsonObject => {
  if (before === undefined) return {};
  const was = parseExact(before) as JsonObject;
  const is = parseExact(after) as JsonObject;
  return Object.fromEntries(
    Object.entries(is)
      .filter(([name, value]) => !own.has(name) && JSON.stringify(was[name]) !== JSON.stringify(value))
      .map(([name, value]) => [name, [was[name] ?? null, value]]),
  );
};

const messageOf = ({ error }: RefusedLine, catalogue: Catalogue): string =>
  error instanceof Problem ? problemText(catalogue, error) : messageIn(catalogue, error);

const answerOf = (
  { counts, written, refused }: ImportedSlice,
  preview: boolean,
  catalogue: Catalogue,
): JsonObject => {
  const byLine = Map.groupBy(refused, ({ line }) => line);
  const lines = [
    ...written.map((each) => ({
      line: each.line,
      action: each.action,
      // Records of a preview do not exist.
      id: preview && each.action === 'create' ? null : each.id,
      changes: changesOf(each),
      errors: [],
    })),
    ...[...byLine].map(([line, messages]) => ({
      line,
      action: 'refuse',
      id: null,
      changes: {},
      errors: messages.map((each) => ({ field: each.field, message: messageOf(each, catalogue) })),
    })),
  ];
  return { ...counts, refused: byLine.size, lines: lines.sort((one, other) => one.line - other.line) };
};

/** Lines of a file into a resource. The policies of create and, with `by`, of update are asked. */
export const importEndpoint = (resource: ServedResource, area: Area, operation: string): Endpoint => {
  const { model, context } = resource;
  const { database, locale, languages, clock } = context;
  const auth = [...new Set((['create', 'update'] as const).flatMap((action) => area.auth(model, action)))];
  return {
    operation,
    method: 'POST',
    path: `${area.path(model)}/import`,
    auth,
    policy: area.entrance,
    grantsOn: checkedModels(context.models.values()),
    accepts: 'json',
    input,
    docs: {
      summary: titleOfMany('导入', 'Import', model),
      description,
      tag: area.tag(model, locale),
      data: answeredLines(resource.model.key),
      problems: [
        'invalid_parameter',
        'batch_too_large',
        'forbidden',
        'transaction_timeout',
        ...model.problems,
      ],
    },
    handle: async (call) => {
      const { preview, by, lines } = readImport(resource, call.body);
      const acting = actingFor(call, area);
      try {
        const into = { resource, actingFor: () => acting, by };
        const slice = await importSlice(into, lines, preview, (transaction, { created, updated }) =>
          recordAudit(transaction, database.dialect, clock(), actorOf(call), {
            action: 'record.import',
            target: { kind: model.name, id: null, name: null },
            detail: by === undefined ? { created, updated } : { created, updated, by },
          }),
        );
        const catalogue = languages.catalogues.get(call.language) ?? languages.first;
        return { data: answerOf(slice, preview, catalogue) };
      } catch (error) {
        // The application's own code failed: the caller receives the same as of any other write.
        throw error instanceof FailedLineError ? error.cause : error;
      }
    },
  };
};
