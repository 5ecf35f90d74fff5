/** The page of payments. */

import Button from '@mui/material/Button';
import { useState } from 'react';
import { DetailDialog } from '../parts/detail-dialog.tsx';
import { JsonText } from '../parts/json-text.tsx';
import { type OwnColumn, OwnList } from '../records/own-list.tsx';
import { useText } from '../texts/provider.ts';

interface Payment {
  readonly id: number;
  readonly app_id: string;
  readonly order_no: unknown;
  readonly amount: unknown;
  readonly currency: unknown;
  readonly status: string;
  readonly body: unknown;
  readonly created_at: string;
}

/** A value of the application, of any type, as text. */
const plainText = (value: unknown): string => {
  if (value === null || value === undefined) return '—';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const columns: readonly OwnColumn<Payment>[] = [
  {
    name: 'order_no',
    names: true,
    render: ({ order_no }) => plainText(order_no),
  },
  {
    name: 'amount',
    align: 'right',
    render: ({ amount, currency }) =>
      currency === null ? plainText(amount) : `${plainText(amount)} ${plainText(currency)}`,
  },
  'app_id',
  { name: 'id', align: 'left' },
  { name: 'created_at', wide: false },
  {
    name: 'body',
    acts: true,
    render: (payment) => <Body payment={payment} />,
  },
];

const Body = ({ payment: { id, body } }: { readonly payment: Payment }) => {
  const text = useText();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        onClick={() => setOpen(true)}
        aria-label={`${text('common.show')} ${text('payments.showBody', { id })}`}
      >
        {text('common.show')}
      </Button>
      {open ? (
        <DetailDialog title={text('payments.showBody', { id })} onClose={() => setOpen(false)}>
          <JsonText value={body} label={text('payments.body')} />
        </DetailDialog>
      ) : null}
    </>
  );
};

export const Payments = () => {
  const text = useText();
  return (
    <OwnList<Payment>
      resource="payments"
      title={text('titles.payments')}
      lead={text('payments.lead')}
      columns={columns}
      hidden={['currency', 'status']}
      empty={text('payments.empty')}
    />
  );
};
