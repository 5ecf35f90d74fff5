import { GatewrightError } from '../../../client/error.ts';
import type { Send } from '../../../client/react-admin/data-provider.ts';
import type { RequestOptions } from '../../../client/transport.ts';
import { exactJson } from '../exact.ts';

/** Keys of records of which it is unknown whether they were made, by what was sent for them. */
const unanswered = new Map<string, string>();

/** Not `randomUUID`, which a browser has on pages with https only. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const makesRecord = (method: string, path: string): boolean =>
  method === 'POST' && /^\/admin\/records\/[^/?]+(\?|$)/.test(path);

/** A record that is sent again for want of a response is the same one: the service makes it once. */
export const madeOnce =
  (send: Send): Send =>
  async <Data>(method: string, path: string, options: RequestOptions = {}) => {
    if (!makesRecord(method, path)) return send<Data>(method, path, options);
    const sent = `${path} ${exactJson.stringify(options.body ?? null)}`;
    const key = unanswered.get(sent) ?? newKey();
    unanswered.delete(sent);
    try {
      const headers = { ...options.headers, 'Idempotency-Key': key };
      return await send<Data>(method, path, { ...options, headers });
    } catch (error) {
      if (!(error instanceof GatewrightError) || error.status === 0) unanswered.set(sent, key);
      throw error;
    }
  };
