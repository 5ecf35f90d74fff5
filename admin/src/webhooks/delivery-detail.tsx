import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useId } from 'react';
import { Facts } from '../parts/facts.tsx';
import { CodeText } from '../parts/json-text.tsx';
import { Time } from '../parts/time.tsx';
import { useText } from '../texts/provider.ts';
import { DeliveryState } from './states.tsx';
import { type Delivery, errorText } from './webhook.ts';

/** JSON is indented; what was cut off, and what is something else, stands as it came. */
const readable = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
};

interface MessageProps {
  readonly of: 'request' | 'response';
  readonly headers: Delivery['request_headers'];
  readonly body: string | null;
  readonly none: string;
}

const Message = ({ of, headers, body, none }: MessageProps) => {
  const text = useText();
  return (
    <Stack component="section" sx={{ gap: 1 }}>
      <Typography variant="h3">{text(`webhooks.${of}`)}</Typography>
      {headers === null && body === null ? (
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {none}
        </Typography>
      ) : null}
      {headers === null ? null : (
        <CodeText
          code={Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
          label={text(`webhooks.${of}Headers`)}
        />
      )}
      {body === null || body === '' ? null : (
        <CodeText code={readable(body)} label={text(`webhooks.${of}Body`)} />
      )}
    </Stack>
  );
};

interface DeliveryDetailProps {
  readonly delivery: Delivery;
  readonly onClose: () => void;
}

/** What was sent last, what came back, and when. */
export const DeliveryDetail = ({ delivery, onClose }: DeliveryDetailProps) => {
  const text = useText();
  const heading = useId();
  const { status, duration, error, attempts } = delivery;
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="md" aria-labelledby={heading}>
      <DialogTitle id={heading}>{text('webhooks.delivery', { id: delivery.id })}</DialogTitle>
      <DialogContent>
        <Stack sx={{ gap: 2 }}>
          {error === null ? null : (
            <Alert
              severity={delivery.state === 'skipped' ? 'info' : 'error'}
              sx={{ overflowWrap: 'anywhere' }}
            >
              {errorText(text, error)}
            </Alert>
          )}
          <Facts
            facts={[
              [text('webhooks.state'), <DeliveryState key="state" delivery={delivery} />],
              ['webhook-id', delivery.message_id],
              [text('webhooks.attempts'), String(attempts)],
              [text('webhooks.answer'), status === null ? '—' : `${status} · ${duration ?? 0} ms`],
              [text('webhooks.eventAt'), <Time key="made" value={delivery.created_at} format="full" />],
              [
                text('webhooks.attemptedAt'),
                <Time key="tried" value={delivery.attempted_at} format="full" />,
              ],
              [text('webhooks.nextAt'), <Time key="next" value={delivery.next_at} format="full" />],
            ]}
          />
          <Message
            of="request"
            headers={delivery.request_headers}
            body={delivery.request_body}
            none={text(delivery.withheld ? 'webhooks.withheld' : 'webhooks.noRequest')}
          />
          <Message
            of="response"
            headers={delivery.response_headers}
            body={delivery.response_body}
            none={text(delivery.withheld ? 'webhooks.withheld' : 'webhooks.noResponse')}
          />
        </Stack>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} autoFocus>
          {text('common.close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
};
