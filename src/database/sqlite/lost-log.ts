/** Detection of a lost or damaged write-ahead log, before SQLite opens the file without a word. */

import { closeSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';

/** Sizes in bytes: https://sqlite.org/fileformat2.html#walformat and https://sqlite.org/walformat.html. */
const logHeaderSize = 32;
const frameHeaderSize = 24;
const indexHeaderSize = 48;
const indexSize = 2 * indexHeaderSize + 4;

const formatVersion = 3_007_000;

/** The magic number of a log without its last bit, which is set where checksums read words as big-endian. */
const magic = 0x377f0682;

/** The two words of a checksum. */
type Checksum = readonly [number, number];

const nativeIsLittle = endianness() === 'LE';

const sumOf = (bytes: DataView, littleEndian: boolean, [first, second]: Checksum): Checksum => {
  let [a, b] = [first, second];
  for (let at = 0; at < bytes.byteLength; at += 8) {
    a = (a + bytes.getUint32(at, littleEndian) + b) >>> 0;
    b = (b + bytes.getUint32(at + 4, littleEndian) + a) >>> 0;
  }
  return [a, b];
};

const viewOf = (bytes: Buffer, start: number, end: number): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset + start, end - start);

const isSum = (bytes: Buffer, at: number, [first, second]: Checksum): boolean =>
  bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second;

/** Opens a file for some work; undefined where there is none to read. SQLite, which opens it next, says why not. */
const withFile = <T>(path: string, work: (file: number) => T): T | undefined => {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return undefined;
  }
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
};

/** Reads bytes of a file; undefined where it ends before. */
const readAt = (file: number, at: number, size: number): Buffer | undefined => {
  const bytes = Buffer.alloc(size);
  return readSync(file, bytes, 0, size, at) === size ? bytes : undefined;
};

/** The state of a log by its index, `-shm`. */
interface LogIndex {
  readonly bytes: Buffer;
  /** Frames of committed transactions. */
  readonly frames: number;
  /** Frames that are in the database file already. */
  readonly copied: number;
  readonly salts: Buffer;
}

/** Reads the index of a log; undefined if there is none, or if a process is just writing it. */
const readIndex = (path: string): LogIndex | undefined => {
  const bytes = withFile(path, (file) => readAt(file, 0, indexSize));
  if (bytes === undefined) return undefined;
  const header = bytes.subarray(0, indexHeaderSize);
  if (!header.equals(bytes.subarray(indexHeaderSize, 2 * indexHeaderSize))) return undefined;
  const word = (at: number): number => (nativeIsLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  if (word(0) !== formatVersion) return undefined;
  return { bytes, frames: word(16), copied: word(2 * indexHeaderSize), salts: bytes.subarray(32, 40) };
};

/**
 * Counts the intact frames from the beginning of a log; 0 for a damaged header, undefined for the log of another index.
 */
const countIntact = (file: number, { frames, salts }: LogIndex): number | undefined => {
  const header = readAt(file, 0, logHeaderSize);
  if (header === undefined) return 0;
  const littleEndian = header.readUInt32BE(0) === magic;
  let sum = sumOf(viewOf(header, 0, 24), littleEndian, [0, 0]);
  if (!littleEndian && header.readUInt32BE(0) !== magic + 1) return 0;
  if (!isSum(header, 24, sum)) return 0;
  if (!header.subarray(16, 24).equals(salts)) return undefined;
  const size = frameHeaderSize + header.readUInt32BE(8);
  for (let intact = 0; intact < frames; intact += 1) {
    const frame = readAt(file, logHeaderSize + intact * size, size);
    if (frame === undefined || !frame.subarray(8, 16).equals(salts)) return intact;
    sum = sumOf(viewOf(frame, 0, 8), littleEndian, sum);
    sum = sumOf(viewOf(frame, frameHeaderSize, size), littleEndian, sum);
    if (!isSum(frame, 16, sum)) return intact;
  }
  return frames;
};

/** True if the file is one that is written through a log. A restored backup is not, until it is first opened. */
const hasLog = (path: string): boolean => withFile(path, (file) => readAt(file, 0, 20))?.readUInt8(18) === 2;

const advice =
  'acknowledged writes may be lost. Restore the backup, or both files from one copy (docs/reference/damage.md)';

/**
 * Says that the write-ahead log of a killed process is gone or damaged, of which SQLite says nothing: it takes the rest
 * for a transaction that was never committed. Compares the log with its index, which a killed process leaves as it was,
 * and which every proper end removes. So this costs nothing after a proper end. Works only before SQLite opens the
 * file, because that replaces the index.
 */
export const lostLog = (path: string): string | undefined => {
  const log = `${path}-wal`;
  const index = readIndex(`${path}-shm`);
  if (index === undefined || index.frames === 0 || !hasLog(path)) return undefined;
  const { frames, copied } = index;
  const found = withFile(log, (file) => ({ intact: countIntact(file, index) }));
  const intact = found === undefined ? 0 : found.intact;
  if (intact === undefined || intact >= frames || (intact === 0 && copied >= frames)) return undefined;
  // A process that runs has restarted the log in the meantime.
  if (readIndex(`${path}-shm`)?.bytes.equals(index.bytes) !== true) return undefined;
  if (found === undefined)
    return `${log} is missing, although the last process was killed and left ${frames - copied} pages there that are not in the database: ${advice}`;
  return `${log} is damaged: SQLite reads ${intact} of the ${frames} pages that the last process, which was killed, left there: ${advice}`;
};
