/** Copies the rows of one table to the destination of a move, in batches that can be continued. */

import type { ColumnShape, TableShape } from '../../../database/introspection.ts';
import type { CanonicalRow, TableLoader, TableSnapshot } from '../../../database/target.ts';
import { errorMessage } from '../../../kernel/error-message.ts';
import { type MovePlace, putPlace } from './marks.ts';
import { UnmovableValue } from './move-error.ts';

export interface CopyParts {
  readonly source: TableSnapshot;
  readonly loader: TableLoader;
  /** Called with the number of copied rows of a table. */
  onProgress(table: string, rows: number): void;
}

const beginning: MovePlace = { rows: 0, after: undefined, done: false };

/** Identifies a row in a message. */
const rowText = (columns: readonly ColumnShape[], row: CanonicalRow): string => {
  const id = columns.findIndex(({ name }) => name === 'id');
  if (id !== -1) return `id ${row[id]}`;
  return columns
    .flatMap(({ name }, at) => (row[at] == null ? [] : `${name} ${row[at].slice(0, 40)}`))
    .slice(0, 3)
    .join(', ');
};

const holdsNul = (row: CanonicalRow): boolean => row.some((value) => value?.includes('\0') === true);

/** Tries the rows of a refused batch one by one, to name the one that does not fit. */
const findUnfit = async (
  { loader }: CopyParts,
  table: TableShape,
  columns: readonly ColumnShape[],
  rows: readonly CanonicalRow[],
  cause: unknown,
): Promise<Error> => {
  const nul = loader.dialect.schema.moving.holdsNul ? undefined : rows.find(holdsNul);
  const said = (row: CanonicalRow, why: string): Error =>
    new UnmovableValue(`${table.name}, ${rowText(columns, row)}: ${why}`, { cause });
  if (nul !== undefined) {
    const column = columns[nul.findIndex((value) => value?.includes('\0'))];
    return said(nul, `${column?.name} holds the character NUL, which the other database cannot hold`);
  }
  for (const row of rows) {
    try {
      // Rolled back: only the refusal matters.
      await loader.transaction(async () => {
        await loader.insert(table.name, columns, [row]);
        throw undone;
      });
    } catch (error) {
      if (error !== undone) return said(row, errorMessage(error));
    }
  }
  return cause instanceof Error ? cause : new Error(String(cause));
};

const undone = new Error('fits');

/** True if the rows of a table are ordered by a numeric id, so that a position is one number. */
const isNumbered = ({ dialect }: TableSnapshot, { columns }: TableShape): boolean => {
  const { introspection, own } = dialect.schema;
  const id = columns.get('id');
  return id !== undefined && introspection.holds(id.type, own.integer);
};

/**
 * Copies the missing rows of a table: from the last copied id, or, without numeric ids, all of them. Each batch is
 * one transaction, which also stores the position.
 * @throws UnmovableValue that names the row
 */
export const copyTable = async (
  parts: CopyParts,
  table: TableShape,
  target: TableShape,
  place: MovePlace = beginning,
): Promise<number> => {
  if (place.done) return place.rows;
  const { source, loader, onProgress } = parts;
  const { names: own } = loader.dialect;
  const names = [...table.columns.keys()];
  const columns = names.flatMap((name) => target.columns.get(name) ?? []);
  const numbered = isNumbered(source, table);
  const id = names.indexOf('id');
  let { rows: count, after } = numbered ? place : beginning;
  if (!numbered && place.rows > 0) await loader.run(`delete from ${own.quoted(table.name)}`);

  const write = async (rows: readonly CanonicalRow[]): Promise<void> => {
    const next: MovePlace = {
      rows: count + rows.length,
      after: numbered ? (rows.at(-1)?.[id] ?? after) : undefined,
      done: false,
    };
    try {
      await loader.transaction(async () => {
        await loader.insert(table.name, columns, rows);
        for (const statement of putPlace(table.name, next, own)) await loader.run(statement);
      });
    } catch (error) {
      throw await findUnfit(parts, table, columns, rows, error);
    }
    count = next.rows;
    after = next.after;
    onProgress(table.name, count);
  };

  // Reads the next batch while one is written.
  let writing: Promise<void> = Promise.resolve();
  const from = numbered ? { column: 'id', after } : undefined;
  for await (const rows of source.rows(table.name, names, from)) {
    await writing;
    writing = write(rows);
    writing.catch(() => {});
  }
  await writing;
  await loader.transaction(async () => {
    for (const statement of putPlace(table.name, { rows: count, after, done: true }, own))
      await loader.run(statement);
  });
  return count;
};
