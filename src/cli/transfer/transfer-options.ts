import { extname } from 'node:path';
import { UsageError } from '../io.ts';

/** Options that import and export share: the records, and the acting user. */
export const transferOptions = {
  resource: {
    type: 'string',
    value: 'NAME',
    help: 'path or model of the records, such as products or Product',
  },
  as: { type: 'string', value: 'USERNAME', help: 'user to act as (default: the first super_admin)' },
} as const;

/** CSV with a header line, or JSON lines with an object on each. */
export type Format = 'csv' | 'json';

const byEnding: ReadonlyMap<string, Format> = new Map([
  ['.csv', 'csv'],
  ['.jsonl', 'json'],
  ['.ndjson', 'json'],
]);

/** The format of a file by its extension. @throws UsageError */
export const formatOf = (file: string): Format => {
  const format = byEnding.get(extname(file).toLowerCase());
  if (format === undefined)
    throw new UsageError(`the file's ending says what is in it: one of ${[...byEnding.keys()].join(', ')}`);
  return format;
};
