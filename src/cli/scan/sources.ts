/** Examines files and folders chunk by chunk, and lists unreadable ones. */

import { constants } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CandidateFinder } from './candidates.ts';
import type { KeySearch } from './known-keys.ts';

/** Bytes of one read. */
const chunkSize = 1 << 20;

/** Amount of examined text, and the unreadable files. */
export interface Examined {
  texts: number;
  bytes: number;
  readonly unread: string[];
}

/** Examines one text, chunk by chunk. */
export const examine = async (
  search: KeySearch,
  examined: Examined,
  place: { readonly file: string; readonly object?: string },
  chunks: AsyncIterable<Uint8Array | string>,
): Promise<void> => {
  const finder = new CandidateFinder((candidate, line) => search.add(candidate, { ...place, line }));
  examined.texts += 1;
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    examined.bytes += bytes.length;
    finder.push(bytes);
    await search.flushIfMany();
  }
  finder.end();
};

async function* chunksOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(chunkSize);
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, chunkSize, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === '' && error instanceof Error ? error.message : code;
};

/** Runs a read. A failure is listed, and the scan goes on. */
const readOrList = async (examined: Examined, path: string, read: () => Promise<void>): Promise<void> => {
  try {
    await read();
  } catch (error) {
    // An error of the database has no path: it ends the scan.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    examined.unread.push(`${path}: ${reasonOf(error)}`);
  }
};

/** Examines files and folders. Below a folder only regular files count: links lead elsewhere or in circles. */
export const examinePaths = async (
  search: KeySearch,
  examined: Examined,
  paths: readonly string[],
): Promise<void> => {
  const examineFile = (path: string, flags: number, isNamed: boolean): Promise<void> =>
    readOrList(examined, path, async () => {
      // Without blocking: another process may have put a pipe in the place of the file.
      const file = await open(path, constants.O_RDONLY | flags);
      try {
        if (isNamed || (await file.stat()).isFile())
          await examine(search, examined, { file: path }, chunksOf(file));
      } finally {
        await file.close();
      }
    });
  const examineFolder = (path: string): Promise<void> =>
    readOrList(examined, path, async () => {
      const entries = await readdir(path, { withFileTypes: true });
      entries.sort((one, other) => (one.name < other.name ? -1 : 1));
      for (const entry of entries) {
        const each = join(path, entry.name);
        if (entry.isDirectory()) await examineFolder(each);
        else if (entry.isFile()) await examineFile(each, constants.O_NOFOLLOW | constants.O_NONBLOCK, false);
      }
    });
  for (const path of paths)
    await readOrList(examined, path, async () => {
      // A path that is named is followed, and may be a pipe.
      if ((await stat(path)).isDirectory()) await examineFolder(path);
      else await examineFile(path, 0, true);
    });
};
