/**
 * `FileStore`: a place for bytes under random keys. It knows neither records nor names, types or callers. Two kinds
 * implement it, a folder and a bucket; one set of tests describes both (`file-store.test.ts`).
 */

import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';

/** Bytes that are stored durably: a crash or a loss of power right after does not lose them. */
export interface StoredBytes {
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of all bytes, 64 lowercase hex digits. */
  readonly checksum: string;
}

/** Bytes of a stored file, the last one included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** One part of an upload, as the store has it. */
export interface StoredPart {
  /** From 1 on. */
  readonly number: number;
  /** Bytes. */
  readonly size: number;
}

/** An upload in parts: each part has `partSize` bytes, the last one the rest. */
export interface PartedUpload {
  readonly key: string;
  /** Name of the upload in the store; empty where the key is enough. */
  readonly upload: string;
  /** Bytes of the whole file. */
  readonly size: number;
  /** Bytes of each part but the last one. */
  readonly partSize: number;
}

export interface FileStore {
  /**
   * Writes all bytes of a source under a new key, and resolves once they are durable. On an error nothing is there
   * under the key, or a remainder that `remove` takes away.
   * @throws the error of the source; `FileTooLarge`; `StoreFull`, `StoreUnavailable`
   */
  write(key: string, source: AsyncIterable<Uint8Array>, limit: number): Promise<StoredBytes>;
  /**
   * Opens stored bytes. Nothing is read ahead beyond the stream's own buffer; destroying the stream releases it.
   * @throws FileMissing, StoreUnavailable
   */
  read(key: string, range?: ByteRange): Promise<Readable>;
  /** Removes everything under a key, also what is unfinished. Does nothing where nothing is there. */
  remove(key: string): Promise<void>;
  /** Begins an upload in parts, and returns its name in the store. */
  begin(key: string): Promise<string>;
  /**
   * Stores one part, durably. A part may be sent again, and replaces the one before.
   * @throws FileTooLarge, PartIncomplete; the error of the source
   */
  writePart(upload: PartedUpload, number: number, source: AsyncIterable<Uint8Array>): Promise<void>;
  /** The stored parts, by number. They survive the end of the process. */
  parts(upload: PartedUpload): Promise<readonly StoredPart[]>;
  /**
   * Joins the parts to one file under the key. May be called again after an interruption, also where the file is
   * there already. @throws PartIncomplete where a part is missing
   */
  join(upload: PartedUpload): Promise<void>;
  /** Ends connections and open files. */
  close(): void;
}

/** The source has more bytes than the limit. */
export class FileTooLarge extends Error {
  readonly limit: number;

  constructor(limit: number) {
    super(`a file has more than ${limit} bytes`);
    this.limit = limit;
  }
}

/** A part has fewer bytes than it should have, or is missing. */
export class PartIncomplete extends Error {
  /** Number of the part. */
  readonly part: number;

  constructor(part: number) {
    super(`part ${part} is incomplete`);
    this.part = part;
  }
}

/** No bytes are stored under a key. */
export class FileMissing extends Error {
  constructor(key: string, cause?: unknown) {
    super(`no file is stored under ${key}`, { cause });
  }
}

/** The store has no space. */
export class StoreFull extends Error {}

/** The process holds as many bytes of other uploads as it may. */
export class StoreBusy extends Error {}

/** The store does not answer, or refuses the service itself. */
export class StoreUnavailable extends Error {}

const keyForm = /^[0-9a-f]{32}$/;

/** A new key: 128 random bits, so that no two files have one, and no caller guesses one. */
export const newFileKey = (): string => randomBytes(16).toString('hex');

/** Refuses a text that is no key: a path of a store is made of it. @throws Error, which is a bug of the service */
export const assertFileKey = (key: string): void => {
  if (!keyForm.test(key)) throw new Error('not the key of a file');
};

/** Number of parts of an upload. An empty file has one, which is empty. */
export const partCount = ({ size, partSize }: Pick<PartedUpload, 'size' | 'partSize'>): number =>
  Math.max(1, Math.ceil(size / partSize));

/** Bytes that a part of an upload has; undefined where the upload has no such part. */
export const partLength = (
  upload: Pick<PartedUpload, 'size' | 'partSize'>,
  number: number,
): number | undefined => {
  const count = partCount(upload);
  if (!Number.isInteger(number) || number < 1 || number > count) return undefined;
  return number < count ? upload.partSize : upload.size - (count - 1) * upload.partSize;
};

/** Passes chunks on, at most `limit` bytes. @throws FileTooLarge */
export const limited = async function* (
  source: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.byteLength;
    if (size > limit) throw new FileTooLarge(limit);
    yield chunk;
  }
};
