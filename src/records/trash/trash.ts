/** `createTrash`: stores deleted records, shows them within a grant, and takes them out for a restore. */

import {
  type Database,
  type DeferredCaller,
  resolveCaller,
  type Transaction,
} from '../../database/database.ts';
import { recordNumber, storedRecord } from '../../database/record-column.ts';
import type { Source } from '../../database/source.ts';
import { RowStatements, sql } from '../../database/statement.ts';
import type { RecordId } from '../../fields/key.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { Grant } from '../../policy/grant.ts';
import { actorRow } from '../history/recorded.ts';
import { hiddenFields, shownFields } from '../masked-source.ts';
import { reachOf } from '../rows/reach.ts';
import { readerOf } from '../view.ts';
import {
  type FirstRecord,
  type FirstRow,
  firstRecord,
  type KeptRecord,
  keptRecord,
  type NulledReferences,
  recordColumns,
  type TrashedRecord,
  type TrashRow,
  trashColumns,
  trashTable,
} from './bundle.ts';
import {
  bundleStatements,
  createReachStatements,
  erasureStatements,
  purgeStatements,
} from './trash-statements.ts';

/** A deleted record with the fields that it hides from the caller. */
export interface ShownDeletion extends FirstRecord {
  readonly hidden: ReadonlySet<string>;
}

const shownDeletion = (row: FirstRow, { mask }: Grant): ShownDeletion => ({
  ...firstRecord(row),
  hidden: hiddenFields(mask, 'record', row),
});

/** The values of a new entry, by column. */
const entryOf = ({ kind, model, id, version, record, bundle, at, actor }: TrashedRecord) => ({
  kind,
  model,
  record_id: recordNumber(id),
  version,
  record,
  bundle,
  deleted_at: toTimestamp(at),
  ...actorRow(actor),
});

/** The deleted records; the conditions of a grant are checked on their stored values. */
export class Trash {
  readonly #database: Database;
  readonly #inserts: RowStatements;
  readonly #reach: ReturnType<typeof createReachStatements>;
  readonly #bundle: ReturnType<typeof bundleStatements>;
  readonly #purges: ReturnType<typeof purgeStatements>;
  readonly #erasure: ReturnType<typeof erasureStatements>;

  constructor(database: Database) {
    const { dialect } = database;
    this.#database = database;
    this.#inserts = new RowStatements(
      dialect,
      recordColumns.length,
      (rows) => sql`insert into ${trashTable} (${trashColumns(recordColumns)}) values ${rows}`,
    );
    this.#reach = createReachStatements(dialect);
    this.#bundle = bundleStatements(dialect);
    this.#purges = purgeStatements(dialect);
    this.#erasure = erasureStatements(dialect);
  }

  /** Stores records in the transaction of their deletion. */
  async keep(transaction: Transaction, records: readonly TrashedRecord[]): Promise<void> {
    const rows = records.map((record) => {
      const entry = entryOf(record);
      return recordColumns.map((column) => entry[column]);
    });
    await this.#inserts.write(transaction, rows);
  }

  /**
   * Returns a page of the deleted records of a grant, the latest first, and their number. Counting them is a scan.
   */
  async page(
    source: Source,
    grant: Grant,
    { limit, offset }: { readonly limit: number; readonly offset: number },
    by?: DeferredCaller,
  ): Promise<{ readonly records: readonly ShownDeletion[]; readonly total: number }> {
    const reach = reachOf(grant);
    if (reach === undefined) return { records: [], total: 0 };
    const caller = await resolveCaller(by);
    const { page, count } = this.#reach(source, reach, grant);
    const reached = { model: source.name, rows: reach.values, ...readerOf(grant) };
    const [counted] = await this.#database.scan<{ total: number }>(count(reached), caller);
    const rows = await this.#database.scan<FirstRow>(page({ ...reached, limit, offset }), caller);
    return { records: rows.map((row) => shownDeletion(row, grant)), total: Number(counted?.total ?? 0) };
  }

  /** Reads a deleted record of a grant; in a transaction it is locked until the end. */
  async find(
    source: Source,
    grant: Grant,
    id: RecordId,
    within?: Transaction,
  ): Promise<ShownDeletion | undefined> {
    const reach = reachOf(grant);
    if (reach === undefined) return undefined;
    const { first, locked } = this.#reach(source, reach, grant);
    const one = within === undefined ? first : locked;
    const row = await (within ?? this.#database).get<FirstRow>(
      one({ model: source.name, rows: reach.values, ...readerOf(grant), record: recordNumber(id) }),
    );
    return row && shownDeletion(row, grant);
  }

  /** The fields that a grant shows of a record in the trash; none of one that it does not reach. */
  async fieldsShown(
    source: Source,
    grant: Grant,
    kind: TrashedRecord['kind'],
    id: RecordId,
  ): Promise<readonly string[]> {
    const reach = reachOf(grant);
    if (reach === undefined) return [];
    const one = this.#reach(source, reach, grant)[kind];
    const row = await this.#database.get<FirstRow>(
      one({ model: source.name, rows: reach.values, ...readerOf(grant), record: recordNumber(id) }),
    );
    return row === undefined ? [] : shownFields(grant.readable, shownDeletion(row, grant).hidden);
  }

  /**
   * Reads the records of a bundle that were deleted along, in the order of their search, and its nulled references.
   */
  async bundle(
    transaction: Transaction,
    bundle: string,
  ): Promise<{
    readonly along: readonly KeptRecord[];
    readonly references: readonly NulledReferences[];
  }> {
    const { along, references } = this.#bundle;
    const [rows, noted] = await Promise.all([
      transaction.all<TrashRow>(along({ bundle })),
      transaction.all<{ model: string; field: string; target_id: number }>(references({ bundle })),
    ]);
    return {
      along: rows.map(keptRecord),
      references: noted.map(({ model, field, target_id }) => ({
        model,
        field,
        target: storedRecord(target_id),
      })),
    };
  }

  /**
   * Erases a record, and the rest of a bundle of which it is the first record. A bundle in which it was deleted along
   * stays, and is restored without it. Returns the number of erased entries.
   */
  async forget(transaction: Transaction, model: string, record: RecordId): Promise<number> {
    const values = { model, record: recordNumber(record) };
    await transaction.run(this.#erasure.references(values));
    const first = await transaction.run(this.#erasure.first(values));
    return first + (await transaction.run(this.#erasure.along(values)));
  }

  /**
   * Removes entries that were deleted before a time (milliseconds since 1970): up to `limit`, in a transaction of its
   * own, so that no write waits long. Returns their number; 0 if there are none left.
   */
  async purge(before: number, limit: number): Promise<number> {
    for (const purge of this.#purges) {
      const step = purge({ before: toTimestamp(before), limit });
      const removed = await this.#database.write((transaction) => transaction.run(step));
      if (removed > 0) return removed;
    }
    return 0;
  }

  /** Takes a bundle out of the trash. */
  async clear(transaction: Transaction, bundle: string): Promise<void> {
    await transaction.run(this.#bundle.clear({ bundle }));
  }
}

export const createTrash = (database: Database): Trash => new Trash(database);
