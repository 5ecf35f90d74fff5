import type { Server } from '../../../src/app/server.ts';
import type { TableCaller } from './callers.ts';
import type { Combination } from './combinations.ts';
import { inScope, type Refusal, type Row, type Verdict } from './oracle.ts';
import type { Cell, StoredRow } from './rows.ts';

/** Codes of the error reference. */
export const codes: Readonly<Record<Refusal, number>> = {
  unauthenticated: 40100,
  token: 40101,
  key: 40102,
  signature: 40103,
  no_permission: 40300,
  malformed: 40001,
  no_record: 40400,
  validation: 42200,
};

/** Messages that the contract gives word for word. */
const messages: Readonly<Partial<Record<Refusal, string>>> = {
  no_permission: '无权限',
  no_record: '记录不存在',
};

interface Envelope {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The fault of an answered record; undefined when there is none. */
const recordFault = (
  record: unknown,
  fields: readonly string[],
  row: Row & { id?: number },
): string | undefined => {
  if (typeof record !== 'object' || record === null) return `no record: ${JSON.stringify(record)}`;
  const values = record as Readonly<Record<string, unknown>>;
  const names = Object.keys(values);
  if (names.length !== fields.length || !fields.every((name) => name in values))
    return `fields ${names.join()}, not ${fields.join()}`;
  for (const name of fields) {
    const value = values[name];
    const wanted = (row as unknown as Readonly<Record<string, unknown>>)[name];
    if (name.endsWith('_at') ? !timestamp.test(String(value)) : wanted !== undefined && value !== wanted)
      return `${name} is ${JSON.stringify(value)}, not ${JSON.stringify(wanted)}`;
  }
  return undefined;
};

const refusalFault = (envelope: Envelope, refused: Refusal): string | undefined => {
  if (envelope.code !== codes[refused]) return `code ${envelope.code}, not ${codes[refused]}`;
  const message = messages[refused];
  if (message !== undefined && envelope.message !== message) return `message ${envelope.message}`;
  return refused !== 'validation' && 'data' in envelope ? 'an error with data' : undefined;
};

const listFault = (
  { switches }: Combination,
  { caller }: Cell,
  verdict: Verdict & { refused: undefined },
  data: unknown,
  rows: readonly StoredRow[],
  as: ReturnType<TableCaller['as']>,
): string | undefined => {
  if (!Array.isArray(data)) return 'data is not an array';
  const wanted = rows.filter((row) => inScope(switches, 'list', as, row));
  if (data.length !== wanted.length) return `${data.length} records, not ${wanted.length} for ${caller.name}`;
  for (const [index, row] of wanted.entries()) {
    const fault = recordFault(data[index], verdict.fields ?? [], row);
    if (fault !== undefined) return `record ${index}: ${fault}`;
  }
  return undefined;
};

type Answer = Awaited<ReturnType<Server['inject']>>;

/** Compares an answer with the oracle's; a success of a write is compared with the database in the end. */
export const answerFault = (
  combination: Combination,
  cell: Cell,
  verdict: Verdict,
  answer: Answer,
  rows: readonly StoredRow[],
): string | undefined => {
  if (answer.status !== verdict.status)
    return `status ${answer.status}, not ${verdict.status}: ${answer.text.slice(0, 200)}`;
  const envelope = JSON.parse(answer.text) as Envelope;
  if (verdict.status === 401 && answer.headers['www-authenticate'] === undefined)
    return 'no WWW-Authenticate';
  if (verdict.refused !== undefined) return refusalFault(envelope, verdict.refused);
  if (envelope.code !== 0) return `code ${envelope.code}`;
  if (verdict.fields === undefined) return 'data' in envelope ? 'data after a delete' : undefined;
  if (cell.action === 'list')
    return listFault(combination, cell, verdict, envelope.data, rows, cell.caller.as(combination));
  const { row } = verdict;
  if (row === undefined) return 'the oracle has no record';
  return recordFault(
    envelope.data,
    verdict.fields,
    cell.row === undefined ? row : { ...row, id: cell.row.id },
  );
};
