/** Milliseconds for which a process leaves a webhook to others whose secret it could not open. */
const leave = 1_000;

interface Unopened {
  readonly since: number;
  readonly until: number;
}

/**
 * Webhooks whose secrets this process cannot open. It neither sends for them nor has anybody send for a moment, and
 * keeps nobody from it: another instance may know the server secret by which they were sealed.
 */
export class UnreadableSecrets {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #seen = new Map<number, Unopened>();

  /** @param limit milliseconds after which nobody is expected any more who could open one */
  constructor(limit: number, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Whether a webhook is left to others at this moment. */
  leaves(id: number): boolean {
    const seen = this.#seen.get(id);
    return seen !== undefined && this.#now() < seen.until;
  }

  /** The secret could not be opened. Answers whether that has lasted for longer than it may. */
  failed(id: number): boolean {
    const now = this.#now();
    const since = this.#seen.get(id)?.since ?? now;
    if (now - since >= this.#limit) {
      this.#seen.delete(id);
      return true;
    }
    this.#seen.set(id, { since, until: now + Math.min(leave, this.#limit) });
    return false;
  }

  opened(id: number): void {
    this.#seen.delete(id);
  }
}
