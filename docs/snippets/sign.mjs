import { createHmac } from 'node:crypto';

/** Body: text or bytes, exactly as they are sent. */
export const sign = (apiSecret, timestamp, body) =>
  createHmac('sha256', apiSecret).update(`${timestamp}\n`).update(body).digest('hex');
