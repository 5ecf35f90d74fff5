import type { Combination } from './combinations.ts';
import { answerFault, codes } from './faults.ts';
import { type Action, expected, namesOnlyItself, type Row, type Sent } from './oracle.ts';
import {
  type Cell,
  compareTable,
  finalRows,
  type Outcome,
  type StoredRow,
  seed,
  type TableContext,
} from './rows.ts';

const missing = 999_999;

const methodOf: Readonly<Record<Action, 'GET' | 'POST' | 'PATCH' | 'DELETE'>> = {
  list: 'GET',
  detail: 'GET',
  create: 'POST',
  update: 'PATCH',
  delete: 'DELETE',
};

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
  const writes = writeCells(context, seeded, change).map((cell) =>
    namesOnlyItself(combination.switches, cell.caller.as(combination))
      ? { ...cell, sent: { ...change, user_id: cell.caller.owner } }
      : cell,
  );
  await each(reads, (cell) => play(context, combination, cell, rows));
  if (context.explains(combination))
    await each([...reads, ...writes], (cell) => compareExplanation(context, combination, cell));
  for (const sent of combination.badBodies ? (['malformed', 'invalid'] as const) : [])
    await each(writeCells(context, seeded, sent), (cell) => play(context, combination, cell, rows));
  const outcomes = await each(writes, (cell) => play(context, combination, cell, rows));
  await compareTable(context, combination, finalRows(seeded, writes, outcomes), seeded);
};
