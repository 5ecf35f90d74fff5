import { extname } from 'node:path';
import { UsageError } from '../io.ts';

/** CSV with a head line, or an object on each line. */
export type Format = 'csv' | 'json';

const byEnding: ReadonlyMap<string, Format> = new Map([
  ['.csv', 'csv'],
  ['.jsonl', 'json'],
  ['.ndjson', 'json'],
]);

/** The format of a file by its ending. @throws UsageError */
export const formatOf = (file: string): Format => {
  const format = byEnding.get(extname(file).toLowerCase());
  if (format === undefined)
    throw new UsageError(`the file's ending says what is in it: one of ${[...byEnding.keys()].join(', ')}`);
  return format;
};
