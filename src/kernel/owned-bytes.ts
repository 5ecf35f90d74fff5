/**
 * Bytes with one owner, such as a page of records on its way from the database to the socket. Whoever makes them gives
 * the array away: it is empty from then on, and its methods throw. `take` hands them to the last owner, who may free
 * them. Nothing is copied. A part of something larger, such as a `Buffer` of Node's pool, cannot be moved: it stays
 * readable under its old name, and is not to be written.
 */
export class OwnedBytes {
  #bytes: Uint8Array | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = isWhole(bytes) ? new Uint8Array(bytes.buffer.transfer()) : bytes;
  }

  /** @throws Error once they are taken */
  get byteLength(): number {
    return this.#there().byteLength;
  }

  /** Whoever calls this owns them from now on. @throws Error when called again */
  take(): Uint8Array {
    const bytes = this.#there();
    this.#bytes = undefined;
    return bytes;
  }

  #there(): Uint8Array {
    if (this.#bytes === undefined) throw new Error('these bytes were given away already');
    return this.#bytes;
  }
}

/** Whether an array is all of its memory, so that nobody else's bytes go with it. */
const isWhole = (bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.buffer.byteLength === bytes.byteLength;

/** Gives the memory of bytes back, whatever the garbage collector would do; that of a part of something larger stays. */
export const freeBytes = (bytes: Uint8Array): void => {
  if (isWhole(bytes)) bytes.buffer.transfer(0);
};
