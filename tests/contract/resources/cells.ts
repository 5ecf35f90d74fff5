import type { Server } from '../../../src/server.ts';
import type { Database } from '../../../src/store/database.ts';
import type { TableCaller } from './callers.ts';
import type { Combination } from './combinations.ts';
import { type Action, expected, inScope, type Refusal, type Row, type Sent, type Verdict } from './oracle.ts';

/** A row as it stands in the database. */
interface StoredRow extends Row {
  readonly id: number;
  readonly version: number;
  readonly touched: boolean;
}

export interface TableContext {
  readonly inject: Server['inject'];
  readonly database: Database;
  readonly callers: readonly TableCaller[];
  /** Somebody whose records are no caller's own. */
  readonly stranger: number;
  /** Somebody to whom bodies try to give records. */
  readonly heir: number;
  /** Token of the administrator who asks for explanations. */
  readonly asker: string;
  /** Every deviation from the oracle. */
  readonly faults: string[];
  readonly count: { cells: number; explained: number };
  /** Which combinations are explained, each cell of them. */
  readonly explains: (combination: Combination) => boolean;
}

/** Codes of the error reference. */
const codes: Readonly<Record<Refusal, number>> = {
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

const born = '2024-01-01T00:00:00.000Z';
const missing = 999_999;

const methodOf: Readonly<Record<Action, 'GET' | 'POST' | 'PATCH' | 'DELETE'>> = {
  list: 'GET',
  detail: 'GET',
  create: 'POST',
  update: 'PATCH',
  delete: 'DELETE',
};

interface Cell {
  readonly caller: TableCaller;
  readonly action: Action;
  /** The record that the path names; undefined for none, or for the collection. */
  readonly row: StoredRow | undefined;
  readonly sent: Sent;
}

interface Envelope {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Four rows for each caller: their own and a stranger's, one of each to change (unpublished) and to delete (published). */
const seed = async (
  { database, callers, stranger }: TableContext,
  { model }: Combination,
): Promise<Map<string, StoredRow>> => {
  const rows = callers.flatMap(({ owner }, index) =>
    (['own', 'other'] as const).flatMap((whose) =>
      (['update', 'delete'] as const).map((purpose) => ({
        title: `${index} ${whose} ${purpose}`,
        note: `note of ${index}`,
        published: purpose === 'delete',
        user_id: whose === 'own' ? owner : stranger,
      })),
    ),
  );
  const place = (number: number): string => `${database.dialect === 'sqlite' ? '?' : '$'}${number}`;
  const values = rows.map((_, index) => {
    const first = index * 6;
    return `(${[1, 2, 3, 4, 5, 6].map((offset) => place(first + offset)).join(', ')})`;
  });
  const parameters = rows.flatMap((row) => [
    row.title,
    row.note,
    database.dialect === 'sqlite' ? Number(row.published) : row.published,
    row.user_id,
    born,
    born,
  ]);
  const names = 'title, note, published, user_id, created_at, updated_at';
  await database.execute({
    sql: `insert into "${model.table}" (${names}) values ${values.join(', ')}`,
    parameters,
  });
  return new Map((await stored(database, model.table)).map((row) => [row.title, row]));
};

const stored = async (database: Database, table: string): Promise<StoredRow[]> => {
  const rows = await database.all<Record<string, unknown>>({
    sql: `select id, title, note, published, user_id, version, updated_at from "${table}" order by id`,
    parameters: [],
  });
  return rows.map((row) => ({
    id: Number(row['id']),
    title: String(row['title']),
    note: row['note'] === null ? null : String(row['note']),
    published: Boolean(row['published']),
    user_id: row['user_id'] === null ? null : Number(row['user_id']),
    version: Number(row['version']),
    touched: !isBorn(row['updated_at']),
  }));
};

const isBorn = (value: unknown): boolean =>
  value instanceof Date ? value.toISOString() === born : Date.parse(String(value)) === Date.parse(born);

const nameOf = ({ name }: Combination, { caller, action, row, sent }: Cell): string => {
  const record = row === undefined ? 'none' : row.title;
  return `${name} ${caller.name}: ${action} ${record} ${typeof sent === 'string' ? sent : ''}`;
};

const pathOf = ({ model }: Combination, { action, row }: Cell): string => {
  const collection = `/api/v1/${model.path}`;
  return action === 'list' || action === 'create' ? collection : `${collection}/${row?.id ?? missing}`;
};

const bodyOf = ({ model }: Combination, { action, sent }: Cell): string | undefined => {
  if (action !== 'create' && action !== 'update') return undefined;
  if (sent === 'malformed') return '{"';
  const record =
    sent === 'invalid'
      ? { title: '', note: 'written nevertheless' }
      : { ...sent, id: 424_242, created_at: '2001-01-01T00:00:00.000Z', version: 77, bogus: true };
  return JSON.stringify({ [model.singular]: record });
};

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What is wrong with a record that was answered; undefined where nothing is. */
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
  if (!Array.isArray(data)) return 'data is no array';
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
const answerFault = (
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

/** What the database must hold in the end, by the answers of the oracle alone. */
interface Outcome {
  readonly verdict: Verdict;
  readonly createdId: number | undefined;
}

const play = async (
  context: TableContext,
  combination: Combination,
  cell: Cell,
  rows: readonly StoredRow[],
): Promise<Outcome> => {
  const { caller, action } = cell;
  const body = bodyOf(combination, cell);
  const verdict = expected(combination.switches, action, caller.as(combination), cell.row, cell.sent);
  const answer = await context.inject({
    method: methodOf[action],
    path: pathOf(combination, cell),
    headers: {
      ...caller.headers(body ?? ''),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  });
  context.count.cells += 1;
  const fault = answerFault(combination, cell, verdict, answer, rows);
  if (fault !== undefined) context.faults.push(`${nameOf(combination, cell)}: ${fault}`);
  const created = action === 'create' && answer.status === 201;
  return {
    verdict,
    createdId: created ? (JSON.parse(answer.text) as { data: { id: number } }).data.id : undefined,
  };
};

/** Compares what an explanation says of a cell with what the request meets by the oracle. */
const compareExplanation = async (
  context: TableContext,
  combination: Combination,
  cell: Cell,
): Promise<void> => {
  const { caller, action } = cell;
  if (caller.explained === undefined) return;
  const verdict = expected(combination.switches, action, caller.as(combination), cell.row, cell.sent);
  const path = encodeURIComponent(pathOf(combination, cell));
  const answer = await context.inject({
    method: 'GET',
    path: `/admin/explain?${caller.explained}&method=${methodOf[action]}&path=${path}`,
    headers: { authorization: `Bearer ${context.asker}` },
  });
  context.count.explained += 1;
  const { data } = JSON.parse(answer.text) as {
    data?: {
      allowed: boolean;
      status: number;
      code: number;
      steps: { rule: string; outcome: string }[];
      decided_by: string;
    };
  };
  const code = verdict.refused === undefined ? 0 : codes[verdict.refused];
  const refusals = data?.steps.filter(({ outcome }) => outcome === 'refused') ?? [];
  const agrees =
    data !== undefined &&
    data.status === verdict.status &&
    data.code === code &&
    data.allowed === (verdict.refused === undefined) &&
    refusals.length === (data.allowed ? 0 : 1) &&
    (data.allowed || data.decided_by === refusals[0]?.rule);
  if (!agrees)
    context.faults.push(
      `${nameOf(combination, cell)}: explained as ${answer.text.slice(0, 600)}, not ${verdict.status}`,
    );
};

/** Cells that write nothing, each with its explanation. */
const readCells = (context: TableContext, seeded: ReadonlyMap<string, StoredRow>): Cell[] =>
  context.callers.flatMap((caller, index) => {
    const mine = ['own update', 'own delete', 'other update', 'other delete'].map((name) =>
      seeded.get(`${index} ${name}`),
    );
    const details = [...mine, undefined].map((row) => ({ caller, action: 'detail' as const, row, sent: {} }));
    return [{ caller, action: 'list' as const, row: undefined, sent: {} }, ...details];
  });

const writeCells = (context: TableContext, seeded: ReadonlyMap<string, StoredRow>, sent: Sent): Cell[] =>
  context.callers.flatMap((caller, index) => {
    const rowsFor = (purpose: string) => [
      seeded.get(`${index} own ${purpose}`),
      seeded.get(`${index} other ${purpose}`),
      undefined,
    ];
    const cells: Cell[] = [
      { caller, action: 'create', row: undefined, sent },
      ...rowsFor('update').map((row) => ({ caller, action: 'update' as const, row, sent })),
    ];
    return typeof sent === 'string'
      ? cells
      : [...cells, ...rowsFor('delete').map((row) => ({ caller, action: 'delete' as const, row, sent }))];
  });

const sameRow = (a: Row, b: Row): boolean =>
  a.title === b.title && a.note === b.note && a.published === b.published && a.user_id === b.user_id;

/** The rows that must be there in the end, by id, with the version that each must have. */
const finalRows = (
  seeded: ReadonlyMap<string, StoredRow>,
  cells: readonly Cell[],
  outcomes: readonly Outcome[],
): Map<number, Row & { version: number }> => {
  const rows = new Map<number, Row & { version: number }>();
  for (const row of seeded.values()) rows.set(row.id, row);
  for (const [index, { action, row }] of cells.entries()) {
    const { verdict, createdId } = outcomes[index] ?? {};
    if (verdict === undefined || verdict.refused !== undefined) continue;
    if (action === 'delete' && row !== undefined) rows.delete(row.id);
    if (action === 'update' && row !== undefined && verdict.row !== undefined)
      rows.set(row.id, { ...verdict.row, version: row.version + 1 });
    if (action === 'create' && verdict.row !== undefined)
      rows.set(createdId ?? -1, { ...verdict.row, version: 1 });
  }
  return rows;
};

/** Compares the whole table with what the oracle says of every write; a refused one left no trace. */
const compareTable = async (
  { database, faults }: TableContext,
  { name, model }: Combination,
  wanted: ReadonlyMap<number, Row & { version: number }>,
  seeded: ReadonlyMap<string, StoredRow>,
): Promise<void> => {
  const there = await stored(database, model.table);
  const born = new Set([...seeded.values()].map(({ id }) => id));
  if (there.length !== wanted.size)
    faults.push(`${name}: ${there.length} rows in the end, not ${wanted.size}`);
  for (const row of there) {
    const expectedRow = wanted.get(row.id);
    const untouched = born.has(row.id) && expectedRow?.version === 1;
    const right =
      expectedRow !== undefined && sameRow(row, expectedRow) && row.version === expectedRow.version;
    if (!right || row.touched === untouched)
      faults.push(`${name}: row ${JSON.stringify(row)}, not ${JSON.stringify(expectedRow)}`);
  }
};

/** Requests under way at a time: more would only wait for a connection to PostgreSQL. */
const parallel = 24;

/** Does the same for every cell, so many at a time; the results are in the order of the cells. */
const each = async <T>(cells: readonly Cell[], act: (cell: Cell) => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  const waiting = cells.entries();
  const work = async (): Promise<void> => {
    for (const [index, cell] of waiting) results[index] = await act(cell);
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return results;
};

/** Plays every cell of one combination: reads and explanations, bodies that are refused, then writes. */
export const playCombination = async (context: TableContext, combination: Combination): Promise<void> => {
  const seeded = await seed(context, combination);
  const rows = [...seeded.values()];
  const change: Row = { title: 'changed', note: 'changed too', published: true, user_id: context.heir };
  const reads = readCells(context, seeded);
  const writes = writeCells(context, seeded, change);
  await each(reads, (cell) => play(context, combination, cell, rows));
  if (context.explains(combination))
    await each([...reads, ...writes], (cell) => compareExplanation(context, combination, cell));
  for (const sent of combination.badBodies ? (['malformed', 'invalid'] as const) : [])
    await each(writeCells(context, seeded, sent), (cell) => play(context, combination, cell, rows));
  const outcomes = await each(writes, (cell) => play(context, combination, cell, rows));
  await compareTable(context, combination, finalRows(seeded, writes, outcomes), seeded);
};
