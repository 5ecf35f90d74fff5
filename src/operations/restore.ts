import { ConstraintError, type SqlValue, type Transaction } from '../database/database.ts';
import { toTimestamp } from '../kernel/clock.ts';
import type { FieldError } from '../kernel/field-error.ts';
import type { JsonObject } from '../kernel/json.ts';
import { Problem } from '../kernel/problem.ts';
import { referencedTable } from '../model/models.ts';
import type { ModelField } from '../model/resource.ts';
import { reasonOf } from '../records/history/recorded.ts';
import { createPresent, type WholeRecord } from '../records/many.ts';
import type { SavedRecord } from '../records/records.ts';
import type { FirstRecord, KeptRecord, NulledReferences } from '../records/trash/bundle.ts';
import { grantOfSystem } from './grant-of-system.ts';
import type { ResourceContext, ServedResource } from './served-resource.ts';
import { recordKey, together } from './transaction.ts';
import {
  conclude,
  isRecorded,
  isShared,
  type RecordWrite,
  recordChange,
  type SharedWrite,
} from './writing.ts';

/** A reference of a record that comes back, and the record that it names. */
interface BundleReference {
  readonly field: ModelField;
  readonly model: string;
  readonly id: number;
  readonly key: string;
}

/** A record that comes back, as its table takes it now. */
export interface Returning {
  readonly resource: ServedResource;
  readonly key: string;
  readonly id: number;
  /** The one that it will have. */
  readonly version: number;
  readonly values: JsonObject;
  readonly columns: Readonly<Record<string, SqlValue>>;
  /** References to other records that come back. */
  readonly within: readonly BundleReference[];
  readonly errors: readonly FieldError[];
}

/** A record of the trash whose model is there. */
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
    const id = record[name];
    if (reference === undefined || typeof id !== 'number') return [];
    return [{ field, model: reference, id, key: recordKey(reference, id) }];
  });

const keptOf = (context: ResourceContext, kept: KeptRecord): Kept | undefined => {
  const { model, id, record } = kept;
  // It was forgotten, or its model is gone.
  if (record === null || !context.models.has(model)) return undefined;
  const resource = context.resourceOf(model);
  return { resource, key: recordKey(model, id), kept, record, references: referencesOf(resource, record) };
};

/** Without those that were forgotten, and without what would have gone with them. */
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

/** Records outside of the bundle to which some of it refers and that are gone. */
const missingOf = async (
  transaction: Transaction,
  { database, models }: ResourceContext,
  records: readonly Kept[],
  back: ReadonlySet<string>,
): Promise<ReadonlySet<string>> => {
  const asked = records.flatMap(({ references }) => references.filter(({ key }) => !back.has(key)));
  const missing = new Set<string>();
  for (const [model, references] of Map.groupBy(asked, (each) => each.model)) {
    const ids = [...new Set(references.map(({ id }) => id))];
    const present = await createPresent(database, referencedTable(models, model))(transaction, ids);
    for (const id of ids) if (!present.has(id)) missing.add(recordKey(model, id));
  }
  return missing;
};

const returning = (
  { resource, key, kept, record, references }: Kept,
  missing: ReadonlySet<string>,
  back: ReadonlySet<string>,
): Returning => {
  const { model, validate, collision, context } = resource;
  const gone = references.filter((each) => missing.has(each.key));
  const nulled = gone.filter(({ field }) => field.onDelete === 'null');
  const held = new Set(gone.filter((each) => !nulled.includes(each)).map(({ field }) => field.name));
  const values = { ...record, ...Object.fromEntries(nulled.map(({ field }) => [field.name, null])) };
  // What it is told to be is what the fields of now take: those that came later have their default or nothing.
  const validated = validate(values, 'create', model.fields);
  const own = {
    id: kept.id,
    created_at: String(record['created_at']),
    updated_at: toTimestamp(context.clock()),
  };
  return {
    resource,
    key,
    id: kept.id,
    version: kept.version + 1,
    values: validated.values,
    columns: { ...validated.columns, ...own },
    within: references.filter((each) => back.has(each.key)),
    errors: [
      ...validated.errors.filter(({ field }) => !held.has(field)),
      ...[...held].map((field) => collision({ field, rule: 'reference' })),
    ],
  };
};

/**
 * The records of a bundle as they come back. A reference to what is gone becomes null where it would have become so, and
 * else is told; what was forgotten is left out, with what would have gone with it.
 */
export const returningFrom = async (
  transaction: Transaction,
  context: ResourceContext,
  kept: readonly KeptRecord[],
): Promise<readonly Returning[]> => {
  const { records, lost } = remaining(context, kept);
  const back = new Set(records.map(({ key }) => key));
  const missing = new Set([...lost, ...(await missingOf(transaction, context, records, back))]);
  return records.map((each) => returning(each, missing, back));
};

/**
 * The return of a record from the trash, with all that went with it: what one deletion took away comes back in one
 * transaction, or nothing does. It is told as a create of each record, and as an update of those that get their reference
 * to it back.
 */

/** What cannot come back as it was. The messages are looked up where nothing has been refused by the database yet. */
class Unfit extends Error {}

/** Records that can be inserted now: what they refer to is there. Null stands for a reference that is set afterwards. */
interface Round {
  readonly records: readonly Returning[];
  readonly later: readonly (readonly [record: Returning, column: string])[];
}

/** The references of a record that lead to others of the bundle which are not there yet. */
const waitsFor = (record: Returning, placed: ReadonlySet<string>): readonly string[] =>
  record.within.filter(({ key }) => key !== record.key && !placed.has(key)).map(({ field }) => field.column);

/**
 * Which records come first: those to which others refer. Where some refer to one another, references that may be null
 * are set once all are there.
 */
const roundsOf = function* (records: readonly Returning[]): Generator<Round> {
  const placed = new Set<string>();
  let left = records;
  while (left.length > 0) {
    let ready = left.filter((record) => waitsFor(record, placed).length === 0);
    let later: Round['later'] = [];
    if (ready.length === 0) {
      // A circle: it was not made of references that must be there alone.
      const free = left.filter((record) => {
        const waiting = waitsFor(record, placed);
        return record.within.every(({ field }) => !field.required || !waiting.includes(field.column));
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

/** Inserts the records, those of a model together. Answers each as it is then, with JSON text of every field. */
const insertAll = async (
  { acting }: SharedWrite,
  records: readonly Returning[],
): Promise<ReadonlyMap<Returning, WholeRecord>> => {
  const { transaction } = acting.shared;
  const inserted = new Map<Returning, WholeRecord>();
  const take = (some: readonly Returning[], found: Iterable<WholeRecord>): void => {
    const byId = new Map(some.map((record) => [record.id, record]));
    for (const row of found) {
      const record = byId.get(row.id);
      if (record !== undefined) inserted.set(record, row);
    }
  };
  const filled: (readonly [Returning, string])[] = [];
  for (const round of roundsOf(records)) {
    const without = Map.groupBy(round.later, ([record]) => record);
    for (const [resource, some] of Map.groupBy(round.records, (record) => record.resource)) {
      const rows = some.map((record) => {
        const nulls = (without.get(record) ?? []).map(([, column]) => [column, null] as const);
        return { version: record.version, columns: { ...record.columns, ...Object.fromEntries(nulls) } };
      });
      take(some, await resource.many.bringBack(transaction, rows));
    }
    filled.push(...round.later);
  }
  for (const [{ resource, id, columns }, column] of filled) {
    const [field, value] = [resource.model.fields.get(column), columns[column]];
    if (field !== undefined) await resource.many.fill(transaction, id, field, Number(value));
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

/** Sets references again that the deletion took away, where nothing else has been put in their place. */
const referAgain = async (
  write: SharedWrite,
  { bundle }: FirstRecord,
  { model, field: named, target }: NulledReferences,
  isBack: (model: string, id: number) => boolean,
): Promise<void> => {
  const { context } = write.resource;
  const field = context.models.get(model)?.fields.get(named);
  // What it referred to may not have come back, and the field may be another one by now.
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
  const within: SharedWrite = { resource, acting: write.acting, grant: grantOfSystem(resource.model) };
  for (const [id, { version, whole }] of await many.current(transaction, ids))
    recordChange(within, {
      ...{ record: id, version, action: 'update' },
      ...{ before: before.get(id)?.whole, after: whole },
    });
};

const saved = ({ id, version, whole }: WholeRecord): SavedRecord => ({ id, version, json: whole, whole });

/** What came back beside the first record, as far as that is told: by the system, which names the reason. */
const concludeAlong = async (
  write: SharedWrite,
  along: readonly Returning[],
  inserted: ReadonlyMap<Returning, WholeRecord>,
): Promise<void> => {
  for (const record of along) {
    const { resource, values } = record;
    const row = inserted.get(record);
    if (row === undefined) continue;
    const own: SharedWrite = { resource, acting: write.acting, grant: grantOfSystem(resource.model) };
    await conclude(own, 'create', saved(row), undefined, values);
  }
};

/** What is tried, for the messages of what is refused. */
interface Attempt {
  records: readonly Returning[];
}

const bringBack = async (
  write: SharedWrite,
  id: number,
  versions: readonly number[] | undefined,
  attempt: Attempt,
): Promise<SavedRecord> => {
  const { resource, acting, grant } = write;
  const { model, context, show } = resource;
  const { transaction } = acting.shared;
  const first = await context.trash.find(model.name, id, transaction);
  if (first === undefined) throw new Problem('record_not_found');
  if (versions !== undefined && !versions.includes(first.version)) throw new Problem('stale');
  const bundle = await context.trash.bundle(transaction, first.bundle);
  const records = await returningFrom(transaction, context, [first, ...bundle.along]);
  attempt.records = records;
  const [leading, ...along] = records;
  if (leading === undefined || records.some(({ errors }) => errors.length > 0)) throw new Unfit();
  const inserted = await insertAll(write, records);
  const row = inserted.get(leading);
  if (row === undefined) throw new Error('an insert answered no record');
  const shown = await show(grant, id, [], { within: transaction });
  if (shown === undefined) throw new Problem('forbidden');
  const keys = new Set(records.map(({ key }) => key));
  const system = { ...acting, reason: reasonOf('restore', model.name, id) };
  const answer = { ...saved(row), json: shown.json };
  return conclude(write, 'create', answer, undefined, leading.values, async () => {
    const within = { ...write, acting: system };
    await concludeAlong(within, along, inserted);
    for (const each of bundle.references)
      await referAgain(within, first, each, (of, target) => keys.has(recordKey(of, target)));
    await context.trash.clear(transaction, first.bundle);
    return records.length > 1 || bundle.references.length > 0;
  });
};

/** The field of a record that came along is named behind the record. */
const placed = ({ resource, id }: Returning, errors: readonly FieldError[], isFirst: boolean) =>
  isFirst
    ? errors
    : errors.map((error) => ({ ...error, field: `${resource.model.plural}.${id}.${error.field}` }));

/** Everything for which records cannot come back: what was seen before, and values that somebody else has by now. */
const flawsOf = async (records: readonly Returning[]): Promise<readonly FieldError[]> => {
  const keys = new Set(records.map(({ key }) => key));
  const isThere = (model: string, id: unknown): boolean => keys.has(recordKey(model, Number(id)));
  const found: FieldError[] = [];
  for (const [index, record] of records.entries()) {
    const { resource, columns, errors } = record;
    const refused = new Set(errors.map(({ field }) => field));
    const candidate = { columns, chosen: new Set<string>(), refused, isThere };
    const collisions = await resource.records.collisions(grantOfSystem(resource.model), candidate);
    const more = collisions.filter(({ field }) => !refused.has(field)).map(resource.collision);
    found.push(...placed(record, [...errors, ...more], index === 0));
  }
  return found;
};

/**
 * Brings a deleted record back out of the trash, under its own id, with what went with it. The version that the deletion
 * made must be one of these, where they are given.
 * @throws Problem `record_not_found`, `stale`, `invalid_record`, `conflict`, and what a hook refuses with
 */
export const restore = async (
  write: RecordWrite,
  id: number,
  versions: readonly number[] | undefined,
): Promise<SavedRecord> => {
  const { context, model, cascade } = write.resource;
  const { database, transactionLimit } = context;
  const runsCode = model.hooks.beforeCommit !== undefined || cascade.runsHooks;
  const attempt: Attempt = { records: [] };
  try {
    return await together(
      database,
      (shared) => {
        const within = { ...write, acting: { ...write.acting, shared } };
        if (!isShared(within)) throw new Error('a bundle comes back in one transaction');
        return bringBack(within, id, versions, attempt);
      },
      { table: model.table, limit: runsCode ? transactionLimit : undefined },
    );
  } catch (cause) {
    if (!(cause instanceof ConstraintError || cause instanceof Unfit)) throw cause;
    const errors = await flawsOf(attempt.records);
    if (errors.length === 0) throw new Problem('conflict', { cause });
    throw new Problem('invalid_record', { errors, cause });
  }
};
