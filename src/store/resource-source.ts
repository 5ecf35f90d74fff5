import type { ResourceModel } from '../model/resource.ts';
import type { Source } from './source.ts';
import { name as named } from './statement.ts';

/** Hidden integer column that every write raises; ETag and If-Match go by it. */
export const versionColumn = 'version';

/** A resource's table as something that can be listed and shown. */
export const resourceSource = (model: ResourceModel): Source => ({
  name: model.name,
  from: () => named(model.table),
  columns: new Map(
    [...model.fields.values()].map(({ name, type, options }) => [name, { name, type, options }]),
  ),
  key: 'id',
  indexed: new Set(['id', ...model.indexes.flatMap(({ columns }) => columns.slice(0, 1))]),
});
