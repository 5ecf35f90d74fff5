import { GatewrightError } from '../../../client/error.ts';
import type { Send } from '../../../client/react-admin/data-provider.ts';
import type { RequestOptions } from '../../../client/transport.ts';
import { exactJson } from '../exact.ts';

/** Idempotency keys of requests without a response, by their content. */
const keysInDoubt = new Map<string, string>();

/** `randomUUID` exists on https pages only. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const makesRecord = (method: string, path: string): boolean =>
  method === 'POST' && /^\/admin\/records\/[^/?]+(\?|$)/.test(path);

/** Repeating a create without a response sends the same idempotency key: the service creates the record once. */
export const createdOnce =
  (send: Send): Send =>
  async <Data>(method: string, path: string, options: RequestOptions = {}) => {
    if (!makesRecord(method, path)) return send<Data>(method, path, options);
    const sent = `${path} ${exactJson.stringify(options.body ?? null)}`;
    const key = keysInDoubt.get(sent) ?? newKey();
    keysInDoubt.delete(sent);
    try {
      const headers = { ...options.headers, 'Idempotency-Key': key };
      return await send<Data>(method, path, { ...options, headers });
    } catch (error) {
      if (!(error instanceof GatewrightError) || error.status === 0) keysInDoubt.set(sent, key);
      throw error;
    }
  };
