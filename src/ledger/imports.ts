/** The progress of imported files, and the lease that lets one run at a time import into a model. */

import type { Kysely } from 'kysely';
import type { Database, Transaction } from '../database/database.ts';
import { prepare, toQuery } from '../database/statement.ts';
import type { CoreSchema } from '../database/tables.ts';
import { tablesOf } from '../database/tables-of.ts';
import { type Clock, toTimestamp } from '../kernel/clock.ts';
import type { TableContext } from './context.ts';

/** The progress of importing a file. */
export interface ImportPlace {
  /** Bytes from the beginning of the file. */
  readonly bytes: number;
  /** SHA-256 of these bytes, lowercase hex. */
  readonly digest: string;
  /** Number of line ends among these bytes. */
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

/** Another run has taken over the model: this run may write nothing more. */
export class ImportTakenError extends Error {
  constructor() {
    super('another import has taken over');
    this.name = 'ImportTakenError';
  }
}

/** Returns the statement that counts a step of a run, if the run still holds the model. */
const countStep = (db: Kysely<CoreSchema>) =>
  prepare<{ model: string; run: string }>((param) =>
    db
      .updateTable('gatewright_imports')
      .set(({ eb }) => ({ steps: eb('steps', '+', 1) }))
      .where('model', '=', param('model'))
      .where('run', '=', param('run')),
  );

/**
 * The run that may import into a model, and the progress of its files. A run writes its progress in the transaction
 * of the records, and only while it holds the model, so that only one of two concurrent runs writes.
 */
export class ImportStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #db: Kysely<CoreSchema>;
  readonly #step: ReturnType<typeof countStep>;

  constructor({ database, clock }: TableContext) {
    this.#database = database;
    this.#clock = clock;
    this.#db = tablesOf(database);
    this.#step = countStep(this.#db);
  }

  /** The run that currently holds the model, and the number of steps so far. */
  async holder(model: string): Promise<{ readonly run: string; readonly steps: number } | undefined> {
    const row = await this.#database.get<{ run: string | null; steps: number }>(
      toQuery(this.#db.selectFrom('gatewright_imports').select(['run', 'steps']).where('model', '=', model)),
    );
    return row?.run == null ? undefined : { run: row.run, steps: Number(row.steps) };
  }

  /** Takes the model for a run, even from another run. Returns the progress of its files. */
  take(model: string, run: string): Promise<readonly StoredPlace[]> {
    const taken = this.#db
      .insertInto('gatewright_imports')
      .values({ model, run, steps: 0 })
      .onConflict((conflict) => conflict.column('model').doUpdateSet({ run }));
    const places = this.#db
      .selectFrom('gatewright_import_places')
      .selectAll()
      .where('model', '=', model)
      .orderBy('id');
    return this.#database.write(async (transaction) => {
      await transaction.run(toQuery(taken));
      const rows = await transaction.all<PlaceRow>(toQuery(places));
      return rows.map(placeOf);
    });
  }

  /**
   * Writes the progress of a file in the transaction of the imported records, as a new row or in place of `id`. Returns
   * its id.
   * @throws ImportTakenError
   */
  async move(
    transaction: Transaction,
    model: string,
    run: string,
    { bytes, digest, lines, created, updated }: ImportPlace,
    id: number | undefined,
  ): Promise<number> {
    if ((await transaction.run(this.#step({ model, run }))) !== 1) throw new ImportTakenError();
    const changed_at = toTimestamp(this.#clock());
    const values = { bytes, digest, lines, created, updated, changed_at };
    if (id === undefined) {
      const query = this.#db
        .insertInto('gatewright_import_places')
        .values({ model, ...values })
        .returning('id');
      const row = await transaction.get<{ id: number }>(toQuery(query));
      return Number(row?.id);
    }
    const query = this.#db.updateTable('gatewright_import_places').set(values).where('id', '=', id);
    if ((await transaction.run(toQuery(query))) !== 1) throw new ImportTakenError();
    return id;
  }

  /** Deletes the progress of a file whose end was reported. */
  async forget(id: number): Promise<void> {
    await this.#database.execute(
      toQuery(this.#db.deleteFrom('gatewright_import_places').where('id', '=', id)),
    );
  }

  /** Releases the model if this run still holds it. */
  async release(model: string, run: string): Promise<void> {
    const query = this.#db
      .updateTable('gatewright_imports')
      .set({ run: null })
      .where('model', '=', model)
      .where('run', '=', run);
    await this.#database.execute(toQuery(query));
  }
}
