import { type SqlValue, TooLongError } from '../../database/database.ts';
import { columnOf, type Source } from '../../database/source.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { Problem } from '../../kernel/problem.ts';
import { escapesLetters, invalidParameter, parseQueryString, unusableField } from '../list/query-string.ts';
import { mostBytes } from '../view.ts';
import {
  type Followed,
  looksAtOthers,
  maxSteps,
  type Related,
  RelatedReader,
  type RelationStep,
  stepKey,
  valuesAlong,
  type Way,
} from './related.ts';

/** Relations of one request. */
const maxIncluded = 10;

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
type Tree = ReadonlyMap<string, Tree>;
type MutableTree = Map<string, MutableTree>;

/** What a query string asks for, whoever sends it. */
interface Asked {
  readonly tree: Tree;
  /** By the path of the relation. */
  readonly fields: ReadonlyMap<string, string>;
}

/** What was found for somebody, and for whom it would be found again. */
interface FoundIncludes extends Omit<Included, 'values'> {
  readonly source: Source;
  readonly readable: readonly string[];
  readonly way: Way;
}

/** A query string, and what it led to the last time. */
interface Remembered {
  readonly asked: Asked;
  found: FoundIncludes | undefined;
}

/** Reads `customer,lines.product`. */
const parseTree = (text: string | undefined): Tree => {
  const tree: MutableTree = new Map();
  if (text === undefined) return tree;
  const seen = new Set<string>();
  let count = 0;
  for (const path of text.split(',')) {
    const names = path.split('.');
    if (seen.has(path) || names.length > maxSteps || names.includes('')) throw invalidParameter('include');
    seen.add(path);
    let at = tree;
    for (const each of names) {
      const next: MutableTree = at.get(each) ?? new Map();
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
): readonly Include[] => followAll(source, readable, { tree: parseTree(include), fields }, reader);

const followAll = (
  source: Source,
  readable: readonly string[],
  { tree, fields }: Asked,
  reader: RelatedReader,
): readonly Include[] => {
  const left = new Set(fields.keys());
  // What is forbidden is refused before what is unusable, wherever either stands.
  const unusable: Problem[] = [];
  const follow = (from: Source, known: readonly string[], names: Tree, before: string): readonly Include[] =>
    [...names].flatMap(([each, behind]): Include[] => {
      const path = before === '' ? each : `${before}.${each}`;
      left.delete(path);
      try {
        const followed = reader.follow(from, known, each, path);
        const { step, target, readership } = followed;
        const included = follow(target, readership.grant.readable, behind, path);
        return [{ step, fields: chosenFields(followed, fields.get(path), `fields[${path}]`), included }];
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== 400) throw error;
        unusable.push(error);
        return [];
      }
    });
  const included = tree.size === 0 ? [] : follow(source, reader.reads(source, readable), tree, '');
  const [first] = unusable;
  if (first !== undefined) throw first;
  for (const path of left) throw invalidParameter(`fields[${path}]`);
  return included;
};

const keyParts = (included: readonly Include[]): readonly unknown[] =>
  included.map((each) => [stepKey(each.step), each.step.reach.start, each.fields, keyParts(each.included)]);

export const includeKey = (included: readonly Include[]): string =>
  included.length === 0 ? '' : JSON.stringify(keyParts(included));

const fieldsName = /^fields\[([^[\]]+)\]$/;

/** The path whose fields a parameter chooses; undefined for any other parameter. */
export const fieldsPath = (parameter: string): string | undefined => fieldsName.exec(parameter)?.[1];

const readAsked = (query: string): Asked => {
  const fields = new Map<string, string>();
  let include: string | undefined;
  for (const { name: parameter, value } of parseQueryString(query)) {
    const path = fieldsPath(parameter);
    if (parameter === 'include' ? include !== undefined : path !== undefined && fields.has(path))
      throw invalidParameter(parameter);
    if (parameter === 'include') include = value;
    else if (path !== undefined) fields.set(path, value);
  }
  return { tree: parseTree(include), fields };
};

/** By query string; the grants of each request decide whether an entry still holds. */
const remembered = new BoundedCache<Remembered>(100);

/** The same as the last time, with the caller's own values, where all that it depends on is the same. */
const foundAgain = (
  found: FoundIncludes | undefined,
  source: Source,
  readable: readonly string[],
  related: Related,
): Included | undefined => {
  if (found?.source !== source || found.readable !== readable) return undefined;
  const values = valuesAlong(found.way, related);
  return values && { included: found.included, values, key: found.key };
};

/**
 * What the query string of one record asks for beside it. Other parameters are nobody's business here.
 * @throws Problem `invalid_parameter`, `unusable_field`, `forbidden`
 */
export const parseIncluded = (
  source: Source,
  readable: readonly string[],
  query: string,
  related: Related = () => undefined,
): Included => {
  if (!/include|fields/.test(query) && !escapesLetters(query)) return nothingIncluded;
  const asking = remembered.getOrMake(query, () => ({ asked: readAsked(query), found: undefined }));
  const again = foundAgain(asking.found, source, readable, related);
  if (again !== undefined) return again;
  const reader = new RelatedReader(related);
  const included = followAll(source, readable, asking.asked, reader);
  if (included.length === 0) return nothingIncluded;
  const key = includeKey(included);
  const { values, way } = reader;
  if (way !== undefined && Object.isFrozen(readable)) asking.found = { included, key, source, readable, way };
  return { included, values, key };
};

/** How much related records may come to, and how much they usually do. */

/** Records to which one record leads by one relation. */
export const maxRelated = 1000;
/** Bytes of an answer with related records. */
export const maxAnswerBytes = 4 * 1024 * 1024;
/** Bytes of the texts of rows on the way to an answer, where only a sum tells them: more are given up while they are made. */
export const maxTextBytes = 4 * maxAnswerBytes;

/** Records that usually come by a relation to many. */
const usualNumber = 20;

/** Related records up to which an answer is made at once: some milliseconds. */
const fewRelated = 1000;

/**
 * Rows that an answer which is made at once may look at in all, whether the caller reads them or not: a rule asks for
 * some microseconds of each.
 */
const looked = 2000;

/** Nobody waits for it: it may look at whatever there is. */
export const lookAtAll = Number.MAX_SAFE_INTEGER;

/** How many rows a step may look at for each of so many records, where the answer is made at once. */
export const lookAtOnce = (records: number): number => Math.max(50, Math.floor(looked / records));

/** Whether a thousand of everything were still bounded: there is no second relation to many behind a first one. */
const isBoundedInclude = ({ step, included }: Include, behindMany = false): boolean =>
  !(step.relation.many && behindMany) &&
  included.every((each) => isBoundedInclude(each, behindMany || step.relation.many));

/** Whether so many records bring so few others that nobody has to wait for it, if they are as many as usual. */
export const isLight = (records: number, included: readonly Include[]): boolean =>
  records * usuallyIncluded(included) <= fewRelated && included.every((each) => isBoundedInclude(each));

/** Whether it looks at rows to which it does not lead: then it may have been given up for these. */
export const looksBeyond = (included: readonly Include[]): boolean =>
  included.some((each) => looksAtOthers(each.step) || looksBeyond(each.included));

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
