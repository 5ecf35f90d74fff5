/** Reduces records that code holds whole to what their endpoint shows the caller: fields and related records. */

import { isRecordId, type RecordId } from '../../fields/key.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { Models } from '../../model/models.ts';
import type { ModelRelation, ResourceModel } from '../../model/resource.ts';
import { publicUserEntity } from '../../records/user-entity.ts';

/** The model between two others, with the references that join their records. */
type Between = NonNullable<ModelRelation['through']>;

/** The ids that are joined to each id; undefined where the caller sees every reference between them. */
type Joined = ReadonlyMap<RecordId, ReadonlySet<RecordId>> | undefined;

/** A caller's sight of records, as these are stored now. */
export interface Sight {
  /** Returns the fields that records of a model hide, by id. */
  readonly hides: (
    model: ResourceModel,
    ids: readonly RecordId[],
  ) => Promise<ReadonlyMap<RecordId, ReadonlySet<string>>>;
  /** Returns those of `others` to which each id is joined by a record between that shows both references. */
  readonly joins: (
    between: Between,
    ids: readonly RecordId[],
    others: readonly RecordId[],
  ) => Promise<Joined>;
}

/** The sight of the records of one answer. */
interface Seen {
  /** The fields that each record hides, where a field depends on the record. */
  readonly hidden: ReadonlyMap<ResourceModel, ReadonlyMap<RecordId, ReadonlySet<string>>>;
  /** The records that a relation joins, where a reference of the records between depends on the record. */
  readonly joined: ReadonlyMap<ModelRelation, Joined>;
}

/** The records at both ends of a relation. */
interface JoinedEnds {
  readonly between: Between;
  readonly ids: Set<RecordId>;
  readonly others: Set<RecordId>;
}

const idOf = ({ id }: JsonObject): RecordId => (isRecordId(id) ? id : 0);

const recordsIn = (value: Json | undefined): readonly JsonObject[] =>
  (Array.isArray(value) ? value : [value ?? null]).filter(isJsonObject);

/**
 * Reduces a model's record to what its endpoint shows the caller: the detail view, as code may hold more of a record
 * than the endpoint promised to show, without the fields that this record, as it is stored now, hides from the caller.
 * Related records that it holds stay, each in the detail view of its own model, except for those behind a hidden
 * reference.
 */
export class ShownRecords {
  readonly #models: Models;

  constructor(models: Models) {
    this.#models = models;
  }

  /** Returns a record of `output`, or null, as the caller sees it. @throws Error for any other value */
  async show(output: ResourceModel, result: Json, sight: Sight): Promise<Json> {
    if (result === null) return null;
    // Anything else would reach the caller as it is.
    if (!isJsonObject(result))
      throw new Error(`the endpoint must return a record of ${output.name}, or null`);
    const model = this.#models.get(output.name) ?? output;
    return this.#shown(await this.#seenIn(result, model, sight), result, model);
  }

  /** Calls `found` with a record of a model, and with each one that it holds. */
  #visit(
    value: Json | undefined,
    model: ResourceModel | undefined,
    found: (model: ResourceModel, record: JsonObject) => void,
  ): void {
    if (model === undefined) return;
    for (const record of recordsIn(value)) {
      found(model, record);
      for (const { name, model: target } of model.relations.values())
        this.#visit(record[name], this.#models.get(target), found);
    }
  }

  /** The model between, where one of its two references depends on the record. */
  #conditionalBetween({ through }: ModelRelation): Between | undefined {
    const sets = through === undefined ? [] : (this.#models.get(through.model)?.rules.viewedWhen ?? []);
    const named = new Set(sets.flatMap(({ fields }) => fields));
    return through !== undefined && (named.has(through.from) || named.has(through.to)) ? through : undefined;
  }

  async #seenIn(result: Json, output: ResourceModel, { hides, joins }: Sight): Promise<Seen> {
    const ids = new Map<ResourceModel, Set<RecordId>>();
    const ends = new Map<ModelRelation, JoinedEnds>();
    this.#visit(result, output, (model, record) => {
      const id = idOf(record);
      if (model.rules.viewedWhen.length > 0) ids.set(model, (ids.get(model) ?? new Set()).add(id));
      for (const relation of model.relations.values()) {
        const between = this.#conditionalBetween(relation);
        if (between === undefined) continue;
        const at = ends.get(relation) ?? { between, ids: new Set(), others: new Set() };
        ends.set(relation, at);
        at.ids.add(id);
        for (const other of recordsIn(record[relation.name])) at.others.add(idOf(other));
      }
    });
    const hidden = new Map<ResourceModel, ReadonlyMap<RecordId, ReadonlySet<string>>>();
    for (const [of, each] of ids) hidden.set(of, await hides(of, [...each]));
    const joined = new Map<ModelRelation, Joined>();
    for (const [relation, at] of ends)
      joined.set(relation, await joins(at.between, [...at.ids], [...at.others]));
    return { hidden, joined };
  }

  // No model is a user of the service.
  #shown(
    seen: Seen,
    record: JsonObject,
    model: ResourceModel | undefined,
    ofUser: readonly string[] = publicUserEntity.view,
  ): JsonObject {
    const names = model?.views.detail ?? ofUser;
    const without = model && seen.hidden.get(model)?.get(idOf(record));
    const fields = names.filter((name) => Object.hasOwn(record, name) && without?.has(name) !== true);
    const relations = [...(model?.relations.values() ?? [])].filter(
      ({ name, from }) => Object.hasOwn(record, name) && without?.has(from) !== true,
    );
    return Object.fromEntries([
      ...fields.map((name): [string, Json] => [name, record[name] ?? null]),
      ...relations.map((relation): [string, Json] => [relation.name, this.#related(seen, record, relation)]),
    ]);
  }

  /** An object or null, or a list of objects. */
  #related(seen: Seen, record: JsonObject, relation: ModelRelation): Json {
    const target = this.#models.get(relation.model);
    const value = record[relation.name] ?? null;
    const found = Array.isArray(value) === relation.many ? recordsIn(value) : [];
    const all = found
      .filter((other) => this.#leads(seen, relation, record, other))
      .map((other) => this.#shown(seen, other, target, relation.shows));
    return relation.many ? all : (all[0] ?? null);
  }

  /** True if the caller sees that a relation leads from a record to another one. */
  #leads({ hidden, joined }: Seen, relation: ModelRelation, record: JsonObject, other: JsonObject): boolean {
    const target = this.#models.get(relation.model);
    if (target && hidden.get(target)?.get(idOf(other))?.has(relation.to) === true) return false;
    const all = joined.get(relation);
    return all === undefined || all.get(idOf(record))?.has(idOf(other)) === true;
  }
}
