/**
 * Forecasts the effects of a deletion on the records that refer to the deleted ones: the same walk as in
 * `cascade.ts`, without locks and hooks. It holds for the moment at which it is made.
 */

import type { Database, Reader } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import type { OnDelete } from '../../fields/field.ts';
import type { RecordId } from '../../fields/key.ts';
import type { ProblemName } from '../../kernel/problem-table.ts';
import { type Referrer, referrersOf } from '../../model/deletion.ts';
import type { Models } from '../../model/models.ts';
import { createReferring, type Referring } from '../../records/relations.ts';
import { cascadeLimits } from './cascade-links.ts';
import { recordKey } from './transaction.ts';

/** Most records of each kind that are counted; of further ones only their existence is reported. */
export const countedReferences = 1_000;

/** Most referenced ids that are listed for records of one kind. */
const namedTargets = 100;

/** Records of one model that refer by one field to deleted records, and the effect on them. */
export interface ReferringRecords {
  readonly referrer: Referrer;
  readonly onDelete: OnDelete;
  /** At most `countedReferences`. */
  readonly count: number;
  /** True if there are more. */
  readonly more: boolean;
  /** True if they go into the trash; for references that become null: if a restore sets them again. */
  readonly trash: boolean;
  /** Ids that they refer to; empty if there are too many to list. */
  readonly to: readonly RecordId[];
}

/** A record that would not be deleted, and the problem. */
export interface ForeseenRefusal {
  readonly id: RecordId;
  readonly problem: ProblemName;
}

export interface Forecast {
  readonly refused: readonly ForeseenRefusal[];
  readonly references: readonly ReferringRecords[];
}

/** A record that would be deleted. */
interface Going {
  readonly model: string;
  readonly id: RecordId;
  /** True if it goes into the trash. */
  readonly trash: boolean;
}

interface Referral {
  readonly referrer: Referrer;
  readonly find: Referring;
}

type ReferralKinds = Readonly<Record<OnDelete, readonly Referral[]>>;

interface Kind extends Omit<ReferringRecords, 'count' | 'more' | 'to'> {
  readonly ids: Set<RecordId>;
  readonly targets: Set<RecordId>;
}

/** Collects affected records by model, field and effect. */
class Kinds {
  readonly #kinds = new Map<string, Kind>();

  add({ model, field }: Referrer, onDelete: OnDelete, trash: boolean, id: RecordId, to: RecordId): void {
    const key = `${model.name} ${field.name} ${onDelete} ${trash}`;
    const found = this.#kinds.get(key);
    const kind = found ?? { referrer: { model, field }, onDelete, trash, ids: new Set(), targets: new Set() };
    if (found === undefined) this.#kinds.set(key, kind);
    if (kind.ids.size <= countedReferences) kind.ids.add(id);
    if (kind.targets.size <= namedTargets) kind.targets.add(to);
  }

  get all(): ReferringRecords[] {
    return [...this.#kinds.values()].map(({ ids, targets, ...kind }) => ({
      ...kind,
      count: Math.min(ids.size, countedReferences),
      more: ids.size > countedReferences,
      to: targets.size > namedTargets ? [] : [...targets].sort(kind.referrer.field.referenceKey?.compare),
    }));
  }
}

/** Forecasts the deletion of records of one model, each by itself; within a transaction by its reader. */
export type Foresee = (ids: readonly RecordId[], reader?: Reader) => Promise<Forecast>;

/** The models that refer to each model, by the effect of a deletion; prepared when a forecast first needs them. */
class Referrals {
  readonly #dialect: Dialect;
  readonly #models: Models;
  readonly #byModel = new Map<string, ReferralKinds>();

  constructor(dialect: Dialect, models: Models) {
    this.#dialect = dialect;
    this.#models = models;
  }

  of(model: string): ReferralKinds {
    const made = this.#byModel.get(model);
    if (made !== undefined) return made;
    const by = (onDelete: OnDelete): readonly Referral[] =>
      referrersOf(this.#models, model, onDelete).map((referrer) => ({
        referrer,
        find: createReferring(this.#dialect, referrer.model, referrer.field),
      }));
    const links = { cascade: by('cascade'), null: by('null'), restrict: by('restrict') };
    this.#byModel.set(model, links);
    return links;
  }
}

/** Records of one model, each with whether it goes into the trash. */
const trashedById = (going: readonly Going[]): ReadonlyMap<RecordId, boolean> =>
  new Map(going.map(({ id, trash }) => [id, trash]));

/** The forecast of one request. */
class ForecastRun {
  readonly #reader: Reader;
  readonly #referrals: Referrals;
  readonly #kinds = new Kinds();
  /** Keys of the records that the request names. */
  readonly #chosen: ReadonlySet<string>;

  constructor(reader: Reader, referrals: Referrals, chosen: ReadonlySet<string>) {
    this.#reader = reader;
    this.#referrals = referrals;
    this.#chosen = chosen;
  }

  get references(): readonly ReferringRecords[] {
    return this.#kinds.all;
  }

  /** Adds the effects of the deletion of a record. Returns the problem that prevents it. */
  async add(first: Going): Promise<ProblemName | undefined> {
    const all = await this.#following(first);
    if (all === undefined) return 'cascade_too_large';
    return (await this.#addRemaining(all)) ? 'still_referenced' : undefined;
  }

  /** All records deleted with a record, the record itself first; undefined beyond the limits of a cascade. */
  async #following(first: Going): Promise<readonly Going[] | undefined> {
    const seen = new Set([recordKey(first.model, first.id)]);
    const all = [first];
    for (let level = 1, frontier: readonly Going[] = all; frontier.length > 0; level += 1) {
      const next: Going[] = [];
      for (const [model, going] of Map.groupBy(frontier, (each) => each.model))
        next.push(...(await this.#deletedAlong(model, going, seen)));
      if (next.length > 0 && level > cascadeLimits.levels) return undefined;
      all.push(...next);
      if (all.length - 1 > cascadeLimits.records) return undefined;
      frontier = next;
    }
    return all;
  }

  /** The records that go with records of a model, without those in `seen`, to which they are added. */
  async #deletedAlong(model: string, going: readonly Going[], seen: Set<string>): Promise<readonly Going[]> {
    const along: Going[] = [];
    const trashed = trashedById(going);
    for (const { referrer, find } of this.#referrals.of(model).cascade)
      for (const { id, to } of await find(this.#reader, [...trashed.keys()], countedReferences + 1)) {
        const key = recordKey(referrer.model.name, id);
        if (seen.has(key)) continue;
        seen.add(key);
        const trash = trashed.get(to) === true || referrer.model.trash;
        this.#kinds.add(referrer, 'cascade', trash, id, to);
        along.push({ model: referrer.model.name, id, trash });
      }
    return along;
  }

  /** Adds the remaining records that refer to these. Returns whether any of them prevents the deletion. */
  async #addRemaining(all: readonly Going[]): Promise<boolean> {
    const gone = new Set(all.map(({ model, id }) => recordKey(model, id)));
    // The limit has room for records that are deleted themselves.
    const limit = countedReferences + 1 + all.length + this.#chosen.size;
    let isRestricted = false;
    for (const [model, going] of Map.groupBy(all, (each) => each.model)) {
      const trashed = trashedById(going);
      for (const onDelete of ['null', 'restrict'] as const)
        for (const { referrer, find } of this.#referrals.of(model)[onDelete])
          for (const { id, to } of await find(this.#reader, [...trashed.keys()], limit)) {
            const key = recordKey(referrer.model.name, id);
            if (gone.has(key) || this.#chosen.has(key)) continue;
            const isNulled = onDelete === 'null';
            isRestricted ||= !isNulled;
            this.#kinds.add(referrer, onDelete, isNulled && trashed.get(to) === true, id, to);
          }
    }
    return isRestricted;
  }
}

/** Prepares the forecast for a model, `User` included. */
export const createForecast = (database: Database, models: Models, name: string): Foresee => {
  const referrals = new Referrals(database.dialect, models);
  return async (ids, reader = database) => {
    const run = new ForecastRun(reader, referrals, new Set(ids.map((id) => recordKey(name, id))));
    const refused: ForeseenRefusal[] = [];
    const trash = models.get(name)?.trash === true;
    for (const id of new Set(ids)) {
      const problem = await run.add({ model: name, id, trash });
      if (problem !== undefined) refused.push({ id, problem });
    }
    return { refused, references: run.references };
  };
};
