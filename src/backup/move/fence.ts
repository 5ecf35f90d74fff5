import { CompiledQuery, Kysely, sql } from 'kysely';
import type { Dialect } from '../../database/dialect.ts';
import type { Ask, Tables } from '../../database/introspection.ts';
import { askThrough } from '../../database/migrations/ask-through.ts';
import { readTables } from '../../database/migrations/read-tables.ts';
import { dialectOf } from '../../database/registry.ts';
import type { DatabaseTarget } from '../../database/target.ts';
import { isInboxEmpty, type NumberedEvents, numberInbox } from '../../service/events/event-log.ts';
import {
  dropMark,
  insertSourceMark,
  isMark,
  readSourceMark,
  type SourceMark,
  setSourceState,
  sourceMark,
} from './marks.ts';

/** The parts that work on the source in one transaction receives. */
interface SourceWork {
  readonly tables: Tables;
  readonly ask: Ask;
  /** Names of what is moved. */
  readonly names: readonly string[];
  run(statements: readonly string[]): Promise<void>;
  /** Gives numbers to events that have none yet. */
  numberEvents(): Promise<void>;
}

/** Runs some work on the source in one transaction, alone among those who migrate or move it. */
const onSource = async <T>(
  target: DatabaseTarget,
  work: (work: SourceWork, dialect: Dialect) => Promise<T>,
): Promise<T> => {
  const db = new Kysely<unknown>({ dialect: await target.migrationDriver() });
  const dialect = dialectOf(target);
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
            ...{ tables, ask, names },
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

/** Where a database goes, or went; undefined when it is not being moved. */
export const sourceMarkOf = (target: DatabaseTarget): Promise<SourceMark | undefined> =>
  target.snapshot(async ({ ask, dialect }) =>
    readSourceMark(ask, await readTables(ask, dialectOf({ dialect }))),
  );

/**
 * Has the database refuse every write from now on, of every process: what was acknowledged before is in it, and nothing is
 * afterwards. Events that wait for their numbers get them first. Stays through whatever ends this process.
 */
export const refuseWrites = (target: DatabaseTarget, mark: SourceMark): Promise<void> =>
  onSource(target, async ({ names, run, numberEvents }, { schema: { moving } }) => {
    await run(moving.hold(names));
    await numberEvents();
    await run(moving.refuseWrites(names));
    await run(insertSourceMark(mark));
  });

/** Says that the database was moved. */
export const setMoved = (target: DatabaseTarget): Promise<void> =>
  onSource(target, ({ run }) => run([setSourceState('moved')]));

/** Has the database take writes again. Returns the mark of the move; undefined when there was none. */
export const takeWrites = (target: DatabaseTarget): Promise<SourceMark | undefined> =>
  onSource(target, async ({ tables, ask, names, run }, { schema: { moving } }) => {
    const mark = await readSourceMark(ask, tables);
    if (mark === undefined) return undefined;
    await run([...moving.takeWrites(names), dropMark(sourceMark)]);
    return mark;
  });
