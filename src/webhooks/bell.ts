/** Says that something has happened to whoever waits for it at this moment. */
export class Bell {
  #next = Promise.withResolvers<void>();

  /** Resolves when it is rung the next time. */
  next(): Promise<void> {
    return this.#next.promise;
  }

  readonly ring = (): void => {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  };
}
