/** Resolves relations and paths such as `customer.name` within the caller's rights, and compiles them to SQL. */

import type { SqlValue } from '../../database/database.ts';
import type { Dialect } from '../../database/dialect.ts';
import {
  columnOf,
  hasValue,
  ruleValue,
  type Source,
  type SourceColumn,
  type SourceRelation,
  storedValue,
} from '../../database/source.ts';
import { type Fragment, identifier, join, param, sql, where } from '../../database/statement.ts';
import { Problem } from '../../kernel/problem.ts';
import type { FieldMask, Grant } from '../../policy/grant.ts';
import type { KeyParts } from '../key-parts.ts';
import { unusableField } from '../list/query-string.ts';
import { type ColumnSql, type ConditionPurpose, expressionCondition } from '../rows/expression.ts';
import { type RowReach, reachConditions, reachOf } from '../rows/reach.ts';
import { seenSource } from '../view.ts';

/** The records and fields of a related model that a caller may read. */
export interface Readership {
  /** The rows and fields of the model's own detail endpoint. */
  readonly grant: Grant;
  /** Default fields of included records. */
  readonly listed: readonly string[];
}

/**
 * The readership of a model by its name; undefined if the caller may read no records, or not by this authentication.
 * `shows` are the fields that a reference to users shows to everyone who reads its record.
 */
export type Related = (model: string, shows?: readonly string[]) => Readership | undefined;

/** A reach whose values are in the statement's argument `related`, from index `start` on. */
interface BoundReach {
  readonly terms: RowReach['terms'] | 'none';
  readonly key: string;
  readonly start: number;
}

/** One step from a row to related ones, restricted to those that the caller may read. */
export interface RelationStep {
  readonly relation: SourceRelation;
  readonly reach: BoundReach;
  /** The reach on rows of the linking model. */
  readonly link: BoundReach | undefined;
  /** The rows before, those to which it leads, and the linking ones, each as the caller sees them. */
  readonly from: Source;
  readonly target: Source;
  readonly between: Source | undefined;
}

/** True if a step examines rows to which it does not lead: those that a rule excludes, or linking rows. */
export const looksAtOthers = ({ relation, reach, link }: RelationStep): boolean =>
  relation.many && (link !== undefined || (reach.terms !== 'none' && reach.terms.length > 0));

/** A step with its target. */
export interface Followed {
  readonly step: RelationStep;
  readonly target: Source;
  readonly readership: Readership;
}

/**
 * Most relations of a path to a field, and most levels of an include.
 * @limit Lists | relations before the field of a filter or sort | count | 400
 */
export const maxSteps = 3;

/** The SQL of a reach depends on its terms. The shape of the request fixes the place of its values. */
const boundReachKey = ({ terms, key }: BoundReach) =>
  ({
    terms: terms === 'none',
    key: terms === 'none' ? undefined : key,
    start: undefined,
  }) satisfies KeyParts<BoundReach>;

/** The parts of a step on which the SQL of a statement depends. */
export const stepKey = ({ relation, reach, link, from, target, between }: RelationStep) =>
  ({
    relation: relation.name,
    reach: boundReachKey(reach),
    link: link && boundReachKey(link),
    from: from.mask,
    target: target.mask,
    between: between?.mask,
  }) satisfies KeyParts<RelationStep>;

/** The facts of a model's grant on which the resolution of relations depended. */
interface TrailMark {
  readonly model: string;
  readonly shows: readonly string[] | undefined;
  readonly readable: readonly string[] | undefined;
  readonly mask: FieldMask | undefined;
  readonly listed: readonly string[] | undefined;
  /** The key of its reach, if the reach restricts rows. */
  readonly reach: string | undefined;
}

/** All facts on which the resolution of named relations depended. */
export type Trail = readonly TrailMark[];

/**
 * The values of the argument `related` for a caller with the same trail; undefined if the names may resolve differently
 * for this caller.
 */
export const valuesAlong = (trail: Trail, related: Related): readonly SqlValue[] | undefined => {
  const values: SqlValue[] = [];
  for (const { model, shows, readable, mask, listed, reach } of trail) {
    const readership = related(model, shows);
    const { grant } = readership ?? {};
    if (grant?.readable !== readable || grant?.mask !== mask || readership?.listed !== listed)
      return undefined;
    if (readership === undefined || reach === undefined) continue;
    const found = reachOf(readership.grant);
    if (found?.key !== reach) return undefined;
    values.push(...found.values);
  }
  return values;
};

/**
 * Resolves the relations that one request names, and collects the values of the caller's reaches on them. A request
 * always resolves the same names in the same order, so that a shape knows the places of its values.
 */
export class RelatedReader {
  /** Values of the argument `related`. */
  readonly values: SqlValue[] = [];
  readonly #related: Related;
  readonly #trail: TrailMark[] = [];
  /** True if the trail is complete: not if a grant reaches no row, or has an array of names that may change. */
  #isComplete = true;

  constructor(related: Related = () => undefined) {
    this.#related = related;
  }

  /** True if any relation was resolved. */
  get used(): boolean {
    return this.#used;
  }
  #used = false;

  /** The trail of the resolution; undefined if it is not complete. */
  get trail(): Trail | undefined {
    return this.#isComplete ? this.#trail : undefined;
  }

  /** The fields that relations may follow: those of the response, and of the record's detail endpoint. */
  reads(source: Source, readable: readonly string[]): readonly string[] {
    const readership = this.#related(source.name);
    this.#mark(source.name, readership);
    const own = readership?.grant.readable;
    return own === undefined || own === readable ? readable : [...readable, ...own];
  }

  /**
   * Resolves a relation of rows of which the caller reads the given fields; `path` names it in a refusal.
   * @throws Problem `unusable_field` if there is none, or the caller may not read its field; `forbidden` if the caller
   * may read none of its records
   */
  follow(source: Source, readable: readonly string[], name: string, path: string): Followed {
    const relation = source.relations?.get(name);
    // Following a hidden reference would reveal its value.
    if (relation === undefined || (!relation.many && !readable.includes(relation.from)))
      throw unusableField(path);
    this.#used = true;
    const readership = this.#of(relation.model, relation.shows);
    const { through } = relation;
    const linked = through && this.#of(through.model);
    const link = linked && this.#bind(through.model, linked);
    const target = seenSource(relation.target(), readership.grant.mask);
    const between = linked && seenSource(through.source(), linked.grant.mask);
    const reach = this.#bind(relation.model, readership, relation.shows);
    return { step: { relation, link, reach, from: source, target, between }, target, readership };
  }

  #of(model: string, shows?: readonly string[]): Readership {
    const readership = this.#related(model, shows);
    if (readership === undefined) throw new Problem('forbidden');
    return readership;
  }

  #bind(model: string, readership: Readership, shows?: readonly string[]): BoundReach {
    const start = this.values.length;
    const reach = reachOf(readership.grant);
    if (reach === undefined) {
      this.#isComplete = false;
      return { terms: 'none', key: '', start };
    }
    this.#mark(model, readership, reach.key, shows);
    this.values.push(...reach.values);
    return { terms: reach.terms, key: reach.key, start };
  }

  #mark(model: string, readership: Readership | undefined, reach?: string, shows?: readonly string[]): void {
    const { readable, mask } = readership?.grant ?? {};
    const listed = readership?.listed;
    this.#isComplete &&= Object.isFrozen(readable) && Object.isFrozen(listed);
    this.#trail.push({ model, shows, readable, mask, listed, reach });
  }
}

/** The context for SQL over relations. */
export interface Joining {
  readonly dialect: Dialect;
  /** The n-th value of the argument `related`. */
  readonly value: (index: number) => Fragment;
  /** Most rows that a step may examine for one record; absent for no limit. */
  readonly maxRowsExamined?: Fragment;
}

/** Aliases of related rows, which no table or column can have: one for each step from the row `t`. */
export const relatedRow = (depth: number): string => `_related${depth}`;
const linkRow = (depth: number): string => `_link${depth}`;

const reached = (
  { terms, start }: BoundReach,
  column: (of: string) => Fragment,
  purpose: ConditionPurpose,
  { dialect, value }: Joining,
): readonly Fragment[] =>
  terms === 'none'
    ? [sql`1 = 0`]
    : reachConditions(terms, column, (index) => value(start + index), purpose, dialect);

/** Conditions that the caller may read a row of the target. */
const reachedTarget = (
  { target, reach }: RelationStep,
  row: string,
  purpose: ConditionPurpose,
  joining: Joining,
) => {
  const column = (of: string): Fragment => ruleValue(columnOf(target, of), joining.dialect, row);
  return reached(reach, column, purpose, joining);
};

/**
 * The same for rows that refer to the row `before`. A rule on the referenced row is checked on `before` itself, instead
 * of a look-up for each row.
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
      const named: ColumnSql = (of) => ruleValue(columnOf(step.from, of), dialect, before);
      return [expressionCondition(term.rule, named, value(reach.start + index), 'hold', dialect)];
    }
    const single = { ...step, reach: { ...reach, terms: [term], start: reach.start + index } };
    return reachedTarget(single, row, 'hold', joining);
  });
};

const reachedLink = (
  { link, between }: RelationStep,
  row: string,
  purpose: ConditionPurpose,
  joining: Joining,
): readonly Fragment[] => {
  if (link === undefined || between === undefined) return [];
  const column: ColumnSql = (of) => ruleValue(columnOf(between, of), joining.dialect, row);
  return reached(link, column, purpose, joining);
};

const from = ({ target }: RelationStep, row: string, { dialect }: Joining): Fragment =>
  sql` from ${target.from(dialect)} as ${identifier(row)}`;

/** The value in the row `before` by which a step goes; null if the caller does not see it. */
const startOf = ({ from: source, relation }: RelationStep, before: string, { dialect }: Joining): Fragment =>
  storedValue(columnOf(source, relation.from), dialect, before);

/** The value of a column, with the conditions that the caller sees it. */
const visible = (
  source: Source,
  of: string,
  row: string,
  { dialect }: Joining,
): { readonly value: Fragment; readonly conditions: readonly Fragment[] } => {
  const column = columnOf(source, of);
  const condition = column.shownIf?.condition(dialect, row);
  return { value: ruleValue(column, dialect, row), conditions: condition === undefined ? [] : [condition] };
};

/** The rows of the linking model, if there is one. */
const linkOf = ({ relation: { through }, between }: RelationStep) =>
  through === undefined || between === undefined ? undefined : { ...through, source: between };

/** FROM and conditions for the rows (`relatedRow` of the depth) to which a step leads from the row `before`. */
export const relatedTo = (
  step: RelationStep,
  before: string,
  depth: number,
  joining: Joining,
): { readonly from: Fragment; readonly conditions: readonly Fragment[] } => {
  const { dialect } = joining;
  const row = relatedRow(depth);
  const through = linkOf(step);
  const start = startOf(step, before, joining);
  const end = columnOf(step.target, step.relation.to);
  if (through === undefined) {
    const reach = reachedBehind(step, before, row, joining);
    return { from: from(step, row, joining), conditions: [...hasValue(end, start, dialect, row), ...reach] };
  }
  const reach = reachedTarget(step, row, 'hold', joining);
  const link = linkRow(depth);
  const to = visible(through.source, through.to, link, joining);
  const held = [
    ...hasValue(columnOf(through.source, through.from), start, dialect, link),
    ...to.conditions,
    ...reachedLink(step, link, 'hold', joining),
  ];
  const ends = sql`select ${to.value} from ${through.source.from(dialect)} as ${identifier(link)}${where(held)}`;
  const { value, conditions } = visible(step.target, step.relation.to, row, joining);
  return {
    from: from(step, row, joining),
    conditions: [sql`${value} in (${ends})`, ...conditions, ...reach],
  };
};

/**
 * The condition that a step from the row `before` examines no more rows than it may, readable or not; otherwise the
 * statement fails. Undefined if the step examines only rows to which it leads, or there is no limit.
 */
export const assertRowsExamined = (
  step: RelationStep,
  before: string,
  depth: number,
  joining: Joining,
): Fragment | undefined => {
  const { dialect, maxRowsExamined } = joining;
  if (maxRowsExamined === undefined || !looksAtOthers(step)) return undefined;
  const through = linkOf(step);
  const row = through === undefined ? relatedRow(depth) : linkRow(depth);
  const source = through?.source ?? step.target;
  const end = ruleValue(columnOf(source, through?.from ?? step.relation.to), dialect, row);
  const first = sql`select 1 from ${source.from(dialect)} as ${identifier(row)} where ${end} = ${startOf(step, before, joining)} limit ${dialect.rows(maxRowsExamined)}`;
  return dialect.assertRowsExamined(sql`(select count(*) from (${first}))`, maxRowsExamined);
};

/** The condition that the row `before` leads to a row that meets `conditions`, found by the indexes of these. */
const leadsTo = (
  step: RelationStep,
  before: string,
  depth: number,
  conditions: readonly Fragment[],
  joining: Joining,
): Fragment => {
  const row = relatedRow(depth);
  const through = linkOf(step);
  const end = visible(step.target, step.relation.to, row, joining);
  const met = where([...reachedTarget(step, row, 'find', joining), ...end.conditions, ...conditions]);
  const ends = sql`select ${end.value}${from(step, row, joining)}${met}`;
  const start = startOf(step, before, joining);
  if (through === undefined) return sql`${start} in (${ends})`;
  const link = linkRow(depth);
  const begin = visible(through.source, through.from, link, joining);
  const to = visible(through.source, through.to, link, joining);
  const held = [
    ...reachedLink(step, link, 'find', joining),
    ...begin.conditions,
    ...to.conditions,
    sql`${to.value} in (${ends})`,
  ];
  return sql`${start} in (select ${begin.value} from ${through.source.from(joining.dialect)} as ${identifier(link)}${where(held)})`;
};

/** The condition that the row `before` leads to a row that meets `conditions`, checked for each row `before`. */
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

/** A field of related records: `customer.country`, `lines.product_id`. */
interface Path {
  readonly steps: readonly RelationStep[];
  readonly column: SourceColumn;
}

/** True if a name is a path to a field of related records. */
export const isPath = (name: string): boolean => name.includes('.');

/**
 * Parses a path from rows of which the caller reads the given fields.
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
 * The condition that a path from the row `before` leads to a row that meets a condition. `ofNone`: whether null meets
 * the condition, and so also the absence of a row.
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
  // At most one row: no row that fails the condition means that it meets it, or does not exist.
  if (!step.relation.many)
    return sql`not ${existsRelated(step, before, depth, [sql`(${met}) is not true`], joining)}`;
  const some = existsRelated(step, before, depth, [met], joining);
  return sql`(${some} or not ${existsRelated(step, before, depth, [], joining)})`;
};

const related = (index: number): Fragment => param('related', index);

/**
 * A path to at most one record as a column of the row `t`, null if there is no record. Undefined if the path may lead
 * to several.
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
    // Even a required field is null if there is no record.
    options: { ...column.options, required: false },
    expression: (dialect) => valueAt({ dialect, value: related }, 't', 0),
  };
};
