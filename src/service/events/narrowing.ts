import type { ResourceModel } from '../../model/resource.ts';
import type { RowExpression } from '../../model/row-expression.ts';
import type { ReachTerm, RowReach } from '../../records/rows/reach.ts';
import type { RecordedEvent } from './event-log.ts';

/** Values of a record by column; of one that is gone those that were kept. */
export type RecordValues = Readonly<Record<string, unknown>>;

const ownIn = (expression: RowExpression): readonly string[] => {
  if ('rules' in expression) return expression.rules.flatMap(ownIn);
  return expression.kind === 'own' ? [expression.column] : [];
};

/** The columns that hold the id of the user who may read the record, by a rule of reading. */
export const readerColumns = ({ rules: { isolation }, owner }: ResourceModel): readonly string[] => {
  if (isolation === undefined) return [];
  if (isolation.byOwner === true) return owner === undefined ? [] : [owner];
  return [...new Set(ownIn(isolation.read.expression))];
};

const isSame = (one: unknown, other: unknown): boolean =>
  one !== null && one !== undefined && Number(one) === Number(other);

/**
 * Events with what their records hold, read once for many callers. It leaves out what a caller certainly may not
 * receive; the statement that asks about the rest has the last word.
 */
export class Narrowing {
  readonly #events: readonly RecordedEvent[];
  readonly #columns: readonly string[];
  readonly #values: ReadonlyMap<number, RecordValues>;
  /** Events by what the records hold in a column. */
  readonly #indexes = new Map<string, ReadonlyMap<number, readonly RecordedEvent[]>>();

  /** `values` by the id of the record. */
  constructor(
    events: readonly RecordedEvent[],
    columns: readonly string[],
    values: ReadonlyMap<number, RecordValues>,
  ) {
    this.#events = events;
    this.#columns = columns;
    this.#values = values;
  }

  /** Returns those that a caller with the reach may perhaps receive. */
  left({ terms, values }: RowReach): readonly RecordedEvent[] {
    const own = terms.findIndex((term) => typeof term === 'string' && this.#columns.includes(term));
    const column = terms[own];
    const events = typeof column === 'string' ? this.#with(column, Number(values[own])) : this.#events;
    if (terms.length === (column === undefined ? 0 : 1)) return events;
    return events.filter((event) => {
      const record = this.#valuesOf(event);
      return record !== undefined && terms.every((term, index) => this.#holds(term, record, values[index]));
    });
  }

  #valuesOf({ action, reach, record }: RecordedEvent): RecordValues | undefined {
    return action === 'destroy' ? (reach ?? undefined) : this.#values.get(record);
  }

  #with(column: string, value: number): readonly RecordedEvent[] {
    let index = this.#indexes.get(column);
    if (index === undefined) {
      index = Map.groupBy(this.#events, (event) => {
        const held = this.#valuesOf(event)?.[column];
        return held === null || held === undefined ? Number.NaN : Number(held);
      });
      this.#indexes.set(column, index);
    }
    return index.get(value) ?? [];
  }

  /** Whether a condition may hold; true where that is not known. */
  #holds(term: ReachTerm, record: RecordValues, value: unknown): boolean {
    if (typeof term === 'string') return !this.#columns.includes(term) || isSame(record[term], value);
    switch (term.kind) {
      case 'own':
        return isSame(record[term.column], value);
      case 'anyOf':
        return term.rules.some((rule) => this.#holds(rule, record, value));
      case 'allOf':
        return term.rules.every((rule) => this.#holds(rule, record, value));
      default:
        return true;
    }
  }
}
