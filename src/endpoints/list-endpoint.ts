import type { Source } from '../database/source.ts';
import { prefers } from '../http/accepts.ts';
import type { Answer, Call, Endpoint } from '../http/endpoint.ts';
import { Pieces } from '../http/pieces.ts';
import { JsonText } from '../kernel/json.ts';
import { OwnedBytes } from '../kernel/owned-bytes.ts';
import type { Aggregate } from '../records/aggregate/aggregate.ts';
import { createList, type List, type ListAnswer } from '../records/list/list.ts';
import { invalidParameter } from '../records/list/query-string.ts';
import type { ListShape } from '../records/list/shape.ts';
import type { Related } from '../records/relations/related.ts';
import { type CsvColumn, csvHead, csvLines, csvPieces, csvType } from './csv.ts';
import { listFieldsOf } from './list-fields.ts';
import type { Services } from './services.ts';

type ListEndpoint = Pick<Endpoint, 'operation' | 'path' | 'auth' | 'policy' | 'docs'> & {
  /** Order where the query asks for none. */
  readonly order?: string;
};

/** A query with an order where it asks for none. */
export const orderedBy = (query: string, order: string | undefined): string =>
  order === undefined || new URLSearchParams(query).has('sort')
    ? query
    : [query, `sort=${order}`].filter((part) => part !== '').join('&');

/**
 * A list endpoint over a source: paging, filters, sorts and totals are the same wherever there is a list. A source
 * that changes while the service runs is given as a function.
 */
export const listEndpoint = (
  services: Pick<Services, 'database' | 'baseUrl' | 'clock'>,
  source: Source | (() => Source),
  { order, ...endpoint }: ListEndpoint,
): Endpoint => {
  const { database, baseUrl, clock } = services;
  const origin = new URL(baseUrl).origin;
  const list =
    typeof source === 'function' ? changing(services, source) : createList(database, source, { clock });
  const first = typeof source === 'function' ? source() : source;
  const listFields = listFieldsOf(first, endpoint.policy);
  return {
    ...endpoint,
    method: 'GET',
    accepts: 'nothing',
    csv: true,
    docs: { ...endpoint.docs, list: true, listFields },
    handle: (call) =>
      answerList(list, call, origin, undefined, {
        query: orderedBy(call.query, order),
        ...(first.personal === true ? { session: sessionOf(call) } : {}),
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
    return csvHead(columns) + csvLines(columns, JSON.parse(text));
  }
  const pieces = new Pieces(csvPieces(columns, answer.chunks.elements));
  await pieces.begin();
  return pieces;
};

/** Differences of a list from its call: fewer rows, another order, or the session that asks. */
export type AskedInstead = Partial<Pick<Call, 'grant' | 'query'>> & { readonly session?: number | undefined };

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

/** The list of the current source; made again when that is another one. */
const changing = ({ database, clock }: Pick<Services, 'database' | 'clock'>, source: () => Source): List => {
  let listed = source();
  let list = createList(database, listed, { clock });
  return (grant, request, extra) => {
    const current = source();
    if (current !== listed) {
      listed = current;
      list = createList(database, listed, { clock });
    }
    return list(grant, request, extra);
  };
};
