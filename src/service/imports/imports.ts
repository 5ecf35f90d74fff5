import type { Transaction } from '../../database/database.ts';
import { prepare, toQuery } from '../../database/statement.ts';
import { tablesOf } from '../../database/tables-of.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { TableContext } from '../context.ts';

/** How far a file has been imported. */
export interface ImportPlace {
  /** From the beginning of the file. */
  readonly bytes: number;
  /** SHA-256 of these bytes, lowercase hex. */
  readonly digest: string;
  /** Ends of lines among these bytes. */
  readonly lines: number;
  readonly created: number;
  readonly updated: number;
}

export interface StoredPlace extends ImportPlace {
  readonly id: number;
  readonly changedAt: string;
}

interface PlaceRow extends Omit<StoredPlace, 'changedAt'> {
  readonly changed_at: string | Date;
}

const placeOf = ({ id, bytes, digest, lines, created, updated, changed_at }: PlaceRow): StoredPlace => ({
  id: Number(id),
  bytes: Number(bytes),
  digest,
  lines: Number(lines),
  created: Number(created),
  updated: Number(updated),
  changedAt: toTimestamp(new Date(changed_at).getTime()),
});

/** Another run has taken the model: nothing of this one may be written any more. */
export class ImportTakenError extends Error {
  constructor() {
    super('another import has taken over');
    this.name = 'ImportTakenError';
  }
}

/**
 * Which run may import into a model, and the places that files have reached. A run writes its place in the transaction
 * of the records, and only while the model is its own: of two runs, whatever they know of each other, one writes.
 */
export const createImports = ({ database, clock }: TableContext) => {
  const db = tablesOf(database);

  const step = prepare<{ model: string; run: string }>((param) =>
    db
      .updateTable('gatewright_imports')
      .set(({ eb }) => ({ steps: eb('steps', '+', 1) }))
      .where('model', '=', param('model'))
      .where('run', '=', param('run')),
  );

  const assertOwn = async (transaction: Transaction, model: string, run: string): Promise<void> => {
    if ((await transaction.run(step({ model, run }))) !== 1) throw new ImportTakenError();
  };

  return {
    /** The run that has the model, as far as anybody knows, and how many steps have been made. */
    holder: async (model: string): Promise<{ readonly run: string; readonly steps: number } | undefined> => {
      const row = await database.get<{ run: string | null; steps: number }>(
        toQuery(db.selectFrom('gatewright_imports').select(['run', 'steps']).where('model', '=', model)),
      );
      return row?.run == null ? undefined : { run: row.run, steps: Number(row.steps) };
    },

    /** Takes the model for a run, from any other run that has it. Returns the places of its files. */
    take: (model: string, run: string): Promise<readonly StoredPlace[]> =>
      database.write(async (transaction) => {
        const taken = db
          .insertInto('gatewright_imports')
          .values({ model, run, steps: 0 })
          .onConflict((conflict) => conflict.column('model').doUpdateSet({ run }));
        await transaction.run(toQuery(taken));
        const rows = await transaction.all<PlaceRow>(
          toQuery(
            db.selectFrom('gatewright_import_places').selectAll().where('model', '=', model).orderBy('id'),
          ),
        );
        return rows.map(placeOf);
      }),

    /**
     * Writes the place of a file, in the transaction of what was read up to it: a new one, or in the place of `id`.
     * Returns its id. @throws ImportTakenError
     */
    move: async (
      transaction: Transaction,
      model: string,
      run: string,
      { bytes, digest, lines, created, updated }: ImportPlace,
      id: number | undefined,
    ): Promise<number> => {
      await assertOwn(transaction, model, run);
      const changed_at = toTimestamp(clock());
      const values = { bytes, digest, lines, created, updated, changed_at };
      if (id === undefined) {
        const query = db
          .insertInto('gatewright_import_places')
          .values({ model, ...values })
          .returning('id');
        const row = await transaction.get<{ id: number }>(toQuery(query));
        return Number(row?.id);
      }
      const query = db.updateTable('gatewright_import_places').set(values).where('id', '=', id);
      if ((await transaction.run(toQuery(query))) !== 1) throw new ImportTakenError();
      return id;
    },

    /** Forgets a file whose end was reported. */
    forget: async (id: number): Promise<void> => {
      await database.execute(toQuery(db.deleteFrom('gatewright_import_places').where('id', '=', id)));
    },

    /** Gives the model back, where it is still this run's. */
    release: async (model: string, run: string): Promise<void> => {
      const query = db
        .updateTable('gatewright_imports')
        .set({ run: null })
        .where('model', '=', model)
        .where('run', '=', run);
      await database.execute(toQuery(query));
    },
  };
};

export type ImportStore = ReturnType<typeof createImports>;
