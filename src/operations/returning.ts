import type { SqlValue, Transaction } from '../database/database.ts';
import type { FieldError } from '../kernel/field-error.ts';
import type { JsonObject } from '../kernel/json.ts';
import { toTimestamp } from '../kernel/timestamp.ts';
import { referencedTable } from '../model/models.ts';
import type { ModelField } from '../model/resource.ts';
import { createPresent } from '../records/many.ts';
import type { KeptRecord } from '../records/trash/bundle.ts';
import type { ResourceContext, ServedResource } from './served-resource.ts';
import { recordKey } from './transaction.ts';

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
