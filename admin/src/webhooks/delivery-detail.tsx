/** The dialog of one delivery: its steps, its last request, and the response. */

import Alert from '@mui/material/Alert';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { exactJson } from '../exact.ts';
import { DetailDialog } from '../parts/detail-dialog.tsx';
import { CodeText } from '../parts/json-text.tsx';
import { Step, Steps } from '../parts/steps.tsx';
import { RelativeTime } from '../parts/time.tsx';
import type { OwnColumn } from '../records/own-list.tsx';
import { OwnFacts } from '../records/own-show.tsx';
import { useText } from '../texts/provider.ts';
import { DeliveryState } from './states.tsx';
import { type Delivery, errorText } from './webhook.ts';

/** JSON is indented; truncated and other bodies stay as they are. */
const readable = (body: string): string => {
  try {
    return exactJson.stringify(exactJson.parse(body), 2);
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

const facts: readonly OwnColumn<Delivery>[] = [
  { name: 'state', render: (delivery) => <DeliveryState delivery={delivery} /> },
  { name: 'message_id', label: 'webhook-id' },
  'attempts',
  {
    name: 'status',
    render: ({ status, duration }) => (status === null ? '—' : `${status} · ${duration ?? 0} ms`),
  },
  'created_at',
  'attempted_at',
  'next_at',
];

/** The steps of a message: the event, the last attempt, and the next one if there is one. */
const Way = ({ delivery }: { readonly delivery: Delivery }) => {
  const text = useText();
  const { state, attempts, status, duration, error, created_at, attempted_at, next_at } = delivery;
  const failed = state === 'failed' || state === 'skipped' || (state === 'waiting' && error !== null);
  return (
    <Steps label={text('webhooks.delivery', { id: delivery.id })}>
      <Step tone="good" title={text('webhooks.stored')}>
        <RelativeTime value={created_at} />
      </Step>
      {attempts === 0 ? null : (
        <Step tone={failed ? 'bad' : 'good'} title={text('webhooks.attempt', { count: attempts })}>
          {status === null ? '' : `${status} · ${duration ?? 0} ms · `}
          <RelativeTime value={attempted_at} otherwise="—" />
        </Step>
      )}
      {state === 'waiting' && next_at !== null ? (
        <Step tone="off" title={text('webhooks.next')}>
          <RelativeTime value={next_at} />
        </Step>
      ) : null}
    </Steps>
  );
};

/** The last request of a delivery, and its response. */
export const DeliveryDetail = ({ delivery, onClose }: DeliveryDetailProps) => {
  const text = useText();
  const { error } = delivery;
  return (
    <DetailDialog title={text('webhooks.delivery', { id: delivery.id })} wide onClose={onClose}>
      {error === null ? null : (
        <Alert severity={delivery.state === 'skipped' ? 'info' : 'error'} sx={{ overflowWrap: 'anywhere' }}>
          {errorText(text, error)}
        </Alert>
      )}
      <Way delivery={delivery} />
      <OwnFacts list="deliveries" record={delivery} facts={facts} />
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
    </DetailDialog>
  );
};
