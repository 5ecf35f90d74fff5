/**
 * Finds the records that `onDelete: 'cascade'` deletes, runs their hooks, audits their deletion, and puts them into
 * the trash.
 *
 * The database deletes them in the statement that deletes the first one, so it deals with cycles and with references
 * that restrict. Here they are found before that statement, so that their hooks run and their deletion is audited, on
 * behalf of the system.
 */

import type { RecordId } from '../../fields/key.ts';
import { Problem } from '../../kernel/problem.ts';
import { reasonOf } from '../../records/history.ts';
import type { WholeRecord } from '../../records/many.ts';
import type { CurrentRecord } from '../../records/records.ts';
import { bundleName, type Trash, type TrashBundle, type TrashedRecord } from '../../records/trash.ts';
import { type Cascade, cascadeLimits } from './cascade-links.ts';
import { grantOfSystem } from './grant-of-system.ts';
import type { ResourceContext, ServedResource } from './served-resource.ts';
import { type Acting, recordKey, type SharedTransaction } from './transaction.ts';
import {
  actorOfWrite,
  afterCommit,
  beforeCommit,
  isRecorded,
  recordChange,
  type TransactionalWrite,
  traceWrite,
} from './writing.ts';

/** A new bundle of the trash, for one deletion and all records that it takes along. */
export const newTrashBundle = ({ clock }: Pick<ResourceContext, 'clock'>, acting: Acting): TrashBundle => ({
  bundle: bundleName(),
  at: clock(),
  actor: actorOfWrite(acting),
});

/** Most records of the trash that a transaction buffers in memory. */
const maxBufferedRecords = 512;

/**
 * Puts a deleted record into the trash, in the transaction that deleted it. Records are buffered and stored in batches,
 * the last one at the end of the transaction.
 */
export const intoTrash = async (
  trash: Trash,
  shared: SharedTransaction,
  record: TrashedRecord,
): Promise<void> => {
  const { trashed, transaction } = shared;
  const write = (): Promise<void> => trash.keep(transaction, trashed.splice(0));
  if (trashed.push(record) === 1) shared.beforeEnd(write);
  if (trashed.length >= maxBufferedRecords) await write();
};

/** A record that will be deleted. */
export interface Doomed {
  readonly model: string;
  readonly id: RecordId;
  /** Its bundle in the trash; absent if it is deleted for good. */
  readonly bundle?: TrashBundle | undefined;
}

interface Dependent extends Doomed {
  /** True if it is in the bundle of another record, and is restored with that one. */
  readonly along: boolean;
  readonly write: TransactionalWrite;
}

/** A record with history or events that loses a reference, as it is before. */
interface Nulled {
  readonly dependent: Dependent;
  readonly before: CurrentRecord | undefined;
}

/** Dependencies of a cascade. */
export interface CascadeParts {
  /** Effects of deleting records of the first one's model. */
  readonly cascade: Cascade;
  readonly resourceOf: (model: string) => ServedResource;
}

const currentOf = ({ write, id }: Dependent): Promise<CurrentRecord | undefined> =>
  write.resource.records.current(write.grant, id, write.acting.shared.transaction);

/** Stores the version and event of a record whose reference the deleting statement has set to null. */
const recordNulled = async ({ dependent, before }: Nulled): Promise<void> => {
  const after = before && (await currentOf(dependent));
  if (after === undefined || after.version === before?.version) return;
  const { write, id } = dependent;
  const { version } = after;
  recordChange(write, {
    record: id,
    version,
    action: 'update',
    before: before?.whole,
    after: after.whole,
  });
};

const stillThere = async (dependents: readonly Dependent[]): Promise<readonly Dependent[]> => {
  const states = await Promise.all(
    dependents.map(({ write, id }) =>
      write.resource.records.writeState(write.grant, id, write.acting.shared.transaction),
    ),
  );
  return dependents.filter((_, index) => states[index] !== undefined);
};

/** The final values of deleted records that hooks, history, events or the trash receive, read in batches. */
const lastOf = async (
  dependents: readonly Dependent[],
  { transaction }: SharedTransaction,
): Promise<ReadonlyMap<Dependent, WholeRecord>> => {
  const needed = dependents.filter(
    ({ write: { resource }, bundle }) =>
      resource.model.hooks.afterCommit !== undefined || isRecorded(resource) || bundle !== undefined,
  );
  const found = new Map<Dependent, WholeRecord>();
  for (const [resource, some] of Map.groupBy(needed, ({ write }) => write.resource)) {
    const records = await resource.many.current(
      transaction,
      some.map(({ id }) => id),
    );
    for (const dependent of some) {
      const record = records.get(dependent.id);
      if (record === undefined) continue;
      const whole = resource.records.withOriginals(dependent.id, record.whole, transaction);
      found.set(dependent, { ...record, whole });
    }
  }
  return found;
};

const keepTrashed = async (
  { write, model, id, bundle, along }: Dependent,
  version: number,
  record: string | undefined,
): Promise<void> => {
  if (bundle === undefined || record === undefined) return;
  const kind = along ? 'along' : 'first';
  const { context } = write.resource;
  await intoTrash(context.trash, write.acting.shared, { ...bundle, kind, model, id, version, record });
};

/** Ends what a deleted record owned. Only records that callers manage own anything. */
export const endOwned = async ({ resource, acting }: TransactionalWrite, id: RecordId): Promise<void> => {
  const { model, context } = resource;
  if (model.rules.manage === undefined) return;
  const { reason, shared } = acting;
  const actor = reason === undefined ? acting.actor() : { ...acting.actor(), reason };
  await context.ownerEnds({ model: model.name, id }, actor, shared.transaction);
};

class Cascading {
  readonly #first: Doomed;
  readonly #acting: Acting & { readonly shared: SharedTransaction };
  readonly #parts: CascadeParts;
  readonly #seen = new Set<string>();
  readonly #found: Dependent[] = [];

  constructor(first: Doomed, acting: Acting & { readonly shared: SharedTransaction }, parts: CascadeParts) {
    this.#first = first;
    this.#acting = { ...acting, reason: reasonOf('onDelete', first.model, first.id) };
    this.#parts = parts;
    this.#seen.add(recordKey(first.model, first.id));
  }

  /** Finds all dependents and runs their `beforeCommit`; records that these hooks add are found as well. */
  async gather(): Promise<readonly Dependent[]> {
    const { shared } = this.#acting;
    const begun = shared.writes;
    let writesSeen = begun;
    let frontier: readonly Doomed[] = [this.#first];
    for (let level = 1; ; level += 1) {
      const next = await this.#referring(frontier);
      if (next.length > 0 && level > cascadeLimits.levels) this.#refuse();
      await this.#runBeforeCommit(next);
      if (next.length > 0) frontier = next;
      else if (shared.writes === writesSeen)
        return shared.writes === begun ? this.#found : stillThere(this.#found);
      else {
        writesSeen = shared.writes;
        frontier = [this.#first, ...this.#found];
      }
    }
  }

  /** Records that refer to any of these and were not found before. */
  async #referring(frontier: readonly Doomed[]): Promise<readonly Dependent[]> {
    const { transaction } = this.#acting.shared;
    const next: Dependent[] = [];
    for (const [model, doomed] of Map.groupBy(frontier, (each) => each.model)) {
      const ids = doomed.map(({ id }) => id);
      for (const link of this.#cascadeOf(model).links)
        for (const { id, to } of await link.find(transaction, ids))
          this.#take(link.model, id, doomed.find((each) => each.id === to)?.bundle, next);
    }
    return next;
  }

  /** Records with history or events that lose a reference, as they are before. */
  async nulled(gone: readonly Doomed[]): Promise<readonly Nulled[]> {
    const { transaction } = this.#acting.shared;
    const found = new Map<string, Dependent>();
    for (const [model, doomed] of Map.groupBy([this.#first, ...gone], (each) => each.model)) {
      const ids = doomed.map(({ id }) => id);
      for (const link of this.#cascadeOf(model).nulled)
        for (const { id } of await link.find(transaction, ids)) {
          const key = recordKey(link.model, id);
          if (!this.#seen.has(key)) found.set(key, this.#dependent(link.model, id));
        }
    }
    if (found.size > cascadeLimits.records) this.#refuse();
    return Promise.all(
      [...found.values()].map(async (dependent) => ({ dependent, before: await currentOf(dependent) })),
    );
  }

  #dependent(model: string, id: RecordId, leading?: TrashBundle): Dependent {
    const resource = this.#parts.resourceOf(model);
    const acting = this.#acting;
    const own = resource.model.trash ? newTrashBundle(resource.context, acting) : undefined;
    const write = { resource, acting, grant: grantOfSystem(resource.model) };
    return { model, id, bundle: leading ?? own, along: leading !== undefined, write };
  }

  /** Notes references of remaining records that become null, so that a restore can set them again. */
  async note(dependents: readonly Dependent[]): Promise<void> {
    const { transaction } = this.#acting.shared;
    const going = [this.#first, ...dependents].filter((each) => each.bundle !== undefined);
    for (const [bundle, doomed] of Map.groupBy(going, (each) => each.bundle)) {
      if (bundle === undefined) continue;
      for (const [model, records] of Map.groupBy(doomed, (each) => each.model)) {
        const ids = records.map(({ id }) => id);
        for (const note of this.#cascadeOf(model).noted) await note(transaction, ids, bundle);
      }
    }
  }

  #take(model: string, id: RecordId, leading: TrashBundle | undefined, next: Dependent[]): void {
    const key = recordKey(model, id);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const dependent = this.#dependent(model, id, leading);
    const { shared } = this.#acting;
    shared.cascaded += 1;
    if (shared.cascaded > cascadeLimits.records) this.#refuse();
    this.#found.push(dependent);
    next.push(dependent);
  }

  #cascadeOf(model: string): Cascade {
    return model === this.#first.model ? this.#parts.cascade : this.#parts.resourceOf(model).cascade;
  }

  /** Runs the hooks one after the other; the records are read in one batch, and again if a hook has written since. */
  async #runBeforeCommit(next: readonly Dependent[]): Promise<void> {
    const hooked = next.filter(({ write }) => write.resource.model.hooks.beforeCommit !== undefined);
    const { shared } = this.#acting;
    const read = shared.writes;
    const records = await Promise.all(hooked.map(currentOf));
    for (const [index, dependent] of hooked.entries()) {
      const current = shared.writes === read ? records[index] : await currentOf(dependent);
      // Another hook may have deleted it.
      if (current === undefined) continue;
      await beforeCommit(dependent.write, 'destroy', dependent.id, current.whole, undefined);
    }
  }

  /** Refuses the cascade. Hooks may have written already, so the transaction is rolled back in any case. */
  #refuse(): never {
    const params = { max: cascadeLimits.records, levels: cascadeLimits.levels };
    return this.#acting.shared.refuse(new Problem('cascade_too_large', { params }));
  }
}

/**
 * Prepares the cascade of a record. Call it in the transaction, before the statement that deletes the record, and the
 * returned function after that statement.
 * @throws Problem `cascade_too_large`, and what a hook refuses with
 */
export const cascadeFrom = async (
  first: Doomed,
  acting: Acting & { readonly shared: SharedTransaction },
  parts: CascadeParts,
): Promise<() => Promise<void>> => {
  const { shared } = acting;
  const { writes } = shared;
  const cascading = new Cascading(first, acting, parts);
  const dependents = await cascading.gather();
  const last = await lastOf(dependents, shared);
  const nulled = await cascading.nulled(dependents);
  await cascading.note(dependents);
  const wrote = shared.writes !== writes;
  return async () => {
    // A hook may have made one refer to another record; the statement has not deleted that one.
    const left = new Set(wrote ? await stillThere(dependents) : []);
    for (const dependent of dependents) {
      if (left.has(dependent)) continue;
      const { write, id } = dependent;
      traceWrite(write, 'destroy', id, []);
      const { version = 0, whole, reach } = last.get(dependent) ?? {};
      recordChange(write, {
        record: id,
        version: version + 1,
        action: 'destroy',
        before: whole,
        after: undefined,
        reach,
      });
      await keepTrashed(dependent, version + 1, whole);
      await endOwned(write, id);
      afterCommit(write, 'destroy', { id, whole }, {});
    }
    for (const each of nulled) await recordNulled(each);
  };
};
