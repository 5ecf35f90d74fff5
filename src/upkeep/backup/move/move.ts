/** The course of a move: fence the source, prepare the destination, fill it, compare both. */

import { randomUUID } from 'node:crypto';
import type { Dialect } from '../../../database/dialect.ts';
import type { Ask, Tables } from '../../../database/introspection.ts';
import { readTables } from '../../../database/migrations.ts';
import { quoteName } from '../../../database/quote.ts';
import { destinationMark } from '../../../database/service-names.ts';
import {
  checksumDifferences,
  type TableChecksums,
  tableChecksums,
} from '../../../database/table-checksum.ts';
import type { DatabaseTarget, TableLoader, TableSnapshot } from '../../../database/target.ts';
import {
  assertPortable,
  assertSameSteps,
  assertSameTables,
  movedTables,
  ownTablesOf,
  stepsOf,
} from './compare.ts';
import { copyTable } from './copy.ts';
import { refuseWrites, setMoved, sourceMarkOf, takeWrites } from './fence.ts';
import {
  createDestinationMark,
  type DestinationMark,
  dropMark,
  forgetEntries,
  isMark,
  putEntry,
  readDestinationMark,
} from './marks.ts';
import { MoveError, UnmovableValue } from './move-error.ts';

export interface MoveParts {
  readonly source: DatabaseTarget;
  readonly destination: DatabaseTarget;
  /** The destination in messages: without its password. */
  readonly destinationName: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /**
   * Creates the tables of an empty destination by the migrations, in one transaction whose last step is `after`.
   * @throws Error where it is not empty
   */
  prepare(after: (ask: Ask) => Promise<void>): Promise<void>;
  /** Called with the progress. */
  onProgress(state: MoveState): void;
}

export interface MoveState {
  readonly doing: 'waiting' | 'copying' | 'restoring' | 'comparing';
  readonly table?: string;
  /** Rows of this table so far. */
  readonly rows?: number;
}

export interface Moved {
  readonly tables: number;
  readonly rows: number;
  /** Checksums by table name, equal on both sides. */
  readonly checksums: TableChecksums;
}

const tablesOf = ({ ask, dialect }: Pick<TableSnapshot, 'ask' | 'dialect'>): Promise<Tables> =>
  readTables(ask, dialect);

/** Reads the mark of the destination; a missing or empty one has no progress. */
const destinationMarkOf = async (destination: DatabaseTarget): Promise<DestinationMark | undefined> => {
  if (destination.isEmpty()) return undefined;
  return destination.snapshot(async (snapshot) =>
    readDestinationMark(snapshot.ask, await tablesOf(snapshot), destination.names),
  );
};

/** Creates the tables of the destination, or refuses tables that cannot be filled, and leaves it unchanged. */
const makeDestination = async (parts: MoveParts, id: string): Promise<void> => {
  const { source, destination } = parts;
  const from = await source.dialect();
  const to = await destination.dialect();
  const [tables, steps] = await source.snapshot(async (snapshot) => {
    const found = await tablesOf(snapshot);
    return [found, await stepsOf(snapshot.ask, found, source.names)] as const;
  });
  // Beside tables of other programs it is known later which ones are moved.
  if (source.names.prefix === undefined) assertPortable(movedTables(tables), from, to);
  await parts.prepare(async (ask) => {
    const made = await readTables(ask, to);
    assertSameSteps(steps, await stepsOf(ask, made, destination.names));
    assertSameTables(tables, made, source.names);
    assertPortable(ownTablesOf(tables, made), from, to);
    assertPortable(movedTables(made), to, from);
    await ask(createDestinationMark(destination.names));
    for (const statement of [
      ...putEntry({ kind: 'id', name: '', value: id }, destination.names),
      ...putEntry({ kind: 'phase', name: '', value: 'made' }, destination.names),
    ])
      await ask(statement);
  });
};

const runAll = async (loader: TableLoader, statements: readonly string[]): Promise<void> => {
  for (const statement of statements) await loader.run(statement);
};

/** Empties the destination and removes constraints and triggers, so that rows may come in any order. */
const beginFilling = (
  loader: TableLoader,
  { names, schema: { moving } }: Dialect,
  mark: DestinationMark,
): Promise<void> =>
  loader.transaction(async () => {
    const found = await moving.inTheWay(loader.ask);
    const restores = [...mark.restores, ...found.map(({ restore }) => restore)];
    await runAll(
      loader,
      found.map(({ remove }) => remove),
    );
    for (const { name } of movedTables(await tablesOf(loader)))
      await loader.run(`delete from ${names.quoted(name)}`);
    await runAll(loader, [forgetEntries('place', names), forgetEntries('restore', names)]);
    for (const [index, value] of restores.entries())
      await runAll(loader, putEntry({ kind: 'restore', name: String(index).padStart(6, '0'), value }, names));
    await runAll(loader, putEntry({ kind: 'phase', name: '', value: 'filling' }, names));
  });

/** The largest id that each table has assigned, also to a deleted row, becomes the largest at the destination. */
const countersOf = async (source: TableSnapshot, loader: TableLoader): Promise<readonly string[]> => {
  const {
    names,
    schema: { moving },
  } = loader.dialect;
  const given = new Map(
    (await source.dialect.schema.moving.counters(source.ask)).map(({ table, last }) => [table, last]),
  );
  const statements: string[] = [];
  for (const { table, column } of (await moving.counters(loader.ask)).filter(({ table }) => !isMark(table))) {
    const [row] = await loader.ask<{ largest: string | null }>(
      `select cast(max(${quoteName(column)}) as text) as largest from ${names.quoted(table)}`,
    );
    const largest = [given.get(table) ?? 0n, BigInt(row?.largest ?? 0)].reduce((a, b) => (a > b ? a : b));
    statements.push(...moving.setCounter({ table, column, last: largest }));
  }
  return statements;
};

const endFilling = async (
  source: TableSnapshot,
  loader: TableLoader,
  restores: readonly string[],
): Promise<void> => {
  const { names } = loader.dialect;
  const counters = await countersOf(source, loader);
  // The words follow from the records, which were copied without the triggers that make them.
  const words = [...(await tablesOf(loader)).values()].flatMap(({ name, search }) =>
    search === undefined ? [] : loader.dialect.schema.search.refill({ of: name, columns: search }),
  );
  await loader.transaction(async () => {
    await runAll(loader, [...counters, ...words, ...restores, forgetEntries('restore', names)]);
    await runAll(loader, putEntry({ kind: 'phase', name: '', value: 'filled' }, names));
  });
};

const fill = async (parts: MoveParts): Promise<void> => {
  const { source, destination, onProgress } = parts;
  const dialect = await destination.dialect();
  await destination.load(async (loader) => {
    const tables = await tablesOf(loader);
    const markOf = async (): Promise<DestinationMark> => {
      const mark = await readDestinationMark(loader.ask, tables, destination.names);
      if (mark === undefined) throw new MoveError('another process has changed the destination meanwhile');
      return mark;
    };
    if ((await markOf()).phase === 'made') await beginFilling(loader, dialect, await markOf());
    const mark = await markOf();
    if (mark.phase === 'filled') return;
    await source.snapshot(async (snapshot) => {
      for (const table of ownTablesOf(await tablesOf(snapshot), tables)) {
        const target = tables.get(table.name);
        if (target === undefined) continue;
        const reportCopy = (name: string, rows: number): void =>
          onProgress({ doing: 'copying', table: name, rows });
        await copyTable(
          { source: snapshot, loader, onProgress: reportCopy },
          table,
          target,
          mark.places.get(table.name),
        );
      }
      onProgress({ doing: 'restoring' });
      await endFilling(snapshot, loader, mark.restores);
    });
  });
};

const checksumsOf = (
  parts: MoveParts,
  target: DatabaseTarget,
  isMoved: (table: string) => boolean,
): Promise<TableChecksums> =>
  target.snapshot((snapshot) =>
    tableChecksums(
      snapshot,
      (table, rows) => parts.onProgress({ doing: 'comparing', table, rows }),
      (table) => !isMark(table) && isMoved(table),
    ),
  );

/** @throws MoveError where the two differ */
const compare = async (parts: MoveParts): Promise<TableChecksums> => {
  const made = await parts.destination.snapshot(tablesOf);
  // Without names of the service's own every table of the source is moved.
  const isMoved = (table: string): boolean => parts.source.names.prefix === undefined || made.has(table);
  const wanted = await checksumsOf(parts, parts.source, isMoved);
  const differences = checksumDifferences(wanted, await checksumsOf(parts, parts.destination, () => true));
  if (differences.length === 0) return wanted;
  throw new MoveError(
    `the destination does not hold what the source holds: ${differences.slice(0, 5).join('; ')}. Give the move up with --undo, empty the destination and start again`,
  );
};

const busyError = (message: string): MoveError =>
  new MoveError(`${message}; \`gatewright move --undo\` has the source take writes again`);

/** Prepares both databases: the source refuses writes, the destination has tables. */
const begin = async (parts: MoveParts): Promise<void> => {
  const { source, destination, destinationName, now } = parts;
  const fence = await sourceMarkOf(source);
  const mark = await destinationMarkOf(destination);
  if (fence?.state === 'moved' && mark?.id !== fence.id)
    throw busyError(`this database was moved to ${fence.destination} at ${fence.since}`);
  if (fence !== undefined && mark !== undefined && mark.id !== fence.id)
    throw busyError(`this database is being moved to ${fence.destination}: run the same command again`);
  const id = fence?.id ?? randomUUID();
  if (mark === undefined) await makeDestination(parts, id);
  if (fence !== undefined) return;
  // The rows of an earlier attempt were read before the source accepted writes again.
  if (mark !== undefined)
    await destination.load((loader) =>
      loader.transaction(async () => {
        await runAll(loader, putEntry({ kind: 'id', name: '', value: id }, destination.names));
        await runAll(loader, putEntry({ kind: 'phase', name: '', value: 'made' }, destination.names));
      }),
    );
  parts.onProgress({ doing: 'waiting' });
  const since = new Date(now).toISOString();
  const made = await destination.snapshot(tablesOf);
  await refuseWrites(source, { id, destination: destinationName, state: 'moving', since }, made);
};

/**
 * Copies a database to an empty one, and compares them. From its start the source refuses writes of every process,
 * also after this one has ended: the copy is one state, and the same call continues an interrupted one. A value that
 * the destination cannot store ends the move, and the source accepts writes again.
 * @throws MoveError, and errors of the databases
 */
export const moveDatabase = async (parts: MoveParts): Promise<Moved> => {
  await begin(parts);
  try {
    await fill(parts);
  } catch (error) {
    if (!(error instanceof UnmovableValue)) throw error;
    await takeWrites(parts.source);
    throw new MoveError(
      `${error.message}. The source takes writes again: change the value there, and start again with the same command`,
      { cause: error },
    );
  }
  const checksums = await compare(parts);
  await setMoved(parts.source);
  await parts.destination.load((loader) => loader.run(dropMark(destinationMark, parts.destination.names)));
  const counts = Object.values(checksums).map(({ rows }) => rows);
  return { tables: counts.length, rows: counts.reduce((sum, rows) => sum + rows, 0), checksums };
};
