import { createHash } from 'node:crypto';
import { takesCoding } from '../../http/content-coding.ts';
import type { Answer, Call } from '../../http/endpoint.ts';
import { isKnown } from '../../http/preconditions.ts';
import type { Locale } from '../../kernel/messages.ts';

/** Bytes that are the same for everybody, with their compressed form. */
export interface Representation {
  readonly type: string;
  readonly plain: Uint8Array;
  readonly compressed: Uint8Array;
  /** Entity tag of the plain bytes, without quotes. */
  readonly tag: string;
}

/** The first 16 hex digits of SHA-256: enough to tell versions apart. */
export const contentVersion = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 16);
};

export const represent = (type: string, content: string | Uint8Array): Representation => {
  const plain = typeof content === 'string' ? Buffer.from(content) : content;
  // Loaded with the first of them: no start needs it.
  const { gzipSync } = process.getBuiltinModule('node:zlib');
  return { type, plain, compressed: gzipSync(plain, { level: 9 }), tag: contentVersion(plain) };
};

/** Returns a representation, compressed if the caller accepts that; 304 if the caller has it already. */
export const answerWith = (
  call: Call,
  { type, plain, compressed, tag }: Representation,
  headers: Readonly<Record<string, string>>,
  language?: Locale,
): Answer => {
  const gzip = takesCoding(call.header('accept-encoding'), 'gzip');
  const etag = gzip ? `"${tag}-gz"` : `"${tag}"`;
  const vary = ['Accept-Encoding', headers['Vary'] ?? []].flat().join(', ');
  const common = { ...headers, ETag: etag, Vary: vary };
  const spoken = language === undefined ? {} : { language };
  if (isKnown(call, etag)) return { status: 304, headers: common, raw: { type: '', body: '' }, ...spoken };
  return {
    ...spoken,
    headers: gzip ? { ...common, 'Content-Encoding': 'gzip' } : common,
    raw: { type, body: gzip ? compressed : plain },
  };
};
