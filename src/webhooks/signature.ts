import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks 1.0 (https://www.standardwebhooks.com): by the signature a receiver verifies sender and time. */

const prefix = 'whsec_';

/** 32 random bytes, in the form that a receiver gets. */
export const newWebhookSecret = (): string => prefix + randomBytes(32).toString('base64');

/** The same for every attempt at a message, so that a receiver recognises repetitions. */
export const newMessageId = (): string => `msg_${randomBytes(16).toString('hex')}`;

/** The three headers of an attempt at `seconds` since 1970, with a signature for each current secret. */
export const signedHeaders = (
  secrets: readonly string[],
  id: string,
  seconds: number,
  body: string,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> => {
  const sign = (secret: string): string => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  };
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map(sign).join(' '),
  };
};
