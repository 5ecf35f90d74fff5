import { Problem } from '../../kernel/problem.ts';
import { escapesLetters } from '../../kernel/relation-names.ts';
import { columnOf } from '../column.ts';
import { type SqlValue, TooLongError } from '../database.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { invalidParameter, parseQueryString, unusableField } from '../list/query-string.ts';
import { mostBytes, projection } from '../projection.ts';
import type { Source } from '../source.ts';
import { all, type Fragment, literal, name, sql, where } from '../statement.ts';
import { type Joining, relatedRow, relatedTo } from './join.ts';
import {
  type Followed,
  maxSteps,
  type Related,
  RelatedReader,
  type RelationStep,
  stepKey,
} from './related.ts';

/** Relations of one request. */
const maxIncluded = 10;
/** Records to which one record leads by one relation. */
const maxRelated = 1000;
/** Bytes of an answer with related records. */
export const maxAnswerBytes = 4 * 1024 * 1024;
/** Bytes of the texts of rows on the way to an answer, where only a sum tells them: more are given up while they are made. */
const maxTextBytes = 4 * maxAnswerBytes;

/** Related records that stand in a record's answer, under the name of their relation. */
export interface Include {
  readonly step: RelationStep;
  /** Fields of each, in their order. */
  readonly fields: readonly string[];
  readonly included: readonly Include[];
}

/** What a request asks for beside a record's own fields. */
export interface Included {
  readonly included: readonly Include[];
  /** Values of the argument `related`. */
  readonly values: readonly SqlValue[];
  /** All that the SQL depends on. */
  readonly key: string;
}

export const nothingIncluded: Included = { included: [], values: [], key: '' };

/** A relation that is named, with those behind it. */
type Tree = Map<string, Tree>;

/** Reads `customer,lines.product`. */
const readTree = (text: string): Tree => {
  const tree: Tree = new Map();
  const seen = new Set<string>();
  let count = 0;
  for (const path of text.split(',')) {
    const names = path.split('.');
    if (seen.has(path) || names.length > maxSteps || names.includes('')) throw invalidParameter('include');
    seen.add(path);
    let at = tree;
    for (const each of names) {
      const next: Tree = at.get(each) ?? new Map();
      if (!at.has(each)) count += 1;
      at.set(each, next);
      at = next;
    }
  }
  if (count > maxIncluded) throw invalidParameter('include');
  return tree;
};

const chosenFields = (
  { target, readership }: Followed,
  text: string | undefined,
  parameter: string,
): readonly string[] => {
  const { listed, grant } = readership;
  // The list view may name a field that the detail view has not: it is not shown here either.
  if (text === undefined) return listed.filter((each) => grant.readable.includes(each));
  const wanted = new Set<string>();
  for (const field of text.split(',')) {
    if (field === '' || wanted.has(field)) throw invalidParameter(parameter);
    if (!grant.readable.includes(field)) throw unusableField(field);
    wanted.add(field);
  }
  return [...target.columns.keys()].filter((field) => wanted.has(field));
};

/**
 * Reads `include`, and the fields that `fields[lines]` chooses, from rows of which the caller reads these fields.
 * @throws Problem `invalid_parameter`, `unusable_field`, `forbidden`
 */
export const readIncludes = (
  source: Source,
  readable: readonly string[],
  include: string | undefined,
  fields: ReadonlyMap<string, string>,
  reader: RelatedReader,
): readonly Include[] => {
  const tree: Tree = include === undefined ? new Map() : readTree(include);
  const left = new Set(fields.keys());
  const read = (from: Source, known: readonly string[], names: Tree, before: string): readonly Include[] =>
    [...names].map(([each, behind]): Include => {
      const path = before === '' ? each : `${before}.${each}`;
      left.delete(path);
      const followed = reader.follow(from, known, each, path);
      const { step, target, readership } = followed;
      return {
        step,
        fields: chosenFields(followed, fields.get(path), `fields[${path}]`),
        included: read(target, readership.grant.readable, behind, path),
      };
    });
  const included = tree.size === 0 ? [] : read(source, reader.reads(source, readable), tree, '');
  for (const path of left) throw invalidParameter(`fields[${path}]`);
  return included;
};

export const includeKey = (included: readonly Include[]): string =>
  included.length === 0
    ? ''
    : JSON.stringify(
        included.map((each) => [
          stepKey(each.step),
          each.step.reach.start,
          each.fields,
          includeKey(each.included),
        ]),
      );

const fieldsName = /^fields\[([^[\]]+)\]$/;

/** The path whose fields a parameter chooses; undefined for any other parameter. */
export const fieldsPath = (parameter: string): string | undefined => fieldsName.exec(parameter)?.[1];

/**
 * What the query string of one record asks for beside it. Other parameters are nobody's business here.
 * @throws Problem `invalid_parameter`, `unusable_field`, `forbidden`
 */
export const parseIncluded = (
  source: Source,
  readable: readonly string[],
  query: string,
  related: Related | undefined,
): Included => {
  if (!/include|fields/.test(query) && !escapesLetters(query)) return nothingIncluded;
  const fields = new Map<string, string>();
  let include: string | undefined;
  for (const { name: parameter, value } of parseQueryString(query)) {
    const path = fieldsPath(parameter);
    if (parameter === 'include' ? include !== undefined : path !== undefined && fields.has(path))
      throw invalidParameter(parameter);
    if (parameter === 'include') include = value;
    else if (path !== undefined) fields.set(path, value);
  }
  const reader = new RelatedReader(related);
  const included = readIncludes(source, readable, include, fields, reader);
  return included.length === 0
    ? nothingIncluded
    : { included, values: reader.values, key: includeKey(included) };
};

/** Records that usually come by a relation to many. */
const usualNumber = 20;

/** Related records up to which an answer is made at once: some milliseconds. */
const fewRelated = 1000;

/**
 * Whether an index bounds the rows that a step looks at: one, or as many as it may lead to. Where rows of many are held
 * to a rule, or found behind others, it looks at any number that it does not lead to.
 */
const isBoundedStep = ({ relation, reach, link }: RelationStep): boolean =>
  !relation.many || (link === undefined && (reach.terms === 'none' || reach.terms.length === 0));

/** Whether a thousand of everything were still bounded: there is no second relation to many behind a first one. */
const isBoundedInclude = ({ step, included }: Include, behindMany = false): boolean =>
  isBoundedStep(step) &&
  !(step.relation.many && behindMany) &&
  included.every((each) => isBoundedInclude(each, behindMany || step.relation.many));

/** Whether so many records bring so few others that nobody has to wait for it, if they are as many as usual. */
export const isLight = (records: number, included: readonly Include[]): boolean =>
  records * usuallyIncluded(included) <= fewRelated && included.every((each) => isBoundedInclude(each));

/** How many records come with one, if relations lead to as many as usual. */
const usuallyIncluded = (included: readonly Include[]): number =>
  included.reduce(
    (sum, each) => sum + (each.step.relation.many ? usualNumber : 1) * (1 + usuallyIncluded(each.included)),
    0,
  );

/** Most bytes of the records that an include brings to one record, as far as their columns say. */
const bytesOf = ({ step, fields, included }: Include): number =>
  (step.relation.many ? maxRelated + 1 : 1) * rowBytes(step.relation.target(), fields, included);

const rowBytes = (source: Source, fields: readonly string[], included: readonly Include[]): number =>
  fields.reduce((sum, of) => sum + of.length + 4 + mostBytes(columnOf(source, of)), 0) +
  included.reduce((sum, each) => sum + bytesOf(each), 0);

/** Whether so many rows with what they include may come to more than is made of them. */
export const mayBeTooMuch = (
  rows: number,
  source: Source,
  fields: readonly string[],
  included: readonly Include[],
): boolean => rows * rowBytes(source, fields, included) > maxTextBytes;

/**
 * Rows with texts of which the statement gives up where they come to too much, and what counts them; counting is what
 * has it look.
 */
export const fitting = (
  rows: Fragment,
  dialect: Dialect,
): { readonly rows: Fragment; readonly count: Fragment } => {
  const fits = dialect.fits(sql`row_json`, maxTextBytes);
  if (fits === undefined) return { rows, count: sql`count(*)` };
  // Without the OFFSET the planner would put the text in both places where it is named, and make it twice.
  const once = sql`select * from (${rows}) as ${name('_texts')} offset 0`;
  return {
    rows: sql`select *, ${fits} as row_fits from (${once}) as ${name('_once')}`,
    count: sql`sum(row_fits)`,
  };
};

const arrayText = (each: Include, before: string, depth: number, joining: Joining): Fragment => {
  const { step, fields, included } = each;
  const target = step.relation.target();
  const { from, conditions } = relatedTo(step, before, depth, joining);
  const row = relatedRow(depth);
  const text = recordText(target, fields, included, joining, row, depth + 1);
  const rows = sql`select ${text} as row_json${from}${where(conditions)} order by ${name(row, target.key)} limit ${literal(maxRelated + 1)}`;
  const checked = mayBeTooMuch(maxRelated + 1, target, fields, included)
    ? fitting(rows, joining.dialect)
    : { rows, count: sql`count(*)` };
  const joined = joining.dialect.joined(sql`row_json`, literal(','));
  // At once: a mark in the place of the array would let as many arrays as there are rows be made in vain.
  const array = sql`case when ${joining.dialect.atMost(checked.count, maxRelated)} then '[' || coalesce(${joined}, '') || ']' end`;
  return sql`(select ${array} from (${checked.rows}) as ${name('_rows')})`;
};

const objectText = (each: Include, before: string, depth: number, joining: Joining): Fragment => {
  const { step, fields, included } = each;
  const { from, conditions } = relatedTo(step, before, depth, joining);
  const text = recordText(step.relation.target(), fields, included, joining, relatedRow(depth), depth + 1);
  return sql`coalesce((select ${text}${from}${where(conditions)}), 'null')`;
};

/** A record's JSON text with what it includes, a key for each relation behind those of its fields. */
export const recordText = (
  source: Source,
  fields: readonly string[],
  included: readonly Include[],
  joining: Joining,
  row: string,
  depth = 0,
): Fragment => {
  const record = projection(source, fields, joining.dialect, row);
  if (included.length === 0) return record;
  const parts = included.map((each, index) => {
    const key = `${fields.length === 0 && index === 0 ? '' : ','}${JSON.stringify(each.step.relation.name)}:`;
    const value = each.step.relation.many
      ? arrayText(each, row, depth, joining)
      : objectText(each, row, depth, joining);
    return sql`${literal(key)} || ${value}`;
  });
  return sql`${joining.dialect.unclosed(record)} || ${all(parts, ' || ')} || '}'`;
};

const tooMuch = (): Problem =>
  new Problem('too_much_included', { params: { records: maxRelated, bytes: maxAnswerBytes } });

/** @throws Problem `too_much_included` where the statement gave up */
export const refusingTooMuch = async <T>(run: Promise<T>): Promise<T> => {
  try {
    return await run;
  } catch (error) {
    throw error instanceof TooLongError ? tooMuch() : error;
  }
};

/** @throws Problem `too_much_included` for an answer with more than it may hold */
export const assertNotTooMuch = (json: string | Uint8Array): void => {
  const bytes = typeof json === 'string' ? Buffer.byteLength(json) : json.byteLength;
  if (bytes > maxAnswerBytes) throw tooMuch();
};
