/** Makes the source of a move refuse writes of every process, or accept them again. */

import { CompiledQuery, Kysely, sql } from 'kysely';
import type { Dialect } from '../../../database/dialect.ts';
import type { Ask, Tables } from '../../../database/introspection.ts';
import { askThrough, readTables } from '../../../database/migrations.ts';
import type { DatabaseTarget } from '../../../database/target.ts';
import { isInboxEmpty, type NumberedEvents, numberInbox } from '../../../ledger/event-log.ts';
import { ownTablesOf } from './compare.ts';
import {
  dropMark,
  insertSourceMark,
  isMark,
  readSourceMark,
  type SourceMark,
  setSourceState,
  sourceMark,
} from './marks.ts';

/** The argument of work on the source in one transaction. */
interface SourceWork {
  readonly tables: Tables;
  readonly ask: Ask;
  /** Names of the tables that are moved. */
  readonly names: readonly string[];
  run(statements: readonly string[]): Promise<void>;
  /** Numbers the events that have no number yet. */
  numberEvents(): Promise<void>;
}

/** Runs work on the source in one transaction, excluding migrations and other moves. */
const onSource = async <T>(
  target: DatabaseTarget,
  work: (work: SourceWork, dialect: Dialect) => Promise<T>,
): Promise<T> => {
  const db = new Kysely<unknown>({ dialect: await target.migrationDriver() });
  const dialect = await target.dialect();
  const lock = { lockTable: 'none', lockRowId: 'none' };
  try {
    return await db.connection().execute(async (connection) => {
      await db.getExecutor().adapter.acquireMigrationLock(connection, lock);
      return connection.transaction().execute(async (transaction) => {
        const ask = askThrough(transaction);
        const tables = await readTables(ask, dialect);
        const names = [...tables.keys()].filter((name) => !isMark(name));
        const numbering = numberInbox(dialect);
        return work(
          {
            tables,
            ask,
            names,
            run: async (statements) => {
              for (const statement of statements) await sql.raw(statement).execute(transaction);
            },
            numberEvents: async () => {
              if (numbering === undefined) return;
              const { sql: text, parameters } = numbering({});
              for (let isEmpty = false; !isEmpty; ) {
                const compiled = CompiledQuery.raw(text, [...parameters]);
                isEmpty = isInboxEmpty((await transaction.executeQuery<NumberedEvents>(compiled)).rows[0]);
              }
            },
          },
          dialect,
        );
      });
    });
  } finally {
    await db.destroy();
  }
};

/** The destination of a database that is or was moved; undefined when it is not being moved. */
export const sourceMarkOf = (target: DatabaseTarget): Promise<SourceMark | undefined> =>
  target.snapshot(async ({ ask, dialect }) =>
    readSourceMark(ask, await readTables(ask, dialect), dialect.names),
  );

/**
 * Makes the database refuse every write of every process: the copy has all acknowledged writes and no later ones.
 * Events without numbers get them first. The refusal survives the end of this process.
 */
export const refuseWrites = (target: DatabaseTarget, mark: SourceMark, destination: Tables): Promise<void> =>
  onSource(target, async ({ tables, run, numberEvents }, { schema: { moving } }) => {
    const names = ownTablesOf(tables, destination).map(({ name }) => name);
    await run(moving.hold(names));
    await numberEvents();
    await run(moving.refuseWrites(names));
    await run(insertSourceMark(mark, target.names));
  });

/** Marks the database as moved. */
export const setMoved = (target: DatabaseTarget): Promise<void> =>
  onSource(target, ({ run }) => run([setSourceState('moved', target.names)]));

/** Makes the database accept writes again. Returns the mark of the move; undefined when there was none. */
export const takeWrites = (target: DatabaseTarget): Promise<SourceMark | undefined> =>
  onSource(target, async ({ tables, ask, names, run }, { schema: { moving } }) => {
    const mark = await readSourceMark(ask, tables, target.names);
    if (mark === undefined) return undefined;
    await run([...moving.takeWrites(names), dropMark(sourceMark, target.names)]);
    return mark;
  });
