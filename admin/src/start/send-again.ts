import { GatewrightError } from '../../../client/error.ts';
import { send } from '../service.ts';
import type { Delivery } from '../webhooks/webhook.ts';

/** Deliveries that one press sends again. */
const most = 100;

/** One that has failed for good, or waits for its next attempt after others have failed. */
const isToBeSent = ({ state, sending, attempts, next_at }: Delivery): boolean =>
  state === 'failed' || (state === 'waiting' && !sending && attempts > 0 && next_at !== null);

/**
 * Has the failed deliveries of a webhook sent now; answers how many. The newest is asked for first: of those about one
 * record the last one asked for goes first.
 */
export const sendAgain = async (webhook: number): Promise<number> => {
  const path = `/admin/webhooks/${webhook}/deliveries`;
  const asked = `filter[state][in]=failed,waiting&filter[attempts][gte]=1&sort=-id&per_page=${most}`;
  const { data } = await send<readonly Delivery[]>('GET', `${path}?${asked}`);
  let sent = 0;
  for (const { id } of data.filter(isToBeSent)) {
    try {
      await send('POST', `${path}/${id}/resend`);
      sent += 1;
    } catch (error) {
      // It is being sent by now, or is gone: then there is nothing to do about it.
      if (!(error instanceof GatewrightError) || ![404, 409].includes(error.status)) throw error;
    }
  }
  return sent;
};
