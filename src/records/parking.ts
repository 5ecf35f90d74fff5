/**
 * Moves records out of the way of another record in their transaction, so that the records of one request can
 * exchange unique values.
 *
 * One of their unique values is replaced by a placeholder, which no caller can send or guess, until their own write
 * comes. That write restores the value unless it sets another. Everything that reads the record as it was before gets
 * the original value.
 */

import { randomUUID } from 'node:crypto';
import type { SqlValue, Transaction } from '../database/database.ts';
import { columnsOfRows, type Fragment, sql } from '../database/statement.ts';
import type { ColumnValue } from '../fields/field.ts';
import type { RecordId } from '../fields/key.ts';
import { exactText, parseExact } from '../kernel/exact-json.ts';
import type { Json } from '../kernel/json.ts';
import type { Models } from '../model/models.ts';
import type { ModelField, ResourceModel } from '../model/resource.ts';
import type { Grant } from '../policy/grant.ts';
import { columnsOf, reachOf } from './rows/reach.ts';

type Values = Readonly<Record<string, unknown>>;

/** The names of all columns that expressions within a value compare. */
const comparedIn = (value: unknown): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [];
  if (value instanceof Map || value instanceof Set) return comparedIn([...value]);
  return Object.entries(value).flatMap(([key, each]) =>
    key === 'column' && typeof each === 'string' ? [each] : comparedIn(each),
  );
};

const columnValue = ({ type, options }: ModelField, value: unknown): ColumnValue =>
  value === null || value === undefined ? null : type.encode(value as Json, options);

/** Takes the place of a unique value: an expression, or a value to be bound. */
type ParkedValue = { readonly sql: Fragment } | { readonly value: SqlValue };

/** Undefined where every value of the column is one that a body can have. */
const placeholderOf = ({ required, type }: ModelField, id: Fragment): ParkedValue | undefined => {
  if (!required) return { sql: sql`null` };
  if (type.column === 'text' || type.column === 'uuid') return { value: randomUUID() };
  // Below every whole number that a body can have.
  if (type.column === 'integer' || type.column === 'decimal')
    return { sql: sql`${sql.raw('-9007199254740992')} - ${id}` };
  return undefined;
};

/** A field whose value is replaced. */
interface ParkingPlace {
  readonly field: ModelField;
  readonly placeholder: ParkedValue;
}

export class Parking {
  /** Columns on which the access to any record may depend: they never have a placeholder. */
  readonly #compared: ReadonlySet<string>;
  readonly #id: Fragment;
  /** Other programs would see a placeholder, or refuse it. */
  readonly #isExternal: boolean;
  readonly #parked = new WeakMap<Transaction, Map<RecordId, Map<ModelField, unknown>>>();

  constructor(model: ResourceModel, models: Models) {
    const { owner = '' } = model;
    this.#isExternal = model.stored.external === true;
    this.#id = columnsOfRows(model.stored)('id');
    this.#compared = new Set([owner, ...comparedIn([...models.values()].map(({ rules }) => rules))]);
  }

  #of(within: Transaction | undefined, id: RecordId): ReadonlyMap<ModelField, unknown> | undefined {
    return within && this.#parked.get(within)?.get(id);
  }

  /** The field of a unique set that can have a placeholder; undefined if there is none. */
  placeIn(fields: readonly ModelField[], grant: Grant): ParkingPlace | undefined {
    if (this.#isExternal) return undefined;
    const reaches = [reachOf(grant), reachOf({ rows: grant.writes ?? [] })];
    const terms = new Set(reaches.flatMap((reach) => reach?.terms ?? []).flatMap(columnsOf));
    for (const field of fields) {
      const { name, reference, serverSet, fixed } = field;
      if (reference !== undefined || serverSet || fixed) continue;
      if (this.#compared.has(name) || terms.has(name)) continue;
      const placeholder = placeholderOf(field, this.#id);
      if (placeholder !== undefined) return { field, placeholder };
    }
    return undefined;
  }

  /** Notes that a record's field has a placeholder. `whole`: the record as it was before. */
  note(within: Transaction, id: RecordId, field: ModelField, whole: string): void {
    const records = this.#parked.get(within) ?? new Map<RecordId, Map<ModelField, unknown>>();
    const values = records.get(id) ?? new Map<ModelField, unknown>();
    this.#parked.set(within, records.set(id, values.set(field, (parseExact(whole) as Values)[field.name])));
  }

  /** Forgets a record: its own write has set its columns, or removed it. */
  forget(within: Transaction | undefined, id: RecordId): void {
    if (within !== undefined) this.#parked.get(within)?.delete(id);
  }

  isParked(within: Transaction, id: RecordId): boolean {
    return this.#of(within, id) !== undefined;
  }

  /** The original values of the columns with a placeholder. */
  originals(within: Transaction | undefined, id: RecordId): Readonly<Record<string, ColumnValue>> {
    const values = [...(this.#of(within, id) ?? [])];
    return Object.fromEntries(values.map(([field, value]) => [field.name, columnValue(field, value)]));
  }

  /** JSON text of a record, with the original values in place of the placeholders. */
  withOriginals<Text extends string | undefined>(
    within: Transaction | undefined,
    id: RecordId,
    whole: Text,
  ): Text {
    const values = this.#of(within, id);
    if (values === undefined || whole === undefined) return whole;
    const record = parseExact(whole) as Record<string, unknown>;
    // A view may lack the field.
    for (const [{ name }, value] of values) if (name in record) record[name] = value;
    return exactText(record) as Text;
  }

  /** True if a later write changes one of these fields. `next`: the columns that it sets; undefined if it deletes. */
  leaves(
    fields: readonly ModelField[],
    whole: string,
    next: Readonly<Record<string, ColumnValue>> | undefined,
  ): boolean {
    if (next === undefined) return true;
    const values = parseExact(whole) as Values;
    return fields.some((field) => {
      const value = next[field.name];
      return value !== undefined && value !== columnValue(field, values[field.name]);
    });
  }
}
