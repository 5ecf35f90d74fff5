/** The list of a webhook's deliveries, on the page of the webhook. */

import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useListContext } from 'ra-core';
import { useState } from 'react';
import { Link } from '../parts/link.tsx';
import { Section } from '../parts/section.tsx';
import { RelativeTime } from '../parts/time.tsx';
import { useAct } from '../parts/use-act.ts';
import { type OwnColumn, OwnPart } from '../records/own-list.tsx';
import { useModels } from '../records/use-metadata.ts';
import { send } from '../service.ts';
import { type Text, useText } from '../texts/provider.ts';
import { DeliveryDetail } from './delivery-detail.tsx';
import { DeliveryState } from './states.tsx';
import { type Delivery, errorText, type Webhook, webhookActions } from './webhook.ts';

/** Milliseconds between two reads while a delivery is about to be sent. */
const pause = 3_000;

/** Milliseconds; a later delivery is not waited for. */
const soon = 60_000;

const isUnderWay = ({ state, sending, next_at }: Delivery): boolean =>
  state === 'waiting' && (sending || (next_at !== null && Date.parse(next_at) - Date.now() < soon));

const Event = ({ delivery: { model, record_id, action } }: { readonly delivery: Delivery }) => {
  const text = useText();
  const entry = useModels().find((each) => each.model === model);
  const name = `${entry?.label ?? model}\u00a0#${record_id}`;
  return (
    <>
      {text(`history.actions.${action}`)}{' '}
      {entry === undefined ? (
        name
      ) : (
        <Link to={`/records/${entry.path}/${encodeURIComponent(record_id)}/show`}>{name}</Link>
      )}
    </>
  );
};

const Answer = ({ delivery: { status, duration, error } }: { readonly delivery: Delivery }) => {
  const text = useText();
  return (
    <>
      {status === null ? null : `${status} · ${duration ?? 0} ms`}
      {error === null ? null : (
        <Box component="span" title={errorText(text, error)} sx={{ color: 'text.secondary' }}>
          {status === null ? '' : ' · '}
          {errorText(text, error)}
        </Box>
      )}
      {status === null && error === null ? '—' : null}
    </>
  );
};

interface Acts {
  readonly show: (delivery: Delivery) => void;
  readonly resend: (delivery: Delivery) => void;
}

const columns = (text: Text, { show, resend }: Acts): OwnColumn<Delivery>[] => [
  { name: 'state', render: (delivery) => <DeliveryState delivery={delivery} /> },
  { name: 'event', align: 'left', names: true, render: (delivery) => <Event delivery={delivery} /> },
  { name: 'status', align: 'left', render: (delivery) => <Answer delivery={delivery} /> },
  'attempts',
  { name: 'created_at', wide: false },
  {
    name: 'next_at',
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

/** The deliveries of a webhook, newest first. */
export const Deliveries = ({ webhook }: { readonly webhook: Webhook }) => {
  const text = useText();
  const { act } = useAct();
  const models = useModels().filter(({ events }) => events);
  const [shown, setShown] = useState<number>();
  const path = `webhooks/${webhook.id}/deliveries`;
  const resend = ({ id }: Delivery): Promise<void> =>
    act(
      () => send('POST', `/admin/${path}/${id}/resend`),
      text(webhook.disabled ? 'webhooks.resentLater' : 'webhooks.resent'),
    );
  return (
    <Section title={text('webhooks.deliveries')} isListed>
      <OwnPart<Delivery>
        resource={path}
        described="deliveries"
        located
        perPage={25}
        label={text('webhooks.deliveries')}
        columns={columns(text, { show: ({ id }) => setShown(id), resend: (each) => void resend(each) })}
        filters={['state', 'model', 'action', 'record_id', 'created_at']}
        choices={{
          model: models.map(({ model, plural_label: label }) => ({ value: model, label })),
          action: webhookActions.map((value) => ({ value, label: text(`history.actions.${value}`) })),
        }}
        empty={text('webhooks.noDeliveries')}
        queryOptions={{
          refetchInterval: ({ state }) =>
            !webhook.disabled && state.data?.data.some(isUnderWay) === true ? pause : false,
        }}
      >
        <Shown id={shown} onClose={() => setShown(undefined)} />
      </OwnPart>
    </Section>
  );
};

/** The selected delivery, in the state of the list. */
const Shown = ({ id, onClose }: { readonly id: number | undefined; readonly onClose: () => void }) => {
  const { data = [] } = useListContext<Delivery>();
  const delivery = data.find((each) => each.id === id);
  return delivery === undefined ? null : <DeliveryDetail delivery={delivery} onClose={onClose} />;
};
