import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useQueryClient } from '@tanstack/react-query';
import { ListBase, useListContext, useNotify } from 'ra-core';
import { useState } from 'react';
import type { Column } from '../parts/column.ts';
import { saidInPlace } from '../parts/failed.tsx';
import { FilterBar } from '../parts/filter-bar.tsx';
import type { FilterField } from '../parts/filter-field.ts';
import { Link } from '../parts/link.tsx';
import { Listed } from '../parts/listed.tsx';
import { useTell } from '../parts/problem.ts';
import { RelativeTime } from '../parts/time.tsx';
import { useModels } from '../records/use-metadata.ts';
import { send } from '../service.ts';
import { type Text, useText } from '../texts/provider.ts';
import { DeliveryDetail } from './delivery-detail.tsx';
import { DeliveryState } from './states.tsx';
import { type Delivery, deliveryStates, errorText, type Webhook, webhookActions } from './webhook.ts';

/** Milliseconds between two looks at deliveries of which one is about to be sent. */
const pause = 3_000;

/** A delivery that waits longer is not waited for. */
const soon = 60_000;

const isUnderWay = ({ state, sending, next_at }: Delivery): boolean =>
  state === 'waiting' && (sending || (next_at !== null && Date.parse(next_at) - Date.now() < soon));

/** What was sent to a webhook and is to be, the newest first. */
export const Deliveries = ({ webhook }: { readonly webhook: Webhook }) => (
  <ListBase<Delivery>
    resource={`webhooks/${webhook.id}/deliveries`}
    sort={{ field: 'id', order: 'DESC' }}
    perPage={25}
    disableAuthentication
    exporter={false}
    queryOptions={{
      ...saidInPlace,
      refetchInterval: ({ state }) =>
        !webhook.disabled && state.data?.data.some(isUnderWay) === true ? pause : false,
    }}
  >
    <Section webhook={webhook} />
  </ListBase>
);

const filters = (text: Text, models: readonly { model: string; label: string }[]): FilterField[] => [
  {
    name: 'state',
    label: text('webhooks.state'),
    kind: 'choice',
    operators: ['eq'],
    choices: deliveryStates.map((value) => ({ value, label: text(`webhooks.states.${value}`) })),
  },
  {
    name: 'model',
    label: text('webhooks.models'),
    kind: 'choice',
    operators: ['eq'],
    choices: models.map(({ model, label }) => ({ value: model, label })),
  },
  {
    name: 'action',
    label: text('webhooks.actions'),
    kind: 'choice',
    operators: ['eq'],
    choices: webhookActions.map((value) => ({ value, label: text(`history.actions.${value}`) })),
  },
  { name: 'record_id', label: 'id', kind: 'number', operators: ['eq'] },
  { name: 'created_at', label: text('webhooks.eventAt'), kind: 'datetime', operators: ['gte', 'lte'] },
];

const Event = ({ delivery: { model, record_id, action } }: { readonly delivery: Delivery }) => {
  const text = useText();
  const entry = useModels().find((each) => each.model === model);
  const name = `${entry?.label ?? model}\u00a0#${record_id}`;
  return (
    <Box>
      {text(`history.actions.${action}`)}{' '}
      {entry === undefined ? name : <Link to={`/records/${entry.path}/${record_id}/show`}>{name}</Link>}
    </Box>
  );
};

const Answer = ({ delivery: { status, duration, error } }: { readonly delivery: Delivery }) => {
  const text = useText();
  return (
    <Box sx={{ minWidth: { sm: 130 }, overflowWrap: 'anywhere' }}>
      {status === null ? null : `${status} · ${duration ?? 0} ms`}
      {error === null ? null : (
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {errorText(text, error)}
        </Typography>
      )}
      {status === null && error === null ? '—' : null}
    </Box>
  );
};

interface Acts {
  readonly show: (delivery: Delivery) => void;
  readonly resend: (delivery: Delivery) => void;
}

const columns = (text: Text, { show, resend }: Acts): Column<Delivery>[] => [
  {
    name: 'state',
    label: text('webhooks.state'),
    render: (delivery) => <DeliveryState delivery={delivery} />,
  },
  {
    name: 'event',
    label: text('webhooks.event'),
    render: (delivery) => <Event delivery={delivery} />,
  },
  {
    name: 'status',
    label: text('webhooks.answer'),
    render: (delivery) => <Answer delivery={delivery} />,
  },
  { name: 'attempts', label: text('webhooks.attempts'), align: 'right', render: ({ attempts }) => attempts },
  {
    name: 'created_at',
    label: text('webhooks.eventAt'),
    short: true,
    render: ({ created_at }) => <RelativeTime value={created_at} />,
  },
  {
    name: 'next_at',
    label: text('webhooks.nextAt'),
    short: true,
    has: ({ next_at }) => next_at !== null,
    render: ({ next_at }) =>
      next_at !== null && Date.parse(next_at) <= Date.now() ? (
        text('webhooks.due')
      ) : (
        <RelativeTime value={next_at} otherwise="—" />
      ),
  },
  {
    name: 'acts',
    acts: true,
    label: text('common.actions'),
    sortable: false,
    short: true,
    render: (delivery) => (
      <>
        <Button
          size="small"
          onClick={() => show(delivery)}
          aria-label={`${text('common.show')} ${text('webhooks.delivery', { id: delivery.id })}`}
        >
          {text('common.show')}
        </Button>
        <Button
          size="small"
          disabled={delivery.sending && delivery.state === 'waiting'}
          onClick={() => resend(delivery)}
          aria-label={`${text('webhooks.resend')} ${text('webhooks.delivery', { id: delivery.id })}`}
        >
          {text('webhooks.resend')}
        </Button>
      </>
    ),
  },
];

const Section = ({ webhook }: { readonly webhook: Webhook }) => {
  const text = useText();
  const tell = useTell();
  const notify = useNotify();
  const client = useQueryClient();
  const models = useModels().filter(({ events }) => events);
  const { data = [] } = useListContext<Delivery>();
  const [shown, setShown] = useState<number>();
  const delivery = data.find(({ id }) => id === shown);
  const resend = async ({ id }: Delivery): Promise<void> => {
    try {
      await send('POST', `/admin/webhooks/${webhook.id}/deliveries/${id}/resend`);
      notify(text(webhook.disabled ? 'webhooks.resentLater' : 'webhooks.resent'), { type: 'success' });
    } catch (refused) {
      tell(refused);
    }
    await client.invalidateQueries();
  };
  return (
    <Stack component="section" sx={{ gap: 1.5 }}>
      <Typography variant="h2">{text('webhooks.deliveries')}</Typography>
      <FilterBar fields={filters(text, models)} searchable={false} />
      <Listed<Delivery>
        label={text('webhooks.deliveries')}
        columns={columns(text, { show: ({ id }) => setShown(id), resend: (each) => void resend(each) })}
        empty={text('webhooks.noDeliveries')}
      />
      {delivery === undefined ? null : (
        <DeliveryDetail delivery={delivery} onClose={() => setShown(undefined)} />
      )}
    </Stack>
  );
};
