import type { Database } from '../database/database.ts';
import { dialectOf } from '../database/registry.ts';
import type { OnDelete } from '../fields/field.ts';
import type { ProblemName } from '../kernel/problem-table.ts';
import { type Referrer, referrersOf } from '../model/deletion.ts';
import type { Models } from '../model/models.ts';
import { createReferring, type Referring } from '../records/relations/dependents.ts';
import { cascadeLimits } from './cascade-links.ts';
import { recordKey } from './transaction.ts';

/**
 * What a deletion would do to records that refer to those which go, told before it is asked for: the same walk as that of
 * `cascade.ts`, which locks and deletes, without its locks and hooks. It is of the moment at which it is asked for.
 */

/** Records that are counted of each kind; of further ones it is said that they are there. */
export const countedReferences = 1_000;

/** Ids that are named of what the records of one kind refer to. */
const namedTargets = 100;

/** Records of one model that refer by one field to what goes, and what becomes of them. */
export interface ReferringRecords {
  readonly referrer: Referrer;
  readonly onDelete: OnDelete;
  /** At most `countedReferences`. */
  readonly count: number;
  /** Whether there are further ones. */
  readonly more: boolean;
  /** Whether they go into the trash; of references that become null, whether they are set again when that comes back. */
  readonly trash: boolean;
  /** Ids that they refer to; none where these are too many to be named. */
  readonly to: readonly number[];
}

/** Why one of the records would not be deleted. */
export interface ForeseenRefusal {
  readonly id: number;
  readonly problem: ProblemName;
}

export interface Forecast {
  readonly refused: readonly ForeseenRefusal[];
  readonly references: readonly ReferringRecords[];
}

/** A record that goes. */
interface Going {
  readonly model: string;
  readonly id: number;
  /** Whether it goes into the trash. */
  readonly trash: boolean;
}

interface Referral {
  readonly referrer: Referrer;
  readonly find: Referring;
}

type ReferralKinds = Readonly<Record<OnDelete, readonly Referral[]>>;

interface Kind extends Omit<ReferringRecords, 'count' | 'more' | 'to'> {
  readonly ids: Set<number>;
  readonly targets: Set<number>;
}

/** All kinds that the deletion of some records comes to. */
class Kinds {
  readonly #kinds = new Map<string, Kind>();

  add({ model, field }: Referrer, onDelete: OnDelete, trash: boolean, id: number, to: number): void {
    const key = `${model.name} ${field.name} ${onDelete} ${trash}`;
    const known = this.#kinds.get(key);
    const kind = known ?? { referrer: { model, field }, onDelete, trash, ids: new Set(), targets: new Set() };
    if (known === undefined) this.#kinds.set(key, kind);
    if (kind.ids.size <= countedReferences) kind.ids.add(id);
    if (kind.targets.size <= namedTargets) kind.targets.add(to);
  }

  get all(): ReferringRecords[] {
    return [...this.#kinds.values()].map(({ ids, targets, ...kind }) => ({
      ...kind,
      count: Math.min(ids.size, countedReferences),
      more: ids.size > countedReferences,
      to: targets.size > namedTargets ? [] : [...targets].sort((a, b) => a - b),
    }));
  }
}

/** Tells what the deletion of records of one model would do, each deleted by itself. */
export type Foresee = (ids: readonly number[]) => Promise<Forecast>;

/** Prepares it for a model, `User` included. */
export const createForecast = (database: Database, models: Models, name: string): Foresee => {
  const dialect = dialectOf(database);
  const known = new Map<string, ReferralKinds>();
  const linksOf = (model: string): ReferralKinds => {
    const made = known.get(model);
    if (made !== undefined) return made;
    const by = (onDelete: OnDelete): readonly Referral[] =>
      referrersOf(models, model, onDelete).map((referrer) => ({
        referrer,
        find: createReferring(dialect, referrer.model, referrer.field),
      }));
    const links = { cascade: by('cascade'), null: by('null'), restrict: by('restrict') };
    known.set(model, links);
    return links;
  };

  /** All that goes with a record, the record itself first; undefined where it is more than a deletion takes along. */
  const following = async (first: Going, kinds: Kinds): Promise<readonly Going[] | undefined> => {
    const seen = new Set([recordKey(first.model, first.id)]);
    const all = [first];
    for (let level = 1, frontier: readonly Going[] = all; frontier.length > 0; level += 1) {
      const next: Going[] = [];
      for (const [model, going] of Map.groupBy(frontier, (each) => each.model)) {
        const trashed = new Map(going.map(({ id, trash }) => [id, trash]));
        for (const { referrer, find } of linksOf(model).cascade)
          for (const { id, to } of await find(database, [...trashed.keys()], countedReferences + 1)) {
            const key = recordKey(referrer.model.name, id);
            if (seen.has(key)) continue;
            seen.add(key);
            const trash = trashed.get(to) === true || referrer.model.trash;
            kinds.add(referrer, 'cascade', trash, id, to);
            next.push({ model: referrer.model.name, id, trash });
          }
      }
      if (next.length > 0 && level > cascadeLimits.levels) return undefined;
      all.push(...next);
      if (all.length - 1 > cascadeLimits.records) return undefined;
      frontier = next;
    }
    return all;
  };

  /** Whether anything keeps these: records that stay although what they refer to goes. */
  const losing = async (
    all: readonly Going[],
    chosen: ReadonlySet<string>,
    kinds: Kinds,
  ): Promise<boolean> => {
    const gone = new Set(all.map(({ model, id }) => recordKey(model, id)));
    let held = false;
    for (const [model, going] of Map.groupBy(all, (each) => each.model)) {
      const trashed = new Map(going.map(({ id, trash }) => [id, trash]));
      for (const onDelete of ['null', 'restrict'] as const)
        for (const { referrer, find } of linksOf(model)[onDelete]) {
          // Those that go themselves are found as well.
          const most = countedReferences + 1 + all.length + chosen.size;
          for (const { id, to } of await find(database, [...trashed.keys()], most)) {
            const key = recordKey(referrer.model.name, id);
            if (gone.has(key) || chosen.has(key)) continue;
            const isNulled = onDelete === 'null';
            held ||= !isNulled;
            kinds.add(referrer, onDelete, isNulled && trashed.get(to) === true, id, to);
          }
        }
    }
    return held;
  };

  return async (ids) => {
    const kinds = new Kinds();
    const refused: ForeseenRefusal[] = [];
    const chosen = new Set(ids.map((id) => recordKey(name, id)));
    const trash = models.get(name)?.trash === true;
    for (const id of new Set(ids)) {
      const all = await following({ model: name, id, trash }, kinds);
      if (all === undefined) refused.push({ id, problem: 'cascade_too_large' });
      else if (await losing(all, chosen, kinds)) refused.push({ id, problem: 'still_referenced' });
    }
    return { refused, references: kinds.all };
  };
};
