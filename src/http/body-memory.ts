import { overloaded } from '../kernel/problem.ts';

/** Bytes that a value of a parsed body takes beside its text: an empty object with its place in an array. */
const perValue = 64;

/** A request as far as it holds memory for a body. */
export interface BodyHolder {
  /** Bytes that count for it; changed by `BodyMemory` alone. */
  held: number;
  /** Whether nobody knows (yet) who sends it. */
  readonly unidentified: boolean;
}

/** A body that is still coming, with what refuses it. */
export interface ComingBody {
  readonly holder: BodyHolder;
  readonly refuse: () => void;
}

/**
 * Bounds the bytes of all bodies that the process holds, from their arrival to the answer. Callers whom nobody knows
 * share half of it. Where it is full, the largest body that is still coming gives way to a smaller one, and that of an
 * unknown caller to any of a known one: whoever begins large bodies and never ends them refuses others nothing.
 */
export class BodyMemory {
  readonly #most: number;
  #held = 0;
  #unidentified = 0;
  readonly #coming = new Set<ComingBody>();

  /** `most` in bytes. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.#held;
  }

  /** Makes a body known that is still coming; `refuse` is called if it has to give way. */
  begin(holder: BodyHolder, refuse: () => void): ComingBody {
    const coming: ComingBody = { holder, refuse };
    this.#coming.add(coming);
    return coming;
  }

  /** The body is there, or will not come; it gives way to no other from now on. */
  complete(coming: ComingBody): void {
    this.#coming.delete(coming);
  }

  /** @throws Problem `overloaded` where there is no room for so many more bytes. */
  take(holder: BodyHolder, bytes: number): void {
    while (!this.#fits(holder, bytes)) {
      const other = this.#givesWayTo(holder, holder.held + bytes);
      if (other === undefined) throw overloaded();
      this.#coming.delete(other);
      this.release(other.holder);
      other.refuse();
    }
    holder.held += bytes;
    this.#held += bytes;
    if (holder.unidentified) this.#unidentified += bytes;
  }

  /**
   * Takes what a body becomes when it is parsed, which can be twenty times its bytes; a quarter of all at most, as it
   * would never fit otherwise.
   * @throws Problem `overloaded`
   */
  takeParsed(holder: BodyHolder, values: number): void {
    this.take(holder, Math.min(values * perValue, this.#most / 4));
  }

  /** Called before the holder says who it is. */
  identify(holder: BodyHolder): void {
    if (holder.unidentified) this.#unidentified -= holder.held;
  }

  /** Gives back what a holder has. One whose body is still coming may take more. */
  release(holder: BodyHolder): void {
    this.#held -= holder.held;
    if (holder.unidentified) this.#unidentified -= holder.held;
    holder.held = 0;
  }

  #fits({ unidentified }: BodyHolder, bytes: number): boolean {
    if (unidentified && this.#unidentified + bytes > this.#most / 2) return false;
    return this.#held + bytes <= this.#most;
  }

  #givesWayTo({ unidentified }: BodyHolder, size: number): ComingBody | undefined {
    let found: ComingBody | undefined;
    for (const coming of this.#coming) {
      const other = coming.holder;
      if (unidentified && !other.unidentified) continue;
      const replaces =
        found === undefined ||
        (other.unidentified === found.holder.unidentified
          ? other.held > found.holder.held
          : other.unidentified);
      if (replaces) found = coming;
    }
    // Of its own kind only a larger one.
    if (found === undefined) return undefined;
    return found.holder.unidentified !== unidentified || found.holder.held > size ? found : undefined;
  }
}
