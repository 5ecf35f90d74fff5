import { ConstraintError } from '../database/database.ts';
import type { FieldError } from '../kernel/field-error.ts';
import { Problem } from '../kernel/problem.ts';
import type { WholeRecord } from '../records/many.ts';
import type { SavedRecord } from '../records/records.ts';
import type { FirstRecord, NulledReferences } from '../records/trash/bundle.ts';
import { grantOfSystem } from './grant-of-system.ts';
import { isRecorded, recordChange } from './record-change.ts';
import { isShared, type RecordWrite, type SharedWrite } from './record-write.ts';
import { type Returning, returningFrom } from './returning.ts';
import { reasonOf } from './shown-actor.ts';
import { recordKey, together } from './transaction.ts';
import { conclude } from './writing.ts';

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
