import type { Server } from '../../../src/app/server.ts';
import type { Database } from '../../../src/database/database.ts';
import type { TableCaller } from './callers.ts';
import type { Combination } from './combinations.ts';
import type { Action, Row, Sent, Verdict } from './oracle.ts';

/** A row as it stands in the database. */
export interface StoredRow extends Row {
  readonly id: number;
  readonly version: number;
  readonly touched: boolean;
}

export interface TableContext {
  readonly inject: Server['inject'];
  readonly database: Database;
  readonly callers: readonly TableCaller[];
  /** A user whose records are no caller's own. */
  readonly stranger: number;
  /** A user to whom bodies try to give records. */
  readonly heir: number;
  /** The token of the administrator of explanations. */
  readonly asker: string;
  /** Every deviation from the oracle. */
  readonly faults: string[];
  readonly count: { cells: number; explained: number };
  /** True if every cell of the combination is explained. */
  readonly explains: (combination: Combination) => boolean;
}

export interface Cell {
  readonly caller: TableCaller;
  readonly action: Action;
  /** The record that the path names; undefined for none, or for the collection. */
  readonly row: StoredRow | undefined;
  readonly sent: Sent;
}

/** The rows that the database must hold in the end, by the oracle alone. */
export interface Outcome {
  readonly verdict: Verdict;
  readonly createdId: number | undefined;
}

const born = '2024-01-01T00:00:00.000Z';

/** Four rows for each caller: their own and a stranger's, one of each to change (unpublished) and to delete (published). */
export const seed = async (
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
  const place = (number: number): string => `${database.dialect.name === 'sqlite' ? '?' : '$'}${number}`;
  const values = rows.map((_, index) => {
    const first = index * 6;
    return `(${[1, 2, 3, 4, 5, 6].map((offset) => place(first + offset)).join(', ')})`;
  });
  const parameters = rows.flatMap((row) => [
    row.title,
    row.note,
    database.dialect.name === 'sqlite' ? Number(row.published) : row.published,
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

const sameRow = (a: Row, b: Row): boolean =>
  a.title === b.title && a.note === b.note && a.published === b.published && a.user_id === b.user_id;

/** The rows that must be there in the end, by id, with the version that each must have. */
export const finalRows = (
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
export const compareTable = async (
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
