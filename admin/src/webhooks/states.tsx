/** The states of webhooks and deliveries in words and colours. */

import { Link } from '../parts/link.tsx';
import { Status } from '../parts/status.tsx';
import { useWords } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';
import type { Delivery, Webhook } from './webhook.ts';

/** True if a user has disabled it, so that nothing is wrong with it. */
export const isSwitchedOff = ({ disabled_reason: reason }: Webhook): boolean =>
  reason === null || reason === 'by_hand' || reason === 'by_owner';

/** The state of a webhook; failures stand out. */
export const WebhookState = ({ webhook }: { readonly webhook: Webhook }) => {
  const text = useText();
  const { disabled, failures, last_outcome } = webhook;
  if (disabled)
    return (
      <Status tone={isSwitchedOff(webhook) ? 'off' : 'bad'}>
        {text(isSwitchedOff(webhook) ? 'webhooks.off' : 'webhooks.disabled')}
      </Status>
    );
  if (failures > 0) return <Status tone="attention">{text('webhooks.failing', { count: failures })}</Status>;
  if (last_outcome === 'delivered') return <Status tone="good">{text('webhooks.active')}</Status>;
  // It works only if something was delivered.
  return last_outcome === null ? (
    <Status tone="off">{text('webhooks.neverSent')}</Status>
  ) : (
    <Status tone="attention">{text('webhooks.lastNotSent')}</Status>
  );
};

const tones = {
  waiting: 'off',
  retrying: 'attention',
  sending: 'attention',
  delivered: 'good',
  failed: 'bad',
  skipped: 'off',
} as const;

/** The shown state: sending and retrying are more specific than waiting. */
const shownState = ({ state, sending, attempts, status, error }: Delivery) => {
  if (state !== 'waiting') return state;
  if (sending) return 'sending';
  return attempts > 0 && (status !== null || error !== null) ? 'retrying' : 'waiting';
};

export const DeliveryState = ({ delivery }: { readonly delivery: Delivery }) => {
  const text = useText();
  const wordOf = useWords('deliveries');
  const state = shownState(delivery);
  return (
    <Status tone={tones[state]}>
      {state === 'sending' || state === 'retrying'
        ? text(state === 'sending' ? 'webhooks.sending' : 'webhooks.retrying')
        : wordOf('state', state)}
    </Status>
  );
};

/** The user whose permissions decide which data is sent. */
export const ActingUser = ({ webhook: { user_id: id, username } }: { readonly webhook: Webhook }) =>
  id === null ? <span>—</span> : <Link to={`/users/${id}/show`}>{username ?? `#${id}`}</Link>;
