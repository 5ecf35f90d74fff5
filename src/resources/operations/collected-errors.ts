/** Collects the validation errors of all records of one request, each under its place in the body. */

import { ConstraintError } from '../../database/database.ts';
import type { FieldError } from '../../kernel/field-error.ts';
import { errorAt } from '../../kernel/messages.ts';
import { Problem } from '../../kernel/problem.ts';
import type { ServedResource } from './served-resource.ts';

const under = (place: string, field: string): string => (field === '' ? place : `${place}.${field}`);

/** The messages of a record, with fields named under its place in the body. */
export const placed = (place: string, errors: readonly FieldError[]): readonly FieldError[] =>
  errors.map((each) => errorAt(each, under(place, each.field)));

/** Collects the messages of the records that one request writes, each under its record's place in the body. */
export class CollectedErrors {
  readonly #found: { readonly rank: number; readonly errors: readonly FieldError[] }[] = [];

  /** All messages by rank; those of one rank in the order in which they were added. */
  get found(): readonly FieldError[] {
    return [...this.#found].sort((a, b) => a.rank - b.rank).flatMap(({ errors }) => errors);
  }

  add(errors: readonly FieldError[], rank = 0): void {
    if (errors.length > 0) this.#found.push({ rank, errors });
  }

  /**
   * Runs the work of one record and collects its validation errors, so that all messages come at once. An id that does
   * not exist, or not for this caller, is such an error. Any other error is thrown.
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
      // The database refused the statement: no more statements can run in this transaction.
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

/** The messages of a problem with one record's values or its id; undefined for any other problem. */
export const errorsOf = (
  resource: ServedResource,
  { kind, errors }: Problem,
): readonly FieldError[] | undefined => {
  if (kind === 'record_not_found') return [resource.collision({ field: 'id', rule: 'reference' })];
  return kind === 'invalid_record' ? errors : undefined;
};
