/** Bounds of the batches in which several counts of each key are written. */
export const keyBatches = {
  /** Keys and what is counted of them, some 150 bytes each; more are not counted. */
  maxEntries: 50_000,
  rowsPerStatement: [100, 10, 1],
} as const;
