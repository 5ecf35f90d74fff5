/** Endpoints that preview a deletion: the records that refer to the deleted ones, and what happens to them. */

import type { RecordId } from '../../fields/key.ts';
import { checkedModels, recordOf } from '../../http/call.ts';
import type { Call, Endpoint } from '../../http/endpoint.ts';
import { labelText } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { inSentence, spaced } from '../../kernel/spacing.ts';
import type { Area } from '../area.ts';
import { relatedFor, requireGrant } from '../operations/area.ts';
import { createForecast } from '../operations/forecast.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import { actingFor } from '../operations/transaction.ts';
import { answerReferences, idsQuery, parseIds, referencesSchema, referencesWords } from '../references.ts';

/**
 * Endpoints that preview the deletion of a record, or of several. A caller who may delete may ask; there are always two
 * of them.
 */
export const referencesEndpoints = (resource: ServedResource, area: Area): Endpoint[] => {
  const { model, context } = resource;
  const { database, models, locale } = context;
  const foresee = createForecast(database, models, model.name);
  const common = {
    method: 'GET',
    auth: area.auth(model, 'destroy'),
    policy: area.entrance,
    grantsOn: checkedModels(models.values()),
    accepts: 'nothing',
  } as const;
  const docs = (problem: 'record_not_found' | 'invalid_parameter') => ({
    summary: {
      'zh-CN': spaced`${labelText(model.label, 'zh-CN')}的引用与删除后果`,
      en: `List records that refer to ${inSentence(labelText(model.pluralLabel, 'en'))}`,
    },
    description: referencesWords,
    tag: area.tag(model, locale),
    data: referencesSchema,
    problems: ['forbidden', problem] as const,
  });
  const answer = async (call: Call, ids: readonly RecordId[]) => {
    const related = relatedFor(context, actingFor(call, area));
    return { data: answerReferences(await foresee(ids), related) };
  };
  const grantOf = (call: Call) => requireGrant(model, context, actingFor(call, area), 'destroy');
  return [
    {
      ...common,
      operation: area.operation('foresee', `Deletion${model.name}`),
      path: `${area.path(model)}/:id/references`,
      docs: docs('record_not_found'),
      handle: async (call) => {
        const id = recordOf(call, model.key);
        const there = await resource.records.writeState(grantOf(call), id);
        if (there === undefined) throw new Problem('record_not_found');
        return answer(call, [id]);
      },
    },
    {
      ...common,
      operation: area.operation('foresee', `Deletions${model.name}`),
      path: `${area.path(model)}/references`,
      docs: { ...docs('invalid_parameter'), query: [idsQuery] },
      handle: (call) => {
        grantOf(call);
        return answer(call, parseIds(call.query, model.key));
      },
    },
  ];
};
