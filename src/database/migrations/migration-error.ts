import { errorMessage } from '../../kernel/error-message.ts';

/** Characters of a statement that are shown; the rest of a long one says no more about what failed. */
const shownLength = 500;

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ');

const shown = (sql: string): string => {
  const text = oneLine(sql);
  return text.length > shownLength ? `${text.slice(0, shownLength)} …` : text;
};

/** An error and what it was caused by, from the outside in. */
const chain = (error: unknown): readonly unknown[] =>
  error instanceof Error && error.cause !== undefined ? [error, ...chain(error.cause)] : [error];

/** The reason why migrations were not applied, in one line for the person who runs them. None of them has happened. */
export class MigrationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MigrationError';
  }

  /** `statements` knows which statement an error of the database came from; bound values are not named. */
  static of(step: string, cause: unknown, statements: WeakMap<object, string>): MigrationError {
    const errors = chain(cause);
    const reasons = errors.map((error) => oneLine(errorMessage(error)));
    const statement = errors
      .map((error) => (typeof error === 'object' && error !== null ? statements.get(error) : undefined))
      .find((sql) => sql !== undefined);
    const where = statement === undefined ? '' : `, in the statement: ${shown(statement)}`;
    return new MigrationError(`Migration ${step} failed: ${reasons.join(': ')}${where}`, { cause });
  }
}
