/** The cards about webhooks on the overview. */

import Button from '@mui/material/Button';
import { useNotify } from 'ra-core';
import { GatewrightError } from '../../../client/error.ts';
import { Link } from '../parts/link.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useAct } from '../parts/use-act.ts';
import { useWords } from '../records/use-metadata.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { type Delivery, type Webhook, webhookName } from '../webhooks/webhook.ts';
import { Line, listed, Matter, SecondaryText } from './matter.tsx';
import { countText, type Statistics } from './stats.ts';

type Work = Statistics['attention'];

/** Webhooks whose last attempts failed, and which are still retried. */
export const FailingWebhooks = ({ found }: { readonly found: Work['failing_webhooks'] }) => {
  const text = useText();
  return (
    <Matter
      title={text('start.failingWebhooks')}
      count={countText(found.count)}
      more={<Link to="/webhooks">{text('start.showWebhooks')}</Link>}
    >
      {found.webhooks.slice(0, listed).map(({ id, url, failures }) => (
        <Line key={id}>
          <Link to={`/webhooks/${id}/show`}>{webhookName({ url })}</Link> ·{' '}
          {text('start.times', { count: failures })}
          <WebhookAction webhook={{ id, url }} />
        </Line>
      ))}
    </Matter>
  );
};

/** Faults that enabling alone does not repair: the webhook needs another secret or another user first. */
const needsMore: readonly string[] = ['secret_unreadable', 'no_user'];

/** Webhooks that the service disabled after failures. */
export const DisabledWebhooks = ({ found }: { readonly found: Work['disabled_webhooks'] }) => {
  const text = useText();
  const wordOf = useWords('webhooks');
  return (
    <Matter
      title={text('start.disabledWebhooks')}
      count={countText(found.count)}
      more={<Link to="/webhooks">{text('start.showWebhooks')}</Link>}
    >
      {found.webhooks.slice(0, listed).map(({ id, url, reason, disabled_at }) => (
        <Line key={id}>
          <Link to={`/webhooks/${id}/show`}>{webhookName({ url })}</Link> ·{' '}
          <RelativeTime value={disabled_at} otherwise="" />
          <SecondaryText>{wordOf('disabled_reason', reason)}</SecondaryText>
          {needsMore.includes(reason) ? null : <WebhookAction webhook={{ id, url }} disabled />}
        </Line>
      ))}
    </Matter>
  );
};

interface WebhookActionProps {
  readonly webhook: Pick<Webhook, 'id' | 'url'>;
  /** True if it must be enabled first. */
  readonly disabled?: boolean;
}

/** Sends failed deliveries again. */
export const WebhookAction = ({ webhook: { id, url }, disabled = false }: WebhookActionProps) => {
  const text = useText();
  const notify = useNotify();
  const { busy, act } = useAct();
  const action = text(disabled ? 'start.enableAndSend' : 'start.sendNow');
  const run = (): Promise<void> =>
    act(async () => {
      if (disabled) await send('PATCH', `/admin/webhooks/${id}`, { body: { webhook: { disabled: false } } });
      notify(text('start.sentAgain', { count: await sendAgain(id) }), { type: 'success' });
    });
  return (
    <div>
      <Button
        size="small"
        sx={{ ml: -0.625, minWidth: 0 }}
        loading={busy}
        aria-label={`${action}: ${webhookName({ url })}`}
        onClick={() => void run()}
      >
        {action}
      </Button>
    </div>
  );
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
export const sendAgain = async (webhook: number): Promise<number> => {
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
