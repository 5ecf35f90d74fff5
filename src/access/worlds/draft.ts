/**
 * A world in the making: rows with cells, each of which is null or belongs to a class of equal values. Classes with
 * different names have different values unless both have few values to choose from.
 */

import type { ColumnValue } from '../../fields/field.ts';
import { type FieldShape, fieldIn, modelIn, type Shapes } from '../shapes.ts';

/** A class of equal values. */
export interface Equals {
  readonly shape: FieldShape;
  /** The value of all of them, if it is decided. */
  readonly value: ColumnValue | undefined;
  /** The values that they can have; undefined where there is no end of them. */
  readonly values: readonly ColumnValue[] | undefined;
}

/**
 * Where a row is: in the tables of now, or as it was when a record was deleted; a new record, or one as it will be, is
 * in no table yet.
 */
export type RowPlace = 'now' | 'kept' | 'new' | 'next';

export interface DraftRow {
  readonly model: string;
  readonly place: RowPlace;
  /** A number for a class, null for null; absent where nothing is known. */
  readonly cells: Map<string, number | null>;
}

/** The answer to a question about a draft: yes, no, or the class whose value has to be chosen first. */
export type DraftAnswer = 'yes' | 'no' | number;

/** The class of the caller's id. */
export const callerClass = 0;

const callerShape: FieldShape = {
  kind: 'reference',
  column: 'integer',
  required: true,
  values: undefined,
  reference: 'User',
  same: undefined,
  scale: 0,
};

/**
 * Two rows that have more in common than two records can. `one row`: they are the same. `one id`: they are the same
 * record. `impossible`: the database would refuse one of them beside the other.
 */
interface Twins {
  readonly kind: 'one row' | 'one id' | 'impossible';
  readonly one: number;
  readonly other: number;
}

export class WorldDraft {
  readonly shapes: Shapes;
  /** For each class the one to which it was joined, or itself. */
  readonly #joined: number[];
  readonly #classes: Equals[];
  /** For each row the one to which it was joined, or itself. */
  readonly #same: number[];
  readonly #rows: DraftRow[];
  /** Counts what was joined. */
  joins = 0;

  constructor(shapes: Shapes, from?: WorldDraft) {
    this.shapes = shapes;
    this.#joined = from === undefined ? [callerClass] : [...from.#joined];
    this.#classes =
      from === undefined ? [{ shape: callerShape, value: undefined, values: undefined }] : [...from.#classes];
    this.#same = from === undefined ? [] : [...from.#same];
    this.#rows = from === undefined ? [] : from.#rows.map((row) => ({ ...row, cells: new Map(row.cells) }));
  }

  copy(): WorldDraft {
    return new WorldDraft(this.shapes, this);
  }

  /** The class as it is now. */
  find(of: number): number {
    let at = of;
    for (let next = this.#joined[at]; next !== undefined && next !== at; next = this.#joined[at]) at = next;
    return at;
  }

  equals(of: number): Equals {
    const found = this.#classes[this.find(of)];
    if (found === undefined) throw new Error(`no class ${of}`);
    return found;
  }

  /** Adds a row of which nothing is known. */
  addRow(model: string, place: RowPlace): number {
    const row = this.#rows.length;
    this.#rows.push({ model, place, cells: new Map() });
    this.#same.push(row);
    return row;
  }

  /** The row as it is now. */
  rowAt(row: number): number {
    let at = row;
    for (let next = this.#same[at]; next !== undefined && next !== at; next = this.#same[at]) at = next;
    return at;
  }

  row(at: number): DraftRow {
    const found = this.#rows[this.rowAt(at)];
    if (found === undefined) throw new Error(`no row ${at}`);
    return found;
  }

  /** The rows, each once. */
  get rows(): readonly number[] {
    return this.#same.flatMap((same, row) => (same === row ? [row] : []));
  }

  shapeOf(row: number, field: string): FieldShape {
    return fieldIn(this.shapes, this.row(row).model, field);
  }

  /** The class of a cell, which has a value from now on. */
  filled(row: number, field: string): number {
    const { cells } = this.row(row);
    const known = cells.get(field);
    if (known !== undefined && known !== null) return this.find(known);
    const shape = this.shapeOf(row, field);
    const made = this.#classes.length;
    this.#joined.push(made);
    const [only, second] = shape.values ?? [];
    const isSingle = only !== undefined && second === undefined;
    this.#classes.push({ shape, value: isSingle ? only : undefined, values: shape.values });
    cells.set(field, made);
    return made;
  }

  /** The class of a cell; null where it may be null, and was never filled. */
  settled(row: number, field: string): number | null {
    const { cells } = this.row(row);
    const known = cells.get(field);
    if (known !== undefined) return known === null ? null : this.find(known);
    if (this.shapeOf(row, field).required) return this.filled(row, field);
    cells.set(field, null);
    return null;
  }

  /** The class of a cell, if it is known to have a value. */
  known(row: number, field: string): number | undefined {
    const cell = this.row(row).cells.get(field);
    return cell === undefined || cell === null ? undefined : this.find(cell);
  }

  setNull(row: number, field: string): void {
    this.row(row).cells.set(field, null);
  }

  /** Reduces what a class can be. False if nothing is left. */
  restrict(of: number, values: readonly ColumnValue[]): boolean {
    const at = this.find(of);
    const { shape, value, values: before } = this.equals(at);
    if (value !== undefined) return values.includes(value);
    const left = before === undefined ? values : values.filter((each) => before.includes(each));
    const [only, second] = left;
    if (only === undefined) return false;
    this.#classes[at] = { shape, value: second === undefined ? only : undefined, values: left };
    return true;
  }

  /** Makes two classes one. False if they cannot be equal. */
  join(one: number, other: number): boolean {
    const [a, b] = [this.find(one), this.find(other)].sort((x, y) => x - y) as [number, number];
    if (a === b) return true;
    const { value, values } = this.equals(b);
    this.#joined[b] = a;
    this.joins += 1;
    const known = value === undefined ? values : [value];
    return known === undefined || this.restrict(a, known);
  }

  /** Compares two classes. Classes without an end of values are different unless they are the same. */
  compare(one: number, other: number): DraftAnswer {
    const [a, b] = [this.find(one), this.find(other)];
    if (a === b) return 'yes';
    const [first, second] = [this.equals(a), this.equals(b)];
    if (first.value !== undefined) return this.compareValue(b, first.value);
    if (second.value !== undefined) return this.compareValue(a, second.value);
    if (first.values === undefined || second.values === undefined) return 'no';
    return first.values.some((each) => second.values?.includes(each)) ? a : 'no';
  }

  compareValue(of: number, value: ColumnValue): DraftAnswer {
    const { value: known, values } = this.equals(of);
    if (known !== undefined) return known === value ? 'yes' : 'no';
    return values?.includes(value) ? this.find(of) : 'no';
  }

  /** The row of a table that has an id; undefined if the draft has none. */
  rowWithId(model: string, place: RowPlace, id: number): number | undefined {
    return this.rows.find((at) => {
      const row = this.row(at);
      const known = row.model === model && row.place === place ? this.known(at, 'id') : undefined;
      return known !== undefined && this.compare(known, id) === 'yes';
    });
  }

  /** The row to which a reference leads, which is made if there is none. */
  rowNamed(model: string, place: RowPlace, id: number): number {
    const found = this.rowWithId(model, place, id);
    if (found !== undefined) return found;
    const made = this.addRow(model, place);
    this.row(made).cells.set('id', id);
    return made;
  }

  /** Makes two rows one. False if they cannot be. */
  #joinRows(one: number, other: number): boolean {
    const [kept, gone] = [this.row(one).cells, this.row(other).cells];
    this.#same[this.rowAt(other)] = this.rowAt(one);
    this.joins += 1;
    for (const [field, cell] of gone) {
      const own = kept.get(field);
      if (own === undefined || own === null) kept.set(field, cell ?? own ?? null);
      else if (cell !== null && !this.join(own, cell)) return false;
    }
    return true;
  }

  /**
   * True if two rows share the values of some fields; the class to be chosen first where that depends on it. A field
   * that may be null, and of which nothing is known, is null or different.
   */
  #share(one: number, other: number, fields: readonly string[]): DraftAnswer {
    let open: DraftAnswer = 'yes';
    for (const field of fields) {
      const isEndless = this.shapeOf(one, field).values === undefined;
      const shared = (at: number) =>
        isEndless || !this.shapeOf(at, field).required ? this.known(at, field) : this.filled(at, field);
      const [a, b] = [shared(one), shared(other)];
      if (a === undefined || b === undefined) return 'no';
      const answer = this.compare(a, b);
      if (answer === 'no') return 'no';
      if (answer !== 'yes') open = answer;
    }
    return open;
  }

  /** Two rows that one record must be: those with the same id, or with the same values of a unique set. */
  #twins(): Twins | undefined {
    const { rows } = this;
    for (const [index, one] of rows.entries())
      for (const other of rows.slice(index + 1)) {
        const kind = this.#areTwins(one, other);
        if (kind !== 'no') return { kind, one, other };
      }
    return undefined;
  }

  #areTwins(one: number, other: number): Twins['kind'] | 'no' {
    const [a, b] = [this.row(one), this.row(other)];
    if (a.model !== b.model) return 'no';
    const isOnePlace = a.place === b.place;
    if (!isOnePlace && (a.place === 'kept' || b.place === 'kept')) return 'no';
    if (this.#share(one, other, ['id']) === 'yes') {
      if (isOnePlace) return 'one row';
      // A record beside its own row of before.
      return a.place === 'next' || b.place === 'next' ? 'no' : 'impossible';
    }
    const { unique } = modelIn(this.shapes, a.model);
    if (!unique.some((set) => this.#share(one, other, set) === 'yes')) return 'no';
    if (isOnePlace) return 'one row';
    // A changed record shares such values with its own row of before at most.
    return a.place === 'next' || b.place === 'next' ? 'one id' : 'impossible';
  }

  #unite({ kind, one, other }: Twins): boolean {
    if (kind === 'impossible') return false;
    if (kind === 'one row') return this.#joinRows(one, other);
    return this.join(this.filled(one, 'id'), this.filled(other, 'id'));
  }

  /** Applies `same` to the references of a row whose records are in the draft. */
  #joinSame(at: number): boolean {
    const { model, place, cells } = this.row(at);
    for (const [field, { same, reference = '' }] of modelIn(this.shapes, model).fields) {
      const id = cells.get(field);
      if (same === undefined || id === undefined || id === null) continue;
      const named = this.rowWithId(reference, place === 'kept' ? 'kept' : 'now', id);
      if (named !== undefined && !this.join(this.filled(at, same), this.filled(named, same))) return false;
    }
    return true;
  }

  /** Draws the consequences of what the database keeps true. False if there is no such world. */
  close(): boolean {
    for (;;) {
      const before = this.joins;
      for (const at of this.rows) if (!this.#joinSame(at)) return false;
      if (this.joins > before) continue;
      const twins = this.#twins();
      if (twins === undefined) return true;
      if (!this.#unite(twins)) return false;
    }
  }
}
