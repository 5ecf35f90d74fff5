/** Why a database cannot be moved, and what to do; the message says all there is to say. */
export class MoveError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MoveError';
  }
}

/** A value that the destination cannot hold: nothing but a change of the source helps. */
export class UnmovableValue extends MoveError {}
