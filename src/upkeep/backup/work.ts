import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { CopyOptions } from '../../database/target.ts';

/** The steps of a backup and of its restoration, in their order. */
export type CopyStep = 'copy' | 'digest' | 'count' | 'restore' | 'compare';

/** Progress of a step: bytes, or rows of a table. */
export type CopyState =
  | { readonly bytes: number; readonly all: number | undefined }
  | { readonly table: string; readonly rows: number };

/** Options of the work that the caller of a backup sets. */
export interface WorkOptions {
  /** Folder of the database's own programs; from the PATH unless given. */
  readonly programs: string | undefined;
  readonly signal: AbortSignal;
  onProgress(step: CopyStep, state: CopyState): void;
}

export const copyOptions = ({ programs, signal, onProgress }: WorkOptions, step: CopyStep): CopyOptions => ({
  programs,
  signal,
  onProgress: (bytes, all) => onProgress(step, { bytes, all }),
});

/** SHA-256 and size of a file, in one pass. */
export const digestOf = async (
  path: string,
  { signal, onProgress }: WorkOptions,
): Promise<{ readonly bytes: number; readonly sha256: string }> => {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal })) {
    hash.update(chunk);
    bytes += chunk.length;
    onProgress('digest', { bytes, all: undefined });
  }
  return { bytes, sha256: hash.digest('hex') };
};
