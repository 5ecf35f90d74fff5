/** Hex digits of a key. */
const keyLength = 64;

/** Bytes of a run of hex digits that are kept while its end has not arrived. */
const maxKeptRun = 4_096;

/** Bytes before a run that may be the beginning of an escape. */
const escapeLength = 2;

const lineFeed = 0x0a;

const isHex = new Uint8Array(256);
for (const character of '0123456789abcdefABCDEF') isHex[character.charCodeAt(0)] = 1;

const byteOf = (character: string): number => character.charCodeAt(0);

/** Digits at the beginning of a run that belong to an escape before the key: `%3D`, `\x3d`, `=3D`, `\u003d`. */
const escapedDigits = (bytes: Uint8Array, start: number): number => {
  const [second, first] = [bytes[start - 1], bytes[start - 2]];
  if (second === byteOf('%') || second === byteOf('=')) return 2;
  if (first !== byteOf('\\')) return 0;
  return second === byteOf('x') ? 2 : second === byteOf('u') ? 4 : 0;
};

/**
 * Finds texts in bytes that have the form of a key: 64 hex digits, in either case. Of more digits in a row it takes the
 * first 64, those behind an escape, and the last 64. Bytes arrive in chunks; memory does not depend on the length of
 * lines.
 */
export class CandidateFinder {
  readonly #found: (candidate: string, line: number) => void;
  #kept: Uint8Array = new Uint8Array();
  /** Line of the first kept byte, from 1. */
  #line = 1;
  /** True if the kept bytes are the end of a run whose beginning was examined. */
  #isWithin = false;
  #wide: 'unknown' | 'none' | 'low first' | 'high first' = 'unknown';
  /** True if the next byte is the second one of a character of UTF-16. */
  #isSecond = false;

  constructor(found: (candidate: string, line: number) => void) {
    this.#found = found;
  }

  push(chunk: Uint8Array): void {
    const bytes = this.#narrow(chunk);
    if (this.#kept.length > 0) this.#examine(Buffer.concat([this.#kept, bytes]), false);
    else this.#examine(bytes, false);
  }

  /** Examines the rest; the next chunk is the beginning of another text. */
  end(): void {
    this.#examine(this.#kept, true);
    this.#kept = new Uint8Array();
    this.#line = 1;
    this.#isWithin = false;
    this.#wide = 'unknown';
    this.#isSecond = false;
  }

  /** Takes the ASCII of UTF-16, which its mark at the beginning of a text announces. */
  #narrow(chunk: Uint8Array): Uint8Array {
    if (this.#wide === 'unknown' && chunk.length > 0) {
      const mark = `${chunk[0]} ${chunk[1]}`;
      this.#wide = mark === '255 254' ? 'low first' : mark === '254 255' ? 'high first' : 'none';
    }
    if (this.#wide === 'unknown' || this.#wide === 'none') return chunk;
    const taken = Number(this.#wide === 'high first') ^ Number(this.#isSecond);
    this.#isSecond = this.#isSecond !== (chunk.length % 2 === 1);
    const narrow = new Uint8Array(Math.ceil((chunk.length - taken) / 2));
    for (let index = 0; index < narrow.length; index += 1) narrow[index] = chunk[2 * index + taken] ?? 0;
    return narrow;
  }

  #examine(bytes: Uint8Array, isEnd: boolean): void {
    let next = bytes.indexOf(lineFeed);
    const lineAt = (place: number): number => {
      while (next !== -1 && next < place) {
        this.#line += 1;
        next = bytes.indexOf(lineFeed, next + 1);
      }
      return this.#line;
    };
    const take = (start: number): void => {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, keyLength)
        .toString('latin1')
        .toLowerCase();
      this.#found(text, lineAt(start));
    };
    /** Takes the beginning of a run, as far as it has arrived; returns the position of the last candidate. */
    const begin = (start: number, end: number): number => {
      take(start);
      const behind = start + escapedDigits(bytes, start);
      if (behind === start || end - behind < keyLength) return start;
      take(behind);
      return behind;
    };
    let kept = bytes.length;
    // A run of 64 digits covers one of these places, wherever it begins.
    for (let place = keyLength - 1; place < bytes.length; ) {
      if (isHex[bytes[place] ?? 0] === 0) {
        place += keyLength;
        continue;
      }
      let start = place;
      while (start > 0 && isHex[bytes[start - 1] ?? 0] === 1) start -= 1;
      let end = place + 1;
      while (end < bytes.length && isHex[bytes[end] ?? 0] === 1) end += 1;
      place = end + keyLength;
      const isContinued = this.#isWithin && start === 0;
      if (end < bytes.length || isEnd) {
        if (end - start < keyLength) continue;
        const last = isContinued ? undefined : begin(start, end);
        if (last !== end - keyLength) take(end - keyLength);
        continue;
      }
      if (!isContinued && end - start <= maxKeptRun) {
        kept = start;
        this.#isWithin = false;
        break;
      }
      if (!isContinued) begin(start, end);
      kept = end - keyLength;
      this.#isWithin = true;
      break;
    }
    if (isEnd) return;
    if (kept === bytes.length) {
      while (kept > 0 && isHex[bytes[kept - 1] ?? 0] === 1) kept -= 1;
      this.#isWithin = false;
    }
    if (!this.#isWithin) kept = Math.max(0, kept - escapeLength);
    lineAt(kept);
    this.#kept = bytes.slice(kept);
  }
}
