/** The endpoint that restores a deleted record with the records that were deleted along with it. */

import type { JsonSchema } from '../../fields/field.ts';
import type { RecordId } from '../../fields/key.ts';
import { checkedModels, recordOf } from '../../http/call.ts';
import { scopeProblems } from '../../http/describe.ts';
import type { Answer, Call, Endpoint } from '../../http/endpoint.ts';
import { acceptedVersions, tagOf } from '../../http/preconditions.ts';
import { JsonText, own } from '../../kernel/json.ts';
import { type Label, labelText } from '../../kernel/messages.ts';
import { Problem, type ProblemKind } from '../../kernel/problem.ts';
import { inSentence, spaced } from '../../kernel/spacing.ts';
import type { ResourceModel } from '../../model/resource.ts';
import { outputSchema } from '../../model/schema.ts';
import { nothingIncluded } from '../../records/relations.ts';
import type { AnsweredFields, Area } from '../area.ts';
import { requireGrant } from '../operations/area.ts';
import { isVersion } from '../operations/record-id.ts';
import { restore } from '../operations/restore-record.ts';
import { update } from '../operations/save.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import { actingFor } from '../operations/transaction.ts';
import { checkTarget, type RecordWrite } from '../operations/writing.ts';

const noVersion = ({ collision }: ServedResource): Problem =>
  new Problem('invalid_record', { errors: [collision({ field: 'version', rule: 'reference' })] });

/** Gives a record the values that it had at a version: an update like any other. */
const returnTo = async (
  write: RecordWrite,
  id: RecordId,
  asked: unknown,
  versions: readonly number[] | undefined,
) => {
  const { resource } = write;
  await checkTarget(write, id, versions);
  const kept = isVersion(asked) ? await resource.history?.at(id, asked) : undefined;
  if (kept === undefined || kept.after === null) throw noVersion(resource);
  if (resource.files.length === 0) return update(write, id, kept.after, versions);
  const values = (await resource.context.files?.restored(resource, id, kept.after)) ?? kept.after;
  return update({ ...write, renames: true }, id, values, versions);
};

const toVersion: Label = {
  'zh-CN': '`{"version": n}`：写入该版本时的值，与其他修改一样经过权限、校验与钩子，并成为新的版本。',
  en: '`{"version": n}` writes the values of that version. Permissions, validation and hooks apply as for any update, and it creates a new version.',
};

const fromTrash: Label = {
  'zh-CN':
    '不带请求体或 `{}`：将已删除的记录及随其删除的一切从回收站中恢复，编号不变；需要创建权限，受唯一性、引用与钩子约束。',
  en: 'Without a body, or with `{}`, it restores a deleted record from the trash with its ID, and all records deleted with it. It requires the permission to create; unique values, references and hooks apply.',
};

const both = (a: Label, b: Label): Label => ({
  'zh-CN': `${labelText(a, 'zh-CN')}\n\n${labelText(b, 'zh-CN')}`,
  en: `${labelText(a, 'en')}\n\n${labelText(b, 'en')}`,
});

/** The places from which an endpoint restores. The API has it for the trash only: a version is an update there. */
interface RestoresFrom {
  readonly history: boolean;
  readonly trash: boolean;
}

const placesOf = ({ history, trash }: ResourceModel, area: Area): RestoresFrom => ({
  history: history && area.name === 'admin',
  trash,
});

const wordsOf = (model: RestoresFrom): Label => {
  if (!model.trash) return toVersion;
  return model.history ? both(toVersion, fromTrash) : fromTrash;
};

const summaryOf = ({ label }: ResourceModel, from: RestoresFrom): Label => {
  const zh = labelText(label, 'zh-CN');
  const en = inSentence(labelText(label, 'en'));
  if (!from.history) return { 'zh-CN': spaced`从回收站恢复${zh}`, en: `Restore ${en} from the trash` };
  if (!from.trash) return { 'zh-CN': spaced`将${zh}恢复到某个版本`, en: `Restore ${en} to a version` };
  return {
    'zh-CN': spaced`将${zh}恢复到某个版本或从回收站恢复`,
    en: `Restore ${en} to a version, or from the trash`,
  };
};

const inputOf = (from: RestoresFrom): JsonSchema => {
  const properties = from.history ? { version: { type: 'integer', minimum: 1 } } : {};
  const schema = { type: 'object', properties };
  return from.trash ? schema : { ...schema, required: ['version'] };
};

export const restoreEndpoint = (
  resource: ServedResource,
  area: Area,
  common: Pick<Endpoint, 'auth' | 'policy' | 'grantsOn' | 'reaches'>,
  { fields, optional }: AnsweredFields,
): Endpoint => {
  const { model, context } = resource;
  const from = placesOf(model, area);
  // A version takes the permission of an update, the trash that of a create.
  const isEither = from.history && from.trash;
  const hasHooks = model.hooks.beforeSave !== undefined || model.hooks.beforeCommit !== undefined;
  const problems: ProblemKind[] = ['forbidden', 'record_not_found', 'stale', 'conflict', 'invalid_record'];
  if (isEither && hasHooks) problems.push(...scopeProblems, ...model.problems);
  const handle = async (call: Call): Promise<Answer> => {
    const id = recordOf(call, model.key);
    const acting = actingFor(call, area);
    const versions = acceptedVersions(call);
    const asked = own(call.body, 'version');
    const isBack = from.trash && (asked === undefined || !from.history);
    const grant =
      area.name === 'api' ? call.grant : requireGrant(model, context, acting, isBack ? 'create' : 'update');
    const write: RecordWrite = { resource, grant, acting };
    const back = async () => {
      if (asked !== undefined) throw noVersion(resource);
      return restore(write, id, versions);
    };
    const saved = await (isBack ? back() : returnTo(write, id, asked, versions));
    const view = area.name === 'admin' ? 'admin' : 'saved';
    return {
      data: new JsonText(saved.json),
      headers: { ETag: tagOf(saved.json, saved.version, view, nothingIncluded, grant) },
    };
  };
  return {
    ...common,
    policy: isEither ? area.entrance : common.policy,
    grantsOn: isEither ? checkedModels(context.models.values()) : common.grantsOn,
    operation: area.operation('restore', model.name),
    source: model.name,
    method: 'POST',
    path: `${area.path(model)}/:id/restore`,
    accepts: 'json',
    bodyOptional: from.trash ? true : undefined,
    input: inputOf(from),
    docs: {
      summary: summaryOf(model, from),
      description: wordsOf(from),
      tag: area.tag(model, context.locale),
      part: 'restore',
      data: outputSchema(model, fields, context.locale, optional),
      etag: true,
      ifMatch: true,
      idempotent: false,
      problems,
    },
    handle,
  };
};
