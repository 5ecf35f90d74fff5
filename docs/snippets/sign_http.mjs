import { createHash, createHmac, randomUUID } from 'node:crypto';

/** Body: text or bytes, exactly as they are sent. */
export const signHttp = (apiSecret, appId, method, url, body) => {
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  const created = Math.floor(Date.now() / 1000);
  const parameters = `("@method" "@target-uri" "content-digest");created=${created};nonce="${randomUUID()}";keyid="${appId}"`;
  const base = [
    `"@method": ${method}`,
    `"@target-uri": ${url}`,
    `"content-digest": ${digest}`,
    `"@signature-params": ${parameters}`,
  ].join('\n');
  // With an Ed25519 key: sign(null, Buffer.from(base), privateKey).toString('base64')
  const signature = createHmac('sha256', apiSecret).update(base).digest('base64');
  return {
    'Content-Digest': digest,
    'Signature-Input': `sig=${parameters}`,
    Signature: `sig=:${signature}:`,
  };
};
