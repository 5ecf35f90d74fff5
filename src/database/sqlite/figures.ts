import { statSync } from 'node:fs';
import { type Figure, figure } from '../../kernel/figure.ts';
import type { Writer } from './writer.ts';

const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Figures of the one writer, and of the files. */
export const figuresOfFile = (
  path: string,
  { waiting, writes, groups }: Writer['load'],
): readonly Figure[] => [
  figure('gauge', 'database_write_queue', 'Writes that wait for the one writer.', waiting),
  figure('counter', 'database_writes_total', 'Writes that were run in transactions.', writes),
  figure(
    'counter',
    'database_write_groups_total',
    'Transactions in which they were; writes that come together share one.',
    groups,
  ),
  figure('gauge', 'database_wal_bytes', 'Size of the write-ahead log.', bytesOf(`${path}-wal`)),
  figure('gauge', 'database_file_bytes', 'Size of the database file.', bytesOf(path)),
];
