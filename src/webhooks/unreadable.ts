/** Milliseconds for which a process leaves a webhook to others after it could not open its secret. */
const pauseMs = 1_000;

interface Unopened {
  readonly since: number;
  readonly until: number;
}

/**
 * Webhooks whose secrets this process cannot open. It pauses them for itself without a lease, since another instance
 * may know the server secret under which they were sealed.
 */
export class UnreadableSecrets {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #seen = new Map<number, Unopened>();

  /** @param limit milliseconds after which the webhook is given up */
  constructor(limit: number, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Whether a webhook is currently left to others. */
  isPaused(id: number): boolean {
    const pause = this.#seen.get(id);
    return pause !== undefined && this.#now() < pause.until;
  }

  /** Records that the secret could not be opened. Returns whether that has lasted longer than the limit. */
  failed(id: number): boolean {
    const now = this.#now();
    const since = this.#seen.get(id)?.since ?? now;
    if (now - since >= this.#limit) {
      this.#seen.delete(id);
      return true;
    }
    this.#seen.set(id, { since, until: now + Math.min(pauseMs, this.#limit) });
    return false;
  }

  opened(id: number): void {
    this.#seen.delete(id);
  }
}
