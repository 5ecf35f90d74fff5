import { createHmac } from 'node:crypto';

/** The three headers of a signed request, in their usual spelling. */
export const signatureHeaders = {
  appId: 'X-App-Id',
  timestamp: 'X-Timestamp',
  signature: 'X-Signature',
} as const;

/**
 * Seconds that the time of a signature may differ from the server's, either way.
 * @limit Accounts and credentials | difference of a signature’s timestamp | s | 401
 */
export const timestampTolerance = 300;

/** HMAC-SHA256 of the concatenated parts, lowercase hex. A text key is used as its UTF-8 bytes. */
export const hmacSha256 = (
  key: string | Uint8Array,
  ...message: readonly (string | Uint8Array)[]
): string => {
  const hmac = createHmac('sha256', key);
  for (const part of message) hmac.update(part);
  return hmac.digest('hex');
};

/** The signature of a request: over the exact text of the timestamp header, a line feed and the raw body. */
export const signatureOf = (secret: string, timestamp: string, body: string | Uint8Array): string =>
  hmacSha256(secret, timestamp, '\n', body);
