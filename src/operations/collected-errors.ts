import { ConstraintError } from '../database/database.ts';
import type { FieldError } from '../kernel/field-error.ts';
import { Problem } from '../kernel/problem.ts';
import type { ServedResource } from './served-resource.ts';

/** Records after which others get their turn, where many are written in a row. */
export const recordsInARow = 20;

const under = (place: string, field: string): string => (field === '' ? place : `${place}.${field}`);

/** Messages as those of a record that stands at a place of a body. */
export const placed = (place: string, errors: readonly FieldError[]): readonly FieldError[] =>
  errors.map((each) => ({ ...each, field: under(place, each.field) }));

/** Messages of records that are written by one request, each under its record's place in it. */
export class CollectedErrors {
  readonly #found: { readonly rank: number; readonly errors: readonly FieldError[] }[] = [];

  /** By rank; of one rank, in the order in which they were found. */
  get found(): readonly FieldError[] {
    return [...this.#found].sort((a, b) => a.rank - b.rank).flatMap(({ errors }) => errors);
  }

  add(errors: readonly FieldError[], rank = 0): void {
    if (errors.length > 0) this.#found.push({ rank, errors });
  }

  /**
   * Runs the work of one record. What is wrong with its values is collected, so that all messages come at once; an id
   * that is there for nobody, or not for this caller, is such a value. Anything else ends the request.
   */
  async of<T>(
    resource: ServedResource,
    place: string,
    work: () => Promise<T>,
    rank = 0,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const errors = errorsOf(resource, error);
      if (errors === undefined) throw error;
      this.add(placed(place, errors), rank);
      // The database itself refused it: nothing more can be asked in this transaction.
      if (error.cause instanceof ConstraintError) this.assertNone(error.cause);
      return undefined;
    }
  }

  /** @throws Problem `invalid_record` */
  assertNone(cause?: unknown): void {
    const errors = this.found;
    if (errors.length > 0) throw new Problem('invalid_record', { errors, cause });
  }
}

/** What is wrong with the values of one record, an id that is not there among them; undefined for any other problem. */
export const errorsOf = (
  resource: ServedResource,
  { kind, errors }: Problem,
): readonly FieldError[] | undefined => {
  if (kind === 'record_not_found') return [resource.collision({ field: 'id', rule: 'reference' })];
  return kind === 'invalid_record' ? errors : undefined;
};
