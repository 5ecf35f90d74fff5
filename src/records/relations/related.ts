import type { SqlValue } from '../../database/database.ts';
import type { Source, SourceRelation } from '../../database/source.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Grant } from '../../policy/grant.ts';
import { unusableField } from '../list/query-string.ts';
import { type RowReach, reachOf } from '../rows/reach.ts';

/** What a caller reads of the records of a model that others lead to. */
export interface Readership {
  /** The rows and fields of the model's own detail endpoint. */
  readonly grant: Grant;
  /** Fields that are answered where none are named. */
  readonly listed: readonly string[];
}

/** By the name of a model; undefined where the caller may read none of its records, or not by this authentication. */
export type Related = (model: string) => Readership | undefined;

/** Rows within a reach; their values stand in the statement's argument `related` from `start` on. */
export interface BoundReach {
  readonly terms: RowReach['terms'] | 'none';
  readonly key: string;
  readonly start: number;
}

/** One step from a row to others, held to what the caller reads of them. */
export interface RelationStep {
  readonly relation: SourceRelation;
  readonly reach: BoundReach;
  /** Of the rows between. */
  readonly link: BoundReach | undefined;
}

/** Whether a step looks at rows to which it does not lead: those that a rule leaves out, or those between. */
export const looksAtOthers = ({ relation, reach, link }: RelationStep): boolean =>
  relation.many && (link !== undefined || (reach.terms !== 'none' && reach.terms.length > 0));

/** Where a step leads. */
export interface Followed {
  readonly step: RelationStep;
  readonly target: Source;
  readonly readership: Readership;
}

/** Relations that lead to a field, or that one include is deep. */
export const maxSteps = 3;

/** All that a statement's SQL depends on of a step. */
export const stepKey = ({ relation, reach, link }: RelationStep): readonly unknown[] => [
  relation.name,
  reach.terms === 'none' ? null : reach.key,
  link === undefined || link.terms === 'none' ? null : link.key,
];

/** What a way through relations asked of a model's grant, and was answered. */
interface WayMark {
  readonly model: string;
  readonly readable: readonly string[] | undefined;
  readonly listed: readonly string[] | undefined;
  /** The key of its reach, where rows are held to it. */
  readonly reach: string | undefined;
}

/** Where relations were followed, by all that decides where the same names lead. */
export type Way = readonly WayMark[];

/**
 * The values of the argument `related` for whoever goes a way again; undefined where what they read may lead them
 * elsewhere.
 */
export const valuesAlong = (way: Way, related: Related): readonly SqlValue[] | undefined => {
  const values: SqlValue[] = [];
  for (const { model, readable, listed, reach } of way) {
    const readership = related(model);
    if (readership?.grant.readable !== readable || readership?.listed !== listed) return undefined;
    if (readership === undefined || reach === undefined) continue;
    const found = reachOf(readership.grant);
    if (found?.key !== reach) return undefined;
    values.push(...found.values);
  }
  return values;
};

/**
 * Follows the relations that one request names, and gathers the values by which the rows are held to the caller's
 * reach. In one request the same names are followed in the same order, so that a shape knows where its values stand.
 */
export class RelatedReader {
  /** Values of the argument `related`. */
  readonly values: SqlValue[] = [];
  readonly #related: Related;
  readonly #way: WayMark[] = [];
  /** Whether the marks say all: not where no row is reached, nor of an array, that somebody may change, of names. */
  #isMarked = true;

  constructor(related: Related = () => undefined) {
    this.#related = related;
  }

  /** Whether any relation was followed. */
  get used(): boolean {
    return this.#used;
  }
  #used = false;

  /** The way that was gone; undefined where it cannot be told when the same names would lead along it again. */
  get way(): Way | undefined {
    return this.#isMarked ? this.#way : undefined;
  }

  /** The fields of a record by which relations are followed: those of the answer, and of the record's own endpoint. */
  reads(source: Source, readable: readonly string[]): readonly string[] {
    const readership = this.#related(source.name);
    this.#mark(source.name, readership);
    const own = readership?.grant.readable;
    return own === undefined || own === readable ? readable : [...readable, ...own];
  }

  /**
   * Follows a relation from rows of which the caller reads these fields; `path` names it in a refusal.
   * @throws Problem `unusable_field` where there is none, or it goes by a field that is not read; `forbidden` where none
   * of its records may be read
   */
  follow(source: Source, readable: readonly string[], name: string, path: string): Followed {
    const relation = source.relations?.get(name);
    // That a reference is named would be told by what it names.
    if (relation === undefined || (!relation.many && !readable.includes(relation.from)))
      throw unusableField(path);
    this.#used = true;
    const readership = this.#of(relation.model);
    const { model: between } = relation.through ?? {};
    const link = between === undefined ? undefined : this.#bind(between, this.#of(between));
    const step = { relation, link, reach: this.#bind(relation.model, readership) };
    return { step, target: relation.target(), readership };
  }

  #of(model: string): Readership {
    const readership = this.#related(model);
    if (readership === undefined) throw new Problem('forbidden');
    return readership;
  }

  #bind(model: string, readership: Readership): BoundReach {
    const start = this.values.length;
    const reach = reachOf(readership.grant);
    if (reach === undefined) {
      this.#isMarked = false;
      return { terms: 'none', key: '', start };
    }
    this.#mark(model, readership, reach.key);
    this.values.push(...reach.values);
    return { terms: reach.terms, key: reach.key, start };
  }
  #mark(model: string, readership: Readership | undefined, reach?: string): void {
    const readable = readership?.grant.readable;
    const listed = readership?.listed;
    this.#isMarked &&= Object.isFrozen(readable) && Object.isFrozen(listed);
    this.#way.push({ model, readable, listed, reach });
  }
}
