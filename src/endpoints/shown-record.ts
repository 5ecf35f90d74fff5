import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import type { Models } from '../model/models.ts';
import type { ModelRelation, ResourceModel } from '../model/resource.ts';
import { publicUserEntity } from '../records/users.ts';

/** Related records as an answer has them: an object or null, or a list of objects. */
const related = (value: Json, { many }: ModelRelation, shown: (record: JsonObject) => JsonObject): Json => {
  if (many) return Array.isArray(value) ? value.filter(isJsonObject).map(shown) : [];
  return isJsonObject(value) ? shown(value) : null;
};

/**
 * Reduces a model's record to what its endpoint shows: the detail view, as code may hold more of a record than the
 * endpoint promised to show. Related records that it holds stay, each in the detail view of its own model.
 */
export const shownBy = (models: Models): ((output: ResourceModel, result: Json) => Json) => {
  // No model is a user of the service.
  const shown = (
    record: JsonObject,
    model: ResourceModel | undefined,
    ofUser: readonly string[] = publicUserEntity.view,
  ): JsonObject => {
    const names = model?.views.detail ?? ofUser;
    const fields = names.filter((name) => Object.hasOwn(record, name));
    const relations = [...(model?.relations.values() ?? [])].filter(({ name }) =>
      Object.hasOwn(record, name),
    );
    return Object.fromEntries([
      ...fields.map((name): [string, Json] => [name, record[name] ?? null]),
      ...relations.map((relation): [string, Json] => {
        const target = models.get(relation.model);
        return [
          relation.name,
          related(record[relation.name] ?? null, relation, (each) => shown(each, target, relation.shows)),
        ];
      }),
    ]);
  };
  return (output, result) =>
    isJsonObject(result) ? shown(result, models.get(output.name) ?? output) : result;
};
