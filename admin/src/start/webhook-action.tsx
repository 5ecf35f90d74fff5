import Button from '@mui/material/Button';
import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useState } from 'react';
import { useTell } from '../parts/problem.ts';
import { send } from '../service.ts';
import { useText } from '../texts/provider.ts';
import { type Webhook, webhookName } from '../webhooks/webhook.ts';
import { sendAgain } from './send-again.ts';

interface WebhookActionProps {
  readonly webhook: Pick<Webhook, 'id' | 'url'>;
  /** Then it is enabled first. */
  readonly disabled?: boolean;
}

/** Has what could not be delivered sent again. */
export const WebhookAction = ({ webhook: { id, url }, disabled = false }: WebhookActionProps) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const action = text(disabled ? 'start.enableAndSend' : 'start.sendNow');
  const run = async (): Promise<void> => {
    setBusy(true);
    try {
      if (disabled) await send('PATCH', `/admin/webhooks/${id}`, { body: { webhook: { disabled: false } } });
      notify(text('start.sentAgain', { count: await sendAgain(id) }), { type: 'success' });
    } catch (error) {
      tell(error);
    }
    await client.invalidateQueries();
    setBusy(false);
  };
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
