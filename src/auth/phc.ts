/** An argon2id hash with the parameters to compute it again. */
export interface Argon2Hash {
  /** KiB. */
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Uint8Array;
  readonly tag: Uint8Array;
}

/**
 * Limits of a stored hash: enough for the usual settings of other systems (64 MiB, 3 passes, 4 lanes), too little for
 * a planted string to exhaust the machine. Values outside are treated as no hash at all.
 */
const bounds = { memory: 128 * 1024, passes: 10, parallelism: 8, salt: [8, 64], tag: [16, 64] } as const;

const form =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,6}),t=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/]{1,88})\$([A-Za-z0-9+/]{1,88})$/;

const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replaceAll('=', '');

/** Decodes canonical base64 without padding, of the given range of bytes. */
const decode = (text: string, [min, max]: readonly [number, number]): Uint8Array | undefined => {
  const bytes = Buffer.from(text, 'base64');
  return encode(bytes) === text && bytes.length >= min && bytes.length <= max ? bytes : undefined;
};

/** The PHC string of an argon2id hash: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export const formatPhc = ({ memory, passes, parallelism, salt, tag }: Argon2Hash): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(tag)}`;

/** Parses a PHC string; undefined unless it is exactly one of argon2id v19 within the bounds above. */
export const parsePhc = (text: string): Argon2Hash | undefined => {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [memory, passes, parallelism] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const salt = decode(String(match[4]), bounds.salt);
  const tag = decode(String(match[5]), bounds.tag);
  if (salt === undefined || tag === undefined) return undefined;
  if (memory > bounds.memory || passes > bounds.passes || parallelism > bounds.parallelism) return undefined;
  // RFC 9106, 3.1: at least eight blocks of a KiB for each lane.
  return memory < 8 * parallelism ? undefined : { memory, passes, parallelism, salt, tag };
};
