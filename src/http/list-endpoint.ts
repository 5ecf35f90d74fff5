/** Makes a list endpoint over any source: paging, filters, groups, CSV and streams. */

import type { Database } from '../database/database.ts';
import type { Source } from '../database/source.ts';
import type { Clock } from '../kernel/clock.ts';
import { parseExact } from '../kernel/exact-json.ts';
import { type JsonObject, JsonText, OwnedBytes } from '../kernel/json.ts';
import { madeOnce } from '../kernel/made-once.ts';
import type { Aggregate } from '../records/aggregate.ts';
import { createList, invalidParameter, type List, type ListAnswer, type ListShape } from '../records/list.ts';
import type { Related } from '../records/relations.ts';
import { type CsvColumn, csvHead, csvLines, csvPieces, csvType } from './csv.ts';
import type { Answer, Call, Endpoint } from './endpoint.ts';
import { listFieldsOf } from './list-field.ts';
import { Pieces } from './pieces.ts';

/** How well a media range of an `Accept` header fits a type. */
interface Fit {
  readonly weight: number;
  /** 2: the type itself; 1: any subtype; 0: anything. */
  readonly precision: number;
  /** Place in the header. */
  readonly place: number;
}

const weightForm = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

const weightOf = (parameters: readonly string[]): number => {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return weightForm.test(text) ? Number(text) : 0;
};

const precisionOf = (range: string, type: string): number => {
  if (range === type) return 2;
  if (range === '*/*') return 0;
  return range === `${type.split('/', 1)[0]}/*` ? 1 : -1;
};

/** The most precise range that a type falls under counts (RFC 9110, 12.5.1). */
const fitOf = (ranges: readonly string[], type: string): Fit | undefined => {
  let best: Fit | undefined;
  for (const [place, text] of ranges.entries()) {
    const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
    const precision = precisionOf(range, type);
    if (precision > (best?.precision ?? -1)) best = { weight: weightOf(parameters), precision, place };
  }
  return best;
};

/**
 * Tells whether an `Accept` header prefers a type to the usual one: by weight, then by how precisely the type is named,
 * then by place in the header, as is common. A header that accepts neither is not refused; it gets the usual type.
 */
export const prefers = (accept: string | undefined, type: string, usual: string): boolean => {
  // The usual headers need no weighing.
  if (accept === undefined || accept === '*/*' || accept === usual) return false;
  const ranges = accept.split(',');
  const [wanted, other] = [fitOf(ranges, type), fitOf(ranges, usual)];
  if (wanted === undefined || wanted.weight === 0) return false;
  if (other === undefined || wanted.weight !== other.weight) return wanted.weight > (other?.weight ?? 0);
  if (wanted.precision !== other.precision) return wanted.precision > other.precision;
  return wanted.place < other.place;
};

type ListEndpoint = Pick<Endpoint, 'operation' | 'path' | 'auth' | 'policy' | 'docs'> & {
  /** Order where the query asks for none. */
  readonly order?: string | undefined;
  /** The source of a call, where its columns depend on the caller or change while the service runs. */
  readonly sourceOf?: ((call: Call) => Source) | undefined;
};

/** A query with an order where it asks for none. */
export const orderedBy = (query: string, order: string | undefined): string =>
  order === undefined || new URLSearchParams(query).has('sort')
    ? query
    : [query, `sort=${order}`].filter((part) => part !== '').join('&');

export interface ListParts {
  readonly database: Database;
  readonly baseUrl: string;
  readonly clock: Clock;
}

/**
 * A list endpoint over a source: paging, filters, sorts and totals are the same wherever there is a list.
 */
export const listEndpoint = (
  services: ListParts,
  source: Source,
  { order, sourceOf = () => source, ...endpoint }: ListEndpoint,
): Endpoint => {
  const { database, baseUrl, clock } = services;
  const origin = new URL(baseUrl).origin;
  const listOf = madeOnce((of: Source) => createList(database, of, { clock }));
  const listFields = listFieldsOf(source, endpoint.policy);
  return {
    ...endpoint,
    method: 'GET',
    accepts: 'nothing',
    csv: true,
    docs: { ...endpoint.docs, list: true, listFields },
    handle: (call) =>
      answerList(listOf(sourceOf(call)), call, origin, undefined, {
        query: orderedBy(call.query, order),
        session: source.personal === true ? sessionOf(call) : undefined,
      }),
  };
};

/** The session by which a call is made, if it is made by one. */
export const sessionOf = ({ principal }: Pick<Call, 'principal'>): number | undefined =>
  principal.kind === 'user' && principal.method === 'session' ? principal.credential : undefined;

const prefersCsv = (call: Call): boolean => prefers(call.header('accept'), 'text/csv', 'application/json');

/** The columns of a list as CSV. */
export const csvColumns = ({ source, fields }: ListShape): CsvColumn[] =>
  fields.map((name) => ({ name, json: source.columns.get(name)?.type.column === 'json' }));

const csvOf = async (answer: ListAnswer): Promise<string | Pieces> => {
  // A line has a cell for each field, and no place for records.
  if (answer.shape.included.length > 0) throw invalidParameter('include');
  const columns = csvColumns(answer.shape);
  if ('json' in answer) {
    const { json } = answer;
    const text = typeof json === 'string' ? json : Buffer.from(json).toString();
    return csvHead(columns) + csvLines(columns, parseExact(text) as JsonObject[]);
  }
  const pieces = new Pieces(csvPieces(columns, answer.chunks.elements));
  await pieces.begin();
  return pieces;
};

/** Differences of a list from its call: fewer rows, another order, or the session that asks. */
type AskedInstead = Partial<Pick<Call, 'grant' | 'query'>> & { readonly session?: number | undefined };

/** Runs a list for a call. Links begin with the origin of the service's public address. */
export const answerList = async (
  list: List,
  call: Call,
  origin: string,
  related?: Related,
  { grant = call.grant, query = call.query, session }: AskedInstead = {},
): Promise<Answer> => {
  const { path } = call;
  const from = call.reader && (await call.reader());
  const answer = await list(grant, { query, path: origin + path, by: call, related, from, session });
  const headers = answer.headers as Readonly<Record<string, string>>;
  if (prefersCsv(call)) return { raw: { type: csvType, body: await csvOf(answer) }, headers };
  if (!('json' in answer)) return { data: answer.chunks, headers };
  const { json } = answer;
  return { data: new JsonText(typeof json === 'string' ? json : new OwnedBytes(json)), headers };
};

/** Groups the records of a list for a call. */
export const answerGroups = async (
  aggregate: Aggregate,
  call: Call,
  origin: string,
  related?: Related,
): Promise<Answer> => {
  const { grant, query, path } = call;
  const from = call.reader && (await call.reader());
  const request = { query, path: origin + path, by: call, related, from };
  const { groups, fields, ...answer } = await aggregate(grant, request);
  const headers = answer.headers as Readonly<Record<string, string>>;
  if (!prefersCsv(call)) return { data: groups, headers };
  const columns = fields.map((name) => ({ name, json: false }));
  return { raw: { type: csvType, body: csvHead(columns) + csvLines(columns, groups) }, headers };
};
