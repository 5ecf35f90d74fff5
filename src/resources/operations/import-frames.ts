/** Splits a file or a body of CSV or JSON lines into records, within a bound of memory. */

import { isUtf8 } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';

/** Bytes that one read requests from the file. */
const readSize = 256 * 1024;

/**
 * Maximum size of a record in bytes: a text field has at most 1,048,576 characters of up to four bytes, and there may
 * be several.
 * @limit Bodies | a record of an imported file | bytes | 422
 */
export const maxRecordBytes = 16 * 1024 * 1024;

/** The rest of the file cannot be read, since the beginning of the next record is unknown. */
export class FrameError extends Error {
  /** The line on which the record begins. */
  readonly line: number;
  readonly flaw: 'unclosed_quote' | 'too_long' | 'shorter';

  constructor(line: number, flaw: FrameError['flaw'], message: string) {
    super(message);
    this.name = 'FrameError';
    this.line = line;
    this.flaw = flaw;
  }
}

/** Bytes that are read by their position: an open file, or a body. */
export interface ByteSource {
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
}

/** The bytes of a body. */
export const bytesSource = (bytes: Uint8Array): ByteSource => ({
  read: async (buffer, offset, length, position) => {
    const part = bytes.subarray(position, position + length);
    buffer.set(part, offset);
    return { bytesRead: part.length };
  },
});

/** The bytes of one record. */
export interface Frame {
  /** Its first line, counted from 1. */
  readonly line: number;
  /** Its text without the line end; undefined if it is not UTF-8. */
  readonly text: string | undefined;
}

/** A position in a file, with the hash of the bytes before it. */
export interface FramePlace {
  readonly bytes: number;
  readonly lines: number;
  /** SHA-256 of the bytes before it. */
  readonly hash: Hash;
}

export const fileStart = (): FramePlace => ({ bytes: 0, lines: 0, hash: createHash('sha256') });

export interface FrameOptions {
  /** Bytes of the file; bytes appended during the import are not read. */
  readonly size: number;
  /** True if a line end within double quotes belongs to the record. */
  readonly quoted: boolean;
  /** Position at which to begin; 0 unless given. */
  readonly from?: FramePlace;
}

const lf = 0x0a;
const cr = 0x0d;
const quote = 0x22;
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Splits a file into records that end with a line. The longest record bounds its memory. `next` returns a record that
 * has been read, `more` reads; they are separate functions so that a record costs no turn of the event loop.
 */
export class Frames {
  readonly #file: ByteSource;
  readonly #size: number;
  readonly #quoted: boolean;
  readonly #hash: Hash;
  /** Bytes from `#start` on are not returned yet; bytes from `#hashed` on are not hashed yet. */
  #buffer: Buffer = Buffer.alloc(0);
  #start = 0;
  #hashed = 0;
  /** Position up to which the bytes are known to contain no end of a record. */
  #searched = 0;
  #quotes = 0;
  /** Position of the first quote that is not counted yet, or beyond the buffer if there is none. */
  #nextQuote = -1;
  #innerLines = 0;
  /** Position of the buffer's end in the file. */
  #read: number;
  #lines: number;

  constructor(file: ByteSource, { size, quoted, from = fileStart() }: FrameOptions) {
    this.#file = file;
    this.#size = size;
    this.#quoted = quoted;
    this.#hash = from.hash.copy();
    this.#read = from.bytes;
    this.#lines = from.lines;
  }

  /** Bytes of the file up to the end of the last returned record. */
  get bytes(): number {
    return this.#read - (this.#buffer.length - this.#start);
  }

  get atEnd(): boolean {
    return this.bytes === this.#size;
  }

  /** The position after the last returned record. */
  place(): FramePlace {
    this.#digest();
    return { bytes: this.bytes, lines: this.#lines, hash: this.#hash.copy() };
  }

  /** Returns the next record that has been read; undefined if there is none. @throws FrameError */
  next(): Frame | undefined {
    const buffer = this.#buffer;
    for (let end = buffer.indexOf(lf, this.#searched); end !== -1; end = buffer.indexOf(lf, end + 1)) {
      this.#countQuotes(end);
      this.#searched = end + 1;
      if (this.#quotes % 2 === 0) return this.#frame(end, end + 1);
      this.#innerLines += 1;
    }
    this.#countQuotes(buffer.length);
    this.#searched = buffer.length;
    const line = this.#lines + 1;
    const waiting = buffer.length - this.#start;
    if (waiting > maxRecordBytes) throw new FrameError(line, 'too_long', this.#tooLong());
    if (this.#read < this.#size || waiting === 0) return undefined;
    if (this.#quotes % 2 !== 0)
      throw new FrameError(
        line,
        'unclosed_quote',
        'a double quote that opens in this record is never closed',
      );
    return this.#frame(buffer.length, buffer.length);
  }

  /** Reads further. Returns false at the end of the file. @throws FrameError if it has become shorter */
  async more(): Promise<boolean> {
    if (this.#read >= this.#size) return false;
    this.#digest();
    const rest = this.#buffer.subarray(this.#start);
    const wanted = Math.min(Math.max(readSize, rest.length), this.#size - this.#read);
    const buffer = Buffer.allocUnsafe(rest.length + wanted);
    rest.copy(buffer);
    const { bytesRead } = await this.#file.read(buffer, rest.length, wanted, this.#read);
    if (bytesRead === 0)
      throw new FrameError(this.#lines + 1, 'shorter', 'the file has become shorter while it was read');
    this.#searched -= this.#start;
    this.#nextQuote = -1;
    this.#start = 0;
    this.#hashed = 0;
    this.#buffer = buffer.subarray(0, rest.length + bytesRead);
    this.#read += bytesRead;
    return true;
  }

  /** Counts the quotes before a position. It reads each byte once, however many lines there are. */
  #countQuotes(end: number): void {
    if (!this.#quoted) return;
    if (this.#nextQuote < this.#searched) this.#nextQuote = this.#quoteFrom(this.#searched);
    for (; this.#nextQuote < end; this.#nextQuote = this.#quoteFrom(this.#nextQuote + 1)) this.#quotes += 1;
  }

  #quoteFrom(start: number): number {
    const found = this.#buffer.indexOf(quote, start);
    return found === -1 ? Number.POSITIVE_INFINITY : found;
  }

  /** Returns the record that ends here; the next one begins after its line end. */
  #frame(end: number, next: number): Frame {
    const buffer = this.#buffer;
    let start = this.#start;
    if (this.bytes === 0 && buffer.subarray(0, 3).equals(byteOrderMark)) start += 3;
    const stop = end > start && buffer[end - 1] === cr ? end - 1 : end;
    if (stop - start > maxRecordBytes) throw new FrameError(this.#lines + 1, 'too_long', this.#tooLong());
    const line = this.#lines + 1;
    this.#lines += this.#innerLines + 1;
    this.#start = next;
    this.#quotes = 0;
    this.#innerLines = 0;
    const text = isUtf8(buffer.subarray(start, stop)) ? buffer.toString('utf8', start, stop) : undefined;
    return { line, text };
  }

  #tooLong(): string {
    const reason = this.#quotes % 2 === 0 ? '' : '; a double quote that opens in it is not closed';
    return `the record is longer than ${maxRecordBytes / 1024 / 1024} MiB${reason}`;
  }

  #digest(): void {
    this.#hash.update(this.#buffer.subarray(this.#hashed, this.#start));
    this.#hashed = this.#start;
  }
}
