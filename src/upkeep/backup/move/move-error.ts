/** The reason why a database cannot be moved, and the remedy. */
export class MoveError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MoveError';
  }
}

/** A value that the destination cannot store: only a change of the source helps. */
export class UnmovableValue extends MoveError {}
