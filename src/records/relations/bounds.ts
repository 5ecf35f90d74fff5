import { columnOf } from '../../database/column.ts';
import { TooLongError } from '../../database/database.ts';
import type { Source } from '../../database/source.ts';
import { Problem } from '../../kernel/problem.ts';
import { mostBytes } from '../projection.ts';
import type { Include } from './include.ts';
import { looksAtOthers } from './related.ts';

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
