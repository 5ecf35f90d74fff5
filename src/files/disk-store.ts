/**
 * Files in a folder. Each has a path that follows from its key; a file under that path is complete, since it gets the
 * path by a rename after its bytes were synchronized. Everything unfinished lies beside it under the same key, so that
 * `remove` finds it whenever the process was killed.
 */

import { createHash, randomBytes } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import {
  copyFile,
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import {
  assertFileKey,
  type ByteRange,
  FileMissing,
  type FileStore,
  limited,
  type PartedUpload,
  PartIncomplete,
  partCount,
  partLength,
  type StoredBytes,
  type StoredPart,
  StoreFull,
  StoreUnavailable,
} from './store.ts';

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;

const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);
const awayCodes: ReadonlySet<unknown> = new Set([
  'EIO',
  'EROFS',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
  'ESTALE',
]);

/** The error of the file system as one of a store; any other error as it is. */
const storeError = (error: unknown): unknown => {
  const code = codeOf(error);
  if (fullCodes.has(code)) return new StoreFull('the disk of the files is full', { cause: error });
  if (awayCodes.has(code))
    return new StoreUnavailable('the folder of the files cannot be used', { cause: error });
  return error;
};

/** Synchronizes a folder: a rename in it is durable afterwards. */
const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

/** Writes chunks from a position on, each completely. Returns the position behind the last one. */
const writeChunks = async (
  file: FileHandle,
  source: AsyncIterable<Uint8Array>,
  start: number,
  onChunk?: (chunk: Uint8Array) => void,
): Promise<number> => {
  let position = start;
  for await (const chunk of source) {
    onChunk?.(chunk);
    for (let done = 0; done < chunk.byteLength; ) {
      const { bytesWritten } = await file.write(chunk, done, chunk.byteLength - done, position);
      done += bytesWritten;
      position += bytesWritten;
    }
  }
  return position;
};

/** Files in a folder of this machine, or of a disk that all instances share. */
export class DiskStore implements FileStore {
  readonly #folder: string;

  /** `folder` need not exist. Only the user of this process can read what is in it. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async write(key: string, source: AsyncIterable<Uint8Array>, limit: number): Promise<StoredBytes> {
    const { whole, draft } = this.#paths(key);
    try {
      const file = await this.#create(draft, 'wx');
      const hash = createHash('sha256');
      let size: number;
      try {
        size = await writeChunks(file, limited(source, limit), 0, (chunk) => hash.update(chunk));
        await file.sync();
      } finally {
        await file.close();
      }
      await this.#publish(draft, whole);
      return { size, checksum: hash.digest('hex') };
    } catch (error) {
      await rm(draft, { force: true }).catch(() => {});
      throw storeError(error);
    }
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    const { whole } = this.#paths(key);
    try {
      const file = await open(whole, 'r');
      // The stream closes the file.
      const options = { fd: file, highWaterMark: 131_072 };
      return createReadStream(
        whole,
        range === undefined ? options : { ...options, start: range.first, end: range.last },
      );
    } catch (error) {
      throw codeOf(error) === 'ENOENT' ? new FileMissing(key, error) : storeError(error);
    }
  }

  remove(key: string): Promise<void> {
    return this.#removeNames(key, () => true);
  }

  /** The key names the upload: its bytes are the draft of the file, and a mark for each complete part beside it. */
  async begin(key: string): Promise<string> {
    const { draft, marks } = this.#paths(key);
    try {
      await mkdir(marks, { recursive: true, mode: 0o700 });
      // No part makes it later: the upload may have been removed meanwhile.
      await (await open(draft, 'wx', 0o600)).close();
      await syncFolder(dirname(marks));
    } catch (error) {
      throw storeError(error);
    }
    return '';
  }

  async writePart(upload: PartedUpload, number: number, source: AsyncIterable<Uint8Array>): Promise<void> {
    const length = partLength(upload, number);
    if (length === undefined) throw new PartIncomplete(number);
    const { draft, marks } = this.#paths(upload.key);
    const mark = join(marks, String(number));
    try {
      // While it is written again it does not count: it may end anywhere.
      await rm(mark, { force: true });
      const file = await open(draft, 'r+');
      try {
        const start = (number - 1) * upload.partSize;
        const end = await writeChunks(file, limited(source, length), start);
        if (end - start < length) throw new PartIncomplete(number);
        await file.sync();
      } finally {
        await file.close();
      }
      await writeFile(mark, '', { mode: 0o600 });
      await syncFolder(marks);
    } catch (error) {
      // Joined or removed meanwhile.
      if (codeOf(error) === 'ENOENT') throw new FileMissing(upload.key, error);
      throw storeError(error);
    }
  }

  async parts(upload: PartedUpload): Promise<readonly StoredPart[]> {
    const { marks } = this.#paths(upload.key);
    const names = await readdir(marks).catch((error: unknown): string[] => {
      if (codeOf(error) === 'ENOENT') return [];
      throw storeError(error);
    });
    return names
      .flatMap((name) => {
        const number = Number(name);
        const size = partLength(upload, number);
        return size === undefined ? [] : { number, size };
      })
      .sort((one, other) => one.number - other.number);
  }

  async join(upload: PartedUpload): Promise<void> {
    const { key, size } = upload;
    const { whole } = this.#paths(key);
    try {
      if (!(await this.#isComplete(whole, size))) await this.#copyDraft(upload);
    } catch (error) {
      // Joined by another request at the same time, which has taken the draft away.
      if (!(await this.#isComplete(whole, size))) throw storeError(error);
    }
    await this.#removeNames(key, (name) => name !== key);
  }

  close(): void {}

  /** The paths of a key: 256 folders, as one folder of all files would be slow to list by hand. */
  #paths(key: string): { readonly whole: string; readonly draft: string; readonly marks: string } {
    assertFileKey(key);
    const whole = join(this.#folder, key.slice(0, 2), key);
    return { whole, draft: `${whole}.draft`, marks: `${whole}.parts` };
  }

  /**
   * Makes the file of the draft once all parts are there. It is a copy, which no late request of a part can still
   * change, as such a request writes to the draft. Of several copies the first one stays: its bytes may be verified
   * already.
   */
  async #copyDraft(upload: PartedUpload): Promise<void> {
    const { whole, draft } = this.#paths(upload.key);
    const stored = new Set((await this.parts(upload)).map(({ number }) => number));
    for (let number = 1; number <= partCount(upload); number++)
      if (!stored.has(number)) throw new PartIncomplete(number);
    if (!(await this.#isComplete(draft, upload.size))) throw new PartIncomplete(1);
    const copy = `${whole}.${randomBytes(4).toString('hex')}.copy`;
    await copyFile(draft, copy, constants.COPYFILE_FICLONE);
    await this.#syncFile(copy);
    await link(copy, whole);
    await syncFolder(dirname(whole));
  }

  /** Removes the file of a key, and what is unfinished beside it, as far as `isMeant` says of the name. */
  async #removeNames(key: string, isMeant: (name: string) => boolean): Promise<void> {
    const folder = dirname(this.#paths(key).whole);
    try {
      const names = await readdir(folder).catch((error: unknown): string[] => {
        if (codeOf(error) === 'ENOENT') return [];
        throw error;
      });
      const found = names.filter((name) => (name === key || name.startsWith(`${key}.`)) && isMeant(name));
      for (const name of found) await rm(join(folder, name), { recursive: true, force: true });
      if (found.length > 0) await syncFolder(folder);
    } catch (error) {
      throw storeError(error);
    }
  }

  async #syncFile(path: string): Promise<void> {
    const file = await open(path, 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async #create(path: string, flags: string): Promise<FileHandle> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return open(path, flags, 0o600);
  }

  async #publish(draft: string, whole: string): Promise<void> {
    await rename(draft, whole);
    const folder = dirname(whole);
    await syncFolder(folder);
    // The folder itself may be new.
    await syncFolder(dirname(folder));
  }

  async #isComplete(path: string, size: number): Promise<boolean> {
    try {
      return (await stat(path)).size === size;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    }
  }
}
