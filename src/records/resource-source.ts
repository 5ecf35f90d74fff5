import type { Source, SourceRelation } from '../database/source.ts';
import { identifier as named } from '../database/statement.ts';
import type { Models } from '../model/models.ts';
import { referencedTable } from '../model/models.ts';
import type { ModelRelation, ResourceModel } from '../model/resource.ts';
import { userEntity } from './users.ts';

const made = new WeakMap<ResourceModel, Source>();

/** Where the rows of a model are, the service's own users included. */
export const sourceOf = (name: string, models: Models): Source => {
  const model = models.get(name);
  return model === undefined ? userEntity : resourceSource(model, models);
};

const relationOf = (
  { write: _write, through, ...relation }: ModelRelation,
  models: Models,
): SourceRelation => ({
  ...relation,
  target: () => sourceOf(relation.model, models),
  ...(through === undefined
    ? {}
    : { through: { ...through, table: referencedTable(models, through.model) } }),
});

/** A resource's table as something that can be listed and shown; made once for a model. */
export const resourceSource = (model: ResourceModel, models: Models): Source => {
  const known = made.get(model);
  if (known !== undefined) return known;
  const source: Source = {
    name: model.name,
    from: () => named(model.table),
    table: model.table,
    columns: new Map(
      [...model.fields.values()].map(({ name, type, options }) => [name, { name, type, options }]),
    ),
    key: 'id',
    indexed: new Set(['id', ...model.indexes.flatMap(({ columns }) => columns.slice(0, 1))]),
    relations: new Map(
      [...model.relations.values()].map((relation) => [relation.name, relationOf(relation, models)]),
    ),
  };
  made.set(model, source);
  return source;
};
