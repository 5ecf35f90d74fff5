/** Tells whether an `Accept-Encoding` header takes a content coding: it names it, and with a weight above zero. */
export const takesCoding = (header: string | undefined, name: 'gzip' | 'br'): boolean =>
  (header ?? '').split(',').some((part) => {
    const [coding = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
    return coding === name && !parameters.some((each) => /^q=0(?:\.0{0,3})?$/.test(each));
  });

/** Bodies below this size gain little by being compressed. */
const minCompressedBytes = 1024;

interface Uncoded {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
}

interface Coded extends Uncoded {
  readonly body: string | Uint8Array;
}

/** The response with gzip, if its caller takes that. @param accepted the header `Accept-Encoding` */
export const compressed = <Response extends Uncoded>(
  response: Response,
  accepted: string | undefined,
): Response | (Omit<Response, keyof Coded> & Coded) => {
  const { body } = response;
  if (typeof body !== 'string' || body.length < minCompressedBytes) return response;
  const headers = { ...response.headers, Vary: 'Accept-Encoding' };
  if (!takesCoding(accepted, 'gzip')) return { ...response, headers, body };
  // Loaded with the first of them: no start needs it.
  const { gzipSync } = process.getBuiltinModule('node:zlib');
  return { ...response, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: gzipSync(body) };
};
