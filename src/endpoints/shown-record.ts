import { isJsonObject, type Json, type JsonObject } from '../kernel/json.ts';
import type { Models } from '../model/models.ts';
import type { ModelRelation, ResourceModel } from '../model/resource.ts';
import { publicUserEntity } from '../records/users.ts';

/** Related records as an answer has them: an object or null, or a list of objects. */
const related = (value: Json, { many }: ModelRelation, shown: (record: JsonObject) => JsonObject): Json => {
  if (many) return Array.isArray(value) ? value.filter(isJsonObject).map(shown) : [];
  return isJsonObject(value) ? shown(value) : null;
};

/** Returns the fields that records of a model hide from a caller, by id. */
export type Hides = (
  model: ResourceModel,
  ids: readonly number[],
) => Promise<ReadonlyMap<number, ReadonlySet<string>>>;

/** The fields that each record hides, where a field depends on the record. */
type Hidden = ReadonlyMap<ResourceModel, ReadonlyMap<number, ReadonlySet<string>>>;

const idOf = (record: JsonObject): number => (typeof record['id'] === 'number' ? record['id'] : 0);

/**
 * Reduces a model's record to what its endpoint shows the caller: the detail view, as code may hold more of a record
 * than the endpoint promised to show, without the fields that this record, as it is stored now, hides from the caller.
 * Related records that it holds stay, each in the detail view of its own model.
 */
export const shownBy = (
  models: Models,
): ((output: ResourceModel, result: Json, hides: Hides) => Promise<Json>) => {
  /** Calls `found` with each record of a model whose fields depend on the record. */
  const visit = (
    value: Json,
    model: ResourceModel | undefined,
    found: (model: ResourceModel, record: JsonObject) => void,
  ): void => {
    if (model === undefined) return;
    for (const record of Array.isArray(value) ? value : [value]) {
      if (!isJsonObject(record)) continue;
      if (model.rules.viewedWhen.length > 0) found(model, record);
      for (const { name, model: target } of model.relations.values())
        visit(record[name] ?? null, models.get(target), found);
    }
  };
  const hiddenIn = async (result: Json, model: ResourceModel, hides: Hides): Promise<Hidden> => {
    const ids = new Map<ResourceModel, Set<number>>();
    visit(result, model, (of, record) => {
      const known = ids.get(of) ?? new Set();
      ids.set(of, known.add(idOf(record)));
    });
    const hidden = new Map<ResourceModel, ReadonlyMap<number, ReadonlySet<string>>>();
    for (const [of, each] of ids) hidden.set(of, await hides(of, [...each]));
    return hidden;
  };
  // No model is a user of the service.
  const shown = (
    hidden: Hidden,
    record: JsonObject,
    model: ResourceModel | undefined,
    ofUser: readonly string[] = publicUserEntity.view,
  ): JsonObject => {
    const names = model?.views.detail ?? ofUser;
    const without = model && hidden.get(model)?.get(idOf(record));
    const fields = names.filter((name) => Object.hasOwn(record, name) && without?.has(name) !== true);
    const relations = [...(model?.relations.values() ?? [])].filter(
      ({ name, many, from }) => Object.hasOwn(record, name) && (many || without?.has(from) !== true),
    );
    return Object.fromEntries([
      ...fields.map((name): [string, Json] => [name, record[name] ?? null]),
      ...relations.map((relation): [string, Json] => {
        const target = models.get(relation.model);
        const value = record[relation.name] ?? null;
        return [
          relation.name,
          related(value, relation, (each) => shown(hidden, each, target, relation.shows)),
        ];
      }),
    ]);
  };
  return async (output, result, hides) => {
    if (!isJsonObject(result)) return result;
    const model = models.get(output.name) ?? output;
    return shown(await hiddenIn(result, model, hides), result, model);
  };
};
