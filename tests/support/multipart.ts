/** Multipart bodies to the byte, for what no client would send. */

export const boundary = 'a-boundary';

export const multipartType = `multipart/form-data; boundary=${boundary}`;

/** One part; `disposition` is what stands behind `form-data`. */
export const part = (disposition: string, content: string | Uint8Array, type?: string): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);

export const text = (name: string, content: string): Buffer => part(`name="${name}"`, content);

export const file = (name: string, content: string | Uint8Array, filename = 'a.bin'): Buffer =>
  part(`name="${name}"; filename="${filename}"`, content, 'application/octet-stream');

/** A whole body. */
export const multipart = (...parts: readonly Buffer[]): Buffer =>
  Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
