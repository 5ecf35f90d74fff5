/** One value of a figure, with what tells it from the others. */
export interface FigureSample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A number about the process or the database that operators watch. See src/metrics, which exports it. */
export interface Figure {
  /** By the rules of Prometheus, without the prefix: base units (seconds, bytes), `_total` for what only grows. */
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  /** What it counts, in a sentence. */
  readonly help: string;
  /**
   * What the numbers of several worker processes become in one scrape: their sum, or, of what each of them tells of the
   * same thing, the largest or the smallest.
   */
  readonly across: 'sum' | 'max' | 'min';
  /** Empty where nothing is known at this moment. */
  readonly samples: readonly FigureSample[];
}

/** A figure that is one number of this process. */
export const figure = (type: Figure['type'], name: string, help: string, value: number): Figure => ({
  ...{ name, type, help },
  across: 'sum',
  samples: [{ value }],
});
