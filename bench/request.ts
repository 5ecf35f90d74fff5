/** The text of a request. */
export const request = (method: string, path: string, headers: readonly string[], body = ''): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...headers,
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    body,
  ].join('\r\n');

/** `{n}` becomes a running number of nine digits; the length of the body accounts for them. */
export const numbered = (method: string, path: string, headers: readonly string[], body: string): string =>
  request(method, path, headers, body.replaceAll('{n}', '000000000')).replaceAll('000000000', '{n}');
