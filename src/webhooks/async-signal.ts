/** Wakes loops that wait for an event of this process. */
export class AsyncSignal {
  #next = Promise.withResolvers<void>();

  /** Resolves at the next `notify`. */
  next(): Promise<void> {
    return this.#next.promise;
  }

  readonly notify = (): void => {
    this.#next.resolve();
    this.#next = Promise.withResolvers();
  };
}
