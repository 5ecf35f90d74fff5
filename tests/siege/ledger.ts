/** The outcome of a write, as its sender knows it. */
export type Outcome =
  /** Answered with success: it has to be there. */
  | 'acknowledged'
  /** Answered with an error that says nothing was written: it must not be there. */
  | 'refused'
  /** No answer, or the one that says so (50302): either is right. */
  | 'unknown';

/** One record as its only writer knows it. */
export interface Entry {
  created: Outcome;
  /** The value written last of which the outcome is known. */
  value: number;
  /** Values of updates whose outcome is not known. */
  readonly maybe: Set<number>;
  removed: Outcome | undefined;
}

/** A record as it lies in the database. */
export interface Stored {
  readonly mark: string;
  readonly value: number;
}

export interface Verdict {
  /** Acknowledged, and not there, or there with another value. */
  readonly lost: readonly string[];
  /** There, although it was refused, or although its removal was acknowledged. */
  readonly unasked: readonly string[];
  /** There more than once. */
  readonly twice: readonly string[];
}

export interface Counts {
  acknowledged: number;
  refused: number;
  unknown: number;
}

/** Requests and their outcomes: kept outside of the service, to be compared with its records. */
export class Ledger {
  readonly entries = new Map<string, Entry>();
  readonly counts: Counts = { acknowledged: 0, refused: 0, unknown: 0 };
  /** Statuses that no write may get, such as a 500. */
  readonly wrong: string[] = [];

  count(outcome: Outcome): void {
    this.counts[outcome] += 1;
  }

  compare(rows: readonly Stored[]): Verdict {
    const found = Map.groupBy(rows, ({ mark }) => mark);
    const lost: string[] = [];
    const unasked = [...found.keys()].filter((mark) => !this.entries.has(mark));
    for (const [mark, entry] of this.entries) {
      const [row] = found.get(mark) ?? [];
      if (row === undefined) {
        if (entry.created === 'acknowledged' && (entry.removed ?? 'refused') === 'refused')
          lost.push(`${mark}: gone`);
      } else if (entry.created === 'refused' || entry.removed === 'acknowledged') unasked.push(mark);
      else if (row.value !== entry.value && !entry.maybe.has(row.value))
        lost.push(`${mark}: ${row.value} instead of ${entry.value}`);
    }
    const twice = [...found].filter(([, same]) => same.length > 1).map(([mark]) => mark);
    return { lost, unasked, twice };
  }
}
