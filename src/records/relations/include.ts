/** Parses `include` and `fields`, and bounds the related records of one response. */

import { type SqlValue, TooLongError } from '../../database/database.ts';
import { columnOf, type Source } from '../../database/source.ts';
import { BoundedCache } from '../../kernel/bounded-cache.ts';
import { Problem } from '../../kernel/problem.ts';
import type { Grant } from '../../policy/grant.ts';
import type { KeyParts } from '../key-parts.ts';
import { escapesLetters, invalidParameter, parseQueryString, unusableField } from '../list/query-string.ts';
import { mostBytes, seenSource } from '../view.ts';
import {
  type Followed,
  looksAtOthers,
  maxSteps,
  type Related,
  RelatedReader,
  type RelationStep,
  stepKey,
  type Trail,
  valuesAlong,
} from './related.ts';

/**
 * Most relations of one request.
 * @limit Related records | relations of one `include` | count | 400
 */
const maxIncluded = 10;

/** Related records that a response includes under the name of their relation. */
export interface Include {
  readonly step: RelationStep;
  /** Fields of each record, in their order. */
  readonly fields: readonly string[];
  readonly included: readonly Include[];
}

/** All related records that a request includes. */
export interface Included {
  readonly included: readonly Include[];
  /** Values of the argument `related`. */
  readonly values: readonly SqlValue[];
  /** Identifies the SQL. */
  readonly key: string;
}

export const nothingIncluded: Included = { included: [], values: [], key: '' };

/** Named relations, each with those that follow it. */
type Tree = ReadonlyMap<string, Tree>;
type MutableTree = Map<string, MutableTree>;

/** The parsed query string, before relations are resolved for a caller. */
interface IncludeQuery {
  readonly tree: Tree;
  /** Chosen fields, by the path of the relation. */
  readonly fields: ReadonlyMap<string, string>;
}

/** Relations as they were resolved for a caller, with everything on which this depended. */
interface ResolvedIncludes extends Omit<Included, 'values'> {
  readonly source: Source;
  readonly readable: readonly string[];
  readonly trail: Trail;
}

/** A query string with its last resolution. */
interface CachedQuery {
  readonly query: IncludeQuery;
  resolved: ResolvedIncludes | undefined;
}

/** Parses `customer,lines.product`. */
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
  // A field of the list view that the detail view lacks is not shown here either.
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
 * Parses `include` and `fields[lines]` for rows of which the caller reads the given fields.
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
  { tree, fields }: IncludeQuery,
  reader: RelatedReader,
): readonly Include[] => {
  const left = new Set(fields.keys());
  // A forbidden model is reported before an unusable field, whatever their order.
  const unusable: Problem[] = [];
  const follow = (
    from: Source,
    readableFields: readonly string[],
    names: Tree,
    before: string,
  ): readonly Include[] =>
    [...names].flatMap(([each, next]): Include[] => {
      const path = before === '' ? each : `${before}.${each}`;
      left.delete(path);
      try {
        const followed = reader.follow(from, readableFields, each, path);
        const { step, target, readership } = followed;
        const included = follow(target, readership.grant.readable, next, path);
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

const partsOf = ({ step, fields, included }: Include): KeyParts<Include> => ({
  step: [stepKey(step), step.reach.start],
  fields,
  included: included.map(partsOf),
});

export const includeKey = (included: readonly Include[]): string =>
  included.length === 0 ? '' : JSON.stringify(included.map(partsOf));

const fieldsName = /^fields\[([^[\]]+)\]$/;

/** The path whose fields a parameter chooses; undefined for any other parameter. */
export const fieldsPath = (parameter: string): string | undefined => fieldsName.exec(parameter)?.[1];

const parseIncludeQuery = (query: string): IncludeQuery => {
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

/** Parsed queries by query string; the grants of each request decide whether a resolution is still valid. */
const cachedQueries = new BoundedCache<CachedQuery>(100);

/** The last resolution with the caller's own values; undefined unless everything on which it depends is the same. */
const resolveAgain = (
  resolved: ResolvedIncludes | undefined,
  source: Source,
  readable: readonly string[],
  related: Related,
): Included | undefined => {
  if (resolved?.source !== source || resolved.readable !== readable) return undefined;
  const values = valuesAlong(resolved.trail, related);
  return values && { included: resolved.included, values, key: resolved.key };
};

/**
 * Parses the related records to include from the query string of one record, for the callers of a grant. Other
 * parameters are ignored.
 * @throws Problem `invalid_parameter`, `unusable_field`, `forbidden`
 */
export const parseIncluded = (
  table: Source,
  { readable, mask }: Pick<Grant, 'readable' | 'mask'>,
  query: string,
  related: Related = () => undefined,
): Included => {
  const source = seenSource(table, mask);
  if (!/include|fields/.test(query) && !escapesLetters(query)) return nothingIncluded;
  const cached = cachedQueries.getOrMake(query, () => ({
    query: parseIncludeQuery(query),
    resolved: undefined,
  }));
  const again = resolveAgain(cached.resolved, source, readable, related);
  if (again !== undefined) return again;
  const reader = new RelatedReader(related);
  const included = followAll(source, readable, cached.query, reader);
  if (included.length === 0) return nothingIncluded;
  const key = includeKey(included);
  const { values, trail } = reader;
  if (trail !== undefined && Object.isFrozen(readable))
    cached.resolved = { included, key, source, readable, trail };
  return { included, values, key };
};

// Limits on related records, and estimates of their number.

/**
 * Most records of one relation of a record.
 * @limit Related records | related records of one record | count | 400 `too_much_included`
 */
export const maxRelated = 1000;
/**
 * Most bytes of a response with related records.
 * @limit Related records | a response with related records | bytes | 400 `too_much_included`
 */
export const maxAnswerBytes = 4 * 1024 * 1024;
/** Most bytes of the texts of rows that a statement makes, whose sum is only known while it runs. */
export const maxTextBytes = 4 * maxAnswerBytes;

/** Estimated number of records of a relation to many. */
const usualNumber = 20;

/** Most related records of a response that is made directly, within some milliseconds. */
const fewRelated = 1000;

/** Most rows that a direct read may examine, readable or not: a rule takes some microseconds for each. */
const maxRowsOfDirectRead = 2000;

/** The limit on examined rows of a scan, which other requests do not wait for: none. */
export const noRowLimit = Number.MAX_SAFE_INTEGER;

/** Most rows that a step of a direct read may examine for each of so many records. */
export const rowsExaminedInline = (records: number): number =>
  Math.max(50, Math.floor(maxRowsOfDirectRead / records));

/** True if the number of related records is bounded: no relation to many follows another one. */
const isBoundedInclude = ({ step, included }: Include, behindMany = false): boolean =>
  !(step.relation.many && behindMany) &&
  included.every((each) => isBoundedInclude(each, behindMany || step.relation.many));

/** True if so many records have so few related ones, by estimate, that a direct read is brief. */
export const isLight = (records: number, included: readonly Include[]): boolean =>
  records * usuallyIncluded(included) <= fewRelated && included.every((each) => isBoundedInclude(each));

/** True if steps examine rows to which they do not lead, so that a direct read may exceed its limit. */
export const looksBeyond = (included: readonly Include[]): boolean =>
  included.some((each) => looksAtOthers(each.step) || looksBeyond(each.included));

/** The estimated number of records that are included with one. */
const usuallyIncluded = (included: readonly Include[]): number =>
  included.reduce(
    (sum, each) => sum + (each.step.relation.many ? usualNumber : 1) * (1 + usuallyIncluded(each.included)),
    0,
  );

/** Most bytes of the records that are included with one record, according to their columns. */
const bytesOf = ({ step, fields, included }: Include): number =>
  (step.relation.many ? maxRelated + 1 : 1) * rowBytes(step.target, fields, included);

const rowBytes = (source: Source, fields: readonly string[], included: readonly Include[]): number =>
  fields.reduce((sum, of) => sum + of.length + 4 + mostBytes(columnOf(source, of)), 0) +
  included.reduce((sum, each) => sum + bytesOf(each), 0);

/** True if so many rows with included records may exceed the limit on texts. */
export const mayBeTooMuch = (
  rows: number,
  source: Source,
  fields: readonly string[],
  included: readonly Include[],
): boolean => rows * rowBytes(source, fields, included) > maxTextBytes;

const tooMuch = (): Problem =>
  new Problem('too_much_included', { params: { records: maxRelated, bytes: maxAnswerBytes } });

/** @throws Problem `too_much_included` if the statement exceeded its limit */
export const refusingTooMuch = async <T>(run: Promise<T>): Promise<T> => {
  try {
    return await run;
  } catch (error) {
    throw error instanceof TooLongError ? tooMuch() : error;
  }
};

/** @throws Problem `too_much_included` if the response is too long */
export const assertNotTooMuch = (json: string | Uint8Array): void => {
  const bytes = typeof json === 'string' ? Buffer.byteLength(json) : json.byteLength;
  if (bytes > maxAnswerBytes) throw tooMuch();
};
