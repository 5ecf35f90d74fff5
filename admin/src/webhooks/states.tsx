import Chip from '@mui/material/Chip';
import { Link } from '../parts/link.tsx';
import { useWords } from '../records/use-metadata.ts';
import { useText } from '../texts/provider.ts';
import type { Delivery, Webhook } from './webhook.ts';

/** How a webhook fares: what fails and what is off is seen at a glance. */
export const WebhookState = ({ webhook }: { readonly webhook: Webhook }) => {
  const text = useText();
  const { disabled, disabled_reason: reason, failures } = webhook;
  if (disabled)
    return (
      <Chip
        size="small"
        color={reason === 'by_hand' || reason === null ? 'default' : 'error'}
        label={text(reason === 'by_hand' || reason === null ? 'webhooks.off' : 'webhooks.disabled')}
      />
    );
  return failures > 0 ? (
    <Chip size="small" color="warning" label={text('webhooks.failing', { count: failures })} />
  ) : (
    <Chip size="small" variant="outlined" color="success" label={text('webhooks.active')} />
  );
};

const colours = {
  waiting: 'default',
  retrying: 'warning',
  sending: 'info',
  delivered: 'success',
  failed: 'error',
  skipped: 'default',
} as const;

/** The state that is shown: an attempt under way or to be repeated is more than waiting. */
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
    <Chip
      size="small"
      variant={state === 'failed' ? 'filled' : 'outlined'}
      color={colours[state]}
      label={
        state === 'sending' || state === 'retrying'
          ? text(state === 'sending' ? 'webhooks.sending' : 'webhooks.retrying')
          : wordOf('state', state)
      }
    />
  );
};

/** The user whose rights decide what is sent. */
export const ActingUser = ({ webhook: { user_id: id, username } }: { readonly webhook: Webhook }) =>
  id === null ? <span>—</span> : <Link to={`/users/${id}/show`}>{username ?? `#${id}`}</Link>;
