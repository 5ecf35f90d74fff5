import { freeBytes } from '../../kernel/owned-bytes.ts';

/** A value of fewer bytes is as cheap as a text. */
export const leastBytes = 8192;

/** The message that brings a row; its code and length come first, the number of its columns and the first one's length next. */
const codeOfRow = 0x44;
const headBytes = 5;
const startBytes = 6;

/** What a row's columns hold, as the server sent them. */
export type RowFields = readonly (Buffer | string | null)[];

export interface AnswerReader {
  /** Takes messages that are none of these rows, cut wherever the network cut them. */
  others(bytes: Buffer): void;
  /** Takes a row whose first column is bytes with memory of their own. */
  row(fields: RowFields): void;
}

const nothing = Buffer.alloc(0);

/** Bytes of the message that begins here. */
const messageBytes = (bytes: Buffer, at: number): number => 1 + bytes.readUInt32BE(at + 1);

/** Whether a message that begins here is a row long enough; undefined where too little of it is there to tell. */
const isLongRow = (bytes: Buffer, at: number): boolean | undefined => {
  const there = bytes.length - at;
  if (there < headBytes) return undefined;
  if (bytes[at] !== codeOfRow || messageBytes(bytes, at) < leastBytes) return false;
  return there < headBytes + startBytes ? undefined : true;
};

/** A row that has begun to come. */
class LongRow {
  readonly #first: Buffer;
  readonly #rest: Buffer;
  readonly #restColumns: number;
  #filled = 0;

  constructor(first: number, rest: number, restColumns: number) {
    this.#first = Buffer.allocUnsafeSlow(first);
    this.#rest = Buffer.allocUnsafe(rest);
    this.#restColumns = restColumns;
  }

  get isWhole(): boolean {
    return this.#filled === this.#first.length + this.#rest.length;
  }

  /** Takes what it lacks. Answers where that ends. */
  fill(bytes: Buffer, from: number): number {
    const first = this.#filled < this.#first.length ? bytes.copy(this.#first, this.#filled, from) : 0;
    this.#filled += first;
    if (this.#filled < this.#first.length) return from + first;
    const rest = bytes.copy(this.#rest, this.#filled - this.#first.length, from + first);
    this.#filled += rest;
    return from + first + rest;
  }

  fields(): RowFields {
    const fields: (Buffer | string | null)[] = [this.#first];
    for (let column = 0, at = 0; column < this.#restColumns; column += 1) {
      const length = this.#rest.readInt32BE(at);
      at += 4;
      fields.push(length < 0 ? null : this.#rest.toString('utf8', at, at + length));
      at += Math.max(length, 0);
    }
    return fields;
  }
}

/**
 * Takes long answers out of what a server sends and leaves them the bytes that they are. The driver would put the pieces
 * of a message together in buffers that double, decode a text of them, which is encoded again for the caller, and leave
 * all of it to the garbage collector: three quarters of what a large page costs. Here each byte is copied once.
 */
export class AnswerRows {
  /** Whether the first column of rows that come now is an answer. `others` has had all that came before when it counts. */
  isAnswer = false;
  readonly #reader: AnswerReader;
  /** The start of a message of which too little has come to tell what it is. */
  #begun: Buffer = nothing;
  /** Bytes that a message which is not ours still lacks. */
  #lacking = 0;
  #row: LongRow | undefined;

  constructor(reader: AnswerReader) {
    this.#reader = reader;
  }

  /** Takes what has come from the network, and owns it. */
  take(chunk: Buffer): void {
    const at = this.#fill(chunk, 0);
    if (at < chunk.length) this.#takeMessages(at === 0 ? chunk : chunk.subarray(at));
    // Left to the garbage collector, some dozens of them would have it go through the heap.
    else freeBytes(chunk);
  }

  /** Answers where the row ends that has begun. */
  #fill(bytes: Buffer, from: number): number {
    if (this.#row === undefined) return from;
    const end = this.#row.fill(bytes, from);
    if (!this.#row.isWhole) return end;
    const fields = this.#row.fields();
    this.#row = undefined;
    this.#reader.row(fields);
    return end;
  }

  #takeMessages(come: Buffer): void {
    const bytes = this.#begun.length === 0 ? come : Buffer.concat([this.#begun, come]);
    this.#begun = nothing;
    let [handed, at] = [0, 0];
    while (at < bytes.length) {
      at += this.#skip(bytes.length - at);
      const isLong = isLongRow(bytes, at);
      if (isLong === undefined) {
        this.#begun = Buffer.from(bytes.subarray(at));
        break;
      }
      if (isLong) {
        this.#handOn(bytes, handed, at);
        handed = at;
        this.#row = this.#rowAt(bytes, at);
      }
      if (this.#row === undefined) this.#lacking = messageBytes(bytes, at);
      else handed = at = this.#fill(bytes, at + headBytes + startBytes);
    }
    this.#handOn(bytes, handed, at);
  }

  /** Answers how many of so many bytes belong to a message that is not ours. */
  #skip(bytes: number): number {
    const skipped = Math.min(this.#lacking, bytes);
    this.#lacking -= skipped;
    return skipped;
  }

  #handOn(bytes: Buffer, from: number, to: number): void {
    if (to > from) this.#reader.others(bytes.subarray(from, to));
  }

  /** Undefined where it is not ours after all. */
  #rowAt(bytes: Buffer, at: number): LongRow | undefined {
    const columns = bytes.readInt16BE(at + headBytes);
    const first = bytes.readInt32BE(at + headBytes + 2);
    const rest = messageBytes(bytes, at) - headBytes - startBytes - first;
    if (first < leastBytes || rest < 0 || !this.isAnswer) return undefined;
    return new LongRow(first, rest, columns - 1);
  }
}
