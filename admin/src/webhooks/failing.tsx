/** The notice about a failing webhook, with a button that tries at once. */

import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { momentText } from '../parts/moment.ts';
import { useAct } from '../parts/use-act.ts';
import { send } from '../service.ts';
import { type Text, useLanguage, useText } from '../texts/provider.ts';
import { failureText, type Webhook } from './webhook.ts';

/** Milliseconds between two reads of a webhook that is being retried. */
const pause = 3_000;

/** Milliseconds between two reads of a failing webhook: its pauses start and end without an action of the user. */
export const rereadingOf = ({ disabled, failures, waiting }: Webhook): number | false =>
  !disabled && failures > 0 && waiting > 0 ? pause : false;

/** The reason of the last failure, from the receiver. */
export const FailureReason = ({ webhook }: { readonly webhook: Webhook }) => {
  const reason = failureText(webhook);
  return reason === undefined ? null : (
    <Box component="span" sx={{ overflowWrap: 'anywhere' }}>
      {' · '}
      {reason}
    </Box>
  );
};

const stateText = (
  text: Text,
  language: ReturnType<typeof useLanguage>,
  { failures: count, paused_until: until }: Webhook,
): string =>
  until === null
    ? text('webhooks.failing', { count })
    : text('webhooks.pausedUntil', {
        count,
        smart_count: count,
        time: momentText(language, 'clock', new Date(until)),
      });

/** Shows that a webhook fails, the end of its pause and the reason, with a button that tries at once. */
export const Failing = ({ webhook }: { readonly webhook: Webhook }) => {
  const text = useText();
  const language = useLanguage();
  const { busy, act } = useAct();
  const { id, disabled, failures, waiting } = webhook;
  if (disabled || failures === 0) return null;
  const tryNow = (): Promise<void> =>
    act(() => send('POST', `/admin/webhooks/${id}/try`), text('webhooks.tried'));
  return (
    <Alert
      severity="warning"
      action={
        waiting === 0 ? undefined : (
          <Button
            color="inherit"
            size="small"
            loading={busy}
            sx={{ whiteSpace: 'nowrap' }}
            onClick={() => void tryNow()}
          >
            {text('webhooks.tryNow')}
          </Button>
        )
      }
    >
      {stateText(text, language, webhook)}
      <FailureReason webhook={webhook} />
    </Alert>
  );
};
