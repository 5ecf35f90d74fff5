/** Removes the former values of a record from everything that is kept beside it, in the administration area. */

import { columnsOfRows, rowsOf, sql, statement } from '../../database/statement.ts';
import type { RecordId } from '../../fields/key.ts';
import { actorOf, checkedModels, recordOf } from '../../http/call.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { objectSchema, valueSchemas } from '../../http/schemas.ts';
import { labelText } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { inSentence, spaced } from '../../kernel/spacing.ts';
import type { Area } from '../area.ts';
import { requireGrant } from '../operations/area.ts';
import type { ServedResource } from '../operations/served-resource.ts';
import { actingFor } from '../operations/transaction.ts';

const { integer } = valueSchemas;

const forgottenSchema = objectSchema('Forgotten', {
  versions: { ...integer, description: 'Versions without values from now on' },
  events: { ...integer, description: 'Events without values from now on' },
  deliveries: { ...integer, description: 'Deliveries of webhooks without bodies from now on' },
  trash: { ...integer, description: 'Records removed from the trash' },
});

/** A caller who may delete the record may forget it; the record may be deleted already. */
export const forgetEndpoint = (resource: ServedResource, area: Area): Endpoint => {
  const { model, context, records } = resource;
  const id = columnsOfRows(model.stored)('id');
  const stored = statement<{ id: RecordId }>(
    context.database.dialect,
    (value) => sql`select ${id} as id from ${rowsOf(model.stored)} where ${id} = ${value('id')}`,
  );
  return {
    operation: area.operation('forget', model.name),
    method: 'POST',
    path: `${area.path(model)}/:id/forget`,
    auth: area.auth(model, 'destroy'),
    policy: area.entrance,
    grantsOn: checkedModels(context.models.values()),
    accepts: 'nothing',
    docs: {
      summary: {
        'zh-CN': spaced`清除${labelText(model.label, 'zh-CN')}的历史值`,
        en: `Forget former values of ${inSentence(labelText(model.label, 'en'))}`,
      },
      description: {
        'zh-CN':
          '从历史、事件、投递与回收站中移除该记录的值，一分钟内也从数据库文件中移除；作者、时间与审计记录保留。记录本身不变。无法撤销。',
        en: 'Removes the values of the record from its history, events, deliveries and the trash, and within a minute from the files of the database. Authors, times and the line in the audit log stay. The record itself does not change. This cannot be undone.',
      },
      tag: area.tag(model, context.locale),
      data: forgottenSchema,
      problems: ['forbidden', 'record_not_found'],
    },
    handle: async (call) => {
      const id = recordOf(call, model.key);
      const grant = requireGrant(model, context, actingFor(call, area), 'destroy');
      const there = await records.writeState(grant, id);
      // Out of the caller's reach.
      if (there === undefined && (await context.database.get(stored({ id }))) !== undefined)
        throw new Problem('record_not_found');
      const forgotten = await context.forget({ model: model.name, id }, actorOf(call));
      const { versions, events, deliveries, trash } = forgotten;
      if (there === undefined && versions + events + deliveries + trash === 0)
        throw new Problem('record_not_found');
      return { data: forgotten };
    },
  };
};
