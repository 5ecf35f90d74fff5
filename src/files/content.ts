/**
 * Media types by the first bytes of a file. A caller's claim decides nothing, except between types that share one form:
 * a table of values is text, and an office document is a ZIP archive. A library of all formats was not taken: it knows
 * nothing of texts, where a wrong type does most harm, and a type that this table lacks is only shown as unknown.
 */

/** Bytes of a file that decide its type. */
export const headLength = 4_096;

const unknownType = 'application/octet-stream';
const textType = 'text/plain';
const htmlType = 'text/html';
const svgType = 'image/svg+xml';
const xmlType = 'application/xml';
const zipType = 'application/zip';

/** Bytes at a place, `null` for any byte. */
interface Signature {
  readonly type: string;
  readonly at?: number;
  /** Characters of Latin-1, one for each byte; `?` stands for any. */
  readonly bytes: string;
}

const signatures: readonly Signature[] = [
  { type: 'image/png', bytes: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', bytes: '\xff\xd8\xff' },
  { type: 'image/gif', bytes: 'GIF87a' },
  { type: 'image/gif', bytes: 'GIF89a' },
  { type: 'image/webp', bytes: 'RIFF????WEBP' },
  { type: 'image/avif', at: 4, bytes: 'ftypavif' },
  { type: 'image/avif', at: 4, bytes: 'ftypavis' },
  { type: 'image/heic', at: 4, bytes: 'ftypheic' },
  { type: 'image/heic', at: 4, bytes: 'ftypheix' },
  { type: 'image/heif', at: 4, bytes: 'ftypmif1' },
  { type: 'image/tiff', bytes: 'II*\0' },
  { type: 'image/tiff', bytes: 'MM\0*' },
  { type: 'image/bmp', bytes: 'BM????\0\0\0\0' },
  { type: 'application/pdf', bytes: '%PDF-' },
  { type: zipType, bytes: 'PK\x03\x04' },
  { type: zipType, bytes: 'PK\x05\x06' },
  { type: 'application/gzip', bytes: '\x1f\x8b' },
  { type: 'application/x-ole-storage', bytes: '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1' },
  { type: 'video/quicktime', at: 4, bytes: 'ftypqt  ' },
  { type: 'video/mp4', at: 4, bytes: 'ftyp' },
  { type: 'video/webm', bytes: '\x1aE\xdf\xa3' },
  { type: 'audio/mpeg', bytes: 'ID3' },
  { type: 'audio/mpeg', bytes: '\xff\xfb' },
  { type: 'audio/wav', bytes: 'RIFF????WAVE' },
  { type: 'audio/flac', bytes: 'fLaC' },
  { type: 'audio/ogg', bytes: 'OggS' },
];

/** Types that a caller may say instead of one that the bytes have in common. None of them runs in a browser. */
const finerTypes: Readonly<Record<string, readonly string[]>> = {
  [textType]: [
    'text/csv',
    'text/markdown',
    'text/calendar',
    'text/vcard',
    'application/json',
    'application/jsonl',
  ],
  [zipType]: [
    'application/epub+zip',
    'application/vnd.oasis.opendocument.presentation',
    'application/vnd.oasis.opendocument.spreadsheet',
    'application/vnd.oasis.opendocument.text',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  ],
  'application/x-ole-storage': [
    'application/msword',
    'application/vnd.ms-excel',
    'application/vnd.ms-powerpoint',
  ],
};

const hasSignature = (head: Uint8Array, { at = 0, bytes }: Signature): boolean => {
  if (head.byteLength < at + bytes.length) return false;
  for (let index = 0; index < bytes.length; index++)
    if (bytes[index] !== '?' && head[at + index] !== bytes.charCodeAt(index)) return false;
  return true;
};

/** The text of the first bytes, which may end within a character; undefined where they are no text. */
const textOf = (head: Uint8Array): string | undefined => {
  for (let cut = 0; cut < 4; cut++)
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(head.subarray(0, head.byteLength - cut));
      // Control characters other than tabs, line breaks and form feeds are in no text.
      return /[^\P{Cc}\t\n\f\r]/u.test(text) ? undefined : text;
    } catch {
      if (head.byteLength < headLength) return undefined;
    }
  return undefined;
};

/**
 * The type of a text. Everything that a browser could take for a page is one: it looks for a tag behind white space and
 * comments, and so does this, as far as the first bytes reach.
 */
const typeOfText = (text: string): string => {
  const start = text.replace(/^(?:\s|<!--[\s\S]*?-->)+/, '').slice(0, 1_000);
  if (!start.startsWith('<')) return textType;
  if (/<svg[\s>]/i.test(text)) return svgType;
  return start.startsWith('<?xml') && !/<html[\s>]/i.test(text) ? xmlType : htmlType;
};

/**
 * The type of a file.
 * @param head its first `headLength` bytes, or all of them
 * @param claimed the type that the caller says, without parameters
 */
export const contentType = (head: Uint8Array, claimed: string): string => {
  const signature = signatures.find((each) => hasSignature(head, each));
  const text = signature === undefined ? textOf(head) : undefined;
  const type = signature?.type ?? (text === undefined ? unknownType : typeOfText(text));
  return finerTypes[type]?.includes(claimed) === true ? claimed : type;
};

/**
 * True if one of the types of a field accepts this one. SVG is no picture unless a field names it: it can contain code.
 */
export const isAccepted = (type: string, accepted: readonly string[] | undefined): boolean =>
  accepted === undefined ||
  accepted.some(
    (each) =>
      each === type || (each.endsWith('/*') && type !== svgType && type.startsWith(each.slice(0, -1))),
  );

/** Pictures that every browser draws and in which nothing runs. */
const inlineTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
]);

/** True if a browser may show a file within a page of the service's origin; every other file is saved. */
export const isInline = (type: string): boolean => inlineTypes.has(type);

const endings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/heic': 'heic',
  'image/tiff': 'tif',
  [svgType]: 'svg',
  'application/pdf': 'pdf',
  [zipType]: 'zip',
  'text/csv': 'csv',
  [textType]: 'txt',
  'application/json': 'json',
};

/** A name for a file whose caller gave none. */
export const usualName = (field: string, type: string): string => `${field}.${endings[type] ?? 'bin'}`;

/** The first bytes of a source, and the whole of it, which begins with them again. */
interface Peeked {
  readonly head: Uint8Array;
  readonly whole: AsyncIterable<Uint8Array>;
  /** Ends the source, where nothing of it is read any more. */
  readonly stop: () => Promise<void>;
}

/** Reads the first bytes of a source. */
export const peeked = async (source: AsyncIterable<Uint8Array>): Promise<Peeked> => {
  const iterator = source[Symbol.asyncIterator]();
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (size < headLength) {
    const next = await iterator.next();
    if (next.done === true) break;
    chunks.push(next.value);
    size += next.value.byteLength;
  }
  const stop = async (): Promise<void> => {
    await iterator.return?.();
  };
  const whole = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* chunks;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
        yield next.value;
    } finally {
      // A reader that stops early stops the source.
      await stop();
    }
  };
  return { head: Buffer.concat(chunks).subarray(0, headLength), whole: whole(), stop };
};
