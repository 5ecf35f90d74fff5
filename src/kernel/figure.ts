/** One value of a figure, with the labels that distinguish it. */
export interface FigureSample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric of the process or the database, which `src/upkeep/metrics` exports. */
export interface Figure {
  /** Name by the rules of Prometheus, without the prefix: base units (seconds, bytes), `_total` for counters. */
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  /** Description of the metric, one sentence. */
  readonly help: string;
  /**
   * Aggregation over worker processes: the sum, or the maximum or minimum where each process reports the same value.
   */
  readonly across: 'sum' | 'max' | 'min';
  /** Empty when no value is available. */
  readonly samples: readonly FigureSample[];
}

/** Creates a figure with one value of this process, or of the database. */
export const figure = (
  type: Figure['type'],
  name: string,
  help: string,
  value: number,
  across: Figure['across'] = 'sum',
): Figure => ({
  name,
  type,
  help,
  across,
  samples: [{ value }],
});
