/** Callers that are remembered one by one. */
const maxCallers = 10_000;

/** The moment of the last commit of each caller, and of the last one that concerns every caller. */
export class RecentCommits {
  /** Callers whose commits are older come first. */
  readonly #callers = new Map<string, number>();
  #ofAll = Number.NEGATIVE_INFINITY;

  add(caller: string, at: number): void {
    const last = this.#callers.get(caller) ?? at;
    this.#callers.delete(caller);
    this.#callers.set(caller, Math.max(last, at));
    const [oldest] = this.#callers;
    if (this.#callers.size <= maxCallers || oldest === undefined) return;
    const [forgotten, moment] = oldest;
    this.#callers.delete(forgotten);
    this.addForAll(moment);
  }

  addForAll(at: number): void {
    this.#ofAll = Math.max(this.#ofAll, at);
  }

  /** The last commit that a caller has to see. The caller is looked up only if any caller has committed. */
  async lastOf(caller: () => string | Promise<string>): Promise<number> {
    if (this.#callers.size === 0) return this.#ofAll;
    return Math.max(this.#ofAll, this.#callers.get(await caller()) ?? this.#ofAll);
  }
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Returns a function that says whether statements write to one of the tables, by their texts: it does not see what a
 * trigger or a function of the database writes.
 */
export const writesTo = (tables: readonly string[]): ((statements: readonly string[]) => boolean) => {
  if (tables.length === 0) return () => false;
  const verbs =
    'insert\\s+into|update(?:\\s+only)?|delete\\s+from(?:\\s+only)?|merge\\s+into|truncate(?:\\s+table)?|copy';
  const names = tables.map(escaped).join('|');
  const written = new RegExp(
    `\\b(?:${verbs})\\s+(?:(?:"[^"]+"|\\w+)\\s*\\.\\s*)?"?(?:${names})(?![\\w$])`,
    'i',
  );
  return (statements) => statements.some((sql) => written.test(sql));
};
