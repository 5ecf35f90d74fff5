import type { Transaction } from '../database/database.ts';
import {
  type ImportCounts,
  type ImportInto,
  type ImportLine,
  importLines,
  type RefusedLine,
  RefusedLinesError,
  type WrittenLine,
} from './import.ts';

/** Lines that were written, or would have been, and those that were refused. */
export interface ImportedSlice {
  readonly counts: ImportCounts;
  readonly written: readonly WrittenLine[];
  readonly refused: readonly RefusedLine[];
}

/** Ends the transaction of a preview: nothing of it stands. */
class PreviewEnd extends Error {
  readonly counts: ImportCounts;

  constructor(counts: ImportCounts) {
    super('a preview writes nothing');
    this.name = 'PreviewEnd';
    this.counts = counts;
  }
}

/**
 * Writes the lines that are good in one transaction, and tells of the others. A preview does the very same, references,
 * values that are there once and hooks included, and rolls it back: rules alone could not say what the database would.
 * What hooks do after a commit is not done. A transaction holds one slice, never a file, so that other writes wait for a
 * slice at most. `also` belongs to the transaction, and not to a preview.
 * @throws FailedLineError; Problem of the database
 */
export const importSlice = async (
  into: Omit<ImportInto, 'told'>,
  lines: readonly ImportLine[],
  preview: boolean,
  also: (transaction: Transaction, counts: ImportCounts) => Promise<void>,
): Promise<ImportedSlice> => {
  const refused: RefusedLine[] = [];
  for (let rest = lines; rest.length > 0; ) {
    const written = new Map<number, WrittenLine>();
    const done = (counts: ImportCounts): ImportedSlice => ({
      counts,
      written: [...written.values()],
      refused,
    });
    try {
      const told = (line: WrittenLine): void => {
        written.set(line.line, line);
      };
      const counts = await importLines({ ...into, told }, rest, async (transaction, sums) => {
        if (preview) throw new PreviewEnd(sums);
        await also(transaction, sums);
      });
      return done(counts);
    } catch (error) {
      if (error instanceof PreviewEnd) return done(error.counts);
      if (!(error instanceof RefusedLinesError)) throw error;
      refused.push(...error.refused);
      const gone = new Set(error.refused.map(({ line }) => line));
      rest = rest.filter((line) => !gone.has(line.number));
    }
  }
  return { counts: { created: 0, updated: 0 }, written: [], refused };
};
