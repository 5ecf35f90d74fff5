import type { SqlValue } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import {
  columnOf,
  type Source,
  type SourceColumn,
  type SourceRelation,
  storedValue,
} from '../../database/source.ts';
import { type Fragment, identifier, join, param, sql, where } from '../../database/statement.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Grant } from '../../policy/grant.ts';
import { unusableField } from '../list/query-string.ts';
import { type ColumnSql, expressionCondition, type RowsAsked } from '../rows/expression.ts';
import { type RowReach, reachConditions, reachOf } from '../rows/reach.ts';

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
interface BoundReach {
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

/** What SQL over relations is written with. */
export interface Joining {
  readonly dialect: Dialect;
  /** The n-th value of the argument `related`. */
  readonly value: (index: number) => Fragment;
  /** How many rows a step may look at for one record; absent where that is no matter. */
  readonly looked?: Fragment;
}

/** Names of rows that no table and no column can have, one for each step away from the row `t`. */
export const relatedRow = (depth: number): string => `_related${depth}`;
const linkRow = (depth: number): string => `_link${depth}`;

const reached = (
  { terms, start }: BoundReach,
  column: (of: string) => Fragment,
  asked: RowsAsked,
  { dialect, value }: Joining,
): readonly Fragment[] =>
  terms === 'none'
    ? [sql`1 = 0`]
    : reachConditions(terms, column, (index) => value(start + index), asked, dialect);

/** Conditions that a row of the target is one that the caller reads. */
const reachedTarget = (
  { relation, reach }: RelationStep,
  row: string,
  asked: RowsAsked,
  joining: Joining,
) => {
  const target = relation.target();
  const column = (of: string): Fragment => storedValue(columnOf(target, of), joining.dialect, row);
  return reached(reach, column, asked, joining);
};

/**
 * The same for rows that name the row `before`. A rule on what they name is asked of that row, which is there: not looked
 * up again for each of them.
 */
const reachedBehind = (
  step: RelationStep,
  before: string,
  row: string,
  joining: Joining,
): readonly Fragment[] => {
  const { relation, reach } = step;
  if (!relation.many || reach.terms === 'none') return reachedTarget(step, row, 'hold', joining);
  const { dialect, value } = joining;
  return reach.terms.flatMap((term, index) => {
    if (typeof term !== 'string' && term.kind === 'via' && term.column === relation.to) {
      const named: ColumnSql = (of) => identifier(before, of);
      return [expressionCondition(term.rule, named, value(reach.start + index), 'hold', dialect)];
    }
    const alone = { ...step, reach: { ...reach, terms: [term], start: reach.start + index } };
    return reachedTarget(alone, row, 'hold', joining);
  });
};

const reachedLink = ({ link }: RelationStep, row: string, asked: RowsAsked, joining: Joining) =>
  link === undefined ? [] : reached(link, (of) => identifier(row, of), asked, joining);

const from = ({ relation }: RelationStep, row: string, { dialect }: Joining): Fragment =>
  sql` from ${relation.target().from(dialect)} as ${identifier(row)}`;

/** FROM and conditions of the rows to which a step leads from the row `before`, at a depth; of the row `relatedRow`. */
export const relatedTo = (
  step: RelationStep,
  before: string,
  depth: number,
  joining: Joining,
): { readonly from: Fragment; readonly conditions: readonly Fragment[] } => {
  const { relation } = step;
  const row = relatedRow(depth);
  const { through } = relation;
  const start = identifier(before, relation.from);
  const end = identifier(row, relation.to);
  if (through === undefined) {
    const reach = reachedBehind(step, before, row, joining);
    return { from: from(step, row, joining), conditions: [sql`${end} = ${start}`, ...reach] };
  }
  const reach = reachedTarget(step, row, 'hold', joining);
  const link = linkRow(depth);
  const held = [
    sql`${identifier(link, through.from)} = ${start}`,
    ...reachedLink(step, link, 'hold', joining),
  ];
  const ends = sql`select ${identifier(link, through.to)} from ${identifier(through.table)} as ${identifier(link)}${where(held)}`;
  return { from: from(step, row, joining), conditions: [sql`${end} in (${ends})`, ...reach] };
};

/**
 * The condition that a step looks at fewer rows from the row `before` than it may, whether the caller reads them or not:
 * otherwise the statement ends. Undefined where it looks at none that it does not lead to, or that is no matter.
 */
export const assertRowsExamined = (
  step: RelationStep,
  before: string,
  depth: number,
  { dialect, looked }: Joining,
): Fragment | undefined => {
  if (looked === undefined || !looksAtOthers(step)) return undefined;
  const { relation } = step;
  const { through } = relation;
  const row = through === undefined ? relatedRow(depth) : linkRow(depth);
  const rows =
    through === undefined
      ? sql`${relation.target().from(dialect)} as ${identifier(row)}`
      : sql`${identifier(through.table)} as ${identifier(row)}`;
  const end = identifier(row, through?.from ?? relation.to);
  const first = sql`select 1 from ${rows} where ${end} = ${identifier(before, relation.from)} limit ${dialect.rows(looked)}`;
  return dialect.assertRowsExamined(sql`(select count(*) from (${first}))`, looked);
};

/** The condition that the row `before` leads to one that meets `conditions`: found from there on, by their indexes. */
const leadsTo = (
  step: RelationStep,
  before: string,
  depth: number,
  conditions: readonly Fragment[],
  joining: Joining,
): Fragment => {
  const { relation } = step;
  const row = relatedRow(depth);
  const { through } = relation;
  const met = where([...reachedTarget(step, row, 'find', joining), ...conditions]);
  const ends = sql`select ${identifier(row, relation.to)}${from(step, row, joining)}${met}`;
  const start = identifier(before, relation.from);
  if (through === undefined) return sql`${start} in (${ends})`;
  const link = linkRow(depth);
  const held = [
    ...reachedLink(step, link, 'find', joining),
    sql`${identifier(link, through.to)} in (${ends})`,
  ];
  return sql`${start} in (select ${identifier(link, through.from)} from ${identifier(through.table)} as ${identifier(link)}${where(held)})`;
};

/** The condition that the row `before` leads to one, or to one that meets conditions; asked of each row by itself. */
const existsRelated = (
  step: RelationStep,
  before: string,
  depth: number,
  conditions: readonly Fragment[],
  joining: Joining,
): Fragment => {
  const related = relatedTo(step, before, depth, joining);
  return sql`exists (select 1${related.from} where ${join([...related.conditions, ...conditions], ' and ')})`;
};

/** A field of records to which others lead: `customer.country`, `lines.product_id`. */
interface Path {
  readonly steps: readonly RelationStep[];
  readonly column: SourceColumn;
}

/** Whether a name is a field behind relations. */
export const isPath = (name: string): boolean => name.includes('.');

/**
 * Reads a path from rows of which the caller reads these fields.
 * @throws Problem `unusable_field`, `forbidden`
 */
export const readPath = (
  source: Source,
  readable: readonly string[],
  text: string,
  reader: RelatedReader,
): Path => {
  const names = text.split('.');
  const field = names.pop() ?? '';
  if (names.length > maxSteps) throw unusableField(text);
  const steps: RelationStep[] = [];
  let from = source;
  let fields = reader.reads(source, readable);
  for (const name of names) {
    const { step, target, readership } = reader.follow(from, fields, name, text);
    steps.push(step);
    from = target;
    fields = readership.grant.readable;
  }
  if (!fields.includes(field)) throw unusableField(text);
  const column = columnOf(from, field);
  if (column.comparable === false) throw unusableField(text);
  return { steps, column };
};

/**
 * The condition that one of the rows to which `before` leads meets a condition on the last row of the path. `ofNone`:
 * whether the condition holds for a field without a value, and so where no row is to be had.
 */
export const pathCondition = (
  steps: readonly RelationStep[],
  before: string,
  condition: (row: string) => Fragment,
  ofNone: boolean,
  joining: Joining,
  depth = 0,
): Fragment => {
  const [step, ...rest] = steps;
  if (step === undefined) return condition(before);
  const row = relatedRow(depth);
  const met = pathCondition(rest, row, condition, ofNone, joining, depth + 1);
  if (!ofNone) return leadsTo(step, before, depth, [met], joining);
  // There is one at most, so that none which fails says that it meets the condition, or is not there.
  if (!step.relation.many)
    return sql`not ${existsRelated(step, before, depth, [sql`(${met}) is not true`], joining)}`;
  const some = existsRelated(step, before, depth, [met], joining);
  return sql`(${some} or not ${existsRelated(step, before, depth, [], joining)})`;
};

const related = (index: number): Fragment => param('related', index);

/**
 * A path to one record at most as a column of the row `t`: what that record holds, null where there is none.
 * Undefined where it leads to several.
 */
export const pathColumn = ({ steps, column }: Path, text: string): SourceColumn | undefined => {
  if (steps.some(({ relation }) => relation.many)) return undefined;
  const valueAt = (joining: Joining, before: string, depth: number): Fragment => {
    const step = steps[depth];
    if (step === undefined) return storedValue(column, joining.dialect, before);
    const { from, conditions } = relatedTo(step, before, depth, joining);
    return sql`(select ${valueAt(joining, relatedRow(depth), depth + 1)}${from}${where(conditions)})`;
  };
  return {
    name: text,
    type: column.type,
    // Whatever it is there, it is null where there is no record.
    options: { ...column.options, required: false },
    expression: (dialect) => valueAt({ dialect, value: related }, 't', 0),
  };
};
