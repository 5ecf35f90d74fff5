/**
 * The contract of a scheme by which other systems hash passwords. One file per scheme implements it, and `../hashes.ts`
 * lists them. A hash is verified at a sign-in, which replaces it by the service's own.
 */

/** A hash that another system made. */
export interface ForeignHash {
  /** The bytes that the right password gives. */
  readonly tag: Uint8Array;
  /** Computes as many bytes from a password, off the main thread. */
  derive(password: string): Promise<Uint8Array>;
}

export interface HashScheme {
  /** For messages. */
  readonly name: string;
  /** The hash of a text; undefined for the text of another scheme, and for one that would cost too much to verify. */
  read(text: string): ForeignHash | undefined;
}

/** Most bytes of a tag: Payload keeps 512. */
const maxTag = 1_024;

/** Least bytes of a tag, as a short one is matched by chance. */
const minTag = 16;

const bytesWithin = (bytes: Buffer, isExact: boolean): Uint8Array | undefined =>
  isExact && bytes.length >= minTag && bytes.length <= maxTag ? bytes : undefined;

const unpadded = (text: string): string => text.replace(/=+$/, '');

/** Decodes the base64 of a tag, with or without padding; undefined for any other text and length. */
export const tagOfBase64 = (text: string): Uint8Array | undefined => {
  const bytes = Buffer.from(text, 'base64');
  return bytesWithin(bytes, unpadded(bytes.toString('base64')) === unpadded(text));
};

/** Decodes the hexadecimal digits of a tag, in lower case. */
export const tagOfHex = (text: string): Uint8Array | undefined => {
  const bytes = Buffer.from(text, 'hex');
  return bytesWithin(bytes, bytes.toString('hex') === text);
};
