/**
 * Restores a record from the trash with all records of its deletion, in one transaction. History and events show a
 * create of each record, and an update of those whose reference to it is set again.
 */

import { ConstraintError, type SqlValue, type Transaction } from '../../database/database.ts';
import type { RecordId } from '../../fields/key.ts';
import { toTimestamp } from '../../kernel/clock.ts';
import type { FieldError } from '../../kernel/field-error.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { errorAt } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import { keyOf, referencedRows } from '../../model/models.ts';
import type { ModelField } from '../../model/resource.ts';
import type { Collision } from '../../records/collisions.ts';
import { reasonOf } from '../../records/history.ts';
import { createPresent, createValuesIn, type WholeRecord } from '../../records/many.ts';
import type { SavedRecord } from '../../records/records.ts';
import type { FirstRecord, KeptRecord, NulledReferences } from '../../records/trash.ts';
import { relatedFor } from './area.ts';
import { grantOfSystem } from './grant-of-system.ts';
import type { ResourceContext, ServedResource } from './served-resource.ts';
import { recordKey, runInTransaction } from './transaction.ts';
import {
  conclude,
  isInTransaction,
  isRecorded,
  type RecordWrite,
  recordChange,
  type TransactionalWrite,
} from './writing.ts';

/** A reference of a restored record to another record. */
interface BundleReference {
  readonly field: ModelField;
  readonly model: string;
  readonly id: RecordId;
  readonly key: string;
}

/** A record to be restored, with the values that its table accepts now. */
export interface RestoredRecord {
  readonly resource: ServedResource;
  readonly key: string;
  readonly id: RecordId;
  /** Its version after the restore. */
  readonly version: number;
  readonly values: JsonObject;
  readonly columns: Readonly<Record<string, SqlValue>>;
  /** References to other records of the bundle. */
  readonly within: readonly BundleReference[];
  readonly errors: readonly FieldError[];
}

/** A record of the trash whose model exists. */
interface Kept {
  readonly resource: ServedResource;
  readonly key: string;
  readonly kept: KeptRecord;
  readonly record: JsonObject;
  readonly references: readonly BundleReference[];
}

const referencesOf = ({ model }: ServedResource, record: JsonObject): readonly BundleReference[] =>
  [...model.fields.values()].flatMap((field): BundleReference[] => {
    const { reference, name } = field;
    const id = field.referenceKey?.of(record[name]);
    if (id === undefined || reference === undefined) return [];
    return [{ field, model: reference, id, key: recordKey(reference, id) }];
  });

const keptOf = (context: ResourceContext, kept: KeptRecord): Kept | undefined => {
  const { model, id, record } = kept;
  // Its values were erased, or its model was removed.
  if (record === null || !context.models.has(model)) return undefined;
  const resource = context.resourceOf(model);
  return { resource, key: recordKey(model, id), kept, record, references: referencesOf(resource, record) };
};

/** The records of a bundle without the erased ones, and without those that a deletion of these would take along. */
const remaining = (
  context: ResourceContext,
  kept: readonly KeptRecord[],
): { readonly records: readonly Kept[]; readonly lost: ReadonlySet<string> } => {
  const lost = new Set<string>();
  let records = kept.flatMap((each) => {
    const found = keptOf(context, each);
    if (found === undefined) lost.add(recordKey(each.model, each.id));
    return found ?? [];
  });
  for (let before = -1; before !== lost.size; ) {
    before = lost.size;
    records = records.filter(({ key, references }) => {
      const goes = references.some((each) => each.field.onDelete === 'cascade' && lost.has(each.key));
      if (goes) lost.add(key);
      return !goes;
    });
  }
  return { records, lost };
};

/** Records outside of the bundle to which its records refer, and which no longer exist. */
const missingOf = async (
  transaction: Transaction,
  { database, models }: ResourceContext,
  records: readonly Kept[],
  back: ReadonlySet<string>,
): Promise<ReadonlySet<string>> => {
  const outside = records.flatMap(({ references }) => references.filter(({ key }) => !back.has(key)));
  const missing = new Set<string>();
  for (const [model, references] of Map.groupBy(outside, (each) => each.model)) {
    const ids = [...new Set(references.map(({ id }) => id))];
    const present = await createPresent(
      database,
      referencedRows(models, model),
      keyOf(models, model),
    )(transaction, ids);
    for (const id of ids) if (!present.has(id)) missing.add(recordKey(model, id));
  }
  return missing;
};

/**
 * References with `same` to records of another value by now. Those of the bundle may be as far apart as others: the
 * field may have got its `same` after the deletion.
 */
const strayingOf = async (
  transaction: Transaction,
  { database, models }: ResourceContext,
  records: readonly Kept[],
): Promise<ReadonlySet<BundleReference>> => {
  const inBundle = new Map(records.map(({ key, record }) => [key, record]));
  const bound = records.flatMap(({ record, references }) =>
    references.flatMap((reference) => {
      const { same } = reference.field;
      return same === undefined ? [] : { reference, same, value: record[same] ?? null };
    }),
  );
  const straying = new Set<BundleReference>();
  for (const some of Map.groupBy(bound, ({ reference, same }) => `${reference.model} ${same}`).values()) {
    const [{ reference: { model } = { model: '' }, same = '' } = {}] = some;
    const ids = some.flatMap(({ reference: { key, id } }) => (inBundle.has(key) ? [] : id));
    const column = createValuesIn(database, referencedRows(models, model), keyOf(models, model), same);
    const stored = await column(transaction, [...new Set(ids)]);
    for (const { reference, value } of some) {
      const other = inBundle.get(reference.key)?.[same] ?? stored.get(reference.id) ?? null;
      if (value === null || Number(other) !== value) straying.add(reference);
    }
  }
  return straying;
};

const toRestored = (
  { resource, key, kept, record, references }: Kept,
  isGone: (reference: BundleReference) => boolean,
  back: ReadonlySet<string>,
): RestoredRecord => {
  const { model, validate, collision, context } = resource;
  const gone = references.filter(isGone);
  const nulled = gone.filter(({ field }) => field.onDelete === 'null');
  const held = new Set(gone.filter((each) => !nulled.includes(each)).map(({ field }) => field.name));
  const values = { ...record, ...Object.fromEntries(nulled.map(({ field }) => [field.name, null])) };
  // Validated against the current fields: those that were added later get their default or null.
  const validated = validate(values, 'create', model.fields);
  const setHere = [...model.fields.values()].filter(({ serverSet }) => serverSet);
  // A number that was counted later than the deletion is missing.
  const own = Object.fromEntries(
    setHere.map(({ name, type, options }): [string, SqlValue] => {
      const value = name === 'updated_at' ? toTimestamp(context.clock()) : (record[name] ?? null);
      return [name, value === null ? null : type.encode(value, options)];
    }),
  );
  return {
    resource,
    key,
    id: kept.id,
    version: kept.version + 1,
    values: validated.values,
    columns: { ...validated.columns, ...own },
    within: references.filter((each) => back.has(each.key) && !isGone(each)),
    errors: [
      ...validated.errors.filter(({ field }) => !held.has(field)),
      ...[...held].map((field) => collision({ field, rule: 'reference' })),
    ],
  };
};

/**
 * Prepares the records of a bundle. A reference to a missing record, or to one that its `same` excludes, becomes null
 * if its `onDelete` is `null`, and is an error otherwise. Erased records are left out, with those that a deletion of
 * these would take along.
 */
const prepareBundle = async (
  transaction: Transaction,
  context: ResourceContext,
  kept: readonly KeptRecord[],
): Promise<readonly RestoredRecord[]> => {
  const { records, lost } = remaining(context, kept);
  const back = new Set(records.map(({ key }) => key));
  const missing = new Set([...lost, ...(await missingOf(transaction, context, records, back))]);
  const straying = await strayingOf(transaction, context, records);
  const isGone = (each: BundleReference): boolean => missing.has(each.key) || straying.has(each);
  return records.map((each) => toRestored(each, isGone, back));
};

/** The records with the numbers of their files, which the trash keeps by their descriptions. */
const withFiles = async (
  transaction: Transaction,
  { files, models, resourceOf }: ResourceContext,
  kept: readonly KeptRecord[],
): Promise<readonly KeptRecord[]> => {
  if (files === undefined) return kept;
  const numbered: KeptRecord[] = [];
  for (const each of kept) {
    const { model, id, record } = each;
    const resource = record === null || !models.has(model) ? undefined : resourceOf(model);
    const values =
      resource === undefined || record === null || resource.files.length === 0
        ? record
        : await files.restored(resource, id, record, transaction);
    numbered.push({ ...each, record: values });
  }
  return numbered;
};

/** Thrown if the records are not valid any more; the messages are looked up after the rollback. */
class UnfitError extends Error {}

/** Records that can be inserted next, as their references exist; those of `later` are null first and set afterwards. */
interface Round {
  readonly records: readonly RestoredRecord[];
  readonly later: readonly (readonly [record: RestoredRecord, column: string])[];
}

/** The references of a record to records of the bundle that are not inserted yet. */
const waitsFor = (record: RestoredRecord, placed: ReadonlySet<string>): readonly string[] =>
  record.within.filter(({ key }) => key !== record.key && !placed.has(key)).map(({ field }) => field.name);

/**
 * The order of the inserts: referenced records come first. In a cycle, references that may be null are set once all its
 * records exist.
 */
const roundsOf = function* (records: readonly RestoredRecord[]): Generator<Round> {
  const placed = new Set<string>();
  let left = records;
  while (left.length > 0) {
    let ready = left.filter((record) => waitsFor(record, placed).length === 0);
    let later: Round['later'] = [];
    if (ready.length === 0) {
      // A cycle: at least one of its references may be null, or it could not have been stored.
      const free = left.filter((record) => {
        const waiting = waitsFor(record, placed);
        return record.within.every(({ field }) => !field.required || !waiting.includes(field.name));
      });
      ready = free.length === 0 ? [...left] : free;
      later = free.flatMap((record) => waitsFor(record, placed).map((column) => [record, column] as const));
    }
    yield { records: ready, later };
    for (const { key } of ready) placed.add(key);
    const going = new Set(ready);
    left = left.filter((record) => !going.has(record));
  }
};

/**
 * Inserts the records, one statement for those of a model. Returns the stored records with JSON text of every field.
 */
const insertAll = async (
  { acting }: TransactionalWrite,
  records: readonly RestoredRecord[],
): Promise<ReadonlyMap<RestoredRecord, WholeRecord>> => {
  const { transaction } = acting.shared;
  const inserted = new Map<RestoredRecord, WholeRecord>();
  const take = (some: readonly RestoredRecord[], found: Iterable<WholeRecord>): void => {
    const byId = new Map(some.map((record) => [record.id, record]));
    for (const row of found) {
      const record = byId.get(row.id);
      if (record !== undefined) inserted.set(record, row);
    }
  };
  const filled: (readonly [RestoredRecord, string])[] = [];
  for (const round of roundsOf(records)) {
    const without = Map.groupBy(round.later, ([record]) => record);
    for (const [resource, some] of Map.groupBy(round.records, (record) => record.resource)) {
      const rows = some.map((record) => {
        const nulls = (without.get(record) ?? []).map(([, column]) => [column, null] as const);
        return { version: record.version, columns: { ...record.columns, ...Object.fromEntries(nulls) } };
      });
      take(some, await resource.many.reinsert(transaction, rows));
    }
    filled.push(...round.later);
  }
  for (const [{ resource, id, columns }, column] of filled) {
    const [field, value] = [resource.model.fields.get(column), columns[column]];
    if (field !== undefined && value != null) await resource.many.fill(transaction, id, field, value);
  }
  for (const [resource, some] of Map.groupBy(
    new Set(filled.map(([record]) => record)),
    (record) => record.resource,
  ))
    take(
      some,
      (
        await resource.many.current(
          transaction,
          some.map(({ id }) => id),
        )
      ).values(),
    );
  return inserted;
};

/** Sets references again that the deletion set to null, unless they have another value by now. */
const referAgain = async (
  write: TransactionalWrite,
  { bundle }: FirstRecord,
  { model, field: named, target }: NulledReferences,
  isBack: (model: string, id: RecordId) => boolean,
): Promise<void> => {
  const { context } = write.resource;
  const field = context.models.get(model)?.fields.get(named);
  // The target may not be restored, and the field may refer to another model by now.
  if (field?.reference === undefined || !isBack(field.reference, target)) return;
  const resource = context.resourceOf(model);
  const { many } = resource;
  const { shared } = write.acting;
  const { transaction } = shared;
  const noted = { bundle, field: named, target };
  const ids = isRecorded(resource) ? await many.released(transaction, field, noted) : [];
  const before = await many.current(transaction, ids);
  await many.refer(transaction, field, noted, context.clock());
  shared.writes += 1;
  const within: TransactionalWrite = { resource, acting: write.acting, grant: grantOfSystem(resource.model) };
  for (const [id, { version, whole }] of await many.current(transaction, ids))
    recordChange(within, {
      record: id,
      version,
      action: 'update',
      before: before.get(id)?.whole,
      after: whole,
    });
};

const saved = ({ id, version, whole }: WholeRecord): SavedRecord => ({ id, version, json: whole, whole });

/** Completes the creates of the records beside the first one, on behalf of the system. */
const concludeAlong = async (
  write: TransactionalWrite,
  along: readonly RestoredRecord[],
  inserted: ReadonlyMap<RestoredRecord, WholeRecord>,
): Promise<void> => {
  for (const record of along) {
    const { resource, values } = record;
    const row = inserted.get(record);
    if (row === undefined) continue;
    const grant = grantOfSystem(resource.model);
    const own: TransactionalWrite = { resource, acting: write.acting, grant, restores: true };
    await conclude(own, 'create', saved(row), undefined, values);
  }
};

/** The records of an attempt, for the messages of a refusal. */
interface Attempt {
  records: readonly RestoredRecord[];
}

const restoreBundle = async (
  write: TransactionalWrite,
  id: RecordId,
  versions: readonly number[] | undefined,
  attempt: Attempt,
): Promise<SavedRecord> => {
  const { resource, acting, grant } = write;
  const { model, context, show } = resource;
  const { transaction } = acting.shared;
  const first = await context.trash.find(resource.records.source, grant, id, transaction);
  if (first === undefined) throw new Problem('record_not_found');
  if (versions !== undefined && !versions.includes(first.version)) throw new Problem('stale');
  const bundle = await context.trash.bundle(transaction, first.bundle);
  const kept = await withFiles(transaction, context, [first, ...bundle.along]);
  const records = await prepareBundle(transaction, context, kept);
  attempt.records = records;
  const [leading, ...along] = records;
  if (leading === undefined || records.some(({ errors }) => errors.length > 0)) throw new UnfitError();
  const inserted = await insertAll(write, records);
  const row = inserted.get(leading);
  if (row === undefined) throw new Error('an insert returned no record');
  const shown = await show(grant, id, [], { within: transaction });
  if (shown === undefined) throw new Problem('forbidden');
  const keys = new Set(records.map(({ key }) => key));
  const system = { ...acting, reason: reasonOf('restore', model.name, id) };
  const answer = { ...saved(row), json: shown.json };
  return conclude({ ...write, restores: true }, 'create', answer, undefined, leading.values, async () => {
    const within = { ...write, acting: system };
    await concludeAlong(within, along, inserted);
    for (const each of bundle.references)
      await referAgain(within, first, each, (of, target) => keys.has(recordKey(of, target)));
    await context.trash.clear(transaction, first.bundle);
    return records.length > 1 || bundle.references.length > 0;
  });
};

/** Messages of a record; those of a record beside the first one name it before the field. */
const placed = ({ resource, id }: RestoredRecord, errors: readonly FieldError[], isFirst: boolean) =>
  isFirst ? errors : errors.map((error) => errorAt(error, `${resource.model.plural}.${id}.${error.field}`));

/**
 * The fields of a deleted record that messages may name: in the administration area all, elsewhere those that the
 * caller reads of it.
 */
const namedFields = async (
  { acting, grant }: RecordWrite,
  { resource, id }: RestoredRecord,
  isFirst: boolean,
): Promise<ReadonlySet<string>> => {
  const { model, context, records } = resource;
  if (acting.area.name === 'admin') return new Set(model.fields.keys());
  const reads = isFirst ? grant : relatedFor(context, acting)(model.name)?.grant;
  const kind = isFirst ? 'first' : 'along';
  return new Set(reads && (await context.trash.fieldsShown(records.source, reads, kind, id)));
};

/**
 * All errors that prevent a restore: invalid values and references, and unique values that another record has by now.
 * Those about what the caller does not read are left out.
 */
const flawsOf = async (
  write: RecordWrite,
  records: readonly RestoredRecord[],
): Promise<readonly FieldError[]> => {
  const keys = new Set(records.map(({ key }) => key));
  const isThere = (model: string, id: unknown): boolean => keys.has(recordKey(model, String(id)));
  const found: FieldError[] = [];
  for (const [index, record] of records.entries()) {
    const { resource, columns, errors } = record;
    const refused = new Set(errors.map(({ field }) => field));
    const candidate = { columns, chosen: new Set<string>(), refused, isThere };
    const collisions = await resource.records.collisions(grantOfSystem(resource.model), candidate);
    const taken = collisions.filter(({ field }) => !refused.has(field));
    if (errors.length + taken.length === 0) continue;
    const named = await namedFields(write, record, index === 0);
    const isNamed = ({ field, others = [] }: Pick<Collision, 'field' | 'others'>): boolean =>
      [field, ...others].every((name) => named.has(name));
    const shown = [...errors.filter(isNamed), ...taken.filter(isNamed).map(resource.collision)];
    found.push(...placed(record, shown, index === 0));
  }
  return found;
};

/**
 * Restores a deleted record from the trash under its own id, with the records that were deleted with it. The version
 * that the deletion made must be one of the given ones, if there are any.
 * @throws Problem `record_not_found`, `stale`, `invalid_record`, `conflict`, and what a hook refuses with
 */
export const restore = async (
  write: RecordWrite,
  id: RecordId,
  versions: readonly number[] | undefined,
): Promise<SavedRecord> => {
  const { context, model, cascade } = write.resource;
  const { database, transactionLimit } = context;
  const runsCode = model.hooks.beforeCommit !== undefined || cascade.runsHooks;
  const attempt: Attempt = { records: [] };
  try {
    return await runInTransaction(
      database,
      (shared) => {
        const within = { ...write, acting: { ...write.acting, shared } };
        if (!isInTransaction(within)) throw new Error('a bundle is restored in one transaction');
        return restoreBundle(within, id, versions, attempt);
      },
      { table: model.table, limit: runsCode ? transactionLimit : undefined },
    );
  } catch (cause) {
    if (!(cause instanceof ConstraintError || cause instanceof UnfitError)) throw cause;
    const errors = await flawsOf(write, attempt.records);
    if (errors.length === 0) throw new Problem('conflict', { cause });
    throw new Problem('invalid_record', { errors, cause });
  }
};
