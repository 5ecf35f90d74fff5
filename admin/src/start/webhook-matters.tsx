/** The matters of webhooks on the overview. */

import { useNotify } from 'ra-core';
import { GatewrightError } from '../../../client/error.ts';
import { Link } from '../parts/link.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useAct } from '../parts/use-act.ts';
import { useWords } from '../records/use-metadata.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { type Delivery, webhookName } from '../webhooks/webhook.ts';
import { Action, Line, listed, type Matter } from './matter.tsx';
import type { Statistics } from './stats.ts';

type Work = Statistics['attention'];
type Failing = Work['failing_webhooks']['webhooks'][number];
type Disabled = Work['disabled_webhooks']['webhooks'][number];

/** Webhooks that the service disabled after failures, and those whose last attempts failed: broken now. */
export const webhookMatters = ({ disabled_webhooks, failing_webhooks }: Work): readonly Matter[] => [
  ...disabled_webhooks.webhooks.slice(0, listed).map(
    (webhook): Matter => ({
      key: `webhook ${webhook.id}`,
      urgency: 'now',
      line: <DisabledWebhook webhook={webhook} />,
    }),
  ),
  ...failing_webhooks.webhooks.slice(0, listed).map(
    (webhook): Matter => ({
      key: `webhook ${webhook.id}`,
      urgency: 'now',
      line: <FailingWebhook webhook={webhook} />,
    }),
  ),
];

const FailingWebhook = ({ webhook: { id, url, failures } }: { readonly webhook: Failing }) => {
  const text = useText();
  const { busy, sendFailed } = useSendingAgain(id);
  const name = webhookName({ url });
  return (
    <Line
      of={name}
      subject={<Link to={`/webhooks/${id}/show`}>{name}</Link>}
      about={text('start.webhookFails', { smart_count: failures })}
      action={
        <Action label={text('start.sendNow')} of={name} busy={busy} onClick={() => void sendFailed(false)} />
      }
      more={[{ label: text('start.showWebhooks'), to: '/webhooks' }]}
    />
  );
};

/** Faults that enabling alone does not repair: the webhook needs another secret or another user first. */
const needsMore: readonly string[] = ['secret_unreadable', 'no_user'];

const DisabledWebhook = ({ webhook: { id, url, reason, disabled_at } }: { readonly webhook: Disabled }) => {
  const text = useText();
  const wordOf = useWords('webhooks');
  const { busy, sendFailed } = useSendingAgain(id);
  const name = webhookName({ url });
  const enable = (
    <Action label={text('start.enableAndSend')} of={name} busy={busy} onClick={() => void sendFailed(true)} />
  );
  return (
    <Line
      of={name}
      subject={<Link to={`/webhooks/${id}/show`}>{name}</Link>}
      about={
        <>
          {wordOf('disabled_reason', reason)} · <RelativeTime value={disabled_at} otherwise="" />
        </>
      }
      action={needsMore.includes(reason) ? null : enable}
      more={[{ label: text('start.showWebhooks'), to: '/webhooks' }]}
    />
  );
};

/** Sends the failed deliveries of a webhook again; a disabled one is enabled first. */
const useSendingAgain = (id: number) => {
  const text = useText();
  const notify = useNotify();
  const { busy, act } = useAct();
  const sendFailed = (disabled: boolean): Promise<void> =>
    act(async () => {
      if (disabled) await send('PATCH', `/admin/webhooks/${id}`, { body: { webhook: { disabled: false } } });
      notify(text('start.sentAgain', { count: await sendAgain(id) }), { type: 'success' });
    });
  return { busy, sendFailed };
};

/** Maximum number of deliveries for one click. */
const maxResent = 100;

/** True for a delivery that failed for good, or waits for its next attempt after failures. */
const canBeSentAgain = ({ state, sending, attempts, next_at }: Delivery): boolean =>
  state === 'failed' || (state === 'waiting' && !sending && attempts > 0 && next_at !== null);

/**
 * Sends the failed deliveries of a webhook again; returns their number. The newest is requested first: of deliveries
 * about one record the last requested one is sent first.
 */
const sendAgain = async (webhook: number): Promise<number> => {
  const path = `/admin/webhooks/${webhook}/deliveries`;
  const asked = `filter[state][in]=failed,waiting&filter[attempts][gte]=1&sort=-id&per_page=${maxResent}`;
  const { data } = await send<readonly Delivery[]>('GET', `${path}?${asked}`);
  let sent = 0;
  for (const { id } of data.filter(canBeSentAgain)) {
    try {
      await send('POST', `${path}/${id}/resend`);
      sent += 1;
    } catch (error) {
      // It is being sent, or was deleted: nothing is left to do.
      if (!(error instanceof GatewrightError) || ![404, 409].includes(error.status)) throw error;
    }
  }
  return sent;
};
