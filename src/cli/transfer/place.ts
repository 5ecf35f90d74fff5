import type { FileHandle } from 'node:fs/promises';
import type { StoredPlace } from '../../service/imports/imports.ts';
import { type FramePlace, fileStart } from './frames.ts';

/** A place in this very file that an import has reached. */
export interface FoundPlace {
  readonly stored: StoredPlace;
  readonly at: FramePlace;
}

/** Bytes that are read at once. */
const readSize = 1024 * 1024;

/**
 * The furthest of the places whose bytes are those with which a file begins: it is known again by its content, whatever
 * it is called by now and whatever stands behind.
 */
export const furthestPlace = async (
  file: FileHandle,
  size: number,
  places: readonly StoredPlace[],
): Promise<FoundPlace | undefined> => {
  const { hash } = fileStart();
  const buffer = Buffer.allocUnsafe(readSize);
  let found: FoundPlace | undefined;
  let read = 0;
  for (const stored of [...places].sort((a, b) => a.bytes - b.bytes)) {
    if (stored.bytes > size) break;
    while (read < stored.bytes) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(readSize, stored.bytes - read), read);
      if (bytesRead === 0) return found;
      hash.update(buffer.subarray(0, bytesRead));
      read += bytesRead;
    }
    if (hash.copy().digest('hex') === stored.digest)
      found = { stored, at: { bytes: stored.bytes, lines: stored.lines, hash: hash.copy() } };
  }
  return found;
};
